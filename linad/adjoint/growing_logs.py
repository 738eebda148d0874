"""Logs whose lengths are not known before they are written: one per element type, and an array of their ends.

Reverse sweeps use them as stacks: what the forward sweep pushes, the reverse sweep pops in the opposite order, so
positions match without being recorded. `linearize` uses them as queues: both of its programs run in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from linad_typecheck.ir.build import ZERO, Builder
from linad_typecheck.ir.core import Alloc, Atom, Const, Let, Load, Names, Param, Reserve, Saves, Stmt, Var
from linad_typecheck.types import BOOL, I64, Array, Scalar

KINDS = ("f64", "f32", "i64")  # element types of logs: ints of all sizes and bools are stored as i64


def kind_of(t: Scalar | Array) -> str:
    """The element type that a scalar, or a cell of an array, is logged as."""
    return t.dtype if t.dtype in KINDS else "i64"


def by_kind(values: Iterable[Var]) -> list[tuple[str, list[Var]]]:
    """Scalars by the element type that they are logged as."""
    values = list(values)
    found = ((k, [v for v in values if kind_of(v.type) == k]) for k in KINDS)
    return [(k, mine) for k, mine in found if mine]


class GrowingLogs:
    """The logs of one function.

    Parameters
    ----------
    kinds
        The element types that are logged, as far as known from the start.
    start
        Statements to which the allocations of logs are added when they are first used. Without it, all ``kinds`` are
        known, and the caller allocates the logs or has them as parameters.
    saves
        What they are for.
    """

    def __init__(
        self, names: Names, kinds: Iterable[str] = (), start: list[Stmt] | None = None, saves: Saves = "calls"
    ) -> None:
        self.names, self.start, self.saves = names, start, saves
        self.hint = "tape" if saves == "matrices" else "log"
        self.logs: dict[str, Var] = {}
        self.ends: Var | None = None
        for kind in sorted(kinds, key=KINDS.index):
            self.log(kind)

    # -- the logs

    def log(self, kind: str) -> Var:
        if kind not in self.logs:
            if self.ends is None:
                self.ends = self.names.var(f"{self.hint}_ends", Array("i64", 1))
                self._allocate(*self.empty_ends())
            self.logs[kind] = self.names.log(f"{self.hint}_{kind}", Array(kind, 1), self.saves)
            self._allocate(self._empty_log(kind))
        return self.logs[kind]

    def _allocate(self, *stmts: Stmt) -> None:
        if self.start is not None:
            self.start += stmts

    def _empty_log(self, kind: str) -> Alloc:
        return Alloc(self.logs[kind], (ZERO,), None, log="stack")

    def empty_ends(self) -> tuple[Alloc, ...]:
        """The statement that sets all ends to 0, if anything is logged."""
        return () if self.ends is None else (Alloc(self.ends, (Const(len(KINDS), I64),), ZERO),)

    def allocations(self) -> tuple[Stmt, ...]:
        """The statements that create the logs, empty."""
        return (*map(self._empty_log, self.logs), *self.empty_ends())

    def variables(self, kinds: Iterable[str]) -> tuple[Var, ...]:
        """The logs of some element types, and the ends, as arguments of a call."""
        mine = tuple(self.logs[k] for k in kinds)
        return (*mine, self.ends) if mine else ()  # type: ignore[return-value]

    def params(self, mode: str) -> tuple[Param, ...]:
        """The logs as parameters; ``mode`` is the mode of the logs."""
        if not self.logs:
            return ()
        return (*(Param(v, mode) for v in self.logs.values()), Param(self.ends, "mut"))  # type: ignore[arg-type]

    # -- positions

    def append(self, b: Builder, kind: str, count: Atom) -> Var:
        """The position of ``count`` new cells at the end of a log."""
        return self._advance(b, kind, count, grow=True)

    def skip(self, b: Builder, kind: str, count: Atom) -> Var:
        """The position of the next ``count`` cells of a log that is read as a queue."""
        return self._advance(b, kind, count, grow=False)

    def _advance(self, b: Builder, kind: str, count: Atom, grow: bool) -> Var:
        log = self.log(kind)
        base = self.end(b, kind)
        end = b.add(base, count, hint="end")
        if grow:
            b.stmts.append(Reserve(log, end, b.span))
        self._set_end(b, kind, end)
        return base

    def remove(self, b: Builder, kind: str, count: Atom) -> Atom:
        """The position of the last ``count`` cells, which are removed."""
        self.log(kind)
        base = b.sub(self.end(b, kind), count, hint="base")
        self._set_end(b, kind, base)
        return base

    def end(self, b: Builder, kind: str) -> Var:
        assert self.ends is not None
        return b.load(self.ends, (Const(KINDS.index(kind), I64),), hint="base")

    def _set_end(self, b: Builder, kind: str, end: Atom) -> None:
        assert self.ends is not None
        b.store(self.ends, (Const(KINDS.index(kind), I64),), end)

    # -- words

    def write(self, b: Builder, kind: str, at: Atom, v: Atom) -> None:
        word = v if v.type.dtype == kind else b.op("cast", v, type=Scalar(kind), hint="word")
        b.store(self.log(kind), (at,), word)

    def read(self, b: Builder, kind: str, at: Atom, like: Var) -> Var:
        """A logged word, as a variable in the place of the scalar ``like``."""
        new = self.names.like(like)
        word = new if like.type.dtype == kind else self.names.var("word", Scalar(kind))
        b.stmts.append(Load(word, self.log(kind), (at,), False, b.span))
        if word is not new:
            b.stmts.append(Let(new, *(("ne", (word, ZERO)) if like.type == BOOL else ("cast", (word,))), b.span))
        return new

    # -- stacks and queues of scalars and arrays

    def push(self, b: Builder, values: Iterable[Var]) -> None:
        """Append scalars."""
        for kind, mine in by_kind(values):
            base = self.append(b, kind, Const(len(mine), I64))
            for k, v in enumerate(mine):
                self.write(b, kind, b.add(base, Const(k, I64)), v)

    def pop(self, b: Builder, values: Iterable[Var]) -> dict[str, Var]:
        """Remove scalars that were pushed together; return them under new names, by their names."""
        return self._words(b, values, self.remove)

    def take(self, b: Builder, values: Iterable[Var]) -> dict[str, Var]:
        """The next scalars of a queue, in the same form."""
        return self._words(b, values, self.skip)

    def _words(
        self, b: Builder, values: Iterable[Var], position: Callable[[Builder, str, Atom], Atom]
    ) -> dict[str, Var]:
        found: dict[str, Var] = {}
        for kind, mine in by_kind(values):
            base = position(b, kind, Const(len(mine), I64))
            found |= {v.name: self.read(b, kind, b.add(base, Const(k, I64)), v) for k, v in enumerate(mine)}
        return found

    def push_array(self, b: Builder, array: Var, shape: Sequence[Atom] | None = None) -> None:
        """Push the cells of an array, then its sizes unless its ``shape`` is given, which the reverse then knows."""
        sizes = b.dims(array) if shape is None else shape
        kind = kind_of(array.type)
        base = self.append(b, kind, b.count(sizes))
        b.each(sizes, lambda *i: self.write(b, kind, b.flat(base, i, sizes), b.load(array, i)))
        if shape is None:
            self.push(b, sizes)  # type: ignore[arg-type]

    def pop_array(self, b: Builder, array: Var, shape: Sequence[Atom] | None = None) -> Var:
        """Pop an array; return it as a variable in the place of ``array``."""
        if shape is None:
            sizes = [self.names.var("n", I64) for _ in range(array.type.rank)]
            found = self.pop(b, sizes)
            shape = tuple(b.op("max", found[n.name], ZERO) for n in sizes)
        kind, cell = kind_of(array.type), Var("cell", Scalar(array.type.dtype))
        base = self.remove(b, kind, b.count(shape))
        new = b.empty_like(array, shape)
        b.each(shape, lambda *i: b.store(new, i, self.read(b, kind, b.flat(base, i, shape), cell)))
        return new
