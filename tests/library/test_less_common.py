"""Counts, windows, angles without jumps, grids, orders of memory: against NumPy and differences."""

from __future__ import annotations

import numpy as np
import pytest

from ..arrays.near import check, refusals

X, Y = np.array([0.4, -1.2, 0.7, 2.0, -0.3, 1.1]), np.array([1.0, 0.3, 0.5, 2.0, 0.2, 0.9])
S, I, Q = np.arange(12.0).reshape(4, 3) / 7 - 0.6, np.array([2, 0, 5, 2]), np.arange(9.0).reshape(3, 3) / 7 - 0.3
CALLS = [
    ("a, b = np.hsplit(x, 2)\nreturn a * b", X), ("a, b = np.vsplit(x, 2)\nreturn a * b", S), ("h, e = np.histogram(x, bins=4)\nreturn h * x[0], e", X),
    ("h, e = np.histogram(x, bins=3, weights=y)\nreturn h * h", X, Y), ("np.histogram(x, [-1.0, 0.0, 2.0])", S), ("np.histogram(x, 0)", X), ("np.histogram(x, 3)", X[:0]),
    ("np.histogram(x, 5, (-2, 2))", X), ("np.histogram(x, 3)", np.array([1.0, np.nan])), ("np.histogram(x, 4)", np.array([1, 2, 2, 5])), ("np.logaddexp.reduce(x)", S),
    ("np.bincount(y, x[:4]) ** 2", X, I), ("np.bincount(y, minlength=9) * x[0]", X, I), ("np.bincount(y, x)", X, I), ("np.bincount(y - 1)", X, I), ("np.bincount(x[:0])", I),
    ("np.diff(x, prepend=0.0, append=y[:2])", X, Y), ("np.diff(x, axis=0, append=x[:1])", S), ("np.diff(x, prepend=0.5)", np.array([1, 2, 4])), ("np.unwrap(x * 3)", X),
    ("np.unwrap(x)", np.array([0, np.pi, 0.1, 3 * np.pi])),
    ("np.mgrid[0:3, 0:3][0] * x", Q), ("i, j = np.ogrid[0:3, 0:3]\nreturn i * x + j", Q), ("np.mgrid[1:7] * x", X),
    ("x.ravel('F') * x.flatten('F')", S), ("x.reshape((-1, 6), order='F') ** 2", S), ("z = x.repeat(2)\nz.reshape(4, 3, order='F')[0] = 1.0\nreturn z", X),
]  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", CALLS, ids=lambda c: c[0])
def test_calls(case):
    body, *args = case
    check(body, *args, smooth=not any("unwrap(x)" in body or "nan" in repr(a) for a in args) and "np.histogram(x, 3)" not in body and "bins=4" not in body)


@pytest.mark.parametrize("body", ["np.mgrid[x]", "np.histogram(x, 3, density=True)", "np.histogram(x, 'auto')", "x.reshape(3, 2, order='K')",
                                  "y = x.copy()\ny.fill(x)\nreturn y", "y = x.copy()\ny.fill(2.0 * x)\nreturn y"])  # fmt: skip
def test_refused(body):
    assert refusals(body, X)


@pytest.mark.parametrize("case", [("np.vecmat(x, y)", X[:4], S), ("np.vecmat(x, y)", X[:1], S), ("np.vecmat(x, y)", X[:4], S[:1]),
                                  ("np.matvec(x, y)", S, X[:3]), ("np.matvec(x, y)", S, X[:1]), ("np.matvec(x, y)", S[:, :1], X[:3]),
                                  ("np.vecdot(x, y)", S, X[:3]), ("np.vecdot(x, y)", S, S[:, :1]), ("np.vecdot(x, y, axis=0)", S, S[:1])])  # fmt: skip
def test_an_axis_that_is_summed_over_is_not_stretched(case):
    check(*case)
