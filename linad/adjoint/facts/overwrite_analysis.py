"""Cells that no later iteration overwrites: loads from them can be repeated in the reverse sweep.

Cholesky's factorisation overwrites column ``j`` in iteration ``j`` and reads the columns before it, which stay as they
are. Two accesses meet only if their indices agree along every axis. So it suffices to prove for one axis that every
later write has a larger index, or that every one has a smaller index. Proofs use the bounds of the loops and the
conditions of the branches around both accesses, all of the form ``x - y >= c``.
"""

from __future__ import annotations

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Const, Copy, Dim, If, Let, Load, Loop, Stmt, Store, Var, blocks,
)
from linad_typecheck.types import I64

from .activity import Facts

MOST = 40  # writes that are looked at for one access
LARGE = 2**20  # numbers are added to an index or a size up to here, far from the ends of the ints
_OPPOSITE = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}

Place = tuple[Loop | If, bool]  # a loop around a statement, or an `if` and which of its arms
Term = tuple[str, int]  # an int, by a name, and a number added to it; the name "" is zero


class Reach:
    """Answers about the accesses of one function."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.around: dict[int, tuple[Place, ...]] = {}  # by id of the statement
        self.loops_of: dict[int, tuple[Loop, ...]] = {}  # by id of the block
        self.at: dict[int, Stmt] = {}  # by position
        self.index_of: dict[str, Loop] = {}
        self._visit(facts.function.body, ())

    def _visit(self, block: Block, around: tuple[Place, ...]) -> None:
        self.loops_of[id(block)] = _loops(around)
        for s in block.stmts:
            self.around[id(s)] = around
            self.at[self.facts.position[id(s)]] = s
            if isinstance(s, Loop):
                self.index_of[s.index.name] = s
            for k, b in enumerate(blocks(s)):
                self._visit(b, (*around, (s, k == 0)))  # type: ignore[arg-type]

    def untouched(self, access: Load | Store, first: int, last: int) -> bool:
        """Whether no write between two positions changes a cell after it has been accessed."""
        place = self.facts.place(access.array)
        found = [self.at[at] for group, at in self.facts.writes if group == place and first <= at <= last]
        if len(found) > MOST:
            return False
        for w in found:
            if not isinstance(w, Store | AddTo) or not self.apart(access, w):
                return False
        return True

    def apart(self, access: Load | Store, w: Store | AddTo) -> bool:
        """Whether a write that comes after an access is never to the same cell. An array that an iteration makes is
        another one in the next."""
        mine, others = self.around[id(access)], self.around[id(w)]
        shared = _common(_loops(mine), _loops(others))
        made = access.array == w.array and isinstance(self.facts.definition.get(access.array.name), Alloc | Copy)
        made_in = self.loops_of[self.facts.home[access.array.name]] if made else ()
        for level in range(len(made_in), len(shared) + 1):
            if level == len(shared):  # in one iteration of all loops around both
                before = self.facts.position[id(w)] <= self.facts.position[id(access)]
                if before or {(id(s), not arm) for s, arm in mine if isinstance(s, If)} & {
                    (id(s), arm) for s, arm in others
                }:
                    continue
            if not self.distinct(access, w, shared, level):
                return False
        return True

    def distinct(self, access: Load | Store, w: Store | AddTo, shared: tuple[Loop, ...], level: int) -> bool:
        """Whether the cells differ where ``w`` is done in a later iteration of the loop at a level of those around
        both."""
        known = Known()
        sides = Side(self, shared[:level], ""), Side(self, shared[:level], "'")
        for side, s in zip(sides, (access, w), strict=True):
            for around, arm in self.around[id(s)]:
                side.learn(around, arm, known)
        if level < len(shared):
            loop = shared[level]
            if not isinstance(loop.step, Const) or loop.step.value == 0:
                return False
            now, then = (side.term(loop.index) for side in sides)
            known.at_least(*((then, now) if loop.step.value > 0 else (now, then)), 1)
        known.close()
        if known.never:
            return True
        for a, b in zip(access.index, w.index, strict=True):
            x, y = sides[0].index(a), sides[1].index(b)
            if x is not None and y is not None and (known.proves(x, y, 1) or known.proves(y, x, 1)):
                return True
        return False


class Side:
    """What the ints of one of two iterations are called: those that differ between the two have names of their own."""

    def __init__(self, reach: Reach, same: tuple[Loop, ...], mark: str) -> None:
        self.reach, self.same, self.mark = reach, same, mark

    def term(self, a: Atom, cell: bool = False) -> Term:
        """An int as a name and a number added. Where it is a ``cell``, one that exists, no sum on the way to it has
        overflowed."""
        facts = self.reach.facts
        a = facts.value(a)
        if isinstance(a, Const):
            return ("", int(a.value))
        loops = self.reach.loops_of[facts.home[a.name]] if a.name in facts.home else ()
        named = a.name if set(map(id, loops)) <= set(map(id, self.same)) else a.name + self.mark
        match facts.definition.get(a.name):
            case Let(op="add", ins=(x, Const(value=c))) | Let(op="add", ins=(Const(value=c), x)) if cell or self.steady(
                x
            ):
                name, more = self.term(x, cell)
                return (name, more + c) if abs(more + c) < LARGE else (named, 0)
            case Let(op="sub", ins=(x, Const(value=c))) if cell or self.steady(x):
                name, more = self.term(x, cell)
                return (name, more - c) if abs(more - c) < LARGE else (named, 0)
        return named, 0

    def steady(self, x: Atom) -> bool:
        """Whether an int is far from the ends of the ints: the index of a loop, a size, or one of them and a number."""
        x = self.reach.facts.value(x)
        if not isinstance(x, Var):
            return False
        match self.reach.facts.definition.get(x.name):
            case Dim():
                return True
            case Let(op="add" | "sub", ins=(y, Const())) | Let(op="add", ins=(Const(), y)):
                return self.steady(y)
        return x.name in self.reach.index_of

    def index(self, a: Atom) -> Term | None:
        """An index, which lies in its array: a `wrap` of what is not negative changes nothing."""
        a = self.reach.facts.value(a)
        made = self.reach.facts.definition.get(a.name) if isinstance(a, Var) else None
        if isinstance(made, Let) and made.op == "wrap":
            a = self.reach.facts.value(made.ins[0])
            if self.least(a) < 0:
                return None
        return self.term(a, cell=True)

    def least(self, a: Atom, depth: int = 4) -> int:
        """A number that an int is not below; -1 where none is known."""
        name, more = self.term(a, cell=True)
        if not name:
            return more
        loop = self.reach.index_of.get(name.rstrip("'"))
        if loop is None or not isinstance(loop.step, Const) or not depth:
            return -1
        if loop.step.value > 0:
            low = self.least(loop.start, depth - 1)
        else:
            low = -1 if loop.stop is None else self.least(loop.stop, depth - 1) + 1
        return low + more if low >= 0 else -1

    def learn(self, s: Loop | If, arm: bool, known: Known) -> None:
        """What is known of the ints of an iteration, or of an arm."""
        if isinstance(s, If):
            test = self.reach.facts.definition.get(getattr(self.reach.facts.value(s.cond), "name", ""))
            if isinstance(test, Let) and test.op in _OPPOSITE and all(a.type == I64 for a in test.ins):
                known.compare(test.op if arm else _OPPOSITE[test.op], *map(self.term, test.ins))
            return
        if not isinstance(s.step, Const) or s.step.value == 0:
            return
        up, i = s.step.value > 0, self.term(s.index)
        known.at_least(*((i, self.term(s.start)) if up else (self.term(s.start), i)), 0)
        if s.stop is not None:
            known.at_least(*((self.term(s.stop), i) if up else (i, self.term(s.stop))), 1)


class Known:
    """Inequalities between ints, and what follows from them."""

    def __init__(self) -> None:
        self.lowest: dict[tuple[str, str], int] = {}  # by (x, y), a number that x - y is not below
        self.unequal: list[tuple[Term, Term]] = []
        self.never = False  # no two such iterations exist

    def at_least(self, x: Term, y: Term, c: int) -> None:
        """``x - y >= c``."""
        key, bound = (x[0], y[0]), c - x[1] + y[1]
        if x[0] == y[0]:
            self.never = self.never or bound > 0
        elif bound > self.lowest.get(key, bound - 1):
            self.lowest[key] = bound

    def compare(self, op: str, x: Term, y: Term) -> None:
        match op:
            case "lt":
                self.at_least(y, x, 1)
            case "le":
                self.at_least(y, x, 0)
            case "gt":
                self.at_least(x, y, 1)
            case "ge":
                self.at_least(x, y, 0)
            case "eq":
                self.at_least(x, y, 0)
                self.at_least(y, x, 0)
            case "ne":
                self.unequal.append((x, y))

    def close(self) -> None:
        """Everything that follows, by longest ways; what is not equal and not less is more."""
        self._ways()
        for x, y in self.unequal:
            for a, b in ((x, y), (y, x)):
                if self.proves(a, b, 0):
                    self.at_least(a, b, 1)
        self._ways()

    def _ways(self) -> None:
        names = {n for key in self.lowest for n in key}
        for k in names:
            for i in names:
                for j in names:
                    if (i, k) in self.lowest and (k, j) in self.lowest:
                        bound = self.lowest[i, k] + self.lowest[k, j]
                        if i == j:
                            self.never = self.never or bound > 0
                        elif bound > self.lowest.get((i, j), bound - 1):
                            self.lowest[i, j] = bound

    def proves(self, x: Term, y: Term, c: int) -> bool:
        """Whether ``x - y >= c``."""
        if x[0] == y[0]:
            return x[1] - y[1] >= c
        bound = self.lowest.get((x[0], y[0]))
        return bound is not None and bound + x[1] - y[1] >= c


def _loops(around: tuple[Place, ...]) -> tuple[Loop, ...]:
    return tuple(s for s, _ in around if isinstance(s, Loop))


def _common(a: tuple[Loop, ...], b: tuple[Loop, ...]) -> tuple[Loop, ...]:
    n = 0
    while n < min(len(a), len(b)) and a[n] is b[n]:
        n += 1
    return a[:n]
