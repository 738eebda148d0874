"""Error sites: the numbered places in generated code that can fail, with the information needed to raise the error."""

from __future__ import annotations

from dataclasses import dataclass, field

from linad_typecheck.ir.core import Check
from linad_typecheck.span import Span
from linad_typecheck.types import DType


@dataclass(frozen=True, slots=True)
class Site:
    """A place that can fail.

    ``message`` is a template for arguments of the types ``arguments``. Each takes one word of the error array; floats
    are stored as their bits.
    """

    span: Span
    kind: str
    message: str
    arguments: tuple[DType, ...] = ()


@dataclass
class Sites:
    """The sites of a program, in order of their numbers."""

    found: list[Site] = field(default_factory=list)

    def number(self, s: Check) -> int:
        return self.add(Site(s.span, s.error, s.message, tuple(a.type.dtype for a in s.args)))

    def add(self, site: Site) -> int:
        if site not in self.found:
            self.found.append(site)
        return self.found.index(site)
