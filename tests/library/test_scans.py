"""Running sums, sorting, searching, einsum, log-sums, `np.add.at`: against NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest

from linad import linear_grad

from ..arrays.near import check, refusals

R = np.random.default_rng(7)
X, Y, L = R.normal(size=5) + 2, R.normal(size=3), R.normal(size=17)
A, T = R.normal(size=(4, 5)), R.normal(size=(2, 3, 4))
INTS = R.permutation(12).reshape(3, 4) - 5
ROUGH = np.array([3.0, np.nan, 1.0, -np.inf, np.nan, 2.0, np.inf])


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_running(name):
    for a in (X, A, T, INTS, X[:0], X[:1], INTS > 0, np.array([1.0, 0.0, 2.0, 0.0])):
        check(f"np.{name}(x)", a)
    for axis in (0, 1, -1):
        for a in (A, T, INTS, A[:0], A[:1]):
            check(f"np.{name}(x, axis={axis})", a)
    check(f"np.{name}(x[::-1] * 2), x.{name}()[::2]", X)
    check(f"np.{name}(x.T, axis=0)", A)
    check(f"np.{name}(x.astype(np.float32))", X, smooth=False)


def test_differences():
    for a in (X, A, T, INTS, X[:1], X[:0], INTS > 0):
        check("np.diff(x), np.diff(x, n=2)", a)
    check("np.diff(x, axis=0), np.diff(x * x, n=3, axis=1)", A)
    check("np.trapezoid(x), np.trapezoid(x, dx=0.5, axis=0)", A)
    check("np.trapezoid(x, y), np.trapezoid(x, y * 2, axis=1)", A, X)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions(mode):
    for a, b in ((X, Y), (Y, X), (Y, L[:4]), (INTS[0], INTS[1][:2]), (X, Y[:0])):
        check(f"np.convolve(x, y, mode={mode!r})", a, b)


def test_sorting():
    for a in (X, A, T, INTS, X[:0], X[:1], L):
        check("np.sort(x), np.argsort(x, kind='stable')", a)
        check("np.sort(x, axis=0), np.argsort(x, axis=None, stable=True)", a)
    for a in (ROUGH, INTS > 0, np.array([1.0, 0.0, 1.0, 0.0])):
        check("np.sort(x), np.argsort(x, kind='stable')", a, smooth=False)
    check("x[np.argsort(x)] * y, np.sort(x * y)[::-1] * 1.0", X, X + 1)
    check("v = x.copy()\nv.sort()\nw = x * 2\nw[1:4].sort()\nreturn v, w", L)
    check("v = x.copy()\nv.sort(axis=0)\nreturn v", A)


def unlucky(n):
    """An order in which the median of three cells is always one of the smallest (Musser 1997, table 1)."""
    k = n // 2
    return np.array([i if i % 2 else k + i - 1 for i in range(1, k + 1)] + [2 * i for i in range(1, k + 1)], float)


@linear_grad
def sorted_in_all_ways(x, q):
    return np.sort(x), np.argsort(x, kind="stable"), np.median(x), np.quantile(x, q)


def test_sorting_compiled():
    """Counting, quicksort and quickselect give what the stable sort of NumPy gives, with ties, NaNs and unlucky orders too."""
    rng = np.random.default_rng(0)
    q = np.array([0.1, 0.35])
    orders = [unlucky(400), np.zeros(100), np.arange(300.0)[::-1], np.repeat([3.0, 1.0, 2.0], 50), rng.random(1000)]
    orders += [rng.random(n) for n in range(1, 40, 6)] + [np.round(rng.random(500), 1), np.array([1.0, np.nan] * 40)]
    orders += [np.round(rng.random(n), 1) for n in (64, 65, 128, 129)]
    for x in orders:
        x = np.ascontiguousarray(x)
        for found, wanted in zip(sorted_in_all_ways(x, q), sorted_in_all_ways.py_func(x, q), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-15)


@pytest.mark.parametrize("side", ["left", "right"])
def test_searching(side):
    s = np.sort(L)
    for a, v in ((s, np.concatenate([s[::3], [-9.0, 9.0, np.nan]])), (np.array([1.0, 1.0, 2.0, 5.0]), 1.0), (np.array([1, 1, 2, 5]), np.array([[0, 1], [5, 2]])), (s[:0], 2.0)):
        check(f"np.searchsorted(x, y, side={side!r})", a, v, smooth=False)


def test_interpolation():
    s = np.sort(L)
    x = np.array([-9.0, s[0] + 0.01, 0.1, 0.25, s[-1] - 0.01, 9.0])
    check("np.interp(x, y, z)", x, s, np.sin(s))
    check("np.interp(x * 1.0, y, z, left=-1.0, right=2.0)", x, s, s**2)
    check("np.interp(x, y, z)", 0.3, s, np.sin(s))
    check("np.interp(x, y, z)", np.array([0.1, np.nan]), s, s, smooth=False)
    check("np.interp(x, y, z)", np.array([0.1, np.nan]), s[:1], s[:1], smooth=False)
    check("np.interp(x, y, z)", x, s[:0], s[:0])
    check("np.interp(x, y, z)", x, s, s[:3])


@pytest.mark.parametrize("text, args", [
    ("ij,j->i", (A, X)), ("ij,jk->ik", (A, A.T.copy())), ("ij,kj->ik", (A, A)), ("ii", (A[:, :4],)), ("ii->i", (A[:, :4],)), ("ij->ji", (A,)), ("ij->j", (A,)), ("ij", (A,)),
    ("i,i", (X, X)), ("i,j->ij", (X, Y)), ("ijk->kj", (T,)), ("i,ij,j", (L[:4], A, X)), ("ijk,ilk->jl", (T, T)), ("ij,j->i", (INTS, INTS[0])), ("ij,j->i", (A, Y)),
])  # fmt: skip
def test_einsum(text, args):
    check(f"np.einsum({text!r}, {', '.join('xyz'[: len(args)])})", *args)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["logsumexp", "softmax", "log_softmax"])
def test_log_sums(name):
    for a in (X, A, T, X[:1], X * 500):
        check(f"sp.{name}(x)", a)
    for axis in (0, 1, -1):
        check(f"sp.{name}(x, axis={axis})", A)
    for a in (np.array([0.0, -np.inf]), np.array([1.0, np.inf]), X.astype(np.float32), INTS):
        check(f"sp.{name}(x)", a, smooth=False)


def test_weighted_log_sums():
    check("sp.logsumexp(x, b=y), sp.logsumexp(x * x, b=2.0)", X, np.abs(X))
    check("sp.logsumexp(x, axis=1, b=y), sp.logsumexp(x, axis=0, keepdims=True)", A, np.abs(X))


def test_add_at():
    i = np.array([0, 3, 3, -1, 0])
    check("v = x.copy()\nnp.add.at(v, y, z * z)\nnp.subtract.at(v, y[:2], v[0])\nnp.add.at(v, 2, x[0])\nreturn v", X, i, L[:5])
    check("v = x.copy()\nnp.add.at(v, (y, y), z)\nnp.add.at(v.T, y, 2.0)\nreturn v", A, i, L[:5])
    check("v = x.copy()\nnp.add.at(v, x > 2.0, 1.5)\nnp.add.at(v, y, v)\nreturn v", X, i)
    check("v = x.copy()\nnp.add.at(v, y, 1.0)\nreturn v", X, np.array([0, 9]))


@pytest.mark.parametrize("body", ["np.einsum('i...->i', x)", "np.einsum('ij,jk', x)", "np.einsum('ij->iq', x)", "np.cumsum(x, axis=3)", "np.convolve(x, x)", "np.diff(x, n=-1)", "np.searchsorted(x, 1.0)", "np.searchsorted(x[0], 1.0, side='middle')"])
def test_refused(body):
    assert refusals(body, A)
