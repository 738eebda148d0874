"""Repair of a statement that does not parse: damaged lines are replaced by lines that do, so that the rest is checked.

The value that a damaged line computes is replaced by the name `LOST`, whose meaning is unknown: ``y = np.sum(x``
becomes ``y = LOST``. Line numbers are preserved, and so are the columns of what is kept of a line.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from ..names.scope import LOST

Parse = Callable[[str], "SyntaxError | None"]

_TRIES = 40  # maximum number of lines replaced in one statement
_QUOTES = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|#.*""")
_HEADER = re.compile(r"(if|elif|else|for|while|with|try|except|finally)\b")
_DEFINES = re.compile(r"(async\s+def|def|class)\b")
_ENDS = re.compile(r"(return|raise)\b")
_STORES = re.compile(r"(.*?[^=!<>:+*/%&|^@-])\s*(?:[-+*/%&|^@]|\*\*|//|<<|>>)?=(?!=)")
_TRY = re.compile(r"\s*try\b")
_ON_LINE = re.compile(r"on line (\d+)$")


def line_of(error: SyntaxError) -> int:
    """The line number of a syntax error. Python reports a missing block at the line after it."""
    where = _ON_LINE.search(error.msg or "") if isinstance(error, IndentationError) else None
    return int(where[1]) if where else max(error.lineno or 1, 1)


def mended(lines: list[str], parse: Parse) -> tuple[list[str], list[tuple[int, SyntaxError]]] | None:
    """The lines of a statement, repaired so that they parse, and the errors with the indices of the damaged lines.

    None if the damaged lines cannot be identified.
    """
    now = list(lines)
    found: list[tuple[int, SyntaxError]] = []
    for _ in range(_TRIES):
        error = parse("\n".join(now))
        if error is None:
            return now, found
        k = min(line_of(error), len(now)) - 1
        if "expected 'except'" in (error.msg or ""):  # Python reports it at the next statement
            k = next((j for j in range(k - 1, -1, -1) if _TRY.match(now[j])), k)
        if not now[k].strip():
            return None
        if k not in dict(found):
            found.append((k, error))
        if _TRY.match(now[k]) and "expected 'except'" in (error.msg or ""):
            replaced = [*now[:k], f"{_indent(now[k])}if {LOST}:", *now[k + 1 :]]
        elif _DEFINES.match(now[k].lstrip()) or now[k].lstrip().startswith("@"):
            replaced = _definition(now, k, parse)
        else:
            replaced = _line(now, k, error, parse)
        if replaced is None:
            return None
        now = replaced
    return None


def _moves_on(now: list[str], k: int, parse: Parse) -> bool:
    error = parse("\n".join(now))
    return error is None or line_of(error) > k + 1


def _line(now: list[str], k: int, error: SyntaxError, parse: Parse) -> list[str] | None:
    """The lines with line ``k`` replaced, by the first replacement after which any next error is further down."""
    indent = _indent(now[k])
    if isinstance(error, IndentationError) and not _ON_LINE.search(error.msg or ""):  # unexpected indentation
        indent = next((_indent(line) for line in reversed(now[:k]) if line.strip()), "")
    simple = not _HEADER.match(now[k].lstrip())
    for text in _replacements(now[k], indent):
        if text == now[k]:
            continue
        new = [*now[:k], text, *now[k + 1 :]]
        if simple:  # lines indented below a simple statement belong to it
            for j in range(k + 1, len(new)):
                if new[j].strip() and len(_indent(new[j])) <= len(indent):
                    break
                new[j] = ""
        if _moves_on(new, k, parse):
            return new
    return [*now[:k], "", *now[k + 1 :]]


def _replacements(line: str, indent: str) -> Iterator[str]:
    code = _QUOTES.sub(lambda m: "" if m[0][0] == "#" else m[0], line).strip()
    header = _HEADER.match(code)
    if header:
        kept = line[: len(line) - len(line.lstrip())] + code
        yield kept.rstrip(":") + ":"
        yield kept.rstrip(":") + ": pass"
        word = "if" if header[1] in ("with", "try") else header[1]
        if word == "for":
            target = re.match(r"for\s+(.+?)\s+in\b", code)
            head = f"for {target[1] if target and _is_target(target[1]) else '_'} in {LOST}:"
        else:
            head = f"{word}:" if word in ("else", "except", "finally") else f"{word} {LOST}:"
        yield indent + head
        yield f"{indent}{head} pass"
        return
    if _ENDS.match(code):
        yield f"{indent}return {LOST}"
    stored = _STORES.match(code)
    if stored:
        target = stored[1].strip()
        for text in (target, target.partition(":")[0].strip()):
            if _is_target(text):
                yield f"{indent}{text} = {LOST}"
    yield indent + LOST


def _is_target(text: str) -> bool:
    try:
        ast.parse(f"{text} = 0")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _definition(now: list[str], k: int, parse: Parse) -> list[str] | None:
    """The lines with a broken header of a definition repaired: with its colon, without a body, or removed with its
    decorators and body."""
    indent = _indent(now[k])
    for text in (now[k].rstrip().rstrip(":") + ":", now[k].rstrip().rstrip(":") + ": pass"):
        new = [*now[:k], text, *now[k + 1 :]]
        if now[k].lstrip()[0] != "@" and _moves_on(new, k, parse):
            return new
    new, last = list(now), k + 1
    while last < len(now) and (
        not now[last].strip() or len(_indent(now[last])) > len(indent) or now[last].lstrip()[0] in ")]}"
    ):
        last += 1
    first = k
    while first and now[first - 1].startswith(f"{indent}@"):
        first -= 1
    if now[k].lstrip()[0] == "@":  # of a broken decorator, only its own line
        first, last = k, k + 1
    new[first:last] = [indent + LOST, *[""] * (last - first - 1)]
    return new if _moves_on(new, first, parse) else None


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
