"""Linear algebra as machine code: values, derivatives, sizes 0 and 1, single precision, errors."""

import numpy as np
import pytest
from jaxtyping import Float64

import linad
from linad import linear_grad
from linad.testing import check_grads

linalg = pytest.importorskip("linad.runtime.linalg")


@linear_grad
def many(a, p, b):
    """Everything that succeeds on any square matrix, positive matrix and vector of one size."""
    c = a @ a.T
    c = a.T @ c @ p
    x = np.linalg.solve(p, b)
    low = np.linalg.cholesky(p)
    w, v = np.linalg.eigh(p)
    s = np.linalg.svd(a, compute_uv=False)
    sign, size = np.linalg.slogdet(p)
    total = x @ b + np.linalg.det(a) + size * sign + np.linalg.norm(b)
    for i in range(c.shape[0]):
        total += np.sin(w[i]) + s[i] * s[i]
        for j in range(c.shape[1]):
            total += np.sin(c[i, j]) * low[i, j]
    return total


def arguments(n, dtype=np.float64):
    rng = np.random.default_rng(n)
    a = rng.normal(size=(n, n))
    p = a @ a.T + np.diag(1.0 + np.arange(n))
    return tuple(x.astype(dtype) for x in (a * 0.5, p, rng.normal(size=n)))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("n", [5, 0, 1, 60, 2])  # each size below 5 is compiled by itself
def test_value_and_gradient(n):
    args = arguments(n)
    assert many(*args) == pytest.approx(float(many.py_func(*args)), rel=1e-9)
    gradient = linad.grad(many, argnums=(0, 1, 2))(*args)
    rng = np.random.default_rng(1)
    directions = [rng.normal(size=x.shape) for x in args]
    slope = sum(float(np.vdot(g, d)) for g, d in zip(gradient, directions, strict=True))

    def along(h):
        return float(many.py_func(*(x + h * d for x, d in zip(args, directions, strict=True))))

    one, two = ((along(h) - along(-h)) / (2 * h) for h in (1e-5, 2e-5))
    assert slope == pytest.approx((4 * one - two) / 3, rel=2e-6, abs=1e-7)


@pytest.mark.thorough
def test_every_cell():
    check_grads(many, arguments(3))


@pytest.mark.thorough
def test_single_precision():
    args = arguments(4, np.float32)
    gradient = linad.grad(many, argnums=(0, 1, 2))(*args)
    exact = linad.grad(many, argnums=(0, 1, 2))(*(a.astype(np.float64) for a in args))
    for g, e in zip(gradient, exact, strict=True):
        assert g.dtype == np.float32
        np.testing.assert_allclose(g, e, rtol=2e-3, atol=2e-3 * np.abs(e).max())
    assert many(*args) == pytest.approx(float(many.py_func(*args)), rel=1e-4)


@linear_grad
def solved(a, b):
    x = np.linalg.solve(a, b)
    return x @ x


@linear_grad
def product(a, b):
    c = a @ b
    return c[0, 0]


@linear_grad
def factor(a):
    return np.linalg.cholesky(a)[0, 0]


@linear_grad
def inverse(a):
    return np.linalg.inv(a)[0, 0]


@linear_grad
def spectrum(a):
    return np.linalg.svd(a, compute_uv=False)[0]


