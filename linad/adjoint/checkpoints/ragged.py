"""Snapshots of an array whose size may change between iterations, stored contiguously in a growing log.

Rows are pushed and popped as a stack. The row of the last iteration, while it exists, is stored after all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from linad_typecheck.ir.build import ONE, ZERO, Builder
from linad_typecheck.ir.core import Atom, Reserve, Var
from linad_typecheck.types import Array


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
    def made(cls, b: Builder, v: Var, rows: Atom) -> Ragged:
        """Allocate the storage for snapshots of ``v``."""
        assert isinstance(v.type, Array)
        pool = b.snapshots(v, (ZERO,), "stack")
        places = [b.alloc(hint, "i64", (rows,)) for hint in ("starts", "stops", *("dims",) * v.type.rank)]
        return cls(pool, places[0], places[1], tuple(places[2:]))

    def save(self, b: Builder, row: Atom, top: Atom | None, array: Var) -> None:
        """Append a row after row ``top``, or the first row if there is none."""
        start: Atom = ZERO if top is None else b.load(self.stops, (top,), hint="from")
        sizes = b.dims(array)
        stop = b.add(b.count(sizes), start, hint="to")
        b.stmts.append(Reserve(self.pool, stop, b.span))
        b.store(self.starts, (row,), start)
        b.store(self.stops, (row,), stop)
        for d, n in zip(self.dims, sizes, strict=True):
            b.store(d, (row,), n)
        b.each(sizes, lambda *i: b.store(self.pool, (b.flat(start, i, sizes),), b.load(array, i)))

    def restore(self, b: Builder, row: Atom, v: Var) -> Var:
        """A new array with the contents of a row, in place of ``v``."""
        sizes = tuple(b.load(d, (row,), hint="n") for d in self.dims)
        start = b.load(self.starts, (row,), hint="from")
        out = b.empty_like(v, sizes)
        b.each(sizes, lambda *i: b.store(out, i, b.load(self.pool, (b.flat(start, i, sizes),))))
        return out

    def move(self, b: Builder, row: Atom, old: Atom) -> None:
        """Move row ``old`` down to ``row``, directly after the row before it."""
        start = b.load(self.stops, (b.sub(row, ONE),), hint="from")
        before = b.load(self.starts, (old,), hint="from")
        count = b.sub(b.load(self.stops, (old,), hint="to"), before, hint="n")
        b.store(self.starts, (row,), start)
        b.store(self.stops, (row,), b.add(start, count, hint="to"))
        for d in self.dims:
            b.store(d, (row,), b.load(d, (old,), hint="n"))
        b.loop(count, lambda i: b.store(self.pool, (b.add(i, start),), b.load(self.pool, (b.add(i, before),))))
