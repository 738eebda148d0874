"""The options of a checked function."""

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
    parallel: bool = False  # applies to each kernel rather than to the function, so it is part of kernel keys
    strict: bool = False
    off: tuple[str, ...] = ()  # disabled passes, sorted
    lengths: bool = False  # no keyword: a call has met arrays of several lengths in a list

    def code(self) -> tuple[object, ...]:
        """The options that affect the machine code, for the cache key."""
        return (self.wrt, self.updates, self.fastmath, self.update, self.boundscheck, self.off, self.lengths)
