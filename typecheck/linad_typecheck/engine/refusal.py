"""Refusals. An expression that cannot be lowered raises `Refused`. A construct without a row in the dispatch tables is
refused by name, with a suggestion."""

from __future__ import annotations

import ast

from ..advice.unsupported import REWRITES
from ..ownership.liveness import bound
from ..messages import Message
from ..messages.language import Unsupported
from ..messages.types import WrongType
from ..span import Span
from ..types import MAX_RANK
from .path import Path
from .state import Lowering
from .values import SILENT, Binding, Poison, Value


class Refused(Exception):
    """Raised if an expression cannot be lowered. ``message``: the reason, unless it is already reported.

    It is caught at the enclosing expression, library call or statement, so that the rest of the function is still
    checked.
    """

    def __init__(self, message: Message | None, value: Value = Poison()) -> None:  # noqa: B008  (values are immutable)
        super().__init__(message)
        self.message, self.value = message, value


def require_rank(span: Span, rank: int) -> None:
    """Refuse an array of more axes than there may be."""
    if rank > MAX_RANK:
        raise Refused(WrongType(span, f"an array has at most {MAX_RANK} dimensions", f"{rank} of them"))


def refused(ctx: Lowering, e: Refused, before: Path, node: ast.AST | None = None) -> Value:
    """The placeholder value for a refused expression. The path is restored."""
    if e.message is not None:
        ctx.report(e.message)
    ctx.path = before
    if node is not None:
        unknown(ctx, node, e.value if isinstance(e.value, SILENT) else Poison())
    return e.value


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
