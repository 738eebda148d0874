"""Comparison of two runs: they agree if both raise the same exception or their values are equal up to rounding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..structures import parts


@dataclass(frozen=True)
class Ended:
    """The outcome of a run: a value or an exception."""

    value: Any = None
    error: Exception | None = None


def attempt(f: Callable[[], Any]) -> Ended:
    """Call ``f`` and capture its value or exception. An exception that represents a builtin (`CoreError`) is converted
    to it."""
    try:
        return Ended(f())
    except AssertionError as e:
        if type(e) is not AssertionError:
            raise  # a bug in linad or the test, not an exception of the program
        return Ended(error=e)
    except Exception as e:
        builtin = getattr(e, "builtin", None)
        return Ended(error=builtin() if builtin else e)


def _leaves(value: Any, path: str = "result") -> list[tuple[str, Any]]:
    items = value if isinstance(value, list) else parts(value)
    if items is not None:
        # the path names the class of a record, so that a record and a tuple differ
        cls = "" if type(value) in (tuple, list) else type(value).__name__
        return [leaf for k, v in enumerate(items) for leaf in _leaves(v, f"{path}{cls}[{k}]")]
    return [] if value is None else [(path, value)]


def difference(left: Ended, right: Ended, *, rtol: float = 1e-9, atol: float = 1e-12) -> str | None:
    """Describe the first disagreement of two runs; None if they agree.

    Values are compared after promotion: an int and a float of the same value agree. NaNs agree with each other.
    """
    if left.error is not None or right.error is not None:
        if type(left.error) is type(right.error):
            return None
        return f"{_ending(left)} and {_ending(right)}"
    ours, theirs = _leaves(left.value), _leaves(right.value)
    if [p for p, _ in ours] != [p for p, _ in theirs]:
        return f"structures differ: {left.value!r} and {right.value!r}"
    for (path, a), (_, b) in zip(ours, theirs):
        x, y = np.asarray(a), np.asarray(b)
        if x.shape != y.shape:
            return f"{path}: shapes {x.shape} and {y.shape}"
        kinds = {x.dtype.kind, y.dtype.kind}
        if kinds <= set("iub") or not kinds <= set("iubfc"):  # ints, texts, sets
            same = np.asarray(x == y)
        else:
            wide = np.result_type(x, y, np.int64)
            x, y = x.astype(wide), y.astype(wide)
            with np.errstate(all="ignore"):
                same = (x == y) | np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=True)
        if not np.all(same):
            where = tuple(int(i) for i in np.argwhere(~np.atleast_1d(same))[0])
            place = f"{path}{list(where)}" if x.ndim else path
            return f"{place}: {np.atleast_1d(x)[where]!r} and {np.atleast_1d(y)[where]!r}"
    return None


def _ending(e: Ended) -> str:
    return f"value {e.value!r}" if e.error is None else f"{type(e.error).__name__}: {e.error}"
