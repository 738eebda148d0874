"""Storage for the snapshots of a loop, and the statements that save and restore its state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from linad_typecheck.ir.core import (
    Alloc, Atom, Block, Const, Dim, If, Let, Load, LogKind, Loop, Names, Stmt, Store, Var, base_name,
)
from linad_typecheck.ir.rewrite import freshen
from linad_typecheck.span import Span
from linad_typecheck.types import BOOL, BYTES, I64, Array, Scalar

from .state import Checkpointed
from .lowered import lowered
from .ragged import Ragged

ZERO, ONE = Const(0, I64), Const(1, I64)
HELD, STRIDE, NEXT = ZERO, ONE, Const(2, I64)  # indices into the head


class Writer:
    """Emits statements at one point of the program."""

    def __init__(self, names: Names, span: Span, out: list[Stmt]) -> None:
        self.names, self.span, self.out = names, span, out

    def inside(self, out: list[Stmt]) -> Writer:
        return Writer(self.names, self.span, out)

    def let(self, op: str, *ins: Atom, hint: str = "k") -> Atom:
        match op, ins:
            case ("add" | "sub", (a, Const(value=0))) | ("add", (Const(value=0), a)) | ("mul", (a, Const(value=1))):
                return a
        truth = op in ("lt", "le", "eq", "ge", "gt")
        v = self.names.var(hint, BOOL if truth else I64)
        self.out.append(Let(v, op, ins, self.span))
        return v

    def load(self, array: Var, *index: Atom, hint: str = "k") -> Var:
        v = self.names.var(hint, Scalar(array.type.dtype))
        self.out.append(Load(v, array, index, False, self.span))
        return v

    def store(self, array: Var, index: Sequence[Atom], value: Atom) -> None:
        self.out.append(Store(array, tuple(index), value, False, self.span))

    def alloc(self, hint: str, dtype: str, shape: Sequence[Atom], fill: Const | None = None) -> Var:
        v = self.names.var(hint, Array(dtype, len(shape)))
        self.out.append(Alloc(v, tuple(shape), fill, self.span))
        return v

    def room(self, v: Var, shape: Sequence[Atom]) -> Var:
        """Allocate an array of the same shape and type as another one."""
        new = self.names.like(v)
        self.out.append(Alloc(new, tuple(shape), None, self.span))
        return new

    def snapshots(self, v: Var, shape: Sequence[Atom], kind: LogKind = "slices") -> Var:
        """Allocate an array for snapshots of a variable."""
        made = self.names.log(f"snap_{base_name(v.name)}", Array(v.type.dtype, len(shape)), "snapshots")
        self.out.append(Alloc(made, tuple(shape), None, self.span, kind))
        return made

    def cells(self, shape: Sequence[Atom], body: Callable[[Writer, tuple[Var, ...]], None]) -> None:
        """Emit ``body`` for every index of a shape."""

        def nest(at: Writer, done: tuple[Var, ...]) -> None:
            if len(done) == len(shape):
                body(at, done)
                return
            i, stmts = self.names.var("i", I64), []
            nest(at.inside(stmts), (*done, i))
            at.out.append(Loop(i, ZERO, shape[len(done)], ONE, (), (), Block(tuple(stmts)), (), span=self.span))

        nest(self, ())

    def copied(self, array: Var, of: Var) -> Var:
        """A copy of an array, counted as one log word per cell."""
        shape = tuple(self.names.var("n", I64) for _ in range(array.type.rank))
        self.out.extend(Dim(n, array, k, self.span) for k, n in enumerate(shape))
        copy = self.snapshots(of, shape)
        self.cells(shape, lambda at, i: at.store(copy, i, at.load(array, *i, hint="e")))
        return copy

    def when(self, cond: Atom, then: Callable[[Writer], Sequence[Atom]], other: Sequence[Atom] = ()) -> tuple[Var, ...]:
        """``if cond: then()``. Returns the values of that arm, or ``other``."""
        stmts: list[Stmt] = []
        results = tuple(then(self.inside(stmts)))
        outs = tuple(self.names.like(r) if isinstance(r, Var) else self.names.var("k", r.type) for r in results)
        self.out.append(If(cond, Block(tuple(stmts), results), Block((), tuple(other)), outs, self.span))
        return outs

    def call(self, name: str, *args: Atom) -> Atom:
        """The result of a function of `schedules`, inlined."""
        f = lowered(name)
        body = freshen(f.body, self.names, {p.var.name: a for p, a in zip(f.params, args, strict=True)})
        self.out += body.stmts
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

    def save(self, w: Writer, row: Atom, now: dict[str, Atom]) -> None:
        """Save the state, given the current names ``now`` of its parts."""
        for v in self.held.scalars:
            w.store(self.rows[v.name], (row,), now[v.name])
        for v in self.held.even:
            self._save_cells(w, v, row, now[v.name])
        if self.ragged:
            top = None if row == ZERO else w.let("sub", w.load(self.head, HELD, hint="held"), ONE, hint="top")
            for name, r in self.ragged.items():
                r.save(w, row, top, now[name])  # type: ignore[arg-type]

    def _save_cells(self, w: Writer, v: Var, row: Atom, source: Atom) -> None:
        assert isinstance(source, Var)
        w.cells(self.sizes[v.name], lambda at, i: at.store(self.rows[v.name], (row, *i), at.load(source, *i, hint="e")))

    def push(self, w: Writer, time: Atom, now: dict[str, Atom]) -> None:
        """Push a snapshot."""
        row = w.load(self.head, HELD, hint="held")
        self.save(w, row, now)
        w.store(self.times, (row,), time)
        w.store(self.head, (HELD,), w.let("add", row, ONE))

    def restore(self, w: Writer, row: Atom, into: dict[str, Var]) -> dict[str, Atom]:
        """Restore the state of a row: arrays are copied into ``into``, scalars are returned."""
        found: dict[str, Atom] = dict(into)
        found |= {v.name: self.ragged[v.name].restore(w, row, v) for v in self.held.ragged}
        for v in self.held.even:
            w.cells(
                self.sizes[v.name],
                lambda at, i, v=v: at.store(into[v.name], i, at.load(self.rows[v.name], row, *i, hint="e")),
            )
        for v in self.held.scalars:
            found[v.name] = w.load(self.rows[v.name], row, hint=v.name)
        return found

    def thin(self, w: Writer) -> None:
        """Drop every other snapshot, so that the remaining ones are twice as far apart."""
        left = w.let("floordiv", w.let("add", self.slots, ONE), Const(2, I64))
        r, stmts = w.names.var("r", I64), []
        at = w.inside(stmts)
        old = at.let("mul", r, Const(2, I64))
        at.store(self.times, (r,), at.load(self.times, old))
        for v in self.held.scalars:
            at.store(self.rows[v.name], (r,), at.load(self.rows[v.name], old, hint="e"))
        for rows in self.ragged.values():
            rows.move(at, r, old)
        for v in self.held.even:
            at.cells(
                self.sizes[v.name],
                lambda c, i, v=v: c.store(self.rows[v.name], (r, *i), c.load(self.rows[v.name], old, *i, hint="e")),
            )
        w.out.append(Loop(r, ONE, left, ONE, (), (), Block(tuple(stmts)), (), span=w.span))
        w.store(self.head, (HELD,), left)
        w.store(self.head, (STRIDE,), w.let("mul", w.load(self.head, STRIDE), Const(2, I64)))


def words_of(held: Checkpointed, sizes: dict[str, tuple[Atom, ...]], w: Writer) -> Atom:
    """The size of one snapshot in bytes."""
    total: Atom = Const(sum(BYTES[v.type.dtype] for v in held.scalars), I64)
    for v in (*held.arrays, *held.moved):
        size: Atom = Const(BYTES[v.type.dtype], I64)
        for n in sizes[v.name]:
            size = w.let("mul", size, n, hint="bytes")
        total = w.let("add", total, size, hint="bytes")
    return w.let("max", total, Const(1, I64), hint="bytes")
