"""Losses of other systems that do not happen here, by counts: the cost per element or per step stays what it is."""

import numpy as np
import pytest

from linad.cost import cost_of

from . import programs as p
from .programs import core_of


def count(f, *args):
    return cost_of(*core_of(f, *args))


def scan_with_updates(x, steps):
    """One element of a long array is updated in each of a few steps."""
    u = x.copy()
    s = 0.0
    for t in range(steps):
        u[t] = u[t] * u[t] + 0.5
        s += u[t]
    return s


def test_an_update_in_a_scan_costs_the_same_in_a_long_array():
    """Functional scans copy the array, or its adjoint, in each step."""
    per_step = []
    for n in (100, 10_000):
        x = np.full(n, 0.5)
        few, many = count(scan_with_updates, x, 10), count(scan_with_updates, x, 20)
        per_step.append(many.gradient - few.gradient)
        assert many.peak_words <= 3 * n + 100  # the copy, its adjoint, and words per step
    assert per_step[0] == per_step[1]


def heat(x, steps):
    u = x.copy()
    v = np.zeros(len(x))
    for _ in range(steps):
        for i in range(1, len(x) - 1):
            v[i] = u[i] + 0.25 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u, v = v, u
    s = 0.0
    for i in range(len(x)):
        s += u[i] * u[i]
    return s


def test_linear_time_steps_have_no_tape_of_whole_arrays():
    few, many = (count(heat, np.full(50, 0.5), steps) for steps in (10, 20))
    assert many.log_words - few.log_words <= 10  # a size per step, no cell
    assert many.peak_words - few.peak_words <= 10


def test_nonlinear_time_steps_log_a_word_per_cell_that_is_squared():
    found = count(p.time_stepping, np.full(50, 0.5))
    assert found.log_words <= 5 * (48 + 1)


def triangle(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            s += x[i] * x[j]
    return s


def test_a_triangle_has_no_residuals():
    """Vectorising systems keep n^2 products, or a mask of that size."""
    few, many = (count(triangle, np.ones(n)) for n in (20, 40))
    assert few.log_words == many.log_words == 0
    assert few.peak_words == many.peak_words <= 2
    assert many.ratio < 5.0


def solve(a, b):
    """Forward substitution."""
    x = np.zeros(len(b))
    for i in range(len(b)):
        s = b[i]
        for j in range(i):
            s -= a[i, j] * x[j]
        x[i] = s / a[i, i]
    t = 0.0
    for i in range(len(b)):
        t += x[i]
    return t


def test_forward_substitution_logs_nothing_per_product():
    few, many = (count(solve, np.eye(n) + 0.1, np.ones(n)) for n in (20, 40))
    assert few.log_words <= 2 * 20 and many.log_words <= 2 * 40
    assert many.ratio < 5.0


def one_of_two(x, w):
    if w > 0.0:
        return x[0] * w
    return x[1] * x[2]


def in_a_loop(x, w):
    s = w
    for i in range(3):
        if s > 0.0:
            s = s * x[i]
        else:
            s = s - x[i]
    return s


def product(a, b):
    return a[0] * b[1]


def twice(x, w):
    return product(x, x) * w


def in_a_while(x, w):
    s, k = w, 0
    while s < 4.0 and k < 5:
        s = s + x[k] * s
        k += 1
    return s


@pytest.mark.parametrize("f", [one_of_two, in_a_loop, twice, in_a_while])
@pytest.mark.parametrize("w", [0.5, -0.5])
def test_a_few_reads_cost_the_same_in_a_large_array(f, w):
    """Branches that copy what they might read, gradients that are zeroed per read, arguments copied for a callee."""
    small, large = (count(f, np.full(n, 0.7), w) for n in (10, 10**6))
    assert small.gradient == large.gradient
    assert small.by_kind == large.by_kind
    assert small.peak_words == large.peak_words < 100


def branch_that_updates(x, flags):
    u = x.copy()
    for i in range(len(flags)):
        if flags[i] > 0:
            u[i] = u[i] * u[i]
        else:
            u[i] = 2.0 * u[i]
    s = 0.0
    for i in range(len(flags)):
        s += u[i]
    return s


def test_a_branch_that_updates_does_not_copy():
    flags = np.array([1, 0, 1, 1, 0])
    small, large = (count(branch_that_updates, np.ones(n), flags) for n in (10, 1000))
    extra = 990
    # words: the copy there, its adjoint made, added, and nothing else that has the length of the array
    assert large.gradient - small.gradient == extra * (1 + 1 + 3)


def test_squares_log_a_word_each():
    assert count(p.squares, np.ones(50)).log_words == 50
    found = count(p.prefix_sums, np.ones(50))
    assert found.log_words == found.peak_words == 50  # the sums, once: in the log instead of the array


@pytest.mark.parametrize("name", ["prefix_sums", "squares", "gauss_seidel", "time_stepping", "newton", "cholesky"])
def test_programs_keep_the_bound(name):
    args = {"gauss_seidel": (np.ones(9), np.ones(9)), "newton": (2.0,), "cholesky": (np.eye(5) + 0.1,)}
    found = count(getattr(p, name), *args.get(name, (np.full(9, 0.5),)))
    assert found.primal < found.gradient <= found.bound
