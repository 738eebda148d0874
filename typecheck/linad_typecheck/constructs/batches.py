"""`linad.vmap(f, in_axes, out_axes)(x, w)`: a loop that calls ``f`` for each index of the batch axis.

**Transformation** A map over an axis of the arguments, lowered as a loop whose results are stacked. **Before / after**
``y = linad.vmap(f)(x)`` becomes ``y = np.empty((len(x), ...)); for k in range(len(x)): y[k] = f(x[k])``.

The slices are views and the function is inlined, so that loop passes and differentiation see an ordinary loop nest.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..arrays.indexing import indexed
from ..arrays.row_arrays import Sizes, functions_of, store_row
from ..arrays.shapes import transposed
from ..arrays.slices import Place, Slice
from ..activity import depending
from ..ir.core import Atom, Block, Call, Check, Const, Program, Var, walk
from ..engine.closures import closed
from ..engine.evaluation import CALLS, expression, usable
from ..engine.numbers import cast
from ..engine.places import check_same_size, fresh_array, materialise, put
from ..engine.quoted import Do, Quoted
from ..engine.refusal import Refused
from ..engine.sizes import dtype_of, is_array, rank_of, shape_of, size_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import (
    SILENT, ArrayValue, Axes, AxesByKey, Binding, DerivativeValue, NoneValue, Poison, ScalarValue, Transform,
    TupleValue, Value, arrays, contains, describe, leaves, type_of,
)
from ..frozen import frozen
from ..messages.language import BadCall, Unsupported
from ..registry import enter
from ..span import Span
from ..types import BOOL, I64, MAX_RANK
from .arguments import bound_arguments, has_default
from .comprehensions import run_iteration, targets
from .derivatives import BATCHES, function_of, in_directions, source_of
from .iterables import Iteration

OPTIONS = ("in_axes", "out_axes", "axis_size")


class _Unfit(Exception):
    """Axes that do not fit a value. The caller reports it."""


@frozen
class _Given:
    """An argument of a call, and the axis of each of its arrays: an int or None for an array, a tuple for a tuple."""

    value: Value
    axes: Axes
    name: str
    keyword: bool = False


# -------------------------------------------------------------------------------------------------------------- options


def transform(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """``linad.vmap(f, in_axes=0, out_axes=0)``: a function."""
    function = function_of(ctx, node, any_number=True)
    given = dict(zip(OPTIONS, node.args[1:])) | {k.arg: k.value for k in node.keywords}
    if len(node.args) + len(node.keywords) > 1 + len(given) or set(given) - set(OPTIONS):
        raise Refused(BadCall(ctx.span(node), dotted, "takes a function, `in_axes`, `out_axes` and `axis_size`"))
    try:
        size = _size(expression(ctx, given.pop("axis_size"))) if "axis_size" in given else None
        axes = {option: _axes(option, expression(ctx, n)) for option, n in given.items()}
    except _Unfit as e:
        raise Refused(BadCall(ctx.span(node), dotted, str(e)))
    return DerivativeValue(Transform("vmap", **axes, axis_size=size), function)


def _size(v: Value) -> int | None:
    match v:
        case ScalarValue(atom=Const(value=int() as size), dtype="i64") if size >= 0:
            return size
        case NoneValue():
            return None
    told = "an int that is not negative, known when the function is compiled"
    raise _Unfit(f"takes for `axis_size` {told}; this is {describe(type_of(v))}")


def _axes(option: str, v: Value) -> Axes:
    """The axes given by an option."""
    match v:
        case ScalarValue(atom=Const(value=int() as axis), dtype="i64"):
            return axis
        case NoneValue():
            return None
        case TupleValue(items=items, mapping=True, record=record):
            return AxesByKey(record.names, tuple(_axes(option, x) for x in items))
        case TupleValue(items=items):
            return tuple(_axes(option, x) for x in items)
    told = "an int, None, or a tuple or dict of such, known when the function is compiled"
    raise _Unfit(f"takes for `{option}` {told}; this is {describe(type_of(v))}")


# ---------------------------------------------------------------------------------------------------------------- calls


def call_batched(ctx: Lowering, node: ast.Call, d: DerivativeValue, hint: str) -> Value:
    """A call of the result of `vmap`."""
    span, source = ctx.span(node), source_of(d.function)
    bound = bound_arguments(ctx, node, source)
    values = {n: closed(ctx, usable(ctx, a.value, a.name or "the argument", a.span), a.span) for n, a in bound.items()}
    if any(contains(v, SILENT) for v in values.values()):
        ctx.programs.poisoned |= any(contains(v, Poison) for v in values.values())
        raise Refused(None)
    try:
        given = _given(d, values, sum(not isinstance(a, ast.Starred) for a in node.args))
        mapped = [m for g in given for m in _mapped(g.value, g.axes, g.name)]
        n = _length(ctx, mapped, d.transform.axis_size, span)
        return _Batch(ctx, node, closed(ctx, d.function, span), given, n, hint).stacked(d.transform.out_axes)
    except _Unfit as e:
        raise Refused(BadCall(span, f"vmap of {source.name}", str(e)))


def _given(d: DerivativeValue, values: dict[str, Value], count: int) -> list[_Given]:
    """The arguments with their axes. Keyword arguments come last.

    ``count``: how many the call gives by position. Arguments without an entry in ``in_axes`` are given by name, and are
    mapped over axis 0.
    """
    source, axes = source_of(d.function), d.transform.in_axes
    spec = source.node.args
    by_position = [(n, values[n], has_default(source, n)) for n in (a.arg for a in (*spec.posonlyargs, *spec.args))]
    if spec.vararg:
        by_position += [(f"*{spec.vararg.arg}", v, False) for v in values[spec.vararg.arg].items]
    if isinstance(axes, AxesByKey):
        raise _Unfit("has a dict of `in_axes`, which is for one argument: write `({...},)`, an entry for each argument")
    if isinstance(axes, tuple) and not count <= len(axes) <= len(by_position):
        told = f"has {len(by_position)} parameters by position, and `in_axes` {len(axes)} entries"
        raise _Unfit(told)
    every = axes if isinstance(axes, tuple) else (axes,) * len(by_position)
    optional = not isinstance(axes, tuple)
    found = [_Given(v, _aligned(v, a, n, optional and o), n) for (n, v, o), a in zip(by_position, every)]
    for n, v, o in by_position[len(every) :]:  # by name
        found.append(_Given(v, _aligned(v, 0, n, o), n, True))
    for n in (a.arg for a in spec.kwonlyargs):
        found.append(_Given(values[n], _aligned(values[n], 0, n, has_default(source, n)), n, True))
    if spec.kwarg:
        more = values[spec.kwarg.arg]
        named = zip(more.record.names, more.items, strict=True)
        found += [_Given(v, _aligned(v, 0, n, False), n, True) for n, v in named]
    return found


def _aligned(v: Value, axes: Axes, name: str, optional: bool) -> Axes:
    """The axis of each array of an argument. With ``optional``, a number has no axis, because it may be a default."""
    if isinstance(v, TupleValue) and axes is not None:
        every = _per_part(v, axes, "in_axes", f"the {len(v.items)} parts of `{name}`")
        return tuple(_aligned(x, a, name, optional) for x, a in zip(v.items, every, strict=True))
    if isinstance(axes, tuple | AxesByKey):
        raise _Unfit(f"has a {_kind(axes)} of `in_axes` for `{name}`, which is {described(v)}")
    if axes is None or not (is_array(v) or isinstance(v, ScalarValue)):
        return None
    if is_array(v) and -rank_of(v) <= axes < rank_of(v):
        return axes % rank_of(v)
    if optional and not is_array(v):
        return None
    told = f"maps over axis {axes} of `{name}`, which is {described(v)}"
    raise _Unfit(f"{told}; None in `in_axes` stands for arguments that stay as they are")


def _per_part(v: TupleValue, axes: Axes, option: str, parts: str) -> tuple[Axes, ...]:
    """The axes of each part of a structure."""
    match axes:
        case AxesByKey(keys=keys, axes=every):
            if not v.mapping:
                raise _Unfit(f"has a dict of `{option}` for {parts}, which are in {described(v)}")
            if set(keys) != set(v.record.names):
                raise _Unfit(f"has the keys {', '.join(keys)} in `{option}` for {parts}, {', '.join(v.record.names)}")
            return tuple(every[keys.index(n)] for n in v.record.names)
        case tuple():
            if len(axes) != len(v.items):
                raise _Unfit(f"has {len(axes)} entries of `{option}` for {parts}")
            return axes
    return (axes,) * len(v.items)


def _kind(axes: Axes) -> str:
    return "tuple" if isinstance(axes, tuple) else "dict"


def described(v: Value) -> str:
    return describe(type_of(v))


def _mapped(v: Value, axes: Axes, name: str) -> Iterator[tuple[Value, int, str]]:
    """The arrays that are mapped over, their axes, and the arguments that contain them."""
    if isinstance(v, TupleValue) and isinstance(axes, tuple):
        for x, a in zip(v.items, axes, strict=True):
            yield from _mapped(x, a, name)
    elif isinstance(axes, int):
        yield v, axes, name


def _length(ctx: Lowering, mapped: list[tuple[Value, int, str]], size: int | None, span: Span) -> Atom:
    """The size of the batch axis. A check at run time ensures that all arrays agree on it."""
    if not mapped and size is None:
        raise _Unfit("maps over no argument: one entry of `in_axes` is an int, or `axis_size` is given")
    given = [] if size is None else [(Const(size, I64), "`axis_size`")]
    first, *others = *given, *((size_of(ctx, v, axis, span), f"axis {axis} of `{name}`") for v, axis, name in mapped)
    for n, what in others:
        told = f"vmap: {first[1]} has size {{0}} and {what} size {{1}}, which are mapped over together"
        if given:
            told = f"vmap: {first[1]} is {{0}}, and {what} has size {{1}}"
        check_same_size(ctx, n, first[0], told, (first[0], n), span)
    return first[0]


@frozen(eq=False, repr=False)
class _Batch:
    """A batched call: the function, the arguments of all its calls, and their number."""

    ctx: Lowering
    node: ast.Call
    function: Value
    given: list[_Given]
    count: Atom
    hint: str

    def element(self, k: Atom) -> Value:
        """The result of the call for one index."""
        node = self.node
        picked = [(g, Quoted(node, self.picked(g.value, g.axes, k))) for g in self.given]
        keywords = [ast.keyword(g.name, v) for g, v in picked if g.keyword]
        call = ast.Call(Quoted(node, self.function), [v for g, v in picked if not g.keyword], keywords)
        return usable(self.ctx, expression(self.ctx, ast.copy_location(call, node), self.hint), "the result", self.span)

    @property
    def span(self) -> Span:
        return self.ctx.span(self.node)

    def picked(self, v: Value, axes: Axes, k: Atom) -> Value:
        """An argument of the call for one index."""
        if isinstance(axes, tuple):
            return TupleValue(tuple(self.picked(x, a, k) for x, a in zip(v.items, axes, strict=True)), v.record)
        if axes is None:
            return v
        whole = Slice(None, None, None, self.span)
        return indexed(self.ctx, v, [*[whole] * axes, Place(ScalarValue(k, True), self.span)], "", self.span)

    def stacked(self, out_axes: Axes) -> Value:
        """The results of all calls, stacked."""
        ctx, span = self.ctx, self.span
        index = ctx.fresh("i", I64, nonneg=True, below=self.count)

        def look() -> tuple[Value, dict[int, tuple[Atom, ...]], Axes, Value]:
            found = self.element(index)
            shapes = {id(v): shape_of(ctx, v, span) for v in _leaves(found) if is_array(v)}
            axes = out_axes if isinstance(found, SILENT) else self.spread(found, out_axes)
            return found, shapes, axes, self.shared(found, axes)

        trial = ctx.attempt(look)  # a trial run, for the types of the results
        like, shapes, axes, shared = trial.value
        if isinstance(like, SILENT):
            ctx.take(trial, emit=False)  # keeps its reports
            return Poison()
        self.require(like, Block(trial.stmts))
        shared = self.alone(shared, axes, Block(trial.stmts), index)
        if shared is not None and not any(isinstance(a, int) for a in _flat(axes)):
            return shared
        if shared is None:
            every = [(g.value, g.axes) for g in self.given]
            made = in_directions(ctx, self.node, self.function, every, self.count, self.hint)
            if made is not None:
                return made if isinstance(made, SILENT) else self.moved(made, axes, None)
        sizes = {key: Sizes(shape, trial.stmts, index, functions_of(ctx)) for key, shape in shapes.items()}
        start = ZERO
        if not all(s.known() for s in sizes.values()):  # not known beforehand: take the sizes of the first result
            some = ctx.let("ok", "gt", (self.count, ZERO), BOOL, span)
            told = "vmap: sizes of results are known only at the first place, and there is none"
            ctx.emit(Check(some, "ValueError", told, (), span))
            like = self.element(ctx.let("i", "add", (ZERO, ZERO), I64, span, nonneg=True))
            start = ONE
        made = self.room(like, axes, sizes if start == ZERO else {})
        if start == ONE:
            self.keep(made, like, ZERO)
        kept, place = ctx.pseudo("batch", span), []
        ctx.bind(kept, Binding(made, span))

        def at(i: Atom) -> Value:
            place[:] = [i]
            return ScalarValue(i, True)

        part = ast.comprehension(ast.Name("%k", ast.Store()), self.node, [], 0)
        ast.copy_location(part.target, self.node)
        one = ast.copy_location(ast.ListComp(self.node, [part]), self.node)
        with targets(ctx, one):
            each = Do(self.node, lambda: self.keep(ctx.env[kept].value, self.element(place[0]), place[0]))
            run_iteration(ctx, part, Iteration(start, self.count, ONE, True, at), [each], frozenset(ctx.env))
        return self.moved(ctx.unbind(kept).value, axes, shared)

    def spread(self, like: Value, axes: Axes) -> Axes:
        """The batch axis of each part of a result."""
        if isinstance(like, TupleValue):
            every = _per_part(like, axes, "out_axes", f"{len(like.items)} results")
            return tuple(self.spread(x, a) for x, a in zip(like.items, every, strict=True))
        if isinstance(axes, tuple | AxesByKey) and not isinstance(like, NoneValue):
            raise _Unfit(f"has a {_kind(axes)} of `out_axes` for one result")
        rank = (rank_of(like) if is_array(like) else 0) + 1
        if isinstance(axes, int) and not isinstance(like, NoneValue) and not -rank <= axes < rank:
            raise _Unfit(f"puts the results along axis {axes} of an array of rank {rank}")
        return axes

    def shared(self, v: Value, axes: Axes) -> Value:
        """The parts of a result that are the same for all indices, those without an axis; None for other parts."""
        if isinstance(v, TupleValue) and isinstance(axes, tuple):
            return TupleValue(tuple(self.shared(x, a) for x, a in zip(v.items, axes, strict=True)), v.record)
        if axes is not None:
            return NoneValue()
        return materialise(self.ctx, v, self.hint, self.span) if is_array(v) else v

    def alone(self, trial: Value, axes: Axes, body: Block, index: Var) -> Value | None:
        """The parts of the results without an axis, computed before the loop; None if there are none. Refuse them if
        they depend on the index."""
        ctx, span = self.ctx, self.span
        if all(a is not None for a in _flat(axes)):
            return None
        atoms = tuple(a for v in _leaves(trial) for a in leaves(v))
        programs = ctx.programs
        program = Program(ctx.source.name, programs.functions(), programs.derivatives())
        if any(depending(program, index, Block(body.stmts, atoms))):
            raise _Unfit("has None in `out_axes` for a result that differs along the batch: give it an axis")
        some = ctx.let("ok", "gt", (self.count, ZERO), BOOL, span)
        ctx.emit(Check(some, "ValueError", "vmap: a result with None in `out_axes`, of no place", (), span))
        return self.shared(self.element(ctx.let("i", "add", (ZERO, ZERO), I64, span, nonneg=True)), axes)

    def require(self, like: Value, body: Block) -> None:
        """Refuse results that cannot be stacked, and functions that update their arguments."""
        for v in _leaves(like):
            if not isinstance(v, (ScalarValue, NoneValue)) and not is_array(v):
                raise _Unfit(f"stacks numbers and arrays, and the function returns {described(v)}")
            if is_array(v) and rank_of(v) == MAX_RANK:
                raise _Unfit(f"gives an array of rank {MAX_RANK + 1}: an array has at most {MAX_RANK} dimensions")
        if not any(is_array(v) or isinstance(v, ScalarValue) for v in _leaves(like)):
            raise _Unfit("is of a function that returns a number or an array at least")
        held = {a.name for g in self.given for a in arrays(g.value)}
        by_name = {s.name: s for s in self.ctx.programs.specs.values()}
        for s in walk(body):
            if isinstance(s, Call) and s.callee in by_name:
                spec = by_name[s.callee]
                for k, (a, mode) in enumerate(zip(s.args, spec.modes, strict=False)):
                    writes = mode in ("acc", "mut") or (mode == "own" and spec.writes(k))
                    if writes and isinstance(a, Var) and a.name in held:
                        told = f"`vmap` of `{spec.source.name}`, which updates an argument,"
                        self.ctx.report(Unsupported(self.span, told, "let it work on a copy"))
                        return

    def room(self, like: Value, axes: Axes, sizes: dict[int, Sizes]) -> Value:
        """Allocate the arrays of the results that have a batch axis."""
        ctx, span = self.ctx, self.span
        match like:
            case TupleValue(items=items, record=record):
                return TupleValue(tuple(self.room(x, a, sizes) for x, a in zip(items, axes, strict=True)), record)
            case _ if isinstance(like, NoneValue) or axes is None:
                return NoneValue()
            case ScalarValue(dtype=dtype):
                return fresh_array(ctx, self.hint, (self.count,), dtype, None, span)
        shape = sizes[id(like)].again(ctx, span) if id(like) in sizes else shape_of(ctx, like, span)
        return fresh_array(ctx, self.hint, (self.count, *shape), dtype_of(like), None, span)

    def keep(self, made: Value, result: Value, k: Atom) -> None:
        """``made[k] = result``, part by part."""
        ctx, span = self.ctx, self.span
        match made, result:
            case TupleValue(items=xs), TupleValue(items=ys):
                for x, y in zip(xs, ys, strict=True):
                    self.keep(x, y, k)
            case ArrayValue(), ScalarValue(atom=atom):
                put(ctx, made, (k,), cast(ctx, atom, made.var.type.dtype, span), span)
            case ArrayValue(), _ if is_array(result):
                for axis, n in enumerate(shape_of(ctx, result, span)):
                    m = ctx.dim(made.var, axis + 1, span)
                    check_same_size(ctx, n, m, "vmap: results have sizes {0} and {1}, and are stacked", (m, n), span)
                store_row(ctx, made, k, result, span)

    def moved(self, made: Value, axes: Axes, shared: Value | None) -> Value:
        """The stacked results with the batch axis moved to its place, and those that have none."""
        match made:
            case TupleValue(items=items, record=record):
                others = (None,) * len(items) if shared is None else shared.items
                every = zip(items, axes, others, strict=True)
                return TupleValue(tuple(self.moved(x, a, other) for x, a, other in every), record)
            case ArrayValue(var=var):
                order = list(range(1, var.type.rank))
                order.insert(axes % var.type.rank, 0)
                return transposed(self.ctx, made, order, self.span) if axes % var.type.rank else made
        return made if shared is None else shared


def _flat(axes: Axes) -> list[Axes]:
    return [a for x in axes for a in _flat(x)] if isinstance(axes, tuple) else [axes]


def _leaves(v: Value) -> Iterator[Value]:
    """The parts of a structure, in order."""
    if isinstance(v, TupleValue):
        for item in v.items:
            yield from _leaves(item)
    else:
        yield v


CALLS["linad.vmap"] = transform
BATCHES["vmap"] = call_batched
enter("derivative", ("linad.vmap",))
