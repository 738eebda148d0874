"""Array constructors, copies, and the methods of arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from ..advice.did_you_mean import last_part, meant
from ..advice.library_names import exists
from ..arrays import shapes
from ..arrays.arguments import dtype_of, shape_of
from ..arrays.axes import item as the_item
from ..arrays.from_parts import const, copy
from ..arrays.updates import assign_region, converted, region
from ..arrays.indexing import indexed
from ..arrays.operands import bound, choice
from ..arrays.slices import Place
from ..ir.core import Atom, Const, Fill
from ..engine import places
from ..engine.complexes import as_complex
from ..engine.elementwise import lift
from ..engine.growing import from_array
from ..engine.numbers import as_python_number
from ..engine.places import fresh_array
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import AnyArray, is_array
from ..engine.state import Lowering
from ..engine.values import (
    SILENT, ArrayValue, DTypeValue, NoneValue, ScalarValue, TextValue, Value, describe, literal, type_of,
)
from ..engine.snippets import snippet_value
from ..messages.language import BadCall, NoMember, Unsupported
from ..messages.types import WrongType
from ..registry import enter, is_known
from ..span import Span
from ..types import BOOL, PYTHONS, DType
from .complexes import complex_dtype
from .externals import call_external
from .sorting import sort_method


def _filled(value: float) -> Callable[[Lowering, Args], Value]:
    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, "dtype order")
        dtype = dtype_of(ctx, found["dtype"], args.span) if "dtype" in found else "f64"
        shape = shape_of(ctx, found["shape"], args.span)
        in_order = _in_order(ctx, found, len(shape), args.span)
        return fresh_array(ctx, args.hint, shape, dtype, const(value, dtype), args.span, in_order)

    return apply


def _in_order(ctx: Lowering, found: dict[str, Value], rank: int, span: Span) -> bool:
    """Whether a new array is in C order. One in Fortran's order has the same cells, but its reshapes are copies."""
    in_order = choice(ctx, found.get("order"), ("C", "F"), "`order`", span) == "C" or rank < 2
    ctx.programs.permuted |= not in_order
    return in_order


def _full(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, "dtype order")
    fill = found["fill_value"]
    if is_array(fill) and places.rank_of(fill):
        dtype = found.get("dtype", DTypeValue(places.dtype_of(fill)))
        return snippet_value(
            ctx,
            args,
            "made = np.empty(shape, dtype=dtype, order=order)\nmade[...] = fill\nmade",
            shape=found["shape"],
            fill=fill,
            dtype=dtype,
            order=found.get("order", TextValue("C")),
        )
    if is_array(fill):
        fill = places.read(ctx, fill, (), args.span)
    shape = shape_of(ctx, found["shape"], args.span)
    if not isinstance(fill, ScalarValue):
        if not isinstance(fill, (ScalarValue, *SILENT)):
            raise Refused(WrongType(args.span, "an array is filled with a scalar", describe(type_of(fill))))
        raise Refused(None)
    dtype = dtype_of(ctx, found["dtype"], args.span) if "dtype" in found else fill.dtype
    return _fill(ctx, args.hint, shape, dtype, fill, args.span, _in_order(ctx, found, len(shape), args.span))


def _fill(
    ctx: Lowering,
    hint: str,
    shape: tuple[Atom, ...],
    dtype: DType,
    fill: ScalarValue,
    span: Span,
    in_order: bool = False,
) -> ArrayValue:
    value = converted(ctx, fill, dtype, span).atom
    if isinstance(value, Const):
        return fresh_array(ctx, hint, shape, dtype, value, span, in_order)
    made = fresh_array(ctx, hint, shape, dtype, None, span, in_order)
    ctx.emit(Fill(made.var, value, span))
    return made


