"""Loops that run forward and backward at once: a program for each side of each condition.

Of the first kind nothing is logged. Of the second kind the condition keeps the loop from it, and the gradient would be wrong, or
the pass would fail, without it: all are held against the derivative in which everything is logged.
"""

from __future__ import annotations

import numpy as np
import pytest

from linad import linear_grad
from linad.cost import cost_of
from tests.adjoint.log_words import MIXED, words
from tests.cost.programs import core_of
from tests.kit import functions

N = 5
X = np.random.default_rng(2).uniform(0.5, 1.5, N)
Y = np.random.default_rng(3).uniform(0.5, 1.5, N)
A = np.random.default_rng(4).uniform(0.1, 0.5, (N, N)) + np.eye(N)
K = np.array([3, 0, 2, 2, 1])


# ------------------------------------------------------------------------------------------------- nothing is logged


FREE = functions(
    """\
def gathered(x, idx):
    s = 0.0
    for k in range(len(idx)): s += x[idx[k]] * x[k]
    return s
def mapped(x, y):
    z = np.zeros(len(x))
    for i in range(len(x)): z[i] = np.sin(x[i]) * y[i]
    s = 0.0
    for i in range(len(x)): s += z[i] * z[i]
    return s
def with_cells_of_its_own(x):  # What an iteration writes to is made in it.
    s = 0.0
    for i in range(len(x)):
        t = np.zeros(3)
        t[0] = x[i] * x[i]
        t[1] = t[0] * x[i]
        t[0] = t[1] * t[1]
        s += t[0] * t[1]
    return s
def in_a_branch(x, y):
    s = 0.0
    if x[0] > 0.0:
        for i in range(len(x)): s += x[i] * x[i] * y[i]
    return s
""",
    x=X, idx=K, y=Y,
)


@pytest.mark.parametrize("f, args", FREE.values(), ids=FREE)
def test_nothing_is_logged(f, args) -> None:
    assert words(f, *args) == 0


# ---------------------------------------------------------------------------------------------- a condition forbids it


def power(a, k):
    if k <= 0:
        return 1.0
    return a * power(a * a, k - 1)


@linear_grad(updates=("v",))
def given_and_overwritten(v, x):
    """The cells that the loop stores to are not read, but a later store overwrites one of them."""
    for i in range(len(x)):
        v[i] = x[i] * x[i]
    v[1] = 3.0 * x[0]


