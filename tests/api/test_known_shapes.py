"""Sizes and values known when a function is compiled decide what it means: in helpers, loops and broadcasting."""

import numpy as np
import pytest

import linad
from linad import LinadError, linear_grad

from ..kit import HEADER, load
from ..two_roads import differences

pytestmark = pytest.mark.interpreted

X, A = np.linspace(0.2, 0.9, 6), np.linspace(0.1, 1.6, 16).reshape(4, 4)
MATRIX = "M = [[1.0, 2.0], [3.0, 4.0]]\n"
PROGRAMS = {
    "helpers get the sizes that decide how many items there are": """\
def g(a):
    return tuple(a[k] * 2 for k in range(len(a)))
def f(x):
    a, b, c = g(x[:3])
    d, e = g(np.zeros(2) + x[0])
    return a * b + c + d * e
""",
    "and axes of one cell, which broadcast": """\
def g(a, b):
    return (a.copy() * b).sum()
def f(x):
    return g(x.mean(axis=0, keepdims=True), x)
""",
    "a recursive helper": """\
def g(a, n):
    return a[0] if n == 0 else g(a, n - 1) * a[n]
def f(x):
    return g(x[:3], 2)
""",
    "tuples of ints": """\
def g(x, dims):
    return x[0] if dims[0] == 1 else x
D = (2, 1)
def f(x):
    return (g(x, D) * x).sum()
""",
    "a loop that is known not to run": """\
def f(x):
    while x.ndim > 1:
        x = x[0]
    return x[1] * x[2]
""",
    "a loop that takes a structure apart": MATRIX + """\
def shape(t):
    s = []
    while isinstance(t, list):
        n = len(t)
        s.append(n)
        if not n:
            break
        t = t[0]
    return tuple(s)
def f(x):
    a, b = shape(M)
    return x[0] * a * b * len(shape([1.0, x[0]]))
""",
    "lists as arguments": """\
def f(x):
    return x[0] * np.isclose([0, 0, 1], (0, 0, 1)).sum() * (1 + np.allclose(x[:3], (0, 0, 1)))
""",
    "windows": """\
from numpy.lib.stride_tricks import sliding_window_view as s
def f(x):
    return (s(x, 3).prod(axis=1) * s(x, (3,), -1)[:, 0]).sum()
""",
    "strides": """\
def g(a, n):
    shape = a.shape[:-1] + (a.shape[-1] - n + 1, n)
    return np.lib.stride_tricks.as_strided(a, shape=shape, strides=a.strides + (a.strides[-1],))
def f(x):
    return (g(x, 3).prod(axis=-1) * np.arange(4)).sum()
""",
    "what masks nothing": """\
def f(x):
    return np.ma.dot(x, x) * np.ma.mean(x)
""",
    "complex dtypes": """\
def f(x):
    z = np.exp(1j * x)
    if np.issubdtype(x.dtype, complex) or not np.issubdtype(z.dtype, np.complexfloating):
        return x[0]
    return z.real.sum() * hasattr(z, 'sum')
""",
    "arrays in the order of Fortran": """\
def f(x):
    y = np.empty((3, 2), order='F')
    y[:, 0] = x[:3]
    y[:, 1] = x[3:]
    return (y.reshape(6) * np.arange(6)).sum()
""",
    "what is floor of ints": """\
def f(x):
    return (x * np.floor(np.arange(6)) * np.rint(np.arange(6))).sum()
""",
    "methods of quantiles": """\
def f(x):
    s = 0.0
    for k, m in enumerate((
        'lower', 'higher', 'nearest', 'midpoint', 'interpolated_inverted_cdf', 'hazen', 'weibull', 'median_unbiased',
        'normal_unbiased',
    )):
        s += np.quantile(x, 0.37, method=m) * (k + 1)
    return s
""",
    "hints that change no value": """\
import scipy.linalg as sl
def f(x):
    return sl.solve_banded((0, 0), x[None] * 1.0, x * x, overwrite_b=True)[2]
""",
}  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(text):
    plain = load(f"{HEADER}{text}")
    f = linear_grad(plain)
    x = A if "keepdims" in text else X
    assert f(x) == pytest.approx(plain(x))
    assert np.allclose(f.grad(x), differences(plain, x), atol=1e-6)


