"""`np.add.at` and the like: every index updates its cell, even if several name one cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..arrays.gather import fits, gathered, mask_of
from ..arrays.indexing import value_parts
from ..arrays.operands import no_bools
from ..arrays.slices import is_basic, view_of
from ..arrays.updates import region, update_at
from ..engine.places import writable
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import is_array
from ..engine.state import Lowering
from ..engine.values import NoneValue, Value, arrays, describe, type_of
from ..ownership.state import names_of
from ..messages.language import BadCall
from ..messages.types import WrongType
from .externals import call_external


def _at(function: str, sign: int = 0) -> Callable[[Lowering, Args], Value]:
    def apply(ctx: Lowering, args: Args) -> Value:
        if len(args.values) != 3 or args.keywords:
            raise Refused(BadCall(args.span, args.name, "takes an array, indices and the second operands"))
        array, index, value = args.values
        if not is_array(array):
            raise Refused(WrongType(args.span, f"`{args.name}` updates an array", describe(type_of(array))))
        var = next(arrays(array), None)
        name = next(iter(names_of(ctx, var)), "the array") if var is not None else "the expression"
        if var is None:
            raise Refused(WrongType(args.span, f"`{args.name}` updates an array that has a name", "an expression"))
        no_bools(args, array)
        place = writable(ctx, array, name, args.span)
        parts = None if place is None else value_parts(ctx, index, args.span)
        if parts is None or None in parts:
            raise Refused(None)
        mask = mask_of(parts)
        if mask is not None:
            where = region(ctx, place, name, args.span, mask=mask) if fits(ctx, place, mask, name, args.span) else None
        elif is_basic(parts):
            view = view_of(ctx, place, parts, name, args.span)
            where = region(ctx, view, name, args.span) if is_array(view) else None
        else:
            picked = gathered(ctx, place, parts, name, args.span)
            where = None if picked is None else region(ctx, picked.base, name, args.span, picked)
        if where is not None:
            two = lambda cell, v: call_external(ctx, function, replace(args, values=(cell, v)))
            update_at(ctx, where, value, args.span, sign, two)
        return NoneValue()

    return apply


RULES: dict[str, Callable[[Lowering, Args], Value]] = {
    "numpy.add.at": _at("operator.add", 1),
    "numpy.subtract.at": _at("operator.sub", -1),
    "numpy.multiply.at": _at("operator.mul"),
    "numpy.divide.at": _at("operator.truediv"),
    "numpy.true_divide.at": _at("operator.truediv"),
    "numpy.power.at": _at("operator.pow"),
    **{
        f"numpy.{name}.at": _at(f"numpy.{name}")
        for name in ("maximum", "minimum", "fmax", "fmin", "logaddexp", "hypot")
    },
}
enter_rules(RULES)
