"""`linad.stop_gradient`: the identity, with derivative zero."""

from __future__ import annotations

from ..engine.elementwise import lift
from ..engine.places import force_delayed
from ..engine.refusal import Refused
from ..engine.rulebook import Args, Rule, enter_rules
from ..engine.sizes import is_array
from ..engine.state import Lowering
from ..engine.values import ScalarValue, TupleValue, Value
from ..messages.language import BadCall
from ..span import Span
from ..types import FLOATS


def _stop_gradient(ctx: Lowering, args: Args) -> Value:
    if args.keywords or len(args.values) != 1:
        raise Refused(BadCall(args.span, args.name, "takes one argument, which may be a tuple"))
    return _stopped(ctx, args.values[0], args.span, args.hint)


def _stopped(ctx: Lowering, v: Value, span: Span, hint: str) -> Value:
    if isinstance(v, TupleValue):
        return TupleValue(
            tuple(force_delayed(ctx, _stopped(ctx, x, span, hint), hint, span) for x in v.items), v.record
        )
    if is_array(v):
        return lift(ctx, (v,), lambda cells: _stopped(ctx, cells[0], span, hint), span, hint)
    if isinstance(v, ScalarValue) and v.dtype in FLOATS:
        return ScalarValue(ctx.let(hint, "stop_gradient", (v.atom,), v.atom.type, span), v.weak)
    return v


RULES: dict[str, Rule] = {"linad.stop_gradient": _stop_gradient}
enter_rules(RULES)