def _like(value: float | None) -> Callable[[Lowering, Args], Value]:
    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, "dtype shape")
        model = next(iter(found.values()))
        if isinstance(model, ScalarValue):
            model = shapes.rank_zero(model)
        if not is_array(model):
            if not isinstance(model, SILENT):
                raise Refused(WrongType(args.span, f"`{args.name}` is of an array", describe(type_of(model))))
            raise Refused(None)
        dtype = dtype_of(ctx, found["dtype"], args.span) if "dtype" in found else places.dtype_of(model)
        places.run_checks(model)
        shape = shape_of(ctx, found["shape"], args.span) if "shape" in found else places.shape_of(ctx, model, args.span)
        if value is not None:
            return fresh_array(ctx, args.hint, shape, dtype, const(value, dtype), args.span)
        fill = found["fill_value"]
        if not isinstance(fill, ScalarValue):
            if not isinstance(fill, SILENT):
                raise Refused(WrongType(args.span, "an array is filled with a scalar", describe(type_of(fill))))
            raise Refused(None)
        return _fill(ctx, args.hint, shape, dtype, fill, args.span)

    return apply


def _copy(ctx: Lowering, args: Args) -> Value:
    match args.values:
        case (v,) if not args.keywords and is_array(v):
            return copy(ctx, v, args.hint, args.span)
        case (v,) if isinstance(v, SILENT):
            raise Refused(None)
    raise Refused(BadCall(args.span, args.name, "takes one array"))


# -- methods

METHODS = {
    name: f"numpy.{name}"
    for name in [
        "sum",
        "prod",
        "mean",
        "var",
        "std",
        "min",
        "max",
        "argmin",
        "argmax",
        "cumsum",
        "cumprod",
        "dot",
        "trace",
        "any",
        "all",
        "clip",
        "ravel",
        "round",
        "repeat",
        "squeeze",
        "swapaxes",
        "argsort",
        "searchsorted",
        "diagonal",
        "nonzero",
        "take",
    ]
} | {"flatten": "numpy.ravel"}
_OF_NUMPY = {  # methods of NumPy arrays that the language lacks
    "tofile": "write the file outside the function",
    "tobytes": "keep the array",
    "view": "the bits of a float are no number to differentiate: convert with `.astype(...)`",
    "resize": "make an array of the new size and store the cells: `b = np.zeros(n)`, `b[:k] = a[:k]`",
    "partition": "sort it: `.sort()`",
    "dump": "write the file outside the function",
}


def method(ctx: Lowering, array: AnyArray, name: str, args: Args, by: str) -> Value:
    """``array.name(...)``."""
    rule = OWN.get(name)
    if rule is not None:
        return rule(ctx, array, replace(args, function=f"ndarray.{name}"), by)
    dotted = METHODS.get(name)
    if dotted is not None and is_known(dotted):
        return call_external(ctx, dotted, replace(args, values=(array, *args.values)))
    called = args.node.func if isinstance(args.node, ast.Call) else None
    place = args.span if called is None else ctx.span(called)
    if name in _OF_NUMPY:
        raise Refused(Unsupported(place, f"the method `.{name}` of an array", _OF_NUMPY[name]))
    close = () if exists(f"numpy.ndarray.{name}") else meant(name, (*OWN, *METHODS), 0.6)
    at = last_part(place, ast.unparse(called)) if called is not None and close else None
    other = (
        f"write the function of NumPy: `np.{name}(...)`" if is_known(f"numpy.{name}") else "write a loop over the cells"
    )
    raise Refused(NoMember(place, f"an array has no method `.{name}`", tuple(f".{n}" for n in close), at, other))


def _method_copy(ctx: Lowering, array: AnyArray, args: Args, by: str) -> Value:
    bound(ctx, args, "order")
    return copy(ctx, array, args.hint, args.span, in_order=True)


def _method_fill(ctx: Lowering, array: AnyArray, args: Args, by: str) -> Value:
    value = bound(ctx, args)["value"]
    if is_array(value) and places.rank_of(value):  # differs from an assignment to all cells, which accepts rows
        raise Refused(WrongType(args.span, "an array is filled with a scalar", describe(type_of(value))))
    where = region(ctx, array, by, args.span)
    if where is not None:
        assign_region(ctx, where, value, args.span)
    return NoneValue()


