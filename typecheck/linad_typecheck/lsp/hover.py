"""Hovers: information about the name under the pointer, and about its line."""

from __future__ import annotations

from collections.abc import Iterator

from .analysis import Analysis
from .convert import Client
from .names import Word, facts_of, scope_of, states, type_at, word_at
from .remarks import remarks
from .sheet import Json, Sheet

_TOLD = ("borrowed", "moved", "copied")  # already contained in the facts about the name


def hover(analysis: Analysis, sheet: Sheet, line: int, column: int, client: Client, derivative: bool) -> Json | None:
    """The hover at a position; None if there is nothing to show."""
    word = word_at(analysis, line, column)
    about = list(dict.fromkeys(_of_name(analysis, word))) if word is not None and not word.attribute else []
    lines = list(dict.fromkeys(_of_line(analysis, line, derivative)))
    if not about and not lines:
        return None
    text = _markdown(about, line, lines) if client.markdown else "\n".join([*about, *lines])
    found: Json = {"contents": {"kind": "markdown" if client.markdown else "plaintext", "value": text}}
    if word is not None and about:
        found["range"] = sheet.location(word.span, client.encoding)["range"]
    return found


def _of_name(analysis: Analysis, word: Word) -> Iterator[str]:
    for p in analysis.around(word.span.line):
        first, last = scope_of(p, word.span.line)
        if not first <= word.span.line <= last:
            continue
        found = type_at(facts_of(p, word.span.line, word.name), word.span.line)
        if found is not None:
            yield f"`{word.name}`: {found}"
            yield from states(p, word)
    for d in analysis.diagnostics:
        if d.span.line == word.span.line and d.span.column <= word.span.column < d.span.end_column:
            yield d.message


def _of_line(analysis: Analysis, line: int, derivative: bool) -> Iterator[str]:
    for p in analysis.around(line):
        for f in p.record.checked.facts:
            if f.kind in ("move", "borrow", "copy") and p.moved(f).span.line == line:
                yield f"{f.kind}: {f.name}" + (f" ({f.reason})" if f.reason else "")
        if derivative:
            yield from (f"{kind}: {text}" for at, kind, text in remarks(p) if at == line and kind not in _TOLD)


def _markdown(about: list[str], line: int, lines: list[str]) -> str:
    parts = []
    if about:
        first, *rest = about
        parts.append(
            "\n".join([first, *(f"- {text}" for text in rest)])
            if not rest
            else f"{first}\n\n" + "\n".join(f"- {t}" for t in rest)
        )
    if lines:
        parts.append(f"line {line}\n\n" + "\n".join(f"- {t}" for t in lines))
    return "\n\n---\n\n".join(parts)
