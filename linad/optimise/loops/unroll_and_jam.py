"""Unroll and jam: run four iterations of an outer loop at once if its inner loops access the same cells in each.

**Transformation.** Unroll-and-jam (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, chapter 8).
The remaining iterations run one by one.

**Before.** ``for i { for j { &x_bar[j] += a[i, j] * y[i] } }``
**After.** ``for i by 4 { for j { &x_bar[j] += a[i, j] * y[i] + ... + a[i+3, j] * y[i+3] } }``

**Legality.** Everything that the iterations write is only added to; or consists of cells of their own (rows given by
the loop index, or cells distinct from all others that the nest accesses); or is accessed only between the same two
inner loops. Carried values are available in time, or are sums. The statements between inner loops run for one iteration
after the other.

**Profitability.** Three of four loads and stores of the shared cells are saved, and four sums proceed in parallel;
within the limits of `ALIVE` values in registers, `ROWS` rows and `LONG` statements.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

from linad_typecheck.ir.core import (
    AddTo, Atom, Block, Const, Dim, Function, If, Let, Load, Loop, Names, Stmt, Store, Var, all_names, blocks,
    mentioned, operands, outputs, walk,
)
from linad_typecheck.ir.rewrite import freshen
from linad_typecheck.types import I64, Array, is_float

from linad.analysis.accesses import accesses
from linad.analysis.affine import Ranges
from linad.analysis.dependence import Nest
from linad.analysis.operation_costs import is_cheap
from linad.analysis.parallelism import verdict
from linad.analysis.loop_body import Body, depending
from linad.analysis.loop_facts import defined, is_counted, is_plain, with_ranges
from linad.analysis.reductions import is_reduction
from linad.analysis.trip_counts import is_short

from ..ints import Maker
from ..pass_manager import Remark, Remarks, remark
from .scalar_promotion import cells_to_sum, with_sums

AT_ONCE = 4  # iterations: two gain less, eight no more
ALIVE = 4  # maximum number of floats per iteration live in an inner loop
ROWS = 4  # maximum number of rows per iteration accessed in an inner loop
LONG = 80  # maximum number of statements in the loop body

Part = tuple[Stmt, ...] | Loop  # a part of a loop body: an inner loop, or the statements between two of them
Given = dict[str, Atom]  # the names of an iteration in one of its copies


def unroll_and_jam(f: Function) -> tuple[Function, Remarks]:
    """Apply unroll-and-jam where it saves loads and stores. Also return a remark for each loop."""
    names = Names(all_names(f))
    remarks: list[Remark] = []
    sizes = {s.out.name: s for s in walk(f.body) if isinstance(s, Let) and s.out.type == I64}

    def jammed(s: Loop, r: Ranges) -> list[Stmt]:
        if not is_counted(s, one_by_one=True) or is_short(s, sizes) or s.kind != "sequential":
            return [s]
        inside = list(walk(s.body))
        if len(inside) > LONG or not any(isinstance(t, Loop) for t in inside) or not all(map(_is_plain, inside)):
            return [s]
        nest = _Jammed.of(s, r, names)
        if not (nest.pays(sizes) and nest.independent() and nest.known_in_time()):
            return [s]
        remarks.append(remark(s.span, "loop", "four iterations at once"))
        return nest.jammed(names)

    return with_ranges(f, jammed), tuple(remarks)


def _is_plain(t: Stmt) -> bool:
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


class _Jammed:
    """A loop, split into its inner loops and the statements between them."""

    def __init__(self, loop: Loop, whole: Loop, ranges: Ranges) -> None:
        self.loop, self.whole = loop, whole
        self.parts = list(_parts(loop.body))
        self.made = defined(loop)
        self.nest = Nest(loop, ranges=ranges)
        self.varies = _varying(loop)
        self.distances = self.nest.distances()
        self.at = {v.name: k for k, p in enumerate(self.parts) for t in _stmts(p) for v in outputs(t)}
        self.in_time = [self._in_time(c, r) for c, r in zip(loop.carried, loop.body.results, strict=True)]

    @staticmethod
    def of(s: Loop, r: Ranges, names: Names) -> _Jammed:
        """The loop with sums to invariant cells of its inner loops promoted to registers."""
        body: list[Stmt] = []
        for t in s.body.stmts:
            cells = cells_to_sum(t, r, set()) if isinstance(t, Loop) else {}
            body += with_sums(t, cells, names) if isinstance(t, Loop) and cells else [t]
        return _Jammed(replace(s, body=replace(s.body, stmts=tuple(body))), s, r)

    # -----------------------------------------------------------------------------------------------------
    # profitability

    def pays(self, sizes: Mapping[str, Let]) -> bool:
        """Whether the iterations share cells, and register and cache pressure stay within the limits."""
        saved = False
        for p in self.parts:
            if not isinstance(p, Loop):
                continue
            if not self.goes_along(p, sizes):
                return False
            inner, differs = defined(p), _differing(p, self.varies)
            alive = {c.name for c in p.carried}
            sums = bool(p.carried) and not any(isinstance(t, Store | AddTo) for t in p.body.stmts)
            rows: set[tuple[Atom, ...]] = set()
            for t in p.body.stmts:
                if isinstance(t, Let):
                    alive |= {
                        a.name for a in t.ins if isinstance(a, Var) and is_float(a.type) and a.name in self.made - inner
                    }
                elif isinstance(t, Load | Store | AddTo) and any(_among(a, differs) for a in t.index):
                    rows.add((t.array, *t.index))
                elif isinstance(t, AddTo) or sums and isinstance(t, Load) and any(_among(a, inner) for a in t.index):
                    saved = True
            if len(alive) > ALIVE or len(rows) > ROWS:
                return False
        return saved

    def goes_along(self, p: Loop, sizes: Mapping[str, Let]) -> bool:
        """Whether an inner loop has the same range in each iteration and can be vectorised."""
        if not is_plain(p) or is_short(p, sizes):
            return False
        if _among(p.start, self.varies) or p.stop is None or _among(p.stop, self.varies):
            return False
        if any(isinstance(t, Let) and is_float(t.out.type) and not is_cheap(t) for t in p.body.stmts):
            return False
        v = verdict(p, True)
        return not (v.reason or v.added or v.near) and self.rows_apart(p)

    def rows_apart(self, p: Loop) -> bool:
        """Whether an inner loop writes the same row in all iterations, or a different one in each, or neighbouring
        cells, which `accumulation_rotation.py` combines. LLVM does not vectorise accesses to overlapping rows."""
        differs, body = _differing(p, self.varies), Body(p, mirrored=True)
        return all(self.row_apart(t, body, differs) for t in p.body.stmts if isinstance(t, Store | AddTo))

    def row_apart(self, t: Store | AddTo, body: Body, differs: set[str]) -> bool:
        others = [a for a in t.index if isinstance(a, Var) and a.name in differs]
        (access,) = accesses(t)
        if not others or not self.nest.between(access, access).carried:
            return True
        return (
            others == [t.index[-1]]
            and abs(self.distances.get(others[-1].name, 0)) == 1
            and bool(body.additions(t.array.name))
        )

    # ----------------------------------------------------------------------------------------------------------
    # legality

    def independent(self) -> bool:
        """Whether iterations may be reordered, except for the statements between the same inner loops."""
        by_array: dict[str, list[_Access]] = {}
        for k, p in enumerate(self.parts):
            inside = isinstance(p, Loop)
            for t in walk(Block(_stmts(p))):
                if isinstance(t, Load | Store | AddTo):
                    by_array.setdefault(t.array.name, []).append(_Access(t, k, inside))
        return all(
            self.apart(a, b) for found in by_array.values() for a, b in combinations_with_replacement(found, 2)
        )

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
        if not isinstance(result, Var) or result.name not in self.made or result == c:
            return True
        there = self.at.get(result.name)
        used = [k for k, p in enumerate(self.parts) if any(c.name in mentioned(t) for t in _stmts(p))]
        return there is not None and all(there < k or there == k and isinstance(self.parts[k], tuple) for k in used)

    def summed(self, k: int) -> bool:
        return is_float(self.loop.carried[k].type) and is_reduction(self.loop, k, ("add", "sub"))

    # --------------------------------------------------------------------------------------------------- code
    # generation

    def jammed(self, names: Names) -> list[Stmt]:
        """The loop that runs four iterations at once, and the loop over the remaining ones."""
        s = self.loop
        assert isinstance(s.step, Const) and s.stop is not None
        front, inside = Maker(names), Maker(names)
        trips, whole = (names.var(n, I64) for n in ("trips", "whole"))
        front.out += [
            Let(trips, "trips", (s.start, s.stop, s.step), s.span),
            Let(whole, "bitand", (trips, Const(-AT_ONCE, I64)), s.span),
        ]
        mid = front.let("add", whole, s.start) if s.step.value > 0 else front.let("sub", s.start, whole)
        index = names.var(s.index.name, I64)
        carried = tuple(names.like(c) for c in s.carried)
        outs = tuple(names.like(c) for c in s.carried)
        copies: list[Given] = [
            {s.index.name: inside.let("add", index, Const(c * s.step.value, I64))} for c in range(AT_ONCE)
        ]
        copies[0] |= {c.name: v for c, v in zip(s.carried, carried, strict=True)}
        for p in self.parts:
            if isinstance(p, Loop):
                inside.out.append(self.several(p, copies, names))
            for c, given in enumerate(copies):
                if c:
                    given |= self.handed_on(copies[c - 1], given)
                for t in p if isinstance(p, tuple) else ():
                    inside.out += self.copied(t, c, copies, names)
        results: list[Atom] = []
        for r, known in zip(s.body.results, self.in_time, strict=True):
            total, *others = [_in(r, given) for given in (copies[-1:] if known else copies)]
            for e in others:
                total = inside.let("add", total, e)
            results.append(total)
        step = Const(AT_ONCE * s.step.value, I64)
        main = replace(
            s,
            index=index,
            stop=mid,
            step=step,
            carried=carried,
            body=Block(tuple(inside.out), tuple(results)),
            outs=outs,
        )
        return [*front.out, main, replace(self.whole, start=mid, inits=outs)]

    def handed_on(self, before: Given, now: Given) -> Given:
        """The carried values that an iteration receives from the previous one, as far as they are available yet."""
        more: Given = {}
        for c, r, known in zip(self.loop.carried, self.loop.body.results, self.in_time, strict=True):
            if c.name in now:
                continue
            if not known:
                more[c.name] = Const(-0.0, c.type)
            elif not _among(r, self.made) or r.name in before:
                more[c.name] = _in(r, before)
        return more

    def copied(self, t: Stmt, c: int, copies: list[Given], names: Names) -> Sequence[Stmt]:
        """A statement in a copy. An int at a known distance from that of the first copy is computed from it."""
        if not c or not isinstance(t, Let) or t.out.name not in self.distances:
            return _copied((t,), copies[c], names)
        maker = Maker(names)
        copies[c][t.out.name] = maker.let("add", copies[0][t.out.name], Const(c * self.distances[t.out.name], I64))
        return maker.out

    def several(self, p: Loop, copies: list[Given], names: Names) -> Loop:
        """The inner loops of all copies as one loop: invariant computations are shared, and additions to the same cell
        are combined."""
        differs = _differing(p, self.varies)
        body = Maker(names)
        same: Given = {name: a for name, a in copies[0].items() if name not in self.varies}
        same[p.index.name] = names.like(p.index)
        inner = [{**given, **same, **{c.name: names.like(c) for c in p.carried}} for given in copies]
        inits = tuple(_in(a, given) for given in copies for a in p.inits)
        for t in p.body.stmts:
            if isinstance(t, Let | Load) and not any(_among(a, differs) for a in operands(t)):
                body.out += _copied((t,), same, names)
                for given in inner:
                    given |= same
            elif isinstance(t, AddTo) and not any(_among(a, differs) for a in t.index):
                total, *others = (_in(t.value, given) for given in inner)
                for e in others:
                    total = body.let("add", total, e)
                body.out.append(replace(t, index=tuple(_in(a, same) for a in t.index), value=total))
            else:
                for c in range(AT_ONCE):
                    body.out += self.copied(t, c, inner, names)
        outs: list[Var] = []
        for given in copies:
            mine = {v.name: names.like(v) for v in p.outs}
            given |= mine
            outs += mine.values()
        carried = tuple(given[c.name] for given in inner for c in p.carried)
        results = tuple(_in(r, given) for given in inner for r in p.body.results)
        start, stop = (a if a is None else _in(a, copies[0]) for a in (p.start, p.stop))
        whole = Block(tuple(body.out), results)
        return Loop(same[p.index.name], start, stop, p.step, carried, inits, whole, tuple(outs), span=p.span)


def _parts(b: Block) -> Iterator[Part]:
    between: list[Stmt] = []
    for t in b.stmts:
        if isinstance(t, Loop):
            yield tuple(between)
            yield t
            between = []
        else:
            between.append(t)
    yield tuple(between)


def _stmts(p: Part) -> tuple[Stmt, ...]:
    return (p,) if isinstance(p, Loop) else p


def _varying(s: Loop) -> set[str]:
    """The names in a loop body that may differ between iterations."""
    varies = {s.index.name, *(c.name for c in s.carried)}
    for t in s.body.stmts:
        if not isinstance(t, Let) or any(_among(a, varies) for a in t.ins):
            varies |= {v.name for v in outputs(t)}
    return varies


def _differing(p: Loop, varies: set[str]) -> set[str]:
    """These names, and those in an inner loop that may differ between iterations of the outer loop."""
    return depending(p.body.stmts, varies | {c.name for c in p.carried})


def _among(a: Atom, names: set[str]) -> bool:
    return isinstance(a, Var) and a.name in names


def _in(a: Atom, given: Given) -> Atom:
    return given.get(a.name, a) if isinstance(a, Var) else a


def _copied(stmts: tuple[Stmt, ...], given: Given, names: Names) -> tuple[Stmt, ...]:
    """The copy of statements of an iteration; their new names are added to ``given``."""
    outs = tuple(v for t in stmts for v in outputs(t))
    copy = freshen(Block(stmts, outs), names, given)
    given.update((v.name, a) for v, a in zip(outs, copy.results, strict=True))
    return copy.stmts
