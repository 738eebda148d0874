"""Indices that leave 64 bits: Python's ints have no bound and raise IndexError; here they wrap, and are tested as they
are then. Nothing outside of an array is read or written."""

import numpy as np
import pytest

from linad import interpret, linear_grad

from ..properties.roads import Whole
from ..kit import load

A = np.arange(12.0).reshape(4, 3) + 1.0
BEFORE = """
import numpy as np

LARGE = 2**62 - 5 * 10**8  # four times that is -2 * 10**9 in 64 bits

def f(a, m: int):
    s, b = 0.0, a * 1.0
"""
OUTSIDE = {
    "a row": "for i in range(0, m, 4):\n    s += a[i * LARGE].sum()",
    "a row that is written": "for i in range(0, m, 4):\n    b[i * LARGE] = 2.0",
    "a row of a row": "for i in range(0, m, 4):\n    s += a[i * LARGE, 1:].sum()",
    "carried": "k = 0\nfor i in range(m):\n    s += a[k].sum()\n    k = i // 3 * 4 * LARGE",
    "in one arm": "for i in range(0, m, 4):\n    k = i * LARGE if i > 0 else 0\n    s += a[k].sum()",
    "rows of a grid": "for i in range(0, m, 4):\n    for j in range(2):\n        s += a[i * LARGE + j].sum()",
}


def _loaded(body):
    return load(BEFORE + "\n".join("    " + line for line in body.splitlines()) + "\n    return s + b.sum()\n")


@pytest.mark.parametrize("case", OUTSIDE)
def test_no_row_is_taken_outside_of_the_array(case):
    whole = Whole(_loaded(OUTSIDE[case]), (A, 5))
    for program in (whole.lowered, whole.prepared):
        with pytest.raises(interpret.CoreError, match="IndexError"):
            whole.run(program)


def test_a_slice_stays_within_the_array():
    whole = Whole(_loaded("for i in range(0, m, 4):\n    s += a[i * LARGE:, 1].sum() + a[:i * LARGE].sum()"), (A, 5))
    assert np.isfinite(whole.run(whole.lowered)[0])


def test_compiled():
    f = linear_grad(_loaded(OUTSIDE["a row that is written"]))
    assert f(A, 1) == A[1:].sum() + 6.0
    with pytest.raises(IndexError, match="index -2000000000 is out of bounds"):
        f(A, 5)


COUNTED = ("for i in range(m):\n    s += a[i % 2 + 1].sum()", "k = 0\nwhile k < 3:\n    s += a[k + 1].sum()\n    k += 1")


@pytest.mark.parametrize("body", COUNTED)
def test_what_counts_by_small_steps_is_tested_once(body):
    whole = Whole(_loaded(body), (A, 2))
    core = str(whole.lowered)
    assert whole.primal().error is None and "op='lt'" in core and "op='ge'" not in core
