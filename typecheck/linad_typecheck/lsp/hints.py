"""Inlay hints: what the checker and the derivative add to a program, shown after the lines it belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..frozen import frozen
from ..span import Span
from .analysis import Analysis, Placed
from .convert import Client
from .names import inserted
from .remarks import remarks
from .settings import Settings
from .sheet import Json, Sheet


@frozen
class Hint:
    """A text shown after a line. ``kind`` is one of the kinds in the settings."""

    line: int
    kind: str
    text: str
    reason: str


def hints(analysis: Analysis, first: int, last: int, settings: Settings) -> list[Hint]:
    """The hints for a range of lines that the settings enable."""
    found: dict[Hint, None] = {}
    for p in analysis.functions:
        if p.record.checked.program is None:
            continue
        for hint in _of(p, settings):
            if first <= hint.line <= last and hint.kind in settings.hints:
                found[hint] = None
    return sorted(found, key=lambda h: h.line)


def _of(p: Placed, settings: Settings) -> Iterator[Hint]:
    file = p.record.function.source.name
    for kind, name, span in inserted(p.record):
        if span.file == file:
            yield Hint(p.moves.now(span.end_line), kind, f"{kind} {name}", _REASONS[kind])
    for f in p.record.checked.facts:
        if f.kind == "copy" and f.reason != "copied as written" and f.span.file == file:
            yield Hint(p.moves.now(f.span.end_line), "copy", f"copy {f.name}", f.reason)
        if f.kind == "move" and f.span.file == file:
            yield Hint(p.moves.now(f.span.end_line), "move", f"move {f.name}", f.reason)
    if {"loop", "logged"} & settings.hints:
        for line, kind, text in remarks(p):
            if kind == "loop":
                yield Hint(line, "loop", text.partition(":")[0].partition(",")[0], text)
            elif kind == "logged":
                yield Hint(line, "logged", "log", text)


_REASONS = {
    "dup": "used again below: in reverse its adjoints are added, in place",
    "drop": "not used below: in reverse its adjoint begins here, as zeros",
}


def shown(found: list[Hint], analysis: Analysis, sheet: Sheet, client: Client) -> list[Json]:
    """Hints in the protocol's form. Those of one line are combined, after its end."""
    by_line: dict[int, list[Hint]] = {}
    for h in found:
        by_line.setdefault(h.line, []).append(h)
    listed = []
    for line, here in by_line.items():
        if not 1 <= line <= len(analysis.lines.lines):
            continue
        end = len(analysis.lines.lines[line - 1].rstrip()) + 1
        where = sheet.location(Span(sheet.name, line, end, line, end), client.encoding)
        listed.append(
            {
                "uri": where["uri"],
                "position": where["range"]["start"],
                "label": ", ".join(dict.fromkeys(_label(h, here) for h in here)),
                "tooltip": "\n".join(dict.fromkeys(_tooltip(h) for h in here)),
                "paddingLeft": True,
            }
        )
    return listed


def _label(hint: Hint, here: list[Hint]) -> str:
    if hint.kind != "logged":
        return hint.text
    count = sum(h.kind == "logged" for h in here)
    return f"log {count} values" if count > 1 else f"log {re.split(r',| is ', hint.reason)[0]}"


def _tooltip(hint: Hint) -> str:
    match hint.kind:
        case "loop":
            return hint.reason
        case "logged":
            return f"logged: {hint.reason}"
    return f"{hint.text}: {hint.reason}"
