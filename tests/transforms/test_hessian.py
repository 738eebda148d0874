"""`hessian` and `hvp`: against differences of gradients, and each other."""

from typing import NamedTuple

import numpy as np
import pytest

import linad
from linad import LinadError, linear_grad

pytestmark = pytest.mark.interpreted

X = np.array([1.0, 2.0, -1.5])
V = np.array([0.5, -1.0, 2.0])


def potential(x, w: float = 2.0, k: int = 3):
    u = x.copy()
    for i in range(1, len(u)):
        u[i] += np.sin(w * u[i - 1]) * u[i]
    return np.sum(u**k)


def of_pair(p):
    a, b = p
    return np.sum(a**3) * b**2


def differences(f, at, by, h=1e-6):
    return (np.asarray(f(at + h * by)) - np.asarray(f(at - h * by))) / (2 * h)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("backend", ["interpret", "numba"])
def test_hessian_of_several_arguments(backend):
    f = linear_grad(potential, backend=backend)
    (xx, xw), (wx, ww) = linad.hessian(f, (0, "w"))(X, 1.5)
    gradient = linad.grad(f, (0, 1))
    for k, e in enumerate(np.eye(3)):
        np.testing.assert_allclose(xx[:, k], differences(lambda x: gradient(x, 1.5)[0], X, e), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(xw, differences(lambda w: gradient(X, w)[0], 1.5, 1.0), rtol=1e-6)
    np.testing.assert_allclose(wx, xw)
    assert ww == pytest.approx(differences(lambda w: gradient(X, w)[1], 1.5, 1.0), rel=1e-6)
    np.testing.assert_allclose(linad.hessian(f)(X, 1.5), xx)
    np.testing.assert_allclose(xx, xx.T, rtol=1e-12)


def test_hessian_of_a_structure():
    (aa, ab), (ba, bb) = linad.hessian(of_pair)((X, 0.5))
    np.testing.assert_allclose(aa, np.diag(6 * X * 0.25))
    np.testing.assert_allclose(ab, 3 * X**2)
    np.testing.assert_allclose(ba, ab)
    assert bb == pytest.approx(2 * np.sum(X**3))


def test_hessian_with_aux():
    def f(x):
        return np.sum(x**3), x[0]

    hessian, aux = linad.hessian(f, has_aux=True)(X)
    np.testing.assert_allclose(hessian, np.diag(6 * X))
    assert aux == X[0]


class Counted(NamedTuple):
    w: np.ndarray
    n: int
    b: float


def test_ints_in_a_structure_have_none():
    found = linad.hessian(lambda p: np.sum(p.w**p.n) * p.b)(Counted(X, 3, 2.0))
    np.testing.assert_allclose(found.w.w, np.diag(12.0 * X))
    np.testing.assert_allclose(found.b.w, 3.0 * X**2)
    assert found.n is None and found.w.n is None and found.b.b == 0.0


def test_third_derivatives():
    found = linad.jacfwd(linad.hessian(lambda x: np.sum(x**4)))(X)
    np.testing.assert_allclose(found[np.arange(3), np.arange(3), np.arange(3)], 24 * X)
    assert np.count_nonzero(found) == 3


def test_products_are_those_with_the_hessian():
    f = linear_grad(potential)
    (xx, xw), (wx, ww) = linad.hessian(f, (0, 1))(X, 1.5)
    by_x, by_w = f.hvp((X, 1.5), (V, 0.25))
    np.testing.assert_allclose(by_x, xx @ V + 0.25 * xw)
    assert by_w == pytest.approx(wx @ V + 0.25 * ww)
    np.testing.assert_allclose(linad.hvp(potential, (X, 1.5), (V, None))[0], xx @ V)


def test_products_by_the_declared_parameters_are_bare():
    f = linear_grad(potential, wrt="x")
    np.testing.assert_allclose(f.hvp((X,), (V,)), linad.hessian(f)(X) @ V)
    np.testing.assert_allclose(linad.hvp(lambda x: np.sum(x**3), X, V), 6 * X * V)


def test_products_inside_are_differentiated():
    def curvature(x, v):
        return np.sum(v * linad.hvp(lambda u: np.sum(u**3), (x,), (v,)))

    def of_arrays(x, v):
        return np.sum(v * linad.hvp(lambda u: np.sum(u**3), x, v))

    np.testing.assert_allclose(linad.grad(curvature)(X, V), 6 * V**2)
    np.testing.assert_allclose(linad.grad(of_arrays)(X, V), 6 * V**2)


def test_what_is_refused():
    with pytest.raises(LinadError, match="only a float scalar has a gradient"):
        linad.hvp(lambda x: x * x, X, V)
    with pytest.raises(ValueError, match=r"^hvp of <lambda>\(\): tangent of `x`: expected shape \(3,\)"):
        linad.hvp(lambda x: np.sum(x**3), X, V[1:])
    with pytest.raises(TypeError, match="expected a tuple of 3 tangents, got 1"):
        linad.hvp(potential, (X, 1.5), (V,))
    with pytest.raises(LinadError, match="updates an argument"):
        linad.hvp(linear_grad(changed, updates="x"), X, V)


def changed(x):
    x[0] *= 2.0
    return x[0]
