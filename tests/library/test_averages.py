"""Averages, covariances, quantiles and reductions without NaNs, against NumPy and differences."""

from __future__ import annotations

import numpy as np
import pytest

from ..arrays.near import check, refusals

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

R = np.random.default_rng(5)
X, Y, A, T = R.normal(size=5) + 2, R.normal(size=5) + 3, R.normal(size=(4, 5)), R.normal(size=(2, 3, 4))
INTS, SINGLE, NONE = np.array([3, 1, 2, 2, 5]), X.astype(np.float32), np.zeros(0)
HOLES = A.copy()
HOLES[1, 2], HOLES[:, 4] = np.nan, np.nan


@pytest.mark.parametrize("call", ["x", "x, axis=0", "x, weights=x * x", "x, axis=1, weights=y", "x.T, axis=0, weights=y, keepdims=True"])
def test_average(call):
    check(f"np.average({call})", A, Y)


def test_average_at_the_edges():
    check("np.average(x), np.average(x, weights=y)", INTS, Y)
    check("np.average(x, axis=(0, 1)), np.average(x, axis=1, weights=y[:3], keepdims=True)", T, Y)
    check("np.average(x, weights=x)", SINGLE, smooth=False)
    check("np.average(x)", NONE, smooth=False)
    check("np.average(x, weights=y * 0)", X, Y)  # ZeroDivisionError
    check("np.average(x, axis=1, weights=y[:3])", A, Y)  # ValueError
    assert refusals("np.average(x, weights=y)", A, Y)


@pytest.mark.parametrize(
    "call",
    ["x", "x, rowvar=False", "x, bias=True", "x, ddof=0", "x, y", "y, y * y", "x, aweights=y", "x, fweights=[1, 2, 1, 3, 1]", "x, aweights=y, fweights=[1, 2, 1, 3, 1], ddof=0"],
)
def test_cov(call):
    check(f"np.cov({call})", A, Y)


def test_cov_at_the_edges():
    check("np.cov(x[:, :1])", A, smooth=False)
    check("np.cov(x, x * 2)", SINGLE, smooth=False)
    check("np.corrcoef(x), np.corrcoef(x, y), np.corrcoef(y, x[0])", A, Y)
    check("np.cov(x), np.corrcoef(x), np.cov(x, ddof=0) * 2", X)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("call", ["x, 0.3", "x, 0.3, axis=0", "x, [0.0, 1.0], axis=0", "x, [0.25, 0.7], axis=1, keepdims=True", "x, y[:2] / 10"])
@pytest.mark.parametrize("name", ["quantile", "percentile"])
def test_quantile(name, call):
    check(f"np.{name}({call})", A, Y)


def test_quantile_at_the_edges():
    check("np.quantile(x, 0.5, keepdims=True), np.quantile(x, 0.5, axis=1, keepdims=True)", A)
    check("np.quantile(x, y)", X, 0.3)
    check("np.quantile(x, 1.3)", X)
    check("np.quantile(x, 0.3)", NONE)
    check("np.quantile(x, 0.3), np.quantile(x[:1], 0.9)", INTS)
    check("np.quantile(x, 0.3), np.quantile(x, [0.3])", SINGLE, smooth=False)
    check("np.quantile(x, 0.3), np.quantile(x, 0.3, axis=0)", HOLES, smooth=False)
    check("np.percentile(x, 50, axis=1)", T)


@pytest.mark.parametrize("name", ["nanmax", "nanmin", "nanvar", "nanstd", "nancumsum", "nancumprod"])
def test_without_nans(name):
    for a in (A, INTS, X, HOLES, SINGLE, NONE):
        check(f"np.{name}(x)", a, smooth=a.size > 0 and not np.isnan(a).any() and a.dtype == float)
    check(f"np.{name}(x, axis=0), np.{name}(x, axis=1)", HOLES, smooth=False)
    if name[3:] in ("var", "std"):
        check(f"np.{name}(x, axis=1, ddof=1, keepdims=True)", A)
        check(f"np.{name}(x * 0)", X)
