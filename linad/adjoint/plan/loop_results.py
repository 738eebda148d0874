"""Logging the results of inner loops instead of re-running these loops only for their results.

A fused loop re-runs each iteration next to its reverse. For ``y[i] = s`` after ``s += A[i, j] * x[j]`` over ``j``,
these are n steps to recover the single word ``s``. The reverse of the inner loop does not need its partial sums, so if
``s`` is logged, nothing is re-run. The same holds for an array whose cells are each updated many times, as in
``p[c] += A[i, j, c] * x[j]`` over ``j``: one logged word per cell replaces as many steps as there were updates.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Const, Let, Load, Loop, Store, Var, blocks, walk, writes,
)

from .model import TRIPS, Plan, own_blocks

SHORT = 8  # iterations that are re-run rather than logged
WORDS = 2  # words per loop that is not re-run


def rerun_for_results(plan: Plan) -> Iterator[Loop]:
    """The fused loops whose reverse needs the result of an inner loop."""
    for s in walk(plan.facts.function.body):
        if isinstance(s, Loop) and plan.modes[id(s)] == "fused" and (_has_results(s, plan) or _arrays(s)):
            yield s


def _has_results(s: Loop, plan: Plan) -> bool:
    return any(_results(t, plan) for t in walk(s.body) if isinstance(t, Loop))


def not_fused(s: Loop, plan: Plan) -> set[int]:
    """The loops of a nest that must not be fused so that results are logged: for results of inner loops, all that
    contain loops, otherwise ``s`` alone."""
    if not _has_results(s, plan):
        return {id(s)}
    return {id(t) for t in (s, *walk(s.body)) if isinstance(t, Loop) and any(isinstance(u, Loop) for u in walk(t.body))}


def only_results(s: Loop, plan: Plan) -> bool:
    """Whether a loop logs hardly anything except results of inner loops that log nothing themselves."""
    for b in plan.bodies.values():
        if not any(around.loop is s for around in b.path):
            continue
        inner = (t for block in own_blocks(b.loop.body) for t in block.stmts if isinstance(t, Loop))
        results = {n for t in inner for n in _results(t, plan)}.intersection(b.logs)
        arrays = _arrays(b.loop)
        if b.rows or not arrays.issuperset(b.expanded) or len(b.logs) > WORDS * (len(results) + len(arrays)):
            return False
    return True


def _arrays(s: Loop) -> set[str]:
    """The arrays that an iteration allocates, whose cells an inner loop writes many times and other statements load."""
    own = [t for block in own_blocks(s.body) for t in block.stmts]
    made = {t.out.name for t in own if isinstance(t, Alloc) and t.log == "no"}
    loops = [t for t in own if isinstance(t, Loop)] if made else []
    found: set[str] = set()
    filling: dict[str, set[int]] = {}
    for t in loops:
        for name in made.intersection(a.name for u in walk(t.body) for a in writes(u)):
            filling.setdefault(name, set()).add(id(t))
            if _again(t, name) > SHORT:
                found.add(name)
    if not found:
        return found
    inside = {name: {id(u) for t in loops if id(t) in filling[name] for u in walk(t.body)} for name in found}
    return {
        t.array.name
        for t in walk(s.body)
        if isinstance(t, Load) and t.array.name in found and id(t) not in inside[t.array.name]
    }


def _again(s: Loop, name: str) -> int:
    """The largest number of times that a nest of loops writes one cell of an array."""
    lets = {t.out.name: t for t in walk(s.body) if isinstance(t, Let)}

    def depends(a: Atom, on: str) -> bool:
        if not isinstance(a, Var) or a.name == on:
            return isinstance(a, Var)
        return a.name in lets and any(depends(x, on) for x in lets[a.name].ins)

    def most(block: Block, around: tuple[Loop, ...]) -> int:
        times = 0
        for t in block.stmts:
            if isinstance(t, Store | AddTo) and t.array.name == name:
                others = (u for u in around if not any(depends(a, u.index.name) for a in t.index))
                times = max(times, prod(map(_trips, others)))
            for b in blocks(t):
                times = max(times, most(b, (*around, t) if isinstance(t, Loop) else around))
        return times

    return most(s.body, (s,))


def _is_needed(name: str, plan: Plan) -> bool:
    """Whether the reverse sweep uses a value."""
    return name in plan.facts.home and name in getattr(plan.region(name), "needed", ())


def _trips(s: Loop) -> int:
    ends = (s.start, s.stop, s.step)
    known = [int(a.value) for a in ends if isinstance(a, Const)]
    return TRIPS if len(known) < len(ends) else len(range(*known))


def _results(s: Loop, plan: Plan) -> set[str]:
    """The results of a loop that the reverse needs, if the loop is long enough."""
    if _trips(s) <= SHORT:
        return set()
    return {n for n in (plan.facts.value(v).name for v in s.outs) if _is_needed(n, plan)}
