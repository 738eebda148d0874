"""Rotation gather: turn additions at indices that wrap around into additions at the loop's own index.

**Transformation.** ``(i + 1) % n`` for ``i`` in ``range(n)`` is a rotation of the range, which has an inverse.
Iteration ``i`` computes what iteration ``(i - 1) % n`` would add, at its own index. `stencil_gather.py` does the same
for neighbours that do not wrap around.

**Before.** ``for i in range(n) { k = mod (i + 1) n; &b![k] += e(i) }``
**After.** ``for i in range(n) { h = mod (i - 1) n; &b![i] += e(h) }``

**Legality.** The loop runs over exactly ``range(n)``, in either direction, and the loops in it over the same ranges in
each iteration. It only adds to ``b``. The terms are computed from arrays that the loop does not write, and from nothing
that is carried between iterations.

Terms of a nest that may not be computed again are stored in an array of their own, and are added by a nest after it
(loop distribution with scalar expansion), which is then gathered.

**Profitability.** What was a scatter to neighbours adds to a single cell per iteration, so it is vectorised, and
`first_write_promotion.py` needs no zeros before it. A rotated term may cost `MOST` operations and loads, because it is
computed at another index than the rest of its iteration. Terms are stored if they are added to at least `FEWEST` cells
of several rows.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Const, Function, Let, Load, Loop, Names, Stmt, Store, Var, all_names, mentioned,
    names_in, operands, outputs, walk,
)
from linad_typecheck.ir.rewrite import freshen, in_blocks, rebuild
from linad_typecheck.types import I64, Array, is_float

from linad.analysis.affine import Ranges
from linad.analysis.loop_body import needed
from linad.analysis.loop_facts import is_counted, nest_of, updated, with_ranges
from linad.analysis.operation_costs import is_cheap
from linad.analysis.trip_counts import ints_of, is_short

from ..ints import ONE, ZERO, Maker
from ..scalars.dead_code_elimination import eliminate_dead_code
from .addition_merging import merge_additions
from .first_write_promotion import promote_first_writes
from ..loops.loop_distribution import MOST, turned_upwards


FEWEST = 3  # additions to an array for which storing their terms costs less


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
    given, f = f, with_ranges(f, lambda s, r: _expanded(s, r, names), _has_rotations)
    if f != given:
        f = eliminate_dead_code(f)  # indices that only the additions needed

    def parts(s: Loop, r: Ranges) -> list[Stmt]:
        found = _rotations(s, r)
        return turned_upwards(_gathered(s, found, names), names, sizes) if found else [s]

    gathered = with_ranges(f, parts)
    # before loops are peeled: the cells that a peeled loop stores to are a region in parts
    return given if gathered == given else promote_first_writes(merge_additions(gathered))


def _has_rotations(s: Loop) -> bool:
    return any(isinstance(t, Let) and t.op == "mod" and t.out.type == I64 for t in walk(s.body))


def _expanded(s: Loop, r: Ranges, names: Names) -> list[Stmt]:
    """A nest, and one after it with its additions at rotated indices whose terms take too long to be computed again:
    the terms are stored in arrays of their own."""
    levels = nest_of(s)
    if len(levels) < 2:  # sums of neighbours in a row are passed on in registers
        return [s]
    inside = {s.index.name, *(c.name for c in s.carried)} | names_in(s.body)
    maker = Maker(names)
    for k, t in enumerate(levels):
        bounds = {a.name for a in (t.start, t.stop) if isinstance(a, Var)}
        if not is_counted(t, one_by_one=True) or (k > 0 and bounds & inside) or is_short(t):
            return [s]
    with r.scope():
        for t in levels[1:]:
            r.enter(t)
        if any(r.value(t.start if t.step == ONE else t.stop).value != (0 if t.step == ONE else -1) for t in levels):
            return [s]
        found = _terms(s, levels, r)
    if not found:
        return [s]
    shape = tuple(_size(t, r, maker) for t in levels)
    at = tuple(t.index for t in levels)
    held: dict[Var, Var] = {}  # the array of each term
    for t in found:
        if isinstance(t.value, Var) and t.value not in held:
            held[t.value] = names.var("term", Array(t.value.type.dtype, len(shape)))
            maker.out.append(Alloc(held[t.value], shape, None, s.span))
    gone = {id(t) for t in found}
    wanted = {id(t) for t in needed(walk(s.body), [], [a for t in found for a in t.index])}

    def first(b: Block) -> Block:
        """The nest without these additions: it stores their terms."""
        if b is levels[-1].body:
            stmts = (t for t in b.stmts if id(t) not in gone)
            return Block((*stmts, *(Store(a, at, v, False, s.span) for v, a in held.items())), b.results)
        return Block(tuple(in_blocks(t, first) if t in levels else t for t in b.stmts), b.results)

    def second(t: Loop) -> Loop:
        """The nest of the additions."""
        stmts = [second(u) if u in levels else u for u in t.body.stmts if u in levels or id(u) in wanted]
        if t is levels[-1]:
            terms = {v: names.like(v) for v in held}
            stmts += [Load(terms[v], a, at, False, s.span) for v, a in held.items()]
            stmts += [replace(u, value=terms.get(u.value, u.value)) for u in found]
        return replace(t, carried=(), inits=(), outs=(), body=Block(tuple(stmts)))

    added = freshen(Block((second(s),)), names, {})
    return [*maker.out, replace(s, body=first(s.body)), *added.stmts]


def _size(s: Loop, r: Ranges, maker: Maker) -> Atom:
    """How often a loop runs that goes over the indices from 0, up or down."""
    assert s.stop is not None
    size, more = (s.stop, 0) if s.step == ONE else (maker.let("add", s.start, ONE), 1)
    with r.scope():
        if r.outside is not None:
            r.restore(r.outside)
        never_negative = r.proves(r.value(s.stop if s.step == ONE else s.start) + more)
    return size if never_negative else maker.let("max", size, ZERO)


def _terms(s: Loop, levels: list[Loop], r: Ranges) -> list[AddTo]:
    """The additions to arrays that a nest only adds to, at several cells around the indices of its loops, some of them
    rotated, if they cannot be gathered as they are."""
    stmts = list(walk(s.body))
    mods = {t.out.name: t for t in stmts if isinstance(t, Let) and t.op == "mod" and t.out.type == I64}
    carried, loaded = _carried(s), {v.name for t in stmts if not isinstance(t, Let) for v in outputs(t)}
    found: list[AddTo] = []

    def place(a: Atom, level: Loop) -> int | None:
        """The distance of an index from that of a loop."""
        if isinstance(a, Var) and a.name in mods:
            x, n = mods[a.name].ins
            return (r.value(x) - r.value(level.index)).value if _runs_over(level, n, r) else None
        return 0 if a == level.index else None

    for name in sorted(updated(s)):
        uses = [t for t in stmts if any(isinstance(a, Var) and a.name == name for a in operands(t))]
        if len(uses) < FEWEST or not all(t in levels[-1].body.stmts and _is_rotated(t, levels, place) for t in uses):
            continue
        away = [t for t in uses if t.index != tuple(level.index for level in levels)]
        ints = needed(stmts, [], [a for t in away for a in t.index])
        steady = not any(v.name in carried | loaded for t in ints for v in operands(t) if isinstance(v, Var))
        if steady and all(isinstance(t, Let) for t in ints):
            alone = not any(isinstance(t, Store) for t in stmts)
            if not (alone and all(_is_movable(Rotated(t, 0, 0, ONE), stmts, s) for t in away)):
                found += away
    return found


def _is_rotated(t: Stmt, levels: list[Loop], place: Callable[[Atom, Loop], int | None]) -> bool:
    plain = isinstance(t, AddTo) and not t.checked and is_float(t.array.type) and len(t.index) == len(levels)
    return plain and all(place(a, level) is not None for a, level in zip(t.index, levels, strict=True))


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
