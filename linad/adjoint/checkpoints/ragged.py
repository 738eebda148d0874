"""Snapshots of an array whose size may change between iterations, stored contiguously in a growing log.

Rows are pushed and popped as a stack. The row of the last iteration, while it exists, is stored after all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from linad_typecheck.ir.core import Atom, Block, Const, Dim, Loop, Reserve, Stmt, Var
from linad_typecheck.types import I64, Array

if TYPE_CHECKING:
    from .snapshots import Writer

ZERO, ONE = Const(0, I64), Const(1, I64)


@dataclass(frozen=True)
class Ragged:
    """Storage for the snapshots of one array.

    Attributes
    ----------
    pool
        The cells of all snapshots.
    starts, stops
        For each row, the first cell in the pool and the one after the last.
    dims
        For each row, the size of each axis.
    """

    pool: Var
    starts: Var
    stops: Var
    dims: tuple[Var, ...]

    def __iter__(self) -> Iterator[Var]:
        yield from (self.pool, self.starts, self.stops, *self.dims)

    @classmethod
    def made(cls, w: Writer, v: Var, rows: Atom) -> Ragged:
        """Allocate the storage for snapshots of ``v``."""
        assert isinstance(v.type, Array)
        pool = w.snapshots(v, (ZERO,), "stack")
        places = [w.alloc(hint, "i64", (rows,)) for hint in ("starts", "stops", *("dims",) * v.type.rank)]
        return cls(pool, places[0], places[1], tuple(places[2:]))

    def save(self, w: Writer, row: Atom, top: Atom | None, array: Var) -> None:
        """Append a row after row ``top``, or the first row if there is none."""
        start: Atom = ZERO if top is None else w.load(self.stops, top, hint="from")
        sizes = tuple(w.names.var("n", I64) for _ in self.dims)
        w.out.extend(Dim(n, array, k, w.span) for k, n in enumerate(sizes))
        stop = w.let("add", self._cells(w, sizes), start, hint="to")
        w.out.append(Reserve(self.pool, stop, w.span))
        w.store(self.starts, (row,), start)
        w.store(self.stops, (row,), stop)
        for d, n in zip(self.dims, sizes, strict=True):
            w.store(d, (row,), n)
        w.cells(sizes, lambda at, i: at.store(self.pool, (place(at, i, sizes, start),), at.load(array, *i, hint="e")))

    def restore(self, w: Writer, row: Atom, v: Var) -> Var:
        """A new array with the contents of a row, in place of ``v``."""
        sizes = tuple(w.load(d, row, hint="n") for d in self.dims)
        start = w.load(self.starts, row, hint="from")
        out = w.room(v, sizes)
        w.cells(sizes, lambda at, i: at.store(out, i, at.load(self.pool, place(at, i, sizes, start), hint="e")))
        return out

    def move(self, w: Writer, row: Atom, old: Atom) -> None:
        """Move row ``old`` down to ``row``, directly after the row before it."""
        start = w.load(self.stops, w.let("sub", row, ONE), hint="from")
        before = w.load(self.starts, old, hint="from")
        count = w.let("sub", w.load(self.stops, old, hint="to"), before, hint="n")
        w.store(self.starts, (row,), start)
        w.store(self.stops, (row,), w.let("add", start, count, hint="to"))
        for d in self.dims:
            w.store(d, (row,), w.load(d, old, hint="n"))
        i = w.names.var("i", I64)
        stmts: list[Stmt] = []
        at = w.inside(stmts)
        at.store(self.pool, (at.let("add", i, start),), at.load(self.pool, at.let("add", i, before), hint="e"))
        w.out.append(Loop(i, ZERO, count, ONE, (), (), Block(tuple(stmts)), (), span=w.span))

    def _cells(self, w: Writer, sizes: tuple[Var, ...]) -> Atom:
        total: Atom = ONE
        for n in sizes:
            total = w.let("mul", n, total, hint="n")
        return total


def place(w: Writer, index: tuple[Atom, ...], sizes: tuple[Var, ...], start: Atom) -> Atom:
    """The index in the pool of a cell of an array that starts at ``start``."""
    place = index[0]
    for i, n in zip(index[1:], sizes[1:], strict=True):
        place = w.let("add", w.let("mul", place, n), i)
    return w.let("add", place, start)
