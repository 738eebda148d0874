"""How many words derivatives log, and derivatives of derivatives: more would give the same numbers, and cost more."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.adjoint.facts.test_dependence import PROGRAMS
from tests.adjoint.facts.test_overwrite_analysis import LOGGED
from tests.adjoint.facts.test_reread_analysis import SHUT
from tests.adjoint.facts.test_reversal_order import K, N, X
from tests.adjoint.log_words import words, words_twice


def local_and_linear(x):
    """No derivative wants what is loaded from the array of an iteration: it is not kept."""
    s = 1.0
    for i in range(len(x)):
        t = np.zeros(3)
        t[0] = x[i]
        t[int(x[i])] += 2.0 * x[i]
        s = np.sin(s) + t[1] + 0.5 * t[0]
    return s


def local_and_read_often(x):
    s = 1.0
    for i in range(len(x)):
        t = np.zeros(3)
        for j in range(3):
            t[j] = np.sin(x[i] * s + j)
        for j in range(3):
            for k in range(3):
                s += t[j] * t[k]
    return s


def two_counters(x):
    """Their sum is logged in place of both."""
    s = 0.0
    k = 1
    m = 2
    for i in range(len(x)):
        s = np.sin(s) + x[(k + m) % len(x)]
        k = (2 * k + 1) % 5
        m = (m * m + 1) % 7
    return s


def put_back_for_a_loop_that_runs_again(x):
    """The cells that are put back are those that the first loop finds when it runs beside its reverse."""
    y = x.copy()
    s = 0.0
    for i in range(len(y)):
        s += y[i] * math.sin(y[i])
    for i in range(len(y)):
        y[i] = s * y[i]
    for i in range(len(y)):
        s += y[i] * y[i]
    y[0] = s
    return s * y[1] + y[0]


def decided_by_squares(x, w):
    """What is compared has a derivative that nobody wants."""
    y = x.copy()
    k = 0
    while y[0] * y[0] + y[1] ** 2 > 0.1 and k < 30:
        y[0] = 0.8 * y[0] * math.cos(w) - 0.3 * y[1]
        y[1] *= 0.7 + 0.1 * y[0]
        k += 1
    return y[0] + y[1] * w


def until_it_settles(x, w):
    """The test is a reduction that no derivative flows through: what it reads is logged once, for the body."""
    y, z, k = x.copy(), x + 1.0, 0
    while np.abs(z - y).max() > 1e-3 and k < 6:
        z = y
        y = 0.5 * np.cos(z) + x
        k += 1
    return y.sum() * w


def until_its_cells_settle(x, w):
    y, e, k = x.copy(), 1.0, 0
    while e > 1e-3 and k < 6:
        z = y.copy()
        for i in range(len(y)):
            y[i] = 0.5 * np.cos(y[i]) + x[i]
        e = np.max(np.abs(z - y))
        k += 1
    return y.sum() * w


def handed_on(x):
    """What one iteration logs as its result is what the next begins with: one log, with the first value in front."""
    s = 1.0
    for i in range(len(x)):
        s = math.tanh(s * x[i])
    return s


def handed_on_in_a_loop(x):
    s, t = 1.0, 0.5
    for k in range(3):
        for i in range(len(x)):
            s, t = math.tanh(s * x[i] + t), math.exp(-s * t)
    return s * t


def put_back_by_a_loop_that_could_be_fused(x):
    """``h`` is overwritten by a loop that would run beside its reverse; with its old cells it is logged instead, n words for
    what are n * n loads."""
    h = np.zeros(len(x))
    s = 0.0
    for t in range(3):
        a = np.zeros(len(x))
        for i in range(len(x)):
            for j in range(len(x)):
                a[i] += x[i] * x[j] * h[j] + 0.1
        for i in range(len(x)):
            h[i] = np.tanh(a[i])
        for i in range(len(x)):
            s += h[i] * h[i]
    return s


def vectors_of_three(x):
    """A small vector is three values: they are logged once, not for each loop over its cells."""
    v = x.copy()
    s = 0.0
    for t in range(5):
        for i in range(len(v)):
            d = np.zeros(3)
            for c in range(3):
                d[c] = v[i] * (c + 1.0)
            r = 0.0
            for c in range(3):
                r += d[c] * d[c]
            for c in range(3):
                s += d[c] * math.sqrt(r)
            for c in range(3):
                v[i] = math.sin(v[i]) + 0.1 * d[c]
    return s


WORDS = [
    (put_back_by_a_loop_that_could_be_fused, (X,), 9 * N, 18 * N), (vectors_of_three, (X,), 15 * N, 35 * N),
    (handed_on, (X,), N + 1, 3 * N + 1), (handed_on_in_a_loop, (X,), 6 * (N + 1), 18 * N + 8),
    (until_it_settles, (X, 0.3), 6 * N + 7, 18 * N + 21), (until_its_cells_settle, (X, 0.3), 6 * N + 7, 18 * N + 21),
    (decided_by_squares, (X, 0.3), 16, 25),
    (local_and_linear, (X,), N, 3 * N), (local_and_read_often, (X,), 22 * N, 44 * N), (two_counters, (X,), 2 * N, 4 * N),
    (put_back_for_a_loop_that_runs_again, (X,), N, 2 * N), (*PROGRAMS["leaves_a_loop_twice"], 0, 2 * N), (*PROGRAMS["through_a_cell"], 3 * N, 4 * N),
    (*LOGGED["of_a_size_known_there_only"], 7 * N, 13 * N), (*SHUT["in_an_iteration_that_runs_again"], 6 * N, 27 * N),
]  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("f, args, once, twice", WORDS, ids=lambda f: getattr(f, "__name__", ""))
def test_words(f, args, once, twice) -> None:
    assert words(f, *args) <= once
    assert words_twice(f, *args) <= twice
