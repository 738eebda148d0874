"""Objects of user classes: attributes, methods, properties, construction; and partial applications."""

from __future__ import annotations

import ast

from ..engine.closures import closed
from ..engine.entities import entity_value
from ..engine.evaluation import CALLS, expression, usable
from ..engine.places import held
from ..engine.quoted import Quoted
from ..engine.refusal import Refused
from ..engine.state import Lowering
from ..engine.values import SILENT, Binding, EntityValue, FunctionValue, TupleValue, Value
from ..messages.language import Unsupported
from ..names.scope import Applied, FunctionSource, Helper, Instance
from ..span import Span
from ..ownership.objects import fresh
from .records import FREE, by_setter, free_class, put, refuse_attribute, setter_of
from .targets import held_object


def attribute(ctx: Lowering, node: ast.Attribute, found: Instance, name: str) -> Value:
    """``model.scale``: looked up like a name of a module."""
    span, shown = ctx.span(node), f"{name}.{node.attr}"
    entity = found.scope.lookup(f"{found.name}.{node.attr}")
    if entity is None:
        ctx.raised("AttributeError")
        of = found.classes[0].rpartition(".")[2]
        raise Refused(
            Unsupported(
                span,
                f"the attribute `.{node.attr}` of `{name}`, a `{of}` object,",
                "read what its class defines, or what `__init__` stores",
            )
        )
    value = entity_value(ctx, entity, shown, span)
    if isinstance(value, EntityValue) and isinstance(value.entity, Applied) and value.entity.now:
        return called(ctx, ast.copy_location(ast.Call(node, [], []), node), value.entity, shown, "t")
    return value


def called(ctx: Lowering, node: ast.Call, found: Applied, name: str, hint: str) -> Value:
    """A call of a method or a partial application: the bound arguments come first."""
    span = ctx.span(node.func)
    value = lambda entity, place: Quoted(node.func, entity_value(ctx, entity, f"{name}.{place}", span))
    first = [value(e, k) for k, e in enumerate(found.args)]
    own = {k.arg for k in node.keywords}
    more = [_keyword(k, value(e, k), node) for k, e in found.keywords if k not in own]
    function = Quoted(node.func, entity_value(ctx, found.function, name, span))
    return expression(
        ctx, ast.copy_location(ast.Call(function, [*first, *node.args], [*more, *node.keywords]), node), hint
    )


def _keyword(name: str, value: ast.expr, node: ast.expr) -> ast.keyword:
    return ast.copy_location(ast.keyword(name, value), node)


def changing(ctx: Lowering, target: ast.Attribute) -> TupleValue | None:
    """The object whose attribute a target denotes, if that attribute may be assigned."""
    base = held_object(ctx, target.value)
    return base if base is not None and base.record.mutable else None


def is_set(ctx: Lowering, target: ast.Attribute) -> bool:
    """Whether ``p.x = e`` runs code of the class."""
    base = changing(ctx, target)
    return base is not None and setter_of(ctx, base, target.attr) is not None


def assign(ctx: Lowering, target: ast.Attribute, value: Value, span: Span) -> None:
    """``p.x = e``."""
    base = changing(ctx, target)
    if base is None or not (target.attr in base.record.names or base.record.mark.startswith(FREE)):
        refuse_attribute(ctx, target)
        return
    value = held(ctx, usable(ctx, value, "the value", span), target.attr, span)
    if not by_setter(ctx, target, base, value):
        put(ctx, target, base, value, span)


def _given(node: ast.Call) -> bool:
    return bool(node.args or node.keywords)


def construct(ctx: Lowering, node: ast.Call, found: Instance, init: Helper | None, hint: str) -> Value:
    """``Model(a)``: its `__init__`, if there is one, is called with an empty object and changes it."""
    of, span = found.classes[0], ctx.span(node)
    empty = fresh(
        ctx, TupleValue((), free_class(of, of.rpartition(".")[2], found.handle, found.others, ())), span
    )
    if init is None:
        return empty
    key = ctx.pseudo("made", span)
    ctx.bind(key, Binding(empty, span))
    callee = Quoted(node.func, EntityValue(init, of))
    call = ast.Call(callee, [Quoted(node.func, empty), *node.args], node.keywords)
    done = expression(ctx, ast.copy_location(call, node), hint, True)
    made = ctx.unbind(key).value
    return done if isinstance(done, SILENT) else made


def called_object(ctx: Lowering, node: ast.Call, found: Instance, name: str, hint: str) -> Value:
    """``model(x)``: its `__call__`."""
    init = found.scope.lookup(f"{found.name}.__init__") if found.made_by == "__init__" else None
    if found.made is not None and (isinstance(init, Helper) or (found.made_by == "nothing" and not _given(node))):
        return construct(ctx, node, found, init, hint)
    entity = None if found.made is not None else found.scope.lookup(f"{found.name}.__call__")
    if isinstance(entity, Applied):
        return called(ctx, node, entity, name, hint)
    told = found.made
    what = f"calling `{name}`, a `{found.classes[0].rpartition('.')[2]}` object," if told is None else told.what
    raise Refused(
        Unsupported(ctx.span(node.func), what, "write what it computes as a function" if told is None else told.instead)
    )


def partial(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value | None:
    """``functools.partial(f, a, b=b)``: a function that captures the arguments."""
    if not node.args or any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        return None
    span = ctx.span(node)
    values = [expression(ctx, a) for a in (*node.args, *(k.value for k in node.keywords))]
    if any(isinstance(v, SILENT) for v in values):
        return next(v for v in values if isinstance(v, SILENT))
    names = [f"%given{k}" for k in range(len(values))]
    read = [ast.Name(n, ast.Load()) for n in names]
    count = len(node.args)
    own = [ast.keyword(k.arg, r) for k, r in zip(node.keywords, read[count:], strict=True)]
    rest, more = ast.arg("%rest"), ast.arg("%more")
    call = ast.Call(
        read[0],
        [*read[1:count], ast.Starred(ast.Name("%rest", ast.Load()), ast.Load())],
        [*own, ast.keyword(None, ast.Name("%more", ast.Load()))],
    )
    made = ast.Lambda(ast.arguments([], [], rest, [], [], more, []), call)
    for n in ast.walk(made):
        ast.copy_location(n, node)
    key = f"{ctx.source.key}/partial {span.line}:{span.column}"
    source = FunctionSource("partial", made, ctx.source.source, ctx.source.scope, key)
    captured = tuple((n, closed(ctx, v, span)) for n, v in zip(names, values, strict=True))
    return FunctionValue(source, tuple(names), captured)


CALLS["functools.partial"] = partial
