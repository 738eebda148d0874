"""Storage for the snapshots of a loop, and the statements that save and restore its state."""

from __future__ import annotations

from dataclasses import dataclass, field

from linad_typecheck.ir.build import ONE, ZERO, Builder
from linad_typecheck.ir.core import Atom, Const, Var
from linad_typecheck.ir.rewrite import freshen
from linad_typecheck.types import BYTES, I64

from .state import Checkpointed
from .lowered import lowered
from .ragged import Ragged

HELD, STRIDE, NEXT = ZERO, ONE, Const(2, I64)  # indices into the head


def logged_copy(b: Builder, array: Var, of: Var) -> Var:
    """A copy of an array, which is what a variable is called here, counted as one log word per cell."""
    shape = b.dims(array)
    copy = b.snapshots(of, shape)
    b.each(shape, lambda *i: b.store(copy, i, b.load(array, i)))
    return copy


def scheduled(b: Builder, name: str, *args: Atom) -> Atom:
    """The result of a function of `schedules`, inlined."""
    f = lowered(name)
    body = freshen(f.body, b.names, {p.var.name: a for p, a in zip(f.params, args, strict=True)})
    b.stmts += body.stmts
    return body.results[0]


@dataclass(eq=False)
class Snapshots:
    """Storage for the snapshots of a loop.

    Attributes
    ----------
    slots
        Capacity, in snapshots.
    head
        The number of snapshots in use. For loops with an unknown number of iterations, also the current distance of
        snapshots and the number of the next iteration to save.
    times
        For each snapshot, the number of the iteration at whose start the state was saved.
    rows
        By name of a part of the state, an array with one row per snapshot.
    sizes
        By name of an array of the state whose size is constant, its shape.
    ragged
        By name of an array whose size may change, its storage.
    last
        Whether the row after the last snapshot holds the state at the start of the last iteration.
    """

    held: Checkpointed
    slots: Atom
    head: Var
    times: Var
    rows: dict[str, Var] = field(default_factory=dict)
    sizes: dict[str, tuple[Atom, ...]] = field(default_factory=dict)
    ragged: dict[str, Ragged] = field(default_factory=dict)
    steps: Atom = ZERO
    last: bool = True

    def save(self, b: Builder, row: Atom, now: dict[str, Atom]) -> None:
        """Save the state, given the current names ``now`` of its parts."""
        for v in self.held.scalars:
            b.store(self.rows[v.name], (row,), now[v.name])
        for v in self.held.even:
            b.each(self.sizes[v.name], lambda *i, v=v: b.store(self.rows[v.name], (row, *i), b.load(now[v.name], i)))
        if self.ragged:
            top = None if row == ZERO else b.sub(b.load(self.head, (HELD,), hint="held"), ONE, hint="top")
            for name, r in self.ragged.items():
                r.save(b, row, top, now[name])  # type: ignore[arg-type]

    def push(self, b: Builder, time: Atom, now: dict[str, Atom]) -> None:
        """Push a snapshot."""
        row = b.load(self.head, (HELD,), hint="held")
        self.save(b, row, now)
        b.store(self.times, (row,), time)
        b.store(self.head, (HELD,), b.add(row, ONE))

    def restore(self, b: Builder, row: Atom, into: dict[str, Var]) -> dict[str, Atom]:
        """Restore the state of a row: arrays are copied into ``into``, scalars are returned."""
        found: dict[str, Atom] = dict(into)
        found |= {v.name: self.ragged[v.name].restore(b, row, v) for v in self.held.ragged}
        for v in self.held.even:
            b.each(self.sizes[v.name], lambda *i, v=v: b.store(into[v.name], i, b.load(self.rows[v.name], (row, *i))))
        for v in self.held.scalars:
            found[v.name] = b.load(self.rows[v.name], (row,), hint=v.name)
        return found

    def thin(self, b: Builder) -> None:
        """Drop every other snapshot, so that the remaining ones are twice as far apart."""
        two = Const(2, I64)
        left = b.op("floordiv", b.add(self.slots, ONE), two)

        def move(r: Var) -> None:
            old = b.mul(r, two)
            b.store(self.times, (r,), b.load(self.times, (old,)))
            for rows in self.ragged.values():
                rows.move(b, r, old)
            for v in (*self.held.scalars, *self.held.even):
                rows = self.rows[v.name]
                sizes = self.sizes.get(v.name, ())
                b.each(sizes, lambda *i, rows=rows: b.store(rows, (r, *i), b.load(rows, (old, *i))))

        b.loop(left, move, start=ONE)
        b.store(self.head, (HELD,), left)
        b.store(self.head, (STRIDE,), b.mul(b.load(self.head, (STRIDE,)), two))


def snapshot_bytes(held: Checkpointed, sizes: dict[str, tuple[Atom, ...]], b: Builder) -> Atom:
    """The size of one snapshot in bytes."""
    total: Atom = Const(sum(BYTES[v.type.dtype] for v in held.scalars), I64)
    for v in (*held.arrays, *held.moved):
        total = b.add(total, b.mul(b.count(sizes[v.name]), Const(BYTES[v.type.dtype], I64), hint="bytes"), hint="bytes")
    return b.op("max", total, ONE, hint="bytes")
