"""Errors of differentiation."""

from __future__ import annotations

from linad_typecheck.span import Span


class NoDerivative(Exception):
    """A statement with an active value has no derivative rule; ``span`` is its position."""

    def __init__(self, what: str, span: Span) -> None:
        super().__init__(what)
        self.what, self.span = what, span


class CannotSplit(Exception):
    """The linear part of a program cannot be separated, so it runs together with the rest."""
