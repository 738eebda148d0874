"""States that an iteration updates in place are kept as slices; a program for each side of each condition.

In each, an iteration makes ``f`` out of the state. The derivative by ``dt`` needs it, and makes it again out of the slice. Where a load finds what the iteration
itself has stored it is not from the slice: the value would be wrong, too.
"""

from __future__ import annotations

import numpy as np
import pytest
from jaxtyping import Float64

from benchmarks.suite.programs import reaction
from linad import linear_grad, pipeline
from linad.adjoint.plan.model import Plan
from linad.baseline import tape
from linad.cost import cost
from tests.properties.roads import Whole

Vec = Float64[np.ndarray, "n"]
Square = Float64[np.ndarray, "n n"]
RNG = np.random.default_rng(6)
N, STEPS = 6, 3
X, P = RNG.random(N), RNG.random((N, N))


def in_its_own_cell(x: Vec, dt: float, steps: int) -> float:
    u = x.copy()
    for _ in range(steps):
        f = u[:-2] + u[2:]
        for i in range(len(f)):
            u[i + 1] += dt * (f[i] + u[i + 1] ** 3)
    return np.sum(u)


def on_a_plate(x: Square, dt: float, steps: int) -> float:
    u = x.copy()
    for _ in range(steps):
        f = u[:-2, 1:-1] + u[1:-1, 2:]
        for i in range(f.shape[0]):
            for j in range(f.shape[1]):
                u[i + 1, j + 1] += dt * (f[i, j] + u[i + 1, j + 1] ** 3)
    return np.sum(u)


def by_columns(x: Square, dt: float, steps: int) -> float:
    """The nest runs through the cells in another order."""
    u = x.copy()
    for _ in range(steps):
        f = np.zeros((len(u) - 2, len(u) - 2))
        for i in range(len(u) - 2):
            for j in range(len(u) - 2):
                f[j, i] = u[j, i + 1] + u[j + 1, i + 2]
        for i in range(len(u) - 2):
            for j in range(len(u) - 2):
                u[j + 1, i + 1] += dt * (f[j, i] + u[j + 1, i + 1] ** 3)
    return np.sum(u)


def from_the_end(x: Vec, dt: float, steps: int) -> float:
    u = x.copy()
    for _ in range(steps):
        f = np.zeros(len(u) - 2)
        for i in range(len(f) - 1, -1, -1):
            f[i] = u[i] + u[i + 2]
        for i in range(len(f) - 1, -1, -1):
            u[i + 1] += dt * (f[i] + u[i + 1] ** 3)
    return np.sum(u)


@pytest.mark.parametrize("f", [in_its_own_cell, on_a_plate])
def test_one_word_for_each_cell(f) -> None:
    x = P if f is on_a_plate else X
    assert cost(linear_grad(f), x, 0.1, STEPS).log_words == STEPS * x.size
    Whole(f, (x, 0.1, STEPS)).holds(order=2)


@pytest.mark.parametrize("n", [3, 7])
def test_in_numpy_style(n: int) -> None:
    args = (RNG.random((n, n)), 0.7, 0.1, STEPS)
    assert cost(linear_grad(reaction), *args).log_words == STEPS * n * n
    Whole(reaction, args).holds()
    Whole(reaction, (*args[:3], 0)).holds(thorough=False)


# -------------------------------------------------------------------------------- loads of what the iteration has stored


def loaded_behind(x: Vec, dt: float, steps: int) -> float:
    u, s = x.copy(), 0.0
    for _ in range(steps):
        f = u[:-2] + u[2:]
        for i in range(len(f)):
            u[i + 1] += dt * (f[i] + u[i + 1] ** 3)
        for i in range(len(f)):
            s += u[i + 1] * u[i + 1]
    return np.sum(u) + s


def of_a_neighbour(x: Vec, dt: float, steps: int) -> float:
    u = x.copy()
    for _ in range(steps):
        f = u[:-2] + u[2:]
        for i in range(len(f)):
            u[i + 1] += dt * (f[i] + u[i] ** 3)
    return np.sum(u)


def behind_a_store_to_the_cell(x: Vec, dt: float, steps: int) -> float:
    u = x.copy()
    for _ in range(steps):
        f = u[:-2] + u[2:]
        for i in range(len(f)):
            u[i + 1] = np.cos(u[i + 1])
            u[i + 1] += dt * (f[i] + u[i + 1] ** 3)
    return np.sum(u)


def behind_an_addition_to_the_cell(x: Vec, dt: float, steps: int) -> float:
    u, s = x.copy(), 0.0
    for _ in range(steps):
        f = u[:-2] + u[2:]
        for i in range(len(f)):
            u[i + 1] += dt * (f[i] + u[i + 1] ** 3)
            s += u[i + 1] * u[i + 1]
    return np.sum(u) + s


def behind_a_store_that_may_be(x: Vec, dt: float, steps: int) -> float:
    u = x.copy()
    for _ in range(steps):
        f = u[:-2] + u[2:]
        for i in range(len(f)):
            if i % 2 == 0:
                u[i + 1] = np.cos(u[i + 1])
            u[i + 1] += dt * (f[i] + u[i + 1] ** 3)
    return np.sum(u)


