"""Out-of-memory errors: the array, its source line and its size."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from linad_typecheck.ir.core import (
    Alloc, Block, Const, Copy, Dim, Function, Names, Program, Reserve, all_names, base_name,
)
from linad_typecheck.types import BYTES, I64

from .allocation_hoisting import lift
from .sites import Site
from .tree import Apply, Expr, Num

LESS = " (to keep snapshots instead, mark a loop around it with linad.checkpoint)"
FEWER = " (ask for fewer slots)"


def no_room(s: Alloc | Reserve, f: Function) -> Site:
    """The error site of a log that does not fit in memory, with its size in bytes as the argument."""
    return Site(s.span if s.span.line > 0 else f.span, "MemoryError", told(s), ("i64",))


def told(s: Alloc | Copy | Reserve) -> str:
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


def largest(program: Program, values: Sequence[object]) -> tuple[Alloc | Copy, int] | None:
    """The largest array, with its size in bytes, among those whose size a prepared program knows at its start."""
    main = program.main
    lifted = lift(main, copies=True, negative=True)
    made = lifted.arrays
    names = Names(all_names(main))
    stmts, sizes = list(lifted.sizes), []
    for s in made:
        if isinstance(s, Alloc):
            sizes.append(s.shape)
            continue
        dims = tuple(names.var("size", I64) for _ in range(s.array.type.rank))
        stmts += [Dim(d, s.array, k) for k, d in enumerate(dims)]
        sizes.append(dims)
    flat = tuple(a for shape in sizes for a in shape)
    sized = Function("sizes", main.params, Block(tuple(stmts), flat))
    from linad.interpret import run  # with NumPy, which nobody needs who only reads what would be emitted

    found = iter(run(Program("sizes", {"sizes": sized}), values, in_place=True).results)
    taken = [
        (prod(int(next(found)) for _ in shape) * BYTES[s.out.type.dtype], k)
        for k, (s, shape) in enumerate(zip(made, sizes))
    ]
    if not taken:
        return None
    size, k = max(taken)
    return made[k], size
