"""What differentiation refuses."""

from __future__ import annotations

from linad_typecheck.span import Span


class NoDerivative(Exception):
    """A statement with an active value has no derivative rule; ``span`` says where."""

    def __init__(self, what: str, span: Span) -> None:
        super().__init__(what)
        self.what, self.span = what, span


class CannotSplit(Exception):
    """A program whose linear part has no meaning of its own; it is run with the rest."""