def of_another_row(x: Square, dt: float, steps: int) -> float:
    u = x.copy()
    for _ in range(steps):
        f = u[:-2, 1:-1] + u[1:-1, 2:]
        for i in range(f.shape[0]):
            e = u[i, 1]
            for j in range(f.shape[1]):
                u[i + 1, j + 1] += dt * (f[i, j] + u[i + 1, j + 1] ** 3) * e
    return np.sum(u)


def again_and_again(x: Vec, dt: float, steps: int) -> float:
    """The inner index says which cell, the outer one how often."""
    u = x.copy()
    for _ in range(steps):
        f = u[:-2] + u[2:]
        for i in range(len(f)):
            for j in range(len(f)):
                u[j + 1] += 0.1 * dt * (f[j] + u[j + 1] ** 3) * i
    return np.sum(u)


def of_one_cell_each(x: Vec, dt: float, steps: int) -> float:
    """The outer index says which cell."""
    u = x.copy()
    for _ in range(steps):
        f = u[:-2] + u[2:]
        for i in range(len(f)):
            for j in range(len(f)):
                u[i + 1] += 0.1 * dt * (f[j] + u[i + 1] ** 3)
    return np.sum(u)


def of_the_mirror_image(x: Square, dt: float, steps: int) -> float:
    u = x.copy()
    for _ in range(steps):
        f = u[:-2, 1:-1] + u[1:-1, 2:]
        for i in range(f.shape[0]):
            for j in range(f.shape[1]):
                u[j + 1, i + 1] = u[i + 1, j + 1] + dt * (f[i, j] + u[i + 1, j + 1] ** 3)
    return np.sum(u)


def two_for_each_cell(x: Vec, dt: float, steps: int) -> float:
    """Which cell, an index says that is that of another turn, too."""
    u = x.copy()
    for _ in range(steps):
        f = u[:-2] + u[2:]
        for i in range(len(f)):
            k = i // 2
            u[k + 1] += dt * (f[i] + u[k + 1] ** 3)
    return np.sum(u)


def two_nests_beside_each_other(x: Square, dt: float, steps: int) -> float:
    u = x.copy()
    for _ in range(steps):
        f = u[:-2, 1:-1] + u[1:-1, 2:]
        for i in range(f.shape[0]):
            for j in range(f.shape[1]):
                u[i + 1, j + 1] += dt * (f[i, j] + u[i + 1, j + 1] ** 3)
            for k in range(f.shape[1]):
                u[i + 1, k + 1] += dt * (f[i, k] + u[i + 1, k] ** 3)
    return np.sum(u)


def only_in_the_last(x: Vec, dt: float, steps: int) -> float:
    """The cell that is stored to is loaded outside of the nest before, which is from the slice, and behind it, which is not."""
    u, s = x.copy(), 0.0
    for _ in range(steps):
        f = u[:-2] + u[2:]
        u[1] += dt * (f[2] + u[2] ** 3)
        for i in range(len(f)):
            s += dt * (f[i] + u[i + 1] ** 3)
            u[i + 1] = np.sin(u[i + 1])
    return np.sum(u) + s


TWOS = (on_a_plate, by_columns, of_another_row, of_the_mirror_image, two_nests_beside_each_other)
STORED = [
    loaded_behind, of_a_neighbour, behind_a_store_to_the_cell, behind_an_addition_to_the_cell,
    behind_a_store_that_may_be, of_another_row, again_and_again, of_one_cell_each, of_the_mirror_image,
    two_for_each_cell, two_nests_beside_each_other, only_in_the_last,
]  # fmt: skip


def copied(f, monkeypatch) -> Plan:
    """The plan where each copy is made, whether it takes fewer words or not; the numbers are right there, too."""
    whole = Whole(f, (P if f in TWOS else X, 0.1, STEPS))
    whole.holds()
    tried = []
    monkeypatch.setattr(pipeline, "takes_fewer", lambda plan, *_: tried.append(plan) or True)
    whole, wrt = whole.at(whole.args), whole.active()
    made = whole.derivative(wrt, True)
    out, found = whole.gradient(made.simplified, wrt, True)
    assert tried
    np.testing.assert_allclose(out.results[0], f(*whole.args), rtol=1e-12)
    for name, wanted in zip(wrt, whole.expected(tape), strict=True):
        np.testing.assert_allclose(found[name], wanted, rtol=1e-9)
    return made.plan


@pytest.mark.parametrize("f", [in_its_own_cell, on_a_plate, by_columns, from_the_end])
def test_the_storing_nest_reads_the_copy(f, monkeypatch) -> None:
    plan = copied(f, monkeypatch)
    assert any(b.expanded for b in plan.bodies.values()) and not any(b.logs for b in plan.bodies.values())


@pytest.mark.parametrize("f", STORED)
def test_what_has_been_stored_is_found(f, monkeypatch) -> None:
    copied(f, monkeypatch)
