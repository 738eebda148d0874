"""Additional `ast` nodes: expressions that are already evaluated, and statements that lower themselves."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..span import Span
from .values import Value


class Do(ast.stmt):
    """A statement that is lowered by calling ``run``."""

    _fields = ()
    _attributes = ("lineno", "col_offset", "end_lineno", "end_col_offset")

    def __init__(self, at: ast.expr, run: Callable[[], None]) -> None:
        super().__init__()
        ast.copy_location(self, at)
        self.run = run


class Quoted(ast.expr):
    """An expression that has been evaluated."""

    _fields = ()
    _attributes = ("lineno", "col_offset", "end_lineno", "end_col_offset")

    def __init__(self, at: ast.expr, value: Value, name: str = "") -> None:
        super().__init__()
        ast.copy_location(self, at)
        self.value = value
        self.name = name  # the user's name of the value, if it has one


def at_span(span: Span) -> ast.expr:
    """A node at a position."""
    at = ast.Constant(None, lineno=span.line, end_lineno=span.end_line)
    at.col_offset, at.end_col_offset = span.column - 1, span.end_column - 1
    return at
