"""What lowering finds out about the text: diagnostics and facts, kept apart while an attempt may still be given up."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Diagnostic
from ..facts import Fact

_ONE_CAUSE = ("use-after-move", "moved-on-some-paths", "conflicting-updates")


class Findings:
    """What one attempt, or one function, has found out, on top of what was known before it."""

    def __init__(self, before: Findings | None = None) -> None:
        self.before = before
        self.diagnostics: list[Diagnostic] = []
        self.facts: dict[Fact, None] = {}  # in the order in which they were found out
        self.raised = ""  # the exception that Python raises where the first error is, if it is one of Python's, too
        self.poisoned = False  # something was left out because what it rests on was reported or is unknown
        self.bottoms = 0  # expressions met whose type rests on that of a recursive call

    def told(self) -> Iterator[Diagnostic]:
        """All diagnostics up to here."""
        if self.before is not None:
            yield from self.before.told()
        yield from self.diagnostics

    def note(self, found: Diagnostic) -> None:
        if not any(_says_the_same(d, found) for d in self.diagnostics):
            self.diagnostics.append(found)

    def take(self, others: Findings) -> None:
        """What others have found out, is found out here."""
        for d in others.diagnostics:
            self.note(d)
        self.take_quietly(others)

    def take_quietly(self, others: Findings) -> None:
        """The same, but for the diagnostics."""
        self.facts.update(others.facts)
        self.poisoned |= others.poisoned
        self.bottoms += others.bottoms


def _says_the_same(one: Diagnostic, other: Diagnostic) -> bool:
    """Whether two findings are of one place, or of one cause that shows at several places, which one repair ends."""
    if one.slug != other.slug:
        return False
    one_cause = one.slug in _ONE_CAUSE and one.message == other.message and one.labels == other.labels != ()
    return one.span == other.span or one_cause
