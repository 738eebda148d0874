"""The model of a diagnostic: a message, its positions, notes and fixes. Rendering is in `render/`, wording in
`messages/`."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Literal

from .frozen import frozen
from .span import Span

Severity = Literal["error", "warning", "information"]


@frozen
class Label:
    """A secondary position, and what happens there."""

    span: Span
    message: str


@frozen
class Edit:
    """A replacement of the text at ``span`` by ``text``; an empty span inserts."""

    span: Span
    text: str


@frozen
class Fix:
    """A repair, as a sentence and as edits. ``safe``: it may be applied automatically."""

    message: str
    edits: tuple[Edit, ...] = ()
    safe: bool = False


@frozen
class Diagnostic:
    """A finding. ``message`` is a single line, in lower case and without a final period."""

    code: str
    slug: str
    severity: Severity
    message: str
    span: Span
    label: str = ""  # printed under the primary span
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    rule: str = ""  # the number of the ownership rule that is violated, if any

    def to_json(self) -> dict[str, object]:
        """A JSON-compatible dictionary with all fields."""
        return asdict(self)


def strictly(d: Diagnostic) -> Diagnostic:
    """The finding under the option ``strict``: an update that is visible under a second name is an error."""
    return replace(d, severity="error") if d.slug == "shared-update" else d


class LinadError(TypeError):
    """Raised for a function that linad cannot compile or differentiate.

    Attributes
    ----------
    diagnostics : tuple of Diagnostic
        The findings, each with ``code``, ``slug``, ``severity``, ``message``, ``span``, ``fixes`` and ``rule``: where,
        what to write instead, and the number of the ownership rule, if it violates one.

    Examples
    --------
    >>> from linad import LinadError, linear_grad
    >>> try:
    ...     @linear_grad
    ...     def f(x: float) -> float:
    ...         return x * undefined
    ... except LinadError as error:
    ...     print(error.diagnostics[0].code, error.diagnostics[0].slug)
    LIN202 unknown-name
    """

    def __init__(self, diagnostics: tuple[Diagnostic, ...] | list[Diagnostic], text: str = "") -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(text or "\n".join(f"{d.code} {d.span}: {d.message}" for d in self.diagnostics))

    def __reduce__(self) -> tuple[object, ...]:
        """Support for pickling: process pools send errors to the waiting process."""
        return type(self), (self.diagnostics, str(self))


class LinadWarning(UserWarning):
    """A warning of the checker, issued when a function is decorated or first called.

    `warnings.filterwarnings` can suppress it or turn it into an error. A comment ``# linad: ignore[SLUG]`` suppresses
    it at its line.
    """


class ZeroGradientWarning(LinadWarning):
    """A gradient that is always zero: the parameter reaches the result only through ints and comparisons."""
