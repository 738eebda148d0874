"""Binding of arguments to the parameters of user functions, with defaults."""

from __future__ import annotations

import ast
import itertools
from dataclasses import replace

from ..advice.did_you_mean import meant
from ..diagnostics import Label
from ..engine.entities import callee, entity_value
from ..engine.closures import Computed
from ..engine.evaluation import expand_starred, expression, usable
from ..engine.path import Path
from ..engine.refusal import Refused
from ..types import DTYPE_CLASSES
from ..engine.state import Lowering
from ..engine.values import TupleValue, Value
from ..frozen import frozen
from ..ownership.liveness import bound
from ..ownership.objects import allocated_at
from ..messages.language import BadCall, Unsupported
from ..names.scope import DEFAULT, FunctionSource, Opaque, parameters
from ..span import Span
from .dicts import of as of_items
from .dicts import unpacked
from .records import default as default_value


Captures = tuple[tuple[str, Value], ...]


@frozen(slots=True)
class Argument:
    value: Value
    span: Span
    name: str  # the user's name for it; empty for an expression


def bound_arguments(
    ctx: Lowering, node: ast.Call, source: FunctionSource, captures: Captures = ()
) -> dict[str, Argument]:
    """The arguments by parameter name. They are in the order of the parameters, and evaluated in the order of the
    call."""
    spec = source.node.args
    span = ctx.span(node)
    defined = _parameters_of(source)
    nodes = expand_starred(ctx, node.args)
    keywords = unpacked(ctx, node)
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    every = [*positional, *(a.arg for a in spec.kwonlyargs)]
    by_position_only = {a.arg for a in spec.posonlyargs}
    found: dict[str, Argument] = {}
    if len(nodes) > len(positional) and not spec.vararg:
        told = f"takes {len(positional)} positional arguments and is given {len(nodes)}"
        raise Refused(BadCall(span, source.name, told, defined))
    rest: list[Value] = []
    more: dict[object, Value] = {}
    for name, a in [*itertools.zip_longest(positional[: len(nodes)], nodes), *((k.arg, k.value) for k in keywords)]:
        if name is None:  # for `*args`
            rest.append(expression(ctx, a, none=True))
            continue
        if spec.kwarg and name not in every and name not in more:
            more[name] = expression(ctx, a, none=True)
            continue
        if name in found or name not in every or (name in by_position_only and a not in nodes):
            if name in found or name in every:
                why = f"is given `{name}` twice" if name in found else f"takes `{name}` by position only"
                raise Refused(BadCall(ctx.span(a), source.name, why, defined, where="given here"))
            keyword = next(k for k in keywords if k.arg == name)
            at = replace(start := ctx.span(keyword), end_line=start.line, end_column=start.column + len(name))
            near = meant(name, (n for n in every if n not in found), 0.6)
            told = f"has no parameter `{name}`"
            raise Refused(BadCall(at, source.name, told, defined, near, at if near else None, "no such parameter"))
        value = expression(ctx, a, none=True)
        found[name] = Argument(value, ctx.span(a), a.id if isinstance(a, ast.Name) else "")
    for name in every:
        if name not in found:
            default = default_of(ctx, source, name, captures)
            if default is None:
                raise Refused(BadCall(span, source.name, f"is called without `{name}`", defined))
            found[name] = Argument(default, span, "")
    if spec.vararg:
        found[spec.vararg.arg] = Argument(TupleValue(tuple(rest)), span, "")
    if spec.kwarg:
        found[spec.kwarg.arg] = Argument(allocated_at(ctx, of_items(more), span), span, "")
    return {p.arg: found[p.arg] for p in parameters(spec)}


def _parameters_of(source: FunctionSource) -> Label:
    """A label at the parameters of a function."""
    every = parameters(source.node.args)
    names = ", ".join(p.arg for p in every)
    if not every:
        start = source.source.span(source.node)
        place = replace(start, end_line=start.line, end_column=start.column + len("def"))
    else:
        first, last = source.source.span(every[0]), source.source.span(every[-1])
        place = replace(first, end_line=last.end_line, end_column=last.end_column)
    return Label(
        place,
        f"the parameters are {names}"
        if len(every) > 1
        else f"the only parameter is {names}"
        if every
        else "it has no parameters",
    )


def has_default(source: FunctionSource, name: str) -> bool:
    """Whether a parameter is optional."""
    spec = source.node.args
    positional = [*spec.posonlyargs, *spec.args]
    optional = [a.arg for a in positional[len(positional) - len(spec.defaults) :]]
    optional += [a.arg for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None]
    return name in optional or any(n == name for n, _ in source.defaults)


def default_of(ctx: Lowering, source: FunctionSource, name: str, captures: Captures) -> Value | None:
    """The value of a parameter's default: a constant, or what a nested function has captured for it."""
    for n, value in source.defaults:
        if n == name and isinstance(value, Computed):
            held = dict(captures).get(value.name) or (ctx.env[value.name].value if value.name in ctx.env else None)
            if held is None:
                what = f"the default of `{name}`, where `{source.name}` is not the function's own,"
                raise Refused(Unsupported(source.source.span(source.node), what, "pass it in the call"))
            return usable(ctx, held, name, source.source.span(source.node))
        if n == name and isinstance(value, Opaque):  # a function or an object
            found = source.scope.lookup(f"{DEFAULT}{name}")
            if found is not None and not isinstance(found, Opaque):
                at = source.source.span(source.node)
                return entity_value(replace(ctx, source=source), found, f"{DEFAULT}{name}", at)
        if n == name:
            return default_value(ctx, value, name, source.source.span(source.node))
    spec = source.node.args
    positional = [*spec.posonlyargs, *spec.args]
    nodes = dict(zip((a.arg for a in reversed(positional)), reversed(spec.defaults), strict=False))
    nodes |= {a.arg: d for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None}
    node = nodes.get(name)
    if node is None:
        return None
    if bound([node]) or not _is_constant(ctx, node):
        raise Refused(Unsupported(source.source.span(node), "this default", "use a constant"))
    return expression(replace(ctx, source=source, local_names=frozenset(), path=Path()), node)


_CONSTANT = (ast.Constant, ast.Tuple, ast.UnaryOp, ast.USub, ast.UAdd, ast.Load, ast.Name, ast.Attribute)


def _is_constant(ctx: Lowering, node: ast.expr) -> bool:
    """Whether an expression is composed of constants only, such as ``np.bool_(False)``."""
    converts = lambda n: isinstance(n, ast.Call) and callee(ctx, n.func) in DTYPE_CLASSES
    return all(isinstance(n, _CONSTANT) or converts(n) for n in ast.walk(node))
