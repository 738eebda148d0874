"""`np.clip`, and the indices of cells that are not zero: `np.flatnonzero`, `np.nonzero`."""

from __future__ import annotations

from collections.abc import Callable

from ..arrays.gather import true_places
from ..arrays.operands import as_array, bound, force_expensive
from ..arrays.shapes import reshaped
from ..ir.core import Const
from ..engine.elementwise import lift
from ..engine.numbers import as_scalar
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import rank_of
from ..engine.state import Lowering
from ..engine.values import Poison, ScalarValue, TupleValue, Value
from ..messages.language import BadCall
from ..messages.types import WrongType
from ..types import I64
from .scalars import choose


def _clip(ctx: Lowering, args: Args) -> Value:
    """``np.clip(a, a_min, a_max)``. Either limit may be None; `min` and `max` are other names for them."""
    found = bound(ctx, args, "a_min a_max min max")
    found |= {f"a_{name}": found[name] for name in ("min", "max") if name in found}
    limits = [(name, op) for name, op in (("a_min", "maximum"), ("a_max", "minimum")) if name in found]
    either = "min" in args.keywords or "max" in args.keywords  # then the other limit may be omitted
    missing = not either and len(args.values) + sum(k in ("a_min", "a_max") for k in args.keywords) < 3
    if not limits or missing:
        raise Refused(
            BadCall(args.span, args.name, "takes an array, its lower and its upper limit, of which one may be None")
        )

    def apply(values: tuple[Value, ...]) -> Value:
        numbers = [as_scalar(ctx, v, args.span, f"`{args.name}` is of numbers") for v in values]
        out = numbers[0]
        for (_, op), limit in zip(limits, numbers[1:], strict=True):
            out = choose(ctx, op, out, limit, args) if not isinstance(out, Poison) else out
        return out

    return lift(ctx, (found["a"], *(found[name] for name, _ in limits)), apply, args.span, args.hint)


def places_of(ctx: Lowering, args: Args, flat: bool) -> tuple[Value, ...]:
    """The indices of the cells that are not 0, one array per axis, in C order."""
    (given,) = bound(ctx, args).values()
    array = as_array(ctx, given, args)
    if not rank_of(array):
        raise Refused(WrongType(args.span, f"`{args.name}` is of arrays of rank 1 or more", "a scalar"))
    span = args.span
    array = force_expensive(ctx, array, "t", span)
    if flat and rank_of(array) > 1:
        array = reshaped(ctx, array, ScalarValue(Const(-1, I64), True), args)
    return true_places(ctx, array, args.hint, span)


def _flatnonzero(ctx: Lowering, args: Args) -> Value:
    found = places_of(ctx, args, True)
    return found[0]


def _nonzero(ctx: Lowering, args: Args) -> Value:
    found = places_of(ctx, args, False)
    return TupleValue(found)


RULES: dict[str, Callable[[Lowering, Args], Value]] = {
    "numpy.clip": _clip,
    "numpy.flatnonzero": _flatnonzero,
    "numpy.nonzero": _nonzero,
}
enter_rules(RULES)
