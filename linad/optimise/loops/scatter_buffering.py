"""Scatter buffering: strip-mine loops with indirect additions or stores, so that each block computes first and scatters
afterwards.

**Transformation.** Strip-mining and loop distribution with a buffer (Allen and Kennedy, Optimizing Compilers for Modern
Architectures, 2001, chapters 5 and 6).

**Before.** ``for i in range(n) { &v_bar[idx[i]] += e(i) }``
**After.** ``for b by 64 { for i in block { &t[i] = e(i) }; for i in block { &v_bar[idx[i]] += t[i] } }``

**Legality.** The loop does not otherwise access the arrays of the delayed additions and stores. Their indices can be
recomputed from arrays that the loop does not write. Carried values are sums. Additions and stores happen in the same
order, so the results are bitwise identical.

**Profitability.** Blocks of stores alone are short: each cell is written once, so the caches rarely have it, and the
processor computes the next block while it waits for them (15 % of the Jacobian of a bundle adjustment). At least
`WORTH` operations for each addition, and nothing else that prevents vectorisation of the first loop, such as checks or
calls. Branches between float operations are replaced by selects if the cheaper arms are a small part of the work: ``if
angle == 0.0`` in a rotation. Additions down a column, whose cells are not adjacent, are treated alike in loops with
library functions.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Check, Const, Dim, Function, If, Let, Load, Loop, Names, Stmt, Store, Var, all_names,
    outputs, walk,
)
from linad_typecheck.ir.rewrite import at_loops, freshen
from linad_typecheck.types import I64, Array, Scalar, is_float

from linad.analysis.loop_body import needed
from linad.analysis.operation_costs import is_library_call
from linad.analysis.reductions import is_reduction


LENGTH = 64  # iterations per block: buffers of a few hundred bytes
SHORT = 8  # iterations per block of stores alone
WORTH = 8  # operations per delayed addition
COSTS = {"div": 5, "sqrt": 5, "neg": 0}
EXPENSIVE = 10
EXTRA = 4  # arms executed unnecessarily are at most this fraction (1/EXTRA) of the work
_FREE = frozenset("lt le gt ge eq ne and or not select".split())
ZERO = Const(0, I64)


def buffer_scatters(f: Function) -> Function:
    """Run innermost loops with indirect additions in blocks where that pays."""
    names = Names(all_names(f))

    def blocked(s: Loop) -> list[Stmt]:
        delayed = delayable(s)
        return [_blocked(straight(s), delayed, names)] if delayed else [s]

    return at_loops(f, blocked)


def straight(s: Loop) -> Loop:
    """The loop with its branches replaced by selects; unchanged if the arms do more than infallible scalar operations,
    or if the cheaper arms account for much of the work."""
    inside = list(walk(s.body))
    branches = [t for t in inside if isinstance(t, If)]
    arms = [arm for b in branches for arm in (b.then, b.orelse)]
    if not branches or not all(_may_run(t) for arm in arms for t in arm.stmts):
        return s
    if not all(isinstance(v.type, Scalar) for b in branches for v in b.outs):
        return s
    twice = sum(min(_work(b.then), _work(b.orelse)) for b in branches)
    if EXTRA * twice > sum(map(_cost, inside)):
        return s
    return replace(s, body=replace(s.body, stmts=tuple(_both_arms(s.body))))


def _both_arms(b: Block) -> Iterator[Stmt]:
    for t in b.stmts:
        if isinstance(t, If):
            yield from _both_arms(t.then)
            yield from _both_arms(t.orelse)
            for v, *chosen in zip(t.outs, t.then.results, t.orelse.results, strict=True):
                yield Let(v, "select", (t.cond, *chosen), t.span)
        else:
            yield t


def _may_run(t: Stmt) -> bool:
    """Whether a statement can be executed speculatively."""
    match t:
        case If():
            return True
        case Let(out=v, op=op, ins=ins):
            return op in _FREE or is_float(v.type) and all(a.type == v.type or isinstance(a, Const) for a in ins)
    return False


def _work(b: Block) -> int:
    return sum(map(_cost, walk(b)))


def delayable(s: Loop, checks: bool = False) -> list[AddTo | Store]:
    """The additions and stores of a loop to delay until the end of a block; empty if the loop is better left alone.

    Called before and after index checks are written out. Before, accesses do not have their checks yet, and ``checks``
    says that the checks of row indices in the loop may also disappear once all indices are checked before it.
    """
    if s.exits or s.stop is None or s.mark is not None:
        return []
    s = straight(s)
    body = tuple(t for t in s.body.stmts if not (checks and isinstance(t, Check) and t.error == "IndexError"))
    if not (isinstance(s.step, Const) and s.step.value in (1, -1)):
        return []
    if not all(isinstance(t, Let | Load | Store | AddTo | Dim) for t in body) or not all(
        is_float(c.type) and is_reduction(s, k, ("add", "sub")) for k, c in enumerate(s.carried)
    ):
        return []
    made = {v.name: t for t in body for v in outputs(t)}
    loaded = {t.array.name for t in body if isinstance(t, Load)}
    stored = {t.array.name for t in body if isinstance(t, Store)}
    added = {t.array.name for t in body if isinstance(t, AddTo)}
    expensive = any(map(is_library_call, body))
    scattered = {
        t.array.name
        for t in body
        if isinstance(t, AddTo | Store)
        and any(isinstance(u, Load) for u in needed(body, (), t.index))
        or isinstance(t, AddTo)
        and expensive
        and _goes_from_row_to_row(t.index, made, s)
    }
    delayed = [t for t in body if isinstance(t, AddTo | Store) and t.array.name in scattered]
    if scattered & (loaded | stored & added) or not delayed:
        return []
    for t in needed(body, (), (a for d in delayed for a in d.index)):
        if not isinstance(t, Let | Load | Dim) or is_float(outputs(t)[0].type):
            return []
        if isinstance(t, Load) and t.array.name in stored | added:
            return []
    work = sum(_cost(t) for t in body)
    return delayed if work >= WORTH * len(delayed) else []


def _cost(t: Stmt) -> int:
    if not isinstance(t, Let) or not is_float(t.out.type):
        return 0
    return EXPENSIVE if is_library_call(t) else COSTS.get(t.op, 1)


def _goes_from_row_to_row(index: tuple[Atom, ...], made: dict[str, Stmt], s: Loop) -> bool:
    """Whether consecutive accesses are apparently not adjacent, so that LLVM would not vectorise them."""
    return any(isinstance(a, Var) and (a == s.index or a.name in made) for a in index[:-1])


def _blocked(s: Loop, delayed: list[AddTo | Store], names: Names) -> Loop:
    """The loop over blocks."""
    assert s.stop is not None and isinstance(s.step, Const)
    made = {v.name: t for t in s.body.stmts for v in outputs(t)}
    forward = s.step.value == 1
    alone = all(isinstance(t, Store) for t in delayed)
    length = Const(SHORT if alone else LENGTH, I64)
    low, end, left, part = (names.var(n, I64) for n in ("low", "end", "left", "part"))
    head: list[Stmt] = [
        Let(left, "sub", (s.stop, low) if forward else (low, s.stop), s.span),
        Let(part, "min", (left, length), s.span),
        Let(end, "add" if forward else "sub", (low, part), s.span),
    ]
    place, index = names.var("place", I64), names.var(s.index.name, I64)
    where = Let(place, "sub", (s.index, low) if forward else (low, s.index), s.span)
    again = Let(place, "sub", (index, low) if forward else (low, index), s.span)

    buffered: dict[str, Store] = {}  # by value
    after: list[Stmt] = [again, *needed(s.body.stmts, (), (a for t in delayed for a in t.index))]
    taken: dict[str, Atom] = {}
    waiting = {id(t) for t in delayed}

    def later(a: Atom) -> Atom:
        """A value in the second loop; what cannot be recomputed there goes through a buffer."""
        if not isinstance(a, Var) or a.name not in made:
            return a
        if a.name in taken:
            return taken[a.name]
        t = made[a.name]
        out = names.like(a)
        if isinstance(t, Let) and t.op == "neg":
            after.append(Let(out, "neg", (later(t.ins[0]),), t.span))
        else:
            assert isinstance(a.type, Scalar)
            b = names.var("wait", Array(a.type.dtype, 1))
            buffered[a.name] = Store(b, (place,), a, False, s.span)
            after.append(Load(out, b, (place,), False, s.span))
        taken[a.name] = out
        return out

    kept: list[Stmt] = [where]
    for t in s.body.stmts:
        if id(t) not in waiting:
            kept.append(t)
            continue
        known = len(buffered)
        value = later(t.value)
        after.append(replace(t, value=value))
        kept += [] if alone else list(buffered.values())[known:]
    if alone:  # Jacobians store all entries at the end, and their values would occupy registers until then
        kept = [u for t in kept for u in (t, *(buffered[v.name] for v in outputs(t) if v.name in buffered))]
    first_outs = tuple(names.like(o) for o in s.outs)
    outer = tuple(names.like(c) for c in s.carried)
    every = needed(kept, (t for t in kept if isinstance(t, Store | AddTo)), s.body.results)
    first = replace(s, start=low, stop=end, inits=outer, body=Block(tuple(every), s.body.results), outs=first_outs)
    body = freshen(Block(tuple(after)), names, {s.index.name: index})
    second = Loop(index, low, end, s.step, (), (), body, (), span=s.span)
    buffers = [t.array for t in buffered.values()]
    allocated = [Alloc(b, (length,), None, s.span) for b in buffers]
    whole = Block((*allocated, *head, first, second), first_outs)
    step = Const(length.value if forward else -length.value, I64)
    return Loop(low, s.start, s.stop, step, outer, s.inits, whole, s.outs, span=s.span)
