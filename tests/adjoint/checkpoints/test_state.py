"""What a snapshot holds: a program for each side of each condition.

In each of the first the condition finds a part of the state; without it the gradient would be wrong, or the pass would fail. Of
the others a part of what is carried is left out, because no step that runs again needs it.
"""

from __future__ import annotations

import numpy as np
import pytest

import linad
from tests.adjoint.facts.test_reversal_order import A, X
from tests.adjoint.log_words import words

W = 0.7


def shifted(v, k):
    """A function that calls itself reads what it updates."""
    if k < 0:
        return v[0] * v[1]
    v[k] = 1.1 * v[k] * v[0]
    return shifted(v, k - 1)


def updated_by_a_call(x, w):
    v = x.copy()
    s = w
    for t in linad.checkpoint(range(9), scheme="recompute"):
        s += shifted(v, 2) * x[t % len(x)]
    return s


def reached_in_the_next_step(x, w):
    """Of a sum, by what it is added to."""
    r = 0.0
    c = w
    d = 0.5
    for t in linad.checkpoint(range(9), scheme="recompute"):
        r += np.sin(d * d * x[t % len(x)])
        d = d + c
        c = c + x[t % len(x)]
    return r


def reached_by_a_fill(x, w):
    s = 0.5
    r = w
    for t in linad.checkpoint(range(9), scheme="recompute"):
        b = np.zeros(5)
        b[:] = s
        b[t % 5] = 1.0
        r += np.sin(b[0] * x[0])
        s += x[t % len(x)]
    return r


def reached_by_a_product(x, w, a):
    s = 0.5
    r = w
    for t in linad.checkpoint(range(9), scheme="recompute"):
        b = np.zeros((5, 5))
        b[t % 5, 0] = s
        y = a @ b
        r += np.sin(y[0, 0] * x[0])
        s += x[t % len(x)]
    return r


def says_where(x, w):
    """An index must be one, whatever it is for."""
    count = np.zeros(20, dtype=np.int64)
    s = 1.0
    r = w
    for t in linad.checkpoint(range(9), scheme="recompute"):
        k = 20 - int(s)
        count[k] = count[k] + 2
        r = np.sin(r * x[t % len(x)])
        s += 1.0
    return r + count[3]


def says_how_often(x, w):
    """No step that runs again ends by what it is not given."""
    m = 0
    k = 1
    r = w
    for t in linad.checkpoint(range(9), scheme="recompute"):
        for _ in range(k):
            m += 1
        r = np.sin(r * x[t % len(x)])
        k = (2 * k) % 5
    return r + m


STATES = [
    (updated_by_a_call, (X, W)), (reached_in_the_next_step, (X, W)), (reached_by_a_fill, (X, W)), (reached_by_a_product, (X, W, A)),
    (says_where, (X, W)), (says_how_often, (X, W)),
]  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("f, args", STATES, ids=lambda f: getattr(f, "__name__", ""))
def test_the_gradient_is_that_of_the_tape(f, args) -> None:
    words(f, *args)


# ------------------------------------------------------------------------------------------------- what is left out


def counts(x, w):
    """How many steps were large, of which no step wants to know."""
    n = 0
    r = w
    for t in linad.checkpoint(range(9), scheme="recompute"):
        r = np.sin(r * x[t % len(x)])
        if r > 0.5:
            n += 2
    return r + n


def divides(x, w):
    """Nor of what is done with it, which with nothing in its place must not fail."""
    last = np.zeros(3, dtype=np.int64)
    n = 1
    r = w
    for t in linad.checkpoint(range(9), scheme="recompute"):
        last[0] = last[0] + 100 // n
        r = np.sin(r * x[t % len(x)])
        n = (2 * n) % 7 + 1
    return r + last[0]


def kept_in_a_cell(x, w):
    u = np.zeros(5)
    s = 0.0
    r = w
    for t in linad.checkpoint(range(9), scheme="recompute"):
        u[1] = u[1] * 0.5 + s
        r = np.sin(r * x[t % len(x)])
        s += r
    return r + u[1]


LEFT_OUT = [counts, divides, kept_in_a_cell]


@pytest.mark.parametrize("f", LEFT_OUT)
def test_what_no_step_needs_is_in_no_snapshot(f) -> None:
    """Only `r` is, and one step at a time logs a word: no array is needed."""
    assert words(f, X, W) == 2
