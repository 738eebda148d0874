"""Rendering of a function and its derivative as one HTML fragment without scripts or external resources.

Related lines of the program, its adjoint, its linear core and its facts carry the same number, and hovering over one
highlights all of them. Colours are translucent, so that they suit light and dark pages.
"""

from __future__ import annotations

import html
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from linad_typecheck.ir.core import Function, Program, walk
from linad_typecheck.ir.text import print_function
from linad_typecheck.facts import Fact
from linad_typecheck.types import FLOATS

from ..pipeline import linear, prepare
from .explain import Remark, explain_program
from .home import at_home
from .stages import stage_of
from .table import HEADING, Table

_STYLE = """\
ID { overflow-x: auto }
ID table { border-collapse: collapse; color: inherit; background: transparent }
ID caption, ID summary { text-align: left; padding: .3em 0; cursor: default }
ID summary { cursor: pointer }
ID th, ID td { text-align: left; vertical-align: top; padding: .1em .8em; border: 1px solid rgba(128, 128, 128, .35) }
ID td.n { text-align: right; opacity: .6 }
ID pre { margin: 0; padding: 0; white-space: pre; font-family: ui-monospace, monospace }
ID pre { color: inherit; background: none }
ID em { font-style: normal; font-weight: bold; opacity: .75 }
ID tr:focus { outline: 2px solid rgba(90, 140, 255, .8) }
"""
_LIT = "{ background: rgba(255, 170, 0, .28) }"
_SHELL = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ margin: 1.5em; font-family: system-ui, sans-serif; background: Canvas; color: CanvasText }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


@dataclass(frozen=True)
class Page:
    """The contents of a function's page. ``core``: the lines of the linear core with their source lines, 0 if none."""

    table: Table
    facts: tuple[Remark, ...]
    core: tuple[tuple[int, str], ...]
    numba: str

    def fragment(self) -> str:
        """The page as a single element, for embedding in another page."""
        body = "\n".join(
            [self._table(), self._facts(), self._core(), _folded("generated Numba source", _pre(self.numba))]
        )
        name = f"linad-{zlib.crc32(body.encode()):08x}"
        numbers = sorted({r.number for r in self.table.rows})
        lit = [f"#{name}:has([data-l='{n}']:is(:hover, :focus)) [data-l='{n}'] {_LIT}" for n in numbers]
        style = _STYLE.replace("ID ", f"#{name} ") + "\n".join(lit)
        return f'<div id="{name}">\n<style>\n{style}\n</style>\n{body}\n</div>'

    def document(self) -> str:
        """The page as a complete document."""
        return document(self.table.name, self.fragment())

    def _table(self) -> str:
        notes: dict[int, list[str]] = {}
        for r in self.facts:
            notes.setdefault(r.line, []).append(f"{r.kind}: {r.text}")
        head = "".join(f"<th>{html.escape(h)}</th>" for h in ("", *HEADING))
        rows = []
        for r in self.table.rows:
            title = html.escape("\n".join(notes.get(r.number, [])))
            cells = f'<td class="n">{r.number}</td><td title="{title}">{_pre(r.primal)}</td><td>{_pre(*r.adjoint)}</td>'
            rows.append(f'<tr tabindex="0" data-l="{r.number}">{cells}</tr>')
        if self.table.above:
            rows.append(f'<tr><td class="n"></td><td></td><td>{_pre(*self.table.above)}</td></tr>')
        body = "\n".join(rows)
        return f"<table>\n<caption>{html.escape(self.table.name)}</caption>\n<tr>{head}</tr>\n{body}\n</table>"

    def _facts(self) -> str:
        rows = [
            f'<tr data-l="{r.line}"><td class="n">{r.line}</td><td>{html.escape(r.kind)}</td>'
            f"<td>{html.escape(r.text)}</td></tr>"
            for r in self.facts
        ]
        return _folded("what happens on each line", "<table>\n" + "\n".join(rows) + "\n</table>") if rows else ""

    def _core(self) -> str:
        lines = [f'<pre data-l="{n}">{_marked(text)}</pre>' for n, text in self.core]
        return _folded("linear core: every array and float is used once, dup and drop are explicit", "\n".join(lines))


def _pre(*lines: str) -> str:
    return f"<pre>{html.escape(chr(10).join(lines))}</pre>"


def _marked(text: str) -> str:
    """A line of the core in HTML, with the statements that the checker inserted highlighted."""
    words = text.replace("(", " ").split()
    escaped = html.escape(text)
    for word in ("dup", "drop"):
        if word in words:
            escaped = escaped.replace(f"{word} ", f"<em>{word}</em> ", 1)
    return escaped


def _folded(title: str, body: str) -> str:
    return f"<details>\n<summary>{html.escape(title)}</summary>\n{body}\n</details>"


def document(title: str, body: str) -> str:
    """Wrap an HTML fragment in a complete document."""
    return _SHELL.format(title=html.escape(title), body=body)


def page_of(
    program: Program,
    wrt: Sequence[str] | None,
    lines: dict[int, str],
    facts: Iterable[Fact] = (),
    name: str = "",
    off: tuple[str, ...] = (),
) -> Page:
    """The page of a lowered program.

    Parameters
    ----------
    program
        The program lowered from the user's function.
    wrt
        Parameters of the core program to differentiate by; by default all floats.
    lines
        The user's lines by number.
    facts
        The checker's facts.
    name
        The function's name, if it differs from the name in the core.
    off
        Passes to disable.
    """
    table = stage_of(program, "table", wrt, lines, off)
    assert isinstance(table, Table)
    chosen = (
        tuple(wrt) if wrt is not None else tuple(p.var.name for p in program.main.params if p.var.type.dtype in FLOATS)
    )
    explanation = explain_program(name or program.entry, program, chosen, lines, tuple(facts), off=off)
    remarks = tuple(r for r in explanation.remarks if r.line in lines)
    functions = linear(prepare(at_home(program), off=off)).functions
    core = tuple(x for f in functions.values() for x in numbered(f, entry=f.name == program.entry))
    return Page(table, remarks, core, str(stage_of(program, "numba", wrt, lines, off)))


def numbered(f: Function, *, entry: bool) -> list[tuple[int, str]]:
    """The lines of a core function as printed, each with the source line of its statement."""
    statements = [s.span.line for s in walk(f.body)]
    printed = print_function(f, entry=entry).split("\n")
    own = [_states(line) for line in printed]
    if sum(own) != len(statements):
        return [(0, line) for line in printed]
    numbers = iter(statements)
    return [(next(numbers) if states else 0, line) for states, line in zip(own, printed, strict=True)]


def _states(line: str) -> bool:
    """Whether a printed line is the first one of a statement."""
    first = line.split(maxsplit=1)[0] if line.strip() else "}"
    return line.startswith(" ") and first not in ("}", "yield", "return") and not first.startswith("}")
