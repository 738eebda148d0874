"""States that each iteration makes anew are kept as slices where their loads would take more words."""

from __future__ import annotations

import numpy as np
import pytest
from jaxtyping import Float64

from linad import linear_grad, pipeline
from linad.cost import cost
from tests.properties.roads import Whole

Vec = Float64[np.ndarray, "n"]
Square = Float64[np.ndarray, "n n"]
RNG = np.random.default_rng(8)


def jacobi(a: Square, b: Vec, steps: int) -> float:
    x = np.zeros(len(b))
    for _ in range(steps):
        y = np.zeros(len(b))
        for i in range(len(b)):
            s = b[i]
            for j in range(len(b)):
                s -= a[i, j] * x[j]
            y[i] = s / a[i, i]
        x = y
    return x @ x


def off_the_diagonal(a: Square, b: Vec, steps: int) -> float:
    x = np.zeros(len(b))
    for _ in range(steps):
        y = np.zeros(len(b))
        for i in range(len(b)):
            s = b[i]
            for j in range(len(b)):
                if j != i:
                    s -= a[i, j] * x[j]
            y[i] = s / a[i, i]
        x = y
    return x @ x


def burgers(u0: Vec, nu: float, steps: int) -> float:
    u = u0.copy()
    for _ in range(steps):
        v = u.copy()
        for i in range(1, len(u) - 1):
            v[i] = u[i] - 0.1 * u[i] * (u[i] - u[i - 1]) + nu * (u[i + 1] - 2.0 * u[i] + u[i - 1])
        u = v
    return u @ u


def plate(u0: Square, steps: int) -> float:
    u = u0.copy()
    for _ in range(steps):
        v = np.zeros((len(u0), len(u0)))
        for i in range(len(u0)):
            for j in range(len(u0)):
                for k in range(len(u0)):
                    v[i, j] += u[i, k] * u[k, j] * 0.1
        u = v
    return np.sum(u)


def scaled(a: Square, b: Vec, steps: int) -> float:
    """Sinkhorn's scaling: each iteration computes ``u``, reads it often, and hands it on."""
    u, v = np.ones(len(b)), np.ones(len(b))
    for _ in range(steps):
        u = b / (a @ v)
        v = b / (a.T @ u)
    return np.sum(u * v)


def conjugate_gradients(a, b, steps: int) -> float:
    """That ``a`` is square, and as large as ``b``, is found out by the first product."""
    x, r, p = np.zeros(len(b)), b.copy(), b.copy()
    rr = r @ r
    for _ in range(steps):
        q = a @ p
        alpha = rr / (p @ q)
        x = x + alpha * p
        r = r - alpha * q
        new = r @ r
        p = r + (new / rr) * p
        rr = new
    return x @ x


@pytest.mark.parametrize(
    ("f", "args", "words"),
    [
        (jacobi, (RNG.random((4, 4)) + 4.0 * np.eye(4), RNG.random(4), 3), 3 * (4 + 4)),  # x, and what is stored in y
        (off_the_diagonal, (RNG.random((4, 4)) + 4.0 * np.eye(4), RNG.random(4), 3), 3 * (4 + 4)),
        (burgers, (RNG.random(6), 0.2, 3), 3 * 6),  # in place of three words for each cell
        # p, q, r, three scalars, and b
        (conjugate_gradients, (RNG.random((4, 4)) + 4.0 * np.eye(4), RNG.random(4), 3), 3 * (4 + 4 + 4 + 3) + 4),
        # u and v, and what each is divided by, in place of n words for each cell of u
        (scaled, (RNG.random((4, 4)) + 4.0 * np.eye(4), RNG.random(4), 3), 3 * (4 + 4 + 4 + 4)),
        (plate, (RNG.random((3, 3)), 2), 2 * 9),  # in place of 27 for each step, twice
    ],
)
def test_words(f, args, words: int) -> None:
    assert cost(linear_grad(f), *args).log_words == words
    Whole(f, args).holds(order=2 if f in (jacobi, plate) else 1)


def test_no_iterations() -> None:
    Whole(jacobi, (4.0 * np.eye(3), RNG.random(3), 0)).holds()


@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_copy_is_paid_for(n: int) -> None:
    for f, args in ((jacobi, (4.0 * np.eye(n), RNG.random(n), 7)), (burgers, (RNG.random(n), 0.2, 7)), (plate, (RNG.random((n, n)), 7))):
        c = cost(linear_grad(f), *args)
        assert c.gradient <= c.bound


def until(b: Vec) -> float:
    x = b.copy()
    while x @ x > 0.1:
        y = np.zeros(len(b))
        for i in range(len(b)):
            for j in range(len(b)):
                y[i] += 0.1 * x[j] * x[i]
        x = y
    return np.sum(x)


def left(a, b, tol: float) -> float:
    """The last turn makes ``r``, and no ``p``."""
    x, r, p = np.zeros(len(b)), b.copy(), b.copy()
    rr = r @ r
    for _ in range(20):
        q = a @ p
        alpha = rr / (p @ q)
        x = x + alpha * p
        r = r - alpha * q
        new = r @ r
        if new < tol:
            break
        p = r + (new / rr) * p
        rr = new
    return x @ x


def copied(a: Square, b: Vec, tol: float) -> float:
    """The program copies the state itself."""
    x = np.zeros(len(b))
    while True:
        old = x.copy()
        for i in range(len(b)):
            s = b[i]
            for j in range(len(b)):
                if j != i:
                    s -= a[i, j] * old[j]
            x[i] = s / a[i, i]
        if np.max(np.abs(x - old)) < tol:
            break
    return x @ x


