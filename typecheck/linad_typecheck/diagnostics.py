"""The diagnostic model: one message, its places, notes and fixes. Rendering is in `render/`, wording in `messages/`."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Literal

from .frozen import frozen
from .span import Span

Severity = Literal["error", "warning", "information"]


@frozen(slots=True)
class Label:
    """A secondary place and what happens there."""

    span: Span
    message: str


@frozen(slots=True)
class Edit:
    """Replace the text of ``span`` (empty: insert) by ``text``."""

    span: Span
    text: str


@frozen(slots=True)
class Fix:
    """A repair in words and as edits; ``safe`` ones may be applied by a machine."""

    message: str
    edits: tuple[Edit, ...] = ()
    safe: bool = False


@frozen(slots=True)
class Diagnostic:
    """One finding. ``message`` stands alone in one line: lower case, no final period."""

    code: str
    slug: str
    severity: Severity
    message: str
    span: Span
    label: str = ""  # what to print under the primary span
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    rule: str = ""  # the number of the ownership rule that it enforces

    def to_json(self) -> dict[str, object]:
        """A JSON-ready dictionary; the inverse of reading it back field by field."""
        return asdict(self)


def strictly(d: Diagnostic) -> Diagnostic:
    """The finding, as the option ``strict`` has it: an update that shows under a second name is an error."""
    return replace(d, severity="error") if d.slug == "shared-update" else d


class LinadError(TypeError):
    """A function that linad cannot compile or differentiate.

    Attributes
    ----------
    diagnostics : tuple of Diagnostic
        The findings, each with ``code``, ``slug``, ``severity``, ``message``, ``span``, ``fixes`` and ``rule``: where,
        what to write instead, and the number of the ownership rule, if it is about one.

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
        """Made again of what it was made of: pools of processes send their errors to the process that waits for them.
        """
        return type(self), (self.diagnostics, str(self))


class LinadWarning(UserWarning):
    """What the checker warns of, as a Python warning where a function is decorated or first called.

    `warnings.filterwarnings` silences or raises it, a comment ``# linad: ignore[SLUG]`` silences it at its line.
    """


class ZeroGradientWarning(LinadWarning):
    """A gradient that is zero whatever the arguments are: the parameter reaches the result only through ints and
    comparisons."""
