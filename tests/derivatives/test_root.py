"""The slope of a root that is multiplied by what it is the root of: nothing is divided, and there is one at 0."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import Let, walk

from linad.interpret import run
from tests.properties.roads import Whole


def before(x, s: float):
    return s * (x * np.sqrt(x))


def behind(x, s: float):
    return s * (np.sqrt(x) * x)


def squared(x, s: float):
    """The slope is that of a product with another value."""
    return s * (np.sqrt(x) * (x * x))


def shared(x, s: float):
    """The root has other uses: what comes from them is divided."""
    r = np.sqrt(x)
    return s * (r * x) + np.sin(r)


@pytest.mark.parametrize(("f", "divisions"), [(before, 0), (behind, 0), (squared, 1), (shared, 1)])
def test_divisions(f, divisions: int) -> None:
    whole = Whole(f, (1.7, 0.3))
    found = whole.derivative(whole.active(), True).simplified
    assert sum(isinstance(s, Let) and s.op == "div" for s in walk(found.main.body)) == divisions
    whole.holds(order=2)


@pytest.mark.parametrize("x", [0.0, 1e-300, 4.0])
def test_slope(x: float) -> None:
    whole = Whole(before, (x, 2.0))
    found = whole.derivative(("x", "s"), False).simplified
    assert [float(g) for g in run(found, [x, 2.0, 1.0]).results] == pytest.approx([3.0 * np.sqrt(x), x * np.sqrt(x)])
