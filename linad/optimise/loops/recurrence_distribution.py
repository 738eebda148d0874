"""Recurrence distribution: move vectorisable code out of a loop that contains a recurrence.

**Transformation.** Loop distribution with scalar expansion (Allen and Kennedy, Optimizing Compilers for Modern
Architectures, 2001, chapter 5).

**Before.** ``for i in range(n) { total += x[i]; s += sin(total) }``
**After.** ``for i in range(n) { total += x[i]; &t[i] = total }; for i in range(n) { s += sin(t[i]) }``

**Legality.** Each iteration accesses a written array in a single cell of its own, and the parts keep the order of these
accesses; or the array is only added to.

**Profitability.** Only for loops with library functions beside the recurrence. Those that the recurrence needs move to
a loop before it, those that need the recurrence to a loop after it; anything as cheap as the recurrence stays. Values
passed between the loops are stored, one cell per iteration, or read again from where the program stores them.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Function, Let, Load, Loop, Names, Stmt, Store, Var, all_names, operands, outputs,
)
from linad_typecheck.ir.rewrite import freshen
from linad_typecheck.types import I64, Array, is_float

from linad.analysis.loop_body import Body, depending
from linad.analysis.loop_facts import at_innermost, is_plain
from linad.analysis.operation_costs import is_library_call
from linad.analysis.reductions import is_reduction
from linad.analysis.trip_counts import is_short

from ..ints import Maker

BEFORE, CHAIN, BEHIND = 0, 1, 2
_JOINING = ("add", "sub", "max", "min", "maximum", "minimum")


def distribute_recurrences(f: Function) -> Function:
    """Distribute innermost loops that contain both a recurrence and library functions."""
    names = Names(all_names(f))
    return at_innermost(f, lambda s: _divided(s, names))


def _divided(s: Loop, names: Names) -> list[Stmt]:
    if not is_plain(s) or is_short(s) or not s.carried or not any(map(is_library_call, s.body.stmts)):
        return [s]
    division = _Division(s)
    return division.loops(names) if division.worth() else [s]


@dataclass
class _Part:
    """The contents of one of the loops: its effects, its carried values, and the values that later loops need from it.
    """

    effects: list[Store | AddTo] = field(default_factory=list)
    carried: list[int] = field(default_factory=list)
    given: dict[str, Var] = field(default_factory=dict)


class _Division:
    def __init__(self, s: Loop) -> None:
        self.loop, self.body = s, Body(s)
        self.stmts = s.body.stmts
        self.made_by = {v.name: t for t in self.stmts for v in outputs(t)}
        self.results = dict(enumerate(s.body.results))
        self.sums = [k for k in self.results if is_reduction(s, k, _JOINING)]
        self.serial = [k for k in self.results if k not in self.sums]
        self.chain = self.on_chain()
        self.parts = (_Part(), _Part(carried=list(self.serial)), _Part())
        self.kept: dict[str, Store] = {}  # values that the recurrence itself stores
        self.heavy: dict[str, bool] = {}
        self.assign()

    # -- assignment to parts

    def on_chain(self) -> set[str]:
        """The values on the recurrence: they depend on the previous iteration, and the next iteration depends on them.
        """
        begun = {self.loop.carried[k].name for k in self.serial}
        needed = {v.name for t in self.body.needed([], [self.results[k] for k in self.serial]) for v in outputs(t)}
        return depending(self.stmts, begun) & needed | begun

    def is_heavy(self, a: Atom) -> bool:
        """Whether computing a value from the recurrence and the inputs takes a library call."""
        if not isinstance(a, Var) or a.name in self.chain or a.name not in self.made_by:
            return False
        if a.name not in self.heavy:
            t = self.made_by[a.name]
            self.heavy[a.name] = is_library_call(t) or any(map(self.is_heavy, operands(t)))
        return self.heavy[a.name]

    def waits(self, a: Atom) -> bool:
        """Whether a value depends on the recurrence."""
        if not isinstance(a, Var):
            return False
        return a.name in self.chain or (a.name in self.made_by and any(map(self.waits, operands(self.made_by[a.name]))))

    def assign(self) -> None:
        for t in self.stmts:
            if isinstance(t, Store | AddTo):
                self.parts[BEHIND if any(map(self.is_heavy, operands(t))) else CHAIN].effects.append(t)
        for k in self.sums:
            self.parts[BEHIND if self.is_heavy(self.results[k]) else CHAIN].carried.append(k)
        for part in (BEHIND, CHAIN):
            self.statements(part)

    def ends(self, part: int) -> list[Atom]:
        p = self.parts[part]
        return [*(self.results[k] for k in p.carried), *(a for t in p.effects for a in operands(t)), *p.given.values()]

    def statements(self, part: int) -> list[Stmt]:
        """The statements of a part. Values that it needs from earlier parts are recorded in their ``given``."""
        wanted = {id(t) for t in self.parts[part].effects}
        todo, seen = self.ends(part), set()
        while todo:
            a = todo.pop()
            if not isinstance(a, Var) or a.name in seen:
                continue
            seen.add(a.name)
            giver = self.giver(a, part)
            if giver is not None:
                self.parts[giver].given[a.name] = a
            elif a.name in self.made_by:
                wanted.add(id(self.made_by[a.name]))
                todo += operands(self.made_by[a.name])
        return [t for t in self.stmts if id(t) in wanted]

    def giver(self, a: Var, part: int) -> int | None:
        """The earlier part that provides a value, or None if it is computed in the part itself."""
        if part == BEHIND and a.name in self.chain:
            return CHAIN
        if part == CHAIN and a.name not in self.chain and self.is_heavy(a) and not self.waits(a):
            return BEFORE
        if part == BEHIND and a.name in self.parts[BEFORE].given:
            return BEFORE
        return None

    # -- legality and profitability

    def worth(self) -> bool:
        """Whether the loop has a recurrence with library functions beside it, and the split preserves all dependences.
        """
        if not self.serial or self.chain == {self.loop.carried[k].name for k in self.serial}:
            return False
        used = [self.statements(k) for k in (BEHIND, CHAIN, BEFORE)][::-1]
        if any(map(is_library_call, used[CHAIN])) or not any(map(is_library_call, (*used[BEFORE], *used[BEHIND]))):
            return False
        if not all(is_float(v.type) for p in self.parts for v in p.given.values()):
            return False
        position = {id(t): k for k, t in enumerate(self.stmts)}
        touched: dict[str, list[tuple[int, int, Stmt]]] = {}
        for part, stmts in enumerate(used):
            for t in stmts:
                if isinstance(t, Load | Store | AddTo):
                    touched.setdefault(t.array.name, []).append((position[id(t)], part, t))
        return all(self.in_order(uses) for uses in touched.values())

    def in_order(self, uses: list[tuple[int, int, Stmt]]) -> bool:
        """Whether the split preserves the order of accesses to an array."""
        accesses = [t for *_, t in uses]
        if len({part for _, part, _ in uses}) == 1:
            return True
        if all(isinstance(t, Load) for t in accesses) or all(isinstance(t, AddTo) for t in accesses):
            return True
        cells = {self.body.cell(t.index) for t in accesses}
        if None in cells or len(cells) > 1:
            return False
        uses = sorted(uses, key=lambda u: u[:2])
        writes = [u for u in uses if not isinstance(u[2], Load)]
        return all((a[0] < b[0]) == (a[1] <= b[1]) or a[1] == b[1] for a in uses for b in writes if a[0] != b[0])

    # -- code generation

    def loops(self, names: Names) -> list[Stmt]:
        used = [self.statements(k) for k in (BEHIND, CHAIN, BEFORE)][::-1]
        maker = Maker(names)
        self.keep()
        stored = [v for p in self.parts for n, v in p.given.items() if n not in self.kept]
        arrays: dict[str, Var] = {}
        if stored:
            assert self.loop.stop is not None
            trips = names.var("trips", I64)
            maker.out.append(Let(trips, "trips", (self.loop.start, self.loop.stop, self.loop.step), self.loop.span))
            for v in stored:
                arrays[v.name] = names.var(v.name, Array(v.type.dtype, 1))
                maker.out.append(Alloc(arrays[v.name], (trips,), None, self.loop.span))
        made = [
            self.one(k, used[k], arrays, names) for k in (BEFORE, CHAIN, BEHIND) if self.parts[k].given or self.ends(k)
        ]
        return [*maker.out, *made]

    def keep(self) -> None:
        """Find values of the recurrence that it stores to an otherwise unused array: they are read from there."""
        for t in self.parts[CHAIN].effects:
            if isinstance(t, Store) and isinstance(t.value, Var) and t.value.name in self.parts[CHAIN].given:
                alone = sum(isinstance(u, Load | Store | AddTo) and u.array == t.array for u in self.stmts) == 1
                if alone and self.body.cell(t.index) is not None and t.array.type.dtype == t.value.type.dtype:
                    self.kept.setdefault(t.value.name, t)

    def one(self, part: int, stmts: list[Stmt], arrays: dict[str, Var], names: Names) -> Loop:
        s, p = self.loop, self.parts[part]
        head = Maker(names)
        cell: Atom | None = None

        def place() -> Atom:
            nonlocal cell
            if cell is None:
                ends = (s.index, s.start) if s.step.value == 1 else (s.start, s.index)
                cell = head.let("sub", *ends)
            return cell

        read: list[Stmt] = []
        for earlier in range(part):
            for n, v in self.parts[earlier].given.items():
                if not any(v in operands(t) for t in stmts) and v not in [self.results[k] for k in p.carried]:
                    continue
                if n in self.kept:
                    store = self.kept[n]
                    read += [*self.body.needed([], store.index), Load(v, store.array, store.index, False, store.span)]
                else:
                    read.append(Load(v, arrays[n], (place(),), False, s.span))
        seen: set[int] = set()
        read = [t for t in read if not (id(t) in seen or seen.add(id(t)))]
        ours = {id(t) for t in read}
        write = [Store(arrays[n], (place(),), v, False, s.span) for n, v in p.given.items() if n not in self.kept]
        body = Block(
            (*head.out, *read, *(t for t in stmts if id(t) not in ours), *write),
            tuple(self.results[k] for k in p.carried),
        )
        index = names.like(s.index)
        carried = {k: names.like(s.carried[k]) for k in p.carried}
        body = freshen(body, names, {s.index.name: index, **{s.carried[k].name: carried[k] for k in p.carried}})
        return replace(
            s,
            index=index,
            carried=tuple(carried.values()),
            inits=tuple(s.inits[k] for k in p.carried),
            outs=tuple(s.outs[k] for k in p.carried),
            body=body,
        )
