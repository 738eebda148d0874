"""Arrays made inside: constructors, copies and the methods of arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from ..core import Atom, Check, Const, Fill, Store, Var
from ..frozen import frozen
from ..messages.language import BadCall, NoMember, Unsupported
from ..messages.types import WrongType
from ..scope import External
from ..span import Span
from ..types import BOOL, FLOATS, I64, INTS, DType, Scalar
from . import places, shapes
from .axes import item as the_item
from .context import Lowering
from .elementwise import lift
from .externals import DTYPES, Args, call_external, is_known
from .library_names import exists
from .nearby import last_part, meant
from .numbers import cast, promote
from .places import AnyArray, fresh_array, is_array, materialise
from .updates import assign_region, converted, region
from .values import (
    SILENT,
    ArrayValue,
    Delayed,
    DTypeValue,
    EntityValue,
    NoneValue,
    Poison,
    ScalarValue,
    TextValue,
    TupleValue,
    Value,
    arrays,
    describe,
    type_of,
)
from .whence import not_an_int, sizes_differ

_TEXTS: dict[str, DType] = {"float64": "f64", "float32": "f32", "int64": "i64", "int32": "i32", "bool": "bool", "float": "f64", "int": "i64"}


def dtype_of(ctx: Lowering, v: Value, span: Span) -> DType | None:
    """The dtype that an argument ``dtype=v`` means."""
    match v:
        case DTypeValue(dtype=d):
            return d
        case EntityValue(entity=External(dotted=dotted)) if dotted in DTYPES:
            return DTYPES[dotted]
        case TextValue(text=text) if text in _TEXTS:
            return _TEXTS[text]
    if not isinstance(v, SILENT):
        found = repr(v.text) if isinstance(v, TextValue) else describe(type_of(v))
        ctx.report(WrongType(span, "a dtype is float64, float32, int64, int32 or bool", found, _instead_of_dtype(v)))
    return None


def _instead_of_dtype(v: Value) -> str:
    """What was probably meant by what is no dtype."""
    match v:
        case ScalarValue():
            return "a shape of several sizes is one tuple: `np.zeros((m, n))`"
        case EntityValue(entity=External(dotted="builtins.object")):
            return "arrays hold numbers: keep arrays of different sizes in a tuple"
        case EntityValue(entity=External(dotted=dotted)) if "complex" in dotted:
            return "numbers are real: keep real and imaginary parts in two arrays"
        case TextValue(text=text) if "complex" in text:
            return "numbers are real: keep real and imaginary parts in two arrays"
    return "write `dtype=np.float64`, or leave it out"


def shape_of(ctx: Lowering, v: Value, span: Span) -> tuple[Atom, ...] | None:
    """The shape that an int or a tuple of ints means; a negative size raises ValueError."""
    items = v.items if isinstance(v, TupleValue) else (v,)
    atoms: list[Atom] = []
    for item in items:
        if isinstance(item, ScalarValue) and item.dtype in INTS:
            n = cast(ctx, item.atom, "i64", span)
            if not ctx.is_nonneg(n):
                ok = Const(False, BOOL) if isinstance(n, Const) else ctx.let("ok", "ge", (n, Const(0, I64)), BOOL, span)
                ctx.emit(Check(ok, "ValueError", "negative dimensions are not allowed", (), span))
                ctx.not_negative(n)
            atoms.append(n)
        else:
            if not isinstance(item, SILENT):
                not_an_int(ctx, "a shape is an int or a tuple of ints", item, span)
            return None
    if len(atoms) > 4:
        ctx.report(WrongType(span, "an array has at most 4 dimensions", f"a shape of {len(atoms)}"))
        return None
    return tuple(atoms)


def copy(ctx: Lowering, array: AnyArray, hint: str, span: Span, dtype: DType | None = None, in_order: bool = False) -> ArrayValue:
    """A fresh array with the cells of an array of any kind; ``in_order``, NumPy makes it in the order of C whatever it copies."""
    name = next(arrays(array)).name.partition(".")[0] if not isinstance(array, Delayed) else "the expression"
    ctx.fact("copy", name, span, "copied as written")
    return materialise(ctx, array, hint, span, dtype, in_order)


def bind(ctx: Lowering, args: Args, names: tuple[str, ...], needed: int) -> dict[str, Value] | None:
    """The arguments by name; None, with a report, where they do not fit."""
    found = dict(zip(names, args.values, strict=False))
    unknown = [k for k in args.keywords if k not in names or k in found]
    found |= args.keywords
    if unknown or len(args.values) > len(names) or any(n not in found for n in names[:needed]):
        why = f"does not take `{unknown[0]}` here" if unknown else f"takes {', '.join(f'`{n}`' for n in names)}"
        ctx.report(BadCall(args.span, args.name, why))
        return None
    return found


def _filled(value: float) -> Callable[[Lowering, Args], Value]:
    def apply(ctx: Lowering, args: Args) -> Value:
        found = bind(ctx, args, ("shape", "dtype"), 1)
        if found is None:
            return Poison()
        dtype = dtype_of(ctx, found["dtype"], args.span) if "dtype" in found else "f64"
        shape = shape_of(ctx, found["shape"], args.span)
        if dtype is None or shape is None:
            return Poison()
        return fresh_array(ctx, args.hint, shape, dtype, const(value, dtype), args.span, in_order=True)

    return apply


def _int(value: float, dtype: DType) -> Const:
    return Const(bool(value) if dtype == "bool" else int(value), Scalar(dtype))


def const(value: float, dtype: DType) -> Const:
    """A number as a literal of a dtype."""
    return Const(float(value), Scalar(dtype)) if dtype in FLOATS else _int(value, dtype)


def _full(ctx: Lowering, args: Args) -> Value:
    found = bind(ctx, args, ("shape", "fill_value", "dtype"), 2)
    if found is None:
        return Poison()
    fill = found["fill_value"]
    if is_array(fill) and places.rank_of(fill):
        from .written import written

        dtype = found.get("dtype", DTypeValue(places.dtype_of(fill)))
        return written(ctx, args, "made = np.empty(shape, dtype=dtype)\nmade[...] = fill\nmade", shape=found["shape"], fill=fill, dtype=dtype)
    shape = shape_of(ctx, found["shape"], args.span)
    if not isinstance(fill, ScalarValue) or shape is None:
        if not isinstance(fill, (ScalarValue, *SILENT)):
            ctx.report(WrongType(args.span, "an array is filled with a scalar", describe(type_of(fill))))
        return Poison()
    dtype = dtype_of(ctx, found["dtype"], args.span) if "dtype" in found else fill.dtype
    return Poison() if dtype is None else _fill(ctx, args.hint, shape, dtype, fill, args.span, in_order=True)


def _fill(
    ctx: Lowering, hint: str, shape: tuple[Atom, ...], dtype: DType, fill: ScalarValue, span: Span, in_order: bool = False
) -> ArrayValue:
    value = cast(ctx, fill.atom, dtype, span)
    if isinstance(value, Const):
        return fresh_array(ctx, hint, shape, dtype, value, span, in_order)
    made = fresh_array(ctx, hint, shape, dtype, None, span, in_order)
    ctx.emit(Fill(made.var, value, span))
    return made


def _like(value: float | None) -> Callable[[Lowering, Args], Value]:
    def apply(ctx: Lowering, args: Args) -> Value:
        names = ("a", "dtype", "shape") if value is not None else ("a", "fill_value", "dtype", "shape")
        found = bind(ctx, args, names, 1 if value is not None else 2)
        if found is None:
            return Poison()
        model = found["a"]
        if not is_array(model):
            if not isinstance(model, SILENT):
                ctx.report(WrongType(args.span, f"`{args.name}` is of an array", describe(type_of(model))))
            return Poison()
        dtype = dtype_of(ctx, found["dtype"], args.span) if "dtype" in found else places.dtype_of(model)
        if dtype is None:
            return Poison()
        places.made_sure(model)
        shape = shape_of(ctx, found["shape"], args.span) if "shape" in found else places.shape_of(ctx, model, args.span)
        if shape is None:
            return Poison()
        if value is not None:
            return fresh_array(ctx, args.hint, shape, dtype, const(value, dtype), args.span)
        fill = found["fill_value"]
        if not isinstance(fill, ScalarValue):
            if not isinstance(fill, SILENT):
                ctx.report(WrongType(args.span, "an array is filled with a scalar", describe(type_of(fill))))
            return Poison()
        return _fill(ctx, args.hint, shape, dtype, fill, args.span)

    return apply


def _copy(ctx: Lowering, args: Args) -> Value:
    match args.values:
        case (v,) if not args.keywords and is_array(v):
            return copy(ctx, v, args.hint, args.span)
        case (v,) if isinstance(v, SILENT):
            return Poison()
    ctx.report(BadCall(args.span, args.name, "takes one array"))
    return Poison()


# -- arrays of literals: their argument is a list, which is not a value


def array_of(ctx: Lowering, node: ast.Call, name: str, hint: str) -> Value:
    """``np.array([...])``, of nested lists of scalars, or a copy of an array."""
    from .expressions import expression

    span = ctx.span(node)
    dtype: DType | None = None
    wanted = [k.value for k in node.keywords if k.arg == "dtype"] + node.args[1:2]
    if not node.args or len(node.args) > 2 or len(wanted) != len(node.keywords) + len(node.args) - 1:
        ctx.report(BadCall(span, name, "takes a list of scalars and a dtype"))
        return Poison()
    what = node.args[0]
    if wanted:
        dtype = dtype_of(ctx, expression(ctx, wanted[0]), span)
        if dtype is None:
            return Poison()
    if isinstance(what, (ast.ListComp, ast.GeneratorExp)):
        from .comprehensions import array_from

        return array_from(ctx, what, dtype, hint)
    cells: list[ScalarValue] = []
    return _made(ctx, _collect(ctx, what, cells), cells, dtype, hint, span, name)


def array_of_values(ctx: Lowering, value: Value, dtype: DType | None, hint: str, span: Span) -> Value:
    """The array of evaluated scalars in nested tuples."""
    cells: list[ScalarValue] = []
    return _made(ctx, _collect_value(ctx, value, cells, span), cells, dtype, hint, span, "np.array")


def row_of(ctx: Lowering, node: ast.expr) -> Value:
    """A part of a list that NumPy makes an array of: lists, tuples and comprehensions in it are arrays themselves."""
    from .comprehensions import array_from
    from .expressions import pull

    match node:
        case ast.ListComp():
            return array_from(ctx, node, None, "row")
        case ast.List() | ast.Tuple():
            cells: list[ScalarValue] = []
            return _made(ctx, _collect(ctx, node, cells), cells, None, "row", ctx.span(node), "np.array")
    value = pull(ctx, node)
    return array_of_values(ctx, value, None, "row", ctx.span(node)) if isinstance(value, TupleValue) else value


@frozen
class Stacked:
    """A new array, made of the arrays of a list."""

    array: ArrayValue


def _made(ctx: Lowering, shape, cells: list[ScalarValue], dtype: DType | None, hint: str, span: Span, name: str) -> Value:
    if isinstance(shape, Stacked):
        return shape.array if dtype in (None, places.dtype_of(shape.array)) else materialise(ctx, shape.array, hint, span, dtype)
    if is_array(shape):
        same = dtype in (None, places.dtype_of(shape))
        return shape if name.endswith("asarray") and same else copy(ctx, shape, hint, span, dtype)
    if shape is None:
        return Poison()
    if dtype is None:
        dtype = _common(cells)
    made = fresh_array(ctx, hint, tuple(Const(n, I64) for n in shape), dtype, None if cells else const(0, dtype), span)
    for k, value in enumerate(cells):
        ctx.emit(Store(made.var, tuple(Const(i, I64) for i in _position(k, shape)), cast(ctx, value.atom, dtype, span), False, span))
    return made


def _common(cells: list[ScalarValue]) -> DType:
    if not cells:
        return "f64"
    best = cells[0]
    for v in cells[1:]:
        dtype, weak = promote(ScalarValue(best.atom), ScalarValue(v.atom))
        best = ScalarValue(Const(0, Scalar(dtype)), weak)
    return best.dtype


def _position(k: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    out = []
    for n in reversed(shape):
        k, r = divmod(k, n)
        out.append(r)
    return tuple(reversed(out))


def _collect(ctx: Lowering, node: ast.expr, cells: list[ScalarValue]) -> tuple[int, ...] | ArrayValue | Stacked | None:
    """The scalars of nested lists in order and the shape they form; an array stands for itself."""
    from .expressions import expression

    if not isinstance(node, (ast.List, ast.Tuple)):
        value = expression(ctx, node)
        return _collect_value(ctx, value, cells, ctx.span(node))
    shapes = [_collect(ctx, e, cells) for e in node.elts]
    return _stack(ctx, shapes, ctx.span(node))


def _collect_value(ctx: Lowering, v: Value, cells: list[ScalarValue], span: Span):
    match v:
        case ScalarValue():
            cells.append(v)
            return ()
        case TupleValue(items=items):
            return _stack(ctx, [_collect_value(ctx, x, cells, span) for x in items], span)
        case _ if is_array(v):
            return v
        case _ if not isinstance(v, SILENT):
            ctx.report(WrongType(span, "an array is made of scalars", describe(type_of(v))))
    return None


def _stack(ctx: Lowering, shapes: list, span: Span) -> tuple[int, ...] | Stacked | None:
    if any(s is None for s in shapes):
        return None
    if any(is_array(s) or isinstance(s, Stacked) for s in shapes):
        from .joining import stack_of_values

        made = stack_of_values(ctx, [s.array if isinstance(s, Stacked) else s for s in shapes], None, "stack", span)
        return Stacked(made) if is_array(made) else None
    if len(set(shapes)) > 1:
        sizes_differ(ctx, span, "the rows of this array have different lengths")
        return None
    if len(shapes[0] if shapes else ()) == 4:
        ctx.report(WrongType(span, "an array has at most 4 dimensions", "more of them"))
        return None
    return (len(shapes), *(shapes[0] if shapes else ()))


# -- methods

METHODS = {
    name: f"numpy.{name}"
    for name in ["sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax", "cumsum", "cumprod", "dot", "trace", "any", "all", "clip", "ravel", "round", "repeat", "squeeze", "swapaxes", "argsort", "searchsorted", "diagonal", "nonzero", "take"]
} | {"flatten": "numpy.ravel"}
_OF_NUMPY = {  # that the language does not have
    "tolist": "keep the array",
    "tofile": "write the file outside the function",
    "tobytes": "keep the array",
    "view": "the bits of a float are no number to differentiate: convert with `.astype(...)`",
    "resize": "make an array of the new size and store the cells: `b = np.zeros(n)`, `b[:k] = a[:k]`",
    "partition": "sort it: `.sort()`",
    "dump": "write the file outside the function",
    "setflags": "every array that the function makes can be written to",
}


def method(ctx: Lowering, array: AnyArray, name: str, args: Args, by: str) -> Value:
    """``array.name(...)``."""
    rule = OWN.get(name)
    if rule is not None:
        return rule(ctx, array, args, by)
    dotted = METHODS.get(name)
    if dotted is not None and is_known(dotted):
        return call_external(ctx, dotted, replace(args, values=(array, *args.values)))
    called = args.node.func if isinstance(args.node, ast.Call) else None
    place = args.span if called is None else ctx.span(called)
    if name in _OF_NUMPY:
        ctx.report(Unsupported(place, f"the method `.{name}` of an array", _OF_NUMPY[name]))
        return Poison()
    close = () if exists(f"numpy.ndarray.{name}") else meant(name, (*OWN, *METHODS), 0.6)
    at = last_part(place, ast.unparse(called)) if called is not None and close else None
    other = f"write the function of NumPy: `np.{name}(...)`" if is_known(f"numpy.{name}") else "write a loop over the cells"
    ctx.report(NoMember(place, f"an array has no method `.{name}`", tuple(f".{n}" for n in close), at, other))
    return Poison()


def _method_copy(ctx: Lowering, array: AnyArray, args: Args, by: str) -> Value:
    return copy(ctx, array, args.hint, args.span, in_order=True) if bind(ctx, args, ("order",), 0) is not None else Poison()


def _method_fill(ctx: Lowering, array: AnyArray, args: Args, by: str) -> Value:
    found = bind(ctx, args, ("value",), 1)
    where = None if found is None else region(ctx, array, by, args.span)
    if where is not None:
        assign_region(ctx, where, found["value"], args.span)
    return NoneValue()


def _method_astype(ctx: Lowering, array: AnyArray, args: Args, by: str) -> Value:
    found = bind(ctx, args, ("dtype", "order", "casting", "subok", "copy"), 1)
    dtype = None if found is None else dtype_of(ctx, found["dtype"], args.span)
    if dtype is None:
        return Poison()
    extra = set(found) - {"dtype", "copy"}
    if extra:
        ctx.report(BadCall(args.span, args.name, f"does not take `{min(extra)}` here"))
        return Poison()
    if found.get("copy") == ScalarValue(Const(False, BOOL), True) and dtype == places.dtype_of(array):
        return array
    return lift(ctx, (array,), lambda v: converted(ctx, v[0], dtype, args.span), args.span, args.hint)


def _method_sort(ctx: Lowering, array: AnyArray, args: Args, by: str) -> Value:
    from .sorting import sort_method

    return sort_method(ctx, array, args, by)


OWN: dict[str, Callable[[Lowering, AnyArray, Args, str], Value]] = {
    "copy": _method_copy,
    "conj": lambda ctx, array, args, by: array,
    "fill": _method_fill,
    "astype": _method_astype,
    "item": lambda ctx, array, args, by: the_item(ctx, array, args),
    "sort": _method_sort,
    "transpose": shapes.transpose_method,
    "reshape": shapes.reshape_method,
}


RULES: dict[str, Callable[[Lowering, Args], Value]] = {
    "numpy.zeros": _filled(0.0),
    "numpy.empty": _filled(0.0),  # what it holds is not specified; zeros are as good as anything and never garbage
    "numpy.ones": _filled(1.0),
    "numpy.full": _full,
    "numpy.zeros_like": _like(0.0),
    "numpy.empty_like": _like(0.0),
    "numpy.ones_like": _like(1.0),
    "numpy.full_like": _like(None),
    "numpy.copy": _copy,
    "numpy.array": _copy,  # calls are lowered by `array_of`
    "numpy.asarray": _copy,
}
LITERALS = ("numpy.array", "numpy.asarray")
