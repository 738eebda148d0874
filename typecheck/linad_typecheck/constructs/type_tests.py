"""Type tests: `isinstance`, `type`, `hasattr`. They are decided at compile time, and the dead arm of a branch on one
is not lowered."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..advice.library_names import exists
from ..advice.unsupported_functions import elsewhere
from ..engine.choices import one_per_option
from ..engine.entities import named
from ..engine.evaluation import CALLS, expression
from ..engine.quoted import Quoted
from ..engine.refusal import Refused
from ..engine.state import Lowering
from ..engine.values import (
    SILENT, DerivativeValue, EntityValue, FunctionValue, NoneValue, Poison, TextValue, TupleValue, Value, is_choice,
    literal,
)
from ..library.type_tests import has_attribute, is_subclass, of_class, type_value
from ..messages.language import Unsupported
from ..names.scope import Constant, Entity, External, GlobalArray, Instance, Items, Module
from ..registry import has_parts, is_entered
from .attributes import attribute_of

QUESTIONS = tuple(f"builtins.{n}" for n in ("isinstance", "issubclass", "type", "hasattr", "callable", "getattr"))


def type_test(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """The value of a call of one of `QUESTIONS`."""
    name = dotted.partition(".")[2]
    count = {"isinstance": (2,), "issubclass": (2,), "hasattr": (2,), "getattr": (2, 3)}.get(name, (1,))
    if node.keywords or len(node.args) not in count or any(isinstance(a, ast.Starred) for a in node.args):
        return _undecided(ctx, node, dotted)
    value = expression(ctx, node.args[0])
    if isinstance(value, SILENT):
        return value
    if is_choice(value):
        quoted = lambda v: ast.copy_location(ast.Call(node.func, [Quoted(node.args[0], v), *node.args[1:]], []), node)
        return one_per_option(ctx, value, lambda v: type_test(ctx, quoted(v), dotted, name, hint), ctx.span(node), hint)
    if name == "isinstance":
        found = _is_one_of(ctx, node.args[1], lambda cls: of_class(value, cls), isinstance(value, NoneValue))
    elif name == "issubclass":
        found = _is_one_of(ctx, node.args[1], lambda cls: is_subclass(value, cls), None)
    elif name == "type" and isinstance(value, EntityValue) and isinstance(value.entity, Instance):
        return expression(ctx, ast.copy_location(ast.Attribute(Quoted(node, value), "__class__", ast.Load()), node))
    elif name == "type":
        found = type_value(value)
    elif name == "callable":
        found = literal(isinstance(value, FunctionValue | DerivativeValue | EntityValue))
    else:
        attribute = expression(ctx, node.args[1])
        found = _attribute(ctx, node, name, value, attribute) if isinstance(attribute, TextValue) else None
    return _undecided(ctx, node, dotted) if found is None else found


def _undecided(ctx: Lowering, node: ast.Call, dotted: str) -> Value:
    raise Refused(Unsupported(ctx.span(node), f"this `{dotted.partition('.')[2]}`", elsewhere(dotted) or ""))


def _is_one_of(
    ctx: Lowering, node: ast.expr, ask: Callable[[Entity | None], bool | None], none: bool | None
) -> Value | None:
    """Whether ``ask`` holds for one of the classes in ``node``, where None counts as ``none``; None if that is not
    known."""
    answers: list[bool | None] = []
    pending = [node]
    while pending:
        match pending.pop(0):
            case ast.Tuple(elts=items):
                pending[:0] = items
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                pending[:0] = [left, right]
            case ast.Constant(value=None):
                answers.append(none)
            case ast.Call() as made:
                cls = expression(ctx, made)  # `type(None)`
                answers.append(ask(cls.entity) if isinstance(cls, EntityValue) else None)
            case ast.Name(id=name) as one if name in ctx.env:
                held = expression(ctx, one)
                of = held.items if isinstance(held, TupleValue) else (held,)
                answers += [
                    none if isinstance(v, NoneValue) else ask(v.entity) if isinstance(v, EntityValue) else None
                    for v in of
                ]
            case one:
                found = [named(ctx, one)]
                while found:
                    match found.pop(0):
                        case Items(record=None, items=items):  # a module-level tuple
                            found[:0] = items
                        case Constant(value=()):
                            pass
                        case GlobalArray(type=None):  # the text does not determine its value
                            ctx.programs.unknown = True
                            return Poison(foreign=True)
                        case cls:
                            answers.append(ask(cls))
    if True in answers:
        return literal(True)
    return None if None in answers else literal(False)


def _attribute(ctx: Lowering, node: ast.Call, name: str, v: Value, attribute: TextValue) -> Value | None:
    """``hasattr`` or ``getattr`` with a literal name."""
    has = _entity_has(ctx, v, attribute.text) if isinstance(v, EntityValue) else has_attribute(v, attribute.text)
    if name == "hasattr" or has is None:
        return None if has is None else literal(has)
    if has:
        return attribute_of(ctx, ast.copy_location(ast.Attribute(node.args[0], attribute.text, ast.Load()), node), v)
    if len(node.args) == 3:
        return expression(ctx, node.args[2], none=True)
    return None


def _entity_has(ctx: Lowering, v: EntityValue, name: str) -> bool | None:
    """Whether a module or an object of the module has an attribute; None where that is not known."""
    match v.entity:
        case Instance(scope=scope, name=own):
            return scope.lookup(f"{own}.{name}") is not None
        case Module() if ctx.source.scope.lookup(v.name) == v.entity:
            return ctx.source.scope.lookup(f"{v.name}.{name}") is not None
        case Module(dotted=dotted) | External(dotted=dotted) if has_parts(dotted):
            whole = f"{dotted}.{name}"
            return True if is_entered(whole) or has_parts(whole) or exists(whole) else None
    return has_attribute(v, name)


CALLS.update(dict.fromkeys(QUESTIONS, type_test))
