"""`linad.build`, `map`, `reduce`, `fold`, `scanl`, `scanr`, `shift1l`, `shift1r` and `sum`: each is lowered as the
Python loop that it abbreviates."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial

from ..arrays.indexing import indexed
from ..arrays.row_arrays import Sizes, functions_of, one_at_least, store_row
from ..arrays.slices import Place, Slice, view_of
from ..arrays.updates import assign_region, region
from ..ir.core import Atom, Check, Const
from ..engine.blocks import assign
from ..engine.closures import closed
from ..engine.entities import callee
from ..engine.evaluation import CALLS, expression, pull, usable
from ..engine.fixpoint import fixpoint
from ..engine.numbers import cast
from ..engine.places import check_same_size, fresh_array, plus, put
from ..engine.quoted import Do, Quoted
from ..engine.refusal import Refused
from ..engine.sizes import AnyArray, dtype_of, is_array, rank_of, shape_of, size_of
from ..engine.state import ONE, ZERO, Ahead, Lowering
from ..engine.values import (
    SILENT, ArrayType, ArrayValue, Binding, EntityValue, Poison, ScalarType, ScalarValue, TupleType, TupleValue, Value,
    ValueType, describe, join_settling, literal, type_of,
)
from ..frozen import frozen
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..registry import enter
from ..names.scope import External
from ..span import Span
from ..types import BOOL, I64, INTS, Scalar
from .comprehensions import added, array_from, carry, run_iteration, targets
from .iterables import RANGES, Iteration, from_zero, iteration


def _at(node: ast.Call, made: ast.expr) -> ast.expr:
    for n in ast.walk(made):
        if not hasattr(n, "lineno"):
            ast.copy_location(n, node)
    return made


def _same_length(ctx: Lowering, node: ast.Call, values: list[Value], name: str) -> None:
    """Refuse arguments that are not arrays, and check at run time that their lengths are equal."""
    span = ctx.span(node)
    for v in values:
        if not is_array(v) or not rank_of(v):
            raise Refused(WrongType(span, f"`{name}` runs over arrays", describe(type_of(v))))
    sizes = [size_of(ctx, v, 0, span) for v in values]
    for k, n in enumerate(sizes[1:], 2):
        check_same_size(
            ctx, n, sizes[0], f"zip() argument {k} has {{0}} elements and argument 1 has {{1}}", (n, sizes[0]), span
        )


def _over(node: ast.Call, values: list[Value]) -> tuple[ast.comprehension, list[ast.expr]]:
    """A joint iteration over several arrays, and their elements as expressions."""
    names = [f"%k{k or ''}" for k in range(len(values))]
    given: list[ast.expr] = [Quoted(node, v) for v in values]
    loads: list[ast.expr] = [ast.Name(n, ast.Load()) for n in names]
    stores: list[ast.expr] = [ast.Name(n, ast.Store()) for n in names]
    if len(values) == 1:
        return ast.comprehension(stores[0], given[0], [], 0), loads
    together = ast.Call(_library(node, "builtins.zip"), given, [])
    return ast.comprehension(ast.Tuple(stores, ast.Store()), together, [], 0), loads


def _library(node: ast.Call, dotted: str) -> Quoted:
    return Quoted(node, EntityValue(External(dotted), dotted.rpartition(".")[2]))


def _apply(ctx: Lowering, node: ast.Call, f: Value, values: list[Value], hint: str) -> Value:
    """``f(*values)``."""
    call = ast.Call(Quoted(node.args[0], f), [Quoted(node, v) for v in values], [])
    return usable(ctx, expression(ctx, ast.copy_location(call, node), hint), "the result", ctx.span(node))


def _over_range(node: ast.Call, values: list[Value]) -> ast.ListComp:
    n, f = values
    over = ast.Call(_library(node, "builtins.range"), [Quoted(node.args[0], n)], [])
    element = ast.Call(Quoted(node.args[1], f), [ast.Name("%k", ast.Load())], [])
    return _at(node, ast.ListComp(element, [ast.comprehension(ast.Name("%k", ast.Store()), over, [], 0)]))


def _build(ctx: Lowering, node: ast.Call, values: list[Value], hint: str) -> Value:
    n, span = values[0], ctx.span(node)
    if not isinstance(n, ScalarValue) or n.dtype not in INTS:
        raise Refused(WrongType(span, "a length is an int", describe(type_of(n)), "convert it: `int(...)`"))
    if not ctx.is_nonneg(n.atom):
        ok = (
            Const(False, BOOL)
            if isinstance(n.atom, Const)
            else ctx.let("ok", "ge", (n.atom, Const(0, n.atom.type)), BOOL, span)
        )
        ctx.emit(Check(ok, "ValueError", "negative dimensions are not allowed", (), span))
    return _collected(ctx, node, _over_range(node, values), hint)


def _sum(ctx: Lowering, node: ast.Call, values: list[Value], hint: str) -> Value:
    return added(ctx, _over_range(node, values), literal(0), ctx.span(node), hint)


def _map(ctx: Lowering, node: ast.Call, values: list[Value], hint: str) -> Value:
    f, *given = values
    _same_length(ctx, node, given, "linad.map")
    part, elements = _over(node, given)
    return _collected(ctx, node, _at(node, ast.ListComp(ast.Call(Quoted(node.args[0], f), elements, []), [part])), hint)


def _collected(ctx: Lowering, node: ast.Call, made: ast.ListComp, hint: str) -> Value:
    """The elements of a comprehension as an array, or as one array per part if they are tuples or records."""
    span, part = ctx.span(node), made.generators[0]
    it = iteration(ctx, part.iter)
    if not isinstance(it, Iteration):
        return array_from(ctx, made, None, hint)
    it = from_zero(ctx, it, span)
    index = ctx.fresh("i", I64, nonneg=True, below=it.stop)

    def body() -> tuple[Value, dict[int, tuple[Atom, ...]]]:
        with targets(ctx, made):
            ctx.bind_all(it.held)
            assign(ctx, part.target, it.element(index), span)
            element = usable(ctx, pull(ctx, made.elt), "the element", span)
            return element, {id(v): shape_of(ctx, v, span) for v in _flat(element) if is_array(v)}

    trial = ctx.attempt(body)  # a trial run, for the types of the elements
    element, shapes = trial.value
    if not isinstance(element, TupleValue):
        if isinstance(element, SILENT):
            ctx.take(trial, emit=False)
        return array_from(ctx, made, None, hint)
    sizes = {key: Sizes(shape, trial.stmts, index, functions_of(ctx)) for key, shape in shapes.items()}
    n = it.stop if ctx.is_nonneg(it.stop) else ctx.let("n", "max", (it.stop, ZERO), I64, span)
    one_at_least(ctx, n, span)
    start, kept, place = ZERO, ctx.pseudo("made", span), []

    def fresh(v: Value) -> Value:
        if isinstance(v, TupleValue):
            return TupleValue(tuple(map(fresh, v.items)), v.record)
        shape = (
            ()
            if isinstance(v, ScalarValue)
            else sizes[id(v)].again(ctx, span)
            if id(v) in sizes
            else shape_of(ctx, v, span)
        )
        return fresh_array(ctx, hint, (n, *shape), dtype_of(v) if is_array(v) else v.dtype, None, span)

    def put() -> None:
        _keep(ctx, ctx.env[kept].value, usable(ctx, pull(ctx, made.elt), "the element", span), place[0], span)

    def at(i: Atom) -> Value:
        place[:] = [i]
        return it.element(i)

    with targets(ctx, made):
        # not known beforehand: take the sizes of the first element
        if not all(s.known(size) for s in sizes.values() for size in s.shape):
            ctx.bind_all(it.held)
            zeroth = ctx.let("i", "add", (ZERO, ZERO), I64, span, nonneg=True)
            assign(ctx, part.target, it.element(zeroth), span)
            element = usable(ctx, pull(ctx, made.elt), "the element", span)
            sizes, start = {}, ONE
        arrays = fresh(element)
        if start == ONE:
            _keep(ctx, arrays, element, ZERO, span)
        ctx.bind(kept, Binding(arrays, span))
        run_iteration(
            ctx, part, Iteration(start, it.stop, ONE, True, at, it.held), [Do(made.elt, put)], frozenset(ctx.env)
        )
    return ctx.unbind(kept).value


def _flat(v: Value) -> Iterator[Value]:
    """The parts of a structure, in order."""
    if isinstance(v, TupleValue):
        for item in v.items:
            yield from _flat(item)
    else:
        yield v


def _fold(ctx: Lowering, node: ast.Call, values: list[Value], hint: str) -> Value:
    f, start, *given = values
    _same_length(ctx, node, given, "linad.fold")
    part, elements = _over(node, given)
    what = _at(node, ast.GeneratorExp(ast.Tuple(elements, ast.Load()), [part]))

    def step(state: Value, v: Value, at: Span) -> Value:  # an array that an iteration updates is lost in the next one
        return _apply(ctx, node, f, [state, *v.items], hint) if isinstance(v, TupleValue) else v

    return carry(ctx, what, start, step, hint)


def _scan(ctx: Lowering, node: ast.Call, values: list[Value], hint: str, right: bool = False) -> Value:
    """The states of a fold after each element, part by part: numbers are collected in arrays, arrays in rows."""
    f, start, *given = values
    span = ctx.span(node)
    _same_length(ctx, node, given, "linad.scanr" if right else "linad.scanl")
    n = size_of(ctx, given[0], 0, span)

    def step(state: Value, elements: list[Value]) -> Value:
        return _apply(ctx, node, f, [*elements, state] if right else [state, *elements], hint)

    element = lambda a: ScalarValue(ctx.fresh("e", Scalar(dtype_of(a)))) if rank_of(a) == 1 else _row(ctx, a, span)

    def run(known: _State) -> tuple[_State, tuple[_State, Ahead[Value]]]:
        trial = ctx.attempt(lambda: step(_wider(ctx, start, known.type, span), [element(a) for a in given]))
        silent = known.type is None or isinstance(trial.value, SILENT)
        return known if silent else _State(_carried(trial.value)), (known, trial)

    known, trial = fixpoint(run, _State(_carried(start)))  # an element may widen the types of the state
    after = trial.value
    if isinstance(after, SILENT):  # keep the reports
        ctx.take(trial, emit=False)
        return Poison()
    if known.type is None:
        raise Refused(
            WrongType(
                span,
                f"a scan carries {describe(type_of(start))} from element to element",
                describe(type_of(after)),
                "give back what is taken",
            )
        )
    found = _wider(ctx, start, known.type, span)
    kept = ctx.pseudo("scan", span)
    ctx.bind(kept, Binding(_rows_for(ctx, start, after, n, hint, span), span))
    last = plus(ctx, n, Const(-1, I64), span)

    def go_on(state: Value, i: Value, at: Span) -> Value:
        k = i.atom if not right else ctx.let("k", "sub", (last, i.atom), I64, span, nonneg=True)
        new = step(state, [indexed(ctx, a, [Place(ScalarValue(k, True), span)], "", span) for a in given])
        _keep(ctx, ctx.env[kept].value, new, k, span)
        return new

    over = ast.Call(_library(node, "builtins.range"), [Quoted(node, ScalarValue(n, True))], [])
    part = ast.comprehension(ast.Name("%k", ast.Store()), over, [], 0)
    carry(ctx, _at(node, ast.GeneratorExp(ast.Name("%k", ast.Load()), [part])), found, go_on, hint)
    return ctx.unbind(kept).value


def _row(ctx: Lowering, a: AnyArray, span: Span) -> Value:
    """A row of an array, used for its type only."""
    index = ctx.fresh("i", I64, nonneg=True)
    return indexed(ctx, a, [Place(ScalarValue(index, True), span)], "", span)


@frozen
class _State:
    """The type of the state of a scan; None if it has no single type."""

    type: ValueType | None

    def join(self, other: _State) -> _State:
        return _State(None if None in (self.type, other.type) else join_settling(self.type, other.type))


def _carried(v: Value) -> ValueType | None:
    """The type of a value as the state of a scan."""
    match v:
        case ScalarValue():
            return type_of(v)
        case TupleValue(items=items, record=record):
            parts = tuple(map(_carried, items))
            return None if None in parts else TupleType(parts, record)
    return ArrayType(dtype_of(v), rank_of(v)) if is_array(v) and rank_of(v) else None


def _wider(ctx: Lowering, v: Value, t: ValueType | None, span: Span) -> Value:
    """The initial state converted to a wider type."""
    match v, t:
        case ScalarValue(), ScalarType(dtype=dtype, weak=weak):
            return ScalarValue(cast(ctx, v.atom, dtype, span), weak)
        case TupleValue(items=items, record=record), TupleType(items=types):
            return TupleValue(tuple(_wider(ctx, x, u, span) for x, u in zip(items, types, strict=True)), record)
    return v


def _rows_for(ctx: Lowering, start: Value, after: Value, n: Atom, hint: str, span: Span) -> Value:
    """The arrays of the states. Arrays in the state keep their initial shapes."""
    match after:
        case TupleValue(items=items, record=record):
            return TupleValue(
                tuple(_rows_for(ctx, x, y, n, hint, span) for x, y in zip(start.items, items, strict=True)), record
            )
        case ScalarValue(dtype=dtype):
            return fresh_array(ctx, hint, (n,), dtype, None, span)
    return fresh_array(ctx, hint, (n, *shape_of(ctx, start, span)), dtype_of(start), None, span)


def _keep(ctx: Lowering, made: Value, state: Value, k: Atom, span: Span) -> None:
    """``made[k] = state``, part by part."""
    match made, state:
        case TupleValue(items=xs), TupleValue(items=ys):
            for x, y in zip(xs, ys, strict=True):
                _keep(ctx, x, y, k, span)
        case ArrayValue(), ScalarValue(atom=atom):
            put(ctx, made, (k,), cast(ctx, atom, made.var.type.dtype, span), span)
        case ArrayValue(), _ if is_array(state):
            for axis, n in enumerate(shape_of(ctx, state, span)):
                check_same_size(
                    ctx,
                    n,
                    ctx.dim(made.var, axis + 1, span),
                    "the state of a scan keeps its shape: {0} is not {1}",
                    (n, ctx.dim(made.var, axis + 1, span)),
                    span,
                )
            store_row(ctx, made, k, state, span)


def _shift(ctx: Lowering, node: ast.Call, values: list[Value], hint: str, right: bool = False) -> Value:
    """The elements shifted by one position, with ``fill`` at the free end."""
    a, fill = values[0], values[1] if len(values) == 2 else literal(0.0)
    span = ctx.span(node)
    _same_length(ctx, node, [a], "linad.shift1r" if right else "linad.shift1l")
    made = fresh_array(ctx, hint, shape_of(ctx, a, span), dtype_of(a), None, span)
    one, end = Const(1, I64), Const(-1, I64)
    head, tail = Slice(None, end, None, span), Slice(one, None, None, span)
    first, rest = Slice(None, one, None, span), Slice(end, None, None, span)
    moved = view_of(ctx, a, [head if right else tail], "", span)
    for part, value in ((tail if right else head, moved), (first if right else rest, fill)):
        where = region(ctx, view_of(ctx, made, [part], "", span), "", span)
        if where is not None:
            assign_region(ctx, where, value, span)
    return made


Lower = Callable[[Lowering, ast.Call, list[Value], str], Value]

COMBINATORS: dict[str, tuple[Lower, int, int | None]] = {
    "linad.build": (_build, 2, 2),
    "linad.sum": (_sum, 2, 2),
    "linad.map": (_map, 2, None),
    "linad.reduce": (_fold, 3, 3),
    "linad.fold": (_fold, 3, None),
    "linad.scanl": (_scan, 3, None),
    "linad.scanr": (partial(_scan, right=True), 3, None),
    "linad.shift1l": (_shift, 1, 2),
    "linad.shift1r": (partial(_shift, right=True), 1, 2),
}


def combine(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """A call of a combinator."""
    lower, least, most = COMBINATORS[dotted]
    fill = [k.value for k in node.keywords if k.arg == "fill" and "shift" in dotted]
    given = [*node.args, *fill]
    starred = any(isinstance(a, ast.Starred) for a in node.args)
    if starred or len(fill) != len(node.keywords) or not least <= len(given) <= (most or 99):
        takes = (
            f"{least} arguments"
            if least == most
            else f"{least} arguments or more"
            if most is None
            else f"{least} or {most} arguments"
        )
        raise Refused(BadCall(ctx.span(node), dotted, f"takes {takes}, by position"))
    for a in given:
        if isinstance(a, ast.Call) and callee(ctx, a.func) in RANGES:
            raise Refused(Unsupported(ctx.span(a), f"a range in `{dotted}`", "write `np.arange(...)`"))
    values = [usable(ctx, expression(ctx, a), "the argument", ctx.span(a)) for a in given]
    if any(isinstance(v, SILENT) for v in values):
        ctx.programs.poisoned |= any(isinstance(v, Poison) for v in values)
        raise Refused(None)

    return lower(ctx, node, [closed(ctx, v, ctx.span(node)) for v in values], hint)


CALLS.update(dict.fromkeys(COMBINATORS, combine))
enter("combinator", COMBINATORS)
