"""The text that is checked, and the documents that it is composed of: a file, or the cells of a notebook in order."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import field
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from ..checking.notebooks import plain_python
from ..findings import read
from ..frozen import frozen
from ..span import Span
from .positions import Encoding, Lines

Json = dict[str, object]


@frozen
class Part:
    """One document. ``first`` is its first line in the whole text."""

    uri: str
    first: int
    lines: Lines = field(repr=False)

    @property
    def last(self) -> int:
        return self.first + len(self.lines.lines) - 1


@frozen
class Sheet:
    """A whole text with its parts, and the name of its file."""

    name: str
    text: str = field(repr=False)
    parts: tuple[Part, ...] = ()

    def place(self, uri: str, position: Json, encoding: Encoding) -> tuple[int, int]:
        """A client's position in a document, as line and column of the whole text."""
        part = self.part(uri)
        line, column = part.lines.place(int(position["line"]), int(position["character"]), encoding)
        return line + part.first - 1, column

    def part(self, uri: str) -> Part:
        return next(p for p in self.parts if p.uri == uri)

    def location(self, span: Span, encoding: Encoding) -> Json:
        """A span as a document and a range for a client."""
        if span.file != self.name:
            return {"uri": uri_of(span.file), "range": _range(_elsewhere(span.file), span, 0, encoding)}
        part = next((p for p in self.parts if p.first <= span.line <= p.last), self.parts[-1])
        return {"uri": part.uri, "range": _range(part.lines, span, part.first - 1, encoding)}


def _range(lines: Lines, span: Span, above: int, encoding: Encoding) -> Json:
    (a, b), (c, d) = (
        lines.client(line - above, column, encoding)
        for line, column in ((span.line, span.column), (span.end_line, span.end_column))
    )
    return {"start": {"line": a, "character": b}, "end": {"line": c, "character": d}}


def _elsewhere(file: str) -> Lines:
    try:
        return _lines_of(file, os.stat(file).st_mtime_ns)
    except (OSError, UnicodeDecodeError, SyntaxError):
        return Lines("")


@lru_cache(maxsize=32)
def _lines_of(file: str, changed: int) -> Lines:
    return Lines(read(file))


# --------------------------------------------------------------------------------------------------------------- names


def name_of(uri: str) -> str:
    """The path of a document on disk; its URI if it is not on disk."""
    parts = urlsplit(uri)
    if parts.scheme not in ("file", "vscode-notebook-cell"):
        return uri
    path = unquote(parts.path)
    if re.match(r"/[A-Za-z]:", path):  # a drive letter
        path = path[1:]
    return path if not parts.netloc or parts.scheme != "file" else f"//{parts.netloc}{path}"


def uri_of(name: str) -> str:
    """The URI of a file."""
    from pathlib import Path

    return name if re.match(r"[a-z][\w+.-]+:", name) else Path(name).absolute().as_uri()


# -------------------------------------------------------------------------------------------------------------- sheets


def of_file(uri: str, text: str) -> Sheet:
    """The sheet of a single document."""
    return Sheet(name_of(uri), text, (Part(uri, 1, Lines(text)),))


def of_notebook(uri: str, cells: Iterable[tuple[str, str]]) -> Sheet:
    """The sheet of a notebook, from the URI and text of each Python cell. Lines that only IPython understands are
    blanked."""
    parts: list[Part] = []
    texts: list[str] = []
    first = 1
    for cell, text in cells:
        part = Part(cell, first, Lines(text))
        parts.append(part)
        texts += plain_python(part.lines.lines)
        first = part.last + 1
    return Sheet(name_of(uri), "\n".join(texts) + "\n", tuple(parts) or (Part(uri, 1, Lines("")),))
