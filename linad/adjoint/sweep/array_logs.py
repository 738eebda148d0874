"""Growing logs of whole arrays that iterations allocate (`plan.iteration_logs` chooses them)."""

from __future__ import annotations

from dataclasses import dataclass

from linad_typecheck.ir.build import ONE, ZERO, Builder
from linad_typecheck.ir.core import Alloc, Atom, Block, Load, Names, Reserve, Stmt, Var, base_name
from linad_typecheck.types import Array

from ..plan.model import Body
from ..protocols import Sweep


@dataclass(frozen=True, slots=True)
class Row:
    """The key under which the position of a logged array is logged. The keys of logged values are their names."""

    array: str


def log_name(logged: str | Row) -> str:
    """The name of the log of a value or of such positions."""
    return f"log_{base_name(logged.array if isinstance(logged, Row) else logged)}"


class ArrayLogs:
    """The logs of one function. ``sweep.there`` maps the arrays that can be read at the current point to their
    positions."""

    def __init__(self, sweep: Sweep, names: Names) -> None:
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
            b = Builder(self.names, out, s.span)
            sizes = tuple(map(self.sweep.at, s.shape))
            base = b.load(length, (ZERO,), hint="base")
            end = b.add(base, b.count(sizes))
            b.stmts.append(Reserve(pool, end, s.span))
            b.store(length, (ZERO,), end)
            if Row(n) in self.sweep.logs:
                b.store(self.sweep.logs[Row(n)], self.sweep.address[id(body)], base)
            b.each(sizes, lambda *i, s=s, pool=pool: b.store(pool, (b.flat(base, i, sizes),), b.load(s.out, i)))

    def begin(self, block: Block, body: Body, out: list[Stmt]) -> None:
        """Locate the logged arrays of a block at the start of its reverse."""
        for n, s in _of(block, body):
            b = Builder(self.names, out, s.span)
            if Row(n) in self.sweep.logs:
                base: Atom = b.load(self.sweep.logs[Row(n)], self.sweep.address[id(body)], hint="base")
            else:  # the cells that were pushed last
                _, _, length = self.made[n]
                end = b.load(length, (ZERO,), hint="end")
                base = b.sub(end, b.count(tuple(map(self.sweep.at, s.shape))), hint="base")
                b.store(length, (ZERO,), base)
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
        b = Builder(self.names, span=s.span)
        at = b.flat(base, s.index, tuple(map(self.sweep.at, made.shape)))
        return (*b.stmts, Load(s.out, pool, (at,), False, s.span))


def _of(block: Block, body: Body) -> list[tuple[str, Alloc]]:
    mine = {id(s): n for n, s in body.rows.items()}
    return [(mine[id(s)], s) for s in block.stmts if id(s) in mine]  # type: ignore[misc]