@pytest.mark.parametrize(
    ("f", "args", "words"),
    [
        # one turn: x, and whether there is another turn, twice
        (until, lambda n: (np.full(n, np.sqrt(0.9 / n)),), lambda n: n + 2),
        # n turns: p, q, r and the products with it; where q begins, two scalars, and whether it is the last
        (left, lambda n: (np.diag(1.0 + np.arange(n)), np.ones(n), 1e-12), lambda n: n * (4 * n + 4)),
        # two turns: the copy
        (copied, lambda n: (np.diag(1.0 + np.arange(n)) + 0.0, np.ones(n), 1e-12), lambda n: 2 * n),
    ],
)
def test_turns_until_a_test(f, args, words) -> None:
    """Arrays of n cells for each turn, and none of n²."""
    Whole(f, args(3)).holds(order=2 if f is until else 1)
    for n in (1, 2, 3, 5, 9):
        c = cost(linear_grad(f), *args(n))
        assert c.gradient <= c.bound
        assert c.log_words == words(n) or n < 5  # code of its own is made for short axes


def a_part(b: Vec, m: int, steps: int) -> float:
    s, x = 1.0, b.copy()
    for _ in range(steps):
        y = np.zeros(len(b))
        for k in range(m):
            s += x[k] * x[k + 1] * s
            y[k] = x[k]
        x = y
    return s


def swapped_until(a: Square, b: Vec) -> float:
    x, y, t = np.zeros(len(b)), np.zeros(len(b)), 0.0
    while x @ x + t < 2.0:
        t += 0.5
        for i in range(len(b)):
            s = b[i]
            for j in range(len(b)):
                s -= a[i, j] * x[j]
            y[i] = s
        x, y = y, x
    return x @ x


def made_elsewhere(b: Vec, steps: int) -> float:
    """The arm that loads from the state makes nothing that would pay for a copy in it."""
    s, x = 0.0, b.copy()
    for t in range(steps):
        if s < 1.0:
            for i in range(len(b)):
                for j in range(len(b)):
                    s += x[i] * x[j] * (t + 1)
        x = 0.5 * x
    return s


def few(b: Vec, steps: int) -> float:
    s, x = 0.0, b.copy()
    for t in range(steps):
        y = 0.5 * x
        s += x[t] * x[0]
        x = y
    return s


def changed(b: Vec, steps: int) -> float:
    s, x = 0.0, b.copy()
    for t in range(steps):
        y = 0.5 * x
        for i in range(len(x)):
            for j in range(len(x)):
                x[i] += 0.1 * x[j] * x[j]
        s += x[t]
        x = y
    return s


def corner(b: Vec, steps: int) -> float:
    s, x = 0.0, b.copy()
    for _ in range(steps):
        y = 0.5 * x
        for i in range(2):
            for j in range(2):
                s += x[i] * x[j] * x[i + j]
        x = y
    return s


def once(b: Vec, steps: int) -> float:
    s, x = 0.0, b.copy()
    for t in range(steps):
        y = 0.5 * x
        if t == 1:
            for i in range(len(b)):
                for j in range(len(b)):
                    s += x[i] * x[j]
        x = y
    return s


def triangle(b: Vec, steps: int) -> float:
    s, x = 0.0, b.copy()
    for t in range(steps):
        y = 0.5 * x
        for i in range(t):
            for j in range(i):
                s += x[i] * x[j] * x[0]
        x = y
    return s


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (corner, (RNG.random(9), 3)),
        (once, (RNG.random(3), 5)),
        (triangle, (RNG.random(9), 4)),
        (few, (RNG.random(4), 3)),
        (a_part, (RNG.random(9), 2, 3)),
        (changed, (RNG.random(4), 3)),
        (swapped_until, (RNG.random((3, 3)), RNG.random(3))),
        (made_elsewhere, (RNG.random(3), 5)),
    ],
)
def test_states_that_are_not_kept(f, args) -> None:
    """Buffers that change places would be copied where little may be done; loads of a few cells take fewer words; contents that an
    iteration changes are not one slice."""
    whole = Whole(f, args)
    found = whole.derivative(whole.active(), True)
    assert not any(b.expanded or b.rows for b in found.plan.bodies.values())
    whole.holds()


def twice(a: Square, b: Vec, steps: int) -> float:
    x = b.copy()
    for _ in range(steps):
        y = np.zeros(len(b))
        for i in range(len(b)):
            for j in range(len(b)):
                y[i] += a[i, j] * x[j] * x[i]
        x = y
    for _ in range(steps):
        z = np.zeros(len(b))
        for i in range(len(b)):
            for j in range(len(b)):
                z[i] += a[j, i] * x[j] * x[i]
        x = z
    return np.sum(x)


def test_each_state_is_tried_once(monkeypatch) -> None:
    """A reverse for each state, not for each pair of them."""
    made, reverse = [], pipeline.reverse
    monkeypatch.setattr(pipeline, "reverse", lambda *args: made.append(args) or reverse(*args))
    whole = Whole(twice, (RNG.random((3, 3)), RNG.random(3), 2))
    found = whole.derivative(whole.active(), True)
    assert sum(len(b.expanded) for b in found.plan.bodies.values()) == 2
    assert len(made) == 3
