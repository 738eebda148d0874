"""Results of inner loops are logged, not computed again, where that is all that the loop around has to log."""

from __future__ import annotations

import numpy as np
import pytest
from jaxtyping import Float64

from linad import linear_grad
from linad.cost import cost
from tests.properties.roads import Whole

Vec = Float64[np.ndarray, "n"]
Square = Float64[np.ndarray, "n n"]
RNG = np.random.default_rng(5)


def norm(a: Square, x: Vec) -> float:
    """The sine needs the sum, so the loop runs before its reverse."""
    t = 0.0
    for i in range(len(x)):
        s = 0.0
        for j in range(len(x)):
            s += a[i, j] * x[j]
        t += s * s
    return np.sin(t)


def power(a: Square, b: Vec, steps: int) -> float:
    x, y, size = b.copy(), np.zeros(len(b)), 0.0
    for _ in range(steps):
        size = 0.0
        for i in range(len(b)):
            s = 0.0
            for j in range(len(b)):
                s += a[i, j] * x[j]
            y[i] = s
            size += s * s
        size = np.sqrt(size)
        for i in range(len(b)):
            x[i] = y[i] / size
    return size


def product(a: Square, x: Vec) -> float:
    t = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            s = 0.0
            for k in range(len(x)):
                s += a[i, k] * a[k, j]
            t += s * s * x[i]
    return np.sin(t)


def summed(a: Square, x: Vec) -> float:
    """Nothing needs the sum: the loop runs once, forward and backward."""
    t = 0.0
    for i in range(len(x)):
        s = 0.0
        for j in range(len(x)):
            s += a[i, j] * x[j]
        t += s * s
    return t


def short(a: Square, x: Vec) -> float:
    """Three turns are run again."""
    t = 0.0
    for i in range(len(x)):
        s = 0.0
        for j in range(3):
            s += a[i, j] * x[j]
        t += s * s
    return np.sin(t)


def with_more(a: Square, x: Vec) -> float:
    """In a log would be the sines and cosines as well."""
    t = 0.0
    for i in range(len(x)):
        s = 0.0
        for j in range(len(x)):
            s += a[i, j] * x[j]
        t += np.sin(s) * np.cos(x[i]) * np.exp(s)
    return np.sin(t)


def only_the_last(a: Square, x: Vec) -> float:
    """One of the two loops logs, the other one would log more than results."""
    return norm(a, x) * with_more(a, x)


def small_vector(a: Square, x: Vec) -> float:
    """Of an iteration, the two cells that the inner loop sums up are logged, and it runs once forward and once backward."""
    t = 0.0
    for i in range(len(x)):
        p = np.zeros(2)
        for j in range(len(x)):
            for c in range(2):
                p[c] += a[i, j] * x[j] * (c + 1.0)
        t += p[0] * p[1]
    return np.sin(t)


def arguments(n: int, *rest):
    return RNG.random((n, n)), RNG.random(n), *rest


@pytest.mark.parametrize(
    ("f", "rest", "words"),
    [(norm, (), 5), (product, (), 25), (only_the_last, (), 5), (summed, (), 0), (short, (), 0), (with_more, (), 0),
     (small_vector, (), 10)],
)
def test_words(f, rest, words: int) -> None:
    args = arguments(5, *rest)
    assert cost(linear_grad(f), *args).log_words == words
    Whole(f, args).holds(order=2)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("f", "rest"), [(norm, ()), (power, (3,)), (product, ())])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_sizes(f, rest, n: int) -> None:
    args = arguments(n, *rest)
    c = cost(linear_grad(f), *args)
    assert c.gradient <= c.bound
    if n:
        Whole(f, args).holds()


@pytest.mark.parametrize(("f", "rest", "products"), [(norm, (), 3), (power, (1,), 3), (with_more, (), 4)])
def test_products_that_are_computed_again(f, rest, products: int) -> None:
    """Of the matrix and the vector: there, and those of the vector's adjoint and the matrix's."""
    n = 40
    assert cost(linear_grad(f), *arguments(n, *rest)).by_kind["mul"][1] // n**2 == products
