"""Lists, dicts and objects that the targets of assignments are parts of: ``d["w"]``, ``p.xs[0]``, ``ps[1].q``."""

from __future__ import annotations

import ast

from ..engine.evaluation import expression
from ..engine.quoted import Quoted
from ..engine.refusal import Refused
from ..engine.state import Lowering
from ..engine.values import LISTS, TupleValue, is_optional
from ..messages.language import Unsupported
from ..names.scope import DEQUE, HASHED

_TWICE = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.UnaryOp, ast.USub, ast.BinOp, ast.operator, ast.Load,
    Quoted,
)  # fmt: skip


def another(node: ast.expr | None, new: str) -> str:
    """What to write in place of a change of an object that may be one of two. ``new`` makes another one, where ``{0}``
    stands for the old one."""
    if isinstance(node, ast.IfExp):
        return "write an `if` statement, which changes the one in its body and the other in its `else`"
    of = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) else "xs"
    named = "" if node is not None and of == ast.unparse(node) else "bind it to a name, and "
    return f"{named}make another one: `{of} = {new.format(of)}`, or `{of} = {of}.copy()` first"


def held_object(ctx: Lowering, node: ast.expr) -> TupleValue | None:
    """The list, dict or object that an expression denotes; None if it denotes none that can be changed.

    Only expressions that may be evaluated twice are considered.
    """
    if isinstance(node, ast.Name):
        value = ctx.env[node.id].value if node.id in ctx.env else None
        if is_optional(value):  # it is checked to be present
            value = expression(ctx, node)
        return value if isinstance(value, TupleValue) and value.changes else None
    if not all(isinstance(n, _TWICE) for n in ast.walk(node)):
        return None
    found, flight = ctx.attempt(lambda: expression(ctx, node)), ctx.path.flight
    if not isinstance(found.value, TupleValue) or not found.value.changes:
        return None
    value = ctx.take(found)
    ctx.go(flight=flight)  # what asks does not use it later
    return value


_NOT_AHEAD = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.Starred)


def evaluated_before(ctx: Lowering, changed: ast.expr, others: list[ast.expr]) -> list[ast.expr] | None:
    """Arguments that may change a list, a deque or a dict with a name, evaluated before it; None if none may."""
    if isinstance(changed, ast.Name):
        if (b := ctx.env.get(changed.id)) is None or type(b.value) is not TupleValue:
            return None
    elif not isinstance(changed, ast.Attribute):
        return None
    inside = [n for a in others for n in ast.walk(a)]
    if not any(isinstance(n, ast.Call) for n in inside) or any(isinstance(n, _NOT_AHEAD) for n in inside):
        return None
    held = held_object(ctx, changed)
    if held is None or (held.record not in (*LISTS, DEQUE) and held.record not in HASHED):
        return None
    given: list[ast.expr] = [Quoted(a, expression(ctx, a, none=True)) for a in others]
    after = held_object(ctx, changed)
    if after is None or after.made != held.made:
        what = "an argument or index that gives the name of the list or dict that it changes another value"
        raise Refused(Unsupported(ctx.span(changed), what, "give it that value in a statement of its own"))
    return given
