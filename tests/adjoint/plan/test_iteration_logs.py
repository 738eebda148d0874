"""Arrays that an iteration makes for itself are kept as a whole, also where neither their sizes nor the turns are known before."""

from __future__ import annotations

import math

import numpy as np
import pytest
from jaxtyping import Float64

from linad import linear_grad
from linad.cost import cost
from tests.properties.roads import Whole

Vec = Float64[np.ndarray, "n"]
Square = Float64[np.ndarray, "n n"]
RNG = np.random.default_rng(5)
A, B = RNG.random((4, 4)) + 4.0 * np.eye(4), RNG.random(4)


def until_it_is_small(a: Square, b: Vec, least: float) -> float:
    x, far = np.zeros(len(b)), 1.0
    while far > least:
        y = np.zeros(len(b))
        for i in range(len(b)):
            s = b[i]
            for j in range(len(b)):
                if j != i:
                    s -= a[i, j] * x[j]
            y[i] = s / a[i, i]
        far = np.max(np.abs(y - x))
        x = y
    return x @ x


def triangles(a: Square, b: Vec) -> float:
    s = 0.0
    for k in range(len(b)):
        x = np.zeros(len(b) - k)
        for i in range(len(x)):
            x[i] = math.sin(a[k, i] + s)
        for i in range(len(x)):
            for j in range(len(x)):
                s += x[i] * x[j] * b[i]
    return s


def two_axes(b: Vec, most: float) -> float:
    s = 0.1
    while s < most:
        k = np.zeros((len(b), 2))
        for i in range(len(b)):
            for j in range(2):
                k[i, j] = math.sin(s + b[i] * j)
        for i in range(len(b)):
            for j in range(len(b)):
                for m in range(2):
                    s += 0.05 * k[i, m] * k[j, 1 - m] + 0.01
    return s


def under_conditions(a: Square, b: Vec, most: float) -> float:
    s = 0.1
    for t in range(20):
        if s > most:
            break
        if t % 3 == 1:
            continue
        x = np.zeros(t % 4)
        for i in range(len(x)):
            x[i] = math.sin(s + b[i])
        for i in range(len(x)):
            for j in range(len(x)):
                s += 0.1 * x[i] * x[j] * a[i, j]
        s += 0.1
    return s


def in_a_loop_that_runs_again(a: Square, b: Vec, most: float) -> float:
    """The last loops run beside their reverse, in an iteration whose array they read."""
    s, total = 0.1, 0.0
    while s < most:
        x = np.zeros(len(b))
        for i in range(len(b)):
            x[i] = math.sin(s * b[i])
        y = np.zeros(len(b))
        for i in range(len(b)):
            for j in range(len(b)):
                y[i] += x[j] * x[i] * a[i, j]
        for i in range(len(b)):
            total += y[i] * y[i]
        s += 0.3 + 0.01 * y[0]
    return total


def of_turns_in_turns(a: Square, b: Vec, most: float) -> float:
    s = 0.1
    while s < most:
        x = b * s
        t = 0.0
        while t < 0.5:
            y = np.sin(x + t)
            for i in range(len(b)):
                for j in range(len(b)):
                    t += 0.1 * y[i] * y[j] * x[i] * a[i, j]
            t += 0.1
        s += 0.3 + 0.1 * t
    return s


def numbers(a: Square, b: Vec, most: float) -> float:
    """Whole numbers that say where: they are kept like any other array."""
    s = 0.1
    while s < most:
        k = np.zeros(len(b), dtype=np.int64)
        for i in range(len(b)):
            k[i] = int(3.0 * abs(math.sin(s + i)))
        for i in range(len(b)):
            for j in range(len(b)):
                s += 0.1 * a[k[i], k[j]] * b[k[j]] * b[i]
        s += 0.2
    return s


@pytest.mark.parametrize(
    ("f", "args", "words"),
    [
        (triangles, (A, B), (4 + 3 + 2 + 1) + 2 * 4),  # in place of 30 of x
        (two_axes, (B, 1.5), 3 * (8 + 1) + 1),  # in place of 64 of k in each of the three turns
        (in_a_loop_that_runs_again, (A, B, 1.0), 3 * (4 + 4 + 1) + 1),  # in place of 32 of x and 4 of y
    ],
)
def test_words(f, args, words: int) -> None:
    assert cost(linear_grad(f), *args).log_words == words


PROGRAMS = (
    (until_it_is_small, (A, B, 0.3)),
    (until_it_is_small, (A, B, 2.0)),
    (triangles, (A, B)),
    (two_axes, (B, 1.5)),
    (under_conditions, (A, B, 0.8)),
    (under_conditions, (A, B, 100.0)),
    (in_a_loop_that_runs_again, (A, B, 1.0)),
    (of_turns_in_turns, (A, B, 1.0)),
    (numbers, (A, B, 1.0)),
)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_gradients(f, args) -> None:
    Whole(f, args).holds(order=2 if f in (under_conditions, of_turns_in_turns) else 1)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_what_is_kept_is_paid_for(f, args) -> None:
    c = cost(linear_grad(f), *args)
    assert c.gradient <= c.bound
