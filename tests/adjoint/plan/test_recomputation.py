"""Results of an `if` whose arms are plain arithmetic are computed again, not logged."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.adjoint.log_words import words
from tests.examples_of import seeds
from tests.kit import load

X = np.random.default_rng(3).uniform(0.3, 1.2, 7)


def by_the_index(x):
    """Only the state is logged."""
    n = len(x)
    s = 0.5
    for i in range(n):
        edge = min(i, n - 1 - i)
        g = 0.1 * x[0] * (3 - edge) if edge < 2 else 0.0
        s = np.sin(s * (1.0 - g))
    return s


def by_a_cell(x):
    """The arms load cells, and one of them is that of another `if`."""
    n = len(x)
    s = 0.5
    for i in range(n):
        a = x[i]
        if i > 0:
            a = x[i - 1] * a
        s = np.sin(s * a)
    return s


def by_arithmetic(x):
    """What was decided by arithmetic is logged, a byte that counts as a word; what follows from it is not."""
    s = 0.5
    for i in range(len(x)):
        a = 2.0 * x[i]
        if a * x[0] > 0.5:
            a = 3.0 * a + x[0]
        s = np.sin(s * a)
    return s


def by_an_exponential(x):
    """A function that is not cheap is not computed again."""
    s = 0.5
    for i in range(len(x)):
        a = np.exp(x[i]) if i % 2 == 0 else x[0]
        s = np.sin(s * a)
    return s


def of_what_is_written_over(x):
    """The cell has another value when the reverse sweep comes by: its value is logged."""
    v = x.copy()
    s = 0.5
    for i in range(len(x)):
        a = v[0] if i % 2 == 0 else 1.0
        s = np.sin(s * a)
        v[0] = s
    return s


N = len(X)


@pytest.mark.parametrize(
    ("f", "logged"),
    [
        (by_the_index, N),
        (by_a_cell, N),
        (by_arithmetic, 2 * N),
        (by_an_exponential, 2 * N + N // 2 + 1),
        (of_what_is_written_over, 2 * N),
    ],
)
def test_words(f, logged) -> None:
    assert words(f, X) == logged


CONDITIONS = ("i > 2", "i % 2 == 0", "x[i] > 0.7", "k < 2", "s > 0.1", "v[i] > 0.6", "x[i] * x[k] > 0.4", "a > b")
VALUES = ("x[i]", "x[k]", "0.5", "a", "b", "i * 0.1", "x[i] - a", "a * b", "v[i]", "v[k] + x[0]", "0.1 * s", "-x[k] * a")
AFTER = ("s = math.sin(s * {0})", "s += {0} * {1} * s", "v[i] = math.tanh({0} * s)", "v[k] += 0.1 * {0} * {1}", "x2[i] = {0}")


def drawn(seed: int) -> str:
    """A loop with ifs of plain arithmetic, also in one another, and what needs their results."""
    r = random.Random(seed)

    def branch(to: str, deep: int) -> list[str]:
        lines = [f"if {r.choice(CONDITIONS)}:"]
        for arm in range(2):
            if arm:
                lines.append("else:")
            inner = branch(to, deep - 1) if deep and r.random() < 0.3 else [f"{to} = {r.choice(VALUES)}"]
            if r.random() < 0.3:
                inner.insert(0, f"{r.choice('ab')} = {r.choice(VALUES)}")
            lines += ["    " + line for line in inner]
        return lines

    body = ["k = min(i, n - 1 - i)", "a = x[i]", "b = 1.0"]
    for _ in range(r.randint(2, 4)):
        body += branch(r.choice("ab"), 1)
        body.append(r.choice(AFTER).format(r.choice("ab"), r.choice("ab")))
    lines = ["    " * 3 + line for line in body]
    head = "import math\nimport numpy as np\n\n\ndef f(x):\n    n = len(x)\n    v = x.copy()\n    x2 = np.zeros(n)\n    s = 0.5\n"
    return head + "    for t in range(2):\n        for i in range(n):\n" + "\n".join(lines) + "\n    return s + np.sum(v) + np.sum(x2)\n"


@pytest.mark.parametrize("seed", seeds(4))
def test_random_ifs(seed: int) -> None:
    """The gradient is that of the derivative in which everything is logged, which `words` holds it against."""
    words(load(drawn(seed)), X)


def until(x):
    """A state of a loop that ends by a test is logged once, with a word for what it begins with."""
    total = 0.0
    for i in range(len(x)):
        s = x[i]
        k = 0
        while k < 3 + i:
            s = np.tanh(s * x[k % len(x)])
            k += 1
        total += s * s
    return total


def in_a_triangle(x):
    """One of a loop whose length is not known before the loop around it begins."""
    total = 0.0
    for i in range(len(x)):
        s = x[i]
        for k in range(i * i % 5):
            s = np.tanh(s * x[k])
        total += s * s
    return total


def until_left(x):
    total = 0.0
    for i in range(len(x)):
        s = x[i]
        for k in range(9):
            s = np.tanh(s * x[k % len(x)])
            if s < 0.2:
                break
        else:
            s = s * s
        total += s * s
    return total


TRIANGLE = sum(i * i % 5 for i in range(N))


@pytest.mark.parametrize(("f", "logged"), [(until, N + 3 * N + N * (N - 1) // 2), (in_a_triangle, N + TRIANGLE), (until_left, 18)])
def test_a_state_is_logged_once(f, logged: int) -> None:
    """The number of turns is no word either."""
    assert words(f, X) == logged
