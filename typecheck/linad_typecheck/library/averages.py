"""Quantiles, from the two cells that are next to each in the sorted order."""

from __future__ import annotations

from ..arrays.operands import as_array, axis_of, bound, choice, flag, no_bools
from ..engine.refusal import Refused
from ..engine.rulebook import Args, Rule, enter_rules
from ..engine.sizes import AnyArray, dtype_of, is_array, rank_of
from ..engine.state import Lowering
from ..engine.values import EntityValue, NoneValue, ScalarValue, TupleValue, Value, literal
from ..engine.snippets import snippet_value
from ..messages.types import WrongType
from ..names.scope import External
from ..types import FLOATS
from .sorting import ORDER_BETWEEN

NONE = NoneValue()


def number_type(a: AnyArray) -> str:
    """The function that converts to the float type of an array."""
    return "np.float32" if dtype_of(a) == "f32" else "np.float64"


# ------------------------------------------------------------------------------------------------------- quantiles

_BETWEEN = """
    if {outside}: raise ValueError("{told}")
    n = a.shape[-1]
    if n == 0: raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    at = {place}
    low = np.floor(at).astype(np.int64)
    high = np.minimum(low + 1, n - 1)
    order = order_between(a, np.min(np.append(low, n - 1)), np.max(np.append(high, 0)))
    below = np.take_along_axis(a, order[..., low], -1)
    above = np.take_along_axis(a, order[..., high], -1)
    part = at - np.floor(at)
    apart = above - below
    found = np.where(part < 0.5, below + apart * part, above - apart * (1.0 - part))
    {result}
"""


# Where a quantile is among ``n`` numbers in order.
_AMONG = "q * (n - 1)"
_PLACES = {
    "linear": _AMONG,
    "lower": f"np.floor({_AMONG})",
    "higher": f"np.ceil({_AMONG})",
    "nearest": f"np.rint({_AMONG})",
    "midpoint": f"0.5 * (np.floor({_AMONG}) + np.ceil({_AMONG}))",
    **{
        name: f"np.clip(n * q + ({alpha} + q * (1.0 - {alpha} - {beta})) - 1.0, 0.0, np.maximum(n - 1.0, 0.0))"
        for name, alpha, beta in (
            ("interpolated_inverted_cdf", 0.0, 1.0),
            ("hazen", 0.5, 0.5),
            ("weibull", 0.0, 0.0),
            ("median_unbiased", 1.0 / 3.0, 1.0 / 3.0),
            ("normal_unbiased", 0.375, 0.375),
        )
    },
}


def _quantile(scale: float, told: str) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, "axis method keepdims")
        a = as_array(ctx, found["a"], args)
        q = as_array(ctx, found["q"], args)
        kept = flag(ctx, found, "keepdims", False, args.span)
        method = choice(ctx, found.get("method"), tuple(_PLACES), "`method`", args.span)
        no_bools(args, a)
        if rank_of(q) > 1 or isinstance(found.get("axis"), TupleValue):
            raise Refused(
                WrongType(
                    args.span,
                    f"`{args.name}` is along one axis, of one probability or an array of rank 1",
                    "more of them",
                )
            )
        axis = axis_of(ctx, found["axis"], rank_of(a), args.span) if "axis" in found else -1
        single = rank_of(q) == 0
        line = "np.moveaxis(a, axis, -1)" if "axis" in found else "np.ravel(a)"
        of_floats = "" if dtype_of(a) in FLOATS else " * 1.0"
        cells = snippet_value(ctx, args, line + of_floats, a=a, axis=literal(axis))
        weak = isinstance(found["q"], ScalarValue) and found["q"].weak and dtype_of(a) in FLOATS
        of_type = f".astype({number_type(a)})" if weak else ""
        q = snippet_value(
            ctx, args, f"np.atleast_1d(q * 1.0){of_type} / scale", q=found["q"] if single else q, scale=literal(scale)
        )
        number = "np.where(np.isnan(np.take_along_axis(a, order[..., -1:], -1)), np.nan, found)"
        result = f"np.moveaxis({number}, -1, 0)" + ("[0]" if single else "")
        outside = "not np.all((q >= 0.0) & (q <= 1.0))"
        text = _BETWEEN.format(outside=outside, told=told, result=result, place=_PLACES[method])
        value = snippet_value(
            ctx, args, text, a=cells, q=q, order_between=EntityValue(External(ORDER_BETWEEN), args.name)
        )
        if kept and is_array(value) or kept and isinstance(value, ScalarValue):
            lead = 0 if single else 1
            places = tuple(range(lead, lead + rank_of(a))) if "axis" not in found else (lead + axis,)
            return snippet_value(
                ctx, args, "np.expand_dims(v, places)", v=value, places=TupleValue(tuple(map(literal, places)))
            )
        return value

    return apply


RULES: dict[str, Rule] = {
    "numpy.quantile": _quantile(1.0, "Quantiles must be in the range [0, 1]"),
    "numpy.percentile": _quantile(100.0, "Percentiles must be in the range [0, 100]"),
}
enter_rules(RULES)