def _method_astype(ctx: Lowering, array: AnyArray, args: Args, by: str) -> Value:
    found = bound(ctx, args, "copy")
    parts = complex_dtype(found["dtype"])
    dtype = dtype_of(ctx, found["dtype"], args.span) if parts is None else parts
    if found.get("copy") == ScalarValue(Const(False, BOOL), True) and dtype == places.dtype_of(array):
        return array
    made = lift(ctx, (array,), lambda v: converted(ctx, v[0], dtype, args.span), args.span, args.hint)
    return made if parts is None else as_complex(ctx, places.force_delayed(ctx, made, args.hint, args.span), args.span)


def _method_sort(ctx: Lowering, array: AnyArray, args: Args, by: str) -> Value:
    return sort_method(ctx, array, args, by)


def _method_tolist(ctx: Lowering, array: AnyArray, args: Args, by: str) -> Value:
    """The numbers of an array of rank 1 as a list of Python numbers."""
    bound(ctx, args)
    rank = places.rank_of(array)
    if rank == 0:
        return ScalarValue(places.read(ctx, array, (), args.span).atom, True)
    if rank > 1:
        raise Refused(
            Unsupported(
                args.span, "a list of lists of an array", "keep the array, or make a list of its rows: `list(a)`"
            )
        )
    dtype = places.dtype_of(array)
    if PYTHONS[dtype] != dtype:
        array = lift(
            ctx,
            (array,),
            lambda v: ScalarValue(as_python_number(ctx, v[0], PYTHONS[dtype], args.span)),
            args.span,
            args.hint,
        )
    return from_array(ctx, array, True, args.span)


def _method_item(ctx: Lowering, array: AnyArray, args: Args, by: str) -> Value:
    """``a.item()`` of a single cell, ``a.item(k)`` of the cells in C order, ``a.item(i, j)``."""
    if not args.values or args.keywords or (not places.rank_of(array) and args.values == (literal(0),)):
        return the_item(ctx, array, replace(args, values=()))
    if len(args.values) == 1 and places.rank_of(array) > 1:
        array = shapes.reshaped(ctx, array, literal(-1), replace(args, values=()))
    if len(args.values) != places.rank_of(array):
        raise Refused(BadCall(args.span, args.name, "takes no index, one of the cells in order, or one for each axis"))
    cell = indexed(ctx, array, [Place(v, args.span) for v in args.values], by, args.span)
    return the_item(ctx, shapes.rank_zero(cell), replace(args, values=()))


def _method_compress(ctx: Lowering, array: AnyArray, args: Args, by: str) -> Value:
    """``a.compress(condition)``."""
    if len(args.values) != 1:
        raise Refused(BadCall(args.span, args.name, "takes a condition"))
    return call_external(ctx, "numpy.compress", replace(args, values=(*args.values, array)))


OWN: dict[str, Callable[[Lowering, AnyArray, Args, str], Value]] = {
    "copy": _method_copy,
    "tolist": _method_tolist,
    "conjugate": lambda ctx, array, args, by: array,
    "conj": lambda ctx, array, args, by: array,
    "fill": _method_fill,
    "astype": _method_astype,
    "item": _method_item,
    "sort": _method_sort,
    "transpose": shapes.transpose_method,
    "reshape": shapes.reshape_method,
    "compress": _method_compress,
    "setflags": lambda ctx, array, args, by: (
        NoneValue()
    ),  # what may be written to is checked, and no value depends on it
    "__len__": lambda ctx, array, args, by: call_external(
        ctx, "builtins.len", replace(args, values=(array, *args.values))
    ),
}


RULES: dict[str, Callable[[Lowering, Args], Value]] = {
    "numpy.zeros": _filled(0.0),
    "numpy.empty": _filled(0.0),  # the contents are unspecified; zeros are deterministic
    "numpy.ones": _filled(1.0),
    "numpy.full": _full,
    "numpy.zeros_like": _like(0.0),
    "numpy.empty_like": _like(0.0),
    "numpy.ones_like": _like(1.0),
    "numpy.full_like": _like(None),
    "numpy.copy": _copy,
    "numpy.array": _copy,  # calls are lowered by `array_of`
    "numpy.asarray": _copy,
    "numpy.asanyarray": _copy,
}
enter_rules(RULES)
enter("method", (f"ndarray.{name}" for name in (*OWN, *METHODS)))
