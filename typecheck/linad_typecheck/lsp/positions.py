"""Places in a document as clients count them: lines from 0, characters in units of UTF-8, UTF-16 or UTF-32.

The front end counts code points from 1. A line ends at a line feed, a carriage return, or both: nothing else, whatever
Python's `str.splitlines` says.
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
    """The first of the encodings that a client offers, which is the one it likes best; UTF-16 where it does not say."""
    known = offered if isinstance(offered, (list, tuple)) else ()
    return next((e for e in known if e in ENCODINGS), "utf-16")


def units(text: str, encoding: Encoding) -> int:
    """The length of a text in the units of an encoding."""
    match encoding:
        case "utf-8":
            return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        case "utf-16":
            return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text)


def points(line: str, count: int, encoding: Encoding) -> int:
    """How many code points of a line stand before the ``count``-th unit; a place inside one lies before it."""
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
    """A text by lines, without their ends."""

    text: str = field(repr=False)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The offset at which each line begins, the one after the last line end included."""
        return (0, *(match.end() for match in _END.finditer(self.text)))

    @cached_property
    def lines(self) -> tuple[str, ...]:
        return tuple(_END.split(self.text))

    def offset(self, line: int, character: int, encoding: Encoding) -> int:
        """The offset of a client's place; places outside the text lie at its nearest end."""
        if line < 0:
            return 0
        if line >= len(self.starts):
            return len(self.text)
        return self.starts[line] + points(self.lines[line], character, encoding)

    def place(self, line: int, character: int, encoding: Encoding) -> tuple[int, int]:
        """A client's place as a line and a column of the front end."""
        if not 0 <= line < len(self.lines):
            return line + 1, 1
        return line + 1, points(self.lines[line], character, encoding) + 1

    def client(self, line: int, column: int, encoding: Encoding) -> tuple[int, int]:
        """A line and a column of the front end as a client's place."""
        if line < 1:
            return 0, 0
        if line > len(self.lines):
            last = len(self.lines) - 1
            return last, units(self.lines[last], encoding)
        return line - 1, units(self.lines[line - 1][: max(column - 1, 0)], encoding)


def edited(text: str, start: tuple[int, int], end: tuple[int, int], new: str, encoding: Encoding) -> str:
    """A text with the range between two of a client's places replaced."""
    lines = Lines(text)
    first, last = lines.offset(*start, encoding), lines.offset(*end, encoding)
    return text[:first] + new + text[max(first, last) :]
