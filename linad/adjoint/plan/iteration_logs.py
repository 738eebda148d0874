"""Iteration logs: log whole arrays that an iteration allocates, if its reverse needs their contents.

If their sizes and the trip counts are known before the outermost loop, the iteration works in a slice of a log that has
one slice per iteration. Otherwise (a loop with an early exit, a triangular nest) the cells are pushed on a growing log
at the end of the allocating block, and one word per iteration holds their position. This is a copy, so it is only done
if logging the loads would take more words: a matrix-vector product loads each cell of the vector n times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Const, Dim, Drop, Load, Loop, Stmt, Store, Var, blocks, operands, walk,
)

from .model import TRIPS, Body, Plan, own_blocks


def choose_kept(body: Body, plan: Plan, wanted: Iterable[str]) -> None:
    """Choose the arrays of an iteration to log as a whole. ``wanted``: values that its reverse may need."""
    if plan.log_everything or body.stacked:
        return
    rectangular = plan.rectangular(body)
    own = (t for b in own_blocks(body.loop.body) for t in b.stmts)
    made = {t.out.name: t for t in own if isinstance(t, Alloc) and t.out.name not in plan.facts.moved}
    uses: dict[str, list[Stmt]] = {n: [] for n in made}
    for t in walk(body.loop.body) if made else ():
        for n in {a.name for a in operands(t) if isinstance(a, Var)} & made.keys():
            uses[n].append(t)
    for s, used in zip(made.values(), uses.values(), strict=True):
        loads = {id(t) for t in used if isinstance(t, Load) and t.out.name in wanted}
        if not loads or not all(isinstance(t, Load | Store | AddTo | Dim | Drop) for t in used):
            continue
        if rectangular and all(plan.before(a, body) for a in s.shape):
            body.expanded[s.out.name] = s
        elif not any(isinstance(t, Dim) for t in used) and all(plan.before(a, body) for a in s.shape[1:]):
            cells = prod(_count(a) for a in s.shape)
            if any(times > cells for times in _times(body.loop.body, loads, 1)):
                body.rows[s.out.name] = s


def _count(a: Atom | None) -> int:
    return int(a.value) if isinstance(a, Const) else TRIPS


def _times(block: Block, loads: set[int], times: int) -> Iterator[int]:
    """How often the given loads execute per iteration, as far as known."""
    for s in block.stmts:
        if id(s) in loads:
            yield times
        one = isinstance(s, Loop) and all(isinstance(a, Const) for a in (s.start, s.stop, s.step))
        many = TRIPS if isinstance(s, Loop) else 1
        turns = len(range(s.start.value, s.stop.value, s.step.value)) if one else many  # type: ignore[union-attr]
        for b in blocks(s):
            yield from _times(b, loads, times * turns)


def uneven(body: Body, plan: Plan) -> list[str]:
    """The arrays of an iteration whose number of cells is not known before the loops."""
    return [n for n, s in body.rows.items() if not all(plan.before(a, body) for a in s.shape)]
