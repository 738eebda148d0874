"""Refusals. An expression that cannot be lowered raises `Refused`. A construct without a row in the dispatch tables is
refused by name, with a suggestion."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from ..advice.unsupported import REWRITES
from ..ownership.liveness import bound
from ..messages import Message
from ..messages.language import Unsupported
from ..messages.types import WrongType
from ..span import Span
from ..types import MAX_RANK
from .path import Path
from .state import CTL, RET, Lowering
from .values import LISTS, SILENT, UNKNOWN_LIST, Binding, Poison, TupleValue, Value, map_objects, objects
from ..names.scope import HASHED, DEQUE


class Refused(Exception):
    """Raised if an expression cannot be lowered. ``message``: the reason, unless it is already reported.

    It is caught at the enclosing expression, library call or statement, so that the rest of the function is still
    checked. ``changes``: objects that it would have changed.
    """

    def __init__(
        self,
        message: Message | None,
        value: Value = Poison(),  # noqa: B008  (values are immutable)
        changes: Iterable[Value] = (),
    ) -> None:
        super().__init__(message)
        self.message, self.value, self.changes = message, value, changes


def require_rank(span: Span, rank: int) -> None:
    """Refuse an array of more axes than there may be."""
    if rank > MAX_RANK:
        raise Refused(WrongType(span, f"an array has at most {MAX_RANK} dimensions", f"{rank} of them"))


def refused(ctx: Lowering, e: Refused, before: Path, node: ast.AST | None = None) -> Value:
    """The placeholder value for a refused expression. The path is restored."""
    if e.message is not None:
        ctx.report(e.message)
    ctx.path = before
    if isinstance(e.value, Poison) and not ctx.programs.unsettled():
        forget(ctx, e.changes)
    if node is not None:
        unknown(ctx, node, e.value if isinstance(e.value, SILENT) else Poison())
    return e.value


def forget(ctx: Lowering, values: Iterable[Value]) -> None:
    """Record that a call whose arguments are not all known may have changed lists, dicts and objects in any way."""
    made = frozenset().union(*(o.made or () for v in values for o in objects(v)))

    def forgotten(part: TupleValue) -> Value:
        if made.isdisjoint(part.made or ()):
            return part
        if part.record in LISTS:
            return replace(UNKNOWN_LIST, made=part.made)
        if part.record in HASHED or part.record is DEQUE or part.mapping:
            return Poison()
        return replace(part, items=(Poison(),) * len(part.items))

    left = {n: map_objects(b.value, forgotten) for n, b in ctx.env.items() if n not in (RET, CTL)} if made else {}
    ctx.bind_all({n: replace(ctx.env[n], value=v) for n, v in left.items() if v is not ctx.env[n].value})


def refuse(ctx: Lowering, node: ast.AST) -> None:
    """Report a construct that is not in the language."""
    if type(node).__name__ == "TryStar":
        what, instead = REWRITES[ast.Try]
    else:
        what, instead = REWRITES.get(type(node), (f"`{type(node).__name__.lower()}`", ""))
    ctx.report(Unsupported(ctx.span(node), what, instead))
    if isinstance(node, ast.stmt):
        unknown(ctx, node)


def unknown(ctx: Lowering, node: ast.AST, value: Value = Poison()) -> None:  # noqa: B008  (values are never changed)
    """Make the names that a statement would have bound unknown from here on, so that they cause no further reports."""
    for name in node.names if isinstance(node, (ast.Global, ast.Nonlocal)) else bound([node]):
        ctx.bind(name, Binding(value, ctx.span(node)))
