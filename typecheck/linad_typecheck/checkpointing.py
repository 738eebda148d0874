"""Validation of the options of `linad.checkpoint`, shared by the run-time function and the checker."""

from __future__ import annotations

import operator
import re
from typing import get_args

from .ir.core import Scheme

SCHEMES: tuple[str, ...] = get_args(Scheme)
DEFAULT: Scheme = "revolve"
_UNLIMITED = ("tape", "recompute")  # schemes without a choice of storage: they keep everything, or one snapshot
LATER = object()
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?\s*", re.IGNORECASE)


def bytes_of(memory: object) -> int | None:
    """The number of bytes that ``"200MB"``, ``"64 KiB"`` or an int denotes; None if it is not a size."""
    size = _whole(memory)
    if size is not None:
        return size if 1 <= size < 2**62 else None
    found = _SIZE.fullmatch(memory) if isinstance(memory, str) else None
    if found is None:
        return None
    size = int(float(found[1]) * _UNITS[(found[2] or "").lower()])
    return size if 1 <= size < 2**62 else None


def _whole(x: object) -> int | None:
    """The value of any kind of int, also NumPy's; None for other values."""
    try:
        return None if isinstance(x, bool) else operator.index(x)  # type: ignore[arg-type]
    except TypeError:
        return None


def misuse(scheme: object, slots: object, memory: object) -> str | None:
    """What is wrong with the options; None if they are valid. ``slots`` may be `LATER`, which means that only the
    running program knows it."""
    if scheme is not None and scheme not in SCHEMES:
        known = ", ".join(f'"{s}"' for s in SCHEMES)
        return f"has no scheme {scheme!r}; there are {known}"
    if slots is not None and memory is not None:
        return "takes `slots` or `memory`, not both"
    if scheme in _UNLIMITED and (slots is not None or memory is not None):
        kept = "every step" if scheme == "tape" else "the first state only"
        return f'takes no `slots` or `memory` with scheme="{scheme}", which keeps {kept}'
    if slots is not None and slots is not LATER and (_whole(slots) or 0) < 1:
        return f"keeps at least one snapshot: `slots` is an int of 1 or more, not {slots!r}"
    if memory is not None and bytes_of(memory) is None:
        return f'reads `memory` as a number of bytes, such as "200MB" or 1_000_000, not {memory!r}'
    return None
