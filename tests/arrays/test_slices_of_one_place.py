"""An axis that a slice like `k : k + 1` leaves stretches, as it does in NumPy; beyond the end it has no place, and does not."""

from __future__ import annotations

import numpy as np
import pytest

from .near import check

X = np.array([0.4, 1.1, 0.7, 2.3, 0.9])
A = np.array([[0.5, 1.5, 0.8], [2.0, 0.25, 1.1], [1.1, 0.9, 0.6]])


@pytest.mark.parametrize("slices", [":1", "-1:", "2:3", "-3:-2", "0:1", "2:3:1"])
def test_literal(slices):
    few = (X[:1], X[:0]) if slices in (":1", "-1:", "0:1") else ()  # where nobody knows that 1 meets 0
    for x in (X, X[::-1], *few):
        check(f"x * x[{slices}]", x)
    check(f"x / x[:, {slices}] + x[{slices}]", A)


@pytest.mark.parametrize("k", [0, 2, -3, -1, 4, 7])
@pytest.mark.parametrize("slices", ["y:y + 1", "y - 1:y", "1 + y:y + 2"])
def test_computed(slices, k):
    check(f"x * x[{slices}]", X, k)
    check(f"x[{slices}] * x[{slices}]", X, k)
    check(f"y = y\nreturn x[:, {slices}] * x[{slices}, :]", A, k)


BODIES = """
    x - x[:1].sum() * x[1:2] | np.where(x > x[:1], x, x[-1:]) | np.maximum(x[:1], x[-1:]) * x | np.broadcast_to(x[:1], (4,)) * 2
    np.einsum('i,i->i', x, x[1:2]) | np.concatenate([x[:1], x]) * x[-1:] | x[1:2].copy() * x | np.outer(x, x)[:, 1:2] * x
"""


@pytest.mark.parametrize("body", [b.strip() for line in BODIES.strip().splitlines() for b in line.split("|")])
def test_wherever_arrays_meet(body):
    check(body, X)


@pytest.mark.parametrize(
    "update",
    ["v[y:y + 1] *= 2", "v[:] = v[y:y + 1]", "v += v[y:y + 1]", "v[1:] += v[:1] * v[-1:]", "v[y:y + 1] = v[y:y + 1] * v[:1]", "v[y:y + 1] = x", "v[:1] = v[-1:]"],
)
def test_updates(update):
    for k in (1, 9):
        check(f"v = x.copy()\n{update}\nreturn v + y", X, k)


def test_shortest_paths():
    check("d = x.copy()\nfor k in range(len(d)):\n    d = np.minimum(d, d[:, k:k + 1] + d[k:k + 1, :])\nreturn d", A)
