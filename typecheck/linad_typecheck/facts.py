"""What the checker found out, per place: each dup, drop, move, borrow and copy with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .span import Span


@dataclass(frozen=True, slots=True)
class Fact:
    kind: Literal["dup", "drop", "move", "borrow", "copy", "mode", "type"]
    name: str
    span: Span
    reason: str
