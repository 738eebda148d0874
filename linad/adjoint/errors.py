"""Errors of differentiation."""

from __future__ import annotations

from linad_typecheck.span import Span


class NoDerivative(Exception):
    """A statement with an active value has no derivative rule. ``span`` is its position, ``slug`` the code of the
    error, and ``help`` what to write instead."""

    def __init__(self, what: str, span: Span, slug: str = "no-gradient", help: str = "") -> None:
        super().__init__(what)
        self.what, self.span, self.slug, self.help = what, span, slug, help


class CannotSplit(Exception):
    """The linear part of a program cannot be separated, so it runs together with the rest."""
