"""Rows of one array in an inner loop: vector instructions run although the rows of other iterations overlap them."""

import time

import numpy as np
import pytest
from jaxtyping import Float64

from linad import linear_grad
from linad.emit.vector_math import choice


@linear_grad
def rows(a: Float64[np.ndarray, "n 2 m"], steps: int) -> float:
    b = a.copy()
    for _ in range(steps):
        for k in range(len(b)):
            for j in range(b.shape[2]):
                b[k, 1, j] = np.tanh(b[k, 0, j]) + 0.5 * b[k, 1, j]
    return b[0, 1, 0]


@linear_grad
def apart(a: Float64[np.ndarray, "n m"], c: Float64[np.ndarray, "n m"], steps: int) -> float:
    b, e = a.copy(), c.copy()
    for _ in range(steps):
        for k in range(len(b)):
            for j in range(b.shape[1]):
                e[k, j] = np.tanh(b[k, j]) + 0.5 * e[k, j]
    return e[0, 0]


@pytest.mark.timing
@pytest.mark.skipif(choice() != "libmvec", reason="no vector math library")
def test_two_rows_of_one_array_take_the_time_of_two_arrays():
    x = np.random.default_rng(0).random((4, 2, 48))
    first, second = x[:, 0].copy(), x[:, 1].copy()
    assert rows(x, 40) == pytest.approx(apart(first, second, 40), rel=1e-12)

    def best(call):
        times = []
        for _ in range(40):
            started = time.perf_counter()
            call()
            times.append(time.perf_counter() - started)
        return min(times)

    assert best(lambda: rows(x, 400)) < 2.0 * best(lambda: apart(first, second, 400))
