"""Loops that never run may end at the extreme ints: their reverse does not run either."""

from __future__ import annotations

import numpy as np
import pytest

from tests.properties.roads import Whole

LEAST, MOST = -(2**63), 2**63 - 1


def up(x, k: int):
    y = x.copy()
    for i in range(1, k):
        y[i] = y[i - 1] * y[i]
    return np.sum(y)


def down(x, k: int):
    y = x.copy()
    for i in range(len(x) - 2, k, -1):
        y[i] = y[i + 1] * y[i]
    return np.sum(y)


@pytest.mark.parametrize("function, ends", [(up, (LEAST, LEAST + 1, 0, 3)), (down, (MOST, MOST - 1, 9, 0))], ids=["up", "down"])
def test_the_reverse_of_a_loop_that_never_runs(function, ends: tuple[int, ...]) -> None:
    for k in ends:
        Whole(function, (np.array([0.5, 1.5, 2.0, 0.25]), k)).holds()
