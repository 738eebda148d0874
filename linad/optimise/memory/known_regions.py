"""Known contents of array regions: zeros, or the same cells of another array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Const, Copy, Dim, Fill, Function, Let, Load, Loop, Names, Stmt, Store, Var, all_names,
    outputs, using, walk,
)
from linad_typecheck.ir.sizes import Equal, known_sizes
from linad_typecheck.types import I64, Array, Scalar, is_float

from linad.analysis.dependence import Nest
from linad.analysis.loop_body import Body, Cell
from linad.analysis.loop_facts import defined, is_counted, is_plain
from linad.analysis.regions import touched
from linad.analysis.trip_counts import FEW, ints_of

from ..ints import ONE, ZERO, Maker
from ..mentions import Mentions


@dataclass(frozen=True)
class End:
    """A symbolic bound: a named int (or zero) plus a constant."""

    atom: Atom
    more: int

    def __le__(self, other: End) -> bool:
        """Whether this bound is provably not greater than ``other``."""
        return self.atom == other.atom and self.more <= other.more

    def __add__(self, more: int) -> End:
        return End(self.atom, self.more + more)


@dataclass(frozen=True)
class Contents:
    """The known contents that a statement leaves in the cells ``low`` to ``high`` (exclusive) along an axis.

    The cells hold what ``source`` holds there, or zeros. ``inner``: the contents of a row, if there are further axes.
    ``rest``: what else the statement does. ``loop``: set if the region is given by a loop that may not cover the whole
    axis, with ``number`` the offset from its index. If this loop executes no iteration, its bounds may be any ints,
    including the largest, and ``low`` and ``high`` mean nothing.
    """

    low: End
    high: End
    rest: tuple[Stmt, ...] = ()
    inner: Contents | None = None
    source: Var | None = None
    loop: Loop | None = None
    number: int = 0

    def loops(self) -> list[Loop]:
        """The loops that may not cover all cells along this axis or a later one."""
        return ([] if self.loop is None else [self.loop]) + ([] if self.inner is None else self.inner.loops())

    def has_whole_rows(self) -> bool:
        return self.inner is None or not self.inner.loops()

    def put(self, a: Var, cell: tuple[Atom, ...], maker: Maker) -> None:
        """Emit the store of the known value to a cell of ``a``; ``cell`` has an index for each axis. The source may
        lack the first axes."""
        value: Atom = Const(0.0, Scalar(a.type.dtype))
        if self.source is not None:
            value = maker.names.var("cell", Scalar(a.type.dtype))
            maker.out.append(Load(value, self.source, cell[len(cell) - self.source.type.rank :], False))
        maker.out.append(Store(a, cell, value, False))


class Sizes:
    """Symbolic ints of a function, and the contents that statements leave in its arrays."""

    def __init__(self, f: Function) -> None:
        self.names = Names(all_names(f))
        self.ints = ints_of(f)
        self.shapes = known_sizes(f) | _filled(f)
        self.mentions = Mentions()

    def end(self, a: Atom, more: int = 0, beyond: End | None = None) -> End:
        """An int as a named int plus a constant. ``beyond``: the int is known to be at least this bound, which resolves
        ``max``."""
        a, number = self.offset(a)
        if isinstance(a, Const):
            return End(ZERO, int(a.value) + number + more)
        match self.ints.get(a.name):
            case Let(op="max", ins=(x, y)) if beyond is not None:
                for one, other in ((x, y), (y, x)):
                    if self.end(one) <= beyond + -number:
                        return self.end(other, more + number, beyond + -number)
        return End(a, more + number)

    def offset(self, a: Atom) -> tuple[Atom, int]:
        """Split an int into a base (another int or a constant) and a constant offset."""
        match self.ints.get(a.name) if isinstance(a, Var) else None:
            case Let(op="add", ins=(x, Const(value=c))) | Let(op="add", ins=(Const(value=c), x)):
                base, more = self.offset(x)
                return base, more + int(c)
            case Let(op="sub", ins=(x, Const(value=c))):
                base, more = self.offset(x)
                return base, more - int(c)
        return a, 0

    def ends(self, s: Loop) -> tuple[End, End]:
        """The lowest index of a unit-stride loop, and one past the highest; meaningless if the loop does not run."""
        assert s.stop is not None
        if s.step == ONE:
            return self.end(s.start), self.end(s.stop, 0, self.end(s.start))
        return self.end(s.stop, 1), self.end(s.start, 1, self.end(s.stop))

    def int(self, e: End, maker: Maker) -> Atom:
        a = maker.let("add", e.atom, Const(e.more, I64))
        self.ints.update({t.out.name: t for t in maker.out if isinstance(t, Let)})
        return a

    def touches(self, s: Stmt, a: Var) -> bool:
        """Whether a statement uses an array other than for its size."""
        return not isinstance(s, Dim) and (self.mentions.touches(s, a) or a in outputs(s))

    def last(self, stmts: Sequence[Stmt], a: Var) -> int | None:
        """The position of the last statement that touches an array."""
        return next((k for k in range(len(stmts) - 1, -1, -1) if self.touches(stmts[k], a)), None)

    # -- statements that store known contents

    def part(self, a: Var, at: tuple[Atom, ...], held: Contents, low: End, high: End, maker: Maker) -> None:
        """Store known contents to the cells ``low`` to ``high`` of an axis; ``at`` are the indices before it."""
        many = high.more - low.more if high.atom == low.atom else None
        if many is not None and many <= (FEW if held.inner is None else 0):
            for k in range(many):
                held.put(a, (*at, self.int(low + k, maker)), maker)
        else:
            start, stop = (self.int(e, maker) for e in (low, high))
            maker.out.append(self.filled(a, at, start, stop, held))

    def filled(self, a: Var, at: tuple[Atom, ...], start: Atom, stop: Atom, held: Contents, number: int = 0) -> Loop:
        """A loop nest that stores known contents."""
        i, maker = self.names.var("i", I64), Maker(self.names)
        cell = (*at, maker.let("add", i, Const(number, I64)))
        if held.inner is not None:
            start_, stop_ = (self.int(e, maker) for e in (held.inner.low, held.inner.high))
            maker.out.append(self.filled(a, cell, start_, stop_, held.inner))
        else:
            held.put(a, cell, maker)
        return Loop(i, start, stop, ONE, (), (), Block(tuple(maker.out)), ())

    # -- contents after a statement

    def contents(self, s: Stmt, a: Var) -> Contents | None:
        """The contents that a statement leaves in an array that it uses for nothing else."""
        if not isinstance(a.type, Array) or not is_float(a.type):
            return None
        match s:
            case Alloc(shape=(_, *_) as shape, fill=Const(value=0.0), log="no"):
                return replace(self.whole(shape, None), rest=(replace(s, fill=None),))
            case Copy(out=out, array=source) if out == a and (shape := self.shapes.get(a.name)):
                return replace(self.whole(shape, source), rest=(Alloc(a, shape, None, s.span),))
            case Fill(array=array, value=Const(value=0.0)) if array == a and (shape := self.shapes.get(a.name)):
                return self.whole(shape, None)
            case Loop():
                return self._by_loop(s, a)
        return None

    def whole(self, shape: Sequence[Atom], source: Var | None) -> Contents:
        """The contents of a whole array."""
        found: Contents | None = None
        for n in reversed(shape):
            found = Contents(End(ZERO, 0), self.end(n), (), found, source)
        assert found is not None
        return found

    def _by_loop(self, s: Loop, a: Var) -> Contents | None:
        """The contents left by a loop nest whose last access to each cell that it visits is a store."""
        nest = touched(s, a, self.mentions.touches)
        levels = () if nest is None else nest.loops
        counted = all(is_counted(t, one_by_one=True) for t in levels)
        if not counted or len(levels) != a.type.rank or not is_plain(levels[-1]):
            return None
        body = Body(levels[-1])
        uses = [t for t in body.stmts if isinstance(t, Load | Store | AddTo) and t.array == a]
        cells = {body.cell(t.index) for t in uses}
        match [t for t in uses if not isinstance(t, Load)], list(cells):
            case [Store(value=value, index=index) as last], [cell] if uses[-1] is last:
                far, source = Nest(*levels).offsets(index), self._source(value, cell, body)
                if far is None or source is None and value != Const(0.0, Scalar(a.type.dtype)):
                    return None
                if source is not None and not is_only_read([s], source):
                    return None
                inside = defined(s)
                if any(a.name in inside for t in levels[1:] for a in (t.start, t.stop) if isinstance(a, Var)):
                    return None
                shape = self.shapes.get(a.name, (None,) * len(levels))
                found: Contents | None = None
                for t, k, n in reversed(list(zip(levels, far, shape, strict=True))):
                    low, high = (e + k for e in self.ends(t))
                    whole = n is not None and low <= End(ZERO, 0) and self.end(n) <= high
                    found = Contents(low, high, (), found, source, None if whole else t, k)
                assert found is not None
                return replace(found, rest=(_without(s, last),) if _does_more(s, last) else ())
        return None

    def _source(self, value: Atom, cell: Cell | None, body: Body) -> Var | None:
        """The array whose same cell holds the stored value."""
        loads = (t for t in body.stmts if isinstance(t, Load) and t.out == value)
        return next((t.array for t in loads if body.cell(t.index) == cell), None)


def _filled(f: Function) -> dict[str, tuple[Atom, ...]]:
    """The sizes of results in arrays of the caller, where the function fills them."""
    sizes: dict[tuple[str, int], Atom] = {}
    found = {}
    out = {p.var.name: p.like for p in f.params if p.mode == "out"}
    equal = Equal()
    for s in f.body.stmts:
        equal.seen(s)
        match s:
            case Dim(out=n, array=a, axis=axis):
                sizes.setdefault((a.name, axis), n)
            case Fill(array=a) if a.name in out:
                axes = [sizes.get((out[a.name], k), sizes.get((a.name, k))) for k in range(a.type.rank)]
                if None not in axes:
                    found[a.name] = tuple(equal.root(n) for n in axes if n is not None)
    return found


def _without(s: Loop, gone: Stmt) -> Loop:
    stmts = (_without(t, gone) if isinstance(t, Loop) else t for t in s.body.stmts if t is not gone)
    return replace(s, body=replace(s.body, stmts=tuple(stmts)))


def _does_more(s: Loop, store: Stmt) -> bool:
    """Whether a loop has any other effect than one of its statements."""
    return bool(s.carried) or any(t is not store and not isinstance(t, Let | Load | Loop) for t in walk(s.body))


def is_only_read(stmts: Iterable[Stmt], a: Var) -> bool:
    """Whether statements only read an array."""
    return all(isinstance(t, Load | Dim | Copy) for t in using(Block(tuple(stmts)), a))
