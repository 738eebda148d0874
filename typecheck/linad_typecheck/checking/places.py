"""Canonical file names: findings in a helper's file carry the name that the command line would give to that file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

from ..diagnostics import Diagnostic
from ..span import Span


class Names:
    """The names of files as given on the command line. Imports lead to files by absolute paths."""

    def __init__(self, given: Iterable[str]) -> None:
        given = list(given)
        self._names = {os.path.abspath(name): name for name in reversed(given)}
        absolute = bool(given) and all(map(os.path.isabs, given))  # then all files are named by absolute paths
        self._here = None if absolute else os.path.join(os.getcwd(), "")

    def of(self, file: str) -> str:
        """The given name of a file; for other files the path relative to the current folder, if it is inside."""
        if file not in self._names and self._here is not None and file.startswith(self._here):
            return os.path.relpath(file, self._here)
        return self._names.get(file, file)

    def told(self, d: Diagnostic) -> Diagnostic:
        """A finding whose positions carry these file names."""
        if not any(map(os.path.isabs, (d.span.file, *(x.span.file for x in d.labels)))):
            return d
        labels = tuple(replace(x, span=self._span(x.span)) for x in d.labels)
        fixes = tuple(replace(f, edits=tuple(replace(e, span=self._span(e.span)) for e in f.edits)) for f in d.fixes)
        return replace(d, span=self._span(d.span), labels=labels, fixes=fixes)

    def _span(self, span: Span) -> Span:
        return replace(span, file=self.of(span.file))
