"""Operation costs: library calls, and operations cheap enough to repeat."""

from __future__ import annotations

from linad_typecheck.ir.core import Const, Let, Stmt
from linad_typecheck.ops import OPS
from linad_typecheck.types import is_float


MOST_HALVES = 15  # of the exponent of a power that is computed by products: each rounds once more


def halves(exponent: float) -> int | None:
    """Twice an exponent, if it is a small multiple of a half: the power is then computed by products and a square root,
    which take less time than a library call and are as good."""
    twice = 2.0 * exponent
    return int(twice) if twice.is_integer() and abs(twice) <= MOST_HALVES else None


def is_library_call(t: Stmt) -> bool:
    """Whether a statement is a float operation that takes a library call."""
    if not (isinstance(t, Let) and OPS[t.op].expensive and is_float(t.out.type)):
        return False
    return not (t.op == "pow" and isinstance(t.ins[1], Const) and halves(float(t.ins[1].value)) is not None)


def is_cheap(t: Let) -> bool:
    """Whether an operation is cheap enough to be repeated."""
    return not OPS[t.op].expensive and t.op not in ("sqrt", "div")
