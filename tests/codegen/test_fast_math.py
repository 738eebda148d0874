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


def rooted(x, a: float):
    y = np.empty((6, len(x)))
    for i in range(len(x)):
        y[0, i] = x[i] ** 0.5
        y[1, i] = x[i] ** -0.5
        y[2, i] = x[i] ** 1.5
        y[3, i] = x[i] ** -2.5
        y[4, i] = x[i] ** 3.0
        y[5, i] = x[i] ** 7.5
    return y


def test_powers_by_halves_are_those_of_c_but_for_roundings() -> None:
    ends = [0.0, -0.0, np.inf, -np.inf, np.nan, -2.5, 1e-320, 1e-206, 1e205, 3.0]
    x = np.array([*ends, *np.exp(np.linspace(-90, 90, 101))])
    with np.errstate(all="ignore"):
        expected = np.array([[np.power(v, np.array([k]))[0] for v in x] for k in (0.5, -0.5, 1.5, -2.5, 3.0, 7.5)])
    expected[0, 1], expected[0, 3] = 0.0, np.inf  # NumPy takes the square root
    found = linear_grad(rooted)(x, 1.0)
    np.testing.assert_allclose(found, expected, rtol=2e-15, atol=1e-307)
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found)[known], np.signbit(expected)[known])


def test_a_power_by_halves_has_the_slope_of_a_product() -> None:
    x = np.exp(np.linspace(-5, 5, 11))
    f = linear_grad(powered)
    np.testing.assert_allclose(f.grad(x), 1.5 * np.sqrt(x) - 2.5 * x**-3.5, rtol=1e-14)


def powered(x) -> float:
    s = 0.0
    for i in range(len(x)):
        s += x[i] ** 1.5 + x[i] ** -2.5
    return s
