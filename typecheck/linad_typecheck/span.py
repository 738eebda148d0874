"""Positions in source text: 1-based lines and columns, in code points."""

from __future__ import annotations

from .frozen import frozen


@frozen(slots=True)
class Span:
    """A range of a source file; ``end_column`` is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


NOWHERE = Span("<generated>", 0, 0, 0, 0)
