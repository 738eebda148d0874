"""4xx: what can be said about a gradient before it is taken."""

from __future__ import annotations

from dataclasses import dataclass

from ..diagnostics import Label
from ..span import Span
from . import Message

_COMPARE = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_INTEGER = ("cast", "trips", "wrap")


@dataclass(frozen=True)
class Cut:
    """An operation that has no derivative, or one that is zero."""

    span: Span
    op: str

    @property
    def text(self) -> str:
        if self.op in _COMPARE:
            return f"`{_COMPARE[self.op]}` has the values true and false only"
        if self.op in _INTEGER:
            return "an integer from here on"
        return f"the derivative of `{self.op}` is zero"


@dataclass(frozen=True)
class ZeroGradient(Message):
    """A parameter reaches the result through comparisons, roundings and integers only."""

    slug = "zero-gradient"
    name: str
    cuts: tuple[Cut, ...]

    def message(self) -> str:
        return f"the gradient by `{self.name}` is zero whatever the arguments are"

    def label(self) -> str:
        return "reaches the result without a derivative"

    def labels(self) -> tuple[Label, ...]:
        return tuple(Label(cut.span, cut.text) for cut in self.cuts)

    def notes(self) -> tuple[str, ...]:
        return ("comparisons, roundings and integers do not change when a float changes a little",)
