"""Source lines as shown in a terminal: tabs, wide characters, and control characters, which must not reach it."""

from __future__ import annotations

import unicodedata

from ..frozen import frozen

TAB = 4


def width(character: str) -> int:
    """The number of terminal cells of a character."""
    if character.isascii():
        return 1
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


@frozen(slots=True)
class Shown:
    """A source line ready for printing. ``starts[k]`` is the cell at which its k-th character starts; the last entry
    is its end."""

    text: str
    starts: tuple[int, ...]

    def cell(self, column: int) -> int:
        """The cell of a 1-based column. Columns beyond the end are clamped to it."""
        return self.starts[max(0, min(column - 1, len(self.starts) - 1))]


def shown(line: str) -> Shown:
    """Expand tabs, replace control characters, and record the cell of each character."""
    out: list[str] = []
    starts = []
    cell = 0
    for character in line:
        starts.append(cell)
        if character == "\t":
            character = " " * (TAB - cell % TAB)
            cell += len(character)
        elif unicodedata.category(character) == "Cc" or character in "\u2028\u2029":
            character = "\ufffd"
            cell += 1
        else:
            cell += width(character)
        out.append(character)
    starts.append(cell)
    return Shown("".join(out), tuple(starts))


def visible(text: str) -> str:
    """A message with control characters replaced. Names and strings of the program may contain any character."""
    return "".join("\ufffd" if unicodedata.category(c) == "Cc" and c != "\n" else c for c in text)
