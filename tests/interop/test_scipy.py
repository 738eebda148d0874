"""`linad.interop.scipy.flat`: functions of structures as functions of a vector, and the solvers that take them."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import least_squares, minimize, root

import linad
from linad import LinadError, linear_grad
from linad.interop.scipy import flat
from tests.examples_of import on_backends


class Part(NamedTuple):
    scale: float
    v: np.ndarray
    n: int


@dataclass(frozen=True)
class Whole:
    part: Part
    m: np.ndarray


W = Whole(Part(2.0, np.array([1.0, 2.0]), 2), np.array([[1.0, 0.5], [0.25, -1.0]]))


def values(w, x, c: float):
    return (w.part.scale * x[0] ** w.part.n * w.part.v + c, len(x)), np.sum(w.m @ w.part.v) * c


def energy(w, x, c: float):
    return np.sum((w.m @ w.part.v) ** 4) + c * w.part.scale**2 * np.sum(x)


def differences(f, x):
    steps = 1e-6 * np.eye(x.size)
    return np.stack([(f(x + h) - f(x - h)) / 2e-6 for h in steps], axis=-1)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("wrt", "backend"), on_backends([("c", "x"), None, "w", ("w", "c")], 4))
def test_vectors_and_back(wrt, backend):
    f = flat(linear_grad(values, wrt=wrt, backend=backend), W, np.ones(3), 0.5)
    size = {None: 11, "w": 7, ("w", "c"): 8, ("c", "x"): 4}[wrt]
    assert f.x0.shape == (size,) and f.x0.dtype == np.float64
    w, x, c = f.arguments(f.x0)
    assert type(w) is Whole and type(w.part) is Part and w.part.n == 2 and type(c) is float
    np.testing.assert_array_equal(w.m, W.m)
    assert f(f.x0).shape == (3,)
    np.testing.assert_allclose(f.jacobian(f.x0), differences(f, f.x0), atol=1e-8)
    g = flat(linear_grad(energy, wrt=wrt, backend=backend), W, np.ones(3), 0.5)
    value, gradient = g.value_and_grad(g.x0)
    assert value == g(g.x0) == energy(W, np.ones(3), 0.5) and type(value) is float
    np.testing.assert_allclose(gradient, differences(g, g.x0), rtol=1e-7, atol=1e-7)
    np.testing.assert_array_equal(g.grad(g.x0), gradient)
    hessian = g.hessian(g.x0)
    np.testing.assert_allclose(hessian, differences(g.grad, g.x0), rtol=1e-6, atol=1e-6)
    assert repr(g) == f"<energy of a vector of {size} numbers>"


def test_solvers():
    f = flat(
        lambda p, t, y: p[0] * np.exp(-p[1] * t) - y, (1.0, 1.0), t := np.linspace(0.0, 3.0, 20), 2.0 * np.exp(-0.7 * t)
    )
    g = flat(linear_grad(f.function.py_func, wrt="p"), (1.0, 1.0), t, 2.0 * np.exp(-0.7 * t))
    assert f.x0.size == 42 and g.x0.size == 2
    assert np.allclose(least_squares(g, g.x0, jac=g.jacobian).x, [2.0, 0.7])
    circle = flat(lambda p: (p[0] ** 2 + p[1] ** 2 - 1.0, p[0] - p[1]), (1.0, 0.5))
    assert np.allclose(root(circle, circle.x0, jac=circle.jacobian).x, np.sqrt(0.5))
    bowl = flat(
        linear_grad(lambda w: np.sum((w.part.v - 1.0) ** 4 + w.part.v**2) + np.sum(w.m**2) + (w.part.scale - 3.0) ** 2),
        W,
    )
    for options in (
        {"method": "BFGS"},
        {"method": "trust-ncg", "hessp": bowl.hvp},
        {"method": "Newton-CG", "hessp": bowl.hvp},
    ):
        found = bowl.arguments(minimize(bowl.value_and_grad, bowl.x0, jac=True, **options).x)[0]
        assert found.part.scale == pytest.approx(3.0, abs=1e-4) and np.allclose(found.m, 0.0, atol=1e-4)


@pytest.mark.parametrize(
    "options", [{"method": "trust-ncg", "hessp": "hvp"}, {"method": "Newton-CG", "hessp": "hvp"}, {"method": "BFGS"}]
)
def test_arguments_that_stay(options):
    """SciPy passes its ``args`` to the function, to its gradient and to the product with the Hessian."""
    t = np.linspace(0.0, 3.0, 20)
    y = 2.0 * np.exp(-0.7 * t)
    f = linear_grad(lambda p, t, y: np.sum((p[0] * np.exp(-p[1] * t) - y) ** 2), wrt="p", backend="interpret")
    options = {k: getattr(f, v) if k == "hessp" else v for k, v in options.items()}
    found = minimize(f.value_and_grad, [1.0, 1.0], jac=True, args=(t, y), **options)
    assert np.allclose(found.x, [2.0, 0.7], atol=1e-3)
    with pytest.raises(TypeError, match="follow the first one, got a tuple first: write all of them as one tuple"):
        f.hvp((np.ones(2),), np.ones(2), t, y)


def test_float32_and_data_that_changes():
    x = np.ones(3, np.float32)
    f = flat(lambda x: np.sum(x**2), x)
    x[:] = 5.0
    np.testing.assert_array_equal(f.x0, np.ones(3))
    assert f(f.x0) == 3.0 and f.grad(f.x0).dtype == np.float64 and f.arguments(f.x0)[0].dtype == np.float32


def test_refusals():
    f = flat(linear_grad(energy), W, np.ones(3), 0.5)
    with pytest.raises(LinadError, match="(?s)got a Flat.*call its methods `grad`, `jacobian`, `hessian` and `hvp`"):
        linad.hessian(f)
    with pytest.raises(ValueError, match=r"expected a vector of shape \(11,\), got one of shape \(3,\)"):
        f(np.ones(3))
    with pytest.raises(LinadError, match="no float parameter"):
        flat(lambda n: 2 * n, 3)
    with pytest.raises(LinadError, match="updates an argument, and a solver calls it again"):
        flat(linear_grad(_update, updates="x"), np.ones(2))
    with pytest.raises(LinadError, match="one float|non-scalar|not one float"):
        flat(values, W, np.ones(3), 0.5).grad(np.ones(11))
    assert linad.interop.scipy.flat is flat and "scipy" in dir(linad.interop)
    with pytest.raises(AttributeError):
        linad.interop.casadi  # noqa: B018


def _update(x):
    x[0] = 1.0
