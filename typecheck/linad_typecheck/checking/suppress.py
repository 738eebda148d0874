"""Suppression comments ``# linad: ignore[slug]``: they suppress warnings and facts of their line, never errors."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from ..codes import CODES
from ..diagnostics import Diagnostic, Edit
from ..frozen import frozen
from ..messages.internal import UnusedSuppression
from ..source import SourceFile
from ..span import Span

_COMMENT = re.compile(r"#\s*linad:\s*ignore\b(?:\[([^\]]*)\])?")
_WORD = re.compile(r"[^\W\d]\w*")
_SLUGS = {**{row.code: slug for slug, row in CODES.items()}, **{slug: slug for slug in CODES}}


@frozen
class Ignored:
    """A suppression comment: the names in its brackets as written, its position, and its line."""

    names: tuple[str, ...]
    span: Span
    line: str = ""


def without_ignored(source: SourceFile, found: list[Diagnostic], checked: Iterable[ast.AST] = ()) -> list[Diagnostic]:
    """The findings without those that the comments of a file suppress, and with a report of each comment that
    suppresses nothing.

    ``checked``: the functions of the file that were checked. Comments in functions that none of them can reach are not
    reported: other files may call these functions.
    """
    if "linad:" not in source.text:
        return found
    kept, judged = list(found), None
    for comment in comments(source):
        line = comment.span.line
        here = [d for d in kept if d.span.file == source.name and d.span.line == line]
        used = {d.slug for d in here if d.severity != "error"} & {_SLUGS.get(n, "") for n in comment.names}
        kept = [d for d in kept if d not in here or d.slug not in used]
        unused = list(_unused(comment, used, {d.slug for d in here}))
        if unused and set(comment.names) & _SLUGS.keys():
            judged = judged or _reached(source, checked)
            unused = unused if any(first <= line <= last for first, last in judged) else []
        kept += unused
    return kept


def without_ignored_elsewhere(found: Iterable[Diagnostic], files: Mapping[str, SourceFile]) -> list[Diagnostic]:
    """The findings without those that comments in other files, those of helpers, suppress."""
    kept = list(found)
    for name in {d.span.file for d in kept} & files.keys():
        if "linad:" in files[name].text:
            silent = {(c.span.line, _SLUGS.get(n)) for c in comments(files[name]) for n in c.names}
            kept = [
                d for d in kept if d.severity == "error" or d.span.file != name or (d.span.line, d.slug) not in silent
            ]
    return kept


def _reached(source: SourceFile, checked: Iterable[ast.AST]) -> list[tuple[int, int]]:
    """The line ranges of the statements of a module that contain checked functions, of the definitions that these
    name, and of all statements without a function definition."""
    lines = [
        (min([s.lineno, *(d.lineno for d in getattr(s, "decorator_list", ()))]), s.end_lineno) for s in source.tree.body
    ]
    own = [node.lineno for node in checked]
    waiting = [k for k, (first, last) in enumerate(lines) if any(first <= n <= last for n in own)]
    seen = {k for k, s in enumerate(source.tree.body) if not any(isinstance(n, ast.FunctionDef) for n in ast.walk(s))}
    seen.update(waiting)
    while waiting:
        first, last = lines[waiting.pop()]
        words = set(_WORD.findall("\n".join(source.lines[first - 1 : last])))
        new = [k for k, s in enumerate(source.tree.body) if k not in seen and getattr(s, "name", None) in words]
        seen.update(new)
        waiting += new
    return [lines[k] for k in seen] + _between(lines)


def _between(lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The line ranges outside all statements."""
    ends = [0, *(last for _, last in lines)]
    starts = [*(first for first, _ in lines), sys.maxsize]
    return [(end + 1, start - 1) for end, start in zip(ends, starts, strict=True)]


def silenced(slug: str, line: str) -> bool:
    """Whether a comment in a line suppresses a warning."""
    names = (n.strip() for m in _COMMENT.finditer(line) for n in (m[1] or "").split(","))
    return any(_SLUGS.get(n) == slug for n in names)


def comments(source: SourceFile) -> Iterator[Ignored]:
    """The suppression comments of a text that parses."""
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
    facts = {slug for slug, row in CODES.items() if row.severity == "information"}
    kept = tuple(n for n in comment.names if _SLUGS.get(n) in used | facts)
    first = True
    for name in comment.names:
        slug = _SLUGS.get(name)
        if slug in used or slug in facts:  # facts are reported on request only
            continue
        near = "" if slug else next(iter(get_close_matches(name, list(_SLUGS), 1)), "")
        why = "is not reported in this line" if slug else "is not a code of linad"
        if slug in reported:
            why = "is an error, and errors cannot be silenced"
        remove = _without(comment, kept) if first else ()  # the first report of a comment removes all its unused names
        yield UnusedSuppression(comment.span, name, why, near, remove).diagnostic()
        first = False


def _without(comment: Ignored, kept: tuple[str, ...]) -> tuple[Edit, ...]:
    """The edit that leaves only the names ``kept`` in a comment. With none, the comment and the blanks before it are
    removed."""
    s = comment.span
    if kept:
        return (Edit(s, f"# linad: ignore[{', '.join(kept)}]"),)
    before, after = comment.line[: s.column - 1], comment.line[s.end_column - 1 :]
    if after.strip() and not after.lstrip().startswith("#"):
        return (Edit(s, "#"),)  # an explanation follows, which remains a comment
    start, end = len(before.rstrip()) + 1, s.end_column
    if after.strip():  # another comment follows, which keeps its position
        start, end = len(before) + 1, s.end_column + len(after) - len(after.lstrip())
    return (Edit(Span(s.file, s.line, start, s.line, end), ""),)
