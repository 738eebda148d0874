"""Error recovery: broken parts of a text are replaced or removed, so that the rest can be checked.

In a top-level statement that does not parse, damaged lines are replaced (`mend.py`). If that fails, the statement is
replaced by empty lines, so that line numbers are preserved. The names that damaged lines mention are *lost*: their
meaning is unknown, and nothing is reported about them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..frozen import frozen
from ..source import parsed
from .mend import line_of, mended

_SHOWN = 20  # maximum number of syntax errors reported per file
_TRIES = 200  # maximum number of statements removed
_NAME = re.compile(r"[^\W\d]\w*")
_ANY_LINE = re.compile(r"\b(on |at )line (\d+)")
_CONTINUES = re.compile(r"(else|elif|except|finally)\b")
_BEGINS = re.compile(r"(async|class|def|for|from|if|import|try|while|with)\b|@|[^\W\d]\w*\s*(=|:)(?!=)")
_QUOTES = re.compile(r"""#[^\n]*|'''|\"\"\"|'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?""")


@frozen
class Recovered:
    """A text that parses. ``errors``: those of the replaced or removed lines. ``lost``: the names mentioned there."""

    text: str
    errors: tuple[SyntaxError, ...] = ()
    lost: frozenset[str] = frozenset()


@lru_cache(maxsize=64)
def recovered(text: str) -> Recovered:
    """The part of a text that can be parsed.

    Raises
    ------
    ValueError, RecursionError, MemoryError
        If the parser fails for another reason than a syntax error: null bytes, or a lack of memory.
    """
    lines: list[str] = []
    told: list[SyntaxError] = []
    lost: set[str] = set()
    try:
        error = _error(text)
    except (RecursionError, MemoryError):
        lines = _lines(text)
        told, lost = _too_deep(lines)
        text = "\n".join(lines)
        error = _error(text)
    if error is None:
        return Recovered(text, tuple(told), frozenset(lost))
    lines = lines or _lines(text)
    starts = _starts(lines)
    gone: set[int] = set()  # removed lines
    for _ in range(_TRIES):
        first, last = _statement(starts, min(line_of(error), len(lines)), len(lines))
        left = [k for k in range(first, last) if lines[k]]
        mend = mended(lines[first:last], _error) if left and first not in gone and len(told) < _SHOWN else None
        if mend is not None and mend[1]:
            new, damage = mend
            damaged = {first + k for k, _ in damage}
            for k, wrong in damage:
                line = lines[first + k].lstrip()
                # otherwise it may be a consequence of the error above
                if first + k - 1 not in gone | damaged or _BEGINS.match(line):
                    told.append(_placed(wrong, first))
            for k in range(first, last):
                if new[k - first] != lines[k]:
                    lost.update(_NAME.findall(lines[k]))
            gone.add(first)  # removed if it is still broken
            lines[first:last] = new
            error = _error("\n".join(lines))
            if error is None:
                return Recovered("\n".join(lines), tuple(told), frozenset(lost))
            continue
        if not left:  # the error is reported elsewhere than its cause, so recovery is not possible
            return Recovered("\n" * (len(lines) - 1), tuple(told or [error]), frozenset(_NAME.findall(text)))
        if len(told) < _SHOWN and (not told or first - 1 not in gone or _BEGINS.match(lines[first])):
            told.append(error)  # an error directly after a broken statement may be a consequence of it
        for k in left:
            lost.update(_NAME.findall(lines[k]))
            lines[k] = ""
        gone.update(range(first, last))
        error = _error("\n".join(lines))
        if error is None:
            return Recovered("\n".join(lines), tuple(told), frozenset(lost))
    return Recovered("\n" * (len(lines) - 1), tuple(told), frozenset(_NAME.findall(text)))


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _too_deep(lines: list[str]) -> tuple[list[SyntaxError], set[str]]:
    """Blank the statements that are nested too deeply for the parser: a single one prevents parsing all others."""
    told: list[SyntaxError] = []
    lost: set[str] = set()
    starts = [*_starts(lines), len(lines)]
    for first, last in zip(starts, starts[1:], strict=False):
        statement = lines[first:last]
        try:
            _error("\n".join(statement))
        except (RecursionError, MemoryError):
            worst = max(range(first, last), key=lambda k: len(lines[k]))
            column = len(lines[worst]) - len(lines[worst].lstrip()) + 1
            what = "an expression is too deeply nested for the parser"
            told.append(SyntaxError(what, (None, worst + 1, column, None, worst + 1, len(lines[worst]) + 1)))
            lost.update(n for line in statement for n in _NAME.findall(line))
            lines[first:last] = [""] * (last - first)
    return told, lost


def _error(text: str) -> SyntaxError | None:
    try:
        parsed(text)
    except SyntaxError as error:
        return error
    return None


def _placed(error: SyntaxError, first: int) -> SyntaxError:
    """An error in a part of the text that begins after ``first`` lines, positioned in the whole text."""
    line, end = (n + first if n else n for n in (error.lineno, error.end_lineno))
    what = _ANY_LINE.sub(lambda m: f"{m[1]}line {int(m[2]) + first}", error.msg or "")
    return type(error)(what, (error.filename, line, error.offset, error.text, end, error.end_offset))


def _starts(lines: list[str]) -> list[int]:
    """The indices of the lines at which statements of the module begin. Decorators belong to their definition."""
    inside = _inside_strings(lines)
    found: list[int] = []
    decorated = False
    for k, line in enumerate(lines):
        if not line or line[0] in " \t\f#)]}" or inside[k] or _CONTINUES.match(line):
            continue
        if not decorated:
            found.append(k)
        decorated = line[0] == "@"
    return found


def _inside_strings(lines: list[str]) -> list[bool]:
    """Whether each line begins inside a triple-quoted string. An opening quote that is never closed does not count."""
    inside = [False] * len(lines)
    text = "\n".join(lines)
    line, seen = 0, 0
    match = _QUOTES.search(text)
    while match:
        end = match.end()
        if match[0] in ("'''", '"""'):
            close = text.find(match[0], end)
            if close >= 0:
                line, first = line + text.count("\n", seen, close), line + text.count("\n", seen, match.start())
                seen = close
                inside[first + 1 : line + 1] = [True] * (line - first)
                end = close + 3
        match = _QUOTES.search(text, end)
    return inside


def _statement(starts: list[int], line: int, count: int) -> tuple[int, int]:
    """The range of lines (end exclusive) of the statement that contains a line."""
    before = [k for k in starts if k < line]
    first = before[-1] if before else 0
    return first, next((k for k in starts if k > first and k >= line), count)
