"""Reductions whole and along axes, of arrays, views and expressions, with the edges that NumPy has."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from linad import cost

from ..arrays.near import check, program, refusals

R = np.random.default_rng(3)
X, A, T = R.normal(size=5) + 2, R.normal(size=(4, 5)), R.normal(size=(2, 3, 4))
INTS = R.permutation(20).reshape(4, 5) - 7
VIEWS = ["x.T", "x[:, ::2]", "x[::-1]", "x * x + 1.0", "x.T[1:] * 2.0", "x.astype(np.int32)"]
EVERY = "sum prod mean var std min max argmin argmax ptp any all count_nonzero".split()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("a", [X, A, T, INTS, INTS > 0, X[:1], X[:0]], ids=["x", "A", "T", "ints", "bools", "one", "none"])
def test_whole(name, a):
    if name == "ptp" and a.dtype == bool:
        assert refusals("np.ptp(x)", a)
        return
    check(f"np.{name}(x)", a, smooth=name != "std" or a.size != 1)


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("name", "axis"), [*product(EVERY, ["0", "1", "-1"])])
def test_along_an_axis(name, axis):
    for a in (T,) if axis == "1" else (A, T, INTS, A[:, :0], A[:0]):  # the last axis of a matrix is -1
        check(f"np.{name}(x, axis={axis}), np.{name}(x, axis={axis}, keepdims=True)", a)


@pytest.mark.parametrize("name", [n for n in EVERY if n[:3] != "arg"])
def test_along_several_axes(name):
    for axes in ("(0, 1)", "(0, 2)", "(-1, 0)", "(1, 2)"):
        check(f"np.{name}(x, axis={axes})", T)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "what"), [*product(EVERY, VIEWS)])
def test_views_and_expressions(name, what):
    check(f"np.{name}({what}), np.{name}({what}, axis=0)", A * 3)


@pytest.mark.parametrize("name", EVERY)
def test_float32_stays_float32(name):
    check(f"y = x.astype(np.float32)\nreturn np.{name}(y), np.{name}(y, axis=0)", A, smooth=False)


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin", "sum", "nansum", "nanprod", "nanmean"])
def test_nan(name):
    x = np.array([1.0, np.nan, 3.0, np.nan])
    check(f"np.{name}(x)", x, smooth=False)
    check(f"np.{name}(x, axis=0)", np.stack([x, X[:4], x]), smooth=False)
    for places in ([300], [10, 400], [599, 2], range(600)):
        long = np.cos(np.arange(600.0))
        long[list(places)] = np.nan
        check(f"np.{name}(x)", long, smooth=False)


def test_options():
    check("np.var(x, ddof=1), np.std(x, axis=0, ddof=1), np.var(x, ddof=1.5)", A)
    check("np.var(x, axis=1, ddof=9)", A, smooth=False)
    check("np.sum(x, dtype=np.float32), np.mean(x, dtype=np.float32)", INTS, smooth=False)
    check("np.max((x[0], 2.0 * x[1])), np.sum([x[0], x[1] * x[2]])", X)


@pytest.mark.parametrize("x", [[2.0, 0.0, 3.0], [2.0, 0.0, 0.0, 3.0], [2.0, -1.0, 3.0], [0.0]])
def test_products_need_no_division(x):
    check("np.prod(x)", np.array(x))


def test_ties_go_to_the_first():
    from linad import linear_grad

    f = linear_grad(program("np.max(x) + 2.0 * np.min(x)", "x"))
    np.testing.assert_array_equal(f.grad(np.array([3.0, 1.0, 3.0, 1.0])), [1.0, 2.0, 0.0, 0.0])


def test_long_sums_are_added_up_in_blocks():
    check("np.sum(x), np.mean(x)", np.linspace(-1.0, 2.0, 5000), smooth=False)
    check("np.max(x), np.argmin(x), np.max(x[::-3])", np.sin(np.arange(2000.0)), smooth=False)


def test_a_better_cell_is_found_by_one_comparison():
    """Each cell is compared with itself, to find a nan, only in blocks that contain one."""
    n = 200
    assert cost(program("np.min(x)", "x"), np.arange(float(n), 0.0, -1.0)).primal < 11 * n


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "var"])
def test_nothing_is_logged(name):
    assert cost(program(f"np.{name}(x)", "x"), X).log_words == 0


@pytest.mark.parametrize("body", ["np.nansum(x, where=x > 0)", "np.sum(x, where=x)", "np.sum(x, where=np.outer(x, x) > 0)", "np.sum(x, initial=x)", "np.sum(np.arange(3), initial=0.5)", "np.sum(x, out=x)", "np.sum(x, axis=5)", "np.sum(x, axis=n)", "np.sum(x, keepdims=x[0] > 0)", "np.sum(x, dtype=int)", "np.argmax(x, axis=(0, 0))", "round(x)", "round(x, 2)"])
def test_refused(body):
    assert refusals(body.replace("n)", "int(x[0]))"), X)


@pytest.mark.parametrize("body", [
    "np.sum(x, where=x > 0) * np.prod(z, axis=1, where=z > 0.1, initial=2.0)", "np.sum(z, axis=0, initial=x[0], keepdims=True)", "x.sum(where=[True, False, True, True])",
    "np.mean(z, axis=1, where=z < 1.0, keepdims=True)", "np.var(x, where=x < 1.5) + np.std(z, axis=0, ddof=1, where=z < 5.0)",
    "x[0] * np.any(z > 0.2, axis=0, where=z < 0.5) + x[1] * np.all(z > -9.0, where=z > 0.0)",
])  # fmt: skip
def test_masks_and_first_values(body):
    check(body if "return" in body else f"return {body}", np.array([0.4, -1.2, 0.7, 2.0]), np.array([1.0, 0.3, -0.5, 2.0]), np.arange(9.0).reshape(3, 3) / 7 - 0.3)
