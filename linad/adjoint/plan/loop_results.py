"""Logging the results of inner loops instead of re-running these loops only for their results.

A fused loop re-runs each iteration next to its reverse. For ``y[i] = s`` after ``s += A[i, j] * x[j]`` over ``j``,
these are n steps to recover the single word ``s``. The reverse of the inner loop does not need its partial sums, so if
``s`` is logged, nothing is re-run. The same holds for the cells of a small array, as in ``p[c] += A[i, j, c] * x[j]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from linad_typecheck.ir.core import Alloc, Const, Load, Loop, walk, writes

from .model import Plan, own_blocks

SHORT = 8  # iterations that are re-run rather than logged
WORDS = 2  # words per loop that is not re-run
CELLS = 4  # cells of an array that counts as results


def rerun_for_results(plan: Plan) -> Iterator[Loop]:
    """The fused loops whose reverse needs the result of an inner loop."""
    for s in walk(plan.facts.function.body):
        if isinstance(s, Loop) and plan.modes[id(s)] == "fused":
            if any(_results(t, plan) for t in walk(s.body) if isinstance(t, Loop)) or _arrays(s, plan):
                yield s


def outer_loops(s: Loop) -> set[int]:
    """The loops in a nest, including ``s``, that contain loops."""
    return {id(t) for t in (s, *walk(s.body)) if isinstance(t, Loop) and any(isinstance(u, Loop) for u in walk(t.body))}


def only_results(s: Loop, plan: Plan) -> bool:
    """Whether a loop logs little more than the results of inner loops that themselves log nothing."""
    for b in plan.bodies.values():
        if not any(around.loop is s for around in b.path):
            continue
        inner = (t for block in own_blocks(b.loop.body) for t in block.stmts if isinstance(t, Loop))
        results = {n for t in inner for n in _results(t, plan)}.intersection(b.logs)
        arrays = _arrays(b.loop, plan)
        if b.rows or not arrays.issuperset(b.expanded) or len(b.logs) > WORDS * (len(results) + len(arrays)):
            return False
    return True


def _arrays(s: Loop, plan: Plan) -> set[str]:
    """The small arrays that an iteration allocates, a long inner loop writes, and the reverse sweep loads from."""
    made = {
        t.out.name
        for block in own_blocks(s.body)
        for t in block.stmts
        if isinstance(t, Alloc) and all(isinstance(a, Const) for a in t.shape)
        if prod(int(a.value) for a in t.shape if isinstance(a, Const)) <= CELLS
    }
    if not made:
        return made
    inner = [t for block in own_blocks(s.body) for t in block.stmts if isinstance(t, Loop) and _is_long(t)]
    written = {w.name for t in inner for u in walk(t.body) for w in writes(u)}
    inside = {id(u) for t in inner for u in walk(t.body)}
    loaded = {
        t.array.name
        for t in walk(s.body)
        if isinstance(t, Load) and id(t) not in inside and _is_needed(plan.facts.value(t.out).name, plan)
    }
    return made & written & loaded


def _is_needed(name: str, plan: Plan) -> bool:
    """Whether the reverse sweep needs a value."""
    return name in plan.facts.home and name in getattr(plan.region(name), "needed", ())


def _is_long(s: Loop) -> bool:
    ends = (s.start, s.stop, s.step)
    known = [int(a.value) for a in ends if isinstance(a, Const)]
    return len(known) < len(ends) or len(range(*known)) > SHORT


def _results(s: Loop, plan: Plan) -> set[str]:
    """The results of a loop that the reverse needs, if the loop is long enough."""
    if not _is_long(s):
        return set()
    return {n for n in (plan.facts.value(v).name for v in s.outs) if _is_needed(n, plan)}
