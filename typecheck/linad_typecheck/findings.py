"""All findings about a file: every decorated function and what it reaches, in order, each reported once."""

from __future__ import annotations

import io
import os
import re
import tokenize
from collections.abc import Iterable
from pathlib import Path

from .diagnostics import Diagnostic
from .messages.internal import InternalError, NotPython, UnusedSuppression
from .scope import FunctionSource
from .signature import Checked
from .source import SourceFile
from .span import Span
from .static_scope import decorated_functions, first_line

_IGNORE = re.compile(r"#\s*linad:\s*ignore\[([^\]]*)\]")


def check_source(text: str, filename: str = "<text>") -> list[Diagnostic]:
    """Check every function of a program text that `linad.linear_grad` decorates, with what it calls.

    Nothing is imported and nothing is run. Sibling files that the text imports are read to check the functions called.

    Parameters
    ----------
    text
        A module's source.
    filename
        Its name, for messages and to find the files it imports.

    Returns
    -------
    list of Diagnostic
        In order of place; a text that is not Python gives one, about the syntax.
    """
    source = SourceFile(filename, text)
    try:
        functions = decorated_functions(source)
    except SyntaxError as error:
        return [_syntax(source, error)]
    except (ValueError, RecursionError, MemoryError) as error:  # null bytes, nesting beyond the parser
        return [NotPython(Span(filename, 1, 1, 1, 1), str(error) or "too deeply nested").diagnostic()]
    found = [d for function in functions for d in _check(function)]
    return ordered(_without_ignored(source, found))


def check_file(path: str | os.PathLike[str]) -> list[Diagnostic]:
    """`check_source` of a file, whose encoding is found as Python finds it."""
    return check_source(read(path), str(path))


def read(path: str | os.PathLike[str]) -> str:
    """The text of a Python file; UnicodeDecodeError or SyntaxError where its encoding is not what it says."""
    data = Path(path).read_bytes()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return io.TextIOWrapper(io.BytesIO(data), encoding, newline=None).read()


def ordered(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Each finding once, by place. Of two that say the same of one place the first stays."""
    unique = {(d.code, d.span, d.message): d for d in reversed(list(diagnostics))}
    return sorted(unique.values(), key=lambda d: (d.span.file, d.span.line, d.span.column, d.code, d.message))


def _check(function: FunctionSource) -> tuple[Diagnostic, ...]:
    from .check import check

    try:
        checked = check(function, {})
        return (*checked.diagnostics, *_zero_gradients(function, checked))
    except Exception as error:  # a defect here must not hide what is found elsewhere
        source, line = function.source, first_line(function.node)
        place = Span(source.name, line, 1, line, len(source.lines[line - 1]) + 1)
        shown = f"{type(error).__name__}: {error}".splitlines()[0]
        return (InternalError(place, function.name, shown).diagnostic(),)


def _zero_gradients(function: FunctionSource, checked: Checked) -> tuple[Diagnostic, ...]:
    from .activity import zero_gradients

    if checked.program is None or checked.signature is None:
        return ()
    a, source = function.node.args, function.source
    parameters = [p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
    places = {p.arg: source.span(p) for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
    if function.wrt is not None:
        wanted = {parameters[w] if isinstance(w, int) else w for w in function.wrt}
        places = {name: span for name, span in places.items() if name in wanted}
    return tuple(m.diagnostic() for m in zero_gradients(checked.program, checked.signature, places))


def _syntax(source: SourceFile, error: SyntaxError) -> Diagnostic:
    line, column = max(error.lineno or 1, 1), max(error.offset or 1, 1)
    last = (error.end_offset or column + 1) if error.end_lineno == error.lineno else column + 1
    return NotPython(Span(source.name, line, column, line, max(last, column + 1)), error.msg).diagnostic()


def _without_ignored(source: SourceFile, found: list[Diagnostic]) -> list[Diagnostic]:
    """Leave out warnings and facts that a ``# linad: ignore[slug]`` of their line silences; errors always stay."""
    if "linad:" not in source.text:
        return found
    kept, used = list(found), set()
    ignored = _ignored(source)
    for d in found:
        slugs = ignored.get(d.span.line, {}) if d.span.file == source.name else {}
        name = next((n for n in (d.slug, d.code) if n in slugs), None)
        if name is not None and d.severity != "error":
            kept.remove(d)
            used.add((d.span.line, name))
    for line, slugs in ignored.items():
        kept += [UnusedSuppression(span, n).diagnostic() for n, span in slugs.items() if (line, n) not in used]
    return kept


def _ignored(source: SourceFile) -> dict[int, dict[str, Span]]:
    """The slugs or codes silenced, by line, with the place of the comment."""
    found: dict[int, dict[str, Span]] = {}
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        match = _IGNORE.search(token.string) if token.type == tokenize.COMMENT else None
        if match:
            line = token.start[0]
            span = Span(source.name, line, token.start[1] + 1 + match.start(), line, token.start[1] + 1 + match.end())
            for slug in match[1].split(","):
                found.setdefault(line, {})[slug.strip()] = span
    return found
