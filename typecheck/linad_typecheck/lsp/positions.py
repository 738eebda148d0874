"""Positions as clients count them: lines from 0, characters in UTF-8, UTF-16 or UTF-32 code units.

The front end counts code points from 1. Lines end at a line feed, a carriage return, or both, and nowhere else, unlike
`str.splitlines`.
"""

from __future__ import annotations

import re
from dataclasses import field
from functools import cached_property
from typing import Literal

from ..frozen import frozen

Encoding = Literal["utf-8", "utf-16", "utf-32"]
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
_END = re.compile(r"\r\n|\n|\r")


def negotiated(offered: object) -> Encoding:
    """The first supported encoding that a client offers, which it prefers; UTF-16 by default."""
    known = offered if isinstance(offered, (list, tuple)) else ()
    return next((e for e in known if e in ENCODINGS), "utf-16")


def units(text: str, encoding: Encoding) -> int:
    """The length of a text in code units of an encoding."""
    match encoding:
        case "utf-8":
            return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        case "utf-16":
            return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text)


def points(line: str, count: int, encoding: Encoding) -> int:
    """The number of code points before the ``count``-th code unit of a line. A position inside a code point is at
    its start."""
    if encoding == "utf-32" or line.isascii():
        return max(0, min(count, len(line)))
    passed = 0
    for k, character in enumerate(line):
        passed += units(character, encoding)
        if passed > count:
            return k
    return len(line)


@frozen
class Lines:
    """A text split into lines, without line ends."""

    text: str = field(repr=False)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The offsets at which lines begin, including the one after the last line end."""
        return (0, *(match.end() for match in _END.finditer(self.text)))

    @cached_property
    def lines(self) -> tuple[str, ...]:
        return tuple(_END.split(self.text))

    def offset(self, line: int, character: int, encoding: Encoding) -> int:
        """The offset of a client's position. Positions outside the text are clamped to its ends."""
        if line < 0:
            return 0
        if line >= len(self.starts):
            return len(self.text)
        return self.starts[line] + points(self.lines[line], character, encoding)

    def place(self, line: int, character: int, encoding: Encoding) -> tuple[int, int]:
        """A client's position as line and column of the front end."""
        if not 0 <= line < len(self.lines):
            return line + 1, 1
        return line + 1, points(self.lines[line], character, encoding) + 1

    def client(self, line: int, column: int, encoding: Encoding) -> tuple[int, int]:
        """A line and column of the front end as a client's position."""
        if line < 1:
            return 0, 0
        if line > len(self.lines):
            last = len(self.lines) - 1
            return last, units(self.lines[last], encoding)
        return line - 1, units(self.lines[line - 1][: max(column - 1, 0)], encoding)


def edited(text: str, start: tuple[int, int], end: tuple[int, int], new: str, encoding: Encoding) -> str:
    """A text in which the range between two of a client's positions is replaced."""
    lines = Lines(text)
    first, last = lines.offset(*start, encoding), lines.offset(*end, encoding)
    return text[:first] + new + text[max(first, last) :]
