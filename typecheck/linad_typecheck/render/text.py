"""The full text format: a header, the source lines with all positions marked, and help with a preview of the fix."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Mapping

from ..diagnostics import Diagnostic, Edit, Fix
from ..frozen import frozen
from ..ownership.rules import RULES
from ..source import SourceFile
from .columns import shown, visible
from .marks import Mark, Row, rows

Sources = Mapping[str, SourceFile | str]

_COLOURS = {
    "error": "1;31",
    "warning": "1;33",
    "information": "1;36",
    "gutter": "1;34",
    "secondary": "1;34",
    "bold": "1",
    "insert": "32",
}


@frozen
class _Page:
    """The source of lines, and the colours, for one call."""

    sources: Sources
    colour: bool

    def paint(self, style: str, text: str) -> str:
        return f"\033[{_COLOURS[style]}m{text}\033[0m" if self.colour and text else text

    def line(self, file: str, number: int) -> str | None:
        """A source line by its number in the file; None if it does not exist."""
        source = self.sources.get(file)
        if source is None:
            text = linecache.getline(file, number) if number > 0 else ""
            return text.rstrip("\r\n") if text else None
        if isinstance(source, str):
            source = SourceFile(file, source)
        index = number - source.first_line
        return source.lines[index] if 0 <= index < len(source.lines) else None


def render_text(diagnostics: Iterable[Diagnostic], sources: Sources | None = None, *, colour: bool = False) -> str:
    """Diagnostics with the source lines, in the given order.

    Parameters
    ----------
    diagnostics
        What to print.
    sources
        The text of files by name, for files that are not on disk or have changed there. Other files are read.
    colour
        Whether to use ANSI colours.
    """
    page = _Page(sources or {}, colour)
    return "\n\n".join("\n".join(_diagnostic(d, page)) for d in diagnostics)


def _diagnostic(d: Diagnostic, page: _Page) -> list[str]:
    places = [(d.span, d.label, True), *((x.span, x.message, False) for x in d.labels)]
    numbers = [span.line for span, _, _ in places] + [e.span.line for fix in d.fixes for e in fix.edits]
    gutter = len(str(max(numbers)))
    out = [page.paint(d.severity, f"{d.severity}[{d.code}]") + page.paint("bold", f": {visible(d.message)}")]
    files = list(dict.fromkeys(span.file for span, _, _ in places))
    for file in files:
        marks: dict[int, list[Mark]] = {}
        for span, label, primary in places:
            text = page.line(file, span.line) if span.file == file else None
            if text is not None:
                line = shown(text)
                end = span.end_column if span.end_line == span.line else len(text.rstrip()) + 1
                start = line.cell(span.column)
                mark = Mark(start, max(line.cell(end), start + 1), visible(label), primary)
                marks.setdefault(span.line, []).append(mark)
        if file == d.span.file and d.span.line > 0:
            out.append(" " * gutter + page.paint("gutter", "--> ") + f"{_file(file)}:{d.span.line}:{d.span.column}")
        elif marks:
            first = next(span for span, _, _ in places if span.file == file)
            out.append(" " * gutter + page.paint("gutter", "::: ") + f"{_file(file)}:{first.line}:{first.column}")
        if marks:
            out += [_bar(gutter, page), *_snippet(file, marks, gutter, d.severity, page)]
    out.append(_bar(gutter, page))
    for note in d.notes:
        out.append(_equals(gutter, "note", note, page))
    if d.rule:
        out.append(_equals(gutter, f"rule {d.rule}", RULES[d.rule].statement, page))
    for fix in d.fixes:
        out += _help(fix, gutter, page)
    out.append(_equals(gutter, "more", f"linad explain {d.slug}", page))
    return out


def _file(name: str) -> str:
    return visible(name.replace("\n", " "))


def _snippet(file: str, marks: Mapping[int, list[Mark]], gutter: int, severity: str, page: _Page) -> list[str]:
    out: list[str] = []
    previous = None
    for number in sorted(marks):
        if previous is not None and number == previous + 2:
            out.append(_numbered(number - 1, page.line(file, number - 1) or "", gutter, page))
        elif previous is not None and number > previous + 1:
            out.append(page.paint("gutter", "..."))
        out.append(_numbered(number, page.line(file, number) or "", gutter, page))
        for row in rows(marks[number]):
            out.append(f"{_bar(gutter, page)} {_row(row, severity, page)}")
        previous = number
    return out


def _row(row: Row, severity: str, page: _Page) -> str:
    text, cell = "", 0
    for piece in row:
        text += " " * (piece.cell - cell) + page.paint(severity if piece.primary else "secondary", piece.text)
        cell = piece.cell + len(piece.text)
    return text


def _bar(gutter: int, page: _Page) -> str:
    return " " * (gutter + 1) + page.paint("gutter", "|")


def _numbered(number: int, text: str, gutter: int, page: _Page, sign: str = "|") -> str:
    line = shown(text).text
    return page.paint("gutter", f"{number:>{gutter}} {sign}") + (f" {line}" if line else "")


def _equals(gutter: int, word: str, text: str, page: _Page) -> str:
    indent = " " * (gutter + 1)
    first, *more = visible(text).split("\n")
    return "\n".join([indent + page.paint("gutter", "= ") + page.paint("bold", f"{word}: ") + first, *more])


def _help(fix: Fix, gutter: int, page: _Page) -> list[str]:
    out = [page.paint("information", "help") + f": {visible(fix.message)}"]
    for number in sorted({e.span.line for e in fix.edits}):
        out += _preview([e for e in fix.edits if e.span.line == number], number, gutter, page)
    return out


def _preview(edits: list[Edit], number: int, gutter: int, page: _Page) -> list[str]:
    """The line after the fix, with new text underlined. Entirely new lines are shown with a plus sign."""
    text = page.line(edits[0].span.file, number)
    if text is None or any(e.span.end_line != number for e in edits):
        return []
    new, signs, at = "", "", 0
    for e in sorted(edits, key=lambda e: e.span.column):
        kept = text[at : e.span.column - 1]
        new, signs = new + kept + e.text, signs + " " * len(kept)
        signs += ("+" if e.span.column == e.span.end_column else "~") * len(e.text)
        at = e.span.end_column - 1
    new, signs = new + text[at:], signs + " " * (len(text) - at)
    if "\n" in new:
        old = text.split("\n")
        pieces = new.split("\n")
        return [_numbered(number + k, p, gutter, page, "|" if p in old else "+") for k, p in enumerate(pieces)]
    line = shown(new)
    under = [" "] * (line.starts[-1])
    for k, sign in enumerate(signs):
        under[line.starts[k] : line.starts[k + 1]] = sign * (line.starts[k + 1] - line.starts[k])
    marked = "".join(under).rstrip()
    out = [_numbered(number, new, gutter, page)]
    if marked:
        indent = len(marked) - len(marked.lstrip())
        out.append(f"{_bar(gutter, page)} {' ' * indent}{page.paint('insert', marked.lstrip())}")
    return out
