"""Values that the program itself stores are read again from there: a program for each side of each condition.

In each, ``t`` is a sine, which is not computed again, and ``s`` is lost: where ``t`` is kept ``s`` alone is logged. In the others the
condition keeps it from being read again, and the gradient would be wrong, or the pass would fail, without it.
"""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.text import parse_program

from linad.pipeline import prepare
from tests.adjoint.log_words import MIXED, words, words_of
from tests.kit import functions

N = 5
X = np.random.default_rng(2).uniform(0.5, 1.5, N)
K = np.array([3, 0, 2, 2, 1])


def in_its_own_cell(x):
    y = np.zeros(len(x))
    s = 1.0
    for i in range(len(x)):
        t = np.sin(x[i])
        y[i] = t
        s = s * t + 0.5
    return s + y[0]


def overwritten_before(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = 2.0 * x[i]
    s = y[0]
    for i in range(len(x)):
        t = np.sin(x[i])
        y[i] = t
        s = s * t + 0.5
    return s + y[0]


def loaded_again(x):
    """What can be loaded where it was loaded from needs no index of the cell that it is stored to, which would be logged."""
    y = np.zeros((len(x), len(x)))
    s = 1.0
    k = 1
    for i in range(len(x)):
        t = x[i]
        y[i, k] = t
        s = s * t + 0.5
        k = (2 * k + 1) % len(x)
    return s * (2.0 if y[0, 1] > 0.7 else 1.0)


@pytest.mark.parametrize("f", [in_its_own_cell, overwritten_before, loaded_again])
def test_it_is_not_logged(f) -> None:
    assert words(f, X) == N


def in_an_array_of_the_iteration(x):
    """Each of three iterations keeps its own ``y``, for the loads from it."""
    r = 0.0
    for k in range(3):
        y = np.zeros(len(x))
        s = 1.0
        for i in range(len(x)):
            t = np.sin(x[i] + k)
            y[i] = t
            s = s * t + 0.5
        for i in range(len(x)):
            s += y[i] * y[4 - i]
        r = r * s + 1.0
    return r


def test_an_array_that_is_kept_holds_its_values() -> None:
    """A word per turn for ``s``, a cell for ``t``, and two for each iteration: ``r`` and the last ``s``."""
    assert words(in_an_array_of_the_iteration, X) == 3 * (N + N + 2)


# ---------------------------------------------------------------------------------------------- a condition forbids it


SHUT = functions(
    MIXED + """\
def overwritten_in_the_iteration(x):
    r = 0.0
    for k in range(3):
        y = np.zeros(len(x))
        s = 1.0
        for i in range(len(x)):
            t = np.sin(x[i] + k)
            y[i] = t
            s = s * t + 0.5
        for i in range(len(x)): y[i] += 0.5
        for i in range(len(x)): s += y[i] * y[4 - i]
        r = r * s + 1.0
    return r
def two_turns_of_the_iteration(x):
    r = 0.0
    for k in range(3):
        y = np.zeros(len(x))
        s = 1.0
        for i in range(len(x)):
            t = np.sin(x[i] + k)
            y[i // 2] = t
            s = s * t + 0.5
        for i in range(len(x)): s += y[i] * y[4 - i]
        r = r * s + 1.0
    return r
# That iterations have slices of their own does not tell the turns of an inner loop apart.
def by_the_iteration_alone(x):
    r = 0.0
    for k in range(3):
        y = np.zeros(len(x))
        s = 1.0
        for i in range(len(x)):
            t = np.sin(x[i] + k)
            y[k] = t
            s = s * t + 0.5
        for i in range(len(x)): s += y[i] * y[4 - i]
        r = r * s + 1.0
    return r
def in_an_arm(x):  # Not in every iteration.
    y = np.zeros(len(x))
    s = 1.0
    for i in range(len(x)):
        t = np.sin(s * x[i])
        if x[i] > 1.0: y[i] = t
        s = s * t + 0.5
    return s + y[0]
def in_one_cell(x):
    y = np.zeros(2)
    s = 1.0
    for i in range(len(x)):
        t = np.sin(x[i])
        y[0] = t
        s = s * t + 0.5
    return s + y[0]
def along_one_loop_of_two(x):
    y = np.zeros(len(x))
    s = 1.0
    for i in range(len(x)):
        for j in range(len(x)):
            t = np.sin(x[i] * x[j] + 0.1 * i)
            y[j] = t
            s = s * t + 0.5
    return s + y[0]
def two_in_a_cell(x):
    y = np.zeros(len(x))
    s = 1.0
    for i in range(len(x)):
        t = np.sin(x[i])
        y[i // 2] = t
        s = s * t + 0.5
    return s + y[0]
def at_distances_that_it_reads(x, idx):
    y = np.zeros(2 * len(x))
    s = 1.0
    for i in range(len(x)):
        t = np.sin(x[i])
        y[i + idx[i] % 4] = t
        s = s * t + 0.5
    return s + y[0]
def found_by_itself(x):  # Which cell it is in says it alone, and what it was loaded from is overwritten.
    y = np.zeros((len(x), 8))
    a = x.copy()
    s = 1.0
    for i in range(len(x)):
        t = a[2]
        y[i, int(t)] = t
        s = s + t * t * x[i]
        a[2] = a[2] * 0.9 + 0.1 * x[i]
    return s + y[0, 1] + y[1, 0]
def found_by_each_other(x):
    a = x.copy()
    y = np.zeros((len(x), 8))
    z = np.zeros((len(x), 8))
    s = 1.0
    for i in range(len(x)):
        t = a[2]
        u = a[3]
        y[i, int(u)] = t
        z[i, int(t)] = u
        s = s + t * t * x[i] + u * u
        a[2] = a[2] * 0.9 + 0.1 * x[i]
        a[3] = a[3] * 0.9 + 0.1 * x[i]
    return s + y[0, 1] + y[1, 0] + z[0, 1]
def moved(x):
    y = np.zeros(len(x))
    z = np.zeros(len(x))
    s = 1.0
    for i in range(len(x)):
        t = np.sin(x[i])
        y[i] = t
        s = s * t + 0.5
    for _ in range(3): y, z = z, y
    return s + y[0]
def local_and_lost(x):
    s = 1.0
    for k in range(3):
        y = np.zeros((3, len(x) + int(s)))
        for i in range(len(x)):
            t = np.sin(x[i])
            y[k, i] = t
            s = s * t + 0.5
        s = s * np.cos(y[k, 1])
    return s
def overwritten_by_the_next(x):
    y = np.zeros(len(x) + 1)
    s = 1.0
    for i in range(len(x)):
        y[i] = x[i]
        t = np.sin(x[i])
        y[i + 1] = t
        s = s * t + 0.5
    return s + y[0]
def overwritten_later(x):
    y = np.zeros(len(x))
    s = 1.0
    for i in range(len(x)):
        t = np.sin(x[i])
        y[i] = t
        s = s * t + 0.5
    r = s * y[1]
    for i in range(len(x)): y[i] = 2.0 * x[i]
    return r + y[0]
def put_back(x):  # The cells of `y` are put back, among them the one of ``t`` after ``t`` was needed.
    y = np.zeros(len(x))
    s = 1.0
    for i in range(len(x)):
        t = np.sin(x[i])
        y[i] = t
        s = s * t + 0.5
    mixed(y)
    return s + np.sum(y)
def put_back_before_it_is_needed(x):
    y = np.zeros(len(x))
    s = 1.0
    for i in range(len(x)):
        t = np.sin(x[i])
        s = s * t + 0.5
        y[i] = t
    mixed(y)
    return s + np.sum(y)
def put_back_to_something_else_when_it_is_needed(x, idx):
    y = np.zeros(len(x) + 1)
    s = 1.0
    for i in range(len(x)):
        t = np.sin(x[i])
        y[i] = t
        y[idx[i]] = 2.0 * x[i]
        s = s * t + 0.5
    mixed(y)
    return s + np.sum(y)
# The second run of the outer loop's iterations stores nothing, and the cells are those of its last one.
def in_an_iteration_that_runs_again(x):
    y = np.zeros(len(x))
    t = 0.0
    for k in range(3):
        s = 1.0 + k
        for i in range(len(x)):
            e = np.sin(x[i] * x[k])
            y[i] = e
            s = s * e + 0.5
        t += s
    r = 0.0
    for k in range(3): r += np.exp(t * x[k])
    return r + y[0]
def found_by_what_is_put_back(x, idx):  # Which cell it is in says an int whose own cell holds another one by then.
    p = idx.copy()
    y = np.zeros((len(x), 8))
    s = 1.0
    for i in range(len(x)): s = np.sin(s * x[p[i]])
    for i in range(len(x)): s = np.cos(s * x[p[i]])
    for i in range(len(x)):
        t = np.sin(x[i])
        k = p[i]
        y[i, k] = t
        p[(2 * i + 1) % 5] = 7 - i
        p[i] = i
        s = s * t + 0.5
    return s + y[0, 3]
""",
    x=X, idx=K,
)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("f, args", SHUT.values(), ids=SHUT)
def test_the_gradient_is_that_of_the_tape(f, args) -> None:
    words(f, *args)


# -------------------------------------------------------------------- cells that count the turns of a loop, as those of logs do

TURNS = """
entry fn f(x: read f64[:]) -> f64 {{
  n = dim &x 0
  y = alloc f64 [n] fill 0.0
  for i in range({start}, n, {step}) carry (s: f64 = 1.0) -> (s.2) {{
    e = load &x [i]
    t = sin e
    d = sub i {less}
    k = floordiv d {by}
    &y[k] = t
    p = mul s t
    s.1 = add p 0.5
    yield s.1
  }}
  c = load &y [0]
  r = add s.2 c
  return r
}}
"""


@pytest.mark.parametrize(
    "start, step, less, by, kept", [(1, 3, 1, 3, True), (2, 3, 1, 3, False), (1, 2, 1, 3, False)], ids=["own", "start", "step"]
)
def test_turns_of_a_loop(start, step, less, by, kept) -> None:
    x = np.random.default_rng(2).uniform(0.5, 1.5, 10)
    turns = len(range(start, 10, step))
    program = prepare(parse_program(TURNS.format(start=start, step=step, less=less, by=by)))
    assert words_of(program, [x]) == (1 if kept else 2) * turns
