"""THE table of diagnostic codes; never reuse one. Pages, JSON schema and `linad explain` are generated from it."""

from __future__ import annotations

from dataclasses import dataclass

from .diagnostics import Severity


@dataclass(frozen=True, slots=True)
class Code:
    code: str
    slug: str
    severity: Severity
    summary: str


_ROWS: tuple[tuple[str, str, Severity, str], ...] = (
    # 1xx ownership
    ("LIN101", "use-after-move", "error", "a name is used after its array was taken over by another name"),
)

CODES: dict[str, Code] = {slug: Code(code, slug, severity, summary) for code, slug, severity, summary in _ROWS}
