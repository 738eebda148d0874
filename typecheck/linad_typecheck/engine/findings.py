"""The findings of lowering: diagnostics and facts, kept separate while an attempt may still be discarded."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Diagnostic
from ..facts import Fact
from ..span import Span

_ONE_CAUSE = ("use-after-move", "moved-on-some-paths", "conflicting-updates")


class Findings:
    """The findings of one attempt or one function, on top of those from before it."""

    def __init__(self, before: Findings | None = None) -> None:
        self.before = before
        self.diagnostics: list[Diagnostic] = []
        self.facts: dict[Fact, None] = {}  # in the order in which they were found
        self.raised = ""  # the exception that Python itself raises at the first error, if any
        self.poisoned = False  # something was omitted because it depends on a reported or unknown value
        self.omitted: Span | None = None  # the first expression among it
        self.choices = False  # a value known at compile time became one that is chosen at run time
        self.bottoms = 0  # number of expressions met whose type depends on that of a recursive call

    def told(self) -> Iterator[Diagnostic]:
        """All diagnostics so far, including those from before."""
        if self.before is not None:
            yield from self.before.told()
        yield from self.diagnostics

    def note(self, found: Diagnostic) -> None:
        if not any(_says_the_same(d, found) for d in self.diagnostics):
            self.diagnostics.append(found)

    def take(self, others: Findings) -> None:
        """Merge other findings into these."""
        for d in others.diagnostics:
            self.note(d)
        self.take_quietly(others)

    def take_quietly(self, others: Findings) -> None:
        """Merge other findings into these, without their diagnostics."""
        self.facts.update(others.facts)
        self.poisoned |= others.poisoned
        self.omitted = self.omitted or others.omitted
        self.choices |= others.choices
        self.bottoms += others.bottoms


def _says_the_same(one: Diagnostic, other: Diagnostic) -> bool:
    """Whether two findings are duplicates: at one place, or of one cause that one repair removes."""
    if one.slug != other.slug:
        return False
    one_cause = one.slug in _ONE_CAUSE and one.message == other.message and one.labels == other.labels != ()
    return one.span == other.span or one_cause
