"""What passes have done to which lines, for those who ask (`linad/show/explain.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from linad_typecheck.core import Var, base_name
from linad_typecheck.span import Span


@dataclass(frozen=True)
class Note:
    """A line, and what has become of an array or a loop there."""

    line: int
    kind: str
    text: str


_asked: ContextVar[list[Note] | None] = ContextVar("asked", default=None)


def note(span: Span, kind: str, text: str, instead: str = "") -> None:
    """Say what has been done, if anybody asks; and no longer what was said of the line ``instead``."""
    found = _asked.get()
    if found is not None:
        found[:] = [n for n in found if (n.line, n.kind, n.text) != (span.line, kind, instead)]
        found.append(Note(span.line, kind, text))


def known_as(v: Var) -> str:
    """An array as its user knows it."""
    name = base_name(v.name)
    return f"the adjoint of {name.removesuffix('_bar')}" if v.adjoint else name


@contextmanager
def notes() -> Iterator[list[Note]]:
    """The notes of the passes that run meanwhile."""
    found: list[Note] = []
    token = _asked.set(found)
    try:
        yield found
    finally:
        _asked.reset(token)
