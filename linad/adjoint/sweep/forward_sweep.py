"""The forward sweep under a storage plan, and access to its values (re-read, recomputed or logged) in the reverse
sweep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Call, Check, Const, Dense, Dim, Drop, Dup, If, Let, Load, Loop, Names, Read, Reserve,
    Stmt, Store, Var, base_name, outputs, written, walk,
)
from linad_typecheck.ir.rewrite import freshen, rebuild
from linad_typecheck.types import I64, ZEROS, Array, Scalar

from ..checkpoints import reverse as checkpoint
from . import dense
from ..facts.activity import Facts
from ..plan.recomputation import parts, sources
from ..plan.model import Body, Frame, Plan
from ..plan.iteration_logs import uneven
from ..protocols import CallSweep
from .array_logs import ArrayLogs, Row, log_name

ZERO, ONE = Const(0, I64), Const(1, I64)


class ForwardSweep:
    """Emits primal statements and their logs.

    Attributes
    ----------
    there
        By name, the atom that holds a value of a logged body or an arm at the current point of the sweep.
    bound
        Carried values of a fused loop, which its re-execution does not need.
    address
        For each logged body being emitted, the index of this iteration in its logs.
    stack
        The stacks of calls of recursive functions.
    """

    stack: CallSweep

    def __init__(self, facts: Facts, plan: Plan, names: Names) -> None:
        self.facts, self.plan, self.names = facts, plan, names
        self.there: dict[str | Row, Atom] = {}
        self.bound: dict[str, Atom] = {}
        self.address: dict[int, tuple[Atom, ...]] = {}
        self.exchanging = {load.array.name for load in facts.exchange.values()}
        self.logs: dict[str | Row, Var] = {}  # the logs of values and of expanded arrays
        # by id of a body: the position in its logs, if their sizes are not known in advance
        self.cursors: dict[int, Var] = {}
        self.matrix_logs = dense.MatrixLogs(self)
        self.array_logs = ArrayLogs(self, names)
        self.starts: dict[int, list[Stmt]] = {}  # by id of a frame: statements to place at its start

    # -- atoms

    def at(self, a: Atom) -> Atom:
        """The atom that holds a primal value at the current point."""
        a = self.facts.value(a)
        if isinstance(a, Const):
            return a
        return self.bound.get(a.name) or self.there.get(a.name, a)

    def let(self, out: list[Stmt], op: str, *ins: Atom, hint: str = "k") -> Atom:
        match op, ins:
            case ("add" | "sub", (a, Const(value=0))):
                return a
            case "add", (Const(value=0), b):
                return b
        v = self.names.var(hint, I64)
        out.append(Let(v, op, ins))
        return v

    # -- primal statements

    def erased(self, s: Stmt, frame: Frame | None = None) -> tuple[Stmt, ...]:
        """A simple statement without linear form, and without effects that a re-execution must not repeat."""
        if isinstance(s, Dup | Drop | Read):
            return ()
        redone = frame.redone if frame is not None else None
        if redone is not None:
            target = written(s)
            if isinstance(s, Check):
                return ()
            if target is not None and self.facts.home[target.name] not in redone and target.name not in frame.updated:
                return ()
        if id(s) in self.facts.exchange:
            return self.exchanged(s)
        s = rebuild(s, self.at, block=self.plain)
        match s:
            case Load(array=a, index=i) | Store(array=a, index=i) | AddTo(array=a, index=i):
                s = replace(s, checked=s.checked and redone is None)
                if isinstance(s, Load) and (kept := self.array_logs.load(s)) is not None:
                    return kept
                slice_ = self.slice_of(a)
                return (s,) if slice_ is None else (replace(s, array=slice_[0], index=(*slice_[1], *i)),)
            case Dim(array=a, axis=k):
                slice_ = self.slice_of(a)
                return (s,) if slice_ is None else (replace(s, array=slice_[0], axis=k + len(slice_[1])),)
            case Alloc(out=v) if self.slice_of(v) is not None:
                return ()
            case Alloc(out=v) if v.name in self.exchanging:
                return (replace(s, log="stack"),)
        return (s,)

    def exchanged(self, s: Store) -> tuple[Stmt, ...]:
        """Exchange a cell with a word of a log. The exchange is its own inverse."""
        log = self.facts.exchange[id(s)]
        cell, word = tuple(map(self.at, s.index)), tuple(map(self.at, log.index))
        old, new = self.names.var("old", log.out.type), self.names.var("new", log.out.type)
        return (
            Load(old, s.array, cell, False, s.span),
            Load(new, log.array, word, False, s.span),
            Store(s.array, cell, new, False, s.span),
            Store(log.array, word, old, False, s.span),
        )

    def plain(self, block: Block) -> Block:
        """A block from which the reverse needs nothing."""
        stmts = tuple(t for s in block.stmts for t in self.erased(s))
        return Block(stmts, tuple(map(self.at, block.results)))

    def begin(self, block: Block, region: Frame | Body, out: list[Stmt]) -> None:
        """Called at the start of the reverse of a block."""
        if isinstance(region, Body):
            self.array_logs.begin(block, region, out)

    def end(self, block: Block, region: Frame | Body) -> None:
        """Called at the end of the reverse of a block."""
        if isinstance(region, Body):
            self.array_logs.end(block, region)

    def slice_of(self, v: Var) -> tuple[Var, tuple[Atom, ...]] | None:
        """The log that holds an expanded array, and the index of this iteration's slice in it."""
        if v.name not in self.logs:
            return None
        return next(
            ((self.logs[v.name], self.address[id(b)]) for b in self.plan.bodies.values() if v.name in b.expanded), None
        )

    # -- the forward sweep

    def block(self, block: Block, region: Frame | Body, start: list[Stmt] | None, out: list[Stmt]) -> None:
        """Emit the forward sweep of a block. ``start`` receives the allocations for the start of its frame."""
        frame = region if isinstance(region, Frame) else region.frame
        if start is not None:
            self.starts[id(frame)] = start
        for s in block.stmts:
            if id(s) in frame.merged or id(s) in frame.deferred:
                continue
            match s:
                case If():
                    self.branch(s, region, out)
                case Loop():
                    self.loop(s, region, frame, out)
                case Dense() if self.facts.matters(s):
                    dense.forward(self, s, region, out)
                case Call() if self.facts.matters(s):
                    out.append(self.stack.forward(s, self))
                case _:
                    out += self.erased(s, frame)
            if isinstance(region, Body):
                for v in outputs(s):
                    self.log(v, region, out)
        if isinstance(region, Body):
            self.array_logs.push(block, region, out)

    def branch(self, s: If, region: Frame | Body, out: list[Stmt]) -> None:
        """Emit an `if`. In a frame, values that the reverse of an arm needs become results of the `if`."""
        arms: list[list[Stmt]] = [[], []]
        saved: list[dict[str, Atom]] = [{}, {}]
        for k, arm in enumerate((s.then, s.orelse)):
            before = dict(self.there)
            self.block(arm, region, None, arms[k])
            if isinstance(region, Frame):
                made = {n for n in region.needed if self.facts.home[n] == id(arm)}
                saved[k] = {v.name: v for t in arm.stmts for v in outputs(t) if v.name in made}
                saved[k] |= {n: a for n, a in self.there.items() if before.get(n) != a}
        outs = list(s.outs)
        results = [[self.at(r) for r in arm.results] for arm in (s.then, s.orelse)]
        for k, mine in enumerate(saved):
            for n, a in mine.items():
                v = self.names.like(a, n) if isinstance(a, Var) else self.names.var(n, a.type)
                outs.append(v)
                results[k].append(a)
                results[1 - k].append(self.nothing(a, arms[1 - k]))
                self.there[n] = v
        cond = self.at(s.cond)
        out.append(
            If(cond, *(Block(tuple(a), tuple(r)) for a, r in zip(arms, results, strict=True)), tuple(outs), s.span)
        )

    def nothing(self, a: Atom, out: list[Stmt]) -> Atom:
        """A placeholder for a value in the arm that does not compute it."""
        if isinstance(a.type, Scalar):
            return _zero(a.type)
        empty = self.names.like(a)  # type: ignore[union-attr]
        out.append(Alloc(empty, (ZERO,) * a.type.rank, None))
        return empty

    def loop(self, s: Loop, region: Frame | Body, frame: Frame, out: list[Stmt]) -> None:
        match self.plan.modes[id(s)]:
            case "checkpointed":
                checkpoint.forward(self, s, frame, out)
            case "logged":
                self.logged_loop(s, self.plan.bodies[id(s)], out)
            case "fused":
                (copy,) = freshen(Block(self.erased(s)), self.names, {}).stmts
                out.append(replace(copy, outs=s.outs))
            case _:
                out += self.erased(s, frame) if frame.redone is None else self.without_effects(s, frame)

    def without_effects(self, s: Loop, frame: Frame) -> tuple[Stmt, ...]:
        """A loop without a derivative inside a re-execution, without repeated effects."""

        def inside(block: Block) -> Block:
            stmts = tuple(
                t for u in block.stmts for t in (nested(u) if isinstance(u, If | Loop) else self.erased(u, frame))
            )
            return Block(stmts, tuple(map(self.at, block.results)))

        def nested(u: Stmt) -> tuple[Stmt, ...]:
            return (rebuild(u, self.at, block=inside),)

        return nested(s)

    def logged_loop(self, s: Loop, body: Body, out: list[Stmt]) -> None:
        self.make_logs(body, out)
        cursor = self.cursors.get(id(body))
        base: Atom = ZERO
        if cursor is not None:
            base = self.names.var("base", I64)
            out.append(Load(base, cursor, (ZERO,), False, s.span))
        count = None if s.exits else self.trips(s, out)
        if cursor is not None and (count is not None or body.before):
            self.reserve(body, self.let(out, "add", base, self.cells(body, count or ZERO, out)), out)
        stmts: list[Stmt] = []
        self.enter(body, s.index, self.at(s.start), self.at(s.step), base, stmts)
        if cursor is not None and count is None:
            self.reserve(body, self.cells(body, self.let(stmts, "add", self.address[id(body)][0], ONE), stmts), stmts)
        for c, first in zip(s.carried, s.inits, strict=True):
            if c.name in body.before:
                place = (base,) if cursor is not None else (*self.address[id(body)][:-1], ZERO)
                out.append(Store(self.logs[body.before[c.name]], place, self.at(first), False, s.span))
            self.log(c, body, stmts)
        self.block(s.body, body, None, stmts)
        head = rebuild(s, self.at, block=lambda b: b)
        out.append(replace(head, body=Block(tuple(stmts), tuple(map(self.at, s.body.results)))))
        if cursor is not None:
            end = self.let(out, "add", base, self.cells(body, count or s.trips, out))
            out.append(Store(cursor, (ZERO,), end, False, s.span))

    def cells(self, body: Body, count: Atom, out: list[Stmt]) -> Atom:
        """The number of log cells for a number of iterations, including the initial value of a carried variable."""
        return self.let(out, "add", count, ONE) if body.before else count

    def trips(self, s: Loop, out: list[Stmt]) -> Atom:
        return self.let(out, "trips", self.at(s.start), self.at(s.stop), self.at(s.step), hint="trips")

    # -- logs

    def make_logs(self, body: Body, out: list[Stmt]) -> None:
        """Allocate the logs of a body, before the outermost loop of its path if the sizes are known there."""
        if len(body.path) == 1:
            # its own logs and those of inner loops, which must outlive its iterations
            for inside in self.plan.bodies.values():
                if inside.path[0] is body and self.plan.rectangular(inside):
                    self.allocate(inside, out)
        start = self.starts[id(body.frame)]
        self.array_logs.make(body, start)
        mine = self.words(body)
        if mine and not self.plan.rectangular(body):
            for n, dtype in mine.items():
                self.logs[n] = self.names.log(log_name(n), Array(dtype, 1), "values")
                start.append(Alloc(self.logs[n], (ZERO,), None, body.loop.span, "cells"))
            cursor = self.names.var("cursor", Array("i64", 1))
            start.append(Alloc(cursor, (ONE,), ZERO, body.loop.span))
            self.cursors[id(body)] = cursor

    def words(self, body: Body) -> dict[str | Row, str]:
        """The values that an iteration logs, with their types."""
        logs = {n: self.plan.variable(n, body).type.dtype for n in body.logs}
        return logs | dict.fromkeys(map(Row, uneven(body, self.plan)), "i64")

    def allocate(self, body: Body, out: list[Stmt]) -> None:
        mine = self.words(body)
        if not mine and not body.expanded:
            return
        shape = tuple(self.trips(b.loop, out) for b in body.path)
        for n, dtype in mine.items():
            self.logs[n] = self.names.log(log_name(n), Array(dtype, len(shape)), "values")
            sizes = self.after(shape, out) if n in body.before.values() else shape
            out.append(Alloc(self.logs[n], sizes, None, body.loop.span, "cells"))
        for n, a in body.expanded.items():
            whole = Array(a.out.type.dtype, len(shape) + a.out.type.rank)
            self.logs[n] = self.names.log(base_name(n), whole, "arrays")
            out.append(Alloc(self.logs[n], (*shape, *map(self.at, a.shape)), a.fill, a.span, "slices"))

    def reserve(self, body: Body, size: Atom, out: list[Stmt]) -> None:
        out += [Reserve(self.logs[n], size, body.loop.span) for n in self.words(body)]

    def log(self, v: Var, body: Body, out: list[Stmt]) -> None:
        if body.source.get(v.name) == "logged" and v.name not in body.before:
            out.append(Store(*self.logged_at(v.name, body, out), v, False, body.loop.span))

    def logged_at(self, n: str, body: Body, out: list[Stmt]) -> tuple[Var, tuple[Atom, ...]]:
        """The log of a value and the index of this iteration in it."""
        here = self.address[id(body)]
        if n in body.before:
            return self.logs[body.before[n]], here
        return self.logs[n], self.after(here, out) if n in body.before.values() else here

    def after(self, place: tuple[Atom, ...], out: list[Stmt]) -> tuple[Atom, ...]:
        """The next position in a log along its last axis."""
        return (*place[:-1], self.let(out, "add", place[-1], ONE))

    def enter(self, body: Body, index: Var, start: Atom, step: Atom, base: Atom, out: list[Stmt]) -> None:
        """Compute the position of an iteration in the logs, at its start."""
        if (
            not body.expanded
            and not body.rows
            and not body.logs
            and not any(b.path[: len(body.path)] == body.path and b is not body for b in self.plan.bodies.values())
        ):
            self.address[id(body)] = ()
            return
        match step:
            case Const(value=1):
                done = self.let(out, "sub", index, start)
            case Const(value=-1):
                done = self.let(out, "sub", start, index)
            case _:
                done = self.let(out, "floordiv", self.let(out, "sub", index, start), step)
        if self.plan.rectangular(body):
            outer = self.address[id(body.path[-2])] if len(body.path) > 1 else ()
            self.address[id(body)] = (*outer, done)
        else:
            self.address[id(body)] = (self.let(out, "add", base, done),)

    # -- the reverse sweep

    def reversed_range(self, s: Loop, out: list[Stmt]) -> tuple[Atom, Atom, Atom]:
        """Start, stop and step of the reversed range of a loop."""
        start, step = self.at(s.start), self.at(s.step)
        unit = isinstance(step, Const) and step.value in (1, -1)
        back: Atom = Const(-step.value, I64) if isinstance(step, Const) else self.let(out, "neg", step)
        if unit and not s.exits:
            stop = self.at(s.stop)
            # a loop without iterations may stop at the smallest int, where subtraction overflows
            if not self.is_tame(s.stop):
                stop = self.let(out, "max" if step.value > 0 else "min", stop, start)
            first = self.let(out, "sub", stop, step)
        else:
            steps = self.let(out, "sub", self.at(s.trips) if s.exits else self.trips(s, out), ONE)
            if not (isinstance(step, Const) and step.value == 1):
                steps = self.let(out, "mul", steps, step)
            first = self.let(out, "add", start, steps)
        return first, self.let(out, "sub", start, step), back

    def is_tame(self, a: Atom, deep: int = 6) -> bool:
        """Whether an int is known to be far from the limits of int64: a size, or a sum of sizes and constants."""
        a = self.facts.value(a)
        if isinstance(a, Const):
            return abs(a.value) < 2**62
        match self.facts.definition.get(a.name) if deep else None:
            case Dim() | Let(op="trips"):
                return True
            case Let(op="add" | "sub" | "min" | "max", ins=(x, y)):
                return self.is_tame(x, deep - 1) and self.is_tame(y, deep - 1)
        return any(isinstance(t, Loop) and t.index == a for t in walk(self.facts.function.body))

    def reversed_loop(self, body: Body, out: list[Stmt]) -> tuple[Loop, list[Stmt]]:
        """The header of the reversed loop, and the first statements of its iterations."""
        s = body.loop
        start, step = self.at(s.start), self.at(s.step)
        first, stop, back = self.reversed_range(s, out)
        cursor = self.cursors.get(id(body))
        base: Atom = ZERO
        if cursor is not None:
            count = self.at(s.trips) if s.exits else self.trips(s, out)
            here = self.names.var("base", I64)
            out.append(Load(here, cursor, (ZERO,), False, s.span))
            base = self.let(out, "sub", here, self.cells(body, count, out))
            out.append(Store(cursor, (ZERO,), base, False, s.span))
        index = self.names.var(s.index.name, I64)
        stmts: list[Stmt] = []
        self.there[s.index.name] = index
        self.enter(body, index, start, step, base, stmts)
        return Loop(index, first, stop, back, (), (), Block(), (), span=s.span), stmts

    def bring_back(self, names: Iterable[str], body: Body, out: list[Stmt]) -> None:
        """Recover the values of an iteration that a reversed statement needs: from the log, by loads or by
        recomputation."""
        missing = dict.fromkeys(n for n in names if n not in self.there)
        for n in sorted(missing, key=lambda n: self.facts.position.get(id(self.facts.definition.get(n)), -1)):
            self.bring(n, missing, body, out)

    def bring(self, n: str, missing: dict[str, None], body: Body, out: list[Stmt]) -> None:
        """Recover one value, after the values on which it depends."""
        if n not in missing:
            return
        del missing[n]
        new = self.names.like(self.plan.variable(n, body))
        if body.source[n] == "logged":
            out.append(Load(new, *self.logged_at(n, body, out), False, body.loop.span))
            self.there[n] = new
            return
        kept = self.plan.kept.get(n)
        source = Load(new, kept.array, kept.index, False, kept.span) if kept is not None else self.facts.definition[n]
        for a in sources(source, new.name if kept is not None else n, self.facts):
            if isinstance(a, Var):
                self.bring(a.name, missing, body, out)
        out += self.again(source, n, new)
        self.there[n] = new

    def again(self, s: Stmt, n: str, new: Var) -> tuple[Stmt, ...]:
        """Re-execute a statement for one of its outputs."""
        if not isinstance(s, If):
            *found, last = self.erased(s)
            last = rebuild(last, lambda a: a, lambda v: new)
            return (*found, replace(last, checked=False) if isinstance(last, Load) else last)
        made = parts(s, n, self.facts)
        assert made is not None
        arms: list[Block] = []
        for arm in made:
            around = dict(self.there)
            stmts: list[Stmt] = []
            for t in arm.stmts:
                (v,) = outputs(t)
                own = self.names.like(v)
                stmts += self.again(t, v.name, own)
                self.there[v.name] = own
            arms.append(Block(tuple(stmts), tuple(map(self.at, arm.results))))
            self.there = around
        return (If(self.at(s.cond), *arms, (new,), s.span),)


def _zero(t: Scalar) -> Const:
    return Const(ZEROS[t.dtype], t)
