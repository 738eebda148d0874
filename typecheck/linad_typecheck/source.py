"""Source text of a file, a notebook cell or a live function. Spans count code points; ast columns count UTF-8 bytes."""

from __future__ import annotations

import ast
import io
import os
import tokenize
import warnings
from dataclasses import field
from functools import cached_property, lru_cache
from pathlib import Path

from .frozen import frozen
from .span import Span


def read(path: str | os.PathLike[str]) -> str:
    """The text of a Python file. Raises UnicodeDecodeError or SyntaxError if its encoding is not as declared."""
    data = Path(path).read_bytes()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return io.TextIOWrapper(io.BytesIO(data), encoding, newline=None).read()


@lru_cache(maxsize=8)
def parsed(text: str) -> ast.Module:
    """A text as a syntax tree, which is shared and must not be modified: the first caller that tests whether a text
    parses parses it for all."""
    with warnings.catch_warnings():
        # such as "invalid decimal literal": Python reports them when it runs the file
        warnings.simplefilter("ignore")
        return ast.parse(text)


class Spans(dict[ast.AST, Span]):
    """The spans of ast nodes, with byte columns converted to code points. Each is computed on first
    access and memoised, because most are needed several times."""

    def __init__(self, name: str, first_line: int, lines: tuple[str, ...]) -> None:
        self._name, self._above = name, first_line - 1
        self._lines = None if all(map(str.isascii, lines)) else lines

    def __missing__(self, node: ast.AST) -> Span:
        line, end, above = node.lineno, node.end_lineno, self._above
        column, last = node.col_offset + 1, node.end_col_offset + 1
        if self._lines is not None:
            column, last = self._column(line, column), self._column(end, last)
        found = self[node] = Span(self._name, line + above, column, end + above, last)
        return found

    def _column(self, line: int, column: int) -> int:
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        return column if text.isascii() else len(text.encode()[: column - 1].decode(errors="ignore")) + 1


@frozen
class SourceFile:
    """The name and whole text of a file. ``first_line``: the line number of the text's first line in the file."""

    name: str
    text: str = field(repr=False)
    first_line: int = 1

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines as Python counts them: form feeds and line separators do not end a line."""
        lines = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return tuple(lines if lines[-1] else lines[:-1])

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree, memoised. Raises SyntaxError as `ast.parse` does."""
        try:
            return parsed(self.text)
        except SyntaxError:
            return ast.parse(self.text, self.name)  # raises the same error, with the name of the file

    def span(self, node: ast.AST) -> Span:
        """The span of an ast node, with byte columns converted to code points."""
        return self.spans[node]

    @cached_property
    def spans(self) -> Spans:
        return Spans(self.name, self.first_line, self.lines)

    def segment(self, span: Span) -> str:
        """The text of a one-line span; for a longer one, the part in its first line."""
        number = span.line - self.first_line
        if not 0 <= number < len(self.lines):
            return ""
        end = span.end_column - 1 if span.end_line == span.line else None
        return self.lines[number][span.column - 1 : end]
