"""How many examples Hypothesis draws: few and always the same in a normal run, more and others with LINAD_EXAMPLES=n."""

import os
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

MANY = int(os.environ.get("LINAD_EXAMPLES", "1"))  # a factor


def quick(examples: int) -> settings:
    return settings(
        max_examples=examples * MANY,
        deadline=None,
        derandomize=MANY == 1,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


def some(cases: Iterable[Any], one_of: int) -> list[Any]:
    """Parameters of a test of which one in so many runs in the everyday tests, and all with the marker `thorough`."""
    sets = [c if hasattr(c, "marks") else pytest.param(*(c if isinstance(c, tuple) else (c,))) for c in cases]
    rare = [pytest.param(*c.values, id=c.id, marks=(*c.marks, pytest.mark.thorough)) for c in sets]
    return [c if k % one_of == 0 or MANY > 1 else r for k, (c, r) in enumerate(zip(sets, rare, strict=True))]