SHUT = functions(
    MIXED + """\
def power(a, k):
    if k <= 0: return 1.0
    return a * power(a * a, k - 1)
# The loop that writes to the cells has come after, but it has put other cells there.
def read_before_it_is_overwritten_later(x):
    v = np.zeros(2 * len(x))
    n = len(x)
    for i in range(n): v[i] = x[i] * x[i]
    for i in range(n): v[n + i] = v[i] * v[i]
    s = 0.0
    for i in range(n): s += v[n + i]
    return s
def ends_early(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
        if s > 2.0: break
    return s
def change_places(x, y):  # Only read, but under names that change.
    u, v = x.copy(), y.copy()
    s = 0.0
    for i in range(len(x)):
        s += u[i] * u[i] * v[0]
        u, v = v, u
    return s + u[0]
def change_places_and_are_not_needed(x, y):
    u, v = x.copy(), y.copy()
    s = 0.0
    for i in range(len(x)):
        s += 2.0 * u[i] + v[0]
        u, v = v, u
    return s * u[0]
def ends_by_what_it_reads(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 1.3: break
        s += x[i] * x[i]
    return s
def in_place(x):
    v = x.copy()
    for i in range(len(x)): v[i] = v[i] * v[i]
    return np.sum(v)
def calls_itself(x):
    s = 0.0
    for i in range(len(x)): s += power(x[i], i)
    return s
def solves(x, a):
    s = 0.0
    for i in range(len(x)):
        b = np.zeros(len(x))
        b[i] = x[i]
        z = np.linalg.solve(a, b)
        s += z[0] * z[i]
    return s
def moved_afterwards(x, y):  # What the first loop writes to goes by another name when its reverse comes.
    u = np.zeros(len(x))
    for i in range(len(x)): u[i] = x[i] * x[i]
    v = y.copy()
    s = 0.0
    for i in range(len(x)):
        s += u[i] * u[i] * v[i]
        u, v = v, u
    return s + u[1] * v[2]
def overwritten_afterwards(x):
    v = x.copy()
    s = 0.0
    for i in range(len(x)): s += v[i] * v[i]
    for i in range(len(x)): v[i] = s * x[i]
    return np.sum(v)
def overwritten_around(x):
    v = x.copy()
    t = 0.0
    for k in range(3):
        s = 0.0
        for i in range(len(x)): s += v[i] * v[i]
        t += s * s
        for i in range(len(x)): v[i] = s * x[i] + 0.1 * k
    return t
# The old cells of `v` are put back on the way back, those that a loop without a log of its own has overwritten too.
def overwritten_between(x):
    v = x.copy()
    mixed(v)
    for i in range(len(x)): v[i] = x[i] * x[i]
    mixed(v)
    return np.sum(v)
def overwritten_between_in_a_branch(x):
    v = x.copy()
    mixed(v)
    if x[0] > 0.0:
        for i in range(len(x)): v[i] = x[i] * x[i]
    mixed(v)
    return np.sum(v)
# The loop in the middle could read `v` again, whose old cells are put back, but those of `u` that it overwrites are
# needed.
def overwritten_while_another_is_put_back(x, y):
    u, v = x.copy(), y.copy()
    mixed(u)
    mixed(v)
    for i in range(len(x)): u[i] = v[i] * v[i]
    mixed(v)
    mixed(u)
    return np.sum(u) + np.sum(v)
# An arm with a loop in it could run when its reverse comes, but for the cell that is overwritten then.
def read_in_a_branch(x, c=1):
    u = x.copy()
    s = 0.0
    if c > 0:
        for i in range(len(x)): s += u[i] * u[i]
    u[2] = 5.0 * x[0]
    return s + u[2] * u[1]
def given_away_in_a_branch(x, c=1):
    u = x.copy()
    s = 0.0
    if c > 0:
        w = u
        w[0] = 2.0 * w[1] * w[0]
        for i in range(len(x)): s += w[i] * w[i]
    return s + x[0]
def product(x):
    p = 1.0
    for i in range(len(x)): p *= x[i]
    return p
def its_sum_is_used(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        x_i = s * s
        s += 0.1 * x_i
    return s
def indexed_by_what_it_counts(x, idx):
    s = 0.0
    k = 0
    for i in range(len(x)):
        s += x[k] * x[i]
        k = (k + idx[i] + 1) % len(x)
    return s
def decided_by_its_sum(x):
    s = 0.0
    for i in range(len(x)):
        if s < 2.0: s += x[i] * x[i]
    return s
def bounded_by_what_it_counts(x):
    s = 0.0
    k = 1
    for i in range(3):
        for j in range(k): s += x[j] * x[j]
        k = k + 1
    return s
# The adjoint of a cell is that of the last store to it, so iterations go backwards.
def stores_one_cell_twice(x, idx):
    v = np.zeros(len(x))
    for i in range(len(x)): v[idx[i]] = x[i] * x[i]
    return v[0] + 2.0 * v[1] + 3.0 * v[2] + 4.0 * v[3]
def its_result_is_needed(x):  # A loop whose sum the reverse of another one reads cannot wait for its own reverse.
    s = 0.0
    for i in range(len(x)): s += x[i] * x[i]
    t = 0.0
    for i in range(len(x)): t += np.exp(s * x[i])
    return t
def its_result_is_read(x):  # Nor can one whose sum another loop reads that runs before its reverse.
    s = 0.0
    for i in range(len(x)): s += x[i] * x[i]
    p = 1.0
    for i in range(len(x)): p = p * x[i] + s
    return p
def read_in_between(x):  # What comes after reads the cells.
    v = np.zeros(len(x))
    for i in range(len(x)): v[i] = x[i] * x[i]
    a = v[0]
    b = v[1]
    return a * b
def written_in_between(x):  # A store after the loop to what it writes, and one to what it reads.
    v = np.zeros(len(x))
    u = x.copy()
    for i in range(len(x)): v[i] = u[i] * u[i]
    v[1] = x[0]
    u[2] = v[2]
    return np.sum(v) + u[2] * u[1]
def local_and_lost(x):  # In an iteration of a loop that is logged, cells of a length that is known there only.
    s = 1.0
    for i in range(len(x)):
        t = np.zeros(i + 1)
        for j in range(i + 1): t[j] = x[j] * s
        e = 0.0
        for j in range(i + 1): e += t[j] * t[j]
        s = s * np.cos(e)
    return s
def both_ends(x):
    s = 0.0
    p = 1.0
    for i in range(len(x)):
        s += x[i] * x[i]
        p = p * x[i]
    return s * p
def an_arm_that_gives_away(x, y, c=1):
    u = x.copy()
    s = 0.0
    if c > 0:
        v = u
        for i in range(len(x)): s += v[i] * v[i]
    else: v = y.copy()
    v[0] = s * v[1]
    return np.sum(v)
""",
    x=X, y=Y, a=A, idx=K, v=X,
)
SHUT["given_and_overwritten"] = given_and_overwritten, (X, Y)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("f, args", SHUT.values(), ids=SHUT)
def test_the_gradient_is_that_of_the_tape(f, args) -> None:
    words(f, *args)


# ------------------------------------------------------------------------------------------------- what is run again


def two_levels(x):
    """Both sums are needed by what comes after: the outer loop runs again beside its reverse, so the inner one must not."""
    t = 0.0
    for i in range(len(x)):
        s = 0.0
        for j in range(len(x)):
            s += np.exp(x[i] * x[j])
        t += s * s
    r = 0.0
    for k in range(len(x)):
        r += np.exp(t * x[k])
    return r


def needed_solutions(x, a):
    s = 0.0
    for i in range(len(x)):
        b = np.zeros(len(x))
        b[i] = x[i]
        s += np.sum(np.linalg.solve(a, b))
    return s * s


def needed_calls(x):
    s = 0.0
    for i in range(len(x)):
        s += power(x[i], 4)
    return s * s


def test_no_statement_runs_more_than_twice() -> None:
    """An exponential in a loop in a loop that runs again is computed there, and once more beside its reverse."""
    primal, gradient = cost_of(*core_of(two_levels, X)).by_kind["unary"]
    assert primal == N * N + N and gradient <= 2 * (N * N + N)


@pytest.mark.parametrize("f, args, kind", [(needed_solutions, (X, A), "dense"), (needed_calls, (X,), "call")])
def test_no_call_and_no_matrix_operation_is_run_again(f, args, kind) -> None:
    """One there and one back, however cheap the loop around it would be to run again."""
    primal, gradient = cost_of(*core_of(f, *args)).by_kind[kind]
    assert gradient <= 2 * primal
