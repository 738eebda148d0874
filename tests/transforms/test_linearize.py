"""`linearize`, from plain Python and inside checked functions."""

import numpy as np
import pytest

import linad

X = np.array([1.0, 2.0, -1.5])


def products(x, w: float, n: int = 2):
    return x[1:] * x[:-1] ** n * w, n


def test_the_value_and_a_linear_function():
    x = X.copy()
    (value, n), push = linad.linearize(products, x, 2.0)
    x[...] = 0.0  # it owns copies
    np.testing.assert_allclose(value, products(X, 2.0)[0])
    jacobian = linad.jacfwd(products, (0, 1))(X, 2.0)[0]
    for v, w in ((X, None), (np.ones(3), 0.5)):
        tangent, none = push(v, w)
        assert none is None and n == 2
        np.testing.assert_allclose(tangent, jacobian[0] @ v + (0.0 if w is None else w * jacobian[1]))


def test_has_aux_of_linearize_vjp_and_jvp():
    def f(x):
        return x * x, (np.sum(x), len(x))

    value, push, aux = linad.linearize(f, X, has_aux=True)
    np.testing.assert_allclose(push(X), 2 * X * X)
    again, tangent, same = linad.jvp(f, (X,), (X,), has_aux=True)
    np.testing.assert_allclose(tangent, 2 * X * X)
    third, pull, alike = linad.vjp(f, X, has_aux=True)
    np.testing.assert_allclose(pull(np.ones(3))[0], 2 * X)
    for v in (value, again, third):
        np.testing.assert_array_equal(v, X * X)
    assert aux == same == alike == (1.5, 3)
    for call in (lambda: linad.vjp(number, 1.0, has_aux=True), lambda: linad.linearize(number, 1.0, has_aux=True)):
        with pytest.raises(linad.LinadError, match="with `has_aux` it returns a pair"):
            call()


def number(x: float):
    return x * x


def test_of_a_gradient():
    value, push = linad.linearize(linad.grad(lambda x: np.sum(x**3)), X)
    np.testing.assert_allclose(value, 3 * X**2)
    np.testing.assert_allclose(push(X), 6 * X * X)


def test_wrong_tangents():
    _, push = linad.linearize(products, X, 2.0)
    with pytest.raises(TypeError, match=r"products\(\): expected 2 tangents, got 1"):
        push(X)
    with pytest.raises(ValueError, match="tangent of `x`"):
        push(X[1:], 1.0)


def test_inside():
    def newton(a: float):
        z = 1.0
        for _ in range(8):
            value, push = linad.linearize(lambda t: t**3 - a, z)
            z -= value / push(1.0)
        return z

    assert linad.grad(newton)(8.0) == pytest.approx(1 / 12)
