"""``out=`` and ``where=``: the result of a library function is stored into an array that is there already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..arrays.updates import assign_region, region
from ..engine.elementwise import lift
from ..engine.rulebook import Args, rule_of
from ..engine.sizes import dtype_of, is_array, rank_of
from ..engine.state import Lowering
from ..engine.values import SILENT, NoneValue, Poison, ScalarValue, TupleValue, Value, arrays, describe, type_of
from ..linear.ownership import names_of
from ..messages.language import Unsupported
from ..messages.types import WrongType

_WITH_OUT = (
    "sum prod mean var std max min amax amin any all argmax argmin cumsum cumprod nansum nanmean median trace ptp "
    "dot matmul outer clip round around take concatenate stack einsum compress"
)
FUNCTIONS = tuple(f"numpy.{name}" for name in _WITH_OUT.split())
_NO_UFUNCS = ("numpy.where", "numpy.isclose", "numpy.nan_to_num", "numpy.sinc", "numpy.i0")
_KINDS = "bif"


def stores(dotted: str, args: Args, elementwise: bool) -> bool:
    """Whether a call stores its result: into ``out``, or where a ufunc has ``where``."""
    ufunc = elementwise and dotted.startswith(("numpy.", "scipy.")) and dotted not in _NO_UFUNCS
    has_out = "out" in args.keywords and not isinstance(args.keywords["out"], NoneValue)
    return (has_out and (ufunc or dotted in FUNCTIONS)) or ("where" in args.keywords and ufunc)


def store(ctx: Lowering, args: Args, call: Callable[[Args], Value]) -> Value:
    """The array ``out``, which holds what ``call`` gives from here on; with ``where`` only in the cells where that is True."""
    span = args.span
    out, mask = args.keywords.get("out", NoneValue()), args.keywords.get("where")
    if isinstance(out, TupleValue) and len(out.items) == 1:
        out = out.items[0]
    if isinstance(out, NoneValue):
        what = f"`where=` of `{args.name}` without `out=`, which leaves cells that hold anything"
        ctx.report(Unsupported(span, what, "say what the other cells hold: `np.where(mask, ..., 0.0)`"))
        return Poison()
    var = next(arrays(out), None) if is_array(out) else None
    if var is None:
        if not isinstance(out, SILENT):
            ctx.report(WrongType(span, "`out` is an array", describe(type_of(out))))
        return Poison()
    value = call(replace(args, keywords={k: v for k, v in args.keywords.items() if k not in ("out", "where")}))
    if isinstance(value, SILENT):
        return value
    if not isinstance(value, ScalarValue) and not is_array(value):
        ctx.report(Unsupported(span, f"`out=` of `{args.name}`", "assign its results"))
        return Poison()
    dtype = value.dtype if isinstance(value, ScalarValue) else dtype_of(value)
    if _KINDS.index(dtype[0]) > _KINDS.index(dtype_of(out)[0]):
        ctx.report(WrongType(span, f"`out` holds results of `{args.name}`, which are {dtype}", describe(type_of(out)), "make `out` of floats"))
        return Poison()
    if is_array(value) and rank_of(value) > rank_of(out):
        ctx.report(WrongType(span, f"`out` has the shape of the result, of rank {rank_of(value)}", describe(type_of(out))))
        return Poison()
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
