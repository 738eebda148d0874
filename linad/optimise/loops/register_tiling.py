"""Register tiling: run four iterations of an outer loop at once where the innermost loops of its nest read the same
cells in each.

**Transformation.** Register tiling by unroll-and-jam of a nest of three and more loops (Allen and Kennedy, Optimizing
Compilers for Modern Architectures, 2001, chapter 8). `unroll_and_jam.py` does the same for two loops, with weaker
conditions. The remaining iterations run one by one.

**Before.** ``for i { s = alloc [m] fill 0; for j { w = a[i, j]; for k { &s[k] = s[k] + w * t[j, k] } } ... }``
**After.** ``for i by 4 { s0, ..., s3; for j { w0, ..., w3; for k { x = t[j, k]; &s0[k] = s0[k] + w0 * x; ... } } }``

**Legality.** The iterations are independent (`parallelism.verdict`): they write disjoint cells, or only add, and arrays
allocated in an iteration stay private, since each copy allocates its own. The inner loops have the same range in all
iterations. Nothing in the nest raises an error; a test that asks for the checked build may run earlier.

**Profitability.** An innermost loop, inside another inner loop, reads at least as many vectors that are the same in all
iterations as vectors of the iteration itself. They come from the second cache if the nest reads more than the first one
holds; three of four of these reads are saved. Within the limits of `ALIVE` values in registers, `ROWS` rows and `LONG`
statements.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from linad_typecheck.ir.core import (
    RETRY, AddTo, Alloc, Atom, Block, Check, Const, Dim, Fill, Function, If, Let, Load, Loop, Names, Stmt, Store, Var,
    all_names, operands, outputs, walk,
)
from linad_typecheck.ir.rewrite import freshen
from linad_typecheck.types import I64, is_float

from linad.analysis.affine import Ranges
from linad.analysis.loop_facts import defined, is_counted, is_plain, with_ranges
from linad.analysis.operation_costs import is_cheap
from linad.analysis.parallelism import verdict
from linad.analysis.trip_counts import is_short

from ..ints import Maker
from ..pass_manager import Remark, Remarks, remark
from .unroll_and_jam import ALIVE, AT_ONCE, ROWS, Given

LONG = 160  # maximum number of statements in the loop body
UNIT = Const(1, I64), Const(-1, I64)


def tile_registers(f: Function) -> tuple[Function, Remarks]:
    """Apply register tiling where it saves loads. Also return a remark for each loop."""
    names = Names(all_names(f))
    remarks: list[Remark] = []
    tiled: set[str] = set()  # the indices of loops that run four iterations at once
    sizes = {s.out.name: s for s in walk(f.body) if isinstance(s, Let) and s.out.type == I64}

    def change(s: Loop, _: Ranges) -> list[Stmt]:
        inside = list(walk(s.body))
        if s.kind != "sequential" or not is_counted(s, one_by_one=True) or is_short(s, sizes) or len(inside) > LONG:
            return [s]
        inner = [t for t in inside if isinstance(t, Loop)]
        if any(t.index.name in tiled or t.kind != "sequential" or t.step not in UNIT for t in inner):
            return [s]
        if not all(map(_is_plain, inside)) or not _pays(s) or not _is_independent(s):
            return [s]
        made = _tiled(s, names)
        tiled.update(t.index.name for t in walk(Block(tuple(made))) if isinstance(t, Loop))
        remarks.append(remark(s.span, "loop", "four iterations at once"))
        return made

    return with_ranges(f, change), tuple(remarks)


def _is_plain(t: Stmt) -> bool:
    match t:
        case Load() | Store() | AddTo():
            return not t.checked
        case Check(error=error):
            return error == RETRY
        case Loop():
            return is_counted(t)
    return isinstance(t, Let | Dim | Alloc | Fill | If)


def _is_independent(s: Loop) -> bool:
    """Whether the iterations may run in any order; carried values are sums."""
    found = verdict(s, True)
    return not found.reason and set(found.sums) <= {"add"}


def _varying(s: Loop) -> set[str]:
    """The names in a nest that differ between iterations of the outer loop."""
    varies = {s.index.name, *(c.name for c in s.carried)}
    for t in walk(s.body):
        if isinstance(t, Loop):
            varies |= {v.name for v in (*t.carried, *t.outs)}
        elif not isinstance(t, Let | Load | Dim) or any(_among(a, varies) for a in operands(t)):
            varies |= {v.name for v in outputs(t)}
    return varies


def _among(a: Atom | None, names: set[str]) -> bool:
    return isinstance(a, Var) and a.name in names


# -------------------------------------------------------------------------------------------------------- profitability


def _pays(s: Loop) -> bool:
    """Whether the iterations share enough loads, and register and cache pressure stay within the limits."""
    varies, made = _varying(s), defined(s)
    deep = False
    for t, depth in _innermost(s.body):
        if not _goes_along(t, varies):
            continue
        own, shared = _rows(t, varies)
        inner = defined(t)
        alive = {
            a.name for u in t.body.stmts if isinstance(u, Let) for a in u.ins
            if isinstance(a, Var) and is_float(a.type) and a.name in varies & made - inner
        }  # fmt: skip
        if len(alive) > ALIVE or own > ROWS:
            return False
        deep = deep or depth > 1 and shared >= max(own, 2)
    nests = [t for t in s.body.stmts if isinstance(t, Loop) and next(_innermost(t.body), None) is not None]
    return deep and all(_all_go_along(t, varies) for t in nests)


def _all_go_along(s: Loop, varies: set[str]) -> bool:
    """Whether the iterations of a loop, and of those in it, can run together in all copies."""
    inner = [t for t, _ in _innermost(s.body)]
    if not inner:
        return _goes_along(s, varies)
    nested = [s, *(t for t in walk(s.body) if isinstance(t, Loop) and t not in inner)]
    same = not any(_among(a, varies) for t in nested for a in (t.start, t.stop))
    return same and all(_goes_along(t, varies) for t in inner)


def _innermost(b: Block, depth: int = 1) -> Iterator[tuple[Loop, int]]:
    """The innermost loops in a block, with their depth below it; not those under a condition, which are copied."""
    for t in b.stmts:
        if isinstance(t, Loop):
            found = list(_innermost(t.body, depth + 1))
            yield from found or [(t, depth)]


def _goes_along(p: Loop, varies: set[str]) -> bool:
    """Whether an innermost loop has the same range in all iterations and is vectorised."""
    if not is_plain(p) or p.carried or _among(p.start, varies) or _among(p.stop, varies):
        return False
    if any(isinstance(t, Let) and is_float(t.out.type) and not is_cheap(t) for t in p.body.stmts):
        return False
    found = verdict(p, True)
    return not (found.reason or found.added or found.near)


def _rows(p: Loop, varies: set[str]) -> tuple[int, int]:
    """The numbers of rows along an innermost loop that each iteration accesses alone, and that all of them share."""
    own: set[tuple[Atom, ...]] = set()
    shared: set[tuple[Atom, ...]] = set()
    for t in p.body.stmts:
        if isinstance(t, Load | Store | AddTo):
            at = (t.array, *t.index)
            (own if any(_among(a, varies) for a in at) else shared).add(at)
    return len(own), len(shared)


# ------------------------------------------------------------------------------------------------------ code generation


def _tiled(s: Loop, names: Names) -> list[Stmt]:
    """The loop that runs four iterations at once, and the loop over the remaining ones."""
    assert isinstance(s.step, Const) and s.stop is not None
    front, inside = Maker(names), Maker(names)
    trips, whole = (names.var(n, I64) for n in ("trips", "whole"))
    front.out += [
        Let(trips, "trips", (s.start, s.stop, s.step), s.span),
        Let(whole, "bitand", (trips, Const(-AT_ONCE, I64)), s.span),
    ]
    mid = front.let("add", whole, s.start) if s.step.value > 0 else front.let("sub", s.start, whole)
    index = names.var(s.index.name, I64)
    carried, outs = (tuple(names.like(c) for c in s.carried) for _ in range(2))
    copies: list[Given] = [
        {s.index.name: inside.let("add", index, Const(c * s.step.value, I64))} for c in range(AT_ONCE)
    ]
    for c, v in zip(s.carried, carried, strict=True):  # sums, which the first copy continues
        copies[0][c.name] = v
        for given in copies[1:]:
            given[c.name] = Const(-0.0 if is_float(c.type) else 0, c.type)
    inside.out += _together(s.body.stmts, copies, _varying(s), names)
    results: list[Atom] = []
    for r in s.body.results:
        total, *others = (_in(r, given) for given in copies)
        for e in others:
            total = inside.let("add", total, e)
        results.append(total)
    body = Block(tuple(inside.out), tuple(results))
    step = Const(AT_ONCE * s.step.value, I64)
    main = replace(s, index=index, stop=mid, step=step, carried=carried, body=body, outs=outs)
    return [*front.out, main, replace(s, start=mid, inits=outs)]


def _together(stmts: Sequence[Stmt], copies: list[Given], varies: set[str], names: Names) -> list[Stmt]:
    """The statements of all copies: common ones once, inner loops as one loop, additions to the same cell combined."""
    maker = Maker(names)
    for t in stmts:
        same = not any(_among(a, varies) for a in operands(t))
        match t:
            case Let() | Load() | Dim() if same:
                maker.out += _copied(t, copies[0], names)
                for given in copies[1:]:
                    given.update((v.name, copies[0][v.name]) for v in outputs(t))
            case Loop() if _all_go_along(t, varies):
                maker.out.append(_several(t, copies, varies, names))
            case AddTo(array=a, index=i, value=e) if not any(_among(x, varies) for x in (a, *i)):
                total, *others = (_in(e, given) for given in copies)
                for other in others:
                    total = maker.let("add", total, other)
                maker.out.append(replace(t, array=a, index=tuple(_in(x, copies[0]) for x in i), value=total))
            case _:
                for given in copies:
                    maker.out += _copied(t, given, names)
    return maker.out


def _several(p: Loop, copies: list[Given], varies: set[str], names: Names) -> Loop:
    """The inner loops of all copies as one loop."""
    index = names.like(p.index)
    inits = tuple(_in(a, given) for given in copies for a in p.inits)
    inner = [{**given, p.index.name: index, **{c.name: names.like(c) for c in p.carried}} for given in copies]
    carried = tuple(given[c.name] for given in inner for c in p.carried)
    body = _together(p.body.stmts, inner, varies, names)
    results = tuple(_in(r, given) for given in inner for r in p.body.results)
    outs: list[Var] = []
    for given in copies:
        mine = {v.name: names.like(v) for v in p.outs}
        given |= mine
        outs += mine.values()
    start, stop = (a if a is None else _in(a, copies[0]) for a in (p.start, p.stop))
    return replace(
        p, index=index, start=start, stop=stop, carried=carried, inits=inits, body=Block(tuple(body), results),
        outs=tuple(outs),
    )  # fmt: skip


def _in(a: Atom, given: Given) -> Atom:
    return given.get(a.name, a) if isinstance(a, Var) else a


def _copied(t: Stmt, given: Given, names: Names) -> tuple[Stmt, ...]:
    """The copy of a statement; its new names are added to ``given``."""
    copy = freshen(Block((t,), outputs(t)), names, given)
    given.update((v.name, a) for v, a in zip(outputs(t), copy.results, strict=True))
    return copy.stmts
