"""The wording of every diagnostic: one frozen dataclass per code, with text only and no logic."""

from __future__ import annotations

from typing import ClassVar

from ..codes import CODES
from ..diagnostics import Diagnostic, Fix, Label
from ..frozen import frozen
from ..ownership.rules import Rule
from ..span import Span


@frozen
class Message:
    """Base class of all messages. A subclass sets ``slug``, adds its fields, and defines its text in the methods
    below."""

    slug: ClassVar[str]
    enforces: ClassVar[Rule | None] = None  # the ownership rule that is violated, if any
    span: Span

    def message(self) -> str:
        raise NotImplementedError

    def label(self) -> str:
        return ""

    def labels(self) -> tuple[Label, ...]:
        return ()

    def notes(self) -> tuple[str, ...]:
        return ()

    def fixes(self) -> tuple[Fix, ...]:
        return ()

    def diagnostic(self) -> Diagnostic:
        code = CODES[self.slug]
        return Diagnostic(
            code.code,
            code.slug,
            code.severity,
            self.message(),
            self.span,
            self.label(),
            self.labels(),
            self.notes(),
            self.fixes(),
            self.enforces.number if self.enforces is not None else "",
        )
