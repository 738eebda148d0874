"""Size propagation: replace the size of a local array by the size that it was allocated with.

**Transformation.** Copy propagation of array sizes, and of indices that are casts of another int.

**Before.** ``u = alloc f64 [n]; m = dim &u 0; j = cast i``
**After.** ``u = alloc f64 [n]; m is n, j is i``

**Legality.** Arrays of fixed size, so no logs.

**Profitability.** Always: equal sizes then have equal names, which other passes rely on to compare them.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import Alloc, Atom, Block, Const, Copy, Dim, Function, Let, Stmt, Var, walk
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.types import I64

from linad.analysis.logs import may_grow

ZERO, ONE = Const(0, I64), Const(1, I64)


def known_sizes(f: Function) -> Function:
    """Replace the sizes of local arrays, and the lengths of ranges up to a size, by the ints they equal."""
    resized = may_grow(f)
    made = {s.out.name: s for s in walk(f.body) if isinstance(s, Alloc | Copy) and s.out.name not in resized}
    sizes = {s.out.name for s in walk(f.body) if isinstance(s, Dim)}
    value: dict[str, Atom] = {}
    known: dict[tuple[str, int], Var] = {}  # sizes that already have a name in scope

    def use(a: Atom) -> Atom:
        while isinstance(a, Var) and a.name in value:
            a = value[a.name]
        return a

    def block(b: Block) -> Block:
        nonlocal known
        kept: list[Stmt] = []
        outer, known = known, dict(known)
        for s in b.stmts:
            s = rebuild(s, use, block=block)
            match s:
                case Dim(out=out, array=array, axis=axis):
                    while isinstance(origin := made.get(array.name), Copy) and origin.array.name not in resized:
                        array = origin.array
                    if isinstance(origin, Alloc):
                        value[out.name] = use(origin.shape[axis])
                        continue
                    if (array.name, axis) in known:
                        value[out.name] = known[array.name, axis]
                        continue
                    if array.name not in resized:
                        known[array.name, axis] = out
                    s = replace(s, array=array)
                case Let(out=out, op="cast", ins=(a,)) if a.type == out.type:
                    # the cast of an index known to be non-negative
                    value[out.name] = use(a)
                    continue
                case Let(out=out, op="trips", ins=(start, Var(name=n) as size, step)) if (
                    n in sizes and start == ZERO and step == ONE
                ):
                    value[out.name] = size
                    continue
            kept.append(s)
        known = outer
        return Block(tuple(kept), tuple(map(use, b.results)))

    return replace(f, body=block(f.body))
