"""Whether logging a state as whole slices never takes more words than logging its loads, for any sizes.

Loads may be in short loops or under conditions, while slices are whole: saving two words does not justify copying an
array of a thousand cells. Every word that the slices add must therefore be matched by a word saved in loops that run at
least as often. A condition in a loop is assumed to hold once: ``if j != i`` in a loop over ``j`` inside one over ``i``
saves one word per ``i``. A condition that excludes only the ends of a range, ``if i > 0``, is assumed to hold always.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from linad_typecheck.ir.core import Atom, Const, Dim, Loop, Var
from linad_typecheck.ir.sizes import EDGE, Lengths

from linad.analysis.index_tests import usual_arms

from .model import Body, Plan
from .iteration_logs import uneven
from .undo import memory


@dataclass(frozen=True, order=True, slots=True)
class Factor:
    """A factor of an execution count: a named length, or the trip count of the loop with that index, which may be zero
    or counts as one."""

    name: str
    kind: Literal["length", "may be zero", "one"] = "length"


Times = tuple[Factor, ...]  # their product, sorted


def takes_fewer(plan: Plan, other: Plan, same: Lengths) -> bool:
    """Whether ``plan`` logs fewer words than another plan with the same loops, and never more."""
    if memory(plan) >= memory(other):
        return False
    mine, theirs = _words(plan, same), _words(other, same)
    spare = theirs - mine
    for times, count in sorted((mine - theirs).items(), key=lambda item: -len(item[0])):
        for more in sorted(spare, key=len):
            if _at_least(more, times):
                used = min(count, spare[more])
                count -= used
                spare[more] -= used
        if count:
            return False
    return True


def _at_least(more: Times, times: Times) -> bool:
    """Whether ``more`` is at least ``times`` if no length is zero."""
    left = Counter(more)
    left.subtract(times)
    return all(n == 0 or n > 0 and f.kind != "may be zero" for f, n in left.items())


def _words(plan: Plan, same: Lengths) -> Counter[Times]:
    found: Counter[Times] = Counter()
    usual = usual_arms(plan.facts.function)
    for b in plan.bodies.values():
        for name in b.logs:
            path = _path(b, plan, same)
            home = plan.facts.home[name]
            if home != id(b.loop.body) and home not in usual and not _may_be_zero(path[-1]):
                path[-1] = Factor(b.loop.index.name, "one")
            _add(found, 1, path)
        for a in b.expanded.values():
            _add(found, 1, _path(b, plan, same), [_named(plan, same, n) for n in a.shape])
        for a in b.rows.values():
            path = _path(b, plan, same) + [_sometimes(b.loop)] * (plan.facts.home[a.out.name] != id(b.loop.body))
            _add(found, 1, path, [_named(plan, same, n) for n in a.shape])
            _add(found, a.out.name in uneven(b, plan), path)  # the position
    return found


def _may_be_zero(f: Factor | int) -> bool:
    return isinstance(f, Factor) and f.kind == "may be zero"


def _sometimes(s: Loop) -> Factor:
    return Factor(s.index.name, "may be zero")


def _add(found: Counter[Times], count: int, *factors: list[Factor | int]) -> None:
    names: list[Factor] = []
    for n in (n for part in factors for n in part):
        if isinstance(n, int):
            count *= n
        else:
            names.append(n)
    found[tuple(sorted(names))] += count


def _named(plan: Plan, same: Lengths, a: Atom) -> Factor | int:
    a = plan.facts.value(a)
    a = same.get(a.name, a) if isinstance(a, Var) else a
    return Factor(a.name) if isinstance(a, Var) else int(a.value)


def _path(b: Body, plan: Plan, same: Lengths) -> list[Factor | int]:
    """How often the body of a loop runs: one factor per loop of its path and one per condition that may be false."""
    found: list[Factor | int] = []
    outer: Body | None = None
    for inner in b.path:
        found.append(_trips(inner.loop, inner, plan, same))
        if outer is not None and not any(s is inner.loop for s in outer.loop.body.stmts):
            found.append(_sometimes(outer.loop))
        outer = inner
    return found


def _trips(s: Loop, b: Body, plan: Plan, same: Lengths) -> Factor | int:
    unknown = _sometimes(s)
    if s.exits or s.stop is None or not isinstance(s.step, Const) or abs(s.step.value) != 1:
        return unknown
    ends = [plan.facts.value(a) for a in (s.start, s.stop)]
    match [a for a in ends if isinstance(a, Var)]:
        case []:
            first, last = (int(a.value) for a in ends)  # type: ignore[union-attr]
            return max(0, (last - first) * int(s.step.value))
        case [a] if _settled(a, b, plan) and all(abs(c.value) <= EDGE for c in ends if isinstance(c, Const)):
            return _named(plan, same, a)
    return unknown


def _settled(a: Var, b: Body, plan: Plan) -> bool:
    """Whether an int is loop-invariant: defined before the loops, or the size of an array defined there."""
    if plan.before(a, b):
        return True
    s = plan.facts.definition.get(a.name)
    return isinstance(s, Dim) and s.array.name not in plan.facts.logs and plan.before(s.array, b)
