"""Scalar promotion: what an innermost loop adds to one cell again and again is summed in a register.

**Transformation.** Scalar promotion of reductions (LLVM's LICM; Allen and Kennedy, Optimizing Compilers for Modern
Architectures, 2001, chapter 8).

**Before.** ``for j in range(i+1, n) { &q[i] -= e; &q[j] += e }``
**After.** ``for j in range(i+1, n) carry (s = -0.0) { s -= e; &q[j] += e }; &q[i] += s``

**Legality.** Nothing else in the loop looks at the cell: the array is only added to, and all that is read of it or
stored to it is another cell by proof (``j`` is more than ``i``). The sum begins with -0.0, to which any number may
be added; it goes to the cell only where the loop has run, and where a cell that is added to under a condition was
added to.

**Profitability.** Always: the compiler, which cannot know that the cells differ, reads and writes the cell in every
iteration.

**Needs.** Sums may be taken in another order (fastmath); arrays of different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from linad_typecheck.ir.core import (
    AddTo,
    Alloc,
    Atom,
    Block,
    Const,
    Copy,
    Dim,
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
    walk,
)
from linad_typecheck.types import BOOL, I64, Array, Scalar, is_float

from linad.analysis.affine import Ranges
from linad.analysis.loop_facts import defined, is_counted, with_ranges

Index = tuple[Atom, ...]


def sum_in_registers(f: Function) -> Function:
    """The function whose innermost loops add to cells that stay the same behind them."""
    names = Names(all_names(f))
    made = {s.out.name for s in f.body.stmts if isinstance(s, Alloc | Copy)}
    known = made | {p.var.name for p in f.params}  # arrays of which the compiler is told that they overlap no other

    def summed(s: Loop, r: Ranges) -> list[Stmt]:
        cells = cells_to_sum(s, r, known)
        return with_sums(s, cells, names) if cells else [s]

    return with_ranges(f, summed)


def cells_to_sum(s: Loop, r: Ranges, known: set[str]) -> dict[tuple[Var, Index], AddTo]:
    """The cells that a loop only adds to, with one of the additions."""
    if not is_counted(s):
        return {}
    inner = list(walk(s.body))
    if not all(isinstance(t, Let | Load | Store | AddTo | If) for t in inner):
        return {}
    if any(isinstance(v.type, Array) for t in inner if isinstance(t, If) for v in t.outs):
        return {}  # one array under several names
    made = defined(s)
    seen: dict[str, list[Index]] = {}  # what is read and stored
    added: dict[tuple[Var, Index], AddTo] = {}
    for t in inner:
        match t:
            case Load(array=array, index=index) | Store(array=array, index=index):
                seen.setdefault(array.name, []).append(index)
            case AddTo(array=array, index=index) if is_float(array.type) and not any(_in(i, made) for i in index):
                added.setdefault((array, index), t)
    touched = {*seen, *(t.array.name for t in inner if isinstance(t, AddTo) and any(_in(i, made) for i in t.index))}
    several = {array.name for array, _ in added if sum(a == array for a, _ in added) > 1}
    always = _always(s)
    alone = known - touched - several  # these the compiler sums by itself
    return {
        (array, index): t
        for (array, index), t in added.items()
        if array.name not in alone or (array, index) not in always
        if all(r.apart(index, other) for other in seen.get(array.name, ()))
    }


def _always(s: Loop) -> set[tuple[Var, Index]]:
    """The cells that each iteration adds to."""
    return {(t.array, t.index) for t in s.body.stmts if isinstance(t, AddTo)}


def _in(a: Atom, names: set[str]) -> bool:
    return isinstance(a, Var) and a.name in names


def with_sums(s: Loop, cells: dict[tuple[Var, Index], AddTo], names: Names) -> list[Stmt]:
    sums = {cell: k for k, cell in enumerate(cells)}
    first = [names.var("sum", Scalar(array.type.dtype)) for array, _ in cells]
    last = [names.var("sum", v.type) for v in first]

    def block(b: Block, now: list[Atom]) -> tuple[list[Stmt], list[Atom]]:
        """The statements with sums instead of the additions, and what the sums are behind them."""
        stmts: list[Stmt] = []
        now = list(now)
        for t in b.stmts:
            match t:
                case AddTo() if (t.array, t.index) in sums:
                    k = sums[t.array, t.index]
                    more = names.var("sum", first[k].type)
                    stmts.append(Let(more, "add", (now[k], t.value), t.span))
                    now[k] = more
                case If() if any(u in sums for u in _added(t)):
                    (then, ends), (orelse, others) = block(t.then, now), block(t.orelse, now)
                    changed = [k for k, (x, y) in enumerate(zip(ends, others, strict=True)) if x != y]
                    outs = [names.var("sum", first[k].type) for k in changed]
                    arms = (
                        Block(tuple(arm), (*old.results, *(a[k] for k in changed)))
                        for arm, old, a in ((then, t.then, ends), (orelse, t.orelse, others))
                    )
                    stmts.append(If(t.cond, *arms, (*t.outs, *outs), t.span))
                    for k, v in zip(changed, outs, strict=True):
                        now[k] = v
                case _:
                    stmts.append(t)
        return stmts, now

    stmts, ends = block(s.body, list(first))
    loop = replace(
        s,
        carried=(*s.carried, *first),
        inits=(*s.inits, *(Const(-0.0, v.type) for v in first)),
        outs=(*s.outs, *last),
        body=Block(tuple(stmts), (*s.body.results, *ends)),
    )
    return [loop, *_handed_over(s, cells, last, names)]


def _handed_over(s: Loop, cells: dict[tuple[Var, Index], AddTo], sums: list[Var], names: Names) -> Iterator[Stmt]:
    """The additions of the sums to their cells, if these exist: if an iteration has been there, or they are in range.
    """
    ran = names.var("ran", BOOL)
    assert s.stop is not None and isinstance(s.step, Const)
    always = _always(s)
    after = [(cell, AddTo(*cell, v, False, t.span)) for (cell, t), v in zip(cells.items(), sums, strict=True)]
    if sure := tuple(t for cell, t in after if cell in always):
        yield Let(ran, "lt", (s.start, s.stop) if s.step.value > 0 else (s.stop, s.start), s.span)
        yield If(ran, Block(sure), Block(), (), s.span)
    for (array, index), t in after:
        if (array, index) in always:
            continue
        body = Block((t,))
        for axis, i in enumerate(index):
            size, low, high, ok = names.var("size", I64), *(names.var(n, BOOL) for n in ("low", "high", "ok"))
            tests = (
                Dim(size, array, axis, t.span),
                Let(low, "le", (Const(0, I64), i), t.span),
                Let(high, "lt", (i, size), t.span),
                Let(ok, "and", (low, high), t.span),
            )
            body = Block((*tests, If(ok, body, Block(), (), t.span)))
        yield from body.stmts


def _added(s: If) -> Iterator[tuple[Var, Index]]:
    return ((t.array, t.index) for b in (s.then, s.orelse) for t in walk(b) if isinstance(t, AddTo))
