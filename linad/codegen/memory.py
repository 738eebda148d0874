"""Out-of-memory errors: the array, its source line and its size."""

from __future__ import annotations

from collections.abc import Sequence

from linad_typecheck.ir.core import Alloc, Const, Copy, Function, Reserve, base_name
from linad_typecheck.types import BYTES, I64

from .sites import Site
from .tree import Apply, Expr, Num

LESS = " (to keep snapshots instead, mark a loop around it with linad.checkpoint)"
FEWER = " (ask for fewer slots)"


def no_room(s: Alloc | Reserve, f: Function) -> Site:
    """The error site of a log that does not fit into memory, with its size in bytes as the argument."""
    return Site(s.span if s.span.line > 0 else f.span, "MemoryError", out_of_memory_text(s), ("i64",))


def out_of_memory_text(s: Alloc | Copy | Reserve) -> str:
    """The message template about an allocation that is too large; ``{0}`` is its size in bytes."""
    name = base_name((s.array if isinstance(s, Reserve) else s.out).name)
    if isinstance(s, Copy) or isinstance(s, Alloc) and s.log == "no":
        what, less = f"`{name}`", ""
    elif name.startswith("snap_"):
        what, less = f"the snapshots of `{name[5:]}`", FEWER
    elif name.startswith("log_"):
        what, less = f"what the derivative saves of `{name[4:]}` in each iteration", LESS
    elif s.span.line > 0:
        what, less = f"`{name}`, which the derivative keeps of each iteration", LESS
    else:
        what, less = "what the derivative saves of the calls of this function", ""
    return f"there is no memory for {what}: {{0:,}} bytes{less}"


def cells_of(shape: Sequence[Expr], dtype: str) -> Expr:
    """The size of an array in bytes."""
    total: Expr = Num(Const(BYTES[dtype], I64))
    for size in shape:
        total = Apply("mul", (total, size), I64, I64)
    return total
