"""5xx: facts about the cost of a derivative. They are information: nothing is wrong, and nothing fails."""

from __future__ import annotations


from ..diagnostics import Fix
from ..frozen import frozen
from . import Message


@frozen
class ValueLogged(Message):
    """A value that the forward sweep logs for the reverse sweep. ``what``: which value, and how many words."""

    slug = "value-logged"
    what: str

    def message(self) -> str:
        return f"the derivative logs {self.what}"


@frozen
class LogGrows(Message):
    """The log of a ``while`` loop, whose length is not known in advance."""

    slug = "log-grows"
    words: str

    def message(self) -> str:
        return f"the log grows while this loop runs: {self.words} per iteration"

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix("a `for` loop with a bound and a `break` has a log of known size; a checkpointed one a short log"),)


@frozen
class LogSize(Message):
    """The size of the log of a loop over a range, or of an array expression."""

    slug = "log-size"
    words: str
    loop: bool = True

    def message(self) -> str:
        return (
            f"this loop logs {self.words} per iteration" if self.loop else f"this statement logs {self.words} per cell"
        )


@frozen
class LoopInOrder(Message):
    """A loop whose iterations cannot run in parallel."""

    slug = "loop-in-order"
    reason: str = ""  # why they cannot run in parallel

    def message(self) -> str:
        return f"the iterations of this loop run in order{': ' if self.reason else ''}{self.reason}"

    def notes(self) -> tuple[str, ...]:
        return () if self.reason else ("one iteration uses what another one wrote, or its log is read backwards",)


@frozen
class ArrayCopied(Message):
    """A copy that lowering inserted."""

    slug = "array-copied"
    what: str

    def message(self) -> str:
        return f"an array is copied: {self.what}"
