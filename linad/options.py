"""What a user can ask of a checked function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Options:
    """The keywords of `linear_grad`; see there."""

    wrt: tuple[str | int, ...] | None = None
    updates: tuple[str, ...] = ()
    fastmath: bool = True
    cache: bool = True
    update: Literal["in-place", "pure"] = "in-place"
    boundscheck: bool = True
    backend: Literal["numba", "interpret"] = "numba"
    parallel: bool = False  # a matter of each kernel, not of the function: it stands in the keys of those
    strict: bool = False
    off: tuple[str, ...] = ()  # passes that are left out, sorted

    def code(self) -> tuple[object, ...]:
        """What decides the machine code, for the cache key."""
        return (self.wrt, self.updates, self.fastmath, self.update, self.boundscheck, self.off)
