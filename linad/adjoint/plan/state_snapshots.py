"""States that each iteration makes anew are kept as a whole, one slice per iteration, where that takes fewer words than
their loads.

``x = y`` at the end of an iteration: the old ``x`` is gone when the reverse sweep comes by, so what was loaded from it
is logged. In an iteration that goes through ``x`` again and again, such as the product of a matrix and ``x``, these are
n words for each cell. A copy of ``x`` at the beginning of the iteration is an array of that iteration's own, and those
are kept (`storage.py`): n words in all. A copy that the program makes (``old = x.copy()``) is made cell by cell then,
as arrays are that can be kept.

Only where a block that loads from the state makes an array of the same sizes: the words of that pay for the copy
(`linad/steps.py`), which is made at the beginning of this block. In a loop that ends at a test it is an arm. Whether it
takes fewer words the plan with the copy says (`state_snapshots_cost.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import replace

from linad_typecheck.ir.core import (
    AddTo,
    Alloc,
    Atom,
    Block,
    Const,
    Copy,
    Dim,
    Drop,
    Function,
    If,
    Let,
    Load,
    Loop,
    Names,
    Stmt,
    Store,
    Var,
    all_names,
    free_vars,
    operands,
    using,
    walk,
)
from linad_typecheck.ir.sizes import known_sizes, lengths
from linad_typecheck.span import Span
from linad_typecheck.types import I64, Array, Scalar, is_float

from .model import Plan, own_blocks


def with_slices(
    f: Function, plan: Plan, tried: Container[str], worth: Mapping[str, int]
) -> Iterator[tuple[str, dict[str, int], Function, bool]]:
    """Such arrays by name, but for those that have been tried, and the function with a copy of that one, made cell by
    cell. ``plan`` is that of its linear form, with the same loops. ``worth`` says how many copies an array pays for, if
    not one: minus one if it is such a copy; it comes with each function, for what it has made. And whether the array is
    written to in the iteration: with the copy, loops that were kept apart by that may be one."""
    sizes, same = known_sizes(f), lengths(f)
    logged = {around.loop.index.name for b in plan.bodies.values() if b.logs for around in b.path}

    def wanted(a: Var) -> bool:
        return isinstance(a.type, Array) and is_float(a.type) and a.name in sizes and a.name not in tried

    def alike(a: Var) -> tuple[Atom, ...]:
        return tuple(same.get(n.name, n) if isinstance(n, Var) else n for n in sizes[a.name])

    for s in (s for s in walk(f.body) if isinstance(s, Loop) and s.index.name in logged):
        for block in own_blocks(s.body):
            made = [t for t in block.stmts if isinstance(t, Copy) or isinstance(t, Alloc) and t.log == "no"]
            for t in made:
                if isinstance(t, Copy) and wanted(t.out) and _only(t.out, block, Load | Store | AddTo | Dim | Drop):
                    copied = _copy(f, t.out, t.array, sizes[t.out.name], t.span)
                    yield (
                        t.out.name,
                        {t.out.name: 0},
                        _with(f, block, lambda b, t=t, new=copied: _instead(b, t, new)),
                        False,
                    )
            updated = (v for v in free_vars(block).values() if _is_written(v, block))
            for c in filter(wanted, dict.fromkeys((*s.carried, *updated))):
                paid = sum(worth.get(t.out.name, 1) for t in made if t.out.name in sizes and alike(t.out) == alike(c))
                old = _unchanged(c, block) if paid > 0 else set()
                if old:
                    own = Names(all_names(f)).like(c)
                    copied = _copy(f, own, c, sizes[c.name], s.span)
                    yield (
                        c.name,
                        {own.name: -1},
                        _with(f, block, lambda b, old=old, own=own, new=copied: _reading(b, old, own, new)),
                        _is_written(c, block),
                    )


def _only(c: Var, block: Block, kinds: type) -> bool:
    """Whether a block loads cells of an array, and does nothing else to it, before it passes it on, than statements of
    some kinds do."""
    uses = [s for s in walk(block) if c in operands(s)]
    return any(isinstance(s, Load) for s in uses) and all(isinstance(s, kinds) for s in uses)


def _copy(f: Function, out: Var, array: Var, sizes: tuple[Atom, ...], span: Span) -> tuple[Stmt, ...]:
    """An array that is made and filled cell by cell."""
    names = Names({*all_names(f), out.name})
    index = [names.var("i", I64) for _ in sizes]
    cell = names.var(f"{array.name}_i", Scalar(out.type.dtype))
    body = Block((Load(cell, array, tuple(index), False, span), Store(out, tuple(index), cell, False, span)))
    for i, n in zip(reversed(index), reversed(sizes), strict=True):
        body = Block((Loop(i, Const(0, I64), n, Const(1, I64), (), (), body, (), span=span),))
    return (Alloc(out, sizes, None, span), *body.stmts)


def _instead(block: Block, s: Stmt, new: tuple[Stmt, ...]) -> Block:
    """A block with other statements in place of one."""
    return replace(block, stmts=tuple(u for t in block.stmts for u in (new if t is s else (t,))))


def _unchanged(c: Var, block: Block) -> set[int]:
    """The loads of an array, by identity, that find what was in it when the block began: those before anything else is
    done to it, and those of the statement that does if it is a nest of loops of which each iteration then stores to
    that cell, and to no other one."""
    found: set[int] = set()
    for s in block.stmts:
        uses = using(Block((s,)), c)
        loads = {id(t) for t in uses if isinstance(t, Load)}
        if all(isinstance(t, Load | Dim | Drop | Copy | If) for t in uses):
            found |= loads
            if any(isinstance(t, If) for t in uses):  # an arm passes it on: from there it has another name
                return found
        else:
            return found | (loads if isinstance(s, Loop) and _own_cells(s, c, len(uses)) else set())
    return found


def _is_written(c: Var, block: Block) -> bool:
    return any(isinstance(t, Store | AddTo) and t.array == c for t in walk(block))


def _own_cells(s: Loop, c: Var, uses: int) -> bool:
    """Whether a nest of loops does nothing to an array but load and then store the cell that its indices, and no
    others, say."""
    indices = {s.index.name}
    far: dict[str, str] = {}
    while True:
        far[s.index.name] = s.index.name
        for t in s.body.stmts:
            match t:
                case (
                    Let(out=v, op="add" | "sub", ins=(Var(name=x), Const()))
                    | Let(out=v, op="add", ins=(Const(), Var(name=x)))
                ) if x in far:
                    far[v.name] = far[x]
        inner = [t for t in s.body.stmts if isinstance(t, Loop)]
        if len(inner) != 1:
            break
        s = inner[0]
        indices.add(s.index.name)
    here = [t for t in s.body.stmts if isinstance(t, Load | Store | AddTo) and t.array == c]
    cells = {t.index for t in here}
    if len(here) != uses or len(cells) != 1 or not all(isinstance(t, Load) for t in here[:-1]):
        return False
    return sorted(far.get(str(a), "") for a in next(iter(cells))) == sorted(indices)


def _reading(block: Block, old: set[int], own: Var, first: tuple[Stmt, ...]) -> Block:
    """A block that begins with some statements, and has some loads from one array where they were from another one."""

    def inside(b: Block) -> Block:
        return replace(b, stmts=tuple(map(stmt, b.stmts)))

    def stmt(s: Stmt) -> Stmt:
        return replace(s, array=own) if isinstance(s, Load) and id(s) in old else _changed(s, inside)

    return replace(block, stmts=(*first, *map(stmt, block.stmts)))


def _with(f: Function, block: Block, change: Callable[[Block], Block]) -> Function:
    """The function with one of its blocks changed."""

    def inside(b: Block) -> Block:
        return change(b) if b is block else replace(b, stmts=tuple(_changed(s, inside) for s in b.stmts))

    return replace(f, body=inside(f.body))


def _changed(s: Stmt, change: Callable[[Block], Block]) -> Stmt:
    """A statement with its blocks changed."""
    match s:
        case If(then=then, orelse=orelse):
            return replace(s, then=change(then), orelse=change(orelse))
        case Loop(body=body):
            return replace(s, body=change(body))
    return s
