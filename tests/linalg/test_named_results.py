"""The results of `slogdet`, `eigh` and `svd` by name, as NumPy's named tuples have them."""

import numpy as np
import pytest

import linad
from linad import linear_grad

M = np.array([[2.0, 0.5, -1.0], [1.0, 3.0, 0.25], [0.5, -0.75, 1.5]])


@linear_grad
def by_name(a):
    r, e, d = np.linalg.slogdet(a), np.linalg.eigh(a + a.T), np.linalg.svd(a, full_matrices=False)
    for _ in range(2):
        r = np.linalg.slogdet(r.sign * a)
    return r.sign * r.logabsdet + e.eigenvalues[0] + e.eigenvectors[0, 0] ** 2 + d.S[0] + d.U[0, 0] * d.Vh[0, 1]


@linear_grad
def by_place(a):
    sign, size = np.linalg.slogdet(a)
    w, v = np.linalg.eigh(a + a.T)
    u, s, t = np.linalg.svd(a, full_matrices=False)
    return sign * size + w[0] + v[0, 0] ** 2 + s[0] + u[0, 0] * t[0, 1]


@linear_grad
def whole(a):
    return np.linalg.slogdet(a), np.linalg.eigh(a + a.T)._replace(eigenvalues=2.0 * a[0])


@linear_grad
def taken(r):
    return r.sign * r.logabsdet**2


def test_fields_are_the_items():
    assert by_name(M) == pytest.approx(by_name.py_func(M), rel=1e-12)
    np.testing.assert_allclose(by_name.grad(M), by_place.grad(M), rtol=1e-12)


def test_results_are_numpy_s_own():
    found, wanted = whole(M), whole.py_func(M)
    assert [type(r) for r in found] == [type(r) for r in wanted]
    for r, s in zip(found, wanted, strict=True):
        for x, y in zip(r, s, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-14)
    gradient = linad.vjp(whole, M)[1](wanted)
    assert gradient[0].shape == M.shape and np.isfinite(gradient[0]).all()


def test_one_is_an_argument():
    r = np.linalg.slogdet(M)
    assert taken(r) == pytest.approx(r.logabsdet**2)
    assert type(taken.grad(r)) is type(r) and taken.grad(r).logabsdet == pytest.approx(2.0 * r.logabsdet)


def test_other_fields_are_refused():
    def wrong(a: np.ndarray) -> float:
        return np.linalg.eigh(a).values[0]

    with pytest.raises(linad.LinadError, match="no field `values`"):
        linear_grad(wrong)(M)
