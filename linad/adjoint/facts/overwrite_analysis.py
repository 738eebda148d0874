"""Overwrite analysis: loads from cells that no later iteration overwrites can be repeated in the reverse sweep.

Cholesky factorisation overwrites column ``j`` in iteration ``j`` and reads the columns before it, which no longer
change. Two accesses conflict only if their indices agree along every axis. It is therefore enough to prove for one axis
that every later write has a larger index, or that every one has a smaller index. The same holds for the difference of
two indices: a table over the spans of a text (``chart[i, j]``) is filled by diagonals, from those before. Proofs use
the bounds of the loops and the conditions of the branches that enclose the accesses (`linad/analysis/affine.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Const, Copy, Dim, If, Let, Load, Loop, Stmt, Store, Var, blocks,
)

from linad_typecheck.infer.affine import Affine

from linad.analysis.accesses import accesses
from linad.analysis.affine import SMALL, Ranges, constant, unknown
from linad.analysis.dependence import Distance, Independent, Nest

from .activity import Facts

MOST = 40  # writes considered for one access
SHORT = 2  # facts in a proof about diagonals: the order of the iterations, and a bound of the access

Place = tuple[Loop | If, bool]  # an enclosing loop, or an enclosing `if` and the arm


class Reach:
    """Answers queries about the accesses of one function."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.around: dict[int, tuple[Place, ...]] = {}  # by id of the statement
        self.loops_of: dict[int, tuple[Loop, ...]] = {}  # by id of the block
        self.at: dict[int, Stmt] = {}  # by position
        self.nests: dict[int, Nest] = {}  # by the id of the loop
        self.verdicts: dict[tuple[int, int], bool] = {}  # by the ids of an access and of a write
        self.begun: dict[int, TwoInstances] = {}  # facts about the ints of an access, by its id
        self._visit(facts.function.body, ())

    def _visit(self, block: Block, around: tuple[Place, ...]) -> None:
        self.loops_of[id(block)] = _loops(around)
        for s in block.stmts:
            self.around[id(s)] = around
            self.at[self.facts.position[id(s)]] = s
            for k, b in enumerate(blocks(s)):
                self._visit(b, (*around, (s, k == 0)))  # type: ignore[arg-type]

    def untouched(self, access: Load | Store, first: int, last: int) -> bool:
        """Whether no write between two positions changes a cell after it has been accessed."""
        place = self.facts.place(access.array)
        found = [self.at[at] for group, at in self.facts.writes if group == place and first <= at <= last]
        if len(found) > MOST:
            return False
        for w in found:
            if not isinstance(w, Store | AddTo):
                return False
            pair = id(access), id(w)
            if pair not in self.verdicts:
                self.verdicts[pair] = self.apart(access, w)
            if not self.verdicts[pair]:
                return False
        return True

    def apart(self, access: Load | Store, w: Store | AddTo) -> bool:
        """Whether a write that executes after an access never writes the same cell. An array allocated in an iteration
        is a different array in the next."""
        mine, others = self.around[id(access)], self.around[id(w)]
        shared = _common(_loops(mine), _loops(others))
        made = access.array == w.array and isinstance(self.facts.definition.get(access.array.name), Alloc | Copy)
        made_in = self.loops_of[self.facts.home[access.array.name]] if made else ()
        for level in range(len(made_in), len(shared) + 1):
            if level == len(shared):  # in the same iteration of all common loops
                before = self.facts.position[id(w)] <= self.facts.position[id(access)]
                if before or {(id(s), not arm) for s, arm in mine if isinstance(s, If)} & {
                    (id(s), arm) for s, arm in others
                }:
                    continue
            if not self.distinct(access, w, shared, level):
                return False
        return True

    def distinct(self, access: Load | Store, w: Store | AddTo, shared: tuple[Loop, ...], level: int) -> bool:
        """Whether the cells differ if ``w`` executes in a later iteration of the common loop at this level."""
        if level < len(shared) and self.never_later(shared[level], access, w):
            return True
        sides = Instance(self, access, frozenset(), ""), Instance(self, w, frozenset(map(id, shared[:level])), "'")
        if id(access) not in self.begun:
            self.begun[id(access)] = TwoInstances(frozenset(self.facts.logs))
            sides[0].learn(self.begun[id(access)])
        pair = self.begun[id(access)].fork()
        sides[1].learn(pair)
        if level < len(shared):
            loop = shared[level]
            if not isinstance(loop.step, Const) or loop.step.value == 0:
                return False
            now, later = (unknown(side.name(loop.index).name) for side in sides)  # type: ignore[union-attr]
            pair.learn((later - now) * (1 if loop.step.value > 0 else -1) - 1)
        indices = list(zip(*(map(side.name, side.index) for side in sides), strict=True))
        if any(pair.apart((i,), (j,)) for i, j in indices) or _on_other_diagonals(indices, pair):
            return True
        return any(side.is_conditional for side in sides) and pair.contradictory()

    def never_later(self, loop: Loop, access: Load | Store, w: Store | AddTo) -> bool:
        """Whether the subscripts alone prove that no later iteration of a loop writes the accessed cell."""
        if id(loop) not in self.nests:
            self.nests[id(loop)] = Nest(loop, same=self.facts.value)
        match self.nests[id(loop)].between(*accesses(access), *accesses(w)):
            case Distance(by=(int(later),)):
                return later <= 0
            case found:
                return isinstance(found, Independent)


