"""Allocation hoisting: allocate a buffer once before a loop instead of in every iteration, and refill it.

**Transformation.** Loop-invariant code motion of allocations.

**Before.** ``for i { t = alloc [n] fill 0.0; ... }``
**After.** ``t = alloc [n]; for i { fill t 0.0; ... }``

**Legality.** The shape is loop-invariant and the array does not outlive an iteration. Allocations are hoisted out of
branches as well: untouched memory costs next to nothing. Index checks, including those for negative sizes, stay in
place.

**Profitability.** Always.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import (
    Alloc, Atom, Block, Const, Copy, Dim, Fill, Function, If, Let, Loop, Names, Stmt, Var, all_names, walk,
)
from linad_typecheck.ir.rewrite import at_loops
from linad_typecheck.types import I64, Array

from linad.analysis.logs import empty, resized
from linad.analysis.loop_facts import defined

from .double_buffering import copying, passed_on


def hoist_buffers(f: Function) -> Function:
    """Move allocations of loop-invariant shape out of loops and branches if the array does not outlive an iteration."""
    grown = resized(f)
    names = Names(all_names(f))
    fixed = {s.out.name for s in walk(f.body) if isinstance(s, Dim)}
    fixed |= {s.out.name for s in walk(f.body) if isinstance(s, Let) and s.op == "trips"}

    def hoisted(s: Loop) -> list[Stmt]:
        before, body = _split(s, s.body, grown, _escaping(s.body), names, fixed)
        return [*before, replace(s, body=body)]

    return at_loops(f, hoisted)


def _split(
    s: Loop, body: Block, grown: set[str], escaping: set[str], names: Names, fixed: set[str]
) -> tuple[list[Stmt], Block]:
    """Split a loop body into the allocations that move before the loop, and the remaining body. A growing log keeps its
    capacity from one iteration to the next."""
    staying, inside = grown | escaping, defined(s)
    moved: set[str] = set()
    before: list[Stmt] = []

    def leave(b: Block) -> Block:
        kept: list[Stmt] = []
        for t in b.stmts:
            if isinstance(t, If):
                kept.append(replace(t, then=leave(t.then), orelse=leave(t.orelse)))
            elif isinstance(t, Alloc) and t.out.name in grown - escaping and empty(t):
                before.append(t)
                moved.add(t.out.name)
            elif isinstance(t, Alloc) and t.out.name not in staying and not any(_named(a, inside) for a in t.shape):
                before.append(replace(t, shape=tuple(map(size, t.shape)), fill=None))
                moved.add(t.out.name)
                if t.fill is not None:
                    kept.append(Fill(t.out, t.fill, t.span))
            elif (
                isinstance(t, Copy) and t.out.type.rank and not {t.out.name, t.array.name} & (staying | inside - moved)
            ):
                shape = tuple(names.var("size", I64) for _ in range(t.out.type.rank))
                before.extend(Dim(v, t.array, k, t.span) for k, v in enumerate(shape))
                before.append(Alloc(t.out, shape, None, t.span))
                fixed.update(v.name for v in shape)
                moved.add(t.out.name)
                kept += copying(t, shape, names)
            else:
                kept.append(t)
        return Block(tuple(kept), b.results)

    def size(a: Atom) -> Atom:
        if isinstance(a, Const) or a.name in fixed:
            return a
        v = names.var("size", I64)
        before.append(Let(v, "max", (a, Const(0, I64)), s.span))  # a negative size still fails in the loop
        fixed.add(v.name)
        return v

    return before, leave(body)


def _named(a: Atom, names: set[str]) -> bool:
    return isinstance(a, Var) and a.name in names


def _escaping(b: Block) -> set[str]:
    """Arrays that may outlive an iteration: they are renamed in the block or passed to a call."""
    return passed_on(b) | {r.name for r in b.results if isinstance(r, Var) and isinstance(r.type, Array)}
