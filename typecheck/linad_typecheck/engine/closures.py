"""Nested functions. The values that they capture are looked up at each call."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..ir.core import Const
from ..frozen import frozen
from ..ownership.liveness import free_names
from ..ownership.objects import new_origin
from ..messages.language import Unsupported
from ..names.scope import FunctionSource
from ..span import Span
from ..types import Array
from .evaluation import expression, usable
from .refusal import Refused
from .state import Lowering
from .values import (
    Binding, Bottom, DerivativeValue, FunctionValue, Loss, LostArray, Poison, ScalarValue, TextValue, TupleValue, Value,
    contains,
)  # fmt: skip


def nested_function(ctx: Lowering, node: ast.FunctionDef | ast.Lambda, name: str) -> FunctionValue:
    """A nested function or lambda. Captured names are looked up at each call."""
    key = f"{ctx.source.key}/{ctx.source.name}.{name}@{node.lineno}:{node.col_offset}"
    defaults = tuple((n, _default(ctx, d, name)) for n, d in _defaults_of(node.args) if _is_local(ctx, d))
    key += f"{defaults}" * bool(defaults)  # different defaults make a different function
    source = FunctionSource(name, node, ctx.source.source, ctx.source.scope, key, defaults)
    computed = (v.name for _, v in defaults if isinstance(v, Computed))
    free = (*sorted(free_names(node) & (ctx.local_names | ctx.env.keys())), *computed)
    return FunctionValue(source, free, scopes=tuple(_comprehension(ctx, name) for name in free))


def _defaults_of(a: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    """The parameters with a default, and the default expressions."""
    places = [p.arg for p in (*a.posonlyargs, *a.args)]
    yield from zip(places[len(places) - len(a.defaults) :], a.defaults, strict=True)
    yield from ((p.arg, d) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None)


def _is_local(ctx: Lowering, node: ast.expr) -> bool:
    """Whether an expression mentions variables of the function, whose values may differ at a later call."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return any(n in ctx.env or n in ctx.local_names for n in names)


@frozen(slots=True)
class Computed:
    """A default that is computed where the function is defined, and captured under a pseudo-name."""

    name: str


def _default(ctx: Lowering, node: ast.expr, function: str) -> object:
    """The value of a default: that of a known number, or where another one is kept."""
    value = expression(ctx, node)
    match value:
        case ScalarValue(atom=Const(value=known), weak=True):
            return known
        case Poison() | Bottom():  # reported, or of a type that is not known yet
            raise Refused(None, value)
    span = ctx.span(node)
    name = f"%default {span.line}:{span.column} {new_origin(ctx, span).number}"
    mine = lambda v: isinstance(v, FunctionValue) and name in v.free
    if any(mine(b.value) for n, b in ctx.env.items() if n != function):  # an earlier definition, with another default
        what = f"the default of `{function}`, which has another value in an earlier iteration,"
        raise Refused(Unsupported(span, what, "pass it in the call"))
    ctx.bind(name, Binding(value, span))
    return Computed(name)


COMPREHENSION = "%comprehension of "  # prefix of a key that identifies the comprehension that binds a name
ASIDE = "%aside"  # prefix of the key, followed by a number and the name, of a variable that a comprehension hides


def _comprehension(ctx: Lowering, name: str) -> str:
    """The comprehension that currently binds a name; empty for a variable of the function."""
    b = ctx.env.get(f"{COMPREHENSION}{name}")
    return b.value.text if b is not None and isinstance(b.value, TextValue) else ""


def _variable(ctx: Lowering, name: str, scope: str) -> Binding | None:
    """The current binding of a variable of a comprehension, or of the function if ``scope`` is empty; None if it has no
    value, or another comprehension hides that of a comprehension."""
    if scope == _comprehension(ctx, name):
        return ctx.env.get(name)
    hidden = [n for n in ctx.env if not scope and n.startswith(ASIDE) and n.partition(" ")[2] == name]
    return ctx.env[min(hidden, key=lambda n: int(n[len(ASIDE) :].partition(" ")[0]))] if hidden else None


def captured(
    ctx: Lowering, f: FunctionValue, span: Span, outer: Sequence[FunctionSource] = ()
) -> tuple[tuple[str, Value], ...]:
    """The current values that a nested function captures, with a flag ``name?`` for one that may be undefined.

    ``outer``: the functions that capture ``f`` in turn.
    """
    if f.captured is not None:
        return f.captured
    found: list[tuple[str, Value]] = []
    for name, scope in zip(f.free, f.scopes, strict=True):
        b = _variable(ctx, name, scope)
        if b is None:
            what = f"the nested function `{f.source.name}`, called where its `{name}` has no value or is hidden,"
            instead = f"give it `{name}` as an argument, and no variable of a comprehension a name that is in use"
            raise Refused(Unsupported(span, what, instead))
        if b.value == f:  # the function calls itself
            continue
        value = usable(ctx, b.value, name, span)
        found.append((name, closed(ctx, value, span, (*outer, f.source))))
        if b.defined is not None:
            found.append((f"{name}?", ScalarValue(b.defined, True)))
    return tuple(found)


def closed(ctx: Lowering, v: Value, span: Span, outer: Sequence[FunctionSource] = ()) -> Value:
    """A function value, or one in a tuple, with its captured values filled in."""
    if isinstance(v, TupleValue):
        items = tuple(closed(ctx, x, span, outer) for x in v.items)
        return v if all(x is y for x, y in zip(items, v.items, strict=True)) else replace(v, items=items)
    if isinstance(v, DerivativeValue):
        function = closed(ctx, v.function, span, outer)
        return function if isinstance(function, Poison) else replace(v, function=function)
    if isinstance(v, FunctionValue) and v.source.running:  # the function that gets it may consume it
        made = v if v.captured is not None else FunctionValue(v.source, v.free, captured(ctx, v, span, outer))
        ended(ctx, v, span)
        return made
    if not isinstance(v, FunctionValue) or v.captured is not None:
        return v
    if v.source in outer:
        what = f"the nested function `{v.source.name}`, which calls itself through `{outer[-1].name}`"
        raise Refused(Unsupported(span, what, "define both at the level of the module"))
    return FunctionValue(v.source, v.free, captured(ctx, v, span, outer))


def ended(ctx: Lowering, f: FunctionValue, span: Span) -> None:
    """Nothing may use a generator object again: it has no more values."""
    gone = LostArray(Array("f64", 1), Loss("consumed", "", span))

    def without(v: Value) -> Value:
        if isinstance(v, TupleValue) and contains(v, FunctionValue):
            return replace(v, items=tuple(map(without, v.items)))
        return gone if v == f else v

    left = {n: without(b.value) for n, b in ctx.env.items() if contains(b.value, FunctionValue)}
    ctx.bind_all({n: replace(ctx.env[n], value=v) for n, v in left.items() if v is not ctx.env[n].value})
    ctx.unbind(*(d.name for _, d in f.source.defaults if isinstance(d, Computed)))
