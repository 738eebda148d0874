"""Reverse of checkpointed loops: the forward sweep saves some states, and the reverse sweep re-runs steps from them.

The reverse is a loop over the steps from last to first. Each iteration restores the newest snapshot, runs the loop body
up to the step to reverse (taking further snapshots where the schedule says so), and then runs that step forward and in
reverse, as a frame of its own. The row after the last snapshot holds the state at the last step, which the forward
sweep has computed anyway, so no step runs more often than the schedule's formula counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from linad_typecheck.ir.build import ONE, ZERO, Builder
from linad_typecheck.ir.core import Atom, Block, Const, Copy, Loop, Stmt, Var
from linad_typecheck.ir.rewrite import freshen
from linad_typecheck.types import I64, ZEROS, Array, Scalar

from linad.analysis.loop_facts import carrying_only

from ..bars import Bars
from ..plan.model import Frame
from ..protocols import Sweep, Walk
from .state import SETTLED, Checkpointed
from .ragged import Ragged
from .schedules import DEFAULT_SLOTS, ONLINE_SLOTS
from .snapshots import HELD, NEXT, STRIDE, Snapshots, logged_copy, scheduled, snapshot_bytes

MINUS_ONE = Const(-1, I64)


class _Kept:
    """Names of values that the forward sweep leaves for the reverse sweep; separate names let the arms of an `if` find
    them."""

    def __init__(self, sweep: Sweep, s: Loop) -> None:
        self.sweep, self.prefix = sweep, f"%{sweep.facts.position[id(s)]}:"

    def keep(self, name: str, a: Atom) -> None:
        self.sweep.there[self.prefix + name] = a

    def find(self, name: str) -> Atom:
        return self.sweep.there[self.prefix + name]

    def array(self, name: str) -> Var:
        a = self.find(name)
        assert isinstance(a, Var)
        return a


# --------------------------------------------------------------------------------------------------- the forward sweep


def forward(sweep: Sweep, s: Loop, frame: Frame, out: list[Stmt]) -> None:
    """The forward loop, with snapshots of some of its states."""
    held = sweep.plan.snapshots[id(s)]
    b = Builder(sweep.names, out, s.span)
    kept = _Kept(sweep, s)
    for v in held.copied:
        copy = sweep.names.like(v)
        out.append(Copy(copy, sweep.at(v), s.span))  # type: ignore[arg-type]
        kept.keep(f"copy {v.name}", copy)
    inits = dict(zip((c.name for c in s.carried), map(sweep.at, s.inits), strict=True))
    now = {v.name: sweep.at(v) for v in held.arrays} | inits
    if held.once:
        _one_step(sweep, s, held, frame, now, kept, b)
        return
    count = None if s.exits else sweep.trips(s, out)
    store = _made(sweep, held, count, now, b)
    store.save(b, ZERO, now)
    b.store(store.times, (ZERO,), ZERO)
    (plain,) = sweep.erased(s, frame) if frame.redone is None else sweep.without_effects(s, frame)
    assert isinstance(plain, Loop)
    plain = replace(plain, mark=None)
    if count is None:
        _online(sweep, plain, s, store, b)
    else:
        _by_schedule(sweep, plain, s, store, count, b)
    _keep(kept, store)


def _one_step(
    sweep: Sweep, s: Loop, held: Checkpointed, frame: Frame, now: dict[str, Atom], kept: _Kept, b: Builder
) -> None:
    """Forward sweep of a loop with a single step; the arrays that it updates are copied first."""
    for v in (*held.arrays, *held.moved):
        source = now[v.name]
        assert isinstance(source, Var)
        kept.keep(f"copy {v.name}", logged_copy(b, source, v))
    (plain,) = sweep.erased(s, frame) if frame.redone is None else sweep.without_effects(s, frame)
    (copy,) = freshen(Block((replace(plain, mark=None),)), b.names, {}).stmts  # type: ignore[type-var]
    b.stmts.append(replace(copy, outs=s.outs))  # type: ignore[type-var]


def _made(sweep: Sweep, held: Checkpointed, count: Atom | None, now: dict[str, Atom], b: Builder) -> Snapshots:
    """Allocate the storage for the snapshots."""
    sizes: dict[str, tuple[Atom, ...]] = {}
    for v in (*held.arrays, *held.moved):
        sizes[v.name] = b.dims(now[v.name])  # type: ignore[arg-type]
    slots = _slots(sweep, held, count, sizes, b)
    rows = b.add(slots, ONE, hint="rows")
    head = b.alloc("held", "i64", (Const(3, I64),), ONE)
    store = Snapshots(held, slots, head, b.alloc("times", "i64", (rows,)), sizes=sizes, last=count is not None)
    store.ragged |= {v.name: Ragged.made(b, v, rows) for v in held.ragged}
    for v in (*held.scalars, *held.even):
        store.rows[v.name] = b.snapshots(v, (rows, *sizes.get(v.name, ())))
    return store


def _slots(
    sweep: Sweep, held: Checkpointed, count: Atom | None, sizes: dict[str, tuple[Atom, ...]], b: Builder
) -> Atom:
    """The number of snapshots: the requested number, but at least one and at most one per step."""
    mark = held.mark
    if mark.scheme == "recompute":
        return ONE
    if mark.memory is not None:
        rows = b.op("floordiv", sweep.at(mark.memory), snapshot_bytes(held, sizes, b), hint="slots")
        wanted = b.sub(rows, ONE, hint="slots")  # minus the state being worked on
    elif mark.slots is not None:
        wanted = sweep.at(mark.slots)
    elif count is None:
        wanted = Const(ONLINE_SLOTS, I64)
    else:
        wanted = scheduled(b, DEFAULT_SLOTS[mark.scheme].__name__, count)
    most = count
    if most is None and held.loop.stop is not None:  # its range bounds the number of steps
        most = sweep.trips(held.loop, b.stmts)
    if most is not None:
        wanted = b.op("min", wanted, most, hint="slots")
    return b.op("max", wanted, ONE, hint="slots")


def _by_schedule(sweep: Sweep, plain: Loop, s: Loop, store: Snapshots, count: Atom, b: Builder) -> None:
    """The forward loop as a loop over the stops of the schedule, the last step, and the end. Between stops, the loop is
    unchanged."""
    last = b.sub(count, ONE, hint="last")
    p = b.names.var("p", I64)
    carried = tuple(b.names.like(c) for c in s.carried)
    now = dict(zip((c.name for c in s.carried), carried, strict=True)) | {
        v.name: sweep.at(v) for v in store.held.arrays
    }
    at = b.inside()
    at.when(at.op("eq", p, last, hint="b"), lambda: store.save(at, store.slots, now))
    before = at.op("lt", p, last, hint="b")
    (q,) = at.when(before, lambda: (_next(at, store, p, last, count),), (count,))
    ends = _run(at, plain, s, p, q, carried)
    after = now | dict(zip((c.name for c in s.carried), ends, strict=True))
    at.when(at.op("lt", q, last, hint="b"), lambda: store.push(at, q, after))
    again = at.op("lt", q, count, hint="again")
    body = Block(tuple(at.stmts), (again, q, *ends))
    end = b.names.var("p", I64)
    b.stmts.append(
        Loop(b.names.var("stop", I64), ZERO, count, ONE, (p, *carried), (ZERO, *plain.inits), body, (end, *s.outs),
             exits=True, span=s.span)
    )  # fmt: skip
    store.steps = count


def _next(b: Builder, store: Snapshots, p: Atom, t: Atom, count: Atom) -> Atom:
    held = b.load(store.head, (HELD,), hint="held")
    return scheduled(b, store.held.mark.scheme, p, t, held, store.slots, count)


def _run(b: Builder, plain: Loop, s: Loop, p: Atom, q: Atom, inits: Sequence[Atom]) -> tuple[Var, ...]:
    """A copy of the loop that runs iterations ``p`` to ``q`` (excluded), and the carried values afterwards."""
    start = b.add(plain.start, b.mul(p, plain.step), hint="from")
    stop = b.add(plain.start, b.mul(q, plain.step), hint="to")
    part = replace(plain, start=start, stop=stop, inits=tuple(inits), exits=False, trips=None)
    if plain.exits:
        part = replace(part, body=replace(part.body, results=part.body.results[1:]))
    (copy,) = freshen(Block((part,)), b.names, {}).stmts
    assert isinstance(copy, Loop)
    b.stmts.append(copy)
    return copy.outs


def _online(sweep: Sweep, plain: Loop, s: Loop, store: Snapshots, b: Builder) -> None:
    """Forward sweep of a loop with an unknown number of iterations: equidistant snapshots, whose distance doubles when
    all slots are full."""
    b.store(store.head, (NEXT,), ONE)
    (copy,) = freshen(Block((plain,)), b.names, {}).stmts
    assert isinstance(copy, Loop)
    now: dict[str, Atom] = {v.name: sweep.at(v) for v in store.held.arrays}
    now |= dict(zip((c.name for c in s.carried), copy.carried, strict=True))
    at = b.inside()
    done = at.sub(copy.index, copy.start, hint="done")
    k = done if copy.step == ONE else at.op("floordiv", done, copy.step, hint="done")

    def due() -> None:
        full = at.op("eq", at.load(store.head, (HELD,), hint="held"), store.slots, hint="full")
        at.when(full, lambda: store.thin(at))
        stride = at.load(store.head, (STRIDE,), hint="stride")
        over = at.op("mod", k, stride, hint="over")
        at.when(at.op("eq", over, ZERO, hint="b"), lambda: store.push(at, k, now))
        at.store(store.head, (NEXT,), at.add(at.sub(k, over), stride))

    at.when(at.op("eq", k, at.load(store.head, (NEXT,), hint="next"), hint="b"), due)
    b.stmts.append(
        replace(copy, body=replace(copy.body, stmts=(*at.stmts, *copy.body.stmts)), outs=s.outs, trips=s.trips)
    )
    assert s.trips is not None
    store.steps = s.trips


def _keep(kept: _Kept, store: Snapshots) -> None:
    kept.keep("slots", store.slots)
    kept.keep("head", store.head)
    kept.keep("times", store.times)
    kept.keep("steps", store.steps)
    for n, v in store.rows.items():
        kept.keep(f"rows {n}", v)
    for n, dims in store.sizes.items():
        for k, d in enumerate(dims):
            kept.keep(f"size {n} {k}", d)
    for n, r in store.ragged.items():
        for k, v in enumerate(r):
            kept.keep(f"ragged {n} {k}", v)


def _found(kept: _Kept, held: Checkpointed) -> Snapshots:
    """The storage for snapshots, under the names used by the reverse sweep."""
    sizes = {v.name: tuple(kept.find(f"size {v.name} {k}") for k in range(v.type.rank)) for v in held.even}
    rows = {v.name: kept.array(f"rows {v.name}") for v in (*held.scalars, *held.even)}
    found = Snapshots(held, kept.find("slots"), kept.array("head"), kept.array("times"), rows, sizes)
    for v in held.ragged:
        pool, starts, stops, *dims = (kept.array(f"ragged {v.name} {k}") for k in range(3 + v.type.rank))
        found.ragged[v.name] = Ragged(pool, starts, stops, tuple(dims))
    found.steps, found.last = kept.find("steps"), not held.loop.exits
    return found


# --------------------------------------------------------------------------------------------------- the reverse sweep


def backward(
    walk: Walk, s: Loop, bars: Bars, active: list[int], reads: list[Var], out: list[Stmt]
) -> tuple[Loop, Block]:
    """The header of the reverse loop over the steps, and its body."""
    sweep, names = walk.forward, walk.names
    held = sweep.plan.snapshots[id(s)]
    frame = sweep.plan.frames[id(s.body)]
    kept = _Kept(sweep, s)
    if held.once:
        return _one_step_back(walk, s, held, frame, bars, active, reads, kept, out)
    store = _found(kept, held)
    b = Builder(names, out, s.span)
    start, step = sweep.at(s.start), sweep.at(s.step)
    last = b.sub(store.steps, ONE, hint="last")
    renamed: dict[str, Atom] = {v.name: kept.find(f"copy {v.name}") for v in held.copied}
    renamed |= {v.name: b.empty_like(v, store.sizes[v.name]) for v in held.arrays}
    unused = {c.name: _zero(c) for c in s.carried if not isinstance(c.type, Array) and c not in held.scalars}
    saved = {n: sweep.there[n] for n in (*renamed, *(c.name for c in s.carried)) if n in sweep.there}
    sweep.there |= renamed | unused

    k = names.var("step", I64)
    at = b.inside()
    top = at.sub(at.load(store.head, (HELD,), hint="held"), ONE, hint="top")
    row, p = top, at.load(store.times, (top,), hint="p")
    if store.last:
        newest = at.op("eq", k, last, hint="b")
        row, p = at.op("select", newest, store.slots, top, hint="row"), at.op("select", newest, k, p, hint="p")
    into = {v.name: renamed[v.name] for v in held.arrays}
    into |= {v.name: at.empty_like(v, store.sizes[v.name]) for v in held.moved if v in held.even}
    state = store.restore(at, row, into)  # type: ignore[arg-type]
    state = _advance(walk, s, frame, store, p, k, state, at)
    sweep.there |= {c.name: state[c.name] for c in (*held.scalars, *held.moved)}
    sweep.there[s.index.name] = at.add(start, at.mul(k, step), hint=s.index.name)
    block = walk.frame(frame, bars, (), ())
    at.stmts += block.stmts
    reached = at.op("eq", at.load(store.times, (top,)), k, hint="b")
    at.when(reached, lambda: at.store(store.head, (HELD,), top))
    body = Block(tuple(at.stmts), (*block.results, *walk.carried_bars(s, bars, active, reads)))
    for n in (*renamed, *(c.name for c in s.carried)):
        sweep.there.pop(n, None)
    sweep.there |= saved
    return Loop(k, last, MINUS_ONE, MINUS_ONE, (), (), Block(), (), span=s.span, mark=SETTLED), body


def _one_step_back(
    walk: Walk,
    s: Loop,
    held: Checkpointed,
    frame: Frame,
    bars: Bars,
    active: list[int],
    reads: list[Var],
    kept: _Kept,
    out: list[Stmt],
) -> tuple[Loop, Block]:
    """The header and the body of the reverse of a loop with a single step."""
    sweep = walk.forward
    inits = dict(zip((c.name for c in s.carried), map(sweep.at, s.inits), strict=True))
    renamed: dict[str, Atom] = {v.name: kept.find(f"copy {v.name}") for v in (*held.copied, *held.arrays)}
    unused = {c.name: _zero(c) for c in s.carried if not isinstance(c.type, Array) and c not in held.scalars}
    saved = {n: sweep.there[n] for n in (*renamed, *(c.name for c in s.carried)) if n in sweep.there}
    at = Builder(walk.names, span=s.span)
    sweep.there |= renamed | unused | {c.name: inits[c.name] for c in held.scalars}
    sweep.there |= {c.name: logged_copy(at, kept.array(f"copy {c.name}"), c) for c in held.moved}
    sweep.there[s.index.name] = ZERO
    block = walk.frame(frame, bars, (), ())
    body = Block((*at.stmts, *block.stmts), (*block.results, *walk.carried_bars(s, bars, active, reads)))
    for n in (*renamed, *(c.name for c in s.carried)):
        sweep.there.pop(n, None)
    sweep.there |= saved
    k = walk.names.var("step", I64)
    return Loop(k, ZERO, ONE, ONE, (), (), Block(), (), span=s.span, mark=SETTLED), body


def _advance(
    walk: Walk, s: Loop, frame: Frame, store: Snapshots, p: Atom, k: Var, state: dict[str, Atom], b: Builder
) -> dict[str, Atom]:
    """Run from the state at step ``p`` to the state at step ``k``, stopping where the schedule says."""
    sweep, held = walk.forward, store.held
    parts = [c for c in s.carried if c in held.scalars or c in held.moved]
    now = tuple(b.names.like(c) for c in parts)
    here = b.names.var("p", I64)
    at = b.inside()
    q = _next(at, store, here, k, store.steps)
    plain = _state_only(sweep, s, frame, parts)
    ends = _run(at, plain, s, here, q, now)
    after = {v.name: state[v.name] for v in held.arrays} | dict(zip((c.name for c in parts), ends, strict=True))
    more = at.op("lt", q, k, hint="again")
    at.when(more, lambda: store.push(at, q, after))
    far = b.sub(k, p, hint="far")
    outs = tuple(b.names.like(c) for c in parts)
    inits = (p, *(state[c.name] for c in parts))
    stop, end = b.names.var("stop", I64), b.names.var("p", I64)
    body = Block(tuple(at.stmts), (more, q, *ends))
    b.stmts.append(Loop(stop, ZERO, far, ONE, (here, *now), inits, body, (end, *outs), exits=True, span=b.span))
    return state | dict(zip((c.name for c in parts), outs, strict=True))


def _state_only(sweep: Sweep, s: Loop, frame: Frame, parts: list[Var]) -> Loop:
    """The loop as it is re-run: it computes the state alone and has no other effects."""
    (again,) = sweep.without_effects(s, frame)
    assert isinstance(again, Loop)
    return replace(carrying_only(again, (k for k, c in enumerate(s.carried) if c in parts)), mark=None)


def _zero(v: Var) -> Const:
    assert isinstance(v.type, Scalar)
    return Const(ZEROS[v.type.dtype], v.type)
