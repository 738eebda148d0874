"""Snapshot coalescing: keep a state in the log of its snapshots, instead of copying it there.

**Transformation.** Copy coalescing, of a carried array and of the log that has a copy of it for each iteration: the
iteration reads the state from its own slice of the log, and writes the next state to the next slice.

**Before.** ``for t carry (u) { for i { &log![t, i] = u[i] }; new = alloc [n]; ...; yield new }``
**After.** ``log[0] = u; for t { q = add t 1; ... &log![q, i] = e ... }``, where the log has one more slice

**Legality.** The first thing that an iteration does with the state is to copy all of it, and it does not update it. The
array that it yields is its own, and has the same sizes. A state that is handed on before it is dropped
(``p0, p1 = p1, p2``) is in the slice before. No slice is written again, so nothing that is read from the log changes,
and a log of cells that are in these slices is dropped.

Buffers that take turns, of which the iteration writes to the oldest (``u, v = v, u``), come to the same form by
`write_apart`: the iteration writes to a copy of it, of which `copy_sinking` leaves the cells that are not written.

**Profitability.** Always: one traversal of the state less in each iteration, and one buffer less.

**Needs.** Fastmath and noalias, as for all loop restructuring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from linad_typecheck.ir.build import Builder
from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Const, Copy, Dim, Fill, Function, Let, Load, Loop, Names, Stmt, Store, Var, all_names,
    blocks, operands, outputs, using, walk,
)
from linad_typecheck.ir.rewrite import at_loops, rebuild, substitute
from linad_typecheck.ir.sizes import Sizes, known_sizes
from linad_typecheck.types import I64

from linad.analysis.dependence import Nest
from linad.analysis.loop_facts import defined

from ..ints import ONE, ZERO, Maker

Index = tuple[Atom, ...]
Value = Callable[[Builder, Index], Atom]
Put = Callable[[Builder, Index, Atom], None]


@dataclass(frozen=True)
class Snapshots:
    """The log of the snapshots of a carried array.

    An iteration copies ``states[-1]`` to slice ``(*prefix, slot)`` of ``log`` and yields ``made``. The ``states`` are
    handed on: each iteration yields the last one in place of the last but one, and so on.
    """

    log: Var
    prefix: Index
    slot: Atom
    copy: Loop
    states: tuple[Var, ...]
    made: Var


def coalesce_snapshots(f: Function) -> Function:
    """Keep the states of a function that are logged as a whole in their logs."""
    while (found := next(_found(f), None)) is not None:
        coalescing = _Coalescing(f, *found)
        f = _without_copies(replace(f, body=coalescing.block(f.body)), coalescing)
    return f


def _found(f: Function) -> Iterator[tuple[Loop, Snapshots]]:
    sizes = known_sizes(f)
    for s in (t for t in walk(f.body) if isinstance(t, Loop)):
        for c in s.carried:
            snapshots = snapshots_of(f, s, c, sizes)
            if snapshots is not None:
                yield s, snapshots


def snapshots_of(f: Function, s: Loop, c: Var, sizes: Sizes) -> Snapshots | None:
    """The snapshots of an array that a loop of a function carries, if its states may be kept in their log."""
    if s.exits or s.stop is None or s.step != ONE or s.mark is not None or c.name not in sizes:
        return None
    made = _made(s, c, sizes)
    states = _states(s, c, sizes)
    if made is None or not states or not all(_is_only(Load | Dim, v, s.body) for v in states):
        return None
    slots = {s.index} if s.start == ZERO else set()
    slots |= {t.out for t in s.body.stmts if isinstance(t, Let) and t.op == "sub" and t.ins == (s.index, s.start)}
    inside = defined(s)
    for t in s.body.stmts:
        match _copied(t, c, sizes[c.name]):
            case (log, (*prefix, slot)) if slot in slots and not inside & {str(a) for a in prefix}:
                assert isinstance(t, Loop)
                found = Snapshots(log, tuple(prefix), slot, t, states, made)
                return found if _is_only_there(f, found) else None
    return None


def write_apart(f: Function) -> Function:
    """The function in which iterations do not write to buffers that take turns (``u, v = v, u``) and of which one is
    logged as a whole: they write to a copy, which becomes a slice of the log."""
    sizes, names = known_sizes(f), Names(all_names(f))

    def change(s: Loop) -> list[Stmt]:
        for c in () if s.exits else s.carried:
            r = s.body.results[s.carried.index(c)]
            if c.name in sizes and r != c and r in s.carried and sizes.get(r.name) == sizes[c.name]:
                own = names.like(r)
                body = substitute(s.body, {r.name: own})
                body = replace(body, stmts=(Copy(own, r, s.span), *body.stmts))
                apart = replace(s, body=body)
                if snapshots_of(f, apart, c, {**sizes, own.name: sizes[c.name]}) is not None:
                    return [apart]
        return [s]

    return at_loops(f, change)


def _made(s: Loop, c: Var, sizes: Sizes) -> Var | None:
    """The array of equal sizes that an iteration allocates and yields in place of a carried one."""
    r = s.body.results[s.carried.index(c)]
    if not isinstance(r, Var) or s.body.results.count(r) > 1 or sizes.get(r.name) != sizes[c.name]:
        return None
    for t in s.body.stmts:
        match t:
            case Alloc(out=out, log="no") | Copy(out=out) if out == r:
                rest = Block(tuple(u for u in s.body.stmts if u is not t))
                return r if _is_only(Load | Store | AddTo | Fill | Dim, r, rest) else None
    return None


def _is_only(kinds: type, v: Var, b: Block) -> bool:
    """Whether a block uses an array in statements of these kinds only, and in copies of it, apart from its results."""
    return not any(v in inner.results for t in walk(b) for inner in blocks(t)) and all(
        isinstance(t, kinds | Copy) for t in using(b, v)
    )


def _states(s: Loop, c: Var, sizes: Sizes) -> tuple[Var, ...]:
    """The carried arrays that hold earlier states, the oldest first, and the state itself."""
    found = [c]
    while True:
        older = [v for v, r in zip(s.carried, s.body.results, strict=True) if r == found[0]]
        if len(older) != 1 or older[0] in found or sizes.get(older[0].name) != sizes[c.name]:
            return tuple(found) if not older else ()
        found = [*older, *found]


def _copied(s: Stmt, c: Var, sizes: Index) -> tuple[Var, Index] | None:
    """The array into which a loop nest copies all of ``c``, and the leading subscripts of the copy."""
    own: Index = ()
    for n in sizes:
        match s:
            case Loop(start=start, stop=stop, step=step, carried=()) if (start, stop, step) == (ZERO, n, ONE):
                own = (*own, s.index)
            case _:
                return None
        match s.body.stmts:
            case (Loop() as s,):
                pass
            case (Load(array=array, index=there, out=v), Store(array=log, index=here, value=value)):
                same = (array, there, value, here[-len(own) :]) == (c, own, v, own) and len(own) == len(sizes)
                return (log, here[: -len(own)]) if same else None
    return None


def _is_only_there(f: Function, found: Snapshots) -> bool:
    """Whether a log of slices is written by this copy only, and otherwise loaded from."""
    uses = using(f.body, found.log)
    stores = [t for t in uses if not isinstance(t, Load)]
    made = (t for t in walk(f.body) if isinstance(t, Alloc) and t.out == found.log and t.log == "slices")
    return len(stores) == 1 and isinstance(stores[0], Store) and next(made, None) is not None


def _without_copies(f: Function, made: _Coalescing) -> Function:
    """The function without logs of cells that are also in the slices of a coalesced state."""
    [s] = (t for t in walk(f.body) if isinstance(t, Loop) and t.index == made.loop.index)
    log, prefix, nest = made.found.log, made.found.prefix, Nest(s)
    slices = {(*prefix, made.slots[c]) for c in made.found.states}
    cells = {t.out for t in walk(f.body) if isinstance(t, Alloc) and t.log == "cells"}
    loads = {t.out: t for t in walk(s.body) if isinstance(t, Load) and t.array == log}
    for t in walk(s.body):
        match t:
            case Store(array=copy, index=index, value=Var() as v) if v in loads and copy in cells:
                there = loads[v].index
                others = [u for u in using(f.body, copy) if u != t]
                axes = [_same_axis(nest, a, index) for a in there]
                if there[: len(prefix) + 1] in slices and all(isinstance(u, Load) for u in others) and None not in axes:
                    f = _redirected(f, copy, log, axes)  # type: ignore[arg-type]
    return f


def _same_axis(nest: Nest, a: Atom, index: Index) -> tuple[int, int] | None:
    """The subscript of ``index`` from which an int has a constant distance, and this distance."""
    found = ((k, (nest.form(a) - nest.form(b)).value) for k, b in enumerate(index))
    return next(((k, far) for k, far in found if far is not None), None)


def _redirected(f: Function, copy: Var, log: Var, axes: Sequence[tuple[int, int]]) -> Function:
    """The function in which loads from ``copy`` load from ``log`` instead."""
    names = Names(all_names(f))

    def block(b: Block) -> Block:
        return Block(tuple(u for t in b.stmts for u in parts(t)), b.results)

    def parts(t: Stmt) -> list[Stmt]:
        match t:
            case Alloc(out=a) | Store(array=a) if a == copy:
                return []
            case Load(array=a, index=index) if a == copy:
                maker = Maker(names)
                there = tuple(maker.let("add", index[k], Const(far, I64)) for k, far in axes)
                return [*maker.out, replace(t, array=log, index=there)]
        return [rebuild(t, lambda a: a, block=block)]

    return replace(f, body=block(f.body))


class _Coalescing:
    """Rewrites a function for one state."""

    def __init__(self, f: Function, s: Loop, found: Snapshots) -> None:
        self.names = Names(all_names(f))
        self.loop, self.found = s, found
        self.sizes = known_sizes(f)[found.made.name]
        results = (b.results for b in (f.body, *(b for t in walk(f.body) for b in blocks(t))))
        self.used = {a for t in walk(f.body) for a in operands(t)} | {a for r in results for a in r}
        self.slots: dict[Var, Atom] = {}  # by array, the slice of the log that an iteration has it in

    def block(self, b: Block) -> Block:
        return Block(tuple(t for s in b.stmts for t in self.parts(s)), b.results)

    def parts(self, s: Stmt) -> list[Stmt]:
        log, axis, older = self.found.log, len(self.found.prefix), len(self.found.states) - 1
        maker = Maker(self.names)
        match s:
            case _ if s is self.loop:
                return self.coalesced()
            case Alloc(out=out, shape=shape) if out == log:
                more = maker.let("add", shape[axis], Const(older + 1, I64))
                return [*maker.out, replace(s, shape=(*shape[:axis], more, *shape[axis + 1 :]))]
            case Load(array=array, index=index) if array == log and older:
                there = maker.let("add", index[axis], Const(older, I64))
                return [*maker.out, replace(s, index=(*index[:axis], there, *index[axis + 1 :]))]
        return [rebuild(s, lambda a: a, block=self.block)]

    def coalesced(self) -> list[Stmt]:
        """The loop without the carried states, between the statements that put the first states into the log and take
        the last ones out."""
        s, found = self.loop, self.found
        before: list[Stmt] = []
        trips = self.names.var("trips", I64)
        after = Maker(self.names)
        after.out.append(Let(trips, "trips", (s.start, s.stop, s.step), s.span))  # type: ignore[arg-type]
        head = Maker(self.names)
        for k, c in enumerate(found.states):
            at = s.carried.index(c)
            first, last = s.inits[at], s.outs[at]
            assert isinstance(first, Var)
            before += self.nest(_from(first), _to(found.log, *found.prefix, Const(k, I64)))
            self.slots[c] = head.let("add", found.slot, Const(k, I64))
            if last in self.used:
                there = after.let("add", trips, Const(k, I64))
                after.out.append(Alloc(last, self.sizes, None, s.span))
                after.out += self.nest(_from(found.log, *found.prefix, there), _to(last))
        self.slots[found.made] = head.let("add", found.slot, Const(len(found.states), I64))
        rest = self.block(Block(tuple(t for t in s.body.stmts if t is not found.copy)))
        stmts = list(head.out) if found.slot == s.index else []
        for t in rest.stmts:
            stmts += self.redirected(t)
            stmts += head.out if found.slot in outputs(t) else ()
        kept = [k for k, c in enumerate(s.carried) if c not in found.states]
        body = Block(tuple(stmts), tuple(s.body.results[k] for k in kept))
        carried, inits, outs = (tuple(vs[k] for k in kept) for vs in (s.carried, s.inits, s.outs))
        made = replace(s, carried=carried, inits=inits, outs=outs, body=body)
        return [*before, made, *(after.out if len(after.out) > 1 else ())]

    def redirected(self, t: Stmt) -> list[Stmt]:
        """A statement of an iteration, with the states in the log."""
        match t:
            case Load(array=a) | Store(array=a) | AddTo(array=a) if a in self.slots:
                return [replace(t, array=self.found.log, index=(*self.at(a), *t.index))]
            case Dim(out=out, array=a, axis=axis) if a in self.slots:
                return [Let(out, "add", (self.sizes[axis], ZERO), t.span)]
            case Alloc(out=a, fill=value) | Fill(array=a, value=value) if a in self.slots:
                return [] if value is None else self.nest(lambda b, i: value, self.to(a))
            case Copy(out=a, array=source) if a in self.slots:
                return self.nest(self.of(source), self.to(a))
            case Copy(out=a, array=source) if source in self.slots:
                return [Alloc(a, self.sizes, None, t.span), *self.nest(self.of(source), self.to(a))]
        return [rebuild(t, lambda a: a, block=self.inside)]

    def inside(self, b: Block) -> Block:
        return Block(tuple(u for t in b.stmts for u in self.redirected(t)), b.results)

    def at(self, a: Var) -> Index:
        """The leading subscripts in the log of an array that an iteration has there."""
        return (*self.found.prefix, self.slots[a])

    def of(self, a: Var) -> Value:
        return _from(self.found.log, *self.at(a)) if a in self.slots else _from(a)

    def to(self, a: Var) -> Put:
        return _to(self.found.log, *self.at(a)) if a in self.slots else _to(a)

    def nest(self, value: Value, put: Put) -> list[Stmt]:
        """A loop nest over all cells of a state."""
        b = Builder(self.names, span=self.loop.span)
        b.each(self.sizes, lambda *i: put(b, i, value(b, i)))
        return b.stmts


def _from(array: Var, *prefix: Atom) -> Value:
    """What a cell of an array, or of one of its slices, holds."""
    return lambda b, index: b.load(array, (*prefix, *index), hint="cell")


def _to(array: Var, *prefix: Atom) -> Put:
    """The store to a cell of an array, or of one of its slices."""
    return lambda b, index, value: b.store(array, (*prefix, *index), value)
