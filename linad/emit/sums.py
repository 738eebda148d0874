"""What an innermost loop adds to one cell again and again is summed in a register, and added to the cell once, behind the loop.

``q[i] -= e; q[j] += e``, for j from i + 1 on: that the second cell is never the first one the compiler cannot know, so it
writes and reads the first in every iteration. But if nothing in the loop looks at ``q``, the order of the additions is free. The
sum begins with -0.0, to which any number may be added, also to a cell that holds a zero; and it goes to the cell only where
the loop has run, for a cell that no iteration touches need not exist.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.core import (
    AddTo,
    Atom,
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
    operands,
    outputs,
)
from linad_typecheck.core_rewrite import at_loops
from linad_typecheck.types import BOOL, Scalar, is_float


def sum_in_registers(f: Function) -> Function:
    """The function whose innermost loops add to cells that stay the same behind them."""
    names = Names(all_names(f))

    return at_loops(f, lambda s: _summed(s, names))


def _summed(s: Loop, names: Names) -> list[Stmt]:
    if s.exits or s.stop is None or s.trips is not None or s.mark is not None or not isinstance(s.step, Const) or not s.step.value:
        return [s]
    if not all(isinstance(t, Let | Load | Store | AddTo) for t in s.body.stmts):
        return [s]
    made = {v.name for t in s.body.stmts for v in outputs(t)} | {s.index.name, *(c.name for c in s.carried)}
    seen = {a.name for t in s.body.stmts if not isinstance(t, AddTo) for a in operands(t) if isinstance(a, Var)}
    moving = {t.array.name for t in s.body.stmts if isinstance(t, AddTo) and any(_in(i, made) for i in t.index)}
    cells: dict[tuple[Var, tuple[Atom, ...]], list[AddTo]] = {}
    for t in s.body.stmts:
        if isinstance(t, AddTo) and is_float(t.array.type) and t.array.name not in seen and not any(_in(i, made) for i in t.index):
            cells.setdefault((t.array, t.index), []).append(t)
    apart = {array.name: sum(a == array for a, _ in cells) for array, _ in cells}
    cells = {k: v for k, v in cells.items() if k[0].name in moving or apart[k[0].name] > 1}  # else the compiler does it itself
    return _with_sums(s, cells, names) if cells else [s]


def _in(a: Atom, names: set[str]) -> bool:
    return isinstance(a, Var) and a.name in names


def _with_sums(s: Loop, cells: dict[tuple[Var, tuple[Atom, ...]], list[AddTo]], names: Names) -> list[Stmt]:
    carried, inits, nexts, outs = list(s.carried), list(s.inits), list(s.body.results), list(s.outs)
    total: dict[int, int] = {}  # by id of an addition, the position of its sum
    after: list[Stmt] = []
    for (array, index), additions in cells.items():
        scalar = Scalar(array.type.dtype)
        first, last = names.var("sum", scalar), names.var("sum", scalar)
        total |= {id(t): len(carried) for t in additions}
        carried.append(first)
        inits.append(Const(-0.0, scalar))
        nexts.append(first)
        outs.append(last)
        after.append(AddTo(array, index, last, False, additions[0].span))
    stmts: list[Stmt] = []
    for t in s.body.stmts:
        k = total.get(id(t))
        if k is None:
            stmts.append(t)
            continue
        assert isinstance(t, AddTo)
        more = names.var("sum", carried[k].type)
        stmts.append(Let(more, "add", (nexts[k], t.value), t.span))
        nexts[k] = more
    loop = replace(
        s, carried=tuple(carried), inits=tuple(inits), outs=tuple(outs), body=Block(tuple(stmts), tuple(nexts))
    )
    ran = names.var("ran", BOOL)
    assert s.stop is not None and isinstance(s.step, Const)
    ends = (s.start, s.stop) if s.step.value > 0 else (s.stop, s.start)
    return [loop, Let(ran, "lt", ends, s.span), If(ran, Block(tuple(after)), Block(), (), s.span)]
