"""Proof that copies which stand for arrays cannot be observed, from the core alone.

Where Python has one array and the program has a copy of it, there is a `Same`. The copy is correct as long as no update
of one shows in the other. After an update of either, the other one is *stale*: it must not be read, updated or passed
on until it is defined again. Lowering refuses programs in which it would be. This is a second, independent proof by
abstract interpretation, which uses nothing of lowering but the `Same` statements. The may-alias pairs are computed from
the core: joined at branches, by a fixpoint for loops, and by a summary of each function for calls.

A list of arrays is one array with copies of its items. An update of an array that it *holds* makes the list stale;
appending to the list does not make that array stale. An update of an item makes every array stale that the list may
hold, and the other lists that may hold one of these; no array may be an item of the list twice. The items that have no
name of their own go by that of the list (`_items_of`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from ..frozen import frozen
from ..ir.core import Atom, Block, Call, Dim, Drop, Function, If, Loop, Program, Same, Stmt, Var, outputs, walk
from ..types import Array
from .uses import Modes, modes_of, uses

Pair = frozenset[str]


class NotLinear(Exception):
    """Raised if a program breaks the linear discipline. For a generated program this is an internal error; it
    prevents a wrong number."""


@frozen
class Summary:
    """The effect of a call on may-alias classes: the parameters that it updates, the lists among them of which it
    updates an item, the results that are lists which may hold an array twice, the parameters that each result may hold
    or alias, the lists among them of which it may have items, and the results that may alias each other, or have items
    in common."""

    updated: frozenset[int] = frozenset()
    items: frozenset[int] = frozenset()
    doubled: frozenset[int] = frozenset()
    alike: frozenset[tuple[int, int]] = frozenset()
    common: frozenset[tuple[int, int]] = frozenset()
    held: frozenset[tuple[int, int]] = frozenset()
    given_back: frozenset[tuple[int, int]] = frozenset()
    together: frozenset[tuple[int, int]] = frozenset()


def check_aliases(program: Program) -> None:
    """Raise `NotLinear` if a copy that stands for an array is used after the array was updated, or the array after
    the copy."""
    if not any(isinstance(s, Same) for f in program.functions.values() for s in walk(f.body)):
        return
    modes = modes_of(program.functions)
    known = {name: Summary() for name in program.functions}
    while True:  # the lattice is finite: sets of positions that only grow
        found = {name: _Checker(f, modes, known).summary() for name, f in program.functions.items()}
        if found == known:
            return
        known = found


_ITEMS = "#"


def _items_of(name: str) -> str:
    """The name that stands for the items of a list, in `_State.holds`."""
    return name + _ITEMS


class _State:
    """The abstract state: the pairs of names that may alias, the pairs of a list and an array that it may hold, the
    lists that may hold an array twice, the lists of which an item was updated, and the stale names, each with the
    statement that made it stale."""

    def __init__(
        self,
        pairs: Iterable[Pair] = (),
        stale: Mapping[str, Stmt] | None = None,
        holds: Iterable[tuple[str, str]] = (),
        doubled: Iterable[str] = (),
        items: Iterable[str] = (),
    ) -> None:
        self.pairs, self.stale, self.holds = set(pairs), dict(stale or {}), set(holds)
        self.doubled, self.items = set(doubled), set(items)

    def copy(self) -> _State:
        return _State(self.pairs, self.stale, self.holds, self.doubled, self.items)

    def others(self, name: str) -> set[str]:
        return {other for pair in self.pairs if name in pair for other in pair if other != name}

    def held_by(self, name: str) -> set[str]:
        return {held for holder, held in self.holds if holder == name}

    def update(self, name: str, s: Stmt) -> None:
        """After an update of an array, copies that stand for it are stale, and lists that hold it."""
        self.make_stale({name, *self.others(name)}, name, s)

    def make_stale(self, same: set[str], name: str, s: Stmt) -> None:
        holders = {holder for holder, held in self.holds if held in same}
        for other in {n.removesuffix(_ITEMS) for n in same | holders} - {name}:
            self.stale.setdefault(other, s)

    def update_items(self, name: str, s: Stmt) -> None:
        """After an update of an array that a list holds, stale are the copies that stand for it, which may be any array
        that the list holds, and the other lists that hold it."""
        lists = {name, *self.others(name)}
        held = {_items_of(n) for n in lists}.union(*map(self.held_by, lists))
        self.items |= lists
        self.make_stale(lists | held.union(*map(self.others, held)), name, s)

    def define(self, name: str, like: Iterable[str] = ()) -> None:
        """A name of a new array, or of one that may be any of those ``like``."""
        like = set(like) - {name}
        self.pairs = {p for p in self.pairs if name not in p} | {frozenset((name, other)) for other in like}
        self.holds = {h for h in self.holds if name not in h}
        self.holds |= {(name, held) for holder, held in self.holds if holder in like}
        self.holds |= {(holder, name) for holder, held in self.holds if held in like}
        self.doubled = self.doubled - {name} | ({name} if like & self.doubled else set())
        self.stale.pop(name, None)

    def hold(self, name: str, held: Iterable[str]) -> None:
        held = set(held)
        if not held.isdisjoint(self.held_by(name)):
            self.doubled.add(name)
        self.holds |= {(name, other) for other in held}

    def hold_items(self, name: str, of: str) -> None:
        """A list may have any items of the list ``of``."""
        if name == of or of in self.doubled:
            self.doubled.add(name)
        if name != of:
            self.hold(name, {*self.held_by(of), _items_of(of)})

    def relate(self, s: Same) -> None:
        """What a `Same` says."""
        copy, array = s.copy.name, s.array.name
        match s.how:
            case "same":
                self.define(copy, {*self.others(copy), array, *self.others(array)})
            case "holds":
                self.hold(copy, {array, *self.others(array)})
            case "like":
                self.hold_items(copy, array)
            case "taken":
                items = self.held_by(array)
                self.pairs |= {frozenset((copy, item)) for item in items}
                others = {holder for holder, held in self.holds if held == _items_of(array)}
                self.holds |= {(holder, copy) for holder in (*others, *((array,) if items else ()))}
            case "updated":
                self.update_items(copy, s)

    def moved(self, pairs: Iterable[tuple[Atom, Var]], gone: Iterable[str] = ()) -> _State:
        """The state after arrays are renamed by ``pairs``; the names in ``gone`` leave scope."""
        to = {a.name: v.name for a, v in pairs if isinstance(a, Var) and isinstance(a.type, Array)}
        gone = set(gone).union(to.values()) - to.keys()
        kept = (p for p in self.pairs if not p & gone)
        named = (frozenset(to.get(n, n) for n in p) for p in kept)
        stale = {to.get(n, n): s for n, s in self.stale.items() if n not in gone}
        to |= {_items_of(a): _items_of(b) for a, b in to.items()}
        holds = {(to.get(a, a), to.get(b, b)) for a, b in self.holds if not {a, b} & gone}
        doubled, items = ({to.get(n, n) for n in names - gone} for names in (self.doubled, self.items))
        return _State((p for p in named if len(p) > 1), stale, holds, doubled, items)

    def joined(self, other: _State) -> _State:
        return _State(
            self.pairs | other.pairs,
            {**other.stale, **self.stale},
            self.holds | other.holds,
            self.doubled | other.doubled,
            self.items | other.items,
        )

    def above(self, other: _State) -> bool:
        less = self.pairs >= other.pairs and self.holds >= other.holds
        less = less and self.doubled >= other.doubled and self.items >= other.items
        return less and self.stale.keys() >= other.stale.keys()

    def become(self, other: _State) -> None:
        self.pairs, self.stale, self.holds = other.pairs, other.stale, other.holds
        self.doubled, self.items = other.doubled, other.items


class _Checker:
    def __init__(self, f: Function, modes: Modes, known: Mapping[str, Summary]) -> None:
        self.f, self.modes, self.known = f, modes, known
        self.heads: dict[int, _State] = {}  # heads of loops analysed before, from which the search continues

    def fail(self, name: str, state: _State, s: Stmt | None) -> None:
        where = f" at {s.span}" if s is not None and s.span.line else ""
        why = f"{name} is used{where} after its other copy was updated by {state.stale[name]}"
        raise NotLinear(f"{self.f.name}: {why}"[:600])

    def summary(self) -> Summary:
        state = _State()
        params = {k: p for k, p in enumerate(self.f.params) if isinstance(p.var.type, Array)}
        # names for owned arrays as their caller knows them
        outer = {k: p.var.name if p.mode != "own" else f"{p.var.name} of the caller" for k, p in params.items()}
        for k, p in params.items():
            if p.mode == "own":
                state.define(outer[k], (p.var.name,))
        self.block(self.f.body, state)
        for k, p in params.items():
            if p.mode != "own" and p.var.name in state.stale:  # the caller would miss an update
                self.fail(p.var.name, state, None)
        results = {k: r.name for k, r in enumerate(self.f.body.results) if isinstance(r.type, Array)}
        for r in results.values():
            if r in state.stale:
                self.fail(r, state, None)
        holds = {r: state.held_by(name) for r, name in results.items()}
        return Summary(
            frozenset(k for k, p in params.items() if p.mode in ("acc", "mut", "out") or outer[k] in state.stale),
            frozenset(k for k in params if outer[k] in state.items),
            frozenset(r for r, name in results.items() if name in state.doubled),
            frozenset((r, k) for r in results for k in params if _items_of(outer[k]) in holds[r]),
            frozenset(
                (r, q)
                for r, name in results.items()
                for q in results
                if r != q and (_items_of(name) in holds[q] or not holds[r].isdisjoint(holds[q]))
            ),
            frozenset((r, k) for r, name in results.items() for k in params if (name, outer[k]) in state.holds),
            frozenset((r, k) for r, name in results.items() for k in params if outer[k] in state.others(name)),
            frozenset((r, q) for r, name in results.items() for q, n in results.items() if n in state.others(name)),
        )

    def block(self, block: Block, state: _State) -> None:
        for s in block.stmts:
            match s:
                case Same(how="updated", copy=copy) if copy.name in state.doubled:
                    raise NotLinear(f"{self.f.name}: an item of {copy} is updated at {s.span}, and is another one")
                case Same():
                    state.relate(s)
                case If():
                    self.branch(s, state)
                case Loop():
                    self.loop(s, state)
                case Call():
                    self.call(s, state)
                case _:
                    self.simple(s, state)

    def simple(self, s: Stmt, state: _State) -> None:
        if not isinstance(s, (Dim, Drop)):  # the sizes of stale arrays are still valid
            for v, use in uses(s, self.modes):
                if isinstance(v.type, Array):
                    self.use(v.name, use != "borrow", state, s)
        for v in outputs(s):
            if isinstance(v.type, Array):
                state.define(v.name)

    def use(self, name: str, updates: bool, state: _State, s: Stmt) -> None:
        if name in state.stale:
            self.fail(name, state, s)
        if updates:
            state.update(name, s)

    def branch(self, s: If, state: _State) -> None:
        ends = []
        for arm in (s.then, s.orelse):
            end = state.copy()
            self.block(arm, end)
            ends.append(end.moved(zip(arm.results, s.outs, strict=True)))
        state.become(ends[0].joined(ends[1]))

    def loop(self, s: Loop, state: _State) -> None:
        head = state.moved(zip(s.inits, s.carried, strict=True))
        if id(s) in self.heads:
            head = head.joined(self.heads[id(s)])
        inside = {v.name for x in walk(s.body) for v in outputs(x)} | {v.name for v in s.carried}
        results = s.body.results[len(s.body.results) - len(s.carried) :]
        while True:
            end = head.copy()
            self.block(s.body, end)
            moved = {r.name for r in results if isinstance(r, Var)}
            end = end.moved(zip(results, s.carried, strict=True), inside - moved)
            if head.above(end):
                break
            head = head.joined(end)
        self.heads[id(s)] = head
        state.become(head.moved(zip(s.carried, s.outs, strict=True)))

    def call(self, s: Call, state: _State) -> None:
        does, modes = self.known[s.callee], self.modes(s.callee)
        given = {k: a.name for k, a in enumerate(s.args) if isinstance(a.type, Array)}
        for name in given.values():
            self.use(name, False, state, s)
        for k in does.updated & given.keys():
            state.update(given[k], s)
        for k, j in product(does.updated & given.keys(), given):
            if given[j] in state.others(given[k]) and (modes[k], modes[j]) != ("acc", "acc"):
                self.fail(given[j], state, s)
        for k in does.items & given.keys():
            if given[k] in state.doubled:
                raise NotLinear(f"{self.f.name}: an item of {given[k]} is updated by {s}, and is another one")
            state.update_items(given[k], s)
            for name in (given[j] for j in given if j != k and given[j] in state.stale):
                self.fail(name, state, s)
        may_be = {
            r: {n for p in ps for n in (*state.others(given[p]), *((given[p],) if modes[p] != "own" else ()))}
            for r, ps in _grouped(does.given_back)
        }
        arrays = {k: o.name for k, o in enumerate(s.outs) if isinstance(o.type, Array)}
        of, held = dict(_grouped(does.given_back)), dict(_grouped(does.held))
        alike = dict(_grouped(does.alike))
        for r, name in arrays.items():
            state.define(name, may_be.get(r, ()))
        for r, name in arrays.items():
            items = lambda p: {*state.held_by(given[p]), _items_of(given[p])}
            parts = [set().union(*map(items, of.get(r, ())))]  # of one of these lists
            parts += [items(p) for p in alike.get(r, ())]
            parts += [{given[p], *state.others(given[p])} for p in held.get(r, ())]
            if sum(map(len, parts)) > len(set().union(*parts)) or any(
                given[p] in state.doubled for p in (*of.get(r, ()), *alike.get(r, ()))
            ):
                state.doubled.add(name)
            state.holds |= {(name, n) for part in parts for n in part}
        for r, q in does.common:
            state.holds.add((arrays[r], _items_of(arrays[q])))
        state.doubled |= {arrays[r] for r in does.doubled}
        for r, name in arrays.items():
            for q, other in arrays.items():
                one = ((p, o) for p in of.get(r, ()) for o in of.get(q, ()))
                meet = any(p == o or given[o] in state.others(given[p]) for p, o in one)
                if r < q and (meet or (r, q) in does.together):
                    state.pairs.add(frozenset((name, other)))


def _grouped(pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, set[int]]]:
    """The second numbers, grouped by the first."""
    pairs = set(pairs)
    for first in {a for a, _ in pairs}:
        yield first, {b for a, b in pairs if a == first}
