"""``out=`` and ``where=``: the result of a library function is stored into an existing array."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..arrays.arguments import dtype_of as dtype_of_argument
from ..arrays.from_parts import const
from ..arrays.updates import assign_region, region
from ..ir.core import Const
from ..engine.elementwise import lift
from ..engine.numbers import cast
from ..engine.refusal import Refused
from ..engine.rulebook import Args, rule_of
from ..engine.signatures import has_out, inputs_of
from ..engine.sizes import dtype_of, is_array, rank_of
from ..engine.state import Lowering
from ..engine.values import SILENT, NoneValue, ScalarValue, TupleValue, Value, arrays, describe, literal, type_of
from ..ownership.state import names_of
from ..messages.language import Unsupported
from ..messages.types import WrongType
from ..types import BOOL, same_kind


def is_ufunc(dotted: str, elementwise: bool) -> bool:
    return elementwise and (inputs_of(dotted) > 0 or dotted.startswith("scipy."))


def by_name(dotted: str, args: Args) -> Args:
    """The arguments of a ufunc with a positional ``out`` moved to its keyword: ``np.sqrt(a, a)`` stores into ``a``."""
    inputs = inputs_of(dotted)
    if not dotted.startswith("numpy.") or len(args.values) != inputs + 1 or "out" in args.keywords:
        return args
    return replace(args, values=args.values[:inputs], keywords={**args.keywords, "out": args.values[inputs]})


def in_place(args: Args) -> Args:
    """``np.nan_to_num(a, copy=False)`` stores into ``a``."""
    values = dict(zip(("copy", "nan", "posinf", "neginf"), args.values[1:], strict=False)) | args.keywords
    copy = values.pop("copy", literal(True))
    into = isinstance(copy, ScalarValue) and copy.atom == Const(False, BOOL) and is_array(args.values[0])
    given = {k: v for k, v in values.items() if not isinstance(v, NoneValue)}
    return replace(args, values=args.values[:1], keywords=given | ({"out": args.values[0]} if into else {}))


def converted(ctx: Lowering, args: Args) -> Args | None:
    """The arguments of a ufunc, converted to the dtype given as ``dtype``."""
    dtype = dtype_of_argument(ctx, args.keywords["dtype"], args.span)
    if dtype is None:
        return None
    values = tuple(
        lift(ctx, (v,), lambda x: ScalarValue(cast(ctx, x[0].atom, dtype, args.span)), args.span) for v in args.values
    )
    return replace(args, values=values, keywords={k: v for k, v in args.keywords.items() if k != "dtype"})


def stores(dotted: str, args: Args, elementwise: bool) -> bool:
    """Whether a call stores its result: into ``out``, or because a ufunc has ``where``."""
    ufunc = is_ufunc(dotted, elementwise)
    given = "out" in args.keywords and not isinstance(args.keywords["out"], NoneValue)
    if "where" in args.keywords and ufunc:
        return True
    return given and (ufunc or has_out(dotted) or dotted == "numpy.nan_to_num")


def store(ctx: Lowering, args: Args, call: Callable[[Args], Value]) -> Value:
    """The array ``out``, into which the result of ``call`` is stored; with ``where`` only in the cells where it is
    True."""
    span = args.span
    out, mask = args.keywords.get("out", NoneValue()), args.keywords.get("where")
    if isinstance(out, TupleValue) and len(out.items) == 1:
        out = out.items[0]
    rest = replace(args, keywords={k: v for k, v in args.keywords.items() if k not in ("out", "where")})
    if isinstance(out, NoneValue):  # the other cells are not specified, as those of `np.empty`
        value = call(rest)
        if isinstance(value, SILENT) or mask is None:
            return value
        dtype = value.dtype if isinstance(value, ScalarValue) else dtype_of(value)
        other = ScalarValue(const(0, dtype))
        return lift(ctx, (mask, value, other), lambda v: _chosen(ctx, v, args), span, args.hint)
    var = next(arrays(out), None) if is_array(out) else None
    if var is None:
        raise Refused(None if isinstance(out, SILENT) else WrongType(span, "`out` is an array", describe(type_of(out))))
    value = call(rest)
    if isinstance(value, SILENT):
        return value
    if not isinstance(value, ScalarValue) and not is_array(value):
        raise Refused(Unsupported(span, f"`out=` of `{args.name}`", "assign its results"))
    dtype = value.dtype if isinstance(value, ScalarValue) else dtype_of(value)
    if not same_kind(dtype, dtype_of(out)):
        raise Refused(
            WrongType(
                span,
                f"`out` holds results of `{args.name}`, which are {dtype}",
                describe(type_of(out)),
                "make `out` of floats",
            )
        )
    if is_array(value) and rank_of(value) > rank_of(out):
        raise Refused(
            WrongType(span, f"`out` has the shape of the result, of rank {rank_of(value)}", describe(type_of(out)))
        )
    if mask is not None:
        value = lift(ctx, (mask, value, out), lambda v: _chosen(ctx, v, args), span, args.hint)
        if isinstance(value, SILENT):
            return value
    place = region(ctx, out, next(iter(names_of(ctx, var)), ""), span)
    if place is not None:
        assign_region(ctx, place, value, span)
    return out


def _chosen(ctx: Lowering, v: tuple[Value, ...], args: Args) -> Value:
    choose, _ = rule_of("numpy.where")
    return choose(ctx, replace(args, values=v, keywords={}))