EYE = np.eye(2)
ERRORS = [
    (solved, (np.ones((2, 2)), np.ones(2)), np.linalg.LinAlgError, "Singular matrix"),
    (inverse, (np.zeros((3, 3)),), np.linalg.LinAlgError, "Singular matrix"),
    (solved, (np.ones((2, 3)), np.ones(3)), np.linalg.LinAlgError, r"\(2,3\).*square"),
    (solved, (EYE, np.ones(3)), ValueError, r"\(2,2\) \(3,\)"),
    (product, (np.ones((2, 3)), np.ones((4, 5))), ValueError, r"\(2,3\) \(4,5\): the sizes 3 and 4 differ"),
    (factor, (-EYE,), np.linalg.LinAlgError, "Matrix is not positive definite"),
    (spectrum, (np.full((2, 2), np.nan),), np.linalg.LinAlgError, "SVD did not converge"),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("f, args, error, message", ERRORS)
def test_errors_are_numpys(f, args, error, message):
    with pytest.raises(error, match=message):
        f(*args)
    with pytest.raises(error, match=message):
        linad.grad(f)(*args)
    with pytest.raises(error):
        f.py_func(*args)


def test_an_error_points_at_the_line():
    with pytest.raises(np.linalg.LinAlgError, match=r"np\.linalg\.solve\(a, b\) at .*test_compiled\.py:\d+"):
        solved(np.ones((2, 2)), np.ones(2))


def test_eigenvalues_of_nan_are_nan_as_numpys_are():
    @linear_grad
    def values(a):
        return np.linalg.eigvalsh(a)[0]

    assert np.isnan(values(np.full((2, 2), np.nan)))


@linear_grad
def integers(a, b, x):
    c = a @ b
    return c[0, 1] + np.dot(a[0], x) + (x @ b)[0]


def test_integers_and_mixed_types():
    a, b, x = np.array([[1, 2], [3, 4]]), np.array([[5, 6], [7, 8]]), np.array([0.5, 1.5])
    assert integers(a, b, x) == integers.py_func(a, b, x)
    np.testing.assert_allclose(linad.grad(integers, argnums=2)(a, b, x), [1.0 + 5.0, 2.0 + 7.0])


def test_nan_of_a_singular_determinant_is_not_silent():
    @linear_grad
    def det(a):
        return np.linalg.det(a)

    assert det(np.ones((2, 2))) == 0.0
    assert not np.isfinite(linad.grad(det)(np.ones((2, 2)))).all()


@pytest.mark.thorough
def test_the_purely_functional_form_agrees():
    args = arguments(3)
    pure = linear_grad(many.py_func, update="pure")
    for a, b in zip(linad.grad(pure, argnums=(0, 1, 2))(*args), linad.grad(many, argnums=(0, 1, 2))(*args), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)


def test_without_scipy_it_says_what_to_install(monkeypatch):
    import importlib
    import importlib.util

    from linad.runtime import linalg as runtime_linalg

    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None)
    with pytest.raises(ImportError, match="install scipy"):
        importlib.reload(runtime_linalg)
    monkeypatch.undo()
    importlib.reload(runtime_linalg)


@pytest.mark.parametrize("by_columns", [False, True])
def test_products_with_a_small_matrix_in_blocks_of_rows(by_columns):
    rng = np.random.default_rng(0)
    for rows in (1, 50, linalg.ROWS, 2 * linalg.ROWS + 1):
        for k in range(1, linalg.NARROW[0] + 1):
            for n in (1, 2, linalg.NARROW[1]):
                a, b, c = rng.normal(size=(rows, k)), rng.normal(size=(k, n)), rng.normal(size=(rows, n))
                wanted = c - 0.5 * a @ b
                given = np.ascontiguousarray(b.T) if by_columns else b
                linalg._narrow_gemm.py_func(c, a, given, by_columns, k, -0.5)
                np.testing.assert_allclose(c, wanted, rtol=1e-13, atol=1e-13)


def test_products_of_many_rows_with_a_small_matrix():
    @linear_grad
    def turned(a: Float64[np.ndarray, "n 3"], b: Float64[np.ndarray, "3 3"]) -> float:
        return np.sum(np.sin(a @ b) + np.cos(a @ b.T))

    rng = np.random.default_rng(0)
    args = rng.normal(size=(300, 3)), rng.normal(size=(3, 3))
    assert turned(*args) == pytest.approx(float(turned.py_func(*args)), rel=1e-12)
    check_grads(turned, args)
