"""The cost of loops with snapshots beyond the table: recomputed steps, and the words of their snapshots.

For a loop of ``T`` steps whose execution takes ``W`` steps of the primal and whose state has ``S`` words, this is at
most

    (R + 1) W  +  3 S (saves + T)  +  C  +  STEP T  +  STOP stops  +  START

if its schedule re-runs no step more than ``R`` times, makes ``stops`` stops, saves the state ``saves`` times in all,
and takes ``C`` steps to determine them. These numbers are found by running the schedule.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate
from math import comb

from linad_typecheck.ir.core import Atom, Checkpoint, Const, Loop, Program, Var, free_vars, walk, written
from linad_typecheck.ir.sizes import known_sizes
from linad_typecheck.types import Array

from .adjoint.checkpoints import schedules
from .adjoint.checkpoints.state import EVERY_STEP, SOME_STEPS, is_marked

CELL = 3  # per cell of a snapshot, saved or restored: an iteration, a load, a store
PLACED = 20  # per array of variable size: the position of its next snapshot
MOVED = 6  # per snapshot of such an array: its position, and growth of the pool; plus 2 per axis
STEP = 40  # per step of the reverse loop: which snapshot, where it starts, whether it is dropped
STOP = 40  # per stop of a schedule: the run to it, and whether and where the state is saved
OWN = 15  # per iteration of a loop in the schedule
START = 100  # per loop: the number of snapshots, and their allocation


@dataclass(frozen=True)
class Repeats:
    """The result of running a schedule: the maximum number of re-runs of a step, and the numbers of stops, saved
    states, and steps of the schedule itself."""

    most: int
    stops: int
    saves: int
    own: int


def with_snapshots(program: Program) -> dict[int, tuple[Loop, Checkpoint, Container[str]]]:
    """The loops of a program that keep snapshots, by id, each with its mark and the arrays of known size."""
    found: dict[int, tuple[Loop, Checkpoint, Container[str]]] = {}
    for f in program.functions.values():
        sized = known_sizes(f)
        for s in walk(f.body):
            if not isinstance(s, Loop):
                continue
            if is_marked(s):
                assert s.mark is not None
                found[id(s)] = s, s.mark, sized
            elif any(isinstance(t, Loop) and is_marked(t) for t in walk(s.body)):
                found[id(s)] = s, SOME_STEPS if s.exits or s.stop is None else EVERY_STEP, sized
    return found


def more(s: Loop, mark: Checkpoint, sized: Container[str], env: Mapping[str, object], trips: int, work: int) -> int:
    """The cost of one execution of a loop beyond the table. ``env`` has the values of names after it.

    The size of an array that is not ``sized`` may change; the larger of its sizes before and after the loop counts.
    """
    outer = [v for v in free_vars(s.body).values() if isinstance(v.type, Array) and v.name in env]
    changed = {t.name for x in walk(s.body) if (t := written(x)) is not None}
    state = sum(_words(env, v) for v in outer if v.name in changed)
    state += sum(not isinstance(v.type, Array) for v in s.outs)
    state += sum(_words(env, v) for v in s.outs if v.name in sized)
    uneven = [
        (init, v) for init, v in zip(s.inits, s.outs, strict=True) if isinstance(v.type, Array) and v.name not in sized
    ]
    sizes = [max(_words(env, init), _words(env, v)) for init, v in uneven]
    cells = sum((MOVED + 2 * v.type.rank) * n + PLACED for (_, v), n in zip(uneven, sizes, strict=True))
    copied = sum(_words(env, v) for v in outer if v.name not in changed)
    slots = _slots(s, mark, env, trips, state + sum(sizes))
    found = repeats(mark.scheme, trips, slots, s.exits)
    saves = max(found.saves, trips + 2) if mark.memory is not None else found.saves
    moved = (CELL * state + cells) * (saves + trips)
    return (found.most + 1) * work + moved + copied + found.own + STEP * trips + STOP * found.stops + START


def _words(env: Mapping[str, object], v: Atom) -> int:
    return getattr(env.get(v.name), "size", 0) if isinstance(v, Var) else 0


def _slots(s: Loop, mark: Checkpoint, env: Mapping[str, object], trips: int, state: int) -> int:
    def value(a: Atom) -> int:
        return int(a.value if isinstance(a, Const) else env[a.name])  # type: ignore[call-overload]

    if mark.scheme == "recompute":
        wanted = 1
    elif mark.memory is not None:
        # not more than exist: with fewer, more steps are re-run
        wanted = value(mark.memory) // max(8 * state, 1) - 1
    elif mark.slots is not None:
        wanted = value(mark.slots)
    elif s.exits:
        wanted = schedules.ONLINE_SLOTS
    else:
        wanted = schedules.DEFAULT_SLOTS[mark.scheme](trips)
    return max(wanted if s.exits else min(wanted, trips), 1)


@cache
def repeats(scheme: str, trips: int, slots: int, unknown: bool = False) -> Repeats:
    """The cost of reversing a loop of ``trips`` steps. ``unknown``: the number of steps is not known in advance."""
    ask = schedules.SCHEDULES[scheme]
    often = [0] * (trips + 1)  # by step: how much more often it is re-run than the previous one
    stack, own, saves = [0], 20 + 10 * slots, 2
    if unknown:
        stack, saves, looked = _online(trips, slots)
        own += looked
    stops = saved = 0
    for t in reversed(range(trips)):
        while stack[-1] > t:
            stack.pop()
        first = t == trips - 1 and not unknown  # the primal run itself reaches the last step
        p = 0 if first else stack[-1]
        while p < t:
            q = ask(p, t, len(stack), slots, trips)
            own += OWN * (2 + _rounds(scheme, p, t, slots - len(stack) + 1))
            stops += 1
            if not first:
                often[p] += 1
                often[q] -= 1
            p = q
            if q < t:
                stack.append(q)
                saved += 1
    return Repeats(max(accumulate(often)), stops + 1, saves + saved, own)


def _rounds(scheme: str, p: int, t: int, s: int) -> int:
    """The maximum number of iterations of the loop in a schedule."""
    if scheme == "bisect":
        return (t - p).bit_length()
    if scheme != "revolve" or s <= 1:
        return 0
    r = 1
    while comb(s + r, s) < t + 1 - p:
        r += 1
    return r


def _online(trips: int, slots: int) -> tuple[list[int], int, int]:
    """For a loop of unknown length: the states that are left, the number of states saved or moved, and the steps taken
    to determine them."""
    held, stride, saves = [0], 1, 2
    for k in range(1, trips):
        if k % stride:
            continue
        if len(held) == slots:
            held = held[::2]
            saves += len(held)
            stride *= 2
        if k % stride == 0:
            held.append(k)
            saves += 1
    return held, saves, 20 * trips + 20 * saves


class Again:
    """The sum of `more` over all executions of loops with snapshots in a run of a program."""

    def __init__(self, program: Program) -> None:
        self.total = 0
        self.after = {key: partial(self.add, *found) for key, found in with_snapshots(program).items()}

    def add(
        self, s: Loop, mark: Checkpoint, sized: Container[str], env: Mapping[str, object], trips: int, work: int
    ) -> None:
        """Called after each execution of a loop."""
        self.total += more(s, mark, sized, env, trips, work)
