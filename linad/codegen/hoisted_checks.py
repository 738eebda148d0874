"""Checks before a loop that replace the index checks of all its iterations, as core statements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from linad_typecheck.ir.core import RETRY, Atom, Block, Check, Const, Dim, If, Let, Load, Loop, Names, Stmt, Var
from linad_typecheck.infer.affine import Affine
from linad_typecheck.types import BOOL, I64


ZERO = Const(0, I64)
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
            tests.append(m.let("le", (ZERO, m.atom(self.low)), BOOL))
        if self.ordered is not None:
            tests.append(m.let("le", (m.atom(self.ordered[0]), m.atom(self.ordered[1])), BOOL))
        if self.width is not None and self.size is not None:
            width = m.let("sub", (m.atom(self.width[1]), m.atom(self.width[0])), I64)
            tests.append(m.let("le", (ZERO, width), BOOL))
            tests.append(m.let("lt", (width, m.atom(self.size)), BOOL))
        if self.high is not None and self.size is not None:
            tests.append(m.let("lt", (m.atom(self.high), m.atom(self.size)), BOOL))
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
        top = m.atom(self.size + -1)
        inner = Maker(m.names, m.places)
        inner.rename[s.index.name] = k
        v, spare = m.var("v"), m.var("spare")
        at = tuple(inner.atom(f) for f in self.index)
        inner.out.append(Load(v, self.array, at, False, s.span))
        inner.out.append(Let(spare, "sub", (top, v), s.span))
        sign = inner.let("bitor", (v, spare), I64)
        inner.out.append(Let(bad_next, "bitor", (bad, sign), s.span))
        body = Block(tuple(inner.out), (bad_next,))
        m.out.append(Loop(k, s.start, s.stop, s.step, (bad,), (ZERO,), body, (last,), span=s.span))
        m.require([m.let("ge", (last, ZERO), BOOL)])


Test = Endpoints | Scan


def _mentions(forms: list[Affine], guards: tuple[Loop, ...], names: set[str], places: Places) -> bool:
    atoms = {a for f in forms for a in f.atoms}
    arrays = {places[a][0].name for a in atoms if a in places}
    bounds = {a.name for s in guards for a in (s.start, s.stop, s.step) if isinstance(a, Var)}
    return bool((atoms | arrays | bounds) & names)


class Maker:
    """Emits the computation of affine forms."""

    def __init__(self, names: Names, places: Places) -> None:
        self.names = names
        self.places = places
        self.out: list[Stmt] = []
        self.rename: dict[str, Var] = {}
        self.made: dict[str, Atom] = {}

    def var(self, hint: str) -> Var:
        return self.names.var(hint, I64)

    def let(self, op: str, ins: tuple[Atom, ...], type) -> Var:  # noqa: A002
        out = self.names.var("t", type)
        self.out.append(Let(out, op, ins))
        return out

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

    def atom(self, f: Affine) -> Atom:
        """The value of a form."""
        total: Atom | None = None
        for name, c in sorted(f.terms, key=lambda term: term[1] < 0):
            v = self.unknown(name)
            term = v if abs(c) == 1 else self.let("mul", (Const(abs(c), I64), v), I64)
            if total is None:
                total = term if c > 0 else self.let("neg", (term,), I64)
            else:
                total = self.let("add" if c > 0 else "sub", (total, term), I64)
        if total is None:
            return Const(f.const, I64)
        return total if f.const == 0 else self.let("add", (total, Const(f.const, I64)), I64)

    def require(self, tests: list[Atom]) -> None:
        if not tests:
            return
        ok = tests[0]
        for t in tests[1:]:
            ok = self.let("and", (ok, t), BOOL)
        self.out.append(Check(ok, RETRY, "", ()))


def place(test: Test, names: Names, places: Places, out: list[Stmt]) -> None:
    """Emit a check before the outermost of its loops; it executes only if all of them run."""
    inner = Maker(names, places)
    test.stmts(inner)
    stmts = inner.out
    if not any(isinstance(s, Check) for s in stmts):
        return
    for s in reversed(test.guards):
        if isinstance(test, Scan) and s is test.guards[-1]:
            continue  # the scan is empty if its loop is
        m = Maker(names, places)
        forward = isinstance(s.step, Const) and s.step.value > 0
        runs = m.let("lt", (s.start, s.stop) if forward else (s.stop, s.start), BOOL)
        stmts = [*m.out, If(runs, Block(tuple(stmts)), Block())]
    out.extend(stmts)
