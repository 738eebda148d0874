"""Array regions: which cells of an array have been written, as a forward dataflow analysis of unions of rectangles.

A region is given by affine bounds along each axis. A bound may depend on the coordinates along other axes, written
``@0``, ``@1``: the rows of a triangle are ``0 <= @0 < n, 0 <= @1 < @0 + 1``. Facts are *must* facts: each cell of a
region has been written on every path to the current point. Writes that are not affine, are conditional, or may be
skipped by an early exit are not included.

References: Creusillet and Irigoin, Interprocedural array region analyses, 1996; Tu and Padua, Automatic array
privatization, 1993.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import prod

from linad_typecheck.ir.core import (
    Alloc, Atom, Block, Call, Copy, Dim, Fill, Function, If, Loop, Reserve, Stmt, Store, Var, blocks, free_vars,
    mentioned, names_in, operands, walk,
)
from linad_typecheck.ir.sizes import known_sizes
from linad_typecheck.infer.affine import Affine
from linad_typecheck.types import I64, Array

from .accesses import Access, accesses
from .affine import Ranges, constant, unknown
from .dependence import Distance, Nest
from .logs import may_grow
from .loop_facts import defined, ranges_of

MOST = 12  # maximum number of regions per array


def coordinate(axis: int) -> str:
    return f"@{axis}"


@dataclass(frozen=True)
class Region:
    """The cells with ``low <= @k < high`` along each axis ``k``, if all forms of ``where`` are at least 0; otherwise
    empty."""

    axes: tuple[tuple[Affine, Affine], ...]
    where: tuple[Affine, ...] = ()

    @property
    def forms(self) -> Iterator[Affine]:
        for low, high in self.axes:
            yield low
            yield high
        yield from self.where

    @property
    def names(self) -> set[str]:
        return {name for f in self.forms for name in f.atoms}

    def substitute(self, values: Mapping[str, Affine]) -> Region:
        axes = tuple((low.substitute(values), high.substitute(values)) for low, high in self.axes)
        return Region(axes, tuple(f.substitute(values) for f in self.where))

    def tests(self) -> Iterator[Affine]:
        """Forms that are at least 0 exactly for the coordinates of its cells."""
        for k, (low, high) in enumerate(self.axes):
            yield unknown(coordinate(k)) - low
            yield high - 1 - unknown(coordinate(k))
        yield from self.where

    def box(self) -> Region:
        """A bounding region whose bounds do not depend on coordinates, as far as one pass over the axes finds it."""
        axes = list(self.axes)
        for _ in axes:
            ends = {coordinate(k): (low, high - 1) for k, (low, high) in enumerate(axes)}
            axes = [(_end(low, ends, 0), _end(high, ends, 1)) for low, high in axes]
        return Region(tuple(axes), self.where)


def _end(f: Affine, ends: Mapping[str, tuple[Affine, Affine]], side: int) -> Affine:
    """The least (0) or largest (1) value of a form over the values of coordinates."""
    return f.substitute({name: ends[name][side if c > 0 else 1 - side] for name, c in f.terms if name in ends})


def cell(index: Iterable[Affine]) -> Region:
    return Region(tuple((f, f + 1) for f in index))


def whole(r: Ranges, array: Var) -> Region:
    assert isinstance(array.type, Array)
    return Region(tuple((constant(0), r.dim(array, k)) for k in range(array.type.rank)))


def contains(r: Ranges, outer: Region, inner: Region) -> bool:
    """Whether a region provably includes another one."""
    if outer == inner:
        return True
    if not inner.where and all(high - low == constant(1) for low, high in inner.axes):  # a single cell
        at = {coordinate(k): f for k, (f, _) in enumerate(inner.axes)}
        return all(r.proves(f.substitute(at)) for f in outer.tests())
    with r.scope():
        for f in inner.tests():
            r.learn(f)
        return all(map(r.proves, outer.tests()))


def plainly_contains(outer: Region, inner: Region) -> bool:
    """Whether the bounds alone show that a region includes another one, without a proof."""

    def least(f: Affine) -> int:
        return -1 if f.value is None else f.value

    if outer.where and outer.where != inner.where:
        return False
    bounds = zip(outer.axes, inner.axes, strict=True)
    return all(least(low - first) >= 0 and least(last - high) >= 0 for (first, last), (low, high) in bounds)


# ---------------------------------------------------------------------------------------------------- all iterations


def over(r: Ranges, s: Loop, region: Region, before: bool) -> Region | None:
    """The union of ``region`` over all iterations of a loop, or over those ``before`` the current one; None if it is
    not known to have no gaps. ``r`` knows the facts that hold in an iteration."""
    i, step = s.index.name, r.form(s.step).value
    if not step or (s.stop is None and not before):
        return None
    assert s.stop is not None or before
    sign = 1 if step > 0 else -1
    first = r.value(s.start)
    last = unknown(i) - step if before else r.value(s.stop) - step  # type: ignore[arg-type]
    region = _by_coordinates(region, i)
    moving = [k for k, bounds in enumerate(region.axes) if any(i in f.atoms for f in bounds)]
    if len(moving) > 1 or any(i in f.atoms for f in region.where):
        return None
    # with a step beyond 1, the index after the last iteration exceeds the bound by less than a whole step
    ran = (unknown(i) - first - step if before else r.value(s.stop) - first - sign) * sign  # type: ignore[arg-type]
    if not moving:
        return Region(region.axes, (*region.where, ran))
    k = moving[0]
    low, high = region.axes[k]
    c, d = (dict(f.terms).get(i, 0) for f in (low, high))
    if c * d <= 0:
        return None
    at = lambda f, value: f.substitute({i: value})  # noqa: E731
    after = unknown(i) + step
    if c * step > 0:
        gapless, new = high - at(low, after), (at(low, first), at(high, last))
    else:
        gapless, new = at(high, after) - low, (at(low, last), at(high, first))
    if not r.proves(gapless):
        return None
    axes = (*region.axes[:k], new, *region.axes[k + 1 :])
    # if the loop does not run, the bounds must describe an empty region
    shift = {i: first - step}
    none = high.substitute(shift) - at(low, first) if c * step > 0 else at(high, first) - low.substitute(shift)
    empty = none.value is not None and none.value <= 0
    return Region(axes, region.where if empty else (*region.where, ran))


def _by_coordinates(region: Region, i: str) -> Region:
    """Replace an int by the coordinate along an axis that has exactly one cell for each of its values."""
    for k, (low, high) in enumerate(region.axes):
        c = dict(low.terms).get(i, 0)
        if abs(c) != 1 or high - low != constant(1):
            continue
        value = (unknown(coordinate(k)) - (low - unknown(i) * c)) * c
        moved = region.substitute({i: value})
        return Region((*moved.axes[:k], (low, high), *moved.axes[k + 1 :]), moved.where)
    return region


# ------------------------------------------------------------------------------------------------------------ the walk


class Coverage:
    """A walk over a block that computes the cells it has written, and the arrays of which it may read cells not yet
    written (`exposed`).

    ``ends``: the regions at the end of each block, by its id.
    """

    def __init__(self, ranges: Ranges, arrays: Iterable[str], counted: frozenset[int] = frozenset()) -> None:
        self.ranges = ranges
        self.counted = counted  # ids of further statements to treat as writes
        self.arrays = frozenset(arrays)
        self.written: dict[str, tuple[Region, ...]] = {}
        self.exposed: set[str] = set()
        self.ends: dict[int, dict[str, tuple[Region, ...]]] = {}
        self.quiet = False
        self.start = Block()  # the block walked over

    def block(self, b: Block) -> None:
        for s in b.stmts:
            self.statement(s)
        if not self.quiet:
            self.ends[id(b)] = dict(self.written)

    def statement(self, s: Stmt) -> None:
        match s:
            case If():
                self.branch(s)
            case Loop(body=body):
                if not self.arrays.isdisjoint(free_vars(body)):
                    self.loop(s)
            case _:
                self.ranges.statement(s)
                for access in accesses(s):
                    self.access(replace(access, kind="write") if id(s) in self.counted else access)

    # ---------------------------------------------------------------------------------------------------- accesses

    def add(self, name: str, region: Region) -> None:
        """Add a written region, merging it with adjacent ones."""
        known = list(self.written.get(name, ()))
        todo = [region]
        while todo and len(known) < MOST:
            one = todo.pop()
            if any(plainly_contains(other, one) for other in known):
                continue
            known = [other for other in known if not plainly_contains(one, other)]
            todo += [joined for other in known if (joined := side_by_side(self.ranges, other, one)) is not None]
            known.append(one)
        self.written[name] = tuple(known)

    def access(self, access: Access) -> None:
        r, a = self.ranges, access.array
        if a.name not in self.arrays:
            return
        at = None if access.index is None else tuple(map(r.value, access.index))
        if access.kind == "write":
            self.add(a.name, whole(r, a) if at is None else cell(at))
        elif not (self.quiet or a.name in self.exposed):
            region = whole(r, a) if at is None else cell(at)
            with r.scope():  # an access out of bounds reads nothing
                for axis, f in enumerate(at or ()):
                    r.learn(f)
                    r.learn(r.dim(a, axis) - 1 - f)
                if not any(contains(r, known, region) for known in self.written.get(a.name, ())):
                    self.exposed.add(a.name)

    # ------------------------------------------------------------------------------------------------------ blocks

    @contextmanager
    def aside(self, quiet: bool = True) -> Iterator[None]:
        """Writes in this context are forgotten at its end."""
        saved, was = self.written, self.quiet
        self.written, self.quiet = dict(saved), was or quiet
        with self.ranges.scope():
            yield
        self.written, self.quiet = saved, was

    def branch(self, s: If) -> None:
        ends: list[dict[str, tuple[Region, ...]]] = []
        forms = []
        for arm in self.ranges.arms(s):
            with self.aside(quiet=False):
                self.block(arm)
                own = names_in(arm)
                kept = {a: tuple(x for x in regions if not x.names & own) for a, regions in self.written.items()}
                forms.append([self.ranges.form(x) if x.type == I64 else None for x in arm.results])
            ends.append(kept)
        for v, x, y in zip(s.outs, *forms, strict=True):
            if x is not None and x == y and not set(x.atoms) & (names_in(s.then) | names_in(s.orelse)):
                self.ranges.forms[v.name] = x
        first, second = ends
        for name in first.keys() & second.keys():
            both = dict.fromkeys(x for x in first[name] if self.within(x, second[name]))
            both |= dict.fromkeys(x for x in second[name] if self.within(x, first[name]))
            self.written[name] = tuple(both)

    def within(self, region: Region, others: tuple[Region, ...]) -> bool:
        return region in others or any(contains(self.ranges, other, region) for other in others)

    def loop(self, s: Loop) -> None:
        r, own = self.ranges, defined(s)
        with r.scope():
            r.enter(s)
            with self.aside():
                self.written = {}
                self.block(s.body)
                once = self.written
                prior, after = (
                    {a: list(self.repeated(s, rs, own, k)) for a, rs in once.items()} for k in (True, False)
                )
            if not self.quiet:
                with self.aside(quiet=False):
                    for name, regions in prior.items():
                        for region in regions:
                            self.add(name, region)
                    self.block(s.body)
        for name, regions in after.items():
            for region in regions:
                self.add(name, region)

    def repeated(self, s: Loop, regions: Iterable[Region], own: set[str], before: bool) -> Iterator[Region]:
        if s.exits and not before:
            return
        for region in regions:
            found = over(self.ranges, s, region, before)
            if found is not None and not found.names & (own - {s.index.name} if before else own):
                yield found


def side_by_side(r: Ranges, a: Region, b: Region) -> Region | None:
    """The union of two regions that are adjacent or overlap along one axis, or None."""
    if a.where != b.where:
        return None
    differ = [k for k, (x, y) in enumerate(zip(a.axes, b.axes, strict=True)) if x != y]
    if len(differ) != 1:
        return None
    k = differ[0]
    if any(coordinate(k) in f.atoms for j, bounds in enumerate(a.axes) if j != k for f in bounds):
        return None
    (low, high), (next_low, next_high) = a.axes[k], b.axes[k]
    for start, middle, go_on, end in ((low, high, next_low, next_high), (next_low, next_high, low, high)):
        gap, more = (go_on - middle).value, end - middle
        meet = gap <= 0 if gap is not None else all(map(r.proves, (middle - go_on, go_on - start, more)))
        if meet and more.value != 0:
            return Region((*a.axes[:k], (start, end), *a.axes[k + 1 :]), a.where)
    return None


# ------------------------------------------------------------------------------------------------------ one nest


@dataclass(frozen=True)
class Touched:
    """The statements of an innermost loop that use an array, size queries aside. ``loops``: the nest, outermost loop
    first."""

    loops: tuple[Loop, ...]
    uses: tuple[Stmt, ...]

    def one_by_one(self) -> bool:
        """Whether all uses in an iteration are of the same cell, which no other iteration uses."""
        found = [a for t in self.uses for a in accesses(t)]
        if not 0 < len(found) == len(self.uses) or any(a.index is None or a.index != found[0].index for a in found):
            return False
        return Nest(*self.loops).between(found[0], found[0]) == Distance((0,) * len(self.loops))


def touched(s: Stmt, array: Var, mentions: Callable[[Stmt, Var], bool]) -> Touched | None:
    """Match a loop nest without early exits that uses an array only in its innermost loop and does not rename it."""
    loops: list[Loop] = []
    while isinstance(s, Loop) and not (s.exits or s.mark is not None or array in (*s.inits, *s.body.results)):
        loops.append(s)
        match [t for t in s.body.stmts if mentions(t, array) and not isinstance(t, Dim)]:
            case [Loop() as inner]:
                s = inner
            case uses:
                return Touched(tuple(loops), tuple(uses))
    return None


def filled(nest: Touched, array: Var, r: Ranges) -> bool:
    """Whether a loop nest uses every cell of an array, each in exactly one iteration."""
    if not nest.one_by_one():
        return False
    (use, *_), (outer, *_) = nest.uses, nest.loops
    coverage = Coverage(r, (array.name,), frozenset({id(use)}))
    coverage.statement(outer)
    return any(contains(r, region, whole(r, array)) for region in coverage.written.get(array.name, ()))


# ------------------------------------------------------------------------------------------------------ private arrays


@dataclass(frozen=True)
class Frame:
    """A step on the path to a statement: the block, the position in it, and the loop whose body it is."""

    block: Block
    at: int
    loop: Loop | None


class Walk:
    """A walk over a function that tracks facts about ints and analyses arrays at each statement."""

    def __init__(self, f: Function) -> None:
        self.made = scratch(f)
        self.ranges = ranges_of(f, may_grow(f))
        self.frames: list[Frame] = []

    def reach(self, frame: Frame) -> None:
        """Called before each statement."""

    def concerns(self, s: Stmt) -> bool:
        """Whether a statement is to be reached, or one in it; if not, a loop or branch is passed over."""
        return True

    def block(self, b: Block, loop: Loop | None = None) -> None:
        last = max((k for k, s in enumerate(b.stmts) if self.concerns(s)), default=-1)
        for k, s in enumerate(b.stmts[: last + 1]):
            self.frames.append(Frame(b, k, loop))
            self.reach(self.frames[-1])
            match s:
                case If() | Loop() if not self.concerns(s):
                    pass
                case If():
                    for arm in self.ranges.arms(s):
                        self.block(arm)
                case Loop(body=body):
                    with self.ranges.scope():
                        self.ranges.enter(s)
                        self.block(body, s)
                case _:
                    self.ranges.statement(s)
            self.frames.pop()

    def coverage(self, arrays: Iterable[str], b: Block, s: Loop | None = None, to_end: bool = False) -> Coverage:
        """Walk over the statements that follow, or over an iteration if a loop is given; if not ``to_end``, until all
        arrays are exposed."""
        ranges = self.ranges.fork()  # a fork, because facts learned from later statements do not hold on other paths
        if s is not None:
            ranges.enter(s)
        found = Coverage(ranges, arrays)
        found.start = b
        for t in b.stmts:
            if not to_end and found.exposed == found.arrays:
                break
            found.statement(t)
        found.ends[id(b)] = dict(found.written)
        return found

    def refilled(self, s: Stmt) -> set[str]:
        """The local arrays that exist before a statement and that it, or a nested statement, stores to."""
        inside = (s, *(t for b in blocks(s) for t in walk(b)))
        stored = {t.array.name for t in inside if isinstance(t, Store | Fill)} & self.made.keys()
        return stored & mentioned(s).keys() if stored else stored


class Privacy(Walk):
    """Finds the arrays allocated outside a loop that are private to its iterations: each cell read in an iteration is
    written earlier in it, and the contents are dead after the loop.

    ``found``: by the id of the loop, the names of the arrays, each with the regions written at the ends of blocks.
    """

    def __init__(self, f: Function) -> None:
        super().__init__(f)
        self.exposed: dict[int, set[str]] = {}
        self.found: dict[int, dict[str, Coverage]] = {}
        self.wanted: set[int] = set()  # the ids of loops that store to an array from before them, and what they are in
        if self.made and self.seek(f.body):
            self.block(f.body)

    def seek(self, b: Block) -> bool:
        inside = [s for s in b.stmts if any([self.seek(c) for c in blocks(s)]) or type(s) is Loop and self.refilled(s)]
        self.wanted.update(map(id, inside))
        return bool(inside)

    def concerns(self, s: Stmt) -> bool:
        return id(s) in self.wanted

    def reach(self, frame: Frame) -> None:
        s = frame.block.stmts[frame.at]
        if isinstance(s, Loop) and id(s) in self.wanted and (outer := self.refilled(s)):
            coverage = self.coverage(outer, s.body, s)
            self.exposed[id(s)] = coverage.exposed
            if private := self.dead(outer - coverage.exposed):
                self.found[id(s)] = dict.fromkeys(private, coverage)

    def dead(self, arrays: set[str]) -> set[str]:
        """The arrays whose contents are dead after the current statement: every cell is written before it is read
        again."""
        asked, found = set(arrays), set()
        for frame in reversed(self.frames):
            if asked:
                rest = frame.block.stmts[frame.at + 1 :]
                using = [k for k, s in enumerate(rest) if not asked.isdisjoint(mentioned(s))]
                asked -= self.coverage(asked, Block(rest[: using[-1] + 1 if using else 0])).exposed
            made = asked & {s.out.name for s in frame.block.stmts if isinstance(s, Alloc | Copy)}
            found, asked = found | made, asked - made
            if frame.loop is not None:
                asked -= self.exposed.get(id(frame.loop), set())
        return found


class Renaming(Walk):
    """Finds where a fresh array can replace an array: at a statement after which no cell written before is read, and at
    the start of an iteration that reads none of the incoming cells of a carried array (``fresh``), or some
    (``copied``).

    ``splits``: by the id of a block, positions in it and names of arrays. ``fresh``, ``copied``: by the id of a loop,
    positions of carried values and the sizes of the arrays. Each comes with what is written from there on.
    """

    def __init__(self, f: Function) -> None:
        super().__init__(f)
        self.sizes = known_sizes(f)
        self.splits: dict[int, list[tuple[int, str, Coverage]]] = {}
        self.fresh: dict[int, list[tuple[int, tuple[Atom, ...], Coverage]]] = {}
        self.copied: dict[int, list[tuple[int, tuple[Atom, ...], Coverage]]] = {}
        self.read = {r.name for s in walk(f.body) for b in blocks(s) for r in b.results if isinstance(r, Var)}
        self.read |= {a.name for s in walk(f.body) for a in operands(s) if isinstance(a, Var)}
        self.read |= {r.name for r in f.body.results if isinstance(r, Var)}
        self.block(f.body)

    def reach(self, frame: Frame) -> None:
        before, s = frame.block.stmts[: frame.at], frame.block.stmts[frame.at]
        own = {t.out.name for t in before if isinstance(t, Alloc | Copy)}
        if own and (stored := own & self.refilled(s)):
            again = stored & set().union(*map(self.refilled, before))
            rest = Block(frame.block.stmts[frame.at :])
            if again and (dead := again - (coverage := self.coverage(again, rest)).exposed):
                for name in sorted(dead):
                    self.splits.setdefault(id(frame.block), []).append((frame.at, name, coverage))
        if isinstance(s, Loop):
            self.carried(s)

    def carried(self, s: Loop) -> None:
        nexts = s.nexts
        inner = {
            a.name
            for t in walk(s.body)
            for a in (*(r for b in blocks(t) for r in b.results), *_passed(t))
            if isinstance(a, Var)
        }
        for k, (c, init, out) in enumerate(zip(s.carried, s.inits, s.outs, strict=True)):
            sizes = self.sizes.get(c.name)
            if not isinstance(c.type, Array) or c.name in inner or c == nexts[k] or sizes is None:
                continue
            for axis, n in enumerate(sizes):
                self.ranges.dims[c.name, axis] = self.ranges.value(n)
            coverage = self.coverage((c.name,), s.body, s, to_end=True)
            if c in nexts:  # an alias may be read
                coverage.access(Access(c, None, "read"))
            dead = c.name not in coverage.exposed and out.name not in self.read and isinstance(init, Var)
            (self.fresh if dead else self.copied).setdefault(id(s), []).append((k, sizes, coverage))


def _passed(s: Stmt) -> tuple[Atom, ...]:
    """The operands that a statement renames or passes to a call."""
    return operands(s) if isinstance(s, Loop | Call | Reserve) else ()


def nearly_filled(coverage: Coverage, home: Block, array: Var, edge: int = 4, small: int = 16) -> bool:
    """Whether a block writes all cells of an array, except for ``edge`` cells at the ends of each axis, or of a
    ``small`` array."""
    r = coverage.ranges
    sizes = [high for _, high in whole(r, array).axes]
    numbers = [n.value for n in sizes]
    if None not in numbers and prod(numbers) <= small:  # type: ignore[type-var]
        return True
    for region in coverage.ends[id(home)].get(array.name, ()):
        axes = region.box().axes
        if all(map(r.proves, region.where)) and all(
            r.proves(edge - low) and r.proves(high + edge - n) for (low, high), n in zip(axes, sizes, strict=True)
        ):
            return True
    return False


def scratch(f: Function) -> dict[str, Alloc]:
    """The local arrays that are never renamed, by name, with an allocation that gives their sizes."""
    made = {s.out.name: s for s in walk(f.body) if isinstance(s, Alloc) and s.log == "no" and s.shape}
    copies = [s for s in walk(f.body) if isinstance(s, Copy)]
    sizes = known_sizes(f) if copies else {}
    made |= {s.out.name: Alloc(s.out, sizes[s.out.name], None, s.span) for s in copies if sizes.get(s.out.name)}
    passed = {r.name for r in f.body.results if isinstance(r, Var)}
    for s in walk(f.body):
        for b in blocks(s):
            passed |= {r.name for r in b.results if isinstance(r, Var)}
        passed |= {a.name for a in _passed(s) if isinstance(a, Var)}
    return {name: s for name, s in made.items() if name not in passed}
