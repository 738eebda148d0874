"""The road from a Python function through the front end and the reference interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from linad.boundary.live import Record
from linad.interpret import run
from linad_typecheck.check import check
from linad_typecheck.signature import Checked, Leaf


def checked(f: Callable[..., Any], updates: tuple[str, ...] = ()) -> Checked:
    """What the front end says of a live function whose parameters are all annotated."""
    return check(Record(f, updates).entry(), {})


def errors(c: Checked) -> list[str]:
    return [f"{d.code} {d.span}: {d.message}" for d in c.diagnostics if d.severity == "error"]


def _structured(structure: Any, flat: Sequence[Any]) -> Any:
    match structure:
        case None:
            return None
        case Leaf(index=k, weak=weak):
            value = flat[k]
            return value.item() if weak and isinstance(value, np.generic) else value
        case _:
            return tuple(_structured(s, flat) for s in structure)


def interpreted(c: Checked, args: Sequence[Any], limit: int = 2_000_000) -> Any:
    """The value of a checked function without tuple parameters or module-level arrays."""
    assert c.program is not None and c.signature is not None
    out = run(c.program, args, limit=limit)
    return _structured(c.signature.result, out.results)
