"""The undo log: arrays whose writes the reverse sweep undoes, so that earlier contents can be re-read.

For an array that is loaded and later overwritten, either the loaded values are logged, or the overwritten cells are
logged and restored. For Cholesky factorisation by loops, the first takes n^3/3 words and the second n^2/2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Call, Copy, Dim, Drop, Function, If, Load, Loop, Names, Reserve, Stmt, Store, Var,
    all_names, blocks, operands, walk, writes, written,
)
from linad_typecheck.ir.rewrite import in_blocks
from linad_typecheck.linear.uses import Modes
from linad_typecheck.types import Array, Scalar

from ..facts.activity import Facts, analyse_activity
from .model import TRIPS, WORD, Plan, bytes_of
from .storage import make_plan

_PLANS = 12  # at most so many are made for a function


def choose_undo(
    f: Function, modes: Modes, wrt: Iterable[str], shapes: dict[int, tuple[Atom, ...]], log_everything: bool = False
) -> tuple[Facts, Plan]:
    """The facts and plan of a function for a set of undone arrays that logs few words.

    Arrays are undone all at once, because planning a long program is slow. If some of them save nothing, the others are
    tried again, and if all together save nothing, each half.
    """
    facts = analyse_activity(f, modes, wrt)
    best = facts, make_plan(facts, shapes, log_everything)
    if log_everything:
        return best
    undone: set[str] = set()
    todo = [list(_candidates(*best))]
    for _ in range(_PLANS):
        places = todo.pop() if todo else []
        if not places:
            continue
        changed, undo, exchange = _with_old_cells(f, best[0], undone.union(places))
        facts = analyse_activity(changed, modes, wrt, undo, exchange)
        plan = make_plan(facts, shapes)
        before, after = _logged_loads(*best, places), _logged_loads(facts, plan, places)
        useful = [place for place in places if after[place] < before[place]]
        if memory(plan) < memory(best[1]) and (useful == places or len(places) == 1):
            best, undone = (facts, plan), undone.union(places)
        elif len(useful) < len(places) > 1:
            todo.append(useful)
        elif len(places) > 1:
            half = (len(places) + 1) // 2
            todo += [places[half:], places[:half]]
    return best


def memory(plan: Plan) -> int:
    """An estimate of the bytes logged, assuming the same value for every trip count and array size."""
    return sum(
        TRIPS ** len(b.path)
        * (
            sum(bytes_of(plan.variable(n, b).type) for n in b.logs)
            + WORD * (len(b.rows) + sum(TRIPS ** len(a.shape) for a in (*b.expanded.values(), *b.rows.values())))
        )
        for b in plan.bodies.values()
    )


def _candidates(facts: Facts, plan: Plan) -> list[str]:
    """Arrays allocated in a frame, without aliases and written cell by cell, whose logged loads might be re-read
    instead, if that may save more words than are written."""
    frames = set(plan.frames)
    one_name: dict[str, Var] = {}
    excluded = {r.name for r in facts.function.body.results if isinstance(r, Var)} | facts.moved
    for s in walk(facts.function.body):
        if isinstance(s, Alloc | Copy) and facts.home[s.out.name] in frames and s.out.name not in excluded:
            one_name[facts.place(s.out)] = s.out
    for s in walk(facts.function.body):
        given = s.args if isinstance(s, Call) else () if isinstance(s, Store | AddTo) else writes(s)
        for a in given:  # callees do not undo their writes, and whole-array writes are not undone
            if isinstance(a, Var) and isinstance(a.type, Array):
                one_name.pop(facts.place(a), None)
    found: list[str] = []
    for b in plan.bodies.values():
        for s in (t for t in walk(b.loop.body) if isinstance(t, Load)):
            place = facts.place(s.array)
            home = plan.region_of.get(facts.home[s.array.name])
            if place in one_name and place not in found and home is b.frame and _writes_in(facts, plan, place, b.frame):
                found.append(place)
    saved = _logged_loads(facts, plan, found)
    spent = Counter[str]()
    for frame in {id(b.frame): b.frame for b in plan.bodies.values()}.values():
        spent.update(_written_cells(facts, frame.block))
    return [place for place in found if saved[place] > spent[place]]


def _logged_loads(facts: Facts, plan: Plan, places: Iterable[str]) -> Counter[str]:
    """By array, of these, the logged words that depend on loads from it. No more can be saved."""
    found = Counter[str]()
    loads: dict[str, list[Stmt]] = {place: [] for place in places}
    if not loads:
        return found
    users: dict[int, list[Stmt]] = {}  # by id of a statement: those that depend on it, or have it in a block
    for s in walk(facts.function.body):
        if isinstance(s, Load) and (place := facts.place(s.array)) in loads:
            loads[place].append(s)
        used = [facts.definition.get(facts.value(a).name) for a in operands(s) if isinstance(a, Var)]
        for t in (*used, *(t for inner in blocks(s) for t in inner.stmts)):
            users.setdefault(id(t), []).append(s)
    weights = Counter[int]()  # by id of the statement that defines them: the logged words
    for b in plan.bodies.values():
        for name in b.logs:
            weights[id(facts.definition.get(name))] += TRIPS ** len(b.path)
    for place, todo in loads.items():
        seen: set[int] = set()
        while todo:
            s = todo.pop()
            if id(s) not in seen:
                seen.add(id(s))
                found[place] += weights[id(s)]
                todo += users.get(id(s), ())
    return found


def _written_cells(facts: Facts, block: Block, depth: int = 0) -> Counter[str]:
    """By array, the cells that a block overwrites without having loaded them: each is a further logged word if its
    writes are undone."""
    found = Counter[str]()
    for k, s in enumerate(block.stmts):
        if isinstance(s, Store | AddTo) and _loaded(block.stmts[:k], s.array, s.index, facts) is None:
            found[facts.place(s.array)] += TRIPS**depth
        for b in blocks(s):
            found.update(_written_cells(facts, b, depth + isinstance(s, Loop)))
    return found


def _writes_in(facts: Facts, plan: Plan, place: str, frame: object) -> bool:
    """Whether all writes to an array are in its own frame or in fused loops of it. These loops are no longer fused once
    they load the old cells."""

    def inside(block: Block, fused: bool = False) -> bool:
        region = plan.region_of.get(id(block), frame)
        own = fused or region is frame or getattr(region, "frame", None) is frame
        for s in block.stmts:
            target = written(s)
            if target is not None and facts.place(target) == place and not own:
                return False
            again = fused or own and plan.modes.get(id(s)) == "fused"
            if not all(inside(b, again) for b in blocks(s)):
                return False
        return True

    return inside(facts.function.body)


def _with_old_cells(f: Function, facts: Facts, places: set[str]) -> tuple[Function, dict[int, Var], dict[int, Load]]:
    """The function with a load of the old cell before each write to the arrays.

    Also returns the old cell of each write, and the writes that exchange a cell with a log instead.
    """
    names = Names(all_names(f))
    undo: dict[int, Var] = {}
    exchange: dict[int, Load] = {}
    once = _read_once(f, facts)

    def inside(block: Block) -> Block:
        out: list[Stmt] = []
        loads: list[Load] = []
        for s in block.stmts:
            match s:
                case Store(array=a) | AddTo(array=a) if facts.place(a) in places:
                    write = replace(s, checked=False)
                    word = facts.value(s.value)
                    from_log = (
                        once.get(word.name)
                        if isinstance(s, Store) and isinstance(word, Var) and not s.checked
                        else None
                    )
                    # the log must live as long as the array
                    if (
                        from_log is not None
                        and from_log in loads
                        and facts.home[from_log.array.name] == facts.home[a.name]
                    ):
                        exchange[id(write)] = from_log
                        loads.remove(from_log)  # its cell holds another word from here on
                        out.append(write)
                        continue
                    old = _loaded(out, a, s.index, facts)
                    if old is not None:
                        undo[id(write)] = old
                        out.append(write)
                        continue
                    old = names.var("old", Scalar(a.type.dtype))
                    undo[id(write)] = old
                    out += [Load(old, a, s.index, s.checked, s.span), write]
                    if old.type.dtype in ("f64", "f32"):
                        out.append(Drop(old, s.span))
                case _:
                    if isinstance(s, Load):
                        loads.append(s)
                    out.append(in_blocks(s, inside))
        return Block(tuple(out), block.results)

    return replace(f, body=inside(f.body)), undo, exchange


def _loaded(before: Sequence[Stmt], array: Var, index: tuple[Atom, ...], facts: Facts) -> Var | None:
    """The value of a cell, if an earlier statement loaded it and the array has not been written since."""
    place, cell = facts.place(array), tuple(map(facts.value, index))
    for s in reversed(before):
        if isinstance(s, Load) and facts.place(s.array) == place and tuple(map(facts.value, s.index)) == cell:
            return s.out
        target = written(s)
        if (target is not None and facts.place(target) == place) or isinstance(s, If | Loop | Call):
            return None
    return None


def _read_once(f: Function, facts: Facts) -> dict[str, Load]:
    """By the name of their value, the loads that are the only readers of the log cells that they load.

    The forward sweep writes a log, and the reverse sweep reads each cell once per such load.
    """
    logs = {s.out.name for s in walk(f.body) if isinstance(s, Alloc) and s.log == "cells"} - facts.moved
    found: dict[str, list[Load]] = {}
    for s in walk(f.body):
        for a in operands(s):
            if isinstance(a, Var) and a.name in logs and not isinstance(s, Load | Store | Reserve | Dim | Drop):
                logs.discard(a.name)
        if isinstance(s, Load):
            found.setdefault(s.array.name, []).append(s)
    return {loads[0].out.name: loads[0] for n, loads in found.items() if n in logs and len(loads) == 1}
