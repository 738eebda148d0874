"""The rows under a source line: underlines, and labels next to or below them."""

from __future__ import annotations

from ..frozen import frozen


@frozen(slots=True)
class Mark:
    """An underline of cells ``start`` to ``end`` (exclusive, at least one): ``^`` if ``primary``, otherwise ``-``."""

    start: int
    end: int
    label: str
    primary: bool


@frozen(slots=True)
class Piece:
    """Text at a cell of a row, in the colour of a primary or secondary mark."""

    cell: int
    text: str
    primary: bool


Row = tuple[Piece, ...]


def rows(marks: list[Mark]) -> list[Row]:
    """Lay out the marks of one line.

    The label of the rightmost underline stands beside it. The others hang below theirs, the rightmost first, so that no
    stem crosses a label::

        f(u, v, u)
          -     ^ passed again here
          |
          passed here
    """
    marks = sorted(marks, key=lambda m: (m.start, m.end, m.primary))
    first: list[Piece] = _underlines(marks)
    beside = _beside(marks)
    if beside is not None:
        first.append(Piece(beside.end + 1, beside.label, beside.primary))
    below = [m for m in marks if m is not beside and m.label]
    found = [tuple(first)]
    if below:
        found.append(_stems(below))
    while below:
        last = below.pop()
        left = [m for m in below if m.start < last.start]
        found.append((*_stems(left), Piece(last.start, last.label, last.primary)))
    return found


def _underlines(marks: list[Mark]) -> list[Piece]:
    cells: dict[int, bool] = {}
    for m in marks:
        for cell in range(m.start, m.end):
            cells[cell] = cells.get(cell, False) or m.primary
    pieces: list[Piece] = []
    for cell in sorted(cells):
        primary = cells[cell]
        last = pieces[-1] if pieces else None
        if last and last.primary == primary and last.cell + len(last.text) == cell:
            pieces[-1] = Piece(last.cell, last.text + last.text[0], primary)
        else:
            pieces.append(Piece(cell, "^" if primary else "-", primary))
    return pieces


def _beside(marks: list[Mark]) -> Mark | None:
    """The mark whose label may follow its underline: the one that ends last, provided that it also starts last or
    starts a tie."""
    last = max(marks, key=lambda m: (m.end, m.start, m.primary))
    inside = any(m.start > last.start and m.label for m in marks if m is not last)
    return last if last.label and not inside else None


def _stems(marks: list[Mark]) -> Row:
    columns = {m.start: m.primary for m in marks}
    return tuple(Piece(cell, "|", columns[cell]) for cell in sorted(columns))
