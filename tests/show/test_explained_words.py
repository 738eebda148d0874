"""The words per iteration that `explain` states are those that are counted."""

from __future__ import annotations

import re

import numpy as np
import pytest
from jaxtyping import Float64

from linad import cost, explain, linear_grad

N = 24
X = np.linspace(0.2, 0.9, N)
Vec = Float64[np.ndarray, "n"]


def one_value(x: Vec) -> float:
    s = 1.0
    for i in range(len(x)):
        s = np.sin(s * x[i])
    return s


def two_that_depend_on_each_other(x: Vec) -> float:
    s = 1.0
    t = 0.5
    for i in range(len(x)):
        s = np.tanh(s * t + x[i])
        t = np.exp(-t * s)
    return s * t


def a_cut_in_the_middle(x: Vec) -> float:
    s = 1.0
    for i in range(len(x)):
        w = np.exp(s * x[i])
        s = w / (1.0 + w)
    return s


def one_in_either_arm(x: Vec) -> float:
    p = 1.0
    for i in range(len(x)):
        if x[i] > 0.5:
            p = p * x[i]
        else:
            p = p * p
    return p


def old_cells(x: Vec) -> float:
    v = x.copy()
    for i in range(len(x)):
        v[i] = v[i] * v[i]
    return np.sum(v)


def a_sum(x: Vec) -> float:
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    return s


def values_no_derivative_reads(x: Vec) -> float:
    s = 0.0
    for i in range(len(x)):
        s = 0.5 * s + 2.0 * x[i]
    return s


def values_no_gradient_reaches(x: Vec) -> float:
    best = 0.0
    s = 1.0
    for i in range(len(x)):
        best = best * x[i] + np.sin(best)
        s = 0.5 * s + x[i]
    return s


PROGRAMS = {
    one_value: 1, two_that_depend_on_each_other: 2, a_cut_in_the_middle: 2, one_in_either_arm: 1, old_cells: 1, a_sum: 0,
    values_no_derivative_reads: 0, values_no_gradient_reaches: 0,
}  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_words(f) -> None:
    checked = linear_grad(f)
    stated = sum(int(n) for n in re.findall(r"(\d+) words? logged per iteration", str(explain(checked))))
    assert stated == PROGRAMS[f]
    first = 2 * (f is two_that_depend_on_each_other)  # the values before the loop, in front of those of its iterations
    assert cost(checked, X).log_words == stated * N + first
