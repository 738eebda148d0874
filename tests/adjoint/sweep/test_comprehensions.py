"""Gradients through comprehensions, folds and arrays of regular numbers, against central differences."""

import math

import numpy as np
import pytest
from jaxtyping import Float64

from linad import linear_grad

Vec = Float64[np.ndarray, "n"]


@linear_grad
def folded(x: Vec, w: float) -> float:
    y = np.array([v * w + i for i, v in enumerate(x)])
    s = sum(math.sin(v) * v for v in y) + max(v * v for v in y) + min(y)
    if any(v > 100.0 for v in x):
        s = 0.0
    return s


@linear_grad
def spaced(x: Vec, w: float) -> float:
    t = np.linspace(0.0, w, 5)
    a = np.arange(0.0, 2.0, w)
    s = 0.0
    for i in range(len(t)):
        s += t[i] * t[i] * x[i % len(x)]
    for i in range(len(a)):
        s += a[i] * math.cos(x[int(abs(w) * 2)])
    return s


@pytest.mark.parametrize("f", [folded, spaced], ids=lambda f: f.__name__)
def test_as_central_differences(f):
    x, w, e = np.array([0.3, -0.7, 1.2]), 0.6, 1e-6
    dx, dw = f.grad(x, w)
    p = f.py_func
    assert dw == pytest.approx((p(x, w + e) - p(x, w - e)) / (2 * e), rel=1e-7)
    for k, unit in enumerate(np.eye(3)):
        assert dx[k] == pytest.approx((p(x + e * unit, w) - p(x - e * unit, w)) / (2 * e), rel=1e-7, abs=1e-9)
