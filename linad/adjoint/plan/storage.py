"""The storage plan: how the reverse sweep obtains each primal value that it needs.

Per value, in order of preference: *available* (still in scope), *re-read* (loaded again from cells that have not been
overwritten), *recomputed* (cheap arithmetic on such values), *logged* (the minimum cut between what is lost and what is
needed). Per loop: *fused* (re-executed next to its reverse, one iteration at a time, without a log), *merged* (executed
only there) or *logged*.

A **frame** is a region of the program whose values are all in scope when its reverse sweep runs: the function body, an
iteration of a fused or merged loop, an arm of a merged `if`. A **body** is an iteration of a logged loop: its values
are out of scope by then, except for those that the plan recovers.

Soundness of a re-read: no write that may alias the array executes after the load and before its reverse; writes in an
enclosing logged loop do execute after it, in later iterations. Alternatively, all of them write other cells
(`overwrite_analysis.py`). If all writes to an array are *undone* (`undo.py`: the reverse of a write restores the old
cell), the array has its earlier contents again when the reverse sweep arrives. Then only the writes between the load
and the last statement whose reverse needs its value matter.
"""

from __future__ import annotations

from collections.abc import Iterable

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Call, Copy, Dense, Dim, Drop, Dup, If, Let, Load, Loop, Read, Stmt, Store, Var, blocks,
    free_vars, operands, outputs, walk, written,
)
from linad_typecheck.types import Array, Scalar, is_float

from linad.analysis.loop_facts import next_value
from linad.analysis.operation_costs import is_library_call

from ..facts.activity import Facts
from .recomputation import parts, sources
from .dense import kept_later, readable, sizes_asked, tape_sizes
from ..checkpoints.state import around_marked, checkpointed, is_marked
from ..facts.dependence import carried_needed, reads_of, touched
from ..facts.reread_analysis import extent, kept_cells, statement_in, stored_values
from .logged import logging_loops
from .mincut import cheapest_cut
from ..facts.reversal_order import order_free
from .model import Body, Frame, Outside, Plan, Region, block_ids, bytes_of, rule_needs
from ..facts.overwrite_analysis import Reach
from .loop_results import not_fused, only_results, rerun_for_results
from .iteration_logs import choose_kept


def make_plan(facts: Facts, shapes: dict[int, tuple[Atom, ...]], log_everything: bool = False) -> Plan:
    """Plan a function. Loops log the results of inner loops where this avoids re-running them (`loop_results.py`)."""
    reach = Reach(facts)
    plan = _planned(facts, shapes, log_everything, frozenset(), reach)
    asked = [] if log_everything else list(rerun_for_results(plan))
    while asked:  # all at once, because planning a long program is slow
        other = _planned(facts, shapes, False, frozenset().union(*(not_fused(s, plan) for s in asked)), reach)
        spared = [s for s in asked if only_results(s, other)]
        if len(spared) == len(asked):
            return other
        asked = spared
    return plan


def _planned(
    facts: Facts, shapes: dict[int, tuple[Atom, ...]], log_everything: bool, logged: frozenset[int], reach: Reach
) -> Plan:
    """The plan if the given loops are not fused. A marked loop takes snapshots if it would otherwise log anything."""
    loops = (s for s in walk(facts.function.body) if isinstance(s, Loop))
    free = {id(s) for s in loops if is_marked(s) and not log_everything}
    while True:
        plan = Plan(facts, shapes=shapes, log_everything=log_everything)
        _Planner(plan, free, logged, reach).top()
        logs = {id(s) for s in logging_loops(plan)}
        if not free & logs:
            return plan
        free -= logs


def make_call_plan(facts: Facts, shapes: dict[int, tuple[Atom, ...]], call: Loop, log_everything: bool = False) -> Plan:
    """The plan of a recursive function, whose body is that of ``call``, the only statement of ``facts.function``. Its
    values are out of scope when its reverse is called."""
    plan = Plan(facts, shapes=shapes, log_everything=log_everything)
    planner = _Planner(plan)
    block = facts.function.body
    frame = Frame(block, 0, 0, max(facts.end.values(), default=0))
    plan.frames[id(block)] = plan.region_of[id(block)] = frame
    planner.logged(call, frame, (), True, stacked=True)
    planner.collect(block, frame)
    return plan