def test_axes_that_have_one_cell_when_it_runs():
    plain = load(f"{HEADER}def f(x, a):\n    return (x * a).sum()\n")
    f, a = linear_grad(plain), X[:1]
    for one, other in ((X, X), (a, X), (X, X), (X, a), (a, a)):
        assert f(one, other) == pytest.approx(plain(one, other))
        for k, g in enumerate(f.grad(one, other)):
            rest = lambda v, k=k, pair=(one, other): plain(*(v if j == k else p for j, p in enumerate(pair)))
            assert np.allclose(g, differences(rest, (one, other)[k]), atol=1e-6)
    assert f.jvp((a, X), (a, None))[1] == pytest.approx(a[0] * X.sum())
    with pytest.raises(ValueError, match="could not be broadcast"):
        f(X, X[:2])


def test_axes_of_one_cell_under_transforms():
    f, a = linear_grad(load(f"{HEADER}def f(x, a):\n    return (x * a).sum()\n")), X[:1]
    rows = linear_grad(load(f"{HEADER}def f(x, a):\n    return x * a\n"))
    for x in (X, a, X):
        wanted = np.full(1, X.sum()) if x is a else X
        assert np.allclose(linad.grad(f)(x, X), wanted)
        assert np.allclose(linad.jacobian(f)(x, X), wanted)
        assert np.allclose(linad.vmap(linad.grad(f))(x[None], X[None]), wanted)
        assert np.allclose(linad.hessian(f, (0, 1))(x, X)[0][1], np.ones((1, 6)) if x is a else np.eye(6))
        assert np.allclose(f.hvp((x, X), (None, X))[0], wanted)
        assert np.allclose(linad.jacobian(rows, sparsity=True)(x, X).toarray(), linad.jacobian(rows)(x, X))


def test_axes_of_one_cell_and_buffers():
    f, a = linear_grad(load(f"{HEADER}def f(x, a):\n    return x.sum() + (x * a).sum()\n")), X[:1]
    for x, y in ((X, X), (a, X), (X, a), (a, a), (X, X), (a, X)):
        into, wanted = (np.full_like(x, 0.5), np.full_like(y, 0.25)), f.grad(x, y)
        assert f.vjp_into(2.0, x, y, into=into) == f(x, y)
        for buffer, g, before in zip(into, wanted, (0.5, 0.25), strict=True):
            np.testing.assert_allclose(buffer, before + 2.0 * g)
    into = (np.zeros(1), np.zeros((2, 3)))
    with pytest.raises(TypeError):
        f.vjp_into(1.0, a, X, into=into)


def test_arrays_that_are_updated_are_not_updated_twice():
    f = linear_grad(load(f"{HEADER}def f(y, x):\n    y += 1.0\n    y += x[:1] * x[1:]\n"), updates=("y",))
    y = np.zeros(1)
    with pytest.raises(ValueError, match="could not be broadcast|broadcast"):
        f(y, X)
    assert y[0] in (0.0, 1.0)


def test_a_loop_that_does_not_run_gives_no_type():
    plain = load(f"{HEADER}def f(x, n=1):\n    while len(x) < n:\n        x = list(x)\n        x.append(x[-1])\n    return x\n")
    assert np.array_equal(linear_grad(plain)(X), plain(X))


def test_windows_of_negative_sizes():
    plain = load(
        f"{HEADER}def f(x):\n    return np.lib.stride_tricks.as_strided(x, (len(x) - 2, 3), x.strides + x.strides).sum()\n"
    )
    for n in (0, 1):
        for g in (plain, linear_grad(plain)):
            with pytest.raises(ValueError, match="negative dimensions are not allowed"):
                g(np.ones(n))
    assert linear_grad(plain)(np.ones(2)) == 0.0


def test_windows_see_no_later_update():
    text = "from numpy.lib.stride_tricks import sliding_window_view\ndef f(x):\n    y = x * 2.0\n    w = sliding_window_view(y, 3)\n    y[0] = 5.0\n    return w\n"
    with pytest.raises(LinadError, match="used after its array was updated"):
        linear_grad(load(HEADER + text))(X)


def test_lists_of_lists_as_results():
    plain = load(f"{HEADER}def f(x):\n    rows = [[1.0 for _ in x]]\n    for k in range(1, 4):\n        rows.append([v**k for v in x])\n    return rows\n")
    f = linear_grad(plain)
    value, pull = f.vjp(X)
    assert type(value[1]) is list and [*map(len, value)] == [6] * 4
    assert np.allclose(value, plain(X), rtol=1e-15)  # powers of several numbers at once may differ in the last bit
    assert np.allclose(pull([[1.0] * 6] * 4)[0], 1.0 + 2.0 * X + 3.0 * X**2)
    assert f.jvp((X,), (np.ones(6),))[1][2] == pytest.approx(list(2.0 * X))
