"""Stencil gather: combine the additions to neighbouring rows into one addition per row, of all its contributions.

**Transformation.** Turn the adjoint of a stencil, a scatter, into a gather (Hueckelheim, Kukreja, Narayanan, Luporini,
Gorman and Hovland, ICPP 2019, do this by symbolic differentiation).

**Before.** ``for i { for j { &b[i, j] += e(i, j); &b[i+1, j] += f(i, j) } }``
**After.** ``for c { for j { &b[c, j] += e(c, j) + f(c-1, j) } }, and the rows at either end``

**Legality.** The additions move to a nest before the rest under the conditions of `loop_distribution.py`, for all loops
of the nest together: the rest neither reads nor stores to ``b``, and all cells that the terms are computed from hold
the same values there.

If the rest writes nothing that the terms are computed from, it is fused with the loop that gathers rows, and the
iterations that gather no row become loops of their own.

**Profitability.** Every row is read and written once instead of three times, and cells loaded for one row are still in
cache for the next. The innermost loops are left with neighbouring cells of one row, for `accumulation_rotation.py`.
What the terms and the rest have in common is computed once where they are fused.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from linad_typecheck.ir.core import (
    AddTo, Atom, Block, Const, Function, If, Let, Load, Loop, Names, Stmt, Store, Var, all_names, walk,
)
from linad_typecheck.ir.rewrite import freshen, in_blocks, substitute
from linad_typecheck.types import I64, is_float

from linad.analysis.accesses import accesses
from linad.analysis.dependence import Distance, Nest
from linad.analysis.loop_body import Statements, depending, needed
from linad.analysis.loop_facts import is_counted, nest_of, updated
from linad.analysis.parallelism import verdict
from linad.analysis.trip_counts import FEW, ints_of, is_short

from ..ints import ONE, Maker, upwards
from .loop_distribution import MOST, repeatable


LOWEST = Const(-(2**61), I64)  # below any index


@dataclass(frozen=True)
class Given:
    """The additions of an iteration to the row at ``distance`` from the loop index, with the statements they depend on.
    """

    distance: int
    stmts: tuple[Stmt, ...]


def gather_stencils(f: Function) -> Function:
    """Gather the additions to neighbouring rows in the loop nests of a function."""
    names = Names(all_names(f))
    sizes = ints_of(f)

    def block(b: Block) -> Block:
        return Block(tuple(t for s in b.stmts for t in parts(s)), b.results)

    def parts(s: Stmt) -> Iterator[Stmt]:
        for t in _divided(s, names, sizes) if isinstance(s, Loop) else [s]:
            yield in_blocks(t, block) if t is s or isinstance(t, Loop) else t

    return replace(f, body=block(f.body))


def _nest(s: Loop) -> _Rows | None:
    levels = nest_of(s)
    return _Rows(levels) if len(levels) > 1 and all(map(_is_plain, levels)) else None


def _fusible_rest(s: Loop) -> Loop | None:
    """The nest without the additions that are gathered, if it may be fused with the loop that gathers them."""
    nest = _nest(s)
    found = nest.rows() if nest is not None else []
    if nest is None or len(found) != 1 or len(found[0][1]) < 2:
        return None
    ((_, row),) = found
    rest = nest.without(row)
    read = {t.array.name for g in row for t in walk(Block(g.stmts)) if isinstance(t, Load)}
    order = verdict(rest, True)
    return None if order.reason or "last" in order.sums or read & updated(rest) or not updated(rest) else rest


def _divided(s: Loop, names: Names, sizes: Mapping[str, Let]) -> list[Stmt]:
    nest = _nest(s)
    found = nest.rows() if nest is not None else []
    if nest is None or not found:
        return [s]
    if (fusible := _fusible_rest(s)) is not None:
        [(axis, row)] = found
        return _gathered(s, row, names, sizes, axis, fusible)
    parts = [t for axis, row in found for t in _gathered(s, row, names, sizes, axis)]
    rest = nest.without(*(row for _, row in found))
    return [*parts, rest] if updated(rest) or s.carried else parts


def _is_plain(s: Loop) -> bool:
    """Whether a loop only computes and writes, and may contain another loop."""
    if not is_counted(s) or is_short(s):
        return False
    inner = sum(isinstance(t, Loop) for t in s.body.stmts)
    plain = Let | Load | Store | If | Loop if inner else Let | Load | Store | AddTo
    arms = (t for u in s.body.stmts if isinstance(u, If) for t in walk(Block((u,))))
    return (
        inner <= 1
        and all(isinstance(t, plain) for t in s.body.stmts)
        and all(isinstance(t, Let | Load | Store) or isinstance(t, If) and not t.outs for t in arms)
    )


class _Rows(Statements):
    """Reads, writes and dependences of the statements of a loop nest."""

    def __init__(self, levels: list[Loop]) -> None:
        super().__init__([t for t in _flat(levels[0].body) if not isinstance(t, Loop)])
        self.levels = levels
        branches = [t for u in self.stmts if isinstance(u, If) for t in walk(Block((u,)))]
        self.loaded |= {t.array.name for t in branches if isinstance(t, Load)}
        self.stored = {t.array.name for t in branches if isinstance(t, Store)}  # in branches
        self.passed = {v.name for s in levels for v in (*s.carried, *(s.outs if s is not levels[0] else ()))}
        self.nest = Nest(*levels)
        # the values that depend on the outermost index or are carried between iterations
        self.moving = depending(self.stmts, {levels[0].index.name, *self.passed})

    def rows(self) -> list[tuple[int, list[Given]]]:
        """The arrays with additions to neighbouring rows, grouped by distances: the axis of the rows, and the additions
        to each."""
        outer, *inner = self.levels
        if abs(outer.step.value) != 1:  # type: ignore[union-attr]
            return []
        if any(isinstance(a, Var) and a.name in self.nest.changed for s in inner for a in (s.start, s.stop, s.step)):
            return []
        found: dict[tuple[int, tuple[int, ...]], list[list[AddTo]]] = {}
        for name, writes in self.written.items():
            at: dict[tuple[int, int], list[AddTo]] = {}
            for _, t in writes:
                place = self.place(t.index)
                if not isinstance(t, AddTo) or not is_float(t.array.type) or place is None:
                    break
                at.setdefault(place, []).append(t)
            else:
                distances = {d for _, d in at}
                one_axis = len({axis for axis, _ in at}) == 1
                if name in self.loaded | self.stored or len(at) < 2 or not one_axis:
                    continue
                if max(distances) - min(distances) <= FEW and all(map(self.movable, at.values())):
                    groups = found.setdefault((min(at)[0], tuple(sorted(distances))), [[] for _ in distances])
                    for group, (_, added) in zip(groups, sorted(at.items()), strict=True):
                        group += added
        return [
            (axis, [Given(d, self.only(group).stmts) for d, group in zip(distances, groups, strict=True)])
            for (axis, distances), groups in found.items()
        ]

    def place(self, index: tuple[Atom, ...]) -> tuple[int, int] | None:
        """The axis along which an access moves with the outermost index, and its offset. It must be invariant along the
        others."""
        along = [k for k, a in enumerate(index) if isinstance(a, Var) and a.name in self.moving]
        if len(along) != 1:
            return None
        (axis,) = along
        far = self.nest.form(index[axis]) - self.nest.form(self.levels[0].index)
        return None if far.value is None else (axis, far.value)

    def movable(self, group: list[AddTo]) -> bool:
        """Whether statements can run before all others and are cheap enough to be computed twice."""
        given = needed(self.stmts, group)
        computed = [t for t in given if isinstance(t, Load) or isinstance(t, Let) and is_float(t.out.type)]
        again = all(repeatable(t, self.passed, self.unchanged) for t in given)
        return len(computed) <= MOST * len(group) and again

    def unchanged(self, t: Load) -> bool:
        if t.array.name in self.stored:
            return False
        (read,), at, own = accesses(t), self.definition[t.out.name], Distance((0,) * len(self.levels))
        writes = self.written.get(t.array.name, ())
        return all(k > at and self.nest.between(read, *accesses(w)) == own for k, w in writes)

    def without(self, *rows: list[Given]) -> Loop:
        """The nest without these additions."""
        gone = {id(t) for row in rows for g in row for t in walk(Block(g.stmts)) if isinstance(t, AddTo)}
        rest = [t for t in self.stmts if isinstance(t, Store | AddTo | If) and id(t) not in gone]
        return replace(self.levels[0], body=self.only(rest, carried=True))

    def only(self, effects: Sequence[Stmt], carried: bool = False) -> Block:
        """The body of the nest with only these effects, and optionally with its carried values."""
        results = [a for s in self.levels for a in (*s.body.results, *s.inits)] if carried else []
        wanted = {id(t) for t in needed(self.stmts, effects, results)}

        def inside(b: Block) -> Block:
            return Block(
                tuple(part(t) for t in b.stmts if isinstance(t, Loop) or id(t) in wanted), b.results if carried else ()
            )

        def part(t: Stmt) -> Stmt:
            if not isinstance(t, Loop):
                return t
            return (
                replace(t, body=inside(t.body))
                if carried
                else replace(t, carried=(), inits=(), outs=(), body=inside(t.body))
            )

        return inside(self.levels[0].body)


def _gathered(
    s: Loop, row: list[Given], names: Names, sizes: Mapping[str, Let], axis: int, rest: Loop | None = None
) -> list[Stmt]:
    """The loop nests that gather the additions to rows along an axis: the rows with all contributions, and those at
    either end. ``sizes``: ints by name. ``rest``: the nest without them, if it is to be fused."""
    row = sorted(row, key=lambda g: -g.distance)
    span = row[0].distance - row[-1].distance
    maker = Maker(names, sizes)
    s = upwards(s, maker)
    low, high = s.start, s.stop
    assert high is not None
    if isinstance(low, Var):
        low = maker.let("max", low, LOWEST)
    # a loop without iterations may stop at the lowest int, from which nothing can be subtracted
    shorter = maker.let("sub", high if isinstance(high, Const) else maker.let("max", high, low), Const(span, I64))
    middle = maker.let("max", low, shorter)
    first = maker.let("min", maker.let("add", low, Const(span, I64)), high)
    edges = [
        _edge(s, row, names, low, first, [(g, "lt", low, row[0].distance - g.distance) for g in row[1:]], span),
        _edge(s, row, names, middle, high, [(g, "ge", middle, row[0].distance - g.distance) for g in row[:-1]], 0),
    ]
    whole = _whole(axis, s, row, names, low, middle)
    if rest is None:
        return [*maker.out, edges[0], whole, edges[1]]
    own = min((g.distance for g in row), key=abs)  # the iteration that is fused with the row at its own index
    before = maker.let("min", maker.let("add", low, Const(row[0].distance - own, I64)), high)
    # a loop without iterations may start at the largest int
    after = maker.let("max", middle, maker.let("add", middle, Const(row[0].distance - own, I64)))
    ends = [(low, before), (low, middle), (after, high)]
    values, loops = rest.inits, []
    for k, (start, stop) in enumerate(ends):
        part = replace(rest, start=start, stop=stop, step=ONE, inits=(), outs=())
        [part] = freshen(Block((part,)), names, {}).stmts
        if k == 1:
            index = names.like(s.index)
            there = Let(part.index, "add", (index, Const(row[0].distance - own, I64)), s.span)
            mine = freshen(whole.body, names, {whole.index.name: index})
            fused = _fused(mine, Block((there, *part.body.stmts), part.body.results))
            part = replace(part, index=index, body=fused)
        outs = rest.outs if k == 2 else tuple(names.like(v) for v in rest.outs)
        loops.append(replace(part, inits=values, outs=outs))
        values = outs
    return [*maker.out, edges[0], *loops, edges[1]]


def _fused(mine: Block, theirs: Block) -> Block:
    """Two bodies in one: first what ``mine`` does, then what ``theirs`` does, with loops over the same ranges fused."""
    first, inner = _parted(mine.stmts)
    if inner is None:
        return Block((*first, *theirs.stmts), theirs.results)
    return Block(
        (
            *first,
            *(
                replace(t, body=_fused(substitute(inner.body, {inner.index.name: t.index}), t.body))
                if isinstance(t, Loop)
                else t
                for t in theirs.stmts
            ),
        ),
        theirs.results,
    )


def _flat(b: Block) -> Iterator[Stmt]:
    """The statements of a block and of the loops in it, without those of branches."""
    for t in b.stmts:
        yield t
        if isinstance(t, Loop):
            yield from _flat(t.body)


def _edge(
    s: Loop,
    row: list[Given],
    names: Names,
    low: Atom,
    high: Atom,
    given: list[tuple[Given, str, Atom, int]],
    whole: int,
) -> Loop:
    """The iterations at one end: the additions that the gathered rows do not include."""
    index = names.like(s.index)
    maker = Maker(names)
    for g, op, bound, distance in given:
        stmts = freshen(Block(g.stmts), names, {s.index.name: index}).stmts
        if distance == whole:
            maker.out += stmts
            continue
        test = maker.let(op, index, maker.let("add", bound, Const(distance, I64)))
        maker.out.append(If(test, Block(stmts), Block()))
    return _loop(s, index, low, high, maker.out)


def _loop(s: Loop, index: Var, low: Atom, high: Atom, stmts: list[Stmt]) -> Loop:
    return Loop(index, low, high, ONE, (), (), Block(tuple(stmts)), (), span=s.span)


def _whole(axis: int, s: Loop, row: list[Given], names: Names, low: Atom, middle: Atom) -> Loop:
    """The rows with contributions from all neighbours, as one loop nest."""
    index = names.like(s.index)
    maker = Maker(names)
    here = maker.let("add", index, Const(row[0].distance, I64))
    body: tuple[Stmt, ...] = ()
    for g in row:
        there = maker.let("add", index, Const(row[0].distance - g.distance, I64))
        given = freshen(Block(g.stmts), names, {s.index.name: there})
        body = _together(body, _at(given, axis, here).stmts)
    whole = replace(
        s, index=index, start=low, stop=middle, step=ONE, carried=(), inits=(), outs=(), body=Block((*maker.out, *body))
    )
    nest = _Rows(nest_of(whole))
    return replace(whole, body=nest.only([t for t in nest.stmts if isinstance(t, AddTo)]))


def _at(b: Block, axis: int, here: Atom) -> Block:
    """The block with its additions redirected to row ``here``."""

    def stmt(t: Stmt) -> Stmt:
        match t:
            case AddTo(index=index):
                return replace(t, index=(*index[:axis], here, *index[axis + 1 :]))
            case Loop(body=body):
                return replace(t, body=_at(body, axis, here))
        return t

    return Block(tuple(map(stmt, b.stmts)), b.results)


def _together(a: tuple[Stmt, ...], b: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Fuse two loop nests over the same ranges."""
    if not a:
        return b
    (x, mine), (y, theirs) = _parted(a), _parted(b)
    if mine is None or theirs is None:
        return (*x, *y)
    inner = substitute(theirs.body, {theirs.index.name: mine.index})
    return (*x, *y, replace(mine, body=Block(_together(mine.body.stmts, inner.stmts))))


def _parted(stmts: tuple[Stmt, ...]) -> tuple[list[Stmt], Loop | None]:
    return [t for t in stmts if not isinstance(t, Loop)], next((t for t in stmts if isinstance(t, Loop)), None)
