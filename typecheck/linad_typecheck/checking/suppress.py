"""Comments ``# linad: ignore[slug]``: they silence the warnings and facts of their line, never an error."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from ..codes import CODES
from ..diagnostics import Diagnostic, Edit
from ..messages.internal import UnusedSuppression
from ..source import SourceFile
from ..span import Span

_COMMENT = re.compile(r"#\s*linad:\s*ignore\b(?:\[([^\]]*)\])?")
_SLUGS = {**{row.code: slug for slug, row in CODES.items()}, **{slug: slug for slug in CODES}}


@dataclass(frozen=True)
class Ignored:
    """One comment: the names between its brackets as written, its place, and the line it is in."""

    names: tuple[str, ...]
    span: Span
    line: str = ""


def without_ignored(source: SourceFile, found: list[Diagnostic]) -> list[Diagnostic]:
    """Leave out what the comments of a file silence, and report those that silence nothing."""
    if "linad:" not in source.text:
        return found
    kept = list(found)
    for comment in comments(source):
        here = [d for d in kept if d.span.file == source.name and d.span.line == comment.span.line]
        used = {d.slug for d in here if d.severity != "error"} & {_SLUGS.get(n, "") for n in comment.names}
        kept = [d for d in kept if d not in here or d.slug not in used]
        kept += _unused(comment, used, {d.slug for d in here})
    return kept


def comments(source: SourceFile) -> Iterator[Ignored]:
    """The comments of a text that parses."""
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        match = _COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
        if match:
            line, start = token.start[0], token.start[1] + 1
            span = Span(source.name, line, start + match.start(), line, start + match.end())
            names = tuple(part.strip() for part in (match[1] or "").split(",") if part.strip())
            yield Ignored(names, span, source.lines[line - 1])


def _unused(comment: Ignored, used: set[str], reported: set[str]) -> Iterator[Diagnostic]:
    if not comment.names:
        why = "names nothing to silence: write `linad: ignore[slug]`"
        yield UnusedSuppression(comment.span, "linad: ignore", why, remove=_without(comment, ())).diagnostic()
    kept = tuple(n for n in comment.names if _SLUGS.get(n) in used)
    first = True
    for name in comment.names:
        slug = _SLUGS.get(name)
        if slug in used:
            continue
        near = "" if slug else next(iter(get_close_matches(name, list(_SLUGS), 1)), "")
        why = "is not reported in this line" if slug else "is not a code of linad"
        if slug in reported:
            why = "is an error, and errors cannot be silenced"
        remove = _without(comment, kept) if first else ()  # the first of a comment takes all that are unused away
        yield UnusedSuppression(comment.span, name, why, near, remove).diagnostic()
        first = False


def _without(comment: Ignored, kept: tuple[str, ...]) -> tuple[Edit, ...]:
    """The comment with the names ``kept`` alone; without any it goes, and the blanks before it."""
    s = comment.span
    if kept:
        return (Edit(s, f"# linad: ignore[{', '.join(kept)}]"),)
    before, after = comment.line[: s.column - 1], comment.line[s.end_column - 1 :]
    if after.strip() and not after.lstrip().startswith("#"):
        return (Edit(s, "#"),)  # what follows explains something: it stays a comment
    start, end = len(before.rstrip()) + 1, s.end_column
    if after.strip():  # another comment, which keeps the place
        start, end = len(before) + 1, s.end_column + len(after) - len(after.lstrip())
    return (Edit(Span(s.file, s.line, start, s.line, end), ""),)
