"""Objects of user classes: attributes, methods, properties, construction; and partial applications."""

from __future__ import annotations

import ast
from collections.abc import Sequence, Set
from itertools import takewhile

from ..engine.closures import closed
from ..engine.entities import entity_value
from ..engine.evaluation import CALLS, expression, usable
from ..engine.places import force_delayed
from ..engine.quoted import Quoted
from ..engine.refusal import Refused
from ..engine.state import Lowering
from ..engine.values import (
    SILENT,
    Binding,
    EntityValue,
    FunctionValue,
    NoneValue,
    TextValue,
    TupleValue,
    Value,
    literal,
)
from ..messages.language import Unsupported
from ..names.scope import NO_DEFAULT, Applied, Entity, External, FunctionSource, Helper, Instance, RecordClass
from ..registry import enter, has_rule
from ..span import Span
from ..ownership.objects import allocated_at
from .arguments import has_default
from .records import FREE, by_setter, free_class, member_of, put, refuse_attribute, setter_of
from .targets import held_object


def attribute(ctx: Lowering, node: ast.Attribute, found: Instance, name: str) -> Value:
    """``model.scale``: looked up like a name of a module."""
    span, shown = ctx.span(node), f"{name}.{node.attr}"
    entity = found.scope.lookup(f"{found.name}.{node.attr}")
    if entity is None and node.attr in ("__name__", "__qualname__") and found.made is not None:
        return TextValue(found.classes[0].rpartition(".")[2])
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
    value = force_delayed(ctx, usable(ctx, value, "the value", span), target.attr, span)
    if not by_setter(ctx, target, base, value):
        put(ctx, target, base, value, span)


