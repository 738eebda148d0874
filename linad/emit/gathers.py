"""Additions to neighbouring cells become one addition to each cell, of all that its neighbours give it.

``b[i] += e(i); b[i + 1] += f(i)``, for i from ``lo`` to below ``hi``, is ``b[c] += e(c) + f(c - 1)`` for the cells that both
reach, and a few iterations at either end in which each addition stands by itself. Every cell is read and written once, and
what is loaded for one neighbour is at hand for the next. `distribute` says when it may be done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from linad_typecheck.core import AddTo, Atom, Block, Const, If, Let, Loop, Names, Stmt, Var
from linad_typecheck.core_rewrite import freshen
from linad_typecheck.types import BOOL, I64

ZERO, ONE = Const(0, I64), Const(1, I64)
LOWEST = Const(-(2**61), I64)  # less than any index


@dataclass(frozen=True)
class Given:
    """The additions of an iteration to one cell, ``distance`` behind the loop's index, with what they are computed from."""

    distance: int
    stmts: tuple[Stmt, ...]


def upwards(s: Loop, maker: Maker) -> Loop:
    """The loop over the same range, with step 1 or -1, from its lower end."""
    if s.step == ONE:
        return s
    assert s.stop is not None
    # a loop that never runs may be said to end at the largest int there is
    stop = s.stop if isinstance(s.stop, Const) else maker.let("min", s.stop, s.start)
    return replace(s, start=maker.let("add", stop, ONE), stop=maker.let("add", s.start, ONE), step=ONE)


Whole = Callable[[Loop, list[Given], Names, Atom, Atom], Loop]


def gathered(s: Loop, row: list[Given], names: Names, sizes: Mapping[str, Let], whole: Whole) -> list[Stmt]:
    """The loops that do the additions of a loop with step 1 or -1 to one row of cells. ``sizes`` are ints by name; ``whole`` makes the
    loop over those that all give to."""
    row = sorted(row, key=lambda g: -g.distance)
    span = row[0].distance - row[-1].distance
    maker = Maker(names, sizes)
    s = upwards(s, maker)
    low, high = s.start, s.stop
    assert high is not None
    if isinstance(low, Var):
        low = maker.let("max", low, LOWEST)
    # a loop that never runs may be said to end at the lowest int there is, from which nothing can be taken away
    shorter = maker.let("sub", high if isinstance(high, Const) else maker.let("max", high, low), Const(span, I64))
    middle = maker.let("max", low, shorter)
    first = maker.let("min", maker.let("add", low, Const(span, I64)), high)
    edges = [
        _edge(s, row, names, low, first, [(g, "lt", low, row[0].distance - g.distance) for g in row[1:]], span),
        _edge(s, row, names, middle, high, [(g, "ge", middle, row[0].distance - g.distance) for g in row[:-1]], 0),
    ]
    return [*maker.out, edges[0], whole(s, row, names, low, middle), edges[1]]


def cells(s: Loop, row: list[Given], names: Names, low: Atom, middle: Atom) -> Loop:
    """The cells that all neighbours give to: the iteration ``i`` does that of the farthest one, ``i + 1`` that of the next."""
    index = names.var(s.index.name, s.index.type)
    maker = Maker(names)
    total: Atom | None = None
    target: AddTo | None = None
    for g in row:
        there = maker.let("add", index, Const(row[0].distance - g.distance, I64))
        for t in freshen(Block(g.stmts), names, {s.index.name: there}).stmts:
            if not isinstance(t, AddTo):
                maker.out.append(t)
                continue
            target = target or t
            total = t.value if total is None else maker.let("add", total, t.value, like=t.value)
    assert target is not None and total is not None
    maker.out.append(AddTo(target.array, target.index, total, False, target.span))
    return _loop(s, index, low, middle, maker.out)


def _edge(
    s: Loop, row: list[Given], names: Names, low: Atom, high: Atom, given: list[tuple[Given, str, Atom, int]], whole: int
) -> Loop:
    """Iterations at one end: those additions that the cells in the middle have not had."""
    index = names.var(s.index.name, s.index.type)
    maker = Maker(names)
    for g, op, bound, distance in given:
        stmts = freshen(Block(g.stmts), names, {s.index.name: index}).stmts
        if distance == whole:
            maker.out += stmts
            continue
        test = maker.let(op, index, maker.let("add", bound, Const(distance, I64)), like=Const(True, BOOL))
        maker.out.append(If(test, Block(stmts), Block()))
    return _loop(s, index, low, high, maker.out)


def _loop(s: Loop, index: Var, low: Atom, high: Atom, stmts: list[Stmt]) -> Loop:
    return Loop(index, low, high, ONE, (), (), Block(tuple(stmts)), (), span=s.span)


class Maker:
    """Makes ints, and statements around them."""

    def __init__(self, names: Names, sizes: Mapping[str, Let] | None = None) -> None:
        self.names, self.sizes = names, sizes or {}
        self.out: list[Stmt] = []

    def let(self, op: str, a: Atom, b: Atom, like: Atom = ZERO) -> Atom:
        match op, a, b:
            case "add", _, Const(value=0) if b.type == I64:
                return a
            case "add", Const(), Const() if b.type == I64:
                return Const(a.value + b.value, I64)
            case "add", Var(name=name), Const() if name in self.sizes:
                match self.sizes[name]:
                    case Let(op="sub", ins=(x, Const(value=c))):
                        return self.let("add", x, Const(b.value - c, I64))
        v = self.names.var("t" if like.type != I64 else "k", like.type)
        self.out.append(Let(v, op, (a, b)))
        return v
