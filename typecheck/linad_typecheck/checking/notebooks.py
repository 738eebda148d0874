"""Notebooks: the code cells of an ``.ipynb`` file as one program, and findings mapped back to cells.

The cells are concatenated, each after a comment with its number, so that cells can be identified again after fixes have
inserted lines. Text that only IPython understands is blanked, and restored afterwards.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from ..diagnostics import Diagnostic
from ..frozen import frozen
from ..span import Span

SUFFIX = ".ipynb"
_MAGIC = re.compile(r"\s*[%!]|.*\?\s*$")
_ASSIGNED = re.compile(r"(\s*[^\W\d][\w, ]*=\s*)[%!](?!=)")
_WHOLE = re.compile(r"\s*%%(\w+)")
# cell magics whose cell is still Python
_PYTHON = ("time", "timeit", "capture", "prun", "python", "python3", "pypy")
_BEGINS = re.compile(r"# cell (\d+) of this notebook\n")
_KEPT = re.compile(r"  #~(\d+)$")


def plain_python(lines: tuple[str, ...]) -> list[str]:
    """The lines of a cell without magics and shell commands. The number of lines and the positions of the rest are
    unchanged."""
    cell = _WHOLE.match(next((line for line in lines if line.strip()), ""))
    if cell and cell[1] not in _PYTHON:
        return [""] * len(lines)
    if not any(_MAGIC.match(line) or _ASSIGNED.match(line) for line in lines) or _parses("\n".join(lines)):
        return list(lines)
    return [_without_magic(line) for line in lines]


def _without_magic(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip())]
    if _MAGIC.match(line) and not line.lstrip().startswith("#"):
        return f"{indent}pass"
    assigned = _ASSIGNED.match(line)
    return f"{assigned[1]}print()" if assigned else line  # a value of unknown type


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


class NoNotebook(ValueError):
    """Raised for a file that is not a Python notebook."""


@frozen
class Notebook:
    """A notebook with the name of its file. ``cells``: the sources of its code cells with their numbers among all
    cells, from 1."""

    name: str
    raw: str
    cells: tuple[tuple[int, str], ...]

    @cached_property
    def text(self) -> str:
        """The whole program."""
        return "".join(f"# cell {n} of this notebook\n{_program(source)}\n" for n, source in self.cells)

    @cached_property
    def _firsts(self) -> list[tuple[int, int]]:
        """For each cell, the program line of its comment, and its number."""
        lines = enumerate(self.text.split("\n"), 1)
        return [(k, int(found[1])) for k, line in lines if (found := _BEGINS.match(f"{line}\n"))]

    def place(self, line: int) -> tuple[int, int]:
        """The cell that contains a program line, and the line number in it."""
        first, number = next(((k, n) for k, n in reversed(self._firsts) if k <= line), (0, 1))
        return number, max(line - first, 1)

    def told(self, d: Diagnostic, in_file: bool = False) -> Diagnostic:
        """A finding in the program as a finding in a cell. ``in_file``: with the line number in the notebook's file."""

        def span(s: Span) -> Span:
            if s.file != self.name:
                return s
            number, line = self.place(s.line)
            if in_file:
                at = self._lines_of_file.get((number, line), 1)
                return Span(s.file, at, 1, at, 1)
            return Span(f"{s.file}:cell {number}", line, s.column, line + s.end_line - s.line, s.end_column)

        labels = tuple(replace(x, span=span(x.span)) for x in d.labels)
        fixes = tuple(replace(f, edits=tuple(replace(e, span=span(e.span)) for e in f.edits)) for f in d.fixes)
        if in_file:  # edits apply to the text, not to its form in the file
            fixes = tuple(replace(f, edits=()) for f in fixes)
        return replace(d, span=span(d.span), labels=labels, fixes=fixes)

    def sources(self) -> Iterator[tuple[str, str]]:
        """The names of the cells in findings, and their texts."""
        for number, source in self.cells:
            yield f"{self.name}:cell {number}", source

    @cached_property
    def _lines_of_file(self) -> dict[tuple[int, int], int]:
        """The line of the file that contains each line of each cell, where there is such a line."""
        from json import dumps

        found: dict[tuple[int, int], int] = {}
        at = 0
        for number, source in self.cells:
            for k, line in enumerate(source.splitlines(keepends=True), 1):
                written = (dumps(line, ensure_ascii=a) for a in (False, True))
                place = next((p for w in written if (p := self.raw.find(w, at)) >= 0), -1)
                if place >= 0:
                    found[number, k] = self.raw.count("\n", 0, place) + 1
                    at = place + 1
        return found

    # -- after repairs

    def with_text(self, text: str) -> Notebook:
        """The notebook whose program is changed to ``text``."""
        _, *parts = _BEGINS.split(text)
        changed = dict(zip(map(int, parts[::2]), parts[1::2], strict=True))
        cells = tuple((n, _original(s, changed[n]) if n in changed else s) for n, s in self.cells)
        if cells == self.cells:
            return self
        return replace(self, raw=_written(self.raw, dict(cells)), cells=cells)


def notebook(raw: str, name: str) -> Notebook:
    """A notebook from the text of its file.

    Raises
    ------
    NoNotebook
        If the text is not a notebook, or not one of Python.
    """
    cells = _cells(_loaded(raw))
    code = ((k, c.get("source", "")) for k, c in enumerate(cells, 1) if c.get("cell_type") == "code")
    return Notebook(name, raw, tuple((k, "".join(s) if isinstance(s, list) else s) for k, s in code))


def _loaded(raw: str) -> dict[str, Any]:
    from json import loads

    try:
        found = loads(raw)
    except (ValueError, RecursionError) as error:
        raise NoNotebook(f"not a notebook: {error}") from None
    if not isinstance(found, dict) or not all(isinstance(c, dict) for c in _cells(found)):
        raise NoNotebook("not a notebook of format 4")
    about = found.get("metadata") or {}
    language = (
        (about.get("language_info") or {}).get("name") or (about.get("kernelspec") or {}).get("language") or "python"
    )
    if str(language).lower() not in ("python", "ipython"):
        raise NoNotebook(f"a notebook of {language}")
    return found


def _cells(found: object) -> list[Any]:
    cells = found.get("cells") if isinstance(found, dict) else None
    if not isinstance(cells, list):
        raise NoNotebook("not a notebook of format 4")
    return cells


def _program(source: str) -> str:
    """A cell as plain Python, with a mark for each line that was removed."""
    lines = tuple(source.split("\n"))
    plain = plain_python(lines)
    return "\n".join(
        p if p in (line, "") else f"{p}  #~{k}" for k, (p, line) in enumerate(zip(plain, lines, strict=True))
    )


def _original(source: str, text: str) -> str:
    """A cell after fixes, with the removed lines restored."""
    if text == _program(source) + "\n":
        return source
    before = source.split("\n")
    lines = text.removesuffix("\n").split("\n")
    return "\n".join(before[int(kept[1])] if (kept := _KEPT.search(line)) else line for line in lines)


def _written(raw: str, cells: dict[int, str]) -> str:
    """The file with new sources, in its original format."""
    from json import dumps

    found = _loaded(raw)
    for k, cell in enumerate(found["cells"], 1):
        if k in cells:
            several = isinstance(cell.get("source"), list)
            cell["source"] = cells[k].splitlines(keepends=True) if several else cells[k]
    indent = re.search(r"\n(\s+)\S", raw)
    text = dumps(found, indent=indent[1] if indent else None, ensure_ascii=raw.isascii())
    return text + "\n" * raw.endswith("\n")
