"""9xx, and messages about a text as a whole."""

from __future__ import annotations


from ..diagnostics import Edit, Fix
from ..frozen import frozen
from . import Message


@frozen
class NotPython(Message):
    """A text that does not parse. ``why``: the parser's message."""

    slug = "syntax-error"
    why: str

    def message(self) -> str:
        return f"this is not Python: {self.why}"

    def label(self) -> str:
        return "the parser stops here"


@frozen
class UnusedSuppression(Message):
    """A comment that suppresses nothing. ``why``: the reason; ``remove``: the edits that remove it; ``near``: a
    similar existing code."""

    slug = "unused-suppression"
    silenced: str
    why: str = "is not reported in this line"
    near: str = ""
    remove: tuple[Edit, ...] = ()

    def message(self) -> str:
        return f"`{self.silenced}` {self.why}"

    def label(self) -> str:
        return "silences nothing"

    def fixes(self) -> tuple[Fix, ...]:
        near = (Fix(f"write `{self.near}`"),) if self.near else ()
        return (*near, Fix("remove the comment", self.remove, safe=bool(self.remove)))


@frozen
class InternalError(Message):
    slug = "internal-error"
    function: str
    error: str

    def message(self) -> str:
        return f"linad itself failed while it checked `{self.function}`: {self.error}"

    def notes(self) -> tuple[str, ...]:
        return ("this is a defect of linad, not of the program; please report it with the function",)
