"""Cells that no later iteration writes to are read again, all others are logged: one program for each side of each condition."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.adjoint.log_words import words
from tests.kit import functions

N = 5
X = np.random.default_rng(0).uniform(0.5, 1.5, N)
A = np.random.default_rng(1).uniform(0.5, 1.5, (N, N))
K = np.array([3, 0, 2, 2, 1])


READ_AGAIN = functions(
    """\
def backward(x):
    v = x.copy()
    for i in range(len(x) - 2, -1, -1): v[i] = v[i + 1] * v[i + 1] * x[i]
    return v[0]
def forward(x):
    v = x.copy()
    for i in range(1, len(x)): v[i] = v[i - 1] * v[i - 1] * x[i]
    return v[-1]
def table(a):
    n = len(a)
    c = a.copy()
    for i in range(1, n):
        for j in range(1, n - 1): c[i, j] = c[i - 1, j + 1] * c[i, j - 1] + c[i - 1, j]
    return np.sum(c)
def columns(a):  # Conditions of an arm tell that the row is another one.
    n = len(a)
    c = a.copy()
    for j in range(n):
        for i in range(j, n):
            e = a[i, j]
            for k in range(j): e += c[i, k] * c[j, k]
            if i == j: c[j, j] = math.exp(0.1 * e)
            else: c[i, j] = e / c[j, j]
    return np.sum(c)
def arms(x):
    v = x.copy()
    s = 0.0
    for i in range(len(x)):
        if i % 2 == 0: s += v[i] * v[i] * x[i]
        else: v[i] = s
    return s
def further_on(x):
    v = x.copy()
    for i in range(len(x)):
        e = v[i]
        for j in range(i + 1, len(x)): v[j] += e * e
    return v[-1]
def stages(x):  # The arm says that there is a stage before, so its index is not negative.
    k = np.zeros((3, len(x)))
    for s in range(3):
        for i in range(len(x)):
            if s == 0: k[s, i] = x[i] * x[i]
            else: k[s, i] = k[s - 1, i] * k[s - 1, i] * x[i]
    return np.sum(k[2])
def spans(a):  # A table is filled by diagonals, from those before.
    n = len(a)
    c = a.copy()
    for length in range(1, n):
        for i in range(n - length):
            for k in range(i, i + length): c[i, i + length] += c[i, k] * c[k + 1, i + length]
    return c[0, n - 1]
""",
    a=A, x=X,
)


@pytest.mark.parametrize("f, args", READ_AGAIN.values(), ids=READ_AGAIN)
def test_nothing_is_logged(f, args) -> None:
    assert words(f, *args) == 0


LOGGED = functions(
    """\
def overwritten_next(x):
    v = x.copy()
    for i in range(len(x) - 1): v[i] = v[i + 1] * v[i + 1] * x[i]
    return np.sum(v)
def from_the_end(x):  # The first iteration reads the last cell, which is overwritten later.
    v = x.copy()
    for i in range(len(x)): v[i] = v[i - 1] * v[i - 1] * x[i]
    return np.sum(v)
def two_sweeps(a):
    n = len(a)
    c = a.copy()
    for _ in range(2):
        for i in range(1, n):
            for j in range(1, n - 1): c[i, j] = c[i - 1, j + 1] * c[i, j - 1] + c[i - 1, j]
    return np.sum(c)
def next_row(a):
    n = len(a)
    c = a.copy()
    for i in range(1, n - 1):
        for j in range(1, n): c[i, j] = c[i + 1, j - 1] * c[i, j - 1]
    return np.sum(c)
def from_here_on(x):
    v = x.copy()
    for i in range(len(x)):
        e = v[i]
        for j in range(i, len(x)): v[j] += e * e
    return v[-1]
def anywhere(x, k):
    v = x.copy()
    for i in range(len(x)): v[k[i]] = v[i] * v[i]
    return np.sum(v)
def another_place_each_time(x, k):
    v = x.copy()
    for i in range(len(x)):
        j = k[i]
        v[j + 1] = v[j] * v[j] * x[i]
    return np.sum(v)
def exchanged(x):
    u, v = x.copy(), x.copy()
    for _ in range(4):
        for i in range(1, len(x)): v[i] = u[i] * u[i - 1]
        u, v = v, u
    return np.sum(u)
def filled(x):
    v = x.copy()
    for i in range(1, len(x)):
        v[i] = v[i - 1] * v[i - 1] * x[i]
        if i == 3: v[:] = x[i]
    return np.sum(v)
def behind_the_loop(x):
    v = x.copy()
    for i in range(1, len(x)): v[i] = v[i - 1] * v[i - 1] * x[i]
    for i in range(len(x)): v[i] = v[i] * x[i] * v[i]
    return np.sum(v)
def the_arm_is_not_exclusive(x):
    v = x.copy()
    s = 0.0
    for i in range(len(x)):
        if i % 2 == 0: s += v[i] * v[i] * x[i]
        if i % 3 == 0: v[i] = s
    return s
