"""Iteration logs: log whole arrays that an iteration allocates, if its reverse needs their contents.

If their sizes and the trip counts are known before the outermost loop, the iteration works in a slice of a log that has
one slice per iteration. Otherwise (a loop with an early exit, a triangular nest) the cells are pushed on a growing log
at the end of the allocating block, and one word per iteration holds their position. This is a copy, so it is only done
if logging the loads would take more words: a matrix-vector product loads each cell of the vector n times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Const, Dim, Drop, Load, Loop, Names, Reserve, Stmt, Store, Var, base_name, blocks,
    operands, walk,
)
from linad_typecheck.types import I64, Array

from .model import TRIPS, Body, Plan, own_blocks
from ..checkpoints.ragged import place
from ..checkpoints.snapshots import Writer

if TYPE_CHECKING:
    from ..sweep.forward_sweep import ForwardSweep

ZERO, ONE = Const(0, I64), Const(1, I64)


def choose_kept(body: Body, plan: Plan, wanted: Iterable[str]) -> None:
    """Choose the arrays of an iteration to log as a whole. ``wanted``: values that its reverse may need."""
    if plan.log_everything or body.stacked:
        return
    rectangular = plan.rectangular(body)
    own = (t for b in own_blocks(body.loop.body) for t in b.stmts)
    made = {t.out.name: t for t in own if isinstance(t, Alloc) and t.out.name not in plan.facts.moved}
    uses: dict[str, list[Stmt]] = {n: [] for n in made}
    for t in walk(body.loop.body) if made else ():
        for n in {a.name for a in operands(t) if isinstance(a, Var)} & made.keys():
            uses[n].append(t)
    for s, used in zip(made.values(), uses.values(), strict=True):
        loads = {id(t) for t in used if isinstance(t, Load) and t.out.name in wanted}
        if not loads or not all(isinstance(t, Load | Store | AddTo | Dim | Drop) for t in used):
            continue
        if rectangular and all(plan.before(a, body) for a in s.shape):
            body.expanded[s.out.name] = s
        elif not any(isinstance(t, Dim) for t in used) and all(plan.before(a, body) for a in s.shape[1:]):
            cells = prod(_count(a) for a in s.shape)
            if any(times > cells for times in _times(body.loop.body, loads, 1)):
                body.rows[s.out.name] = s


def _count(a: Atom | None) -> int:
    return int(a.value) if isinstance(a, Const) else TRIPS


def _times(block: Block, loads: set[int], times: int) -> Iterator[int]:
    """How often the given loads execute per iteration, as far as known."""
    for s in block.stmts:
        if id(s) in loads:
            yield times
        one = isinstance(s, Loop) and all(isinstance(a, Const) for a in (s.start, s.stop, s.step))
        many = TRIPS if isinstance(s, Loop) else 1
        turns = len(range(s.start.value, s.stop.value, s.step.value)) if one else many  # type: ignore[union-attr]
        for b in blocks(s):
            yield from _times(b, loads, times * turns)


def uneven(body: Body, plan: Plan) -> list[str]:
    """The arrays of an iteration whose number of cells is not known before the loops."""
    return [n for n, s in body.rows.items() if not all(plan.before(a, body) for a in s.shape)]


@dataclass(frozen=True, slots=True)
class Row:
    """The key under which the position of a logged array is logged. The keys of logged values are their names."""

    array: str


def log_name(logged: str | Row) -> str:
    """The name of the log of a value or of such positions."""
    return f"log_{base_name(logged.array if isinstance(logged, Row) else logged)}"


class Rows:
    """Growing logs of whole arrays. ``sweep.there`` maps the arrays that can be read at the current point to their
    positions."""

    def __init__(self, sweep: ForwardSweep, names: Names) -> None:
        self.sweep, self.names = sweep, names
        # by array: its allocation, its log, and the length of the log
        self.made: dict[str, tuple[Alloc, Var, Var]] = {}

    def make(self, body: Body, out: list[Stmt]) -> None:
        for n, s in body.rows.items():
            pool = self.names.log(base_name(n), Array(s.out.type.dtype, 1), "arrays")
            length = self.names.var("cursor", Array("i64", 1))
            out += [Alloc(pool, (ZERO,), None, s.span, "cells"), Alloc(length, (ONE,), ZERO, s.span)]
            self.made[n] = s, pool, length

    def push(self, block: Block, body: Body, out: list[Stmt]) -> None:
        """Log the arrays of a block at its end."""
        for n, s in _of(block, body):
            _, pool, length = self.made[n]
            w = Writer(self.names, s.span, out)
            sizes = tuple(map(self.sweep.at, s.shape))
            base = w.load(length, ZERO, hint="base")
            end = w.let("add", base, _cells(w, sizes))
            out.append(Reserve(pool, end, s.span))
            w.store(length, (ZERO,), end)
            if Row(n) in self.sweep.logs:
                w.store(self.sweep.logs[Row(n)], self.sweep.address[id(body)], base)
            w.cells(sizes, lambda at, i: at.store(pool, (place(at, i, sizes, base),), at.load(s.out, *i, hint="e")))

    def begin(self, block: Block, body: Body, out: list[Stmt]) -> None:
        """Locate the logged arrays of a block at the start of its reverse."""
        for n, s in _of(block, body):
            w = Writer(self.names, s.span, out)
            if Row(n) in self.sweep.logs:
                base = w.load(self.sweep.logs[Row(n)], *self.sweep.address[id(body)], hint="base")
            else:  # the cells that were pushed last
                _, _, length = self.made[n]
                end = w.load(length, ZERO, hint="end")
                base = w.let("sub", end, _cells(w, tuple(map(self.sweep.at, s.shape))), hint="base")
                w.store(length, (ZERO,), base)
            self.sweep.there[Row(n)] = base

    def end(self, block: Block, body: Body) -> None:
        for n, _ in _of(block, body):
            del self.sweep.there[Row(n)]

    def load(self, s: Load) -> tuple[Stmt, ...] | None:
        """A load from a logged array during the reverse sweep."""
        base = self.sweep.there.get(Row(s.array.name))
        if base is None:
            return None
        made, pool, _ = self.made[s.array.name]
        out: list[Stmt] = []
        at = place(Writer(self.names, s.span, out), s.index, tuple(map(self.sweep.at, made.shape)), base)
        return (*out, Load(s.out, pool, (at,), False, s.span))


def _cells(w: Writer, sizes: tuple[Atom, ...]) -> Atom:
    """The number of cells of an array."""
    cells: Atom = ONE
    for size in sizes:
        cells = w.let("mul", size, cells)
    return cells


def _of(block: Block, body: Body) -> list[tuple[str, Alloc]]:
    mine = {id(s): n for n, s in body.rows.items()}
    return [(mine[id(s)], s) for s in block.stmts if id(s) in mine]  # type: ignore[misc]
