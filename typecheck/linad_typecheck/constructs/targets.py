"""Lists, dicts and objects that the targets of assignments are parts of: ``d["w"]``, ``p.xs[0]``, ``ps[1].q``."""

from __future__ import annotations

import ast

from ..engine.evaluation import expression
from ..engine.state import Lowering
from ..engine.values import TupleValue

_TWICE = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.UnaryOp, ast.USub, ast.BinOp, ast.operator, ast.Load,
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
        return value if isinstance(value, TupleValue) and value.changes else None
    if not all(isinstance(n, _TWICE) for n in ast.walk(node)):
        return None
    found, flight = ctx.attempt(lambda: expression(ctx, node)), ctx.path.flight
    if not isinstance(found.value, TupleValue) or not found.value.changes:
        return None
    value = ctx.take(found)
    ctx.go(flight=flight)  # what asks does not use it later
    return value
