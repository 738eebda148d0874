"""States that each iteration makes anew are kept as a whole, one slice per iteration, where that takes fewer words than their loads.

``x = y`` at the end of an iteration: the old ``x`` is gone when the reverse sweep comes by, so what was loaded from it is logged. In
an iteration that goes through ``x`` again and again, such as the product of a matrix and ``x``, these are n words for each cell. A copy
of ``x`` at the beginning of the iteration is an array of that iteration's own, and those are kept (`storage.py`): n words in all.

Only for states whose successor is made in the iteration, with the same sizes: the words of that pay for the copy (`linad/steps.py`). Whether
it takes fewer words is asked of the plan with the copy (`slices_cost.py`).
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace

from linad_typecheck.core import (
    Alloc,
    Atom,
    Block,
    Const,
    Copy,
    Dim,
    Drop,
    Function,
    If,
    Load,
    Loop,
    Names,
    Stmt,
    Store,
    Var,
    all_names,
    blocks,
    operands,
    walk,
)
from linad_typecheck.core_sizes import known_sizes
from linad_typecheck.types import I64, Array, Scalar, is_float

from .plan import Plan


def with_slices(f: Function, plan: Plan, tried: Container[str]) -> Iterator[tuple[str, Function]]:
    """Such states by name, but for those that have been tried, and the function with a copy of that one. ``plan`` is that of its linear
    form, with the same loops."""
    sizes = known_sizes(f)
    logged = {b.loop.index.name for b in plan.bodies.values()}
    for s in walk(f.body):
        if not isinstance(s, Loop) or s.index.name not in logged:
            continue
        made = {t.out.name for t in s.body.stmts if isinstance(t, Alloc | Copy)}
        for c, after in zip(s.carried, s.body.results[1 if s.exits else 0 :], strict=True):
            anew = isinstance(after, Var) and after.name in made
            if not isinstance(c.type, Array) or not is_float(c.type) or c.name not in sizes or c.name in tried or not anew:
                continue
            if _only_read(c, s.body):
                yield c.name, _kept(f, s, c, sizes[c.name])


def _only_read(c: Var, body: Block) -> bool:
    """Whether an iteration loads cells of an array, and does nothing to it."""
    uses = [s for s in walk(body) if c in operands(s)]
    passed = any(c in b.results for s in walk(body) for b in blocks(s)) or c in body.results
    return not passed and any(isinstance(s, Load) for s in uses) and all(isinstance(s, Load | Dim | Drop | Copy) for s in uses)


def _kept(f: Function, loop: Loop, c: Var, sizes: tuple[Atom, ...]) -> Function:
    """The function in which an iteration reads from a copy that it makes cell by cell."""
    names = Names(all_names(f))
    own = names.var(c.name, c.type)
    index = [names.var("i", I64) for _ in sizes]
    cell = names.var(f"{c.name}_i", Scalar(c.type.dtype))
    body = Block((Load(cell, c, tuple(index), False, loop.span), Store(own, tuple(index), cell, False, loop.span)))
    for i, n in zip(reversed(index), reversed(sizes), strict=True):
        body = Block((Loop(i, Const(0, I64), n, Const(1, I64), (), (), body, (), span=loop.span),))
    copied = (Alloc(own, sizes, None, loop.span), *body.stmts)

    def instead(b: Block) -> Block:
        return replace(b, stmts=tuple(map(stmt, b.stmts)))

    def stmt(s: Stmt) -> Stmt:
        match s:
            case Load(array=a) if a == c:
                return replace(s, array=own)
            case If(then=then, orelse=orelse):
                return replace(s, then=instead(then), orelse=instead(orelse))
            case Loop(body=inner):
                return replace(s, body=instead(inner))
        return s

    def outside(b: Block) -> Block:
        return replace(b, stmts=tuple(map(around, b.stmts)))

    def around(s: Stmt) -> Stmt:
        if s is loop:
            inner = instead(loop.body)
            return replace(loop, body=Block((*copied, *inner.stmts), inner.results))
        match s:
            case If(then=then, orelse=orelse):
                return replace(s, then=outside(then), orelse=outside(orelse))
            case Loop(body=inner):
                return replace(s, body=outside(inner))
        return s

    return replace(f, body=outside(f.body))
