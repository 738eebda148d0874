"""States that each iteration makes anew are kept as a whole, one slice per iteration, where that takes fewer words than their loads.

``x = y`` at the end of an iteration: the old ``x`` is gone when the reverse sweep comes by, so what was loaded from it is logged. In
an iteration that goes through ``x`` again and again, such as the product of a matrix and ``x``, these are n words for each cell. A copy
of ``x`` at the beginning of the iteration is an array of that iteration's own, and those are kept (`storage.py`): n words in all.

Only where a block that loads from the state makes an array of the same sizes: the words of that pay for the copy (`linad/steps.py`), which
is made at the beginning of this block. In a loop that ends at a test it is an arm. Whether it takes fewer words is asked of the plan with
the copy (`slices_cost.py`).
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

from .plan import Plan, own_blocks
from .slices_cost import lengths


def with_slices(f: Function, plan: Plan, tried: Container[str], copies: Container[str]) -> Iterator[tuple[str, str, Function]]:
    """Such states by name, but for those that have been tried, what their copy is called, and the function with that one. ``plan`` is that
    of its linear form, with the same loops; ``copies`` are those that the function has already."""
    sizes, same = known_sizes(f), lengths(f)
    logged = {b.loop.index.name for b in plan.bodies.values()}

    def alike(a: Var) -> tuple[Atom, ...]:
        return tuple(same.get(n.name, n) if isinstance(n, Var) else n for n in sizes[a.name])

    for s in walk(f.body):
        if not isinstance(s, Loop) or s.index.name not in logged:
            continue
        for c in s.carried:
            if not isinstance(c.type, Array) or not is_float(c.type) or c.name not in sizes or c.name in tried:
                continue
            for block in own_blocks(s.body):
                made = [t.out for t in block.stmts if _makes(t) and t.out.name in sizes and alike(t.out) == alike(c)]
                paid = sum(-1 if v.name in copies else 1 for v in made)
                if paid > 0 and _only_read(c, block):
                    yield c.name, *_kept(f, block, c, sizes[c.name], s)
                    break


def _makes(s: Stmt) -> bool:
    return isinstance(s, Copy) or isinstance(s, Alloc) and s.log == "no"


def _only_read(c: Var, block: Block) -> bool:
    """Whether a block loads cells of an array, and does nothing to it before it passes it on."""
    uses = [s for s in walk(block) if c in operands(s)]
    return any(isinstance(s, Load) for s in uses) and all(isinstance(s, Load | Dim | Drop | Copy) for s in uses)


def _kept(f: Function, block: Block, c: Var, sizes: tuple[Atom, ...], loop: Loop) -> tuple[str, Function]:
    """The function in which a block reads from a copy that it makes cell by cell."""
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
        if b is block:
            b = instead(b)
            return replace(b, stmts=(*copied, *b.stmts))
        return replace(b, stmts=tuple(map(around, b.stmts)))

    def around(s: Stmt) -> Stmt:
        match s:
            case If(then=then, orelse=orelse):
                return replace(s, then=outside(then), orelse=outside(orelse))
            case Loop(body=inner):
                return replace(s, body=outside(inner))
        return s

    return own.name, replace(f, body=outside(f.body))
