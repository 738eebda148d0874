"""Accumulation rotation: add once to each of several neighbouring cells, and pass sums between iterations in registers.

**Transformation.** Scalar replacement of additions across iterations (Allen and Kennedy, Optimizing Compilers for
Modern Architectures, 2001, chapter 8).

**Before.** ``for i { &b[i-1] += e; &b[i] += f }``
**After.** ``for i carry (f') { &b[i-1] += e + f'; yield f }``

**Legality.** All accesses to the array in the loop are additions at the index, or its negative, plus a constant, at
most `FEW` apart, or to other rows, which differ in a loop-invariant subscript. The cells at the end of the range
receive the remaining sums after the loop.

**Profitability.** Each cell is written once instead of three times. Without the loop-carried dependence through memory,
LLVM can vectorise the loop: the vector passed on is the previous one shifted by a cell. The pass makes loops
sequential, so it runs after parallel loops are chosen.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from linad_typecheck.ir.core import (
    AddTo, Atom, Block, Const, Function, If, Load, Loop, Names, Stmt, Store, Var, all_names, outputs,
)
from linad_typecheck.ir.rewrite import freshen
from linad_typecheck.types import I64, Scalar

from linad.analysis.affine import Ranges
from linad.analysis.loop_body import Body
from linad.analysis.loop_facts import is_plain, with_ranges
from linad.analysis.trip_counts import ints_of, is_short

from ..ints import Maker, carrying, has_run


def rotate_accumulations(f: Function) -> Function:
    """Add once to each cell of a row of neighbouring cells in innermost loops."""
    names = Names(all_names(f))
    sizes = ints_of(f)
    return with_ranges(
        f, lambda s, r: adding(s, names, ranges=r) if is_plain(s) and not is_short(s, sizes) else [s], is_plain
    )


def _elsewhere(body: Body, wanted: Iterable[Atom], base: Atom, more: int, maker: Maker) -> tuple[Atom, ...]:
    """Emit the computation of ``wanted`` for the index ``base + more``."""
    wanted, given = tuple(wanted), {}
    for t in body.needed([], wanted):
        (v,) = outputs(t)
        number = body.offset(v)
        if number is None:
            given.setdefault(body.loop.index.name, maker.let("add", base, Const(more, I64)))
            again = freshen(Block((t,), (v,)), maker.names, given)
            maker.out += again.stmts
            (given[v.name],) = again.results
        else:
            given[v.name] = maker.let("add", base, Const(more + number, I64))
    if body.loop.index in wanted:
        given.setdefault(body.loop.index.name, maker.let("add", base, Const(more, I64)))
    return tuple(given.get(a.name, a) if isinstance(a, Var) else a for a in wanted)


@dataclass(frozen=True)
class Held:
    """The contents of cells before a loop adds to them: those of ``source``, or zeros.

    ``taken``: some cells that the first iteration adds to may hold anything, which must be included. ``read``: this
    many cells ahead of the last one that an iteration adds to have been read by it and count as cleared; those before
    them, which it does not read, may hold anything.
    """

    source: Var | None = None
    taken: bool = False
    read: int = 0


def adding(
    s: Loop,
    names: Names,
    fresh: Mapping[str, Held] | None = None,
    every: bool = True,
    ranges: Ranges | None = None,
) -> list[Stmt]:
    """A loop with a single addition for each row of neighbouring cells. Additions to ``fresh`` arrays, whose previous
    contents are known, become stores; unless ``every``, only these change. ``ranges``: facts about ints at its start.
    """
    assert s.stop is not None and isinstance(s.step, Const)
    fresh = fresh or {}
    body, step = Body(s, mirrored=True, ranges=ranges), s.step.value
    found = ((name, row) for name in body.written for row in body.additions(name, not fresh, not fresh))
    rows = [row for name, row in found if name in fresh or every and len(row) > 1]
    if not rows:
        return [s]
    before, inside, behind = (Maker(names) for _ in range(3))
    gone: set[int] = set()
    writes: list[Stmt] = []
    waiting: list[_Waiting] = []
    for row in rows:
        gone |= {id(t) for ts in row.values() for t in ts}
        way = step * body.column(next(iter(row.values()))[0].index).way  # type: ignore[union-attr]
        far = sorted(row, key=lambda d: d * way)
        distances = range(far[0], far[-1] + way, way)
        last = row[far[0]][0]  # no later iteration adds to this cell
        dtype = Scalar(last.array.type.dtype)
        wait = [names.var("wait", dtype) for _ in distances[1:]]
        total, *others = (
            _sum([*wait[k : k + 1], *(t.value for t in row.get(d, ()))], inside) for k, d in enumerate(distances)
        )
        held = fresh.get(last.array.name)
        if held is not None and held.source is not None:
            cell = names.var("cell", dtype)
            inside.out.append(Load(cell, held.source, last.index, False, last.span))
            total = inside.let("add", total, cell)
        writes.append(
            replace(last, value=total) if held is None else Store(last.array, last.index, total, False, last.span)
        )
        for k, (v, after) in enumerate(zip(wait, others, strict=True)):
            left = names.var(v.name, dtype)
            over = held is not None and k < held.read
            begun = over or held is not None and held.taken
            waiting.append(
                _Waiting(
                    v, _taken(body, last, k * step, before, zero=not over) if begun else Const(-0.0, dtype), after, left
                )
            )
            index = _elsewhere(body, last.index, s.stop, k * step, behind)
            behind.out.append(
                Store(last.array, index, left, False, last.span) if over else replace(last, index=index, value=left)
            )
    inits: list[Atom] = [names.var(w.carried.name, w.init.type) if isinstance(w.init, Var) else w.init for w in waiting]
    taken = {w.init: i for w, i in zip(waiting, inits, strict=True) if isinstance(w.init, Var) and isinstance(i, Var)}
    ran = has_run(s, names)
    nothing = tuple(Const(-0.0, v.type) for v in taken)
    begin = If(ran.out, Block(tuple(before.out), tuple(taken)), Block((), nothing), tuple(taken.values()), s.span)
    stmts = (*(t for t in body.stmts if id(t) not in gone), *inside.out, *writes)
    loop = carrying(
        s, stmts, [w.carried for w in waiting], inits, [w.after for w in waiting], [w.left for w in waiting]
    )
    return [ran, *([begin] if taken else []), loop, If(ran.out, Block(tuple(behind.out)), Block(), (), s.span)]


@dataclass(frozen=True)
class _Waiting:
    """A partial sum passed on between iterations: the carried variable, its initial value, its next value, and the
    value that is left after the loop."""

    carried: Var
    init: Atom
    after: Atom
    left: Var


def _taken(body: Body, last: AddTo, more: int, maker: Maker, zero: bool) -> Var:
    """Load the cell ``more`` steps from the one that the first iteration adds to; ``zero``: and clear it."""
    index = _elsewhere(body, last.index, body.loop.start, more, maker)
    out = maker.names.var("wait", Scalar(last.array.type.dtype))
    maker.out.append(Load(out, last.array, index, False, last.span))
    if zero:
        maker.out.append(Store(last.array, index, Const(0.0, out.type), False, last.span))
    return out


def _sum(terms: list[Atom], maker: Maker) -> Atom:
    total = terms[0]
    for a in terms[1:]:
        total = maker.let("add", total, a)
    return total
