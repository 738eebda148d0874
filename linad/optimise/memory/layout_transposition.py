"""Layout transposition: store the axis that the innermost loops run along last, so that accesses have unit stride.

**Transformation.** Data layout transformation (array of structures to structure of arrays).

**Before.** ``for j { x = q[j, 0]; y = q[j, 1] }``
**After.** ``for j { x = q[0, j]; y = q[1, j] }``

**Legality.** Local scratch arrays; all arrays that may alias get the same layout (`linad/analysis/alias.py`). Arrays
visible outside (parameters and results) are copied.

**Profitability.** The accesses in the deepest loops decide, and must agree. A loop with a dependence from one iteration
to the next is not vectorised and keeps the cells of a row adjacent. A copy is made only if the loops traverse the whole
array more than once. Vector instructions then find the elements of eight rows adjacent: loops over pairs of particles
run two to three times as fast.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Atom, Block, Call, Check, Const, Copy, Dense, Dim, Function, If, Let, Load, Loop, Names,
    Reserve, Stmt, Store, Var, all_names, outputs, walk,
)
from linad_typecheck.ir.rewrite import at_statements, substitute
from linad_typecheck.ir.sizes import Equal
from linad_typecheck.types import I64, INTS, Array, Scalar

from linad.analysis.alias import alias_groups
from linad.analysis.reductions import is_reduction
from linad.analysis.trip_counts import FEW, is_short

from ..pass_manager import Remark, Remarks, known_as, remark

JOINED = ("add", "sub", "mul", "min", "max")  # the operations of a reduction that LLVM vectorises
Access = Load | Store | AddTo
Order = tuple[int, ...]  # the axes of an array in storage order


def choose_layouts(f: Function) -> tuple[Function, Remarks]:
    """Choose a layout for the arrays of a function. Also return a remark for each."""
    if not any(isinstance(v.type, Array) and v.type.rank > 1 for v in _arrays(f)):
        return f, ()
    names = Names(all_names(f))
    f, stored = _with_copies(f, names)
    found = _found(f, _Groups(f, lent=False))
    orders = {a: order for a, (order, _) in found.items()}
    return _Stored(orders, stored, names).function(f), tuple(_remarks(f, found))


def _remarks(f: Function, found: Mapping[str, tuple[Order, Vote]]) -> Iterator[Remark]:
    """A remark for each array that the function creates or copies in another layout."""
    for s in walk(f.body):
        if isinstance(s, Alloc | Copy) and s.out.name in found and getattr(s, "log", "no") == "no":
            axis = found[s.out.name][1].axis
            yield remark(s.span, "stored", f"{known_as(s.out)} by columns: the innermost loops run along axis {axis}")


def _found(f: Function, groups: _Groups) -> dict[str, tuple[Order, Vote]]:
    """The arrays that should not be stored in C order, with the access that decided."""
    votes: dict[str, dict[int, list[Vote]]] = {}  # by alias group and by loop depth
    for v in _votes(f.body, (), True, _Sizes(f)):
        votes.setdefault(groups.find(v.array.name), {}).setdefault(v.depth, []).append(v)
    orders: dict[str, tuple[Order, Vote]] = {}
    for array in groups.arrays:
        rank, found = _rank(array), votes.get(groups.find(array.name))
        if not found or groups.find(array.name) in groups.fixed:
            continue
        deepest = sorted(found[max(found)], key=lambda v: not v.pays)
        axes = {v.axis for v in deepest}
        if len(axes) == 1 and axes != {rank - 1}:
            (axis,) = axes
            orders[array.name] = (*(k for k in range(rank) if k != axis), axis), deepest[0]
    return orders


def _with_copies(f: Function, names: Names) -> tuple[Function, frozenset[str]]:
    """Replace parameters and results by local arrays if they are traversed often enough to pay for a copy.

    A parameter that is only read is copied at the start. A parameter that is added to or stored, or a result, is
    computed in a local array and copied at the end. Also return the names of those of stored parameters: they are added
    to what holds nothing.
    """
    stored: set[str] = set()
    found = _found(f, _Groups(f, lent=True))
    first: list[Stmt] = []
    last: list[Stmt] = []
    instead: dict[str, Atom] = {}
    for p in f.params:
        if p.var.name not in found or not found[p.var.name][1].pays:
            continue
        own = instead[p.var.name] = names.like(p.var)
        if p.mode == "read":
            first.append(Copy(own, p.var, f.span))
            continue
        sizes = [Dim(names.var("n", I64), p.var, k, f.span) for k in range(_rank(p.var))]
        zero = Const(0.0, Scalar(p.var.type.dtype))
        first += [*sizes, Alloc(own, tuple(d.out for d in sizes), zero if p.mode == "acc" else None, f.span)]
        last.append(AddArray(p.var, own, f.span))
        stored |= {own.name} if p.mode == "out" else set()
    given: dict[str, Atom] = {}
    for r in f.body.results:
        if isinstance(r, Var) and r.name in found and found[r.name][1].pays and r.name not in given:
            out = given[r.name] = names.like(r)
            last.append(Copy(out, r, f.span))
    if not instead and not given:
        return f, frozenset()
    stmts = f.body.stmts
    # after the checks of sizes
    start = next((k for k, s in enumerate(stmts) if not isinstance(s, Dim | Let | Check)), len(stmts))
    body = substitute(Block(stmts[start:], f.body.results), instead)
    results = tuple(given.get(r.name, r) if isinstance(r, Var) else r for r in body.results)
    return replace(f, body=Block((*stmts[:start], *first, *body.stmts, *last), results)), frozenset(stored)


def _arrays(f: Function) -> Iterator[Var]:
    yield from (p.var for p in f.params)
    for s in walk(f.body):
        yield from outputs(s)


def _rank(v: Var) -> int:
    return v.type.rank if isinstance(v.type, Array) else 0


class _Groups:
    """Alias groups of the arrays of rank two or more. ``fixed``: the groups that are visible outside the function.

    ``lent``: do not count arrays that are visible only before or after the function runs.
    """

    def __init__(self, f: Function, lent: bool) -> None:
        self.find = alias_groups(f)
        self.arrays = [p.var for p in f.params if _rank(p.var) > 1]
        seen: list[Atom] = [p.var for p in f.params if not lent or p.mode not in ("read", "acc", "out")]
        seen += () if lent else f.body.results
        for s in walk(f.body):
            self.arrays += [v for v in (*outputs(s), *(s.carried if isinstance(s, Loop) else ())) if _rank(v) > 1]
            match s:
                case Call(outs=outs, args=args):
                    seen += [*outs, *args]
                case Dense(updated=updated, read=read):
                    seen += [*updated, *read]
                case Reserve(array=array):
                    seen.append(array)
        self.fixed = {self.find(a.name) for a in seen if isinstance(a, Var)}


# ---------------------------------------------------------------------------------------- the axis that loops run along


class _Sizes:
    """Known sizes of arrays, and equalities between ints."""

    def __init__(self, f: Function) -> None:
        self.made = {s.out.name: s for s in walk(f.body) if isinstance(s, Let)}
        self.equal = Equal()  # equalities established by checks at the start of the function
        for s in f.body.stmts:
            self.equal.seen(s)
        self.sizes: dict[tuple[str, int], Atom] = {}
        for s in walk(f.body):
            match s:
                case Dim(out=v, array=a, axis=k):
                    self.sizes.setdefault((a.name, k), self.equal.root(v))
                case Alloc(out=v, shape=shape):
                    self.sizes |= {(v.name, k): self.equal.root(a) for k, a in enumerate(shape)}
        self.like = {p.var.name: p.like for p in f.params}

    def of(self, array: Var, axis: int) -> Atom | None:
        """The size of an axis; the adjoint of a parameter has the sizes of the parameter."""
        return self.sizes.get((array.name, axis), self.sizes.get((self.like.get(array.name, ""), axis)))

    def goes_through(self, s: Loop, size: Atom, around: tuple[Loop, ...]) -> bool:
        """Whether a loop runs between a constant and a size, either of which may be the index of an enclosing loop that
        does."""
        up = isinstance(s.step, Const) and s.step.value > 0
        far, near = (s.stop, s.start) if up else (s.start, s.stop)
        if far is None or near is None:
            return False
        whole = self.equal.root(far if up else self.without(far, "sub")) == size
        if whole and isinstance(near, Const):
            return True
        end = near if whole else far if isinstance(near, Const) else None
        k = None if end is None else self.loop_of(end, around)
        return k is not None and self.goes_through(around[k], size, around[:k])

    def without(self, a: Atom, op: str) -> Atom:
        """The left operand of a sum (or difference) with a constant; otherwise the atom itself."""
        t = self.made.get(a.name) if isinstance(a, Var) else None
        return t.ins[0] if t is not None and t.op == op and isinstance(t.ins[1], Const) else a

    def loop_of(self, a: Atom, loops: tuple[Loop, ...]) -> int | None:
        """The position of the loop whose index an int is, up to a constant."""
        roots = [a, self.without(a, "add"), self.without(a, "sub")]
        return next((k for k, s in enumerate(loops) if s.index in roots), None)


@dataclass(frozen=True)
class Vote:
    """An access in an innermost loop: the loop depth, the array, and the axis along which the loop runs.

    ``pays``: the loops provably traverse the whole array more than once.
    """

    depth: int
    array: Var
    axis: int
    pays: bool


def _votes(b: Block, around: tuple[Loop, ...], always: bool, sizes: _Sizes) -> Iterator[Vote]:
    """The accesses in innermost loops. ``around``: the enclosing loops with more than a few iterations. ``always``: the
    loop is not inside a branch."""
    for s in b.stmts:
        match s:
            case If(then=then, orelse=orelse):
                yield from _votes(then, around, False, sizes)
                yield from _votes(orelse, around, False, sizes)
            case Loop(body=body) if is_short(s):
                yield from _votes(body, around, always, sizes)
            case Loop(body=body) if any(isinstance(t, Loop) and not is_short(t) for t in walk(body)):
                yield from _votes(body, (*around, s), always, sizes)
            case Loop():
                yield from _Along(s, around, always, sizes).votes()


@dataclass
class _Along:
    """Classification of the ints in an innermost loop: loop-invariant (``False``) or unit stride in its index
    (``True``).

    Loops nested in it are short and fully unrolled by LLVM, so their indices count as constants.
    """

    loop: Loop
    around: tuple[Loop, ...]
    always: bool
    sizes: _Sizes
    moves: dict[str, bool | None] = field(default_factory=dict)  # None: any other dependence on the index
    short: set[str] = field(default_factory=set)

    def votes(self) -> Iterator[Vote]:
        s = self.loop
        in_order = s.stop is not None and not s.exits
        vectors = all(is_reduction(s, k, JOINED) for k in range(len(s.carried)))
        self.moves[s.index.name] = True
        self.moves |= dict.fromkeys(c.name for c in s.carried)
        for t in walk(s.body):
            match t:
                case Loop(index=index, carried=carried):
                    self.short.add(index.name)
                    self.moves |= dict.fromkeys(c.name for c in carried)
                case Let(out=out) if out.type.dtype in INTS:
                    self.moves[out.name] = self.moved(t)
                    continue
                case Load() | Store() | AddTo() if _rank(t.array) > 1:
                    how = [self.of(a) for a in t.index]
                    alone = in_order and how.count(True) == 1 and None not in how
                    alone &= vectors or not all(m or self.is_number(a) for m, a in zip(how, t.index, strict=True))
                    if any(m is not False for m in how):
                        axis = how.index(True) if alone else len(how) - 1
                        yield Vote(len(self.around) + 1, t.array, axis, alone and self.pays(t, axis))
            still = isinstance(t, Load) and not any(self.of(a) is not False for a in t.index)
            self.moves |= dict.fromkeys((v.name for v in outputs(t)), False if still else None)

    def is_number(self, a: Atom) -> bool:
        """Whether an index is a constant, or becomes one when short loops are unrolled."""
        return isinstance(a, Const) or a.name in self.short

    def of(self, a: Atom) -> bool | None:
        return self.moves.get(a.name, False) if isinstance(a, Var) else False

    def moved(self, t: Let) -> bool | None:
        how = [self.of(a) for a in t.ins]
        if not any(m is not False for m in how):
            return False
        return (
            True
            if t.op in ("add", "sub", "cast", "wrap", "max", "min") and how.count(True) == 1 and None not in how
            else None
        )

    def pays(self, t: Access, axis: int) -> bool:
        """Whether a loop runs along each axis with more than a few cells, and an enclosing loop repeats the traversal.
        """
        along: set[int] = {len(self.around)}
        for k, a in enumerate(t.index):
            size = self.sizes.of(t.array, k)
            if size is None:
                return False
            if k == axis:
                if not self.sizes.goes_through(self.loop, size, self.around):
                    return False
            elif self.is_number(a):
                if not isinstance(size, Const) or size.value > FEW:
                    return False
            else:
                found = self.sizes.loop_of(a, self.around)
                if found is None or not self.sizes.goes_through(self.around[found], size, self.around[:found]):
                    return False
                along.add(found)
        return self.always and len(self.around) + 1 > len(along)


# ------------------------------------------------------------------------------------------------------ the new layout


class _Stored:
    """Rewrites the accesses of a function for new layouts. Statements that do not mention these arrays are returned
    unchanged. ``stored``: the arrays that are stored where they are added."""

    def __init__(self, orders: dict[str, Order], stored: frozenset[str], names: Names) -> None:
        self.orders, self.stored, self.names = orders, stored, names

    def function(self, f: Function) -> Function:
        return at_statements(f, self.stmt)

    def order(self, v: Var) -> Order:
        return self.orders.get(v.name, tuple(range(_rank(v))))

    def stmt(self, s: Stmt) -> list[Stmt]:
        match s:
            case Load(array=array) | Store(array=array) | AddTo(array=array) if array.name in self.orders:
                return [replace(s, index=tuple(s.index[k] for k in self.order(array)))]
            case Alloc(out=out, shape=shape) if out.name in self.orders:
                return [replace(s, shape=tuple(shape[k] for k in self.order(out)))]
            case Dim(array=array, axis=axis) if array.name in self.orders:
                return [replace(s, axis=self.order(array).index(axis))]
            case Copy(out=out, array=array) if self.order(out) != self.order(array):
                sizes = self.sizes(array, s)
                made = Alloc(out, tuple(sizes[k][0].out for k in self.order(out)), None, s.span)
                return [*(d for d, _ in sizes), made, self.cells(s, out, array, [(d.out, i) for d, i in sizes])]
            case AddArray(array=array, other=other) if (
                self.order(array) != self.order(other) or other.name in self.stored
            ):
                sizes = self.sizes(array, s)
                return [*(d for d, _ in sizes), self.cells(s, array, other, [(d.out, i) for d, i in sizes])]
        return [s]

    def sizes(self, array: Var, s: Stmt) -> list[tuple[Dim, Var]]:
        """The sizes of an array in C order, each with a fresh index variable for its axis."""
        order = self.order(array)
        return [
            (Dim(self.names.var("n", I64), array, order.index(k), s.span), self.names.var("i", I64))
            for k in range(_rank(array))
        ]

    def cells(self, s: Copy | AddArray, target: Var, source: Var, axes: list[tuple[Var, Var]]) -> Stmt:
        """The loop nest that performs a whole-array statement cell by cell, in the order of the transposed array."""

        def at(v: Var) -> tuple[Atom, ...]:
            return tuple(axes[k][1] for k in self.order(v))

        e = self.names.var("e", Scalar(target.type.dtype))
        done = AddTo if isinstance(s, AddArray) and source.name not in self.stored else Store
        body = Block((Load(e, source, at(source), False, s.span), done(target, at(target), e, False, s.span)))
        for k in reversed(self.order(target if target.name in self.orders else source)):
            size, index = axes[k]
            body = Block((Loop(index, Const(0, I64), size, Const(1, I64), (), (), body, (), span=s.span),))
        return body.stmts[0]
