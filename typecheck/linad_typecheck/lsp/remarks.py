"""What only the differentiating half of linad knows: loop kinds, logged values. Asked for once per text of a function.
"""

from __future__ import annotations

from ..checking.cost import Remark, remarks_of
from .analysis import Placed

LARGE = 400  # statements of the core, beyond which a program is not differentiated for a hint: half a second

def remarks(p: Placed) -> list[Remark]:
    """The remarks on the lines of a function and of those it calls, at their present lines."""
    found = p.record.kept.get("remarks")
    if found is None:
        found = p.record.kept["remarks"] = tuple(remarks_of(p.record.function, p.record.checked, LARGE))
    return [(p.moves.now(line), kind, text) for line, kind, text in found]  # type: ignore[attr-defined]
