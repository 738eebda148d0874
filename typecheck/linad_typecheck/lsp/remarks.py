"""Remarks from the derivative: kinds of loops and logged values. They are computed once per text of a function."""

from __future__ import annotations

from ..checking.cost import Remark, remarks_of
from .analysis import Placed

# core statements up to which a program is differentiated for hints; larger ones take more than half a second
LARGE = 400


def remarks(p: Placed) -> list[Remark]:
    """The remarks on the lines of a function and of its callees, at their current lines."""
    found = p.record.kept.get("remarks")
    if found is None:
        found = p.record.kept["remarks"] = tuple(remarks_of(p.record.function, p.record.checked, LARGE))
    return [(p.moves.now(line), kind, text) for line, kind, text in found]  # type: ignore[attr-defined]
