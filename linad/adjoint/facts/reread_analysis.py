"""Reread analysis: values that the program stores in cells that are not overwritten are re-read from there, not logged.

Programs that fill an array cell by cell have this form. The log of a derivative is such an array, too, so the
derivative of a derivative does not log primal values a second time.
"""

from __future__ import annotations

from linad_typecheck.ir.core import Alloc, Atom, Const, Let, Load, Loop, Reserve, Stmt, Store, Var, operands, walk
from linad_typecheck.types import Scalar, is_float

from .activity import Facts
from ..plan.recomputation import sources
from ..plan.model import Body, Plan, own_blocks
from .overwrite_analysis import Reach


def statement_in(block: int, here: tuple[tuple[int, Stmt], ...]) -> Stmt | None:
    """The statement of a given block that contains a position."""
    return next((s for b, s in here if b == block), None)


def extent(body: Body, stores: dict[str, list[Store]], facts: Facts) -> tuple[dict[str, int], dict[str, int]]:
    """For each value, the positions of the first and last statements of its block whose reverse may need it, or
    something computed from it (for the last, the end of the statement)."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    todo = list(body.requests)
    seen: set[tuple[str, int]] = set()
    while todo:
        n, here = todo.pop()
        at = statement_in(facts.home[n], here)
        if at is None or (n, id(at)) in seen:
            continue
        seen.add((n, id(at)))
        start, end = facts.position[id(at)], facts.end[id(at)]
        first[n], last[n] = min(first.get(n, start), start), max(last.get(n, 0), end)
        s = facts.definition.get(n)
        found = sources(s, n, facts) if s is not None else []
        found += [a for store in stores.get(n, ()) for a in store.index]
        todo += [(a.name, here) for a in map(facts.value, found) if isinstance(a, Var) and isinstance(a.type, Scalar)]
    return first, last


def stored_values(body: Body, plan: Plan) -> dict[str, list[Store]]:
    """The values of an iteration that are stored in their own block, by name, with their stores.

    The indices of the stores depend on no float and on no such value.
    """
    found: dict[str, list[Store]] = {}
    facts = plan.facts
    for block in own_blocks(body.loop.body):
        for s in (s for s in block.stmts if isinstance(s, Store)):
            n = facts.value(s.value)
            own = isinstance(n, Var) and facts.home[n.name] == id(block)
            if own and (is_float(n.type) or _of_cells(s, plan)):
                found.setdefault(n.name, []).append(s)
    ways = {id(s): _computed_from(s.index, plan) for mine in found.values() for s in mine}
    direct = {n: [s for s in mine if not (ways[id(s)] & found.keys())] for n, mine in found.items()}
    return {n: mine for n, mine in direct.items() if mine}


def kept_cells(
    stores: dict[str, list[Store]],
    body: Body,
    plan: Plan,
    undone: set[str],
    first: dict[str, int],
    last: dict[str, int],
    reach: Reach,
) -> dict[str, Store]:
    """The stored values that are still in their cell in the reverse sweep, each with its store.

    ``undone``: alias groups whose writes the reverse sweep undoes. ``first`` and ``last``: the statements between which
    the reverse sweep needs a value.
    """
    facts = plan.facts

    def unwritten(s: Store, n: str) -> bool:
        at, place = facts.position[id(s)], facts.place(s.array)
        return not any(group == place and at < p <= last[n] for group, p in facts.writes)

    def found(s: Store, n: str) -> bool:
        if not _visible(s, body, plan):
            return False
        if facts.place(s.array) not in undone:
            return _lasts(s, body, plan, reach)
        # before the store itself is undone
        return unwritten(s, n) and (_of_cells(s, plan) or first[n] > facts.position[id(s)])

    chosen = {n: next((s for s in mine if n in last and found(s, n)), None) for n, mine in stores.items()}
    return {n: s for n, s in chosen.items() if s is not None}


def _of_cells(s: Store, plan: Plan) -> bool:
    """Whether a store is to a log, whose cells are each stored to once."""
    made = plan.facts.definition.get(s.array.name)
    return isinstance(made, Alloc) and made.log == "cells"


def _visible(s: Store, body: Body, plan: Plan) -> bool:
    """Whether the array has the same name in the reverse sweep and the store executes only once."""
    facts, frame, a = plan.facts, body.frame, s.array
    home = facts.home[a.name]
    if a.name in facts.moved or home not in frame.visible() and _own(s, body) is None:
        return False
    # in a re-executed iteration, later iterations have already overwritten the cells
    return frame.redone is None or home in frame.redone


def _lasts(s: Store, body: Body, plan: Plan, reach: Reach) -> bool:
    """Whether a stored value stays in its cell until the reverse sweep, and the index can be recomputed."""
    if _of_cells(s, plan):
        return True
    facts, own = plan.facts, _own(s, body)
    around = body.path if own is None else body.path[body.path.index(own) + 1 :]
    first = facts.position[id((own or body.path[0]).loop)]
    last = body.frame.last if own is None else facts.end[id(own.loop)]
    at, place = facts.position[id(s)], facts.place(s.array)
    resized = {facts.position[id(t)] for t in walk(facts.function.body) if isinstance(t, Reserve)}
    later = (p for g, p in facts.writes if g == place and first <= p <= last and p != at)
    if all(p in resized for p in later) and {id(b.loop) for b in around} <= {_index_of(a, body, plan) for a in s.index}:
        return True
    return reach.untouched(s, first, last)


def _own(s: Store, body: Body) -> Body | None:
    """The enclosing iteration that allocates and keeps the array; other iterations write to other arrays."""
    return next((b for b in body.path if b.keeps(s.array.name)), None)


def _computed_from(index: tuple[Atom, ...], plan: Plan) -> set[str]:
    """The scalars from which an index is computed."""
    todo, seen = [plan.facts.value(a) for a in index], set()
    while todo:
        a = todo.pop()
        if isinstance(a, Var) and isinstance(a.type, Scalar) and a.name not in seen:
            seen.add(a.name)
            s = plan.facts.definition.get(a.name)
            todo += map(plan.facts.value, operands(s)) if isinstance(s, Let | Load) else ()
    return seen


def _index_of(a: Atom, body: Body, plan: Plan) -> int | None:
    """The id of the loop in the path whose index is ``a`` up to sign and a constant, or whose iterations ``a`` counts.
    """
    facts = plan.facts
    a = facts.value(a)
    if not isinstance(a, Var):
        return None
    for b in body.path:
        if a.name == b.loop.index.name:
            return id(b.loop)
    match facts.definition.get(a.name):
        case Let(op="add" | "sub", ins=(x, y)):
            for moving, fixed in ((x, y), (y, x)):
                if plan.before(fixed, body):
                    return _index_of(moving, body, plan)
        case Let(op="floordiv", ins=(x, y)):
            return _turn_of(x, y, body, plan)
    return None


def _turn_of(x: Atom, step: Atom, body: Body, plan: Plan) -> int | None:
    """Match ``(i - start) // step`` for the index, start and step of a loop; return its id."""
    facts = plan.facts
    x = facts.value(x)
    d = facts.definition.get(x.name) if isinstance(x, Var) else None

    def counts(loop: Loop, index: Atom, start: Atom) -> bool:
        same = facts.value(loop.start) == start and facts.value(loop.step) == facts.value(step)
        return same and isinstance(index, Var) and index.name == loop.index.name

    for b in body.path:
        if isinstance(x, Var) and x.name == b.loop.index.name and counts(b.loop, x, Const(0, x.type)):
            return id(b.loop)
        if isinstance(d, Let) and d.op == "sub" and counts(b.loop, *map(facts.value, d.ins)):
            return id(b.loop)
    return None
