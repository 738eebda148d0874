"""Operation costs: library calls, and operations cheap enough to repeat."""

from __future__ import annotations

from linad_typecheck.ir.core import Let, Stmt
from linad_typecheck.ops import OPS
from linad_typecheck.types import is_float


def is_library_call(t: Stmt) -> bool:
    """Whether a statement is a float operation that takes a library call."""
    return isinstance(t, Let) and OPS[t.op].expensive and is_float(t.out.type)


def is_cheap(t: Let) -> bool:
    """Whether an operation is cheap enough to be repeated."""
    return not OPS[t.op].expensive and t.op not in ("sqrt", "div")
