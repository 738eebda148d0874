"""Loop-carried forwarding: also keep in a register a cell that one iteration stores and the next reads.

**Transformation.** Scalar replacement of a loop-carried dependence of distance one (Allen and Kennedy, Optimizing
Compilers for Modern Architectures, 2001, chapter 8).

**Before.** ``for j { t = b[i, j]; &b[i, j-1] += c * t; &b[i-1, j] += c * t }``
**After.** ``for j carry (t) { t1 = b[i, j-1] + c * t; &b[i, j-1] = t1; ...; yield t1 }``

**Legality.** The loop bounds prove that no other access of an iteration touches the cell (`linad/analysis/affine.py`),
which LLVM cannot know.

**Profitability.** The next iteration waits for a product and a sum instead of a store and a load. A value stored to a
cell that the next iteration adds to is carried as well. If nothing reads that cell in between, only the last iteration
stores it, after the loop, and other values passed on through memory are carried, too. LLVM can then vectorise loops
such as the reverse of ``v[i] = a * v[i + 1] + b * v[i]``.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import AddTo, Block, Const, Function, If, Let, Load, Loop, Names, Stmt, Store, all_names
from linad_typecheck.ir.rewrite import freshen
from linad_typecheck.types import I64, Scalar, is_float

from linad.analysis.affine import Ranges
from linad.analysis.loop_body import Body
from linad.analysis.loop_facts import is_plain, with_ranges

from ..ints import carrying, has_run


def forward_loop_carried(f: Function) -> Function:
    """Carry in registers the cells that each iteration of an innermost loop writes for the next."""
    names = Names(all_names(f))
    lent = {p.var.name for p in f.params if p.mode == "acc"}  # accumulators of the caller: only added to
    return with_ranges(f, lambda s, r: _carrying(s, r, names, lent), is_plain)


def _carrying(s: Loop, r: Ranges, names: Names, lent: set[str], every: bool = False) -> list[Stmt]:
    if not is_plain(s):
        return [s]
    body = Body(s, ranges=r)
    for k, t in enumerate(s.body.stmts):
        if (
            not isinstance(t, Load | AddTo)
            or t.array.name not in body.written
            or not is_float(t.array.type)
            or t.array.name in lent
        ):
            continue
        if (at := _written_for(body, k, t, r, every)) is not None:
            once = _overwritten(body, k, at)
            ran, begin, loop, *after = _carried(s, body, k, at, names, once)
            more = every or once
            return [ran, begin, *(_carrying(loop, r, names, lent, every=True) if more else (loop,)), *after]
    return [s]


def _overwritten(body: Body, k: int, at: int) -> bool:
    """Whether nothing reads what an iteration stores before the addition of the next iteration overwrites it."""
    t, w = body.stmts[k], body.stmts[at]
    if not (isinstance(t, AddTo) and isinstance(w, Store)) or len(body.written[w.array.name]) != 2:
        return False
    own = body.cell(w.index)
    loads = [(j, u) for j, u in enumerate(body.stmts) if isinstance(u, Load) and u.array == w.array]
    return all(j < at and body.cell(u.index) == own for j, u in loads)


def _written_for(body: Body, k: int, t: Load | AddTo, r: Ranges, every: bool) -> int | None:
    """The position of the statement that wrote the loaded cell one iteration earlier, if no other write can intervene
    and LLVM cannot see that. ``every``: even if LLVM can."""
    here = body.cell(t.index)
    rotated = here is not None and body.additions(t.array.name, beside=True)  # by `accumulation_rotation`
    if here is None or any(t in added for row in rotated for added in row.values()):
        return None
    before = here + body.loop.step.value  # type: ignore[union-attr]
    writes = [(at, w.index, body.cell(w.index)) for at, w in body.written.get(t.array.name, [])]
    same = [at for at, _, cell in writes if cell == before]
    others = [(at, index) for at, index, cell in writes if cell is None or cell.row != here.row]
    again = any(at < k and cell == here for at, _, cell in writes)
    if len(same) != 1 or again or isinstance(t, Load) and not (others or every):
        return None
    [w] = same
    apart = all(r.apart(index, body.stmts[w].index) for at, index in others if at > w)  # type: ignore[union-attr]
    return w if apart and all(r.apart(index, t.index) for at, index in others if at < k) else None


def _carried(s: Loop, body: Body, k: int, at: int, names: Names, once: bool) -> list:
    """A test whether there are iterations, a load before the loop, and the loop that carries what statement ``at``
    stores for statement ``k``. ``once``: the cell is stored only after the loop, by a fourth statement."""
    assert s.stop is not None
    parts = [_parts(t, names) if j in (k, at) else (t,) for j, t in enumerate(body.stmts)]
    load, write = parts[k][0], parts[at][-1]
    assert isinstance(load, Load) and isinstance(write, Store)
    first, out = (names.like(load.out) for _ in range(2))
    ran = has_run(s, names)
    needed = (*body.needed([], load.index), load)
    begin = freshen(Block(needed, (load.out,)), names, {s.index.name: s.start})
    if once:
        parts[at] = ()
        if k < at:  # before the store: LLVM does not vectorise what is computed after it
            parts[at], parts[k] = parts[k], ()
    stmts = (t for part in parts for t in part if t is not load)
    loop = carrying(s, stmts, [load.out], [first], [write.value], [out])
    found: list[Stmt] = [ran, If(ran.out, begin, Block((), (Const(0.0, load.out.type),)), (first,), s.span), loop]
    if not once:
        return found
    last = names.var("last", I64)
    place = freshen(Block(tuple(body.needed([], write.index)), write.index), names, {s.index.name: last})
    store = replace(write, index=place.results, value=out)
    end = Let(last, "sub", (s.stop, s.step), s.span)
    return [*found, If(ran.out, Block((end, *place.stmts, store)), Block(), (), s.span)]


def _parts(t: Stmt, names: Names) -> tuple[Stmt, ...]:
    """An addition to a cell as a load, a sum and a store."""
    if not isinstance(t, AddTo):
        return (t,)
    old, new = (names.var("t", Scalar(t.array.type.dtype)) for _ in range(2))
    return (
        Load(old, t.array, t.index, False, t.span),
        Let(new, "add", (old, t.value), t.span),
        Store(t.array, t.index, new, False, t.span),
    )
