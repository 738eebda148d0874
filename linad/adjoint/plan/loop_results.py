"""Loops that log the results of inner loops, where the reverse would re-run an inner loop only for its result.

A fused loop re-runs each iteration next to its reverse. For ``y[i] = s`` after ``s += A[i, j] * x[j]`` over ``j`` that
is n steps to obtain the single word ``s``. The reverse of the inner loop does not need its partial sums, so with ``s``
logged nothing is re-run.
"""

from __future__ import annotations

from collections.abc import Iterator

from linad_typecheck.ir.core import Const, Loop, walk

from .model import Plan, own_blocks

SHORT = 8  # turns that are run again rather than logged
WORDS = 2  # for each loop that need not run again


def rerun_for_results(plan: Plan) -> Iterator[Loop]:
    """The fused loops whose reverse needs the result of an inner loop."""
    for s in walk(plan.facts.function.body):
        if isinstance(s, Loop) and plan.modes[id(s)] == "fused":
            if any(_results(t, plan) for t in walk(s.body) if isinstance(t, Loop)):
                yield s


def outer_loops(s: Loop) -> set[int]:
    """A loop, and the loops in it, that contain loops."""
    return {id(t) for t in (s, *walk(s.body)) if isinstance(t, Loop) and any(isinstance(u, Loop) for u in walk(t.body))}


def only_results(s: Loop, plan: Plan) -> bool:
    """Whether a loop logs hardly anything except results of inner loops that log nothing themselves."""
    for b in plan.bodies.values():
        if not any(around.loop is s for around in b.path):
            continue
        inner = (t for block in own_blocks(b.loop.body) for t in block.stmts if isinstance(t, Loop))
        results = {n for t in inner for n in _results(t, plan)}
        if b.expanded or b.rows or len(b.logs) > WORDS * len(results.intersection(b.logs)):
            return False
    return True


def _results(s: Loop, plan: Plan) -> set[str]:
    """The results of a loop that the reverse needs, if the loop is long enough."""
    ends = (s.start, s.stop, s.step)
    if all(isinstance(a, Const) for a in ends) and len(range(*(int(a.value) for a in ends))) <= SHORT:  # type: ignore[union-attr]
        return set()
    facts = plan.facts
    names = {facts.value(v).name for v in s.outs}
    return {n for n in names if n in facts.home and n in getattr(plan.region(n), "needed", ())}
