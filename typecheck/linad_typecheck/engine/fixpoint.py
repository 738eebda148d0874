"""The fixpoint solver: loops, recursion and scans are lowered from a head until the body preserves it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")


class Lattice(Protocol):
    """An element of a lattice of finite height: `values.join_types` for types, and sets that only grow."""

    def join(self: H, other: H) -> H: ...


H = TypeVar("H", bound=Lattice)


def fixpoint(run: Callable[[H], tuple[H, T]], head: H) -> T:
    """The result of ``run`` for the least state at or above ``head`` that it preserves. ``run`` returns the state that
    it ends with. Termination: the lattice has finite height."""
    while True:
        end, found = run(head)
        grown = head if end == head else head.join(end)
        if grown == head:
            return found
        head = grown
