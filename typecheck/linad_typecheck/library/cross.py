"""``np.cross``: the cross product of vectors with three components, one pair or many."""

from __future__ import annotations

from ..arrays.operands import as_array, bound, literal_int, no_bools
from ..ir.core import Atom, Const
from ..engine.elementwise import common_shape, spread
from ..engine.numbers import cast
from ..engine.places import check_same_size, fresh_array, materialise, nest, put
from ..engine.refusal import Refused
from ..engine.rulebook import Args, Rule, enter_rules
from ..engine.sizes import AnyArray, rank_of, shape_of
from ..engine.state import Lowering
from ..engine.values import Delayed, Value
from ..messages.language import Unsupported
from ..messages.types import WrongType
from ..types import I64
from .products import common_dtype

_THREE = Const(3, I64)
_AXES = ("axisa", "axisb", "axisc", "axis")
_PLANE = "of vectors of two write `a[0] * b[1] - a[1] * b[0]`"


def _cross(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, " ".join(_AXES))
    pair = [as_array(ctx, found[name], args) for name in ("a", "b")]
    for v in pair:
        _check_vectors(ctx, args, v)
    ranks = [rank_of(v) for v in pair]
    for name, rank in zip(_AXES, (*ranks, max(ranks), max(ranks)), strict=True):
        axis = literal_int(ctx, found.get(name), -1, f"`{name}`", args.span)
        if axis not in (-1, rank - 1):
            raise Refused(
                Unsupported(
                    args.span,
                    f"`{name}={axis}` of `{args.name}`",
                    "move the components to the last axis: `np.moveaxis`",
                )
            )
    dtype = common_dtype(pair)
    no_bools(args, *pair)
    return _products(
        ctx, args, [spread(ctx, _kept(ctx, v, args), args.span) for v in pair], _lead(ctx, args, pair), dtype
    )


def _check_vectors(ctx: Lowering, args: Args, v: AnyArray) -> None:
    """Refuse an array whose last axis does not have three components. An unknown size is checked at run time."""
    shape = shape_of(ctx, v, args.span)
    if not shape:
        raise Refused(WrongType(args.span, f"`{args.name}` is of vectors", "a scalar"))
    if isinstance(shape[-1], Const) and shape[-1] != _THREE:
        raise Refused(
            WrongType(args.span, f"`{args.name}` is of vectors of three", f"vectors of {shape[-1].value}", _PLANE)
        )
    check_same_size(ctx, shape[-1], _THREE, "np.cross is of vectors of three here, not of {0}", (shape[-1],), args.span)


def _kept(ctx: Lowering, v: AnyArray, args: Args) -> AnyArray:
    """The factor, evaluated once: each of its cells is read twice, and again for every vector that it is broadcast
    to."""
    return materialise(ctx, v, args.hint, args.span) if isinstance(v, Delayed) else v


def _lead(ctx: Lowering, args: Args, pair: list[AnyArray]) -> tuple[Atom, ...]:
    """The shape of the pairs."""
    shapes = [shape_of(ctx, v, args.span)[:-1] for v in pair]
    return common_shape(ctx, shapes, args.span) if any(shapes) else ()


def _products(ctx: Lowering, args: Args, cells: list, lead: tuple[Atom, ...], dtype) -> Value:
    out = fresh_array(ctx, args.hint, (*lead, _THREE), dtype, None, args.span)

    def one(index: tuple[Atom, ...]) -> None:
        a, b = ([cast(ctx, f((*index, Const(k, I64))).atom, dtype, args.span) for k in range(3)] for f in cells)
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            terms = tuple(ctx.let("t", "mul", pair, a[0].type, args.span) for pair in ((a[i], b[j]), (a[j], b[i])))
            put(ctx, out, (*index, Const(k, I64)), ctx.let("t", "sub", terms, a[0].type, args.span), args.span)

    nest(ctx, lead, one, args.span)
    return out


RULES: dict[str, Rule] = {"numpy.cross": _cross}
enter_rules(RULES)
