"""Where the writers of random programs have their choices from: Hypothesis, which shrinks them, or a seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Protocol

from hypothesis import strategies as st


class Source(Protocol):
    """Where choices come from."""

    def pick(self, items: list) -> Any: ...

    def number(self, low: int, high: int) -> int: ...


class Drawn:
    """Choices that Hypothesis draws."""

    def __init__(self, draw: Callable) -> None:
        self.draw = draw

    def pick(self, items: list) -> Any:
        return self.draw(st.sampled_from(items))

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))


class Seeded:
    """Choices from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def pick(self, items: list) -> Any:
        return self.rng.choice(items)

    def number(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)
