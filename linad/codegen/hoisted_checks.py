"""Checks before a loop that replace the index checks of all its iterations, as core statements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce

from linad_typecheck.ir.core import (
    RETRY, Atom, Block, Check, Dim, If, Let, Load, Loop, Names, Stmt, Var, free_vars, walk,
)
from linad_typecheck.ir.rewrite import freshen
from linad_typecheck.infer.affine import Affine
from linad_typecheck.types import I64

from linad.optimise import ints
from linad.optimise.ints import ZERO, has_run

Places = Mapping[str, tuple[Var, int]]


@dataclass(frozen=True)
class Endpoints:
    """The check ``0 <= low`` and ``high < size`` for the lowest and highest index.

    ``ordered`` and ``width`` are set if the index might overflow in between. The check then includes ``low <= high``,
    and that the loop index spans less than ``size``, so that no index wraps around.
    """

    low: Affine | None
    high: Affine | None
    size: Affine | None
    ordered: tuple[Affine, Affine] | None = None
    width: tuple[Affine, Affine] | None = None
    guards: tuple[Loop, ...] = ()

    def around(self, s: Loop) -> Endpoints:
        """The check inside another loop: it only matters if that loop runs."""
        return replace(self, guards=(s, *self.guards))

    def forms(self) -> list[Affine]:
        pairs = (*(self.ordered or ()), *(self.width or ()))
        return [f for f in (self.low, self.high, self.size, *pairs) if f is not None]

    def mentions(self, names: set[str], places: Places) -> bool:
        return _mentions(self.forms(), self.guards, names, places)

    def stmts(self, m: Maker) -> None:
        tests: list[Atom] = []
        if self.low is not None:
            tests.append(m.let("le", ZERO, m.form(self.low)))
        if self.ordered is not None:
            tests.append(m.let("le", m.form(self.ordered[0]), m.form(self.ordered[1])))
        if self.width is not None and self.size is not None:
            width = m.let("sub", m.form(self.width[1]), m.form(self.width[0]))
            tests.append(m.let("le", ZERO, width))
            tests.append(m.let("lt", width, m.form(self.size)))
        if self.high is not None and self.size is not None:
            tests.append(m.let("lt", m.form(self.high), m.form(self.size)))
        m.require(tests)


@dataclass(frozen=True)
class Scan:
    """The check that every ``array[index]`` in a loop is at least 0 and less than ``size``.

    It is a single sign test: ``v | (size - 1 - v)`` is negative exactly if v is out of bounds, and the ``or`` of all of
    them is a reduction that can be vectorised.
    """

    array: Var
    index: tuple[Affine, ...]
    size: Affine
    loop: Loop
    guards: tuple[Loop, ...] = ()

    def around(self, s: Loop) -> Scan:
        return replace(self, guards=(s, *self.guards))

    def mentions(self, names: set[str], places: Places) -> bool:
        forms = [self.size, *self.index]
        return self.array.name in names or _mentions(forms, self.guards, names - {self.loop.index.name}, places)

    def stmts(self, m: Maker) -> None:
        s = self.loop
        k, bad, bad_next, last = m.var("k"), m.var("bad"), m.var("bad"), m.var("bad")
        top = m.form(self.size + -1)
        inner = Maker(m.names, m.places)
        inner.rename[s.index.name] = k
        v, spare = m.var("v"), m.var("spare")
        at = tuple(inner.form(f) for f in self.index)
        inner.out.append(Load(v, self.array, at, False, s.span))
        inner.out.append(Let(spare, "sub", (top, v), s.span))
        sign = inner.let("bitor", v, spare)
        inner.out.append(Let(bad_next, "bitor", (bad, sign), s.span))
        body = Block(tuple(inner.out), (bad_next,))
        m.out.append(Loop(k, s.start, s.stop, s.step, (bad,), (ZERO,), body, (last,), span=s.span))
        m.require([m.let("ge", last, ZERO)])


@dataclass(frozen=True, eq=False)
class Inspection:
    """Loops that make the checks of a loop, and these checks (see `guard_hoisting.inspect_first`)."""

    body: Block
    guards: tuple[Loop, ...] = ()

    def around(self, s: Loop) -> Inspection:
        return replace(self, guards=(s, *self.guards))

    def mentions(self, names: set[str], places: Places) -> bool:
        return not names.isdisjoint(free_vars(self.body)) or _mentions([], self.guards, names, places)

    def stmts(self, m: Maker) -> None:
        m.out += freshen(self.body, m.names, {}).stmts


Test = Endpoints | Scan | Inspection


def _mentions(forms: list[Affine], guards: tuple[Loop, ...], names: set[str], places: Places) -> bool:
    atoms = {a for f in forms for a in f.atoms}
    arrays = {places[a][0].name for a in atoms if a in places}
    bounds = {a.name for s in guards for a in (s.start, s.stop, s.step) if isinstance(a, Var)}
    return bool((atoms | arrays | bounds) & names)


class Maker(ints.Maker):
    """Emits checks. ``places``: the array and axis of each size."""

    hint = "t"

    def __init__(self, names: Names, places: Places) -> None:
        super().__init__(names)
        self.places = places
        self.rename: dict[str, Var] = {}
        self.made: dict[str, Atom] = {}

    def var(self, hint: str) -> Var:
        return self.names.var(hint, I64)

    def unknown(self, name: str) -> Atom:
        if name in self.rename:
            return self.rename[name]
        if name not in self.places:
            return Var(name, I64)
        if name not in self.made:
            array, axis = self.places[name]
            out = self.var("size")
            self.out.append(Dim(out, array, axis))
            self.made[name] = out
        return self.made[name]

    def require(self, tests: list[Atom]) -> None:
        if tests:
            self.out.append(Check(reduce(lambda a, b: self.let("and", a, b), tests), RETRY, "", ()))


def place(test: Test, names: Names, places: Places, out: list[Stmt]) -> None:
    """Emit a check before the outermost of its loops; it executes only if all of them run."""
    inner = Maker(names, places)
    test.stmts(inner)
    stmts = inner.out
    if not any(isinstance(s, Check) for s in walk(Block(tuple(stmts)))):
        return
    for s in reversed(test.guards):
        if not isinstance(test, Endpoints) and s is test.guards[-1]:
            continue  # the loop over the checks is empty if theirs is
        runs = has_run(s, names)
        stmts = [runs, If(runs.out, Block(tuple(stmts)), Block())]
    out.extend(stmts)
