"""Functions inside functions: what they capture is looked up at each call."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ..ownership.liveness import free_names
from ..messages.language import Unsupported
from ..names.scope import FunctionSource
from ..span import Span
from .evaluation import usable
from .refusal import Refused
from .state import Lowering
from .values import DerivativeValue, FunctionValue, Poison, ScalarValue, Value


def nested_function(ctx: Lowering, node: ast.FunctionDef | ast.Lambda, name: str) -> FunctionValue:
    """A nested function or lambda; what it captures is looked up at each call."""
    key = f"{ctx.source.key}/{ctx.source.name}.{name}@{node.lineno}:{node.col_offset}"
    source = FunctionSource(name, node, ctx.source.source, ctx.source.scope, key)
    free = tuple(sorted(free_names(node) & (ctx.local_names | ctx.env.keys())))
    return FunctionValue(source, free)


def captured(
    ctx: Lowering, f: FunctionValue, span: Span, outer: Sequence[FunctionSource] = ()
) -> tuple[tuple[str, Value], ...]:
    """The values that a nested function captures, as they are now, with a flag ``name?`` where one may be undefined;
    ``outer`` are the functions that capture it in turn."""
    if f.captured is not None:
        return f.captured
    found: list[tuple[str, Value]] = []
    for name in f.free:
        b = ctx.env.get(name)
        if b is None or (isinstance(b.value, FunctionValue) and b.value.source == f.source):
            continue
        value = usable(ctx, b.value, name, span)
        found.append((name, closed(ctx, value, span, (*outer, f.source))))
        if b.defined is not None:
            found.append((f"{name}?", ScalarValue(b.defined, True)))
    return tuple(found)


def closed(ctx: Lowering, v: Value, span: Span, outer: Sequence[FunctionSource] = ()) -> Value:
    """A function value that takes what it captures with it."""
    if isinstance(v, DerivativeValue):
        function = closed(ctx, v.function, span, outer)
        return function if isinstance(function, Poison) else replace(v, function=function)
    if not isinstance(v, FunctionValue) or v.captured is not None:
        return v
    if v.source in outer:
        what = f"the nested function `{v.source.name}`, which calls itself through `{outer[-1].name}`"
        raise Refused(Unsupported(span, what, "define both at the level of the module"))
    return FunctionValue(v.source, v.free, captured(ctx, v, span, outer))