def _set(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value | None:
    """``setattr(p, "x", e)`` and ``object.__setattr__(p, "x", e)``; None where the name is not known."""
    if len(node.args) != 3 or node.keywords:
        return None
    of, name_, value = node.args
    match expression(ctx, name_):
        case TextValue(text=attr):
            target = ast.copy_location(ast.Attribute(of, attr, ast.Store()), node)
            assign(ctx, target, expression(ctx, value), ctx.span(node))
            return NoneValue()
    return None


def _given(node: ast.Call) -> bool:
    return bool(node.args or node.keywords)


def construct_again(ctx: Lowering, node: ast.Call, record: RecordClass, hint: str) -> Value:
    """``type(p)(a)`` of an object."""
    member = member_of(ctx, record, "__init__")
    init = member.entity if member is not None and isinstance(member.entity, Helper) else None
    return construct(ctx, node, free_class(record.key, record.name, record.handle, record.others, ()), init, hint)


def construct(ctx: Lowering, node: ast.Call, cls: RecordClass, init: Helper | None, hint: str) -> Value:
    """``Model(a)``: its `__init__`, if there is one, is called with an empty object and changes it."""
    span = ctx.span(node)
    empty = allocated_at(ctx, TupleValue((), cls), span)
    if init is None:
        return empty
    key = ctx.pseudo("made", span)
    ctx.bind(key, Binding(empty, span))
    callee = Quoted(node.func, EntityValue(init, cls.key))
    call = ast.Call(callee, [Quoted(node.func, empty), *node.args], node.keywords)
    done = expression(ctx, ast.copy_location(call, node), hint, True)
    made = ctx.unbind(key).value
    return done if isinstance(done, SILENT) else made


def called_object(ctx: Lowering, node: ast.Call, found: Instance, name: str, hint: str) -> Value:
    """``model(x)``: its `__call__`."""
    init = found.scope.lookup(f"{found.name}.__init__") if found.made_by == "__init__" else None
    if found.made is not None and (isinstance(init, Helper) or (found.made_by == "nothing" and not _given(node))):
        of = found.classes[0]
        return construct(
            ctx, node, free_class(of, of.rpartition(".")[2], found.handle, found.others, ()), init, hint
        )
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
    source = _source_of(values[0])
    left = ((), True) if source is None else left_of(source, count - 1, {k.arg for k in node.keywords})
    given, call = forwarded(read[0], *left, read[1:count], own)
    captured = {n: closed(ctx, v, span) for n, v in zip(names, values, strict=True)}
    return _function(ctx, node, "partial", ", ".join(left[0]), ast.Lambda(given, call), captured)


def _function(
    ctx: Lowering, node: ast.Call, name: str, mark: str, made: ast.Lambda, captured: dict[str, Value]
) -> FunctionValue:
    """The function that a call of a library makes. ``mark`` distinguishes those of one place."""
    for n in ast.walk(made):
        ast.copy_location(n, node)
    span = ctx.span(node)
    key = f"{ctx.source.key}/{name} {span.line}:{span.column} {mark}"
    source = FunctionSource(name, made, ctx.source.source, ctx.source.scope, key)
    return FunctionValue(source, tuple(captured), tuple(captured.items()))


def _getter(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value | None:
    """``operator.itemgetter(1)`` and ``operator.attrgetter("a.b")``: functions of one argument."""
    if not node.args or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        return None
    values, of, parts = [expression(ctx, a) for a in node.args], ast.Name("%of", ast.Load()), []
    names = {f"%given{k}": v for k, v in enumerate(values)} if dotted.endswith("itemgetter") else {}
    for k, v in enumerate(values):
        part: ast.expr = ast.Subscript(of, ast.Name(f"%given{k}", ast.Load()), ast.Load()) if names else of
        if not names and not isinstance(v, TextValue):
            raise Refused(Unsupported(ctx.span(node), f"`{name}` of a computed name", "write a lambda"))
        for attr in () if names else v.text.split("."):
            part = ast.Attribute(part, attr, ast.Load())
        parts.append(part)
    body = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
    given = ast.arguments([], [ast.arg("%of")], None, [], [], None, [])
    mark = "" if names else ast.unparse(body)
    return _function(ctx, node, name, mark, ast.Lambda(given, body), names)


def _source_of(v: Value) -> FunctionSource | None:
    match v:
        case FunctionValue(source=source) | EntityValue(entity=Helper(function=source)):
            return source
    return None


def parameters_of(v: Value, count: int = 0, names: Set[str] = frozenset()) -> tuple[Left, bool] | None:
    """`parameters_left` of a function that is a value."""
    if isinstance(v, FunctionValue):
        return left_of(v.source, count, names)
    match v:
        case EntityValue(entity=Instance(made=made, made_by="__init__", scope=scope, name=name)) if made is not None:
            init = scope.lookup(f"{name}.__init__")
            return left_of(init.function, count + 1, names) if isinstance(init, Helper) else None
        case EntityValue(entity=RecordClass(fields=fields)):
            given = [f for f in fields if not f.keyword][count:]
            optional = any(f.default is not NO_DEFAULT for f in given) or len(given) < len(fields) - count
            return tuple(f.name for f in given), optional or bool(names)
    return parameters_left(v.entity, count, names) if isinstance(v, EntityValue) else None


def _parameter_count(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value | None:
    """``parameter_count(f)`` in the prelude."""
    left, others = parameters_of(expression(ctx, node.args[0])) or ((), True)
    return None if others else literal(len(left))


def is_called(entity: Applied | Instance) -> bool:
    """Whether calls of an entity are calls of a function of the user, for which some arguments are given."""
    return parameters_left(entity) is not None


def parameters_left(entity: Entity | None, count: int = 0, names: Set[str] = frozenset()) -> tuple[Left, bool] | None:
    """The parameters that calls of a partial application, a method or a callable object must give (see `left_of`); None
    if nothing is known of the function."""
    match entity:
        case Helper(function=source):
            return left_of(source, count, names)
        case Applied(function=function, args=args, keywords=keywords):
            return parameters_left(function, count + len(args), {*names, *(k for k, _ in keywords)})
        case Instance(made=None, scope=scope, name=name):
            return parameters_left(scope.lookup(f"{name}.__call__"), count, names)
        case External(dotted=dotted) if has_rule(dotted):
            return ("x",), False
    return None


Left = tuple[str, ...]


def left_of(source: FunctionSource, count: int, names: Set[str]) -> tuple[Left, bool]:
    """The parameters without a default after the first ``count``, up to one that is given by name; and whether there
    are others."""
    spec = source.node.args
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)][count:]
    left = tuple(takewhile(lambda n: n not in names and not has_default(source, n), positional))
    others = {*positional, *(a.arg for a in spec.kwonlyargs)} - {*left, *names}
    return left, bool(others or spec.vararg or spec.kwarg)


def forwarded(
    f: ast.expr, left: Left, others: bool, first: Sequence[ast.expr] = (), named: Sequence[ast.keyword] = ()
) -> tuple[ast.arguments, ast.Call]:
    """The parameters of a function that calls ``f`` with the arguments ``first`` and ``named``, and that call.
    ``others``: it passes on further arguments."""
    read = [*first, *(ast.Name(n, ast.Load()) for n in left)]
    rest, more = (ast.arg("%rest"), ast.arg("%more")) if others else (None, None)
    if others:
        read.append(ast.Starred(ast.Name("%rest", ast.Load()), ast.Load()))
        named = [*named, ast.keyword(None, ast.Name("%more", ast.Load()))]
    given = ast.arguments([], [ast.arg(n) for n in left], rest, [], [], more, [])
    return given, ast.Call(f, read, list(named))


CALLS["functools.partial"] = partial
CALLS["operator.itemgetter"] = CALLS["operator.attrgetter"] = _getter
enter("fold", ("operator.itemgetter", "operator.attrgetter"))
CALLS["builtins.object.__setattr__"] = CALLS["builtins.setattr"] = _set
enter("fold", ("builtins.object.__setattr__", "builtins.setattr"))
CALLS["%parameter_count"] = _parameter_count
