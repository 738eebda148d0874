"""Errors quote numbers as Python's do; what could fail by itself is not quoted."""

from __future__ import annotations

import numpy as np
import pytest

from linad.interpret import run
from linad.oracle import attempt
from tests.properties.roads import Whole


def number(x, n):
    if n > 2:
        raise ValueError(f"{n} is {{too}} large for {x.shape[0]} cells of {len(x)}: {n=:04d}")
    return x[0] * n


def cell(x, n):
    s = 0.0
    for i in range(n):
        v = x[i] * 2.0
        assert v < 3.0, f"cell {i} is {v:8.3f}, {v}"
        s += v * v
    return s


def arm(x, n):
    s = x[0]
    if n > 0:
        t = s > 0.5
        s = s * 2.0
        raise IndexError(f"{t} {s} {x.size} {x.ndim}")
    return s


def braces(x, n):
    if n > 0:
        raise KeyError("a {b}")
    return x[0]


@pytest.mark.parametrize("function, n", [(number, 3), (cell, 3), (arm, 1), (braces, 1)], ids=lambda v: getattr(v, "__name__", None))
def test_messages_are_those_of_python(function, n: int) -> None:
    x = np.array([0.25, 1.0, 1.75])
    whole = Whole(function, (x, n))
    with pytest.raises(Exception) as theirs:
        function(x, n)
    mine = attempt(lambda: run(whole.prepared, whole.values)).error
    assert type(mine) is type(theirs.value)
    assert mine.args[0] == theirs.value.args[0].split("\n")[0]  # without what pytest tells of an assertion
    whole.holds()
    Whole(function, (x, 0)).holds()
