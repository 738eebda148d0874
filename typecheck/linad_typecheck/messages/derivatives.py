"""4xx: problems of a gradient that are known before it is computed."""

from __future__ import annotations

from ..diagnostics import Fix, Label
from ..frozen import frozen
from ..span import Span
from . import Message

_COMPARE = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_INTEGER = ("cast", "trips", "wrap")


@frozen
class Cut:
    """An operation without a derivative, or with derivative zero."""

    span: Span
    op: str

    @property
    def text(self) -> str:
        if self.op in _COMPARE:
            return f"`{_COMPARE[self.op]}` has the values true and false only"
        if self.op in _INTEGER:
            return "an integer from here on"
        return f"the derivative of `{self.op}` is zero"


@frozen
class NoGradient(Message):
    """The option ``wrt`` names a parameter without a float."""

    slug = "no-gradient"
    name: str
    what: str

    def message(self) -> str:
        return f"there is no gradient by `{self.name}`, which is {self.what}"

    def label(self) -> str:
        return "named by `wrt`"

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix("name float parameters, or make this one a float"),)


@frozen
class UpdateLost(Message):
    """An array of the function is updated and never read, so the update does not affect a result."""

    slug = "update-lost"
    name: str

    def message(self) -> str:
        return f"the update of `{self.name}` reaches no result"

    def label(self) -> str:
        return f"no result depends on `{self.name}`"

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix(f"use `{self.name}` in what is returned, or leave it out"),)


@frozen
class RebindsParameter(Message):
    """A call statement of a helper that rebinds a parameter to a new array and returns nothing: it has no effect."""

    slug = "update-lost"
    callee: str
    parameter: str
    at: Span

    def message(self) -> str:
        return f"the call of `{self.callee}` changes nothing"

    def label(self) -> str:
        return f"the array given as `{self.parameter}` stays as it is"

    def labels(self) -> tuple[Label, ...]:
        return (Label(self.at, f"`{self.parameter}` is another array from here on, which ends with the call"),)

    def fixes(self) -> tuple[Fix, ...]:
        p = self.parameter
        return (
            Fix(f"update it in place: `{p}[:] = ...` or `{p} *= ...`"),
            Fix(f"or `return {p}`, and bind the result where it is called"),
        )


@frozen
class ResultUnused(Message):
    """A call statement whose result is not used, and which updates nothing."""

    slug = "update-lost"
    callee: str

    def message(self) -> str:
        return f"the result of `{self.callee}` is not used, and the call changes nothing"

    def label(self) -> str:
        return "computed and thrown away"

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix("assign the result to a name, or leave the call out"),)


@frozen
class ZeroGradient(Message):
    """A parameter reaches the result only through comparisons, rounding and ints."""

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


@frozen
class BadRule(Message):
    """A function of a custom rule whose parameters or results do not match the function that the rule is for."""

    slug = "bad-rule"
    what: str
    instead: str = ""
    where: str = "of the rule"
    function: Label | None = None

    def message(self) -> str:
        return self.what

    def label(self) -> str:
        return self.where

    def labels(self) -> tuple[Label, ...]:
        return () if self.function is None else (self.function,)

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix(self.instead),) if self.instead else ()


@frozen
class NotLinear(Message):
    """A function that has to be linear and is not: that of a custom rule, in its cotangent or tangents, or one that
    is to be transposed."""

    slug = "not-linear"
    rule: str
    by: str
    why: str

    def message(self) -> str:
        return f"{self.rule} is not linear in {self.by}"

    def label(self) -> str:
        return self.why

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix(f"only scale and add parts of {self.by}, by factors that do not depend on it"),)
