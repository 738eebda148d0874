"""Slopes along axes and polynomials: `np.gradient`, `np.polyval` and the like."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..arrays.from_parts import common_dtype
from ..arrays.operands import as_array, axis_of, bound, literal_int, no_bools
from ..core import Atom, Const
from ..engine.arithmetic import binary
from ..engine.numbers import cast
from ..engine.places import fold, fresh_array, held, nest, put, read
from ..engine.refusal import Refused
from ..engine.rulebook import Args, Rule, enter_rules
from ..engine.sizes import AnyArray, dtype_of, is_array, rank_of, shape_of
from ..engine.state import Lowering
from ..engine.values import NoneValue, ScalarValue, TupleValue, Value, literal
from ..engine.written import written
from ..messages.language import BadCall
from ..messages.types import WrongType
from ..types import FLOATS, INTS

NONE = NoneValue()


def _gradient(ctx: Lowering, args: Args) -> Value:
    """``np.gradient(f, *spacings, axis=None, edge_order=1)``, edges of the first or second order."""
    keywords = {k: v for k, v in args.keywords.items() if k in ("axis", "edge_order")}
    if not args.values or len(keywords) != len(args.keywords):
        raise Refused(BadCall(args.span, args.name, "takes an array, distances, and `axis` and `edge_order` by name"))
    f = as_array(ctx, args.values[0], args)
    order = literal_int(ctx, keywords.get("edge_order"), 1, "`edge_order`", args.span)
    no_bools(args, f)
    rank, axis = rank_of(f), keywords.get("axis", NONE)
    if isinstance(axis, NoneValue):
        axes: Sequence[int | None] = range(rank)
    else:
        axes = [axis_of(ctx, a, rank, args.span) for a in (axis.items if isinstance(axis, TupleValue) else (axis,))]
    distances = args.values[1:] or (literal(1.0),)
    if len(distances) == 1 and not (is_array(distances[0]) and rank_of(distances[0])):
        distances *= len(axes)
    if None in axes or len(distances) != len(axes) or order not in (1, 2) or not rank:
        raise Refused(BadCall(args.span, args.name, "takes a distance or an array of places for each axis, and an `edge_order` of 1 or 2"))
    f = held(ctx, f if dtype_of(f) in FLOATS else written(ctx, args, "f * 1.0", f=f), "f", args.span)
    found = tuple(_slope(ctx, args, f, k, d, order) for k, d in zip(axes, distances, strict=True))
    return found[0] if len(found) == 1 else TupleValue(found)


_EVEN = """
    if f.shape[-1] < {order} + 1: raise ValueError("Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required.")
    inside = (f[..., 2:] - f[..., :-2]) / (2.0 * h)
    first = {first} / h
    last = {last} / h
    np.moveaxis(np.concatenate((np.expand_dims(first, -1), inside, np.expand_dims(last, -1)), axis=-1), -1, axis)
"""
_EDGES = {
    1: ("(f[..., 1] - f[..., 0])", "(f[..., -1] - f[..., -2])"),
    2: ("(-1.5 * f[..., 0] + 2.0 * f[..., 1] - 0.5 * f[..., 2])", "(0.5 * f[..., -3] - 2.0 * f[..., -2] + 1.5 * f[..., -1])"),
}
_UNEVEN = """
    if x.shape[0] != f.shape[-1]: raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    if f.shape[-1] < {order} + 1: raise ValueError("Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required.")
    d = np.diff(x) * 1.0
    p = d[:-1]
    q = d[1:]
    inside = -q / (p * (p + q)) * f[..., :-2] + (q - p) / (p * q) * f[..., 1:-1] + p / (q * (p + q)) * f[..., 2:]
    first = {first}
    last = {last}
    np.moveaxis(np.concatenate((np.expand_dims(first, -1), inside, np.expand_dims(last, -1)), axis=-1), -1, axis)
"""
_UNEVEN_EDGES = {
    1: ("(f[..., 1] - f[..., 0]) / d[0]", "(f[..., -1] - f[..., -2]) / d[-1]"),
    2: (
        """-(2.0 * d[0] + d[1]) / (d[0] * (d[0] + d[1])) * f[..., 0] + (d[0] + d[1]) / (d[0] * d[1]) * f[..., 1] - (
            d[0] / (d[1] * (d[0] + d[1])) * f[..., 2])""",
        """d[-1] / (d[-2] * (d[-2] + d[-1])) * f[..., -3] - (d[-1] + d[-2]) / (d[-2] * d[-1]) * f[..., -2] + (
            (2.0 * d[-1] + d[-2]) / (d[-1] * (d[-2] + d[-1])) * f[..., -1])""",
    ),
}


def _slope(ctx: Lowering, args: Args, f: AnyArray, axis: int, h: Value, order: int) -> Value:
    last = written(ctx, args, "np.moveaxis(f, axis, -1)", f=f, axis=literal(axis))
    if is_array(h) and rank_of(h):
        first_edge, last_edge = _UNEVEN_EDGES[order]
        return written(ctx, args, _UNEVEN.format(order=order, first=first_edge, last=last_edge), f=last, x=h, axis=literal(axis))
    first_edge, last_edge = _EDGES[order]
    return written(ctx, args, _EVEN.format(order=order, first=first_edge, last=last_edge), f=last, h=h, axis=literal(axis))


# ------------------------------------------------------------------------------------------------------- polynomials


def _polyval(ctx: Lowering, args: Args) -> Value:
    """Horner's rule for each cell of ``x``."""
    found = bound(ctx, args, ("p", "x"), 2)
    p, x = (as_array(ctx, found[k], args) for k in ("p", "x"))
    no_bools(args, p, x)
    if rank_of(p) != 1:
        raise Refused(WrongType(args.span, "coefficients are an array of rank 1", f"rank {rank_of(p)}"))
    span, p = args.span, held(ctx, p, "p", args.span)
    dtype = common_dtype((p, x))
    shape = shape_of(ctx, x, span)

    def value(index: tuple[Atom, ...]) -> Atom:
        at = ScalarValue(cast(ctx, read(ctx, x, index, span).atom, dtype, span))

        def step(k: tuple[Atom, ...], old: tuple[Atom, ...]) -> tuple[Atom, ...]:
            c = ScalarValue(cast(ctx, read(ctx, p, k, span).atom, dtype, span))
            return (binary(ctx, ast.Add, binary(ctx, ast.Mult, ScalarValue(old[0]), at, span), c, span, args.hint).atom,)

        zero = Const(0 if dtype in INTS else 0.0, at.atom.type)
        return fold(ctx, shape_of(ctx, p, span), (zero,), step, span, (args.hint,))[0]

    if not shape:
        return ScalarValue(value(()))
    made = fresh_array(ctx, args.hint, shape, dtype, None, span)
    nest(ctx, shape, lambda index: put(ctx, made, index, value(index), span), span)
    return made


RULES: dict[str, Rule] = {
    "numpy.gradient": _gradient,
    "numpy.polyval": _polyval,
}
enter_rules(RULES)
