"""Facts: what the checker infers at each position. Every dup, drop, move, borrow and copy has a reason."""

from __future__ import annotations

from typing import Literal

from .frozen import frozen
from .span import Span


@frozen(slots=True)
class Fact:
    kind: Literal["dup", "drop", "move", "borrow", "copy", "mode", "type", "size"]
    name: str
    span: Span
    reason: str
