"""Products with Hessians from plain Python: `jvp` and `vjp` of what `grad` returns, against differences of gradients."""

import numpy as np
import pytest
from jaxtyping import Float64

import linad
from linad import LinadError, grad, jvp, linear_grad, vjp

pytestmark = pytest.mark.interpreted

Vec = Float64[np.ndarray, "n"]
X = np.array([1.0, 2.0, -1.5])
V = np.array([0.5, -1.0, 2.0])


@linear_grad(backend="interpret")
def potential(x: Vec, w: float = 2.0, k: int = 3) -> float:
    u = x.copy()
    for i in range(1, len(u)):
        u[i] += np.sin(w * u[i - 1]) * u[i]
    return np.sum(u**k)


def _differences(f, x, v, h=1e-6):
    return (f(x + h * v) - f(x - h * v)) / (2 * h)


def test_forward_over_reverse_is_the_product_with_the_hessian():
    value, tangent = jvp(grad(potential), (X,), (V, None, None))
    np.testing.assert_array_equal(value, grad(potential)(X))
    np.testing.assert_allclose(tangent, _differences(grad(potential), X, V), rtol=1e-7)


def test_reverse_over_reverse_is_the_same_product_and_more():
    value, pullback = vjp(grad(potential), X, 1.5)
    np.testing.assert_array_equal(value, grad(potential)(X, 1.5))
    x_bar, w_bar = pullback(V)
    np.testing.assert_allclose(x_bar, _differences(lambda x: grad(potential)(x, 1.5), X, V), rtol=1e-7)
    assert w_bar == pytest.approx(_differences(lambda w: grad(potential)(X, w) @ V, 1.5, 1.0), rel=1e-7)


def test_all_columns_make_a_symmetric_hessian():
    columns = [jvp(grad(potential), (X,), (e, None, None))[1] for e in np.eye(3)]
    np.testing.assert_allclose(columns, np.transpose(columns), rtol=1e-12)


def test_value_and_gradient_move_together():
    (value, gradient), (value_dot, gradient_dot) = jvp(linad.value_and_grad(potential, (0, 1)), (X, 2.0), (V, 1.0, None))
    assert value == potential(X) and value_dot == pytest.approx(gradient[0] @ V + gradient[1])
    assert type(gradient[1]) is float and type(gradient_dot[1]) is float


def test_third_order_of_a_number():
    @linear_grad(backend="interpret")
    def quartic(x: float) -> float:
        return x**4

    assert jvp(grad(grad(quartic)), (2,), (1.0,)) == (48.0, 48.0)


def test_functions_with_one_name_stay_apart():
    def of(a):
        return linear_grad(lambda x: a * np.sum(x**3), backend="interpret")

    for a in (1.0, 5.0):
        np.testing.assert_allclose(jvp(grad(of(a)), (X,), (V,))[1], 6 * a * X * V)


def test_a_function_that_updates_has_a_first_derivative_only():
    @linear_grad(updates=("y",), backend="interpret")
    def scale(y: Vec) -> float:
        y[0] *= 2.0
        return y[0]

    with pytest.raises(LinadError, match="only its first derivative"):
        jvp(grad(scale), (X,), (V,))


def with_defaults(x, w: float = 0.5, n: int = 3, *, flag: bool = False, scale: float = 1.0):
    return np.sum(x**n) * w * (2.0 if flag else 1.0) * scale


def test_derivatives_of_derivatives_keep_defaults_and_keywords():
    x = np.array([1.0, 2.0])
    gradient = linad.grad(with_defaults)
    second = linad.jacfwd(gradient)
    np.testing.assert_allclose(second(x), np.diag(3.0 * x))
    np.testing.assert_allclose(second(x, w=2.0, flag=True), np.diag(24.0 * x))
    third = linad.jacfwd(linad.jacrev(gradient))(x, n=4, scale=3.0)
    np.testing.assert_allclose(third[[0, 1], [0, 1], [0, 1]], 36.0 * x)
    rows = np.stack([x, 2.0 * x])
    np.testing.assert_allclose(linad.vmap(gradient)(rows), 1.5 * rows**2)
    np.testing.assert_allclose(linad.vmap(gradient)(rows, scale=np.array([1.0, 2.0])), 1.5 * rows**2 * [[1.0], [2.0]])
    np.testing.assert_allclose(linad.jvp(linad.vmap(with_defaults), (rows,), (rows,))[1], 1.5 * np.sum(rows**3, axis=1))
    value, pullback = linad.vjp(gradient, x)
    np.testing.assert_allclose(pullback(np.ones(2))[0], 3.0 * x)
    np.testing.assert_allclose(linad.linearize(gradient, x)[1](np.ones(2)), 3.0 * x)
