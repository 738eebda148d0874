"""Loop counting: a `while` loop that compares an induction variable with what stays the same is a loop over a range.

**Transformation.** Counted-loop recognition: the trip count of a loop is computed before it, as by LLVM's scalar
evolution (Bachmann, Wang and Zima, Chains of recurrences, ISSAC 1994).

**Before.** ``for t in range(...) exits carry s { b = lt t n; s' = if b { a } else { yield s }; yield b, s' }``
**After.** ``for t in range(0, n) carry s { a }``

**Legality.** The comparison is all that ends the loop, and nothing but ints is computed outside of what it guards. One
side of it grows by the same constant in each iteration, the other one stays, and the constant has the sign that ends
the loop. An int that would pass the largest int64 before the loop ends counts as in Python.

**Profitability.** Always: the logs of a counted loop are allocated at once, its index checks are hoisted, and it can be
reshaped and vectorised. The induction variables must be functions of the index (`induction_variables.py`).

**Needs.** Nothing: the results are the same to the last bit.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import (
    Atom, Block, Const, Dim, Function, If, Let, Loop, Names, Stmt, Var, all_names, blocks, operands, walk,
)
from linad_typecheck.ir.rewrite import substitute
from linad_typecheck.infer.affine import Affine, atom
from linad_typecheck.types import I64

from linad.analysis.affine import Ranges
from linad.analysis.loop_facts import carrying_only, with_ranges

from ..ints import ONE, ZERO
from .induction_variables import Maker, Steps

FLIPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
LEAST = -(2**63)


def count_loops(f: Function) -> Function:
    """The function whose `while` loops over ints run over ranges."""
    if not any(isinstance(s, Loop) and _guarded(s) for s in walk(f.body)):
        return f
    names = Names(all_names(f))
    return with_ranges(f, lambda s, r: _counted(s, r, names), lambda s: _guarded(s) is not None)


def _counted(s: Loop, r: Ranges, names: Names) -> list[Stmt]:
    guarded = _guarded(s)
    if guarded is None:
        return [s]
    test, branch = guarded
    steps = Steps(s, r)
    maker, after = Maker(names, steps.known), Maker(names, steps.known)
    bounds = _bounds(s, test, steps, maker)
    ends = _ends(s, branch, steps)
    if bounds is None or ends is None:
        return [s]
    first, last, step = bounds
    index = names.like(s.index)
    turn = Maker(names, {})
    if step in (1, -1) and test.op in ("lt", "gt"):
        start, stop, way = first, last, Const(step, I64)
        done = turn.let("sub", *((index, start) if step == 1 else (start, index)))
    else:
        if test.op in ("le", "ge"):  # one more, without an int beyond the last
            first = maker.let("sub", first, ONE) if step > 0 else maker.let("add", first, ONE)
        start, stop, way = ZERO, maker.let("trips", first, last, Const(step, I64)), ONE
        done = index
    at = turn.let("add", done, s.start)
    stmts = [u for t in s.body.stmts for u in (branch.then.stmts if t is branch else (t,))]
    results = (at if a == s.index else a for a in branch.then.results)
    known = {v.name: a for v, a in zip(branch.outs, results, strict=True)}
    body = substitute(Block(tuple(stmts), s.body.results[1:]), {**known, s.index.name: at})
    if ends or s.trips is not None:
        trips = after.let("trips", start, stop, way)
        after.out += [] if s.trips is None else [Let(s.trips, "add", (trips, ONE), s.span)]
        end = after.let("add", trips, s.start)
        for k, f in ends.items():
            per_index = dict(f.terms).get(s.index.name, 0)
            rest = after.form(f - atom(s.index.name) * per_index)
            after.out.append(Let(s.outs[k], "add", (rest, after.let("mul", end, Const(per_index, I64))), s.span))
    body = replace(body, stmts=(*turn.out, *body.stmts))
    loop = replace(s, index=index, start=start, stop=stop, step=way, body=body, exits=False, trips=None)
    return [*maker.out, carrying_only(loop, (k for k in range(len(s.carried)) if k not in ends)), *after.out]


def _guarded(s: Loop) -> tuple[Let, If] | None:
    """The test on which a loop goes on, and the branch on it that is all the loop does."""
    if not s.exits or s.stop is not None or s.step != ONE or s.mark is not None:
        return None
    branches = [t for t in s.body.stmts if isinstance(t, If)]
    if len(branches) != 1 or not all(isinstance(t, If | Let | Dim) for t in s.body.stmts):
        return None
    (branch,) = branches
    test = next((t for t in s.body.stmts if isinstance(t, Let) and t.out == branch.cond), None)
    if test is None or test.op not in FLIPPED or branch.orelse.stmts or any(a.type != I64 for a in test.ins):
        return None
    again = s.body.results[0]
    if again != branch.cond:
        if again not in branch.outs:
            return None
        k = branch.outs.index(again)  # type: ignore[arg-type]
        if not _is(branch.then.results[k], True) or not _is(branch.orelse.results[k], False):
            return None
    return test, branch


def _ends(s: Loop, branch: If, steps: Steps) -> dict[int, Affine] | None:
    """What the ints come to that the loop only carries to what follows, as functions of the index; None where the last
    iteration does something else to another value than to leave it."""
    arms = dict(zip(branch.outs, branch.orelse.results, strict=True))
    used = {a.name for t in walk(s.body) for a in operands(t) if isinstance(a, Var)}
    used |= {a.name for t in walk(s.body) for b in blocks(t) for a in b.results if isinstance(a, Var)}
    found: dict[int, Affine] = {}
    for k, (c, a) in enumerate(zip(s.carried, s.body.results[1:], strict=True)):
        end = arms.get(a) if isinstance(a, Var) else None
        if c in (a, end):
            continue
        if end is None or end.type != I64 or c.name in used:
            return None
        found[k] = f = steps.form(end)
        if steps.inside.intersection(f.atoms):
            return None
    return found


def _is(a: Atom | None, value: bool) -> bool:
    return isinstance(a, Const) and a.value is value


def _bounds(s: Loop, test: Let, steps: Steps, maker: Maker) -> tuple[Atom, Atom, int] | None:
    """What an int begins with, what it is compared with, and what is added to it each time."""
    sides = [steps.form(a) for a in test.ins]
    ways = [dict(f.terms).get(s.index.name, 0) for f in sides]
    if (ways[0] == 0) == (ways[1] == 0):
        return None
    op, k = (test.op, 0) if ways[0] else (FLIPPED[test.op], 1)
    moving, still, step = sides[k] - atom(s.index.name) * ways[k], sides[1 - k], ways[k]
    if (step > 0) != (op in ("lt", "le")) or abs(step) > 2**20:
        return None
    if any(steps.inside.intersection(f.atoms) for f in (moving, still)):
        return None
    first = _before(moving, step, s.start, maker)
    if op in ("le", "ge") and not (isinstance(first, Const) and LEAST < first.value < -LEAST - 1):
        return None  # the int beside it may not exist
    return first, maker.form(still), step


def _before(moving: Affine, step: int, start: Atom, maker: Maker) -> Atom:
    """An int in the first iteration."""
    if isinstance(start, Const):
        return maker.form(moving + start.value * step)
    return maker.let("add", maker.form(moving), maker.let("mul", Const(step, I64), start))
