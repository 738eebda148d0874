"""With `fastmath`, the default, sums are reordered and products are not: their partial products stay within range."""

import numpy as np
import pytest

from linad import linear_grad

TINY, HUGE = np.full(9, 1e-300), 1e200


def literals(x, a: float) -> float:
    return x[0] * 1e200 * 1e200 + x[1] / 1e-200 / 1e-200


def invariants(x, a: float) -> float:
    s = 0.0
    for i in range(len(x)):
        s += x[i] * a * a
    return s


def reduced(x, a: float) -> float:
    p = a * a
    for i in range(len(x)):
        p *= x[i] if i % 2 == 0 else 1.0 / x[i]
        p *= 0.5
    return p


def powers(x, a: float) -> float:
    s = 0.0
    for i in range(len(x)):
        s += (x[i] * a) ** 2 / a
    return s


def arrays(x, a: float) -> float:
    return float(np.sum(x * a * a) + np.prod(x * 1e300))


@pytest.mark.parametrize("f", [literals, invariants, powers, arrays])
def test_products_are_taken_as_they_are_written(f) -> None:
    made = linear_grad(f)
    with np.errstate(all="ignore"):
        expected = f(TINY, HUGE)
    np.testing.assert_allclose(made(TINY, HUGE), expected, rtol=1e-14)
    exact = linear_grad(fastmath=False)(f)
    for mine, theirs in zip(made.grad(TINY, HUGE), exact.grad(TINY, HUGE), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-13)


def test_a_product_of_many_factors_stays_within_range() -> None:
    x = np.tile([1e-160, 1e-160], 5)[:9]
    made = linear_grad(reduced)
    np.testing.assert_allclose(made(x, 1e100), reduced(x, 1e100), rtol=1e-13)
