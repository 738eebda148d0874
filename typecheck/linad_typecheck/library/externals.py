"""Calls of library functions: lookup of the rule, and conversion of the arguments to the form that it takes."""

from __future__ import annotations

from dataclasses import replace

from ..advice.unsupported_functions import LOOP, elsewhere
from ..arrays.operands import as_array
from ..engine.elementwise import lift
from ..engine.entities import external
from ..engine.places import force_array, force_delayed
from ..engine.refusal import Refused, refused
from ..engine.rulebook import Args, Of, Rule, is_elementwise, rule_of
from ..engine.sizes import is_array
from ..engine.state import Lowering
from ..engine.values import ArrayValue, Poison, TupleValue, Value
from ..messages.language import Unsupported
from . import complexes, out_argument


def call_external(ctx: Lowering, dotted: str, args: Args) -> Value:
    """A call of a library function."""
    before = ctx.path
    try:
        return _called(ctx, dotted, args)
    except Refused as e:
        return refused(ctx, e, before)


def _called(ctx: Lowering, dotted: str, args: Args) -> Value:
    if dotted == "numpy.where" and len(args.values) == 1 and not args.keywords:
        dotted = "numpy.nonzero"  # NumPy's `where` of a condition alone
    of_complex = complexes.call(ctx, dotted, args, _called)
    if of_complex is not None:
        return of_complex
    known = rule_of(dotted)
    if known is None:
        if not isinstance(external(ctx, dotted, args.name, args.span), Poison):
            raise Refused(Unsupported(args.span, f"`{args.name}`", elsewhere(dotted) or LOOP))
        raise Refused(None)
    args = args if args.function == dotted else replace(args, function=dotted)
    if is_elementwise(dotted) and dotted.startswith(("numpy.", "scipy.")):  # they convert lists to arrays
        whole = tuple(as_array(ctx, v, args) if isinstance(v, TupleValue) and v.array_like else v for v in args.values)
        args = replace(args, values=whole)
    if dotted == "numpy.nan_to_num":
        args = out_argument.in_place(args)
    if out_argument.is_ufunc(dotted, is_elementwise(dotted)):
        args = out_argument.by_name(dotted, args)
        if "dtype" in args.keywords:
            args = out_argument.converted(ctx, args)
    if args.keywords and out_argument.stores(dotted, args, is_elementwise(dotted)):
        return out_argument.store(ctx, args, lambda rest: call_external(ctx, dotted, rest))
    return _lowered(ctx, dotted, *known, args)


def _lowered(ctx: Lowering, dotted: str, rule: Rule, of: Of, args: Args) -> Value:
    if of == "arrays":
        value = rule(ctx, args)
        if isinstance(value, TupleValue):  # several results are evaluated: only an expression of its own waits
            return replace(value, items=tuple(force_delayed(ctx, v, args.hint, args.span) for v in value.items))
        return value
    if is_elementwise(dotted):
        return _cell_by_cell(ctx, rule, args)
    if any(is_array(v) and not isinstance(v, ArrayValue) for v in args.all):
        values = tuple(force_array(ctx, v, args.hint, args.span) for v in args.values)
        keywords = {k: force_array(ctx, v, args.hint, args.span) for k, v in args.keywords.items()}
        args = replace(args, values=values, keywords=keywords)
    return rule(ctx, args)


def _cell_by_cell(ctx: Lowering, rule: Rule, args: Args) -> Value:
    """A rule for scalars, applied to arrays elementwise."""
    names, n = tuple(args.keywords), len(args.values)

    def apply(values: tuple[Value, ...]) -> Value:
        return rule(ctx, replace(args, values=values[:n], keywords=dict(zip(names, values[n:], strict=True))))

    value = lift(ctx, (*args.values, *args.keywords.values()), apply, args.span, args.hint)
    return (
        TupleValue(tuple(force_delayed(ctx, v, args.hint, args.span) for v in value.items))
        if isinstance(value, TupleValue)
        else value
    )
