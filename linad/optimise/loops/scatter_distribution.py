"""Scatter distribution: move additions to several rows from a long loop to a loop of their own after it.

**Transformation.** Loop distribution with scalar expansion (Allen and Kennedy, Optimizing Compilers for Modern
Architectures, 2001, chapter 5).

**Before.** ``for j in range(n) { e = long(j); &b[i, j] += e; &b[i+1, j] += e }``
**After.** ``for j in range(n) { e = long(j); &t[j] = e; &b[i, j] += e }; for j in range(n) { &b[i+1, j] += t[j] }``

**Legality.** The arrays whose additions are delayed are only added to in the loop. Values that the additions share are
stored in scratch arrays, one cell per iteration.

**Profitability.** If the added term takes more than `SHORT` statements; otherwise `loop_distribution.py` recomputes it.
The row with the most additions stays, where `accumulation_rotation.py` combines neighbouring cells; the new loop is then
distributed like any other. While a long loop adds to several rows, LLVM must assume that later iterations access the
same cells, and does not vectorise it.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Function, Let, Load, Loop, Names, Stmt, Store, Var, all_names,
)
from linad_typecheck.ir.rewrite import freshen
from linad_typecheck.types import I64, Array, is_float

from linad.analysis.loop_body import Body, needed
from linad.analysis.loop_facts import at_innermost, is_plain
from linad.analysis.operation_costs import is_cheap
from linad.analysis.reductions import is_reduction
from linad.analysis.trip_counts import is_short

from ..ints import ONE, Maker
from .loop_distribution import movable, repeatable
from .loop_invariant_motion import hoist_invariants

SHORT = 3  # statements that are as cheap to recompute as to store and load


def distribute_scatters(f: Function) -> Function:
    """Move the additions of long innermost loops to separate loops after them."""
    names = Names(all_names(f))
    divided = at_innermost(f, lambda s: _divided(s, names))
    return hoist_invariants(divided) if divided != f else f


def _divided(s: Loop, names: Names) -> list[Stmt]:
    if not is_plain(s) or is_short(s):
        return [s]
    division = _Division(s)
    return division.loops(names) if division.worth() else [s]


class _Division:
    def __init__(self, s: Loop) -> None:
        self.loop, self.body = s, Body(s)
        self.divided: set[str] = set()  # arrays with rows that are added to later
        self.groups = self.scattered()
        self.additions = [t for g in self.groups for t in g]
        self.lengths: dict[str, int | None] = {}
        self.stored: dict[str, Var] = {}  # values that the additions receive from the first loop

    def scattered(self) -> list[list[AddTo]]:
        """The additions to arrays with several rows that `distribute` does not split, by row. The row with the most
        additions stays."""
        found: list[list[AddTo]] = []
        for name in self.body.written:
            groups = [[t for ts in row.values() for t in ts] for row in self.body.additions(name)]
            if sum(movable(self.body, g) for g in groups) < len(groups) - 1:
                groups.remove(max(groups, key=len))
                found += groups
                self.divided.add(name)
        return found

    def worth(self) -> bool:
        """Whether nothing else prevents vectorisation of the loop, and all stored values are floats."""
        if not self.groups or not all(
            is_reduction(self.loop, k, ("add", "sub")) for k in range(len(self.loop.carried))
        ):
            return False
        gone = {id(t) for t in self.additions}
        for name, writes in self.body.written.items():
            rest = [t for _, t in writes if id(t) not in gone]
            if len(self.body.additions(name)) == 1 or name in self.divided:
                continue
            cells = {self.body.cell(t.index) for t in rest}
            cells |= {
                self.body.cell(t.index)
                for t in self.body.stmts
                if rest and isinstance(t, Load) and t.array.name == name
            }
            if rest and (None in cells or len(cells) > 1):
                return False
        for t in self.additions:
            self.choose(t.value)
        return all(is_float(v.type) for v in self.stored.values())

    # -- what to store and what to recompute

    def length(self, a: Atom) -> int | None:
        """The number of statements that recompute a value after the loop; None if that is impossible or expensive."""
        if not isinstance(a, Var) or (a.name not in self.body.definition and a.name not in self.body.carried):
            return 0
        if a.name not in self.lengths:
            self.lengths[a.name] = None  # final for carried values
            if a.name in self.body.definition:
                needed = self.body.needed([], [a])
                if all(repeatable(t, self.body.carried, self.unchanged) for t in needed):
                    self.lengths[a.name] = len(needed)
        return self.lengths[a.name]

    def unchanged(self, t: Load) -> bool:
        return t.array.name not in self.body.written

    def is_long(self, a: Atom) -> bool:
        n = self.length(a)
        return n is None or n > SHORT

    def choose(self, a: Atom) -> None:
        """Choose what to store so that a value can be recomputed: the value itself, or its single long operand."""
        if not self.is_long(a):
            return
        assert isinstance(a, Var)
        t = self.body.stmts[self.body.definition[a.name]] if a.name in self.body.definition else None
        parts = list(dict.fromkeys(filter(self.is_long, t.ins))) if isinstance(t, Let) and is_cheap(t) else []
        if len(parts) == 1 and not self.shared(a):
            self.choose(parts[0])
        else:
            self.stored[a.name] = a

    def shared(self, a: Var) -> bool:
        """Whether additions to several rows depend on a value."""
        t = self.body.stmts[self.body.definition[a.name]]
        return sum(any(u is t for u in self.body.needed(list(g))) for g in self.groups) > 1

    def needed(self, effects: Iterable[Stmt]) -> list[Stmt]:
        """The effects and the statements they depend on, except for stored values."""
        return needed(self.body.stmts, effects, known=self.stored)

    # -- code generation

    def loops(self, names: Names) -> list[Stmt]:
        s, gone = self.loop, {id(t) for t in self.additions}
        assert s.stop is not None
        trips = names.var("trips", I64)
        out: list[Stmt] = [Let(trips, "trips", (s.start, s.stop, s.step), s.span)]
        arrays = {n: names.var(n, Array(v.type.dtype, 1)) for n, v in self.stored.items()}
        out += [Alloc(a, (trips,), None, s.span) for a in arrays.values()]
        before, place = Maker(names), Maker(names)
        low = s.start if s.step == ONE else before.let("add", s.stop, ONE)
        out += before.out
        at = place.let("sub", s.index, low)
        write = [Store(arrays[n], (at,), v, False, s.span) for n, v in self.stored.items()]
        rest = [t for t in s.body.stmts if isinstance(t, Store | AddTo) and id(t) not in gone]
        first = self.body.needed(rest, [*s.body.results, *self.stored.values()])
        out.append(replace(s, body=Block((*place.out, *first, *write), s.body.results)))
        read = [Load(v, arrays[n], (at,), False, s.span) for n, v in self.stored.items()]
        index = names.like(s.index)
        behind = freshen(Block((*place.out, *read, *self.needed(self.additions))), names, {s.index.name: index})
        out.append(replace(s, index=index, carried=(), inits=(), outs=(), body=behind))
        return out
