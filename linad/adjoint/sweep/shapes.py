"""Names for array sizes and trip counts that the reverse sweep may need."""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import (
    Alloc, Atom, Block, Dim, Drop, Function, If, Loop, Names, Reserve, Stmt, all_names, walk,
)
from linad_typecheck.ir.sizes import known_sizes
from linad_typecheck.types import I64, Array, is_float


def with_shapes(f: Function) -> tuple[Function, dict[int, tuple[Atom, ...]]]:
    """The function with a name for every size and trip count that its reverse may need.

    Also returns the sizes of each float array at its drop, by id of the drop. Loops with early exits get a name for
    their trip count.
    """
    names = Names(all_names(f))
    shapes: dict[int, tuple[Atom, ...]] = {}
    known = known_sizes(f)
    known.update({s.out.name: s.shape for s in walk(f.body) if isinstance(s, Alloc)})
    for s in walk(f.body):  # a log grows, perhaps in a callee
        if isinstance(s, Reserve) or isinstance(s, Alloc) and s.log == "stack":
            known.pop(s.array.name if isinstance(s, Reserve) else s.out.name, None)

    def inside(block: Block) -> Block:
        out: list[Stmt] = []
        for s in block.stmts:
            match s:
                case Drop(x=x) if isinstance(x.type, Array) and is_float(x.type):
                    if x.name not in known:
                        dims = tuple(Dim(names.var("n", I64), x, k, s.span) for k in range(x.type.rank))
                        out += dims
                        shapes[id(s)] = tuple(d.out for d in dims)
                    else:
                        shapes[id(s)] = known[x.name]
                case If():
                    s = replace(s, then=inside(s.then), orelse=inside(s.orelse))
                case Loop():
                    trips = names.var("trips", I64) if s.exits and s.trips is None else s.trips
                    s = replace(s, body=inside(s.body), trips=trips)
            out.append(s)
        return Block(tuple(out), block.results)

    return replace(f, body=inside(f.body)), shapes
