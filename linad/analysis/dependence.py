"""Data dependence: which iterations of a loop nest access the same cell.

Subscripts are affine forms in the indices of the nest's loops and in loop-invariant ints. Two accesses address the same
cell only if their subscripts are equal along every axis. For iterations at distance ``d``, the difference of two
subscripts along an axis is a form in ``d``. If it is a number and a multiple of one component of ``d``, this component
is known, or no such iterations exist (the strong SIV test and the GCD test). Otherwise the inequalities of
`affine.Ranges`, which hold in each of the two iterations, may prove that it is not zero. Ints that an iteration
computes in any other way are unknown, independently in each iteration. An array allocated in an iteration is a
different array in the next.

Forms are equal modulo 2**64. Coefficients and constants are bounded (`LARGEST_FACTOR`, `LARGEST_OFFSET`), so that
differences between iterations of one execution never wrap.

Reference: Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, chapter 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import gcd

from linad_typecheck.infer.affine import Affine
from linad_typecheck.ir.core import Alloc, Atom, Const, Copy, Let, Loop, Stmt, Var, walk
from linad_typecheck.types import I64

from .accesses import Access
from .affine import Ranges, affine_form, constant, unknown
from .loop_facts import defined

LARGEST_FACTOR = 2**10  # largest stride of a subscript per iteration
LARGEST_OFFSET = 2**20
MOST = 24  # distinct subscripts of one array that are compared pairwise


@dataclass(frozen=True, slots=True)
class Independent:
    """No cell is accessed by two iterations, nor twice by one iteration."""

    carried = False


@dataclass(frozen=True, slots=True)
class Distance:
    """Only iterations at this distance access the same cell.

    ``by``: for each loop, the number of steps by which the index of the second access is ahead of that of the first;
    None if it is arbitrary.
    """

    by: tuple[int | None, ...]

    @property
    def carried(self) -> bool:
        """Whether different iterations may access the same cell."""
        return any(d != 0 for d in self.by)


@dataclass(frozen=True, slots=True)
class Unknown:
    """Any two iterations may access the same cell."""

    carried = True


Dependence = Independent | Distance | Unknown


class Nest:
    """The subscripts of the accesses in a loop nest, outermost loop first.

    ``ranges``: facts about ints at the start of the nest. ``same``: maps copies of a value to one atom.
    """

    def __init__(self, *loops: Loop, ranges: Ranges | None = None, same: Callable[[Atom], Atom] = lambda a: a) -> None:
        self.loops, self.ranges, self.same = loops, ranges, same
        self.level = {same(s.index).name: k for k, s in enumerate(loops)}  # type: ignore[union-attr]
        self.changed = defined(loops[0])
        self.made: dict[str, int] = {}  # arrays that each iteration allocates, with the number of enclosing loops
        for k, s in enumerate(loops):
            self.made |= {t.out.name: k + 1 for t in walk(s.body) if isinstance(t, Alloc | Copy)}
        self.forms = forms_of(walk(loops[0].body), self._outside, same)

    def _outside(self, a: Atom) -> Affine:
        if self.ranges is not None:
            return self.ranges.form(a)
        return unknown(a.name) if isinstance(a, Var) else constant(int(a.value))

    def form(self, a: Atom) -> Affine:
        """A subscript as a form in the loop indices and in other ints."""
        a = self.same(a)
        return self.forms[a.name] if isinstance(a, Var) and a.name in self.forms else self._outside(a)

    def offsets(self, index: Sequence[Atom]) -> tuple[int, ...] | None:
        """The constant offsets of subscripts from the loop indices, axis by axis; None if one is not constant."""
        if len(index) != len(self.loops):
            return None
        apart = (self.form(i) - unknown(s.index.name) for i, s in zip(index, self.loops, strict=True))
        found = [f.value for f in apart]
        return None if None in found else tuple(found)  # type: ignore[arg-type]

    def distances(self) -> dict[str, int]:
        """The ints with a known increment per iteration of the outermost loop, at equal indices of the inner loops."""
        outer, *_ = self.loops
        assert isinstance(outer.step, Const)
        inner = {t.index.name for t in walk(outer.body) if isinstance(t, Loop)}
        known = self.forms | {name: unknown(name) for name in (outer.index.name, *inner)}
        found: dict[str, int] = {}
        for name, f in known.items():
            others = set(f.atoms) - {outer.index.name} - inner
            apart = dict(f.terms).get(outer.index.name, 0) * int(outer.step.value)
            if not others & self.changed and abs(apart) < LARGEST_OFFSET:
                found[name] = apart
        return found

    def between(self, a: Access, b: Access) -> Dependence:
        """The dependence between two accesses to one array."""
        known = dict.fromkeys(range(self.made.get(a.array.name, 0)), 0)
        whole = a.index is None or b.index is None
        for i, j in () if whole else zip(a.index, b.index, strict=True):  # type: ignore[arg-type]
            found = self._along(i, j)
            if found is None or not found and self._differ(i, j):
                return Independent()
            if any(known.setdefault(level, d) != d for level, d in found.items()):
                return Independent()
        return Distance(tuple(known.get(k) for k in range(len(self.loops)))) if known else Unknown()

    def _along(self, i: Atom, j: Atom) -> dict[int, int] | None:
        """The known distances by loop if the subscripts along an axis are equal; None if they never are."""
        first, second = self.form(i), self.form(j)
        apart, moves, counted = first - second, {}, True
        for name, c in second.terms:
            level = self.level.get(name)
            if level is None and name in self.changed:
                return {}
            if level is not None:
                step = self._step(level)
                counted = counted and step is not None
                moves[level] = c * (step or 1)
        if any(name in self.changed for name in apart.atoms) or any(abs(m) > LARGEST_FACTOR for m in moves.values()):
            return {}
        if not moves:
            return None if (apart.value or 0) % 2**64 else {}
        if apart.value is None or abs(apart.value) >= LARGEST_OFFSET or not (counted or apart.value == 0):
            return {}
        if apart.value % gcd(*moves.values()):
            return None
        [(level, move), *others] = moves.items()
        return {} if others else {level: apart.value // move}

    def _step(self, level: int) -> int | None:
        """The increment of a loop index per unit of distance, or None if it is not constant.

        If the start of an inner loop varies, the index need not be at multiples of its step, so distances count in
        units of 1.
        """
        s = self.loops[level]
        if not isinstance(s.step, Const):
            return None
        steady = level == 0 or not set(self.form(s.start).atoms) & self.changed
        return int(s.step.value) if steady else 1

    def _differ(self, i: Atom, j: Atom) -> bool:
        """Whether two subscripts provably differ in any two iterations."""
        r = self.ranges
        if r is None:
            return False
        first, second = r.value(i), r.value(j)
        later = {name: unknown(f"{name}'") for name in second.atoms if name in self.changed}
        with r.scope():
            for name, other in later.items():  # whatever holds in one iteration holds in the other
                r.interval[other.atoms[0]] = r.span(name)
            for f in [f for f in r.facts if later.keys() & set(f.atoms)]:
                r.learn(f.substitute({name: unknown(f"{name}'") for name in f.atoms if name in self.changed}))
            apart = first - second.substitute(later)
            return r.proves(apart - 1) or r.proves(apart * -1 - 1)


def farthest(nest: Nest, uses: Iterable[Access]) -> int | None:
    """The largest distance over which accesses to an array carry a dependence in the outermost loop; None if unknown.
    """
    distinct: dict[tuple[Affine, ...] | None, Access] = {}
    for a in uses:
        distinct.setdefault(None if a.index is None else tuple(map(nest.form, a.index)), a)
    if len(distinct) > MOST:
        return None
    found = 0
    for a, b in combinations_with_replacement(distinct.values(), 2):
        match nest.between(a, b):
            case Unknown() | Distance(by=(None, *_)):
                return None
            case Distance(by=(int(d), *_)):
                found = max(found, abs(d))
    return found


def forms_of(
    stmts: Iterable[Stmt], outside: Callable[[Atom], Affine], same: Callable[[Atom], Atom] = lambda a: a
) -> dict[str, Affine]:
    """The ints that statements compute, as affine forms modulo 2**64. ``outside``: the forms of other ints."""
    forms: dict[str, Affine] = {}

    def form(a: Atom) -> Affine:
        a = same(a)
        return forms[a.name] if isinstance(a, Var) and a.name in forms else outside(a)

    for s in stmts:
        if isinstance(s, Let) and s.out.type == I64 and (f := affine_form(s, form)) is not None:
            forms[s.out.name] = f
    return forms
