"""The two-column table: the user's lines on the left, the adjoint statements that each produces on the right."""

from __future__ import annotations

import html
import shutil
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field

from linad_typecheck.ir.core import Alloc, Function, all_names, defined, walk

from .readable import Line, readable

HEADING = ("primal: read downwards", "adjoint: then read upwards")


@dataclass(frozen=True)
class Row:
    """A source line and its adjoint statements in display order: the last one runs first."""

    number: int
    primal: str
    adjoint: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """The table of one function. Prints as text as wide as the terminal, and as HTML in a notebook."""

    name: str
    rows: tuple[Row, ...]
    above: tuple[str, ...] = ()  # adjoint statements without a source line: setup of the reverse sweep
    page: Callable[[], str] | None = field(default=None, compare=False, repr=False)  # full HTML page, if available

    def __str__(self) -> str:
        return self.text(shutil.get_terminal_size((100, 24)).columns)

    def __repr__(self) -> str:
        return str(self)

    def text(self, width: int = 100) -> str:
        """The table in box-drawing characters, at most ``width`` columns wide if its lines allow."""
        digits = max([len(str(r.number)) for r in self.rows], default=1)
        left = max([_width(HEADING[0]), *(_width(r.primal) for r in self.rows)])
        right = max([_width(HEADING[1]), *(_width(t) for r in self.rows for t in r.adjoint), *map(_width, self.above)])
        spare = max(width - digits - 10, 24)
        if left + right > spare:
            left = min(left, max(spare // 2, spare - right))
            right = max(12, min(right, spare - left))

        def rule(a: str, b: str, c: str) -> str:
            return a + "─" * (digits + 2) + b + "─" * (left + 2) + b + "─" * (right + 2) + c

        def line(number: str, a: str, b: str) -> str:
            return f"│ {number:>{digits}} │ {_pad(a, left)} │ {_pad(b, right)} │"

        out = [rule("┌", "┬", "┐"), line("", *HEADING), rule("├", "┼", "┤")]
        for row in self.rows:
            primal = _wrapped(row.primal, left)
            adjoint = [piece for t in row.adjoint for piece in _wrapped(t, right)]
            for k in range(max(len(primal), len(adjoint))):
                number = str(row.number) if k == 0 else ""
                out.append(line(number, primal[k] if k < len(primal) else "", adjoint[k] if k < len(adjoint) else ""))
        if self.above:
            out.append(rule("├", "┼", "┤"))
            out += [line("", "", piece) for t in self.above for piece in _wrapped(t, right)]
        return "\n".join([*out, rule("└", "┴", "┘")])

    def _repr_html_(self) -> str:
        if self.page is not None:
            return self.page()

        def cell(lines: tuple[str, ...]) -> str:
            return f"<td style='text-align:left'><pre style='margin:0'>{html.escape(chr(10).join(lines))}</pre></td>"

        head = "".join(f"<th style='text-align:left'>{html.escape(h)}</th>" for h in ("", *HEADING))
        rows = "".join(f"<tr><td>{r.number}</td>{cell((r.primal,))}{cell(r.adjoint)}</tr>" for r in self.rows)
        rows += f"<tr><td></td><td></td>{cell(self.above)}</tr>" if self.above else ""
        return f"<table><caption>{html.escape(self.name)}</caption><tr>{head}</tr>{rows}</table>"


def make_table(name: str, source: dict[int, str], primal: Function, derivative: Function) -> Table:
    """Make the table of a function.

    Parameters
    ----------
    source
        The user's lines by number.
    primal
        The program that was differentiated.
    derivative
        Its derivative program, whose statements carry the spans of the primal statements they come from.
    """
    lines = _of_reverse(derivative, all_names(primal))
    of: dict[int, list[str]] = {n: [] for n in source}
    above: list[str] = []
    shallow = min((x.depth for x in lines), default=0)
    for k, x in enumerate(lines):
        text = "    " * (x.depth - shallow) + x.text
        # a line without a number, e.g. a log address, belongs to the next line with one
        number = next((y.number for y in lines[k:] if y.number in of), 0)
        (of[number] if number else above).append(text)
    rows = tuple(Row(n, source[n], tuple(reversed(of[n]))) for n in sorted(source))
    return Table(name, rows, tuple(reversed(above)))


def _of_reverse(derivative: Function, primal: set[str]) -> list[Line]:
    """The lines of the reverse sweep, and the log stores of the forward sweep.

    Lines of the reverse sweep either compute adjoints or obtain primal values for them.
    """
    lines = readable(derivative)
    bars = {v.name for v in defined(derivative) if v.adjoint} - primal
    logs = {s.out.name for s in walk(derivative.body) if isinstance(s, Alloc) and s.log != "no"}
    wanted = {n for x in lines if x.defines & bars for n in x.uses}
    for x in reversed(lines):
        if x.defines & wanted:
            wanted |= x.uses

    def kept(x: Line) -> bool:
        if x.head or not x.defines:
            return False
        if x.defines & (bars | logs):
            return True
        return bool(x.defines & wanted) and not x.defines & primal

    keep = [kept(x) for x in lines]
    for k, x in enumerate(lines):  # keep the heads of loops and arms that contain a kept line
        if x.head:
            inside = range(k + 1, next((j for j in range(k + 1, len(lines)) if lines[j].depth <= x.depth), len(lines)))
            keep[k] = any(keep[j] for j in inside)
    return [x for x, k in zip(lines, keep, strict=True) if k]


# --------------------------------------------------------------------------------------------------------------- width


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)


def _pad(text: str, width: int) -> str:
    return text + " " * max(0, width - _width(text))


def _wrapped(text: str, width: int) -> list[str]:
    """Wrap text to a width, at spaces if there are any; continuation lines are indented."""
    pieces: list[str] = []
    indent = " " * min(len(text) - len(text.lstrip()) + 2, width // 2)
    while _width(text) > width:
        cut = text.rfind(" ", len(indent) + 1, width + 1)
        cut = cut if cut > len(indent) else width
        pieces.append(text[:cut].rstrip())
        text = indent + text[cut:].lstrip()
    return [*pieces, text]
