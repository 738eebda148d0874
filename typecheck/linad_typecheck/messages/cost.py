"""5xx: facts about what a derivative costs. They are information: nothing is wrong, and nothing fails."""

from __future__ import annotations


from ..diagnostics import Fix
from ..frozen import frozen
from . import Message


@frozen
class ValueLogged(Message):
    """A value that the forward sweep writes down for the reverse sweep; ``what`` says which, and how much."""

    slug = "value-logged"
    what: str

    def message(self) -> str:
        return f"the derivative logs {self.what}"


@frozen
class LogGrows(Message):
    """The log of a ``while`` loop, whose length is not known before."""

    slug = "log-grows"
    words: str

    def message(self) -> str:
        return f"the log grows while this loop runs: {self.words} per iteration"

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix("a `for` loop with a bound and a `break` has a log of known size; a checkpointed one a short log"),)


@frozen
class LogSize(Message):
    """The log of a loop over a range, or of an array expression, cell by cell."""

    slug = "log-size"
    words: str
    loop: bool = True

    def message(self) -> str:
        return (
            f"this loop logs {self.words} per iteration" if self.loop else f"this statement logs {self.words} per cell"
        )


@frozen
class LoopInOrder(Message):
    """A loop whose iterations cannot run at once."""

    slug = "loop-in-order"
    reason: str = ""  # what keeps them from running at once

    def message(self) -> str:
        return f"the iterations of this loop run in order{': ' if self.reason else ''}{self.reason}"

    def notes(self) -> tuple[str, ...]:
        return () if self.reason else ("one iteration uses what another one wrote, or its log is read backwards",)


@frozen
class ArrayCopied(Message):
    """A copy that is not in the text."""

    slug = "array-copied"
    what: str

    def message(self) -> str:
        return f"an array is copied: {self.what}"