class _Planner:
    def __init__(
        self, plan: Plan, free: Iterable[int] = (), logged: frozenset[int] = frozenset(), reach: Reach | None = None
    ) -> None:
        self.plan, self.facts = plan, plan.facts
        self.must_log = logged  # ids of loops that may not be fused
        self.free = frozenset(free)  # ids of marked loops that need no snapshots
        self.undone_places = {
            self.facts.place(s.array) for s in walk(self.facts.function.body) if self.facts.undoes(s)
        } | {self.facts.place(load.array) for load in self.facts.exchange.values()}
        self.reach = reach or Reach(self.facts)
        self.rule_needed = self.all_rule_needs()
        self.wanted = self.closure(self.rule_needed)

    # -- needs of the reverse, regardless of their source

    def all_rule_needs(self) -> set[str]:
        found: set[str] = set()
        for s in walk(self.facts.function.body):
            found |= {a.name for a in map(self.facts.value, self.own_needs(s)) if isinstance(a, Var)}
        return found

    def own_needs(self, s: Stmt) -> list[Atom]:
        """The primal values that the reverse of a statement itself reads."""
        facts = self.facts
        match s:
            case Let():
                return rule_needs(s, facts)
            case Drop(x=x) if isinstance(x.type, Array) and facts.is_active(x):
                return list(self.plan.shapes[id(s)])
        if not facts.matters(s):
            return []
        match s:
            case Load(index=i) | Store(index=i) | AddTo(index=i):
                log = facts.exchange[id(s)].index if id(s) in facts.exchange else ()
                return [*i, *log, *([facts.undo[id(s)]] if id(s) in facts.undo else [])]
            case If(cond=c):
                return [c]
            case Loop(start=a, stop=b, step=c, trips=t):
                return [a, c, *([b] if t is None else [t])]
            case Dense():
                return sizes_asked(s, self.plan)
        return []

    def closure(self, names: set[str]) -> set[str]:
        """The values from which the given ones may be recomputed."""
        found, todo = set(), list(names)
        while todo:
            n = todo.pop()
            if n in found:
                continue
            found.add(n)
            s = self.facts.definition.get(n)
            todo += [a.name for a in sources(s, n, self.facts) if isinstance(a, Var)] if s is not None else ()
        return found

    # -- frames and loop modes

    def top(self) -> None:
        body = self.facts.function.body
        self.frame(Frame(body, 0, 0, max(self.facts.end.values(), default=0)))

    def frame(self, frame: Frame) -> None:
        self.plan.frames[id(frame.block)] = frame
        self.merge(frame)
        self.modes(frame.block, frame, (), in_frame=True)
        self.collect(frame.block, frame)

    def modes(self, block: Block, region: Region, path: tuple[Body, ...], in_frame: bool) -> None:
        """Decide how each loop of a block and of its arms is reversed."""
        self.plan.region_of[id(block)] = region
        frame = region if isinstance(region, Frame) else region.frame
        for s in block.stmts:
            match s:
                case If() if id(s) in frame.merged:
                    for arm in (s.then, s.orelse):
                        self.inner_frame(arm, frame, s, frame.depth, frame.redone, updated=frame.updated)
                case If():
                    for arm in (s.then, s.orelse):
                        self.modes(arm, region, path, False)
                case Call():
                    self.plan.unchanged[id(s)] = self.unchanged(s, frame, path)
                case Dense() if self.facts.matters(s):
                    self.plan.dense[id(s)] = readable(s, self.plan, lambda v, at: self.stable(v, at, frame, path))
                    self.plan.tape_sizes |= tape_sizes(s, self.plan, frame)
                case Loop() if not self.facts.matters(s):
                    self.plan.modes[id(s)] = "plain"
                    self.settle(s.body, region)
                case Loop() if id(s) in frame.merged:
                    self.plan.modes[id(s)] = "merged"
                    self.inner_frame(s.body, frame, s, frame.depth + 1, frame.redone, updated=frame.updated)
                case Loop() if frame.depth == 0 and self.fusable(s, frame, path):
                    self.plan.modes[id(s)] = "fused"
                    self.inner_frame(s.body, frame, s, frame.depth + 1, frozenset(block_ids(s.body)), bodies=path)
                case Loop() if isinstance(region, Frame) and self.wants_snapshots(s):
                    self.checkpointed(s, frame)
                case Loop():
                    self.logged(s, frame, path, in_frame, bool(path) and path[0].stacked)
        self.plan.later |= kept_later(block, self.plan)

    def logged(self, s: Loop, frame: Frame, path: tuple[Body, ...], in_frame: bool, stacked: bool) -> None:
        self.plan.modes[id(s)] = "logged"
        body = Body(s, frame, stacked=stacked)
        body.path = (*path, body)
        body.in_frame_block = path[0].in_frame_block if path else in_frame
        self.plan.bodies[id(s)] = body
        choose_kept(body, self.plan, self.wanted)
        self.modes(s.body, body, body.path, False)

    def wants_snapshots(self, s: Loop) -> bool:
        mine = is_marked(s) and id(s) not in self.free
        return not self.plan.log_everything and (mine or around_marked(s, self.facts, self.free))

    def checkpointed(self, s: Loop, frame: Frame) -> None:
        """Plan a checkpointed loop: the step is a frame of its own, with copies of arrays that have changed."""
        self.plan.modes[id(s)] = "checkpointed"
        at = self.facts.end[id(s)]
        held = checkpointed(s, self.facts, self.rule_needed, lambda v: self.stable(v, at, frame, ()))
        self.plan.snapshots[id(s)] = held
        redone = frozenset(block_ids(s.body))
        self.inner_frame(
            s.body, frame, s, frame.depth, redone, held.own, frozenset(v.name for v in held.arrays), bodies=None
        )

    def settle(self, block: Block, region: Region) -> None:
        """Mark the blocks of a loop without a derivative as outside the reverse sweep, so that their values are lost.
        """
        self.plan.region_of[id(block)] = Outside(region if isinstance(region, Frame) else region.frame)
        for s in block.stmts:
            if isinstance(s, Loop):
                self.plan.modes[id(s)] = "plain"
            for b in blocks(s):
                self.settle(b, region)

    def inner_frame(
        self,
        block: Block,
        outer: Frame,
        s: Stmt,
        depth: int,
        redone: frozenset[int] | None,
        held: frozenset[str] = frozenset(),
        updated: frozenset[str] = frozenset(),
        bodies: tuple[Body, ...] | None = (),
    ) -> None:
        position, end = self.facts.position, self.facts.end
        first = position[id(block.stmts[0])] if block.stmts else position[id(s)]
        last = end[id(block.stmts[-1])] if block.stmts else position[id(s)]
        around = () if bodies is None else (*outer.bodies, *bodies)
        frame = Frame(block, depth, first, last, outer, redone, held=held, updated=updated, bodies=around)
        self.plan.region_of[id(block)] = frame
        self.frame(frame)

    # -- merging: run a statement of a frame only at its reverse position, forward and reverse together

    def merge(self, frame: Frame) -> None:
        read: set[str] = set()  # alias groups that later statements read,
        changed: set[str] = set()  # and write: a statement can move past them if it accesses none of these
        used: set[str] = set()  # values read by statements that are not deferred
        tail: list[Stmt] = []
        for s in reversed(frame.block.stmts):
            outs = {self.facts.value(v).name for v in outputs(s)}
            free = not (outs & used) and not (outs & self.rule_needed)
            if free and isinstance(s, Let | Dup | Read) or (isinstance(s, Drop) and isinstance(s.x.type, Scalar)):
                tail.append(s)
                continue
            reads, writes = touched(s, self.facts)
            apart = writes.isdisjoint(read) and changed.isdisjoint(reads | writes)
            if free and apart and self.can_merge(s, frame):
                frame.merged.add(id(s))
            read |= reads
            changed |= writes
            used |= reads_of(s, self.facts)
        made = {self.facts.value(v).name for s in frame.block.stmts if id(s) in frame.merged for v in outputs(s)}
        for s in reversed(tail):
            if any(isinstance(a, Var) and self.facts.value(a).name in made for a in operands(s)):
                frame.deferred.add(id(s))
                made |= {self.facts.value(v).name for v in outputs(s)}

    def can_merge(self, s: Stmt, frame: Frame) -> bool:
        if self.plan.log_everything or not self.facts.matters(s):
            return False
        match s:
            case Loop():
                return self.runs_late(s, frame, (), frame.redone is not None) and order_free(s, self.facts)
            case If():
                outer = [v for b in blocks(s) for v in free_vars(b).values() if isinstance(v.type, Array)]
                moved = any(v.name in self.facts.moved for v in outer)
                return not moved and any(isinstance(t, Loop) for b in blocks(s) for t in walk(b))
        return False

    # -- fusion

    def fusable(self, s: Loop, frame: Frame, path: tuple[Body, ...]) -> bool:
        """Whether re-running an iteration at its reverse position gives the original values.

        This holds for loops that could run there as a whole and whose carried values only accumulate (sums, or products
        that no derivative needs).
        """
        again = self.runs_late(s, frame, path, executed=True)
        return again and not carried_needed(s, self.facts, self.rule_needed)

    def runs_late(self, s: Loop, frame: Frame, path: tuple[Body, ...], executed: bool = False) -> bool:
        """Whether a loop would find the same inputs at its reverse position as at its own.

        Neither the loop nor a later statement may write to the outer arrays that the body reads, and no array may be
        moved. A carried array is moved, or is dropped by the body, whose names are out of scope by then. A loop that
        has been ``executed`` at its own position does not write to outer arrays again, so these need not be available.
        """
        if self.plan.log_everything or s.exits or id(s) in self.must_log:
            return False
        inner = {self.facts.place(t.out) for t in walk(s.body) if isinstance(t, Alloc | Copy)}
        reads, writes = touched(s, self.facts)
        if (reads & writes) - inner or any(isinstance(t, Call | Dense) for t in walk(s.body)):
            return False
        outer = {v.name: v for v in free_vars(s.body).values() if isinstance(v.type, Array)}
        asked = {str(a) for t in walk(s.body) for a in operands(t) if a != written(t)} if executed else outer.keys()
        if any(
            v.name in self.facts.moved or v.name in asked and not self.visible(v, frame, path) for v in outer.values()
        ):
            return False
        for v in outer.values():
            place = self.facts.place(v)
            if (
                place in reads
                and not self.stable(v, self.facts.end[id(s)], frame, path)
                and not self.all_last(s, place, frame, path)
            ):
                return False
        return True

    # -- availability

    def all_last(self, s: Loop, place: str, frame: Frame, path: tuple[Body, ...]) -> bool:
        """Whether a loop only loads from an array, and only cells that are unchanged at its reverse."""
        uses = [
            t for t in walk(s.body) if any(isinstance(a, Var) and self.facts.place(a) == place for a in operands(t))
        ]
        return all(isinstance(t, Dim | Drop) or isinstance(t, Load) and self.lasts(t, frame, path) for t in uses)

    def lasts(self, s: Load, frame: Frame, path: tuple[Body, ...]) -> bool:
        """Whether a loaded cell is unchanged at the reverse of the load."""
        if self.stable(s.array, self.facts.position[id(s)], frame, path):
            return True
        if s.array.name in self.facts.moved:
            return False
        kept = next((b.loop for b in (*frame.bodies, *path) if b.keeps(s.array.name)), None)
        if kept is not None:
            return self.reach.untouched(s, self.facts.position[id(kept)], self.facts.end[id(kept)])
        return self.facts.home[s.array.name] in frame.visible() and self.reach.untouched(s, frame.first, frame.last)

    def visible(self, v: Var, frame: Frame, path: tuple[Body, ...]) -> bool:
        """Whether an array is still accessible by name in the reverse sweep of a point."""
        here = self.facts.home[v.name] in frame.visible() or frame.holds(v.name)
        return here or any(b.keeps(v.name) for b in (*frame.bodies, *path))

    def stable(self, v: Var, position: int, frame: Frame, path: tuple[Body, ...]) -> bool:
        """Whether ``v`` has the same contents at a position and at the reverse of that position."""
        if v.name in self.facts.moved or not self.visible(v, frame, path):
            return False
        if self.undone_place(v):
            return True
        last, around, inner = frame.last, path, frame
        bodies = (*frame.bodies, *path)
        for k, b in enumerate(bodies):
            if b.keeps(v.name):
                last, around, inner = self.facts.end[id(b.loop)], bodies[k + 1 :], b.frame
        place = self.facts.place(v)
        spans = [(self.facts.position[id(b.loop)], self.facts.end[id(b.loop)]) for b in around]
        between = frame
        while between is not inner:  # the kept contents are those after all of these
            spans.append((between.first, between.last))
            between = between.outer  # type: ignore[assignment]
        for group, at in self.facts.writes:
            if group == place and at <= last and (at > position or any(a <= at <= b for a, b in spans)):
                return False
        return True

    def unchanged(self, s: Call, frame: Frame, path: tuple[Body, ...]) -> tuple[int, ...]:
        """The positions of read-only array arguments of a call that are unchanged at its reverse."""
        modes, at = self.facts.modes(s.callee), self.facts.end[id(s)]
        read = [k for k, a in enumerate(s.args) if isinstance(a.type, Array) and modes[k] == "read"]
        if self.plan.log_everything:
            return ()
        return tuple(k for k in read if self.stable(s.args[k], at, frame, path))

    # -- collecting needs, innermost first

    def collect(self, block: Block, region: Region, path: tuple[tuple[int, Stmt], ...] = ()) -> None:
        for s in block.stmts:
            here = (*path, (id(block), s))
            self.need(self.own_needs(s), region, here)
            match s:
                case If() if isinstance(region, Frame) and id(s) in region.merged:
                    for arm in blocks(s):
                        self.need(free_vars(arm).values(), region, here)
                case If():
                    for arm in blocks(s):
                        self.collect(arm, region, here)
                case Loop():
                    self.collect_loop(s, region, here)

    def collect_loop(self, s: Loop, region: Region, here: tuple[tuple[int, Stmt], ...]) -> None:
        match self.plan.modes[id(s)]:
            case "fused" | "merged":
                self.need((s.start, s.stop, s.step, *free_vars(s.body).values()), region, here)
            case "checkpointed":
                marks = self.plan.snapshots[id(s)].mark.atoms
                self.need((s.start, s.step, *s.inits, *marks, *free_vars(s.body).values()), region, here)
            case "logged":
                body = self.plan.bodies[id(s)]
                self.collect(s.body, body)
                for n in sorted(self.solve(body)):
                    self.ask(n, region, here)

    def need(self, atoms: Iterable[Atom], region: Region, here: tuple[tuple[int, Stmt], ...]) -> None:
        for a in atoms:
            a = self.facts.value(a)
            if isinstance(a, Var) and isinstance(a.type, Scalar):
                self.ask(a.name, region, here)

    def ask(self, name: str, region: Region, here: tuple[tuple[int, Stmt], ...]) -> None:
        region.needed.add(name)
        if isinstance(region, Body):
            region.requests.append((name, here))

    def solve(self, body: Body) -> set[str]:
        """Decide where the needed values of a body come from. Return what it needs of enclosing regions."""
        stores = {} if self.plan.log_everything or body.stacked else stored_values(body, self.plan)
        first, last = extent(body, stores, self.facts)
        kept = kept_cells(stores, body, self.plan, self.undone_places, first, last, self.reach)
        uses: dict[str, list[str]] = {}
        lost: set[str] = set()
        outer: set[str] = set()
        todo = list(body.needed)
        seen: set[str] = set()
        while todo:
            n = todo.pop()
            if n in seen:
                continue
            seen.add(n)
            if self.plan.region(n) is not body:
                outer.add(n)
            elif n != body.loop.index.name:
                sources = self.recomputable(n, body, last)
                if n in kept and (sources is None or isinstance(self.facts.definition.get(n), Let)):
                    self.plan.kept[n] = kept[n]
                    sources = kept[n].index
                if sources is None:
                    lost.add(n)
                    uses[n] = []
                else:
                    uses[n] = [a.name for a in map(self.facts.value, sources) if isinstance(a, Var)]
                    todo += uses[n]
        inside = {n: [m for m in ms if m in uses] for n, ms in uses.items()}
        costs = {n: bytes_of(self.plan.variable(n, body).type) for n in uses}
        logged = cheapest_cut(inside, costs, lost, body.needed & uses.keys())
        required: set[str] = set()
        done: set[tuple[str, int]] = set()
        requests = list(body.requests)
        while requests:
            n, here = requests.pop()
            if n in outer:
                required.add(n)
            at = statement_in(self.facts.home[n], here)
            if n not in uses or (n, id(at)) in done:
                continue
            done.add((n, id(at)))
            self.plan.wants.setdefault(id(at), []).append(n)
            if n in logged:
                body.source[n] = "logged"
                continue
            again = n in self.plan.kept or isinstance(self.facts.definition.get(n), Load | Dim)
            body.source[n] = "re-read" if again else "recomputed"
            requests += [(m, here) for m in uses[n]]
        body.before = self.handed_on(body)
        return required

    def handed_on(self, body: Body) -> dict[str, str]:
        """The carried values that need no log of their own, because the previous iteration logs them as its results."""
        loop, found = body.loop, {}
        if self.plan.log_everything or body.stacked:
            return found
        for k, c in enumerate(loop.carried):
            r = next_value(loop, k, self.facts.value)
            if isinstance(r, Var) and all(body.source.get(v.name) == "logged" for v in (c, r)):
                made = self.plan.region(r.name) is body and r.name in self.facts.definition
                if made and r.name not in found.values():
                    found[c.name] = r.name
        return found

    def recomputable(self, name: str, body: Body, last: dict[str, int]) -> tuple[Atom, ...] | None:
        """The operands from which a value can be recomputed, or None."""
        if self.plan.log_everything:
            return None
        s = self.facts.definition.get(name)
        match s:
            case Load(array=a, index=i) if self.undone_place(a):
                return None if self.facts.written(a, self.facts.position[id(s)], last[name]) else i
            case Let() | Load() | Dim() if self.repeatable(s, body):
                return tuple(sources(s, name, self.facts))
            case If() if (arms := parts(s, name, self.facts)) is not None:
                again = all(self.repeatable(t, body) for arm in arms for t in arm.stmts)
                return tuple(sources(s, name, self.facts)) if again else None
        return None

    def repeatable(self, s: Stmt, body: Body) -> bool:
        """Whether a statement is cheap and gives the same result in the reverse sweep."""
        match s:
            case Let(ins=ins, out=out):
                return not is_library_call(s) and (is_float(out.type) or not any(map(self.is_computed_float, ins)))
            case Load(array=a):
                return not self.undone_place(a) and self.lasts(s, body.frame, body.path)
            case Dim(array=a):
                return a.name not in self.facts.moved and self.visible(a, body.frame, body.path)
        return False

    def undone_place(self, v: Var) -> bool:
        return self.facts.place(v) in self.undone_places

    def is_computed_float(self, a: Atom) -> bool:
        """Whether an atom is a float computed by arithmetic. Branches on it are logged, because a recomputation may
        round differently."""
        a = self.facts.value(a)
        return isinstance(a, Var) and is_float(a.type) and isinstance(self.facts.definition.get(a.name), Let)