def _on_other_diagonals(indices: Sequence[tuple[Atom, Atom]], r: Ranges) -> bool:
    """Whether two cells differ along some diagonal, that is in the difference of the subscripts of two axes."""
    apart = [r.value(i) - r.value(j) for i, j in indices]
    pairs = (a - b for a, b in combinations(apart, 2))
    return any(r.proves(d - 1, SHORT) or r.proves(d * -1 - 1, SHORT) for d in pairs)


class Instance:
    """A statement in one of two iterations. Names that may differ between the iterations get a ``mark``; values of the
    common loops that are in the ``same`` iteration are equal."""

    def __init__(self, reach: Reach, s: Load | Store | AddTo, same: frozenset[int], mark: str) -> None:
        self.reach, self.same, self.mark = reach, same, mark
        self.around = reach.around[id(s)]
        self.index = s.index

    @property
    def is_conditional(self) -> bool:
        return any(isinstance(s, If) for s, _ in self.around)

    def name(self, a: Atom) -> Atom:
        """The name of an int in this instance."""
        facts = self.reach.facts
        a = facts.value(a)
        if isinstance(a, Const):
            return a
        loops = self.reach.loops_of[facts.home[a.name]] if a.name in facts.home else ()
        return a if self.same.issuperset(map(id, loops)) else replace(a, name=a.name + self.mark)

    def learn(self, r: Ranges) -> None:
        """Learn about the ints of this instance: their definitions, the bounds of enclosing loops, and the conditions
        of arms."""
        for s, arm in sorted(self.history().values(), key=lambda step: self.reach.facts.position[id(step[0])]):
            match s:
                case Let(out=out, ins=ins):
                    named = tuple(map(self.name, ins))
                    r.statement(replace(s, out=self.name(out), ins=named))  # type: ignore[arg-type]
                case Dim(out=out, array=array):
                    r.statement(replace(s, out=self.name(out), array=self.name(array)))  # type: ignore[arg-type]
                case If(cond=cond):
                    r.learn_test(self.name(cond), arm)
                case Loop(index=index, start=start, stop=stop, step=step):
                    bounds = (None if a is None else self.name(a) for a in (start, stop, step))
                    i = self.name(index)
                    r.enter(Loop(i, *bounds, (), (), Block(), ()))  # type: ignore[arg-type]
                    for far in (r.form(i), r.form(i) * -1):  # no index gets this large in practice
                        r.learn(constant(SMALL) - far)

    def history(self) -> dict[int, tuple[Stmt, bool]]:
        """The loops and branches around the statement, and the computations of its index and of their operands, by id.
        """
        found: dict[int, tuple[Stmt, bool]] = {id(s): (s, arm) for s, arm in self.around}
        todo = [*self.index, *(a for s, _ in self.around for a in _controlling_operands(s))]
        facts = self.reach.facts
        while todo:
            a = facts.value(todo.pop())
            made = facts.definition.get(a.name) if isinstance(a, Var) else None
            if isinstance(made, Let | Dim) and id(made) not in found:
                found[id(made)] = made, True
                todo += made.ins if isinstance(made, Let) else ()
        return found


def _controlling_operands(s: Loop | If) -> tuple[Atom, ...]:
    """The operands that decide which arm or which iterations execute."""
    return (s.cond,) if isinstance(s, If) else tuple(a for a in (s.start, s.stop, s.step) if a is not None)


class TwoInstances(Ranges):
    """Facts about the ints of two iterations."""

    def contradictory(self) -> bool:
        """Whether no two such iterations exist."""
        return any(self.bounds(f)[1] < 0 or self.proves(f * -1 - 1) for f in self.facts)

    def learn(self, f: Affine) -> None:
        f = self.normal(f)
        if f.value is not None and f.value < 0:
            self.facts.append(f)
        super().learn(f)


def _loops(around: tuple[Place, ...]) -> tuple[Loop, ...]:
    return tuple(s for s, _ in around if isinstance(s, Loop))


def _common(a: tuple[Loop, ...], b: tuple[Loop, ...]) -> tuple[Loop, ...]:
    n = 0
    while n < min(len(a), len(b)) and a[n] is b[n]:
        n += 1
    return a[:n]
