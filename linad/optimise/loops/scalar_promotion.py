"""Scalar promotion: keep in a register a loop-invariant cell that an innermost loop updates repeatedly.

**Transformation.** Scalar promotion of reductions, and of cells that one loop loads and stores (LLVM's LICM; Allen and
Kennedy, Optimizing Compilers for Modern Architectures, 2001, chapter 8).

**Before.** ``for j in range(i+1, n) { &q[i] -= e; &q[j] += e }``
**After.** ``for j in range(i+1, n) carry (s = -0.0) { s -= e; &q[j] += e }; &q[i] += s``

**Legality.** No other access in the loop touches the cell: either the array is only added to, or all other cells loaded
or stored are provably distinct (``j`` is greater than ``i``). The sum starts at -0.0, the identity of addition. It is
added to the cell only if the loop has run and, for a conditional addition, if the cell is in bounds. A loop with checks
may stop before its sum is in the cell, so this is limited to local arrays, which are not visible then. A cell that is
loaded and stored must be the only cell of a local array that the loop accesses; it is loaded before the loop if it is
in bounds.

**Profitability.** Always: LLVM cannot know that the cells differ, or that a cell may be written after a failing check,
and would load and store the cell in every iteration.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Check, Const, Copy, Dim, Function, If, Let, Load, Loop, Names, Stmt, Store, Var,
    all_names, walk,
)
from linad_typecheck.ir.rewrite import substitute
from linad_typecheck.span import Span
from linad_typecheck.types import BOOL, I64, Array, Scalar, is_float

from linad.analysis.affine import Ranges
from linad.analysis.loop_facts import defined, is_counted, with_ranges

from ..ints import carrying, has_run

Index = tuple[Atom, ...]


def promote_scalars(f: Function) -> Function:
    """Promote loop-invariant cells of innermost loops to registers."""
    names = Names(all_names(f))
    made = {s.out.name for s in f.body.stmts if isinstance(s, Alloc | Copy)}
    known = made | {p.var.name for p in f.params}  # arrays that LLVM is told not to overlap
    own = {s.out.name for s in walk(f.body) if isinstance(s, Alloc) and s.log == "no" or isinstance(s, Copy)}

    def summed(s: Loop, r: Ranges) -> list[Stmt]:
        cells = cells_to_sum(s, r, known, own)
        out = with_sums(s, cells, names) if cells else [s]
        at = next(k for k, t in enumerate(out) if isinstance(t, Loop))
        for cell in cells_to_keep(s, known, own):
            out[at : at + 1] = with_kept(out[at], cell, names)  # type: ignore[arg-type]
            at = next(k for k, t in enumerate(out) if isinstance(t, Loop))
        return out

    return with_ranges(f, summed)


def cells_to_sum(s: Loop, r: Ranges, known: set[str], own: Container[str] = ()) -> dict[tuple[Var, Index], AddTo]:
    """The cells that a loop only adds to, each with one of the additions. ``known``: arrays that LLVM knows not to
    overlap. ``own``: local arrays."""
    if not is_counted(s):
        return {}
    inner = list(walk(s.body))
    if not all(isinstance(t, Let | Load | Store | AddTo | If | Check) for t in inner):
        return {}
    tests = any(isinstance(t, Check) for t in inner)
    if any(isinstance(v.type, Array) for t in inner if isinstance(t, If) for v in t.outs):
        return {}  # one array under several names
    made = defined(s)
    seen: dict[str, list[Index]] = {}  # indices loaded and stored
    added: dict[tuple[Var, Index], AddTo] = {}
    for t in inner:
        match t:
            case Load(array=array, index=index) | Store(array=array, index=index):
                seen.setdefault(array.name, []).append(index)
            case AddTo(array=array, index=index) if is_float(array.type) and not any(_in(i, made) for i in index):
                if tests and array.name not in own:
                    continue
                added.setdefault((array, index), t)
    touched = {*seen, *(t.array.name for t in inner if isinstance(t, AddTo) and any(_in(i, made) for i in t.index))}
    several = {array.name for array, _ in added if sum(a == array for a, _ in added) > 1}
    always = _always(s)
    alone = known - touched - several  # LLVM promotes these by itself
    return {
        (array, index): t
        for (array, index), t in added.items()
        if tests or array.name not in alone or (array, index) not in always
        if all(r.apart(index, other) for other in seen.get(array.name, ()))
    }


def cells_to_keep(s: Loop, known: set[str], own: set[str]) -> list[tuple[Var, Index]]:
    """The cells that a loop loads and stores, each the only accessed cell of a local array, and that LLVM would not
    promote."""
    if not is_counted(s) or not all(isinstance(t, Let | Load | Store | AddTo | If | Check) for t in s.body.stmts):
        return []
    tests = any(isinstance(t, Check) for t in walk(s.body))
    made = defined(s)
    found: dict[str, list[Load | Store | AddTo]] = {}
    for t in walk(s.body):
        if isinstance(t, Load | Store | AddTo):
            found.setdefault(t.array.name, []).append(t)
    straight = {id(t) for t in s.body.stmts}
    return [
        (uses[0].array, uses[0].index)
        for name, uses in found.items()
        if name in own and (tests or name not in known) and is_float(uses[0].array.type)
        if len({t.index for t in uses}) == 1 and not any(_in(i, made) for i in uses[0].index)
        if {Load, Store} <= set(map(type, uses)) and all(id(t) in straight for t in uses)
        if all(isinstance(t, Load) or t.value.type.dtype == t.array.type.dtype for t in uses)
    ]


def with_kept(s: Loop, cell: tuple[Var, Index], names: Names) -> list[Stmt]:
    """A loop that carries a cell in a register, loaded before and stored after it."""
    array, index = cell
    scalar = Scalar(array.type.dtype)
    first, before, after = (names.var("kept", scalar) for _ in range(3))
    loaded = names.var("kept", scalar)
    now: Atom = before
    same: dict[str, Atom] = {}
    stmts: list[Stmt] = []
    for t in s.body.stmts:
        t = substitute(Block((t,)), same).stmts[0] if same else t
        match t:
            case Load(out=out) if t.array == array:
                same[out.name] = now
            case Store() if t.array == array:
                now = t.value
            case AddTo() if t.array == array:
                more = names.var("kept", scalar)
                stmts.append(Let(more, "add", (now, t.value), t.span))
                now = more
            case _:
                stmts.append(t)
    results = tuple(same.get(a.name, a) if isinstance(a, Var) else a for a in s.body.results)
    ran = has_run(s, names)
    tests, exists = _in_bounds(ran.out, cell, names, s.span)
    loop = carrying(replace(s, body=Block((), results)), stmts, [before], [first], [now], [after])
    read = Block((Load(loaded, array, index, False, s.span),), (loaded,))
    return [
        ran,
        *tests,
        If(exists, read, Block((), (Const(0.0, scalar),)), (first,), s.span),
        loop,
        If(exists, Block((Store(array, index, after, False, s.span),)), Block(), (), s.span),
    ]


def _in_bounds(also: Var, cell: tuple[Var, Index], names: Names, span: Span) -> tuple[list[Stmt], Var]:
    """Test that a cell is in bounds, and another condition: the statements and the result."""
    tests: list[Stmt] = []
    for axis, i in enumerate(cell[1]):
        size, low, high, ok, both = names.var("size", I64), *(names.var(n, BOOL) for n in ("low", "high", "ok", "ran"))
        tests += [
            Dim(size, cell[0], axis, span),
            Let(low, "le", (Const(0, I64), i), span),
            Let(high, "lt", (i, size), span),
            Let(ok, "and", (low, high), span),
            Let(both, "and", (also, ok), span),
        ]
        also = both
    return tests, also


def _always(s: Loop) -> set[tuple[Var, Index]]:
    """The cells that each iteration adds to unconditionally."""
    return {(t.array, t.index) for t in s.body.stmts if isinstance(t, AddTo)}


def _in(a: Atom, names: set[str]) -> bool:
    return isinstance(a, Var) and a.name in names


def with_sums(s: Loop, cells: dict[tuple[Var, Index], AddTo], names: Names) -> list[Stmt]:
    sums = {cell: k for k, cell in enumerate(cells)}
    first = [names.var("sum", Scalar(array.type.dtype)) for array, _ in cells]
    last = [names.var("sum", v.type) for v in first]

    def block(b: Block, now: list[Atom]) -> tuple[list[Stmt], list[Atom]]:
        """The statements with sums in place of additions, and the final values of the sums."""
        stmts: list[Stmt] = []
        now = list(now)
        for t in b.stmts:
            match t:
                case AddTo() if (t.array, t.index) in sums:
                    k = sums[t.array, t.index]
                    more = names.var("sum", first[k].type)
                    stmts.append(Let(more, "add", (now[k], t.value), t.span))
                    now[k] = more
                case If() if any(u in sums for u in _added(t)):
                    (then, ends), (orelse, others) = block(t.then, now), block(t.orelse, now)
                    changed = [k for k, (x, y) in enumerate(zip(ends, others, strict=True)) if x != y]
                    outs = [names.var("sum", first[k].type) for k in changed]
                    arms = (
                        Block(tuple(arm), (*old.results, *(a[k] for k in changed)))
                        for arm, old, a in ((then, t.then, ends), (orelse, t.orelse, others))
                    )
                    stmts.append(If(t.cond, *arms, (*t.outs, *outs), t.span))
                    for k, v in zip(changed, outs, strict=True):
                        now[k] = v
                case _:
                    stmts.append(t)
        return stmts, now

    stmts, ends = block(s.body, list(first))
    begun = [Const(-0.0, v.type) for v in first]
    return [carrying(s, stmts, first, begun, ends, last), *_handed_over(s, cells, last, names)]


def _handed_over(s: Loop, cells: dict[tuple[Var, Index], AddTo], sums: list[Var], names: Names) -> Iterator[Stmt]:
    """Add the sums to their cells, if the loop has run and, for conditional additions only, the cells are in bounds."""
    ran, always = has_run(s, names), _always(s)
    after = [(cell, AddTo(*cell, v, False, t.span)) for (cell, t), v in zip(cells.items(), sums, strict=True)]
    yield ran
    if sure := tuple(t for cell, t in after if cell in always):
        yield If(ran.out, Block(sure), Block(), (), s.span)
    for cell, t in after:
        if cell not in always:
            tests, ok = _in_bounds(ran.out, cell, names, t.span)
            yield from (*tests, If(ok, Block((t,)), Block(), (), t.span))


def _added(s: If) -> Iterator[tuple[Var, Index]]:
    return ((t.array, t.index) for b in (s.then, s.orelse) for t in walk(b) if isinstance(t, AddTo))
