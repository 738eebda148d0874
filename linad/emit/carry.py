"""What an iteration puts into a cell that the next one reads goes there in a register, too.

The reverse of a sweep over a plane, ``t = b[i, j]; b[i, j - 1] += c * t; b[i - 1, j] += c * t``, waits for memory: the next iteration
reads what this one has stored, and the compiler cannot know that the cell of the row ``i - 1`` is another one. Where the bounds of the
loops prove it (`ranges.py`), the value is carried, and the wait is that of a product and a sum.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.core import (
    AddTo,
    Block,
    Const,
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
)
from linad_typecheck.core_rewrite import freshen
from linad_typecheck.types import BOOL, Array, is_float

from .distribute import Body
from .loops import with_ranges
from .ranges import Ranges


def carry_cells(f: Function) -> Function:
    """The function whose innermost loops carry the cells that each iteration writes for the next."""
    names = Names(all_names(f))
    return with_ranges(f, lambda s, r: _carrying(s, r, names))


def _carrying(s: Loop, r: Ranges, names: Names) -> list[Stmt]:
    if s.exits or s.stop is None or s.trips is not None or s.mark is not None or any(isinstance(c.type, Array) for c in s.carried):
        return [s]
    if not isinstance(s.step, Const) or abs(s.step.value) != 1 or not all(map(_is_plain, s.body.stmts)):
        return [s]
    body = Body(s)
    for k, t in enumerate(s.body.stmts):
        if isinstance(t, Load) and is_float(t.out.type) and (at := _written_for(body, k, t, r)) is not None:
            return _carried(s, body, k, at, names)
    return [s]


def _is_plain(t: Stmt) -> bool:
    return isinstance(t, Let) or isinstance(t, Load | Store | AddTo) and not t.checked


def _written_for(body: Body, k: int, t: Load, r: Ranges) -> int | None:
    """The statement that has written, an iteration before, what a load reads, where no other write may have come in between, and the
    compiler does not see that."""
    here = body.cell(t.index)
    if here is None:
        return None
    *row, (number, sizes) = here
    before = (*row, (number + body.loop.step.value, sizes))  # type: ignore[union-attr]
    writes = [(at, w.index, body.cell(w.index)) for at, w in body.written.get(t.array.name, [])]
    same = [at for at, _, cell in writes if cell == before]
    others = [(at, index) for at, index, cell in writes if cell is None or (*cell[:-1], cell[-1][1]) != (*row, sizes)]  # type: ignore[index]
    if len(same) != 1 or not others or any(at < k and cell == here for at, _, cell in writes):
        return None
    [w] = same
    apart = all(r.apart(index, body.stmts[w].index) for at, index in others if at > w)  # type: ignore[union-attr]
    return w if apart and all(r.apart(index, t.index) for at, index in others if at < k) else None


def _carried(s: Loop, body: Body, k: int, at: int, names: Names) -> list[Stmt]:
    load, write = body.stmts[k], body.stmts[at]
    assert isinstance(load, Load) and isinstance(write, Store | AddTo) and s.stop is not None and isinstance(s.step, Const)
    first = names.var(load.out.name, load.out.type)
    ran = names.var("ran", BOOL)
    begin = freshen(Block(tuple(body.needed([], [load.out])), (load.out,)), names, {s.index.name: s.start})
    enter = [
        Let(ran, "lt", (s.start, s.stop) if s.step.value > 0 else (s.stop, s.start), s.span),
        If(ran, begin, Block((), (Const(0.0, load.out.type),)), (first,), s.span),
    ]
    stmts = [t for t in body.stmts if t is not load]
    if isinstance(write, AddTo):
        old, new = names.var(load.out.name, load.out.type), names.var(load.out.name, load.out.type)
        put = (
            Load(old, write.array, write.index, False, write.span),
            Let(new, "add", (old, write.value), write.span),
            Store(write.array, write.index, new, False, write.span),
        )
        stmts[stmts.index(write) : stmts.index(write) + 1] = put
        passed = new
    else:
        passed = write.value
    out = names.var(load.out.name, load.out.type)
    loop = replace(
        s,
        carried=(*s.carried, load.out),
        inits=(*s.inits, first),
        outs=(*s.outs, out),
        body=Block(tuple(stmts), (*s.body.results, passed)),
    )
    return [*enter, loop]
