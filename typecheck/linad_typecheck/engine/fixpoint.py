"""The fixpoint solver: loops, recursion and scans are lowered from a head until the body preserves it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")


class Lattice(Protocol):
    """An element of a lattice of finite height: `values.join_settling` for types, and sets that only grow."""

    def join(self: H, other: H) -> H: ...


H = TypeVar("H", bound=Lattice)


def fixpoint(run: Callable[[H], tuple[H, T]], head: H) -> T:
    """Iterate ``run`` from ``head`` to the least state at or above it that ``run`` preserves; the result there.

    ``run`` returns its final state and a result. It terminates because the lattice has finite height.
    """
    while True:
        end, found = run(head)
        grown = head if end == head else head.join(end)
        if grown == head:
            return found
        head = grown
