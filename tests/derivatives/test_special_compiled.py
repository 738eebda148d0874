"""Special functions as machine code, inside functions, with their gradients."""

import math

import numpy as np
import pytest

import linad
from linad import linear_grad
from linad.testing import check_grads

special = pytest.importorskip("scipy.special")


@linear_grad
def many(x: float, y: float):
    s = special.erfinv(0.5 * np.sin(x)) + special.log_ndtr(-x) + special.polygamma(1, y) + special.j0(x) * special.i1(y)
    s += special.xlogy(x, y) + special.expit(x) * special.logit(special.ndtr(y)) + np.sinc(x) + special.gammaln(y)
    s += np.logaddexp2(x, y) + special.erfcx(y) + special.entr(y) + special.i0e(x) + math.fmod(y, x) + math.remainder(y, x)
    return s + math.hypot(x, y, 2.0) + math.dist((x, 1.0), (y, 2.0))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("x, y", [(0.7, 1.9), (1.3, 0.4)])
def test_values_and_gradients(x, y):
    assert many(x, y) == pytest.approx(float(many.py_func(x, y)), rel=1e-12)
    check_grads(many, (x, y))


@linear_grad
def counts(n: int, k: int):
    return math.comb(n, k), math.perm(n, k), math.factorial(k), math.gcd(n, k), math.lcm(n, k), math.isqrt(n)


def test_counts():
    for n, k in ((10, 4), (0, 0), (61, 30), (5, 7)):
        if n != 61:
            assert counts(n, k) == counts.py_func(n, k)
    assert counts(61, 3)[0] == math.comb(61, 3)
    with pytest.raises(OverflowError, match="math.perm"):
        counts(61, 30)
    with pytest.raises(ValueError, match="not negative"):
        counts(-1, 2)


@linear_grad
def squashed(v):
    s = v[0] * 0
    for i in range(len(v)):
        s += special.expit(v[i]) * special.ndtr(v[i])
    return s


def test_single_precision():
    v = np.linspace(-3, 3, 7, dtype=np.float32)
    g = linad.grad(squashed)(v)
    assert g.dtype == np.float32 and squashed(v) == pytest.approx(float(squashed.py_func(v)), rel=1e-6)
    np.testing.assert_allclose(g, linad.grad(squashed)(v.astype(np.float64)), rtol=1e-5)
