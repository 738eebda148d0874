"""Out-of-memory errors: the array, its source line and its size."""

from __future__ import annotations

from collections.abc import Sequence

from linad_typecheck.ir.core import Alloc, Const, Copy, Function, Reserve, base_name
from linad_typecheck.types import BYTES, I64

from .error_sites import Site
from .tree import Apply, Expr, Num

_KEPT = " (to keep snapshots instead, mark a loop around it with linad.checkpoint)"
_ABOUT = {
    "": "`{0}`",
    "values": "what the derivative saves of `{1}` in each iteration" + _KEPT,
    "arrays": "`{0}`, which the derivative keeps of each iteration" + _KEPT,
    "snapshots": "the snapshots of `{1}` (ask for fewer slots)",
    "matrices": "the matrices that the derivative keeps" + _KEPT,
    "calls": "what the derivative saves of the calls of this function",
}


def no_room(s: Alloc | Reserve, f: Function) -> Site:
    """The error site of a log that does not fit into memory, with its size in bytes as the argument."""
    return Site(s.span if s.span.line > 0 else f.span, "MemoryError", out_of_memory_text(s), ("i64",))


def out_of_memory_text(s: Alloc | Copy | Reserve) -> str:
    """The message template about an allocation that is too large; ``{0}`` is its size in bytes."""
    made = s.array if isinstance(s, Reserve) else s.out
    name = base_name(made.name)
    what, bracket, less = _ABOUT[made.saves].format(name, name.partition("_")[2]).partition(" (")
    return f"there is no memory for {what}: {{0:,}} bytes{bracket}{less}"


def cells_of(shape: Sequence[Expr], dtype: str) -> Expr:
    """The size of an array in bytes."""
    total: Expr = Num(Const(BYTES[dtype], I64))
    for size in shape:
        total = Apply("mul", (total, size), I64, I64)
    return total
