"""Loop distribution: split innermost loops that add to several rows of an array, so that each part can be vectorised.

**Transformation.** Loop distribution (fission) with recomputation of the added terms (Allen and Kennedy, Optimizing
Compilers for Modern Architectures, 2001, chapters 2 and 6). Loops without a dependence between iterations are also
reversed to run upwards.

**Before.** ``for j in range(n) { &b[i+1, j] += e; &b[i-1, j] += e }``
**After.** ``for j in range(n) { &b[i+1, j] += e }; for j in range(n) { &b[i-1, j] += e }``

**Legality.** ``b[f(j)] += e`` moves to a loop before the rest if the rest neither reads nor stores to ``b``, and all
cells that ``e`` is computed from hold the same values there: either the loop does not write their arrays, or each
iteration writes only cells that it alone reads, after reading them.

**Profitability.** Each loop recomputes what it adds, so this may cost at most `MOST` operations. Not for loops known to
have at most `FEW` iterations. Neighbouring cells stay in one loop, for `accumulation_rotation.py`.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import replace

from linad_typecheck.ir.core import (
    AddTo, Block, Check, Const, Function, If, Let, Load, Loop, Names, Stmt, Store, Var, all_names, operands,
    outputs,
)
from linad_typecheck.ir.rewrite import at_loops, freshen
from linad_typecheck.types import I64

from linad.analysis.loop_body import Body
from linad.analysis.operation_costs import is_cheap
from linad.analysis.parallelism import verdict
from linad.analysis.trip_counts import ints_of, is_short

from ..ints import Maker, upwards

MOST = 10  # operations and loads worth recomputing for one addition


def distribute_loops(f: Function) -> Function:
    """Distribute innermost loops whose additions to an array prevent vectorisation."""
    names = Names(all_names(f))
    sizes = ints_of(f)

    def parts(s: Loop) -> list[Stmt]:
        if any(isinstance(t, Loop | If) for t in s.body.stmts):
            return [s]
        return [t for part in _divided(s, names, sizes) for t in turned_upwards(part, names, sizes)]

    return at_loops(f, parts)


def _divided(s: Loop, names: Names, sizes: Mapping[str, Let]) -> list[Stmt]:
    """The parts of a loop in order; just the loop if it is not split."""
    if s.exits or s.stop is None or s.mark is not None or is_short(s, sizes):
        return [s]
    if not all(isinstance(t, Let | Load | Store | AddTo) for t in s.body.stmts):
        return [s]
    body = Body(s)
    rounds = moved(body)
    if not rounds:
        return [s]
    gone = {id(t) for r in rounds for t in r}
    parts: list[Stmt] = [_part(s, body.needed(r), names) for r in rounds]
    effects = [t for t in s.body.stmts if isinstance(t, Store | AddTo) and id(t) not in gone]
    if not effects and not s.carried:
        return parts
    return [*parts, replace(s, body=replace(s.body, stmts=tuple(body.needed(effects, s.body.results))))]


def turned_upwards(s: Stmt, names: Names, sizes: Mapping[str, Let]) -> list[Stmt]:
    """Reverse a descending loop without dependences between iterations."""
    if not isinstance(s, Loop) or s.step != Const(-1, I64) or s.mark is not None:
        return [s]
    if any(isinstance(t, Check | Loop | If) for t in s.body.stmts):
        return [s]
    found = verdict(s, True)
    if found.reason or "last" in found.sums:
        return [s]
    maker = Maker(names, sizes)
    turned = upwards(s, maker)
    return [*maker.out, turned]


def _part(s: Loop, stmts: list[Stmt], names: Names) -> Loop:
    """A loop over the same indices with only some of the statements."""
    index = names.var(s.index.name)
    body = freshen(Block(tuple(stmts)), names, {s.index.name: index})
    return replace(s, index=index, carried=(), inits=(), body=body, outs=(), trips=None)


def moved(body: Body) -> list[list[AddTo]]:
    """The additions that move to loops of their own: for each array, one loop per row except for one row, which stays.
    """
    found: list[list[AddTo]] = []
    for name in body.written:
        groups = [[t for ts in row.values() for t in ts] for row in body.additions(name)]
        free = [g for g in sorted(groups, key=lambda g: len(body.needed(g))) if movable(body, g)]
        if len(free) < len(groups) - 1:
            continue
        for k, group in enumerate(free[: len(groups) - 1]):
            if k == len(found):
                found.append([])
            found[k] += group
    return found


def movable(body: Body, group: list[AddTo]) -> bool:
    """Whether statements can run before all others and are cheap enough to be computed twice."""
    given = [t for t in body.needed(group) if not {v.name for v in outputs(t)} & body.invariant]

    def unchanged(t: Load) -> bool:
        cell = body.cell(t.index)
        if cell is None and any(map(body.moves, t.index)):
            return False
        at, writes = body.definition[t.out.name], body.written.get(t.array.name, ())
        return all(k > at and cell is not None and body.cell(w.index) == cell for k, w in writes)

    return len(given) - len(group) <= MOST * len(group) and all(repeatable(t, body.carried, unchanged) for t in given)


def repeatable(t: Stmt, carried: Container[str], unchanged: Callable[[Load], bool]) -> bool:
    """Whether a statement is cheap and gives the same result in another loop. ``carried``: names that have no value
    there. ``unchanged``: whether a loaded cell has the same contents."""
    if any(isinstance(a, Var) and a.name in carried for a in operands(t)):
        return False
    return is_cheap(t) if isinstance(t, Let) else not isinstance(t, Load) or unchanged(t)
