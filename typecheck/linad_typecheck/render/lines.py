"""The short formats: one line per finding, JSON, and CI annotations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from ..diagnostics import Diagnostic
from .columns import visible
from .text import Sources


def render_concise(diagnostics: Iterable[Diagnostic], sources: Sources | None = None, *, colour: bool = False) -> str:
    """One line per finding: ``file:line:column: severity[code]: message``."""
    return "\n".join(f"{_one_line(str(d.span))}: {d.severity}[{d.code}]: {_one_line(d.message)}" for d in diagnostics)


def render_json(diagnostics: Iterable[Diagnostic], sources: Sources | None = None, *, colour: bool = False) -> str:
    """A JSON array of `Diagnostic.to_json`. A position in a notebook has the file and the ``cell``."""
    return json.dumps([_with_cells(d.to_json()) for d in diagnostics], indent=2)


def _with_cells(value: object) -> object:
    match value:
        case {"file": str(file), "line": _} if found := _CELL.fullmatch(file):
            return {**value, "file": found[1], "cell": int(found[2])}
        case dict():
            return {k: _with_cells(v) for k, v in value.items()}
        case list() | tuple():
            return [_with_cells(v) for v in value]
    return value


_CELL = re.compile(r"(.*\.ipynb):cell (\d+)", re.DOTALL)
_COMMANDS = {"error": "error", "warning": "warning", "information": "notice"}


def render_github(diagnostics: Iterable[Diagnostic], sources: Sources | None = None, *, colour: bool = False) -> str:
    """GitHub workflow commands, which annotate the lines of a change under review."""
    return "\n".join(_command(d) for d in diagnostics)


def _command(d: Diagnostic) -> str:
    s = d.span
    properties = {
        "file": s.file,
        "line": s.line,
        "col": s.column,
        "endLine": s.end_line,
        "endColumn": s.end_column,
        "title": f"{d.code} {d.slug}",
    }
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    labels = (f"{x.span.line}: {x.message}" for x in d.labels)
    text = "\n".join([d.message, *labels, *(f"help: {f.message}" for f in d.fixes)])
    return f"::{_COMMANDS[d.severity]} {listed}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _one_line(text: str) -> str:
    return visible(" ".join(text.splitlines()))
