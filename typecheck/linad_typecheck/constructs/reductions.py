"""`functools.reduce`: the loop that it abbreviates, which carries ``f(total, item)``."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..engine.evaluation import CALLS, expression, usable
from ..engine.places import force_delayed
from ..engine.quoted import Do, Quoted
from ..engine.refusal import Refused
from ..engine.state import FALSE, ONE, ZERO, Lowering
from ..engine.values import Binding, Value, literal
from ..ir.core import Check, Const
from ..messages.language import BadCall
from ..registry import enter
from ..span import Span
from ..types import BOOL
from .comprehensions import each_of, run_iteration, targets
from .iterables import Generated, Iteration, Unrolled, from_zero, iteration
from .lists import of_iterable

REDUCE = "functools.reduce"
EMPTY = "reduce() of empty iterable with no initial value"


def reduced(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """The value of ``reduce(f, items)`` or ``reduce(f, items, start)``."""
    span = ctx.span(node)
    if node.keywords or not 2 <= len(node.args) <= 3 or any(isinstance(a, ast.Starred) for a in node.args):
        raise Refused(BadCall(span, name, "takes a function, what it runs over, and the first value, by position"))
    function, key = _argument(ctx, node.args[0]), ctx.pseudo("reducing", span)
    found = iteration(ctx, node.args[1])
    if isinstance(found, Generated):
        found = iteration(ctx, Quoted(node.args[1], of_iterable(ctx, Quoted(node.args[1], found.by))))
    start = force_delayed(ctx, _argument(ctx, node.args[2]), hint, span) if len(node.args) == 3 else None

    def step(total: Value, item: Value) -> Value:
        call = ast.Call(Quoted(node.args[0], ctx.env[key].value), [Quoted(node, total), Quoted(node, item)], [])
        value = usable(ctx, expression(ctx, ast.copy_location(call, node), hint), "the result", span)
        return force_delayed(ctx, value, hint, span)

    ctx.bind(key, Binding(function, span))  # what the function captures may change from call to call
    value = _folded(ctx, node, found, start, step, hint)
    ctx.unbind(key)
    return value


def _folded(
    ctx: Lowering, node: ast.Call, found: object, start: Value | None, step: Callable[[Value, Value], Value], hint: str
) -> Value:
    span = ctx.span(node)
    match found:
        case Unrolled(items=items):
            if start is None:
                if not items:
                    ctx.emit(Check(FALSE, "TypeError", EMPTY, (), span))
                    ctx.go(dead=True)
                    return literal(0)
                start, items = items[0], items[1:]
            for item in items:
                start = step(start, item)
            return start
        case Iteration():
            return _looped(ctx, node, from_zero(ctx, found, span), start, step, hint)
    raise Refused(None)


def _argument(ctx: Lowering, node: ast.expr) -> Value:
    return usable(ctx, expression(ctx, node), "the argument", ctx.span(node))


def _looped(ctx: Lowering, node: ast.Call, it: Iteration, start: Value | None, step, hint: str) -> Value:
    span: Span = ctx.span(node)
    first = ZERO
    if start is None:
        some = ctx.let("some", "gt", (it.stop, ZERO), BOOL, span) if not isinstance(it.stop, Const) else None
        if some is not None or it.stop.value <= 0:
            ctx.emit(Check(some or FALSE, "TypeError", EMPTY, (), span))
        ctx.bind_all(it.held)
        start, first = force_delayed(ctx, it.element(ZERO), hint, span), ONE
    total = ctx.pseudo(hint, span)
    ctx.bind(total, Binding(start, span))
    what = each_of(node.args[1])

    def turn() -> None:
        item = expression(ctx, what.elt)
        ctx.bind(total, Binding(step(ctx.env[total].value, item), span))

    run = Iteration(first, it.stop, ONE, True, it.element, it.held)
    with targets(ctx, what):
        run_iteration(ctx, what.generators[0], run, [Do(node, turn)], frozenset(ctx.env))
    return ctx.unbind(total).value


CALLS[REDUCE] = reduced
enter("fold", (REDUCE,))
