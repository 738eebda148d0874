"""First-write promotion: turn an addition to cells with known contents into a store, and drop the stores that it
overwrites.

**Transformation.** Forwarding of known contents (`known_regions.py`) into the first addition, and dead-store
elimination by regions.

**Before.** ``for i { &b[i] = 0.0 }; for i { &b[i+1] += e }``
**After.** ``&b[0] = 0.0; for i { &b[i+1] = e }``

**Legality.** If an array starts as zeros and the last action of each iteration is to clear it, the next iteration
clears it first instead, and once more after the loop. A zero fill or copy before a loop that adds exactly once to each
cell is dropped, except for the cells at either end that the loop does not reach; the loop stores the sum. For arrays of
several axes this applies to the rows that a nest adds to, one per iteration. Only local arrays and those of mode `out`:
a partial update of others must not be visible after an error.

**Profitability.** The adjoint of ``after[i] = e`` takes ``after_bar[i]`` and leaves a zero, to which the adjoint of a
stencil adds in the next loop. The pass saves one traversal of memory.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias). The sign of a zero
may change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from linad_typecheck.ir.core import (
    AddTo, Atom, Block, Dim, Fill, Function, If, Let, Load, Loop, Names, Stmt, Store, Var, all_names, outputs, walk,
)
from linad_typecheck.types import I64

from linad.analysis.loop_body import Body
from linad.analysis.loop_facts import defined, is_counted, is_plain, ranges_of
from linad.analysis.trip_counts import is_short

from ..ints import ONE, Maker, has_run
from ..loops.accumulation_rotation import Held, adding
from ..loops.loop_coalescing import covered
from .known_regions import Contents, End, Sizes, is_only_read


def promote_first_writes(f: Function) -> Function:
    """Apply first-write promotion to a function."""
    f = _sized(f)
    return replace(f, body=_Fresh(f).block(f.body))


def _sized(f: Function) -> Function:
    """The function with a name for each size of the gradients that it fills."""
    out = {p.var.name: p.like for p in f.params if p.mode == "out"}
    names, stmts = Names(all_names(f)), list[Stmt]()
    for s in f.body.stmts:
        if isinstance(s, Fill) and s.array.name in out:
            named = {t.axis for t in stmts if isinstance(t, Dim) and t.array.name in (s.array.name, out[s.array.name])}
            stmts += [Dim(names.var("n", I64), s.array, k) for k in range(s.array.type.rank) if k not in named]
        stmts.append(s)
    return replace(f, body=replace(f.body, stmts=tuple(stmts)))


@dataclass(frozen=True)
class Reach:
    """The cells of an array that a loop adds to, along the axis that follows the indices ``at``.

    Iteration ``i``, from ``start`` up to but not including ``stop``, adds to cells at offsets ``lowest`` to ``highest``
    from ``i``. For further axes, ``inner`` is the reach of the inner loop. ``known``: the contents of these cells
    before the loop, if known. ``taken``: as in `accumulation_rotation.Held`. ``blocks``: the iterations are those of a
    loop inside, each for a block of the range.
    """

    array: Var
    loop: Loop
    at: tuple[Atom, ...]
    start: End
    stop: End
    lowest: int
    highest: int
    inner: Reach | None = None
    known: Contents | None = None
    taken: bool = False
    blocks: bool = False

    @property
    def held(self) -> Contents:
        assert self.known is not None
        return self.known

    @property
    def near(self) -> End:
        """The first cell that nothing else has added to."""
        return self.start + (self.highest if self.taken else self.lowest)

    @property
    def far(self) -> End:
        return self.stop + self.lowest

    def after(self, held: Contents) -> Reach | None:
        """This reach with its known contents, if the region ``held`` includes all its cells. A region that is a whole
        array includes every cell."""
        inner = None
        if self.inner is not None:
            inner = None if held.inner is None else self.inner.after(held.inner)
            if inner is None:
                return None
        found = replace(self, known=held, inner=inner)
        if held.loop is None:
            return found
        found = replace(found, taken=held.source is None and not held.low <= self.near)
        return found if held.low <= found.near and found.far <= held.high else None

    def levels(self) -> Iterator[Reach]:
        yield self
        if self.inner is not None:
            yield from self.inner.levels()

    def bounds(self) -> set[Atom]:
        ints = {a for r in self.levels() for a in (r.loop.start, r.loop.stop) if a is not None}
        return ints | {self.near.atom, self.far.atom}

    def is_all(self) -> bool:
        """Whether these are all the cells with known contents."""
        return self.near <= self.held.low and self.held.high <= self.far and (self.inner is None or self.inner.is_all())


class _Fresh:
    def __init__(self, f: Function) -> None:
        self.sizes = Sizes(f)
        self.names = self.sizes.names
        self.lent = {p.var.name for p in f.params if p.mode != "out"}
        self.ranges = ranges_of(f)

    def block(self, b: Block) -> Block:
        done: list[Stmt] = []
        for s in b.stmts:
            match s:
                case If():
                    then, orelse = map(self.block, self.ranges.arms(s))
                    s = replace(s, then=then, orelse=orelse)
                case Loop():
                    with self.ranges.scope():
                        self.ranges.enter(s)
                        s = replace(s, body=self.block(s.body))
                    now, after = self.begun_with(s, done)
                    done = [*self.stored([*done, now]), *after]
                    continue
                case _:
                    self.ranges.statement(s)
            done.append(s)
        return replace(b, stmts=tuple(done))

    # -- known contents, and a later loop that adds to them

    def stored(self, stmts: list[Stmt]) -> list[Stmt]:
        """The statements with the additions of the last one, a loop, turned into stores where the previous contents are
        known."""
        s = stmts[-1]
        if not isinstance(s, Loop):
            return stmts
        done, found = stmts[:-1], []
        for a in dict.fromkeys(
            t.array for t in walk(s.body) if isinstance(t, Store | AddTo) and t.array.name not in self.lent
        ):
            reach = self.reach(s, a, ())
            before = None if reach is None else self.before(done, reach)
            if before is not None:
                k, behind, reach = before
                done[behind:behind] = self.ends(reach)
                done[k : k + 1] = reach.held.rest
                found.append(reach)
        return [*done, *self.storing(s, found)] if found else stmts

    def reach(self, s: Loop, a: Var, at: tuple[Atom, ...]) -> Reach | None:
        """The cells that a loop adds to, if each is added to in one iteration or in neighbouring ones, and the loop
        does nothing else with the array."""
        if is_short(s, self.sizes.ints):
            return None
        if is_plain(s):
            return self.row(s, a, at) if s.step == ONE else None
        if (inner := self.block_of(s)) is not None:
            own = [t for t in s.body.stmts if self.sizes.touches(t, a)] == [inner]
            found = self.row(inner, a, at) if own else None
            if found is None or found.lowest != found.highest:
                return None
            whole = self.along(replace(s, step=ONE), a, at, found.lowest, found.highest)
            return replace(whole, loop=s, blocks=True)
        if not is_counted(s, one_by_one=True) or len(at) + 1 >= a.type.rank:
            return None
        match [t for t in s.body.stmts if self.sizes.touches(t, a)]:
            case [Loop() as inner]:
                uses = (t for t in walk(inner.body) if isinstance(t, Load | Store | AddTo) and t.array == a)
                row = next((t.index[len(at)] for t in uses), None)
                far = None if row is None else Body(s).offset(row)
                found = None if row is None or far is None else self.reach(inner, a, (*at, row))
                made = defined(s)
                if (
                    far is not None
                    and found is not None
                    and not any(isinstance(i, Var) and i.name in made for i in found.bounds())
                ):
                    return self.along(s, a, at, far, far, found)
        return None

    def block_of(self, s: Loop) -> Loop | None:
        """The innermost loop over the blocks of a loop's range."""
        inner = [t for t in s.body.stmts if isinstance(t, Loop)]
        match inner:
            case [t] if is_plain(t) and t.step == ONE and not s.exits and covered(s, t, self.sizes.ints) == s.stop:
                return t
        return None

    def row(self, s: Loop, a: Var, at: tuple[Atom, ...]) -> Reach | None:
        """The reach of an innermost loop."""
        body, distances = Body(s), []
        match [t for _, t in body.written.get(a.name, ())]:
            case [Store() as t] if a.name not in body.loaded:
                pass
            case [AddTo() as t, *_] if len(rows := body.additions(a.name)) == 1:
                distances += rows[0]
            case _:
                return None
        cell = body.cell(t.index)
        if cell is None or t.index[:-1] != at:
            return None
        distances.append(cell.number)
        if body.offset(t.index[-1]) is None:
            return None
        return self.along(s, a, at, min(distances), max(distances))

    def along(
        self, s: Loop, a: Var, at: tuple[Atom, ...], lowest: int, highest: int, inner: Reach | None = None
    ) -> Reach:
        start, stop = self.sizes.ends(s)
        return Reach(a, s, at, start, stop, lowest, highest, inner)

    def before(self, done: list[Stmt], reach: Reach) -> tuple[int, int, Reach] | None:
        """Find the reaching definition of the cells that a loop adds to.

        Returns its position, the position of the first later statement that may depend on it (where the remaining cells
        must be initialised), and the reach with the known contents.
        """
        behind = len(done)
        while (k := self.sizes.last(done[:behind], reach.array)) is not None:
            held = self.sizes.contents(done[k], reach.array)
            found = None if held is None else reach.after(held)
            if held is not None and found is not None:
                made = {v for t in done[behind:] for v in outputs(t)}
                same = held.source is None or is_only_read([*done[k + 1 :], reach.loop], held.source)
                return (k, behind, found) if same and not found.bounds() & made else None
            if not self.is_elsewhere(done[k], reach):
                return None
            behind = k
        return None

    def is_elsewhere(self, s: Stmt, reach: Reach) -> bool:
        """Whether a statement provably does not access the cells that a loop adds to, provided the loop runs at all."""
        r, a = self.ranges, reach.array
        near, far = (r.value(e.atom) + e.more for e in (reach.near, reach.far))

        def block(b: Block) -> bool:
            return all(map(other, b.stmts))

        def other(t: Stmt) -> bool:
            match t:
                case (
                    Load(array=array, index=(i, *_))
                    | Store(array=array, index=(i, *_))
                    | AddTo(array=array, index=(i, *_))
                ) if array == a:
                    return r.proves(near - r.value(i) - 1) or r.proves(r.value(i) - far)
                case If():
                    return all([block(b) for b in r.arms(t)])  # a list: both scopes must end
                case Loop(body=body):
                    with r.scope():
                        r.enter(t)
                        return block(body)
                case Let():
                    r.let(t)
            return not self.sizes.touches(t, a)

        return other(s)

    # -- the loop that stores, and the remaining cells

    def storing(self, s: Loop, found: Sequence[Reach]) -> list[Stmt]:
        """The loop or nest with additions to arrays of known contents turned into stores."""
        held = {r.array.name: Held(r.held.source, r.taken) for r in found}
        if found[0].inner is None and not found[0].blocks:
            return adding(s, self.names, held)
        stmts: list[Stmt] = []
        if found[0].blocks:
            for t in s.body.stmts:  # one addition for each cell leaves nothing over after a block
                made = adding(t, self.names, held) if isinstance(t, Loop) else [t]
                stmts += made if made == [t] else [u for u in made if isinstance(u, Loop)]
            return [replace(s, body=replace(s.body, stmts=tuple(stmts)))]
        for t in s.body.stmts:
            inner = [r.inner for r in found if r.inner is not None and r.inner.loop is t]
            stmts += self.storing(t, inner) if inner and isinstance(t, Loop) else [t]
        return [replace(s, body=replace(s.body, stmts=tuple(stmts)))]

    def ends(self, reach: Reach) -> list[Stmt]:
        """Initialise the known cells that the loop does not reach: those on both sides of its range, those of its rows,
        and all of them if it or an inner loop has no iterations."""
        held = reach.held
        if reach.is_all():
            return []
        tests, inside, never = (Maker(self.names) for _ in range(3))
        self.beside(reach, inside)
        self.part(reach, held.low, held.high, never)
        ran = self.have_run((r.loop for r in reach.levels()), tests)
        tests.out.append(If(ran, Block(tuple(inside.out)), Block(tuple(never.out)), (), reach.loop.span))
        if not held.loops():
            return tests.out
        held_any = Maker(self.names)
        ran = self.have_run(held.loops(), held_any)
        return [*held_any.out, If(ran, Block(tuple(tests.out)), Block(), (), held.loops()[0].span)]

    def beside(self, reach: Reach, maker: Maker) -> None:
        """Initialise the cells beside the range of a loop that runs, and of the rows in it. These have a nest of their
        own, so that the loop remains one that can be jammed."""
        held, near, far = reach.held, reach.near, reach.far
        if held.loop is not None and not near <= held.low + 1:  # the first cell of the loop is in the region
            near = End(maker.let("min", *(self.sizes.int(e, maker) for e in (held.high, near))), 0)
        if held.loop is not None and not held.high <= far + 1:
            far = End(maker.let("max", *(self.sizes.int(e, maker) for e in (held.low, far))), 0)
        self.part(reach, held.low, near, maker)
        self.part(reach, far, held.high, maker)
        if reach.inner is not None and not reach.inner.is_all():
            k, row = self.names.var("k", I64), Maker(self.names)
            start, stop = (self.sizes.int(e + reach.lowest, maker) for e in (reach.start, reach.stop))
            self.beside(replace(reach.inner, at=(*reach.at, k)), row)
            maker.out.append(Loop(k, start, stop, ONE, (), (), Block(tuple(row.out)), ()))

    def have_run(self, loops: Iterable[Loop], maker: Maker) -> Atom:
        """Whether each of these loops executes at least one iteration."""
        first, *others = (has_run(s, self.names) for s in loops)
        maker.out += [first, *others]
        ran: Atom = first.out
        for test in others:
            ran = maker.let("and", ran, test.out)
        return ran

    def part(self, reach: Reach, low: End, high: End, maker: Maker) -> None:
        """Store the known contents of the cells ``low`` to ``high``."""
        self.sizes.part(reach.array, reach.at, reach.held, low, high, maker)

    # -- zeros that the next iteration would add to

    def begun_with(self, s: Loop, before: list[Stmt]) -> tuple[Loop, list[Stmt]]:
        """Rotate the zero stores of a loop: arrays that start as zeros and that each iteration clears at its end are
        cleared at the start of each iteration, and once after the loop."""
        after: list[Stmt] = []
        if s.exits:
            return s, after
        for c, out, init, r in zip(s.carried, s.outs, s.inits, s.body.results, strict=True):
            had, left = self.left(before, init), self.left(s.body.stmts, r)
            if had is None or left is None:
                continue
            (_, old), (k, zeros) = had, left
            if not (
                old.low <= zeros.low and zeros.high <= old.high and old.has_whole_rows() and zeros.has_whole_rows()
            ):
                continue
            stmts = [*s.body.stmts[:k], *zeros.rest, *s.body.stmts[k + 1 :]]
            first = next((n for n, t in enumerate(stmts) if self.sizes.touches(t, c)), None)
            if first is None:
                continue
            begun = [*self.clearing(c, zeros), *stmts[: first + 1]]
            stored = self.stored(begun)
            if stored is not begun:
                s = replace(s, body=replace(s.body, stmts=(*stored, *stmts[first + 1 :])))
                after += self.clearing(out, zeros)
        return s, after

    def left(self, stmts: Sequence[Stmt], a: Atom) -> tuple[int, Contents] | None:
        """The last statement that touches an array, if it leaves zeros there: its position and the zeros."""
        if not isinstance(a, Var) or (k := self.sizes.last(stmts, a)) is None:
            return None
        found = self.sizes.contents(stmts[k], a)
        return (k, found) if found is not None and found.source is None else None

    def clearing(self, a: Var, zeros: Contents) -> list[Stmt]:
        """The loop that stores the same zeros to another array."""
        maker, s = Maker(self.names), zeros.loop
        low, high = zeros.low, zeros.high
        if s is not None:
            assert s.stop is not None
            low, high = self.sizes.end(s.start), self.sizes.end(s.stop)
        start, stop = (self.sizes.int(e, maker) for e in (low, high))
        return [
            *maker.out,
            replace(self.sizes.filled(a, (), start, stop, zeros, zeros.number), step=ONE if s is None else s.step),
        ]
