"""Rotation gather: turn additions at indices that wrap around into additions at the loop's own index.

**Transformation.** ``(i + 1) % n`` for ``i`` in ``range(n)`` is a rotation of the range, which has an inverse.
Iteration ``i`` computes what iteration ``(i - 1) % n`` would add, at its own index. `stencil_gather.py` does the same
for neighbours that do not wrap around.

**Before.** ``for i in range(n) { k = mod (i + 1) n; &b![k] += e(i) }``
**After.** ``for i in range(n) { h = mod (i - 1) n; &b![i] += e(h) }``

**Legality.** The loop runs over exactly ``range(n)``, in either direction, and the loops in it over the same ranges in
each iteration. It only adds to ``b``. The terms are computed from arrays that the loop does not write, and from nothing
that is carried between iterations.

**Profitability.** What was a scatter to neighbours adds to a single cell per iteration, so it is vectorised, and
`first_write_promotion.py` needs no zeros before it. A rotated term may cost `MOST` operations and loads, because it is
computed at another index than the rest of its iteration.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from linad_typecheck.ir.core import (
    AddTo, Atom, Block, Const, Function, Let, Load, Loop, Names, Stmt, Var, all_names, mentioned, operands, outputs,
    walk,
)
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.types import I64, is_float

from linad.analysis.affine import Ranges
from linad.analysis.loop_body import needed
from linad.analysis.loop_facts import is_counted, updated, with_ranges
from linad.analysis.operation_costs import is_cheap
from linad.analysis.trip_counts import ints_of

from .addition_merging import merge_additions
from .first_write_promotion import promote_first_writes
from ..loops.loop_distribution import MOST, turned_upwards


@dataclass(frozen=True)
class Rotated:
    """An addition whose index along an axis is ``mod (index + far) size``."""

    addition: AddTo
    axis: int
    far: int
    size: Atom


def gather_rotations(f: Function) -> Function:
    """Turn the additions at rotated indices in the loops of a function into additions at the loop index."""
    names = Names(all_names(f))
    sizes = ints_of(f)

    def parts(s: Loop, r: Ranges) -> list[Stmt]:
        found = _rotations(s, r)
        return turned_upwards(_gathered(s, found, names), names, sizes) if found else [s]

    gathered = with_ranges(f, parts)
    # before loops are peeled: the cells that a peeled loop stores to are a region in parts
    return f if gathered == f else promote_first_writes(merge_additions(gathered))


def _rotations(s: Loop, r: Ranges) -> list[Rotated]:
    """The rotated additions of a loop that may be gathered."""
    stmts = list(walk(s.body))
    mods = {t.out.name: t for t in stmts if isinstance(t, Let) and t.op == "mod" and t.out.type == I64}
    plain = all(isinstance(t, Let | Load | AddTo | Loop) for t in stmts)
    if not mods or not plain or not is_counted(s, one_by_one=True):
        return []
    moving = _moving(s)
    bounds = (a for t in stmts if isinstance(t, Loop) for a in (t.start, t.stop, t.step))
    if any(isinstance(a, Var) and a.name in moving for a in bounds):
        return []
    found: list[Rotated] = []
    for name in sorted(updated(s)):
        uses = [t for t in stmts if any(isinstance(a, Var) and a.name == name for a in operands(t))]
        if all(isinstance(t, AddTo) and not t.checked and is_float(t.array.type) for t in uses):
            of_array = [a for t in uses if (a := _rotated(t, mods, s, r)) is not None]
            if all(_is_movable(a, stmts, s) for a in of_array):
                found += of_array
    return found


def _moving(s: Loop) -> set[str]:
    """The values that differ between the iterations of a loop."""
    found = {s.index.name, *_carried(s)}
    for t in walk(s.body):
        if any(isinstance(a, Var) and a.name in found for a in mentioned(t).values()):
            found |= {v.name for v in outputs(t)}
    return found


def _carried(s: Loop) -> set[str]:
    """The values that this loop, and the loops in it, carry from one iteration to the next."""
    inner = [t for t in walk(s.body) if isinstance(t, Loop)]
    return {v.name for t in (s, *inner) for v in t.carried} | {v.name for t in inner for v in t.outs}


def _rotated(t: AddTo, mods: dict[str, Let], s: Loop, r: Ranges) -> Rotated | None:
    for axis, a in enumerate(t.index):
        if isinstance(a, Var) and a.name in mods:
            x, n = mods[a.name].ins
            far = r.value(x) - r.value(s.index)
            if far.value is not None and _runs_over(s, n, r):
                return Rotated(t, axis, far.value, n)
    return None


def _runs_over(s: Loop, n: Atom, r: Ranges) -> bool:
    """Whether a loop runs over the indices from 0 to ``n``, up or down."""
    assert s.stop is not None and isinstance(s.step, Const)
    low, high = (s.start, s.stop) if s.step.value > 0 else (s.stop, s.start)
    beside = 0 if s.step.value > 0 else 1
    return (r.value(low) + beside).value == 0 and (r.value(high) + beside - r.value(n)).value == 0


def _is_movable(a: Rotated, stmts: list[Stmt], s: Loop) -> bool:
    """Whether what is added can be computed in another iteration, at little cost."""
    given = needed(stmts, [a.addition])
    computed = [t for t in given if isinstance(t, Load) or isinstance(t, Let) and is_float(t.out.type)]
    written, carried = updated(s), _carried(s)
    return (
        len(computed) <= MOST
        and all(
            (isinstance(t, Let) and (is_cheap(t) or t.op == "mod"))
            or (isinstance(t, Load) and not t.checked and t.array.name not in written)
            or t is a.addition
            for t in given
        )
        and not any(isinstance(v, Var) and v.name in carried for t in given for v in operands(t))
    )


def _gathered(s: Loop, found: list[Rotated], names: Names) -> Loop:
    """The loop in which each of these additions is the one of the iteration that adds at this index."""
    stmts = list(walk(s.body))
    moving = _moving(s)
    head: list[Stmt] = []
    there: dict[int, dict[str, Var]] = {}  # by distance, the values of the iteration at that distance
    again: dict[int, list[int]] = {}  # by the id of a statement, the distances at which it is computed as well
    for a in found:
        if a.far not in there:
            x, index = names.var("k", I64), names.var("k", I64)
            head += [Let(x, "sub", (s.index, Const(a.far, I64)), s.span), Let(index, "mod", (x, a.size), s.span)]
            there[a.far] = {s.index.name: index}
        for t in needed(stmts, [replace(a.addition, index=_without(a))]):
            for v in outputs(t):
                if v.name in moving and v.name not in there[a.far]:
                    there[a.far][v.name] = names.like(v)
                    again.setdefault(id(t), []).append(a.far)
    rotated = {id(a.addition): a for a in found}

    def inside(b: Block) -> Block:
        return Block(tuple(u for t in b.stmts for u in parts(t)), b.results)

    def parts(t: Stmt) -> Iterator[Stmt]:
        if (a := rotated.get(id(t))) is not None:
            moved = rebuild(t, lambda x: _at(x, there[a.far]))
            assert isinstance(moved, AddTo)
            yield replace(moved, index=(*moved.index[: a.axis], s.index, *moved.index[a.axis + 1 :]))
            return
        yield rebuild(t, lambda x: x, block=inside) if isinstance(t, Loop) else t
        for far in again.get(id(t), ()):
            here = there[far]
            yield rebuild(t, lambda x: _at(x, here), lambda v: here[v.name])

    body = inside(s.body)
    return replace(s, body=Block((*head, *body.stmts), body.results))


def _without(a: Rotated) -> tuple[Atom, ...]:
    """The other subscripts of a rotated addition."""
    return a.addition.index[: a.axis] + a.addition.index[a.axis + 1 :]


def _at(a: Atom, there: Mapping[str, Var]) -> Atom:
    return there.get(a.name, a) if isinstance(a, Var) else a
