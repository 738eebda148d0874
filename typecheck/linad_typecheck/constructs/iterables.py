"""Iterables of `for` loops: an index range, and the target's value in each iteration."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from ..arrays import ranges
from ..arrays.indexing import select_in_range, selectable
from ..arrays.operands import flag
from ..arrays.slices import Place, view_of
from ..ir.core import Atom, Check, Const
from ..engine.arithmetic import check_nonzero
from ..engine.closures import closed
from ..engine.entities import callee
from ..engine.evaluation import as_list_comprehension, expand_starred, expression, usable
from ..engine.growing import copied, count_of, is_growing, is_weak, item_at, new_list
from ..engine.numbers import as_index
from ..engine.places import load, product, read, unravelled
from ..engine.provenance import not_an_int, sizes_differ
from ..engine.quoted import Quoted
from ..engine.refusal import Refused
from ..engine.rulebook import Args
from ..engine.sequences import ITERATIONS, Generated, Iteration, Unrolled
from ..engine.sizes import is_array, rank_of, shape_of, size_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import (
    ITERATORS, SILENT, ArrayValue, Binding, EntityValue, FunctionValue, Poison, ScalarValue, TextValue,
    TupleValue, Value, describe, is_complex, objects, type_of,
)
from ..library.externals import call_external
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..names.scope import HASHED, SET, RecordClass
from ..ownership.objects import allocated_at
from ..registry import enter
from ..span import Span
from ..types import BOOL, I64, INTS
from . import complexes
from .checkpoints import is_checkpoint, misplaced
from .dicts import keys
from .enumerations import members
from .generators import by_library, by_next
from .records import by_class, only_fields


# Classes of objects that are iterated over as a list of their items: that list, and what must not change meanwhile.
LISTED: dict[RecordClass, Callable[[Lowering, TupleValue, Span], tuple[TupleValue, Value]]] = {}


def listed(ctx: Lowering, v: Value, span: Span) -> Value:
    """The list of the items of a deque; other values unchanged."""
    found = isinstance(v, TupleValue) and v.record in LISTED
    return LISTED[v.record](ctx, v, span)[0] if found else v


def iteration(ctx: Lowering, node: ast.expr) -> Iteration | Unrolled | Generated | None:
    """The iteration over ``node``; None if a problem was reported."""
    span = ctx.span(node)
    if isinstance(node, ast.Call):
        if is_checkpoint(ctx, node):
            misplaced(ctx, node)
            return None
        called = callee(ctx, node.func)
        rule = ITERABLES.get(called)
        if rule is not None:
            if node.keywords and called not in ("builtins.enumerate", "builtins.zip", "builtins.sorted"):
                ctx.report(BadCall(span, called.partition(".")[2], "takes no keyword arguments here"))
                return None
            return rule(ctx, node)
    if isinstance(node, ast.List) and not any(isinstance(n, ast.Starred) for n in node.elts):
        node = ast.copy_location(ast.Tuple(node.elts, ast.Load()), node)
    value = expression(ctx, node)
    match value:
        case FunctionValue(source=source) if source.running:
            return Generated(value)
        case TupleValue(mapping=True):
            return Unrolled(keys(value))
        case TupleValue() if ranges.is_range(value):
            return _of_range(ctx, *ranges.bounds(value))
        case TupleValue(record=record) if record in ITERATORS:
            return Generated(by_library(ctx, ITERATORS[record], node, [Quoted(node, value)]))
        case TupleValue() | EntityValue() if (made := of_object(ctx, value, node)) is not None:
            return iteration(ctx, Quoted(node, made))
        case TextValue(text=text):
            return Unrolled(tuple(map(TextValue, text)))
        case TupleValue(items=(real, _)) if is_complex(value) and is_array(real) and rank_of(real):
            return complexes.iterated(value, lambda part, role: _array(ctx, part, node, role))
        case TupleValue() if is_growing(value):
            return _list(ctx, value, span)
        case TupleValue(record=record) if record in LISTED:
            items, kept = LISTED[record](ctx, value, span)
            found = _list(ctx, allocated_at(ctx, items, span), span) if is_growing(items) else Unrolled(items.items)
            if isinstance(found, Unrolled):
                return found
            return replace(found, held={**found.held, ctx.pseudo("overwhole", span): Binding(kept, span)})
        case TupleValue(record=record) if record is SET:
            what = "a loop over a set, whose order is arbitrary,"
            name = "s" if isinstance(node, Quoted) else ast.unparse(node)
            raise Refused(Unsupported(span, what, f"loop over `sorted({name})`"))
        case TupleValue(items=(own, *_), record=record) if record in HASHED:
            return _list(ctx, own, span)
        case TupleValue(items=items):
            over = (value,) if value.listed else ()
            return None if only_fields(ctx, value, span, "a loop runs over elements") else Unrolled(items, over)
        case _ if is_array(value) and rank_of(value):
            return _array(ctx, value, node)
        case _ if not isinstance(value, SILENT):
            if isinstance(value, ScalarValue):
                ctx.raised("TypeError")
            ctx.report(WrongType(span, "a loop runs over a range, an array or a tuple", describe(type_of(value))))
    return None


def of_object(ctx: Lowering, value: Value, node: ast.expr) -> Value | None:
    """What a loop over an enumeration or an object of a class with ``__iter__`` runs over; None for other values."""
    if (found := members(value)) is not None:
        return found
    made = by_class(ctx, "__iter__", value, node)
    return (by_next(ctx, made, node) or made) if made is not None else None


@contextmanager
def read_at_iteration(ctx: Lowering, it: Unrolled, span: Span) -> Iterator[list[Callable[[], Value]]]:
    """The elements of an unrolled loop, each read when its iteration begins: earlier iterations may change objects
    in it."""
    if not any(True for v in (*it.items, *it.over) for _ in objects(v)):
        yield [lambda v=v: v for v in it.items]
        return
    key = ctx.pseudo("over", span)
    ctx.bind(key, Binding(TupleValue((TupleValue(it.over), *it.items)), span))

    def element(k: int) -> Value:
        now = ctx.env[key].value
        return now.items[k] if isinstance(now, TupleValue) else now  # a loop loses arrays of a tuple as a whole

    yield [partial(element, k) for k in range(1, len(it.items) + 1)]
    ctx.unbind(key)


RANGES = ("builtins.range", "numba.prange")


def _ints(ctx: Lowering, nodes: list[ast.expr]) -> list[Atom] | None:
    atoms: list[Atom] = []
    for n in nodes:
        v = expression(ctx, n)
        if isinstance(v, ScalarValue) and (v.dtype in INTS or (v.dtype == "bool" and v.weak)):
            atoms.append(as_index(ctx, v.atom, ctx.span(n)))
        else:
            if not isinstance(v, SILENT):
                not_an_int(ctx, "the bounds of a range are ints", v, ctx.span(n))
            atoms.append(None)
    return None if None in atoms else atoms


def _range(ctx: Lowering, node: ast.Call) -> Iteration | None:
    if not 1 <= len(node.args) <= 3 or any(isinstance(a, ast.Starred) for a in node.args):
        ctx.report(BadCall(ctx.span(node), callee(ctx, node.func).partition(".")[2], "takes 1 to 3 arguments"))
        return None
    atoms = _ints(ctx, node.args)
    if atoms is None:
        return None
    start, stop, step = (ZERO, atoms[0], ONE) if len(atoms) == 1 else (*atoms, ONE)[:3]
    check_nonzero(ctx, step, "ValueError", "range() arg 3 must not be zero", ctx.span(node))
    step = ONE if step == ZERO else step  # of a loop that is not reached
    return _of_range(ctx, start, stop, step)


def _of_range(ctx: Lowering, start: Atom, stop: Atom, step: Atom) -> Iteration:
    over = ranges.range_of(start, stop, step)
    nonneg = _range_nonneg(ctx, start, stop, step)
    return Iteration(start, stop, step, nonneg, lambda i: ScalarValue(i, True), over=over)


def _range_nonneg(ctx: Lowering, start: Atom, stop: Atom, step: Atom) -> bool:
    if not isinstance(step, Const):
        return False
    if step.value > 0:
        return ctx.is_nonneg(start)
    return isinstance(stop, Const) and stop.value >= -1 or ctx.is_nonneg(stop)


def _reversed(ctx: Lowering, node: ast.Call) -> Iteration | Unrolled | None:
    span = ctx.span(node)
    if len(node.args) != 1:
        ctx.report(BadCall(span, "reversed", "takes one argument"))
        return None
    inner = iteration(ctx, node.args[0])
    if inner is None:
        return None
    if isinstance(inner, Generated):
        ctx.raised("TypeError")
        ctx.report(WrongType(span, "`reversed` is of a sequence", "a generator", "make a list of it: `list(...)`"))
        return None
    if isinstance(inner, Unrolled):
        return replace(inner, items=inner.items[::-1])
    one_step = isinstance(inner.step, Const) and inner.step.value == 1
    if one_step:
        start = _offset(ctx, inner.stop, -1, span)
        return Iteration(
            start, _offset(ctx, inner.start, -1, span), Const(-1, I64), inner.nonneg, inner.element, inner.held
        )
    trips = ctx.let("trips", "trips", (inner.start, inner.stop, inner.step), I64, span)
    last = ctx.let("t", "mul", (ctx.let("t", "sub", (trips, ONE), I64, span), inner.step), I64, span)
    start = ctx.let("start", "add", (inner.start, last), I64, span)
    stop = ctx.let("stop", "sub", (inner.start, inner.step), I64, span)
    step = (
        Const(-inner.step.value, I64)
        if isinstance(inner.step, Const)
        else ctx.let("step", "neg", (inner.step,), I64, span)
    )
    return Iteration(start, stop, step, inner.nonneg, inner.element, inner.held)


def _offset(ctx: Lowering, a: Atom, k: int, span) -> Atom:
    return Const(a.value + k, I64) if isinstance(a, Const) else ctx.let("t", "add", (a, Const(k, I64)), I64, span)


def _array(ctx: Lowering, over: Value, node: ast.expr, role: str = "over") -> Iteration:
    """The elements of an array of rank 1; for any other rank the rows, which are views."""
    span = ctx.span(node)
    n = size_of(ctx, over, 0, span)
    key = ctx.pseudo(role, span)
    name = node.id if isinstance(node, ast.Name) else "the array"

    def element(i: Atom) -> Value:
        held = usable(ctx, ctx.env[key].value, name, span)
        if isinstance(held, SILENT):
            return Poison()
        if isinstance(held, ArrayValue) and rank_of(held) == 1:
            return load(ctx, held.var, (i,), True, span)
        if rank_of(held) == 1:
            return read(ctx, held, (i,), span)
        return view_of(ctx, held, [Place(ScalarValue(i, True), span, True)], name, span)

    return Iteration(ZERO, n, ONE, True, element, {key: Binding(over, span)}, over)


def _list(ctx: Lowering, over: TupleValue, span: Span) -> Iteration:
    """The items of a growing list."""
    key = ctx.pseudo("over", span)

    def element(i: Atom) -> Value:
        held = usable(ctx, ctx.env[key].value, "the list", span)
        return Poison() if isinstance(held, SILENT) else item_at(ctx, held, i, span)

    return Iteration(ZERO, count_of(ctx, over), ONE, True, element, {key: Binding(over, span)}, over)


def _enumerate(ctx: Lowering, node: ast.Call) -> Iteration | Unrolled | None:
    span = ctx.span(node)
    starts = [k.value for k in node.keywords if k.arg == "start"]
    if not 1 <= len(node.args) + len(starts) <= 2 or not node.args or len(starts) != len(node.keywords):
        ctx.report(BadCall(span, "enumerate", "takes something to iterate over and a first number"))
        return None
    inner = iteration(ctx, node.args[0])
    first = (
        expression(ctx, [*node.args[1:], *starts][0]) if len(node.args) + len(starts) == 2 else ScalarValue(ZERO, True)
    )
    if inner is None:
        return None
    if not isinstance(first, ScalarValue) or first.dtype not in INTS:
        if not isinstance(first, SILENT):
            ctx.report(WrongType(span, "the first number is an int", describe(type_of(first))))
        return None
    if isinstance(inner, Generated):
        return _library(ctx, "_enumerate", node, inner.by, first)
    base = as_index(ctx, first.atom, span)
    if isinstance(inner, Unrolled):
        items = [
            TupleValue((ScalarValue(_sum(ctx, base, Const(k, I64), span), True), v)) for k, v in enumerate(inner.items)
        ]
        return replace(inner, items=tuple(items))
    inner = from_zero(ctx, inner, span)
    return Iteration(
        ZERO,
        inner.stop,
        ONE,
        True,
        lambda i: TupleValue((ScalarValue(_sum(ctx, base, i, span), True), inner.element(i))),
        inner.held,
    )


def _library(ctx: Lowering, name: str, node: ast.Call, *values: Value) -> Generated | None:
    """The iteration of a generator of the prelude."""
    found = by_library(ctx, f"%iterators.{name}", node, [Quoted(node, v) for v in values])
    return Generated(found) if isinstance(found, FunctionValue) else None


def _sum(ctx: Lowering, a: Atom, b: Atom, span) -> Atom:
    if a == ZERO:
        return b
    if b == ZERO:
        return a
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(a.value + b.value, I64)
    return ctx.let(
        "k", "add", (b, a), I64, span, **ctx.signed(ctx.counts(a) and ctx.counts(b), max(ctx.bits(a), ctx.bits(b)) + 1)
    )


def from_zero(ctx: Lowering, it: Iteration, span) -> Iteration:
    """The same iteration with an index that counts from 0 in steps of 1."""
    if it.start == ZERO and it.step == ONE:
        return it
    trips = ctx.let("trips", "trips", (it.start, it.stop, it.step), I64, span, nonneg=True)

    def element(k: Atom) -> Value:
        t = k if it.step == ONE else ctx.let("t", "mul", (k, it.step), I64, span)
        return it.element(ctx.let("i", "add", (it.start, t), I64, span, nonneg=it.nonneg, bits=63 * it.nonneg))

    return Iteration(ZERO, trips, ONE, True, element, it.held)


def _zip(ctx: Lowering, node: ast.Call) -> Iteration | Unrolled | None:
    span = ctx.span(node)
    strict = flag(
        ctx, {k.arg: expression(ctx, k.value) for k in node.keywords if k.arg == "strict"}, "strict", False, span
    )
    if strict is None or any(k.arg != "strict" for k in node.keywords):
        if strict is not None:
            ctx.report(BadCall(span, "zip", "takes `strict=` and no other keyword"))
        return None
    if any(isinstance(a, ast.Starred) for a in node.args):
        args = [_spread(ctx, a) if isinstance(a, ast.Starred) else a for a in node.args]
        if len(args) == 1 and (columns := _columns(ctx, args[0].value.value, span)) is not None:
            return columns
        node = ast.copy_location(ast.Call(node.func, expand_starred(ctx, args), []), node)
    inner = [iteration(ctx, a) for a in node.args]
    if not inner:
        ctx.report(BadCall(span, "zip", "takes at least one argument"))
        return None
    if None in inner:
        return None
    if any(isinstance(i, Generated) for i in inner):
        return _zip_with(ctx, node, inner, Generated, strict)
    if not all(isinstance(i, Unrolled) for i in inner):
        inner = [as_indexable(ctx, i, span) if isinstance(i, Unrolled) and selectable(i.items) else i for i in inner]
    if any(isinstance(i, Unrolled) for i in inner):
        if not all(isinstance(i, Unrolled) for i in inner):
            return _zip_with(ctx, node, inner, Unrolled, strict)
        lengths = [len(i.items) for i in inner]
        if strict and min(lengths) != max(lengths):
            sizes_differ(ctx, span, f"`zip` runs over {' and '.join(map(str, lengths))} elements")
            return None
        items = zip(*(i.items for i in inner), strict=False)
        return Unrolled(tuple(map(TupleValue, items)), tuple(v for i in inner for v in i.over))
    runs, held = [], {}
    for k, i in enumerate(inner):
        renamed = {f"{key}.{k}": b for key, b in i.held.items()}
        runs.append(from_zero(ctx, _renamed(ctx, i, f".{k}"), span))
        held |= renamed
    stop = most = runs[0].stop
    for run in runs[1:]:
        if run.stop != stop:
            stop, most = (ctx.let("n", op, (a, run.stop), I64, span) for op, a in (("min", stop), ("max", most)))
    if not strict or stop == most:
        return Iteration(ZERO, stop, ONE, True, lambda i: TupleValue(tuple(run.element(i) for run in runs)), held)

    def element(i: Atom) -> Value:  # Python finds that the lengths differ only when it gets there
        text = "zip() arguments have different lengths: {0} and more"
        ctx.emit(Check(ctx.let("ok", "lt", (i, stop), BOOL, span), "ValueError", text, (stop,), span))
        return TupleValue(tuple(run.element(i) for run in runs))

    return Iteration(ZERO, most, ONE, True, element, held)


def _zip_with(
    ctx: Lowering, node: ast.Call, inner: list[Iteration | Unrolled | Generated], kind: type, strict: bool
) -> Generated | None:
    """``zip`` where one argument is a generator, or a tuple that a loop is unrolled over, and the others are
    sequences."""
    overs = [
        TupleValue(i.items) if isinstance(i, Unrolled) else i.by if isinstance(i, Generated) else i.over for i in inner
    ]
    k, *more = (k for k, i in enumerate(inner) if isinstance(i, kind))
    if more or strict or any(v is None for v in overs):
        one = "a generator" if kind is Generated else "a tuple of other things than numbers"
        what = f"`zip(..., strict=True)` of {one}" if strict else f"`zip` of {one} and what is no sequence"
        instead = "make lists of them first, `zip(xs, list(g))`, or write the loop out"
        ctx.report(Unsupported(ctx.span(node), what, instead))
        return None
    return _library(ctx, "_zip", node, TupleValue(tuple(overs[:k])), overs[k], TupleValue(tuple(overs[k + 1 :])))


def _spread(ctx: Lowering, node: ast.Starred) -> ast.Starred:
    """``*x`` with ``x`` evaluated."""
    value = usable(ctx, expression(ctx, as_list_comprehension(node.value)), "this", ctx.span(node))
    return ast.copy_location(ast.Starred(Quoted(node.value, value), ast.Load()), node)


def _columns(ctx: Lowering, pairs: Value, span: Span) -> Unrolled | None:
    """``zip(*pairs)`` of a list of tuples whose length is known only at run time: a list for each place in a tuple."""
    if is_array(pairs) and rank_of(pairs) > 1:
        raise Refused(Unsupported(span, "`zip(*...)` of the rows of an array", "take its columns: `xs, ys = a.T`"))
    if not is_growing(pairs) or not isinstance(pairs.items[0], TupleValue):
        return None
    count = count_of(ctx, pairs)
    some = ctx.let("ok", "gt", (count, ZERO), BOOL, span)
    ctx.emit(Check(some, "ValueError", "not enough values to unpack: zip(*...) of an empty list", (), span))
    return Unrolled(
        tuple(copied(ctx, new_list(ctx, cells, count, is_weak(pairs)), span) for cells in pairs.items[0].items)
    )


def as_indexable(ctx: Lowering, it: Unrolled, span: Span) -> Iteration:
    """A tuple of numbers, indexed at run time."""
    return Iteration(ZERO, Const(len(it.items), I64), ONE, True, lambda i: select_in_range(ctx, it.items, i, span))


def _renamed(ctx: Lowering, it: Iteration, suffix: str) -> Iteration:
    """The iteration with its array looked up under the new name that a loop gives it. Positions distinguish the
    pseudo-names of two arrays in one loop."""
    if not it.held:
        return it

    def element(i: Atom) -> Value:
        ctx.bind_all({key: ctx.env[key + suffix] for key in it.held})
        value = it.element(i)
        ctx.unbind(*it.held)
        return value

    return Iteration(it.start, it.stop, it.step, it.nonneg, element, it.held)


def _ndindex(ctx: Lowering, node: ast.Call) -> Iteration | None:
    """``np.ndindex(m, n)`` and ``np.ndindex(a.shape)``: the indices of all cells in C order."""
    span = ctx.span(node)
    given = [expression(ctx, a) for a in node.args]
    items = given[0].items if len(given) == 1 and isinstance(given[0], TupleValue) else tuple(given)
    if not items or not all(isinstance(v, ScalarValue) and v.dtype in INTS for v in items):
        if not any(isinstance(v, SILENT) for v in items):
            ctx.report(BadCall(span, "np.ndindex", "takes sizes, or a tuple of them"))
        return None
    return _cells(ctx, tuple(as_index(ctx, v.atom, span) for v in items), lambda index: index, span)


def _ndenumerate(ctx: Lowering, node: ast.Call) -> Iteration | None:
    span = ctx.span(node)
    array = expression(ctx, node.args[0]) if len(node.args) == 1 else Poison()
    if not is_array(array) or not rank_of(array):
        if len(node.args) != 1 or not isinstance(array, SILENT):
            ctx.report(BadCall(span, "np.ndenumerate", "takes an array"))
        return None
    key = ctx.pseudo("over", span)

    def element(index: TupleValue) -> Value:
        return TupleValue((index, read(ctx, ctx.env[key].value, tuple(i.atom for i in index.items), span)))

    it = _cells(ctx, shape_of(ctx, array, span), element, span)
    return Iteration(it.start, it.stop, it.step, it.nonneg, it.element, {key: Binding(array, span)})


def _cells(ctx: Lowering, sizes: tuple[Atom, ...], of: Callable[[TupleValue], Value], span: Span) -> Iteration:
    """The iteration over the indices of a shape. ``of`` computes the target from the index."""

    def element(k: Atom) -> Value:
        return of(TupleValue(tuple(ScalarValue(i, True) for i in unravelled(ctx, k, sizes, span))))

    return Iteration(ZERO, product(ctx, sizes, span), ONE, True, element)


def _map(ctx: Lowering, node: ast.Call) -> Iteration | Unrolled | None:
    """``map(f, a, b)``: the results of ``f`` for the elements."""
    span = ctx.span(node)
    if len(node.args) < 2 or any(isinstance(a, ast.Starred) for a in node.args):
        ctx.report(BadCall(span, "map", "takes a function and what it runs over"))
        return None
    f, key = expression(ctx, node.args[0]), ctx.pseudo("mapped", span)
    inner = _zip(ctx, ast.copy_location(ast.Call(node.func, node.args[1:], []), node))

    captures = isinstance(f, FunctionValue) and (f.free or f.captured)
    if isinstance(inner, Unrolled) and captures and len(inner.items) > 1 and selectable(inner.items):
        inner = as_indexable(ctx, inner, span)  # each call when its turn comes

    def apply(v: Value) -> Value:  # what the function captures may change from call to call
        call = ast.Call(Quoted(node.args[0], ctx.env[key].value), [Quoted(node, x) for x in v.items], [])
        return usable(ctx, expression(ctx, ast.copy_location(call, node)), "the element", span)

    match inner:
        case Generated(by=by):
            return _library(ctx, "_map", node, closed(ctx, f, span), by)
        case Unrolled(items=items):
            ctx.bind(key, Binding(f, span))
            found = tuple(map(apply, items))
            ctx.unbind(key)
            return Unrolled(found)
        case Iteration():
            held = inner.held | {key: Binding(f, span)}
            return replace(inner, element=lambda i: apply(inner.element(i)), held=held)
    return None


def _sorted(ctx: Lowering, node: ast.Call) -> Iteration | Unrolled | Generated | None:
    """``sorted(x)``: an array of rank 1 stays one, and anything else becomes a list."""
    span = ctx.span(node)
    what = [Quoted(a, expression(ctx, a)) for a in node.args]
    array = what[0].value if len(what) == 1 and not node.keywords else Poison()
    if is_array(array) and rank_of(array) == 1:
        return _array(ctx, call_external(ctx, "numpy.sort", Args("sorted", span, (array,), {}, "sorted", node)), node)
    made = expression(ctx, ast.copy_location(ast.Call(node.func, what, node.keywords), node))
    return iteration(ctx, Quoted(node, made))


def _iter(ctx: Lowering, node: ast.Call) -> Iteration | Unrolled | Generated | None:
    if len(node.args) != 1:
        ctx.report(Unsupported(ctx.span(node), "`iter` of a function", "write a `while` loop"))
        return None
    return iteration(ctx, node.args[0])


ITERABLES = {
    "builtins.range": _range,
    "numba.prange": _range,  # `parallel=True` decides about threads, for each loop that is proved to be free of races
    "builtins.reversed": _reversed,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.map": _map,
    "builtins.sorted": _sorted,
    "numpy.ndindex": _ndindex,
    "numpy.ndenumerate": _ndenumerate,
    "builtins.iter": _iter,
}
enter("iterable", ITERABLES)

ITERATIONS.append(iteration)
