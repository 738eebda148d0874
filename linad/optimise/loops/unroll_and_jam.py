"""Unroll and jam: run four iterations of an outer loop at once if its inner loops access the same cells in each.

**Transformation.** Unroll-and-jam, and register tiling of deeper nests by it (Allen and Kennedy, Optimizing Compilers
for Modern Architectures, 2001, chapter 8). The remaining iterations run one by one.

**Before.** ``for i { for j { &x_bar[j] += a[i, j] * y[i] } }``
**After.** ``for i by 4 { for j { &x_bar[j] += a[i, j] * y[i] + ... + a[i+3, j] * y[i+3] } }``

**Legality.** Either the iterations are independent (`parallelism.verdict`): they write disjoint cells, or only add, and
arrays allocated in an iteration stay private, since each copy allocates its own. A test that asks for the checked build
may then run earlier. Or the loop contains innermost loops only, and everything that the iterations write is only added
to; or consists of cells of their own; or is accessed only between the same two inner loops: the statements there run
for one iteration after the other. Carried values are sums, or in the second case available in time. The inner loops
have the same range in all iterations. Nothing else in the nest raises an error.

**Profitability.** Three of four loads and stores of the shared cells are saved, and four sums proceed in parallel. In a
deeper nest, an innermost loop inside another inner loop must read at least as many vectors that are the same in all
iterations as vectors of the iteration itself: they come from the second cache if the nest reads more than the first one
holds. Within the limits of `ALIVE` values in registers, `ROWS` rows, and `LONG` or `LONGEST` statements.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

from linad_typecheck.ir.core import (
    RETRY, AddTo, Alloc, Atom, Block, Check, Const, Dim, Fill, Function, If, Let, Load, Loop, Names, Stmt, Store, Var,
    all_names, blocks, mentioned, operands, outputs, walk,
)
from linad_typecheck.ir.rewrite import freshen
from linad_typecheck.types import I64, Array, is_float

from linad.analysis.accesses import accesses
from linad.analysis.affine import Ranges
from linad.analysis.dependence import Nest
from linad.analysis.loop_body import Body
from linad.analysis.loop_facts import defined, is_counted, is_plain, with_ranges
from linad.analysis.operation_costs import is_cheap
from linad.analysis.parallelism import verdict
from linad.analysis.reductions import is_reduction
from linad.analysis.trip_counts import ints_of, is_short

from ..ints import Maker
from ..pass_manager import Remark, Remarks, remark
from .scalar_promotion import cells_to_sum, with_sums

AT_ONCE = 4  # iterations: two gain less, eight no more
NUMBERS = {2: "two", 3: "three", AT_ONCE: "four"}
ALIVE = 4  # maximum number of floats per iteration live in an inner loop
ROWS = 4  # maximum number of rows per iteration accessed in an inner loop
LONG, LONGEST = 80, 160  # maximum number of statements in the loop body: of a nest of two loops, and of a deeper one
UNIT = Const(1, I64), Const(-1, I64)

Part = tuple[Stmt, ...] | Loop  # a part of a loop body: an inner loop, or the statements between two of them
Given = dict[str, Atom]  # the names of an iteration in one of its copies
Sizes = Mapping[str, Let]  # ints by name


def unroll_and_jam(f: Function) -> tuple[Function, Remarks]:
    """Apply unroll-and-jam where it saves loads and stores. Also return a remark for each loop."""
    names = Names(all_names(f))
    remarks: list[Remark] = []
    jammed: set[str] = set()  # the indices of the loops that replace others
    sizes = ints_of(f)

    def change(s: Loop, r: Ranges) -> list[Stmt]:
        inside = list(walk(s.body))
        inner = [t for t in inside if isinstance(t, Loop)]
        at_once = _at_once(s, sizes)
        if not inner or not is_counted(s, one_by_one=True) or not at_once or s.kind != "sequential":
            return [s]
        if len(inside) > LONGEST or any(t.index.name in jammed or t.step not in UNIT for t in inner):
            return [s]
        copies = _in_turns(s, r, inside, sizes, names) or _in_any_order(s, r, inside, names)
        if copies is None:
            return [s]
        remarks.append(remark(s.span, "loop", f"{NUMBERS[at_once]} iterations at once"))
        made = copies.loops(s, at_once)
        jammed.update(t.index.name for t in walk(Block(tuple(made))) if isinstance(t, Loop))
        return made

    return with_ranges(f, change), tuple(remarks)


def _at_once(s: Loop, sizes: Sizes) -> int:
    """How many iterations run at once: of a short loop all of them, or the remainder would be most of it."""
    if not is_short(s, sizes):
        return AT_ONCE
    trips = _trips(s)
    return trips if trips in NUMBERS else AT_ONCE if trips % AT_ONCE == 0 else 0


def _trips(s: Loop) -> int:
    """The number of iterations, if the bounds are constants, or 1."""
    bounds = [int(a.value) for a in (s.start, s.stop, s.step) if isinstance(a, Const)]
    return len(range(*bounds)) if len(bounds) == 3 else 1


def _among(a: Atom | None, names: set[str]) -> bool:
    return isinstance(a, Var) and a.name in names


def _varying(s: Loop, stays: Callable[[Stmt], bool]) -> set[str]:
    """The names in a nest that may differ between iterations of the outer loop. ``stays``: whether a statement of the
    same operands gives the same result in all of them."""
    varies = {s.index.name, *(c.name for c in s.carried)}
    for t in walk(s.body):
        if isinstance(t, Loop):
            varies |= {v.name for v in (*t.carried, *t.outs)}
        elif not stays(t) or any(_among(a, varies) for a in operands(t)):
            varies |= {v.name for v in outputs(t)}
    return varies


def _goes_along(p: Loop, varies: set[str]) -> bool:
    """Whether an innermost loop has the same range in all iterations and can be vectorised."""
    if not is_plain(p) or _among(p.start, varies) or _among(p.stop, varies):
        return False
    if any(isinstance(t, Let) and is_float(t.out.type) and not is_cheap(t) for t in p.body.stmts):
        return False
    found = verdict(p, True)
    return not (found.reason or found.added or found.near)


@dataclass(frozen=True)
class _Pressure:
    """What an innermost loop takes from each iteration: floats, rows of its own, and rows that all iterations share."""

    alive: int
    own: int
    shared: int

    @classmethod
    def of(cls, p: Loop, varies: set[str], made: set[str]) -> _Pressure:
        """The pressure of a loop. ``made``: the names that the outer loop defines."""
        outer = varies & made - defined(p)
        used = {
            a.name for t in p.body.stmts if isinstance(t, Let) for a in t.ins if is_float(a.type) and _among(a, outer)
        }
        rows = {(t.array, *t.index) for t in p.body.stmts if isinstance(t, Load | Store | AddTo)}
        own = sum(any(_among(a, varies) for a in row) for row in rows)
        return cls(len(used | {c.name for c in p.carried}), own, len(rows) - own)

    @property
    def fits(self) -> bool:
        return self.alive <= ALIVE and self.own <= ROWS


# ---------------------------------------------------------------------------------------------- independent iterations


def _in_any_order(s: Loop, r: Ranges, inside: Sequence[Stmt], names: Names) -> _Copies | None:
    """The copies of a deep nest whose iterations are independent, if they share enough loads."""
    found = verdict(s, True)
    if not all(map(_may_repeat, inside)) or found.reason or not set(found.sums) <= {"add"}:
        return None
    varies = _varying(s, lambda t: isinstance(t, Let | Load | Dim))
    deep = False
    for t, depth in _innermost(s.body):
        if t.carried or not _goes_along(t, varies):
            continue
        pressure = _Pressure.of(t, varies, defined(s))
        if not pressure.fits:
            return None
        deep = deep or depth > 1 and pressure.shared >= max(pressure.own, 2)
    together = [t for t in s.body.stmts if isinstance(t, Loop) and _all_go_along(t, varies)]
    nests = [t for t in s.body.stmts if isinstance(t, Loop) and next(_innermost(t.body), None) is not None]
    if not deep or not all(t in together for t in nests):
        return None
    distances = Nest(s, ranges=r).distances()
    return _Copies(s, varies, together, [False] * len(s.carried), distances, names)


def _may_repeat(t: Stmt) -> bool:
    """Whether a statement may run for several iterations at once, if these are independent."""
    match t:
        case Load() | Store() | AddTo():
            return not t.checked
        case Check(error=error):
            return error == RETRY
        case Loop():
            return is_counted(t) and t.kind == "sequential"
    return isinstance(t, Let | Dim | Alloc | Fill | If)


def _innermost(b: Block, depth: int = 1) -> Iterator[tuple[Loop, int]]:
    """The innermost loops in a block, with their depth below it; not those under a condition, which are copied."""
    for t in b.stmts:
        if isinstance(t, Loop):
            found = list(_innermost(t.body, depth + 1))
            yield from found or [(t, depth)]


def _all_go_along(s: Loop, varies: set[str]) -> bool:
    """Whether the iterations of a loop, and of those in it, can run together in all copies."""
    inner = [t for t, _ in _innermost(s.body)] or [s]
    nested = [t for t in (s, *walk(s.body)) if isinstance(t, Loop) and t not in inner]
    same = not any(_among(a, varies) for t in nested for a in (t.start, t.stop))
    return same and not any(t.carried for t in inner) and all(_goes_along(t, varies) for t in inner)


# ------------------------------------------------------------------------------------------------ iterations in turns


def _in_turns(s: Loop, r: Ranges, inside: Sequence[Stmt], sizes: Sizes, names: Names) -> _Copies | None:
    """The copies of a nest of two loops, if its iterations share cells and only the innermost loops need another order.
    """
    if len(inside) > LONG or not all(map(_is_simple, inside)):
        return None
    body: list[Stmt] = []  # with sums to invariant cells of inner loops in registers
    for t in s.body.stmts:
        cells = cells_to_sum(t, r, set()) if isinstance(t, Loop) else {}
        body += with_sums(t, cells, names) if isinstance(t, Loop) and cells else [t]
    turns = _Turns(replace(s, body=replace(s.body, stmts=tuple(body))), r)
    if not (turns.pays(sizes) and turns.independent() and turns.known_in_time()):
        return None
    inner = [p for p in turns.parts if isinstance(p, Loop)]
    return _Copies(turns.loop, turns.varies, inner, turns.in_time, turns.distances, names)


def _is_simple(t: Stmt) -> bool:
    match t:
        case Load() | Store() | AddTo():
            return not t.checked
        case If():
            inner = [u for b in blocks(t) for u in walk(b)]
            return not any(isinstance(v.type, Array) for v in t.outs) and not any(isinstance(u, Loop) for u in inner)
    return isinstance(t, Let | Dim | Loop)


@dataclass
class _Access:
    stmt: Load | Store | AddTo
    part: int
    inside: bool  # whether in an inner loop


class _Turns:
    """A loop over innermost loops and the statements between them, which run for one iteration after the other."""

    def __init__(self, loop: Loop, ranges: Ranges) -> None:
        self.loop = loop
        self.parts = list(_parts(loop.body.stmts, [t for t in loop.body.stmts if isinstance(t, Loop)]))
        self.nest = Nest(loop, ranges=ranges)
        between = set(map(id, loop.body.stmts))  # other statements there may write the cells of a load
        self.varies = _varying(loop, lambda t: isinstance(t, Let) or isinstance(t, Load) and id(t) not in between)
        self.made = defined(loop)
        self.distances = self.nest.distances()
        self.at = {v.name: k for k, p in enumerate(self.parts) for t in _stmts(p) for v in outputs(t)}
        self.in_time = [self._in_time(c, r) for c, r in zip(loop.carried, loop.body.results, strict=True)]

    def pays(self, sizes: Sizes) -> bool:
        """Whether the iterations share cells, and register and cache pressure stay within the limits."""
        saved = False
        for p in self.parts:
            if not isinstance(p, Loop):
                continue
            if is_short(p, sizes) or not _goes_along(p, self.varies) or not self.rows_apart(p):
                return False
            if not _Pressure.of(p, self.varies, self.made).fits:
                return False
            inner = defined(p)
            sums = bool(p.carried) and not any(isinstance(t, Store | AddTo) for t in p.body.stmts)
            for t in p.body.stmts:
                if isinstance(t, Load | AddTo) and not any(_among(a, self.varies) for a in t.index):
                    saved |= isinstance(t, AddTo) or sums and any(_among(a, inner) for a in t.index)
        return saved

    def rows_apart(self, p: Loop) -> bool:
        """Whether an inner loop writes the same row in all iterations, or a different one in each, or neighbouring
        cells, which `accumulation_rotation.py` combines. LLVM does not vectorise accesses to overlapping rows."""
        body = Body(p, mirrored=True)
        return all(self.row_apart(t, body) for t in p.body.stmts if isinstance(t, Store | AddTo))

    def row_apart(self, t: Store | AddTo, body: Body) -> bool:
        others = [a for a in t.index if _among(a, self.varies)]
        (access,) = accesses(t)
        if not others or not self.nest.between(access, access).carried:
            return True
        apart = abs(self.distances.get(str(others[-1]), 0))
        return others == [t.index[-1]] and apart == 1 and bool(body.additions(t.array.name))

    def independent(self) -> bool:
        """Whether iterations may be reordered, except for the statements between the same inner loops."""
        by_array: dict[str, list[_Access]] = {}
        for k, p in enumerate(self.parts):
            for t in walk(Block(_stmts(p))):
                if isinstance(t, Load | Store | AddTo):
                    by_array.setdefault(t.array.name, []).append(_Access(t, k, isinstance(p, Loop)))
        return all(self.apart(a, b) for found in by_array.values() for a, b in combinations_with_replacement(found, 2))

    def apart(self, a: _Access, b: _Access) -> bool:
        """Whether two accesses in different iterations are to distinct cells, keep their order, or may be reordered."""
        (first,), (second,) = accesses(a.stmt), accesses(b.stmt)
        if first.kind == second.kind != "write" or a.part == b.part and not a.inside:
            return True
        return not self.nest.between(first, second).carried

    def known_in_time(self) -> bool:
        """Whether each carried value is available when the next iteration needs it, or is a sum."""
        return all(known or self.summed(k) for k, known in enumerate(self.in_time))

    def _in_time(self, c: Var, result: Atom) -> bool:
        if not _among(result, self.made) or result == c:
            return True
        there = self.at.get(str(result))
        used = [k for k, p in enumerate(self.parts) if any(c.name in mentioned(t) for t in _stmts(p))]
        return there is not None and all(there < k or there == k and isinstance(self.parts[k], tuple) for k in used)

    def summed(self, k: int) -> bool:
        return is_float(self.loop.carried[k].type) and is_reduction(self.loop, k, ("add", "sub"))


def _parts(stmts: Sequence[Stmt], loops: Sequence[Loop]) -> Iterator[Part]:
    """The loops among statements, and the statements between two of them."""
    between: list[Stmt] = []
    for t in stmts:
        if any(t is p for p in loops):
            yield tuple(between)
            yield t  # type: ignore[misc]
            between = []
        else:
            between.append(t)
    yield tuple(between)


def _stmts(p: Part) -> tuple[Stmt, ...]:
    return (p,) if isinstance(p, Loop) else p


# ------------------------------------------------------------------------------------------------------ code generation


@dataclass
class _Copies:
    """Emits four iterations of a loop at once.

    ``together``: the inner loops that become one loop for all of them. ``in_time``: whether a carried value is
    available when the next iteration needs it; otherwise it is a sum, and each iteration has its own. ``distances``:
    the ints with a known increment per iteration.
    """

    loop: Loop
    varies: set[str]
    together: Sequence[Loop]
    in_time: Sequence[bool]
    distances: Mapping[str, int]
    names: Names

    def loops(self, whole: Loop, at_once: int) -> list[Stmt]:
        """The loop that runs some iterations at once, and the loop over the remaining ones, which is ``whole``."""
        s, names = self.loop, self.names
        assert isinstance(s.step, Const) and s.stop is not None
        front, inside = Maker(names), Maker(names)
        mid: Atom = s.stop
        without_rest = _trips(s) % at_once == 0
        if not without_rest:
            trips, many = (names.var(n, I64) for n in ("trips", "whole"))
            front.out += [
                Let(trips, "trips", (s.start, s.stop, s.step), s.span),
                Let(many, "bitand", (trips, Const(-at_once, I64)), s.span),
            ]
            mid = front.let("add", many, s.start) if s.step.value > 0 else front.let("sub", s.start, many)
        index = names.var(s.index.name, I64)
        carried, outs = (tuple(names.like(c) for c in s.carried) for _ in range(2))
        copies: list[Given] = [
            {s.index.name: inside.let("add", index, Const(c * s.step.value, I64))} for c in range(at_once)
        ]
        copies[0] |= {c.name: v for c, v in zip(s.carried, carried, strict=True)}
        for p in _parts(s.body.stmts, self.together):
            if isinstance(p, Loop):
                inside.out.append(self.one_loop(p, copies))
            for c, given in enumerate(copies):
                if c:
                    given |= self.handed_on(copies[c - 1], given)
                for t in p if isinstance(p, tuple) else ():
                    inside.out += self.copied(t, c, copies)
        results: list[Atom] = []
        for r, known in zip(s.body.results, self.in_time, strict=True):
            total, *others = [_in(r, given) for given in (copies[-1:] if known else copies)]
            results.append(_total(total, others, inside))
        step, body = Const(at_once * s.step.value, I64), Block(tuple(inside.out), tuple(results))
        main = replace(s, index=index, stop=mid, step=step, carried=carried, body=body, outs=outs)
        if without_rest:
            return [replace(main, outs=whole.outs)]
        return [*front.out, main, replace(whole, start=mid, inits=outs)]

    def handed_on(self, before: Given, now: Given) -> Given:
        """The carried values that an iteration receives from the previous one, as far as they are available yet."""
        more: Given = {}
        for c, r, known in zip(self.loop.carried, self.loop.body.results, self.in_time, strict=True):
            if c.name in now:
                continue
            if not known:
                more[c.name] = Const(-0.0 if is_float(c.type) else 0, c.type)
            elif not _among(r, defined(self.loop)) or r.name in before:
                more[c.name] = _in(r, before)
        return more

    def same(self, t: Stmt) -> bool:
        """Whether a statement gives the same result in all iterations."""
        made = outputs(t)
        return isinstance(t, Let | Load | Dim) and not any(_among(v, self.varies) for v in made)

    def copied(self, t: Stmt, c: int, copies: list[Given]) -> Sequence[Stmt]:
        """A statement in a copy. The first copy computes what is the same in all, and ints at a known distance."""
        if c and self.same(t):
            copies[c].update((v.name, copies[0][v.name]) for v in outputs(t))
            return ()
        if c and isinstance(t, Let) and t.out.name in self.distances:
            maker = Maker(self.names)
            copies[c][t.out.name] = maker.let("add", copies[0][t.out.name], Const(c * self.distances[t.out.name], I64))
            return maker.out
        copy = freshen(Block((t,), outputs(t)), self.names, copies[c])
        copies[c].update((v.name, a) for v, a in zip(outputs(t), copy.results, strict=True))
        return copy.stmts

    def one_loop(self, p: Loop, copies: list[Given]) -> Loop:
        """The inner loops of all copies as one loop: invariant computations are shared, and additions to the same cell
        are combined."""
        names, body = self.names, Maker(self.names)
        index = names.like(p.index)
        inner = [{**given, p.index.name: index, **{c.name: names.like(c) for c in p.carried}} for given in copies]
        inits = tuple(_in(a, given) for given in copies for a in p.inits)
        for t in p.body.stmts:
            if isinstance(t, Loop):
                body.out.append(self.one_loop(t, inner))
            elif isinstance(t, AddTo) and not any(_among(a, self.varies) for a in (t.array, *t.index)):
                total, *others = (_in(t.value, given) for given in inner)
                at = tuple(_in(a, inner[0]) for a in t.index)
                body.out.append(replace(t, index=at, value=_total(total, others, body)))
            else:
                for c in range(len(copies)):
                    body.out += self.copied(t, c, inner)
        outs: list[Var] = []
        for given in copies:
            mine = {v.name: names.like(v) for v in p.outs}
            given |= mine
            outs += mine.values()
        carried = tuple(given[c.name] for given in inner for c in p.carried)
        results = tuple(_in(r, given) for given in inner for r in p.body.results)
        start, stop = (a if a is None else _in(a, copies[0]) for a in (p.start, p.stop))
        whole = Block(tuple(body.out), results)
        return Loop(index, start, stop, p.step, carried, inits, whole, tuple(outs), span=p.span)


def _total(first: Atom, others: Sequence[Atom], maker: Maker) -> Atom:
    for e in others:
        first = maker.let("add", first, e)
    return first


def _in(a: Atom, given: Given) -> Atom:
    return given.get(a.name, a) if isinstance(a, Var) else a