def backwards_over_what_was_read(x):
    v = x.copy()
    for i in range(len(x) - 1, 0, -1): v[i] = v[i - 1] * v[i - 1] * x[i]
    return np.sum(v)
# Nobody writes to the cells, but the array has been moved when the reverse comes.
def still_there_under_another_name(x, k=2):
    u = x.copy()
    s = 1.0
    for i in range(len(x)): s = np.cos(s * u[i])
    for _ in range(k): u = np.zeros(len(u) + 1)
    return s + u[0]
def of_a_size_known_there_only(x):  # A slice for each iteration would have another length in each.
    s = 1.0
    for i in range(len(x)):
        t = np.zeros(2 * i + 1)
        for j in range(i): t[j] = x[j] * s
        e = 0.0
        for j in range(i): e += t[j] * t[i - j]
        s = s * np.cos(e)
    return s
def local_and_filled(x):  # What is done to a slice as a whole cannot be done to a part of a log.
    s = 1.0
    for i in range(len(x)):
        t = np.zeros(3)
        t[:] = x[i] * s
        t[int(x[i])] = 2.0 * s
        s = s * np.cos(t[0] * t[1] * t[1])
    return s
def up_to_here(x):  # The conditions of the arms allow the one cell that is overwritten.
    v = x.copy()
    for i in range(len(x)):
        for j in range(len(x)):
            if j <= i: v[i] = v[i] + 0.1 * v[j] * v[j] * x[i]
    return np.sum(v)
def from_here_backwards(x):
    v = x.copy()
    for i in range(len(x) - 1, -1, -1):
        for j in range(len(x)):
            if j >= i: v[i] = v[i] + 0.1 * v[j] * v[j] * x[i]
    return np.sum(v)
def before_the_next(x):
    v = x.copy()
    for i in range(1, len(x)):
        for j in range(len(x)):
            if j < i: v[i - 1] = v[i - 1] + 0.1 * v[j] * v[j] * x[i]
    return np.sum(v)
def behind_the_next(x):
    v = np.append(x, 1.0)
    for i in range(len(x) - 1, -1, -1):
        for j in range(len(x)):
            if j > i: v[i + 1] = v[i + 1] + 0.1 * v[j] * v[j] * x[i]
    return np.sum(v)
def from_before_the_first(x, k=-3):  # A cell behind another by its index, but the index may be counted from the end.
    v = x.copy()
    for i in range(k, len(x) - 2): v[i + 2] = v[i + 1] * v[i + 1] * x[0]
    return np.sum(v)
def down_to_before_the_first(x, k=-4):
    v = x.copy()
    for i in range(3, k, -1): v[i - 1] = v[i] * v[i] * x[0]
    return np.sum(v)
# Not below ``k`` and above, but ``k + 1`` is below ``k``, as the ints end there.
def past_the_last_int(x, k=2 ** 63 - 1):
    v = x.copy()
    for i in range(len(x)):
        for j in range(i + 1):
            if k >= i:
                if k + 1 <= j: v[i] = v[i] + 0.1 * v[j] * v[j] * x[i]
    return np.sum(v)
def one_step_later(x, k=2 ** 63 - 2):
    v = x.copy()
    m = k + 1
    for i in range(len(x)):
        for j in range(i + 1):
            if m >= i:
                if m + 1 <= j: v[i] = v[i] + 0.1 * v[j] * v[j] * x[i]
    return np.sum(v)
def in_two_steps(x):
    v = x.copy()
    for i in range(len(x)):
        for j in range(i + 1):
            if i + 4611686018427387904 + 4611686018427387904 <= j: v[i] = v[i] + 0.1 * v[j] * v[j] * x[i]
    return np.sum(v)
def the_last_stage_from_the_first(x):
    k = np.ones((3, len(x)))
    for s in range(3):
        for i in range(len(x)):
            if s != 0: k[s, i] = x[i] * x[i]
            else: k[s, i] = k[s - 1, i] * k[s - 1, i] * x[i]
    return np.sum(k)
def along_the_diagonal(a):  # What is read on a diagonal is overwritten in the next iteration.
    n = len(a)
    c = a.copy()
    for length in range(1, n):
        for i in range(n - length - 1):
            c[i, i + length] = c[i + 1, i + 1 + length] * a[i, i]
            c[i + 1, i + 1 + length] *= a[i, i]
    return np.sum(c)
def spans_again(a):  # The diagonals are filled twice.
    n = len(a)
    c = a.copy()
    for _ in range(2):
        for length in range(1, n):
            for i in range(n - length): c[i, i + length] = c[i, i + length - 1] * c[i + 1, i + length]
    return c[0, n - 1]
""",
    a=A, x=X, k=K,
)


@pytest.mark.parametrize("f, args", LOGGED.values(), ids=LOGGED)
def test_what_is_overwritten_is_logged(f, args) -> None:
    assert words(f, *args) > 0


def test_only_what_is_lost_is_logged() -> None:
    """Of two cells that are multiplied one is overwritten."""

    def sums(x):
        v = x.copy()
        for i in range(1, len(x)):
            v[i] = v[i] * v[i - 1]
        return v[-1]

    assert words(sums, X) == N - 1
