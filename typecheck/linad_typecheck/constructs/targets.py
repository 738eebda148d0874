"""Lists, dicts and objects that targets denote a part of: ``d["w"]``, ``p.xs[0]``, ``ps[1].q``."""

from __future__ import annotations

import ast

from ..engine.evaluation import expression
from ..engine.state import Lowering
from ..engine.values import TupleValue

_TWICE = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.UnaryOp, ast.USub, ast.BinOp, ast.operator, ast.Load,
)  # fmt: skip


def held_object(ctx: Lowering, node: ast.expr) -> TupleValue | None:
    """The list, dict or object that an expression means; None if it is none that may be changed. Only expressions that
    may be evaluated twice are looked into."""
    if isinstance(node, ast.Name):
        value = ctx.env[node.id].value if node.id in ctx.env else None
        return value if isinstance(value, TupleValue) and value.changes else None
    if not all(isinstance(n, _TWICE) for n in ast.walk(node)):
        return None
    found = ctx.attempt(lambda: expression(ctx, node))
    return ctx.take(found) if isinstance(found.value, TupleValue) and found.value.changes else None
