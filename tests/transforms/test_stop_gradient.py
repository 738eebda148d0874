"""`stop_gradient`: the value is the same, and no derivative passes, in every mode and on every road."""

import numpy as np
import pytest

import linad
from linad import linear_grad
from linad.baseline import dual, tape

pytestmark = pytest.mark.interpreted

X = np.array([1.0, 2.0, -1.5])


def stopped(x, w: float):
    y = linad.stop_gradient(x)
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i] * linad.stop_gradient(w * x[i]) * w
    return total


@pytest.mark.parametrize("backend", ["interpret", "numba"])
def test_what_is_stopped_is_a_constant(backend):
    f = linear_grad(stopped, backend=backend)
    value, (by_x, by_w) = f.value_and_grad(X, 2.0)
    assert value == pytest.approx(4.0 * np.sum(X**3)) == stopped(X, 2.0)
    np.testing.assert_allclose(by_x, 4.0 * X**2)
    assert by_w == pytest.approx(2.0 * np.sum(X**3))
    assert f.jvp((X, 2.0), (X, None))[1] == pytest.approx(4.0 * np.sum(X**3))
    np.testing.assert_allclose(linad.hessian(f)(X, 2.0), np.zeros((3, 3)))


@pytest.mark.parametrize("road", [dual, tape], ids=lambda road: road.__name__)
def test_other_roads_agree(road):
    value, (by_x, by_w) = road.value_and_gradient(stopped, (X, 2.0))
    assert value == pytest.approx(4.0 * np.sum(X**3))
    np.testing.assert_allclose(by_x, 4.0 * X**2)
    assert by_w == pytest.approx(2.0 * np.sum(X**3))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("backend", ["interpret", "numba"])
def test_structures_and_ints(backend):
    @linear_grad(backend=backend)
    def f(p, q: float):
        a, b, n = linad.stop_gradient(p)
        return np.sum(a * p[0]) * b * n * q

    assert f((X, 0.5, 2), 3.0) == pytest.approx(3.0 * np.sum(X * X))
    (by_a, by_b, none), by_q = f.grad((X, 0.5, 2), 3.0)
    np.testing.assert_allclose(by_a, 3.0 * X)
    assert by_b == 0.0 and none is None and by_q == pytest.approx(np.sum(X * X))


@pytest.mark.compiled
def test_arrays_are_copied_as_they_are_when_compiled():
    def f(x):
        y = linad.stop_gradient(x)
        y[0] = 5.0
        return x[0] + y[0]

    assert f(X.copy()) == linear_grad(f)(X) == 6.0
    a, n = linad.stop_gradient((X, 3))
    assert n == 3 and a is not X and np.array_equal(a, X)


def test_single_precision_stays():
    @linear_grad
    def f(x):
        return np.sum(linad.stop_gradient(x) * x)

    x = X.astype(np.float32)
    assert f.grad(x).dtype == np.float32
    np.testing.assert_allclose(f.grad(x), x)


def test_of_two_things():
    with pytest.raises(linad.LinadError, match="takes one argument, which may be a tuple"):
        linear_grad(lambda x: linad.stop_gradient(x, x)[0])(1.0)
