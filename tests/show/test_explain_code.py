"""`explain` says what the generated code does otherwise than the text, as the passes tell it."""

from __future__ import annotations

import numpy as np
import pytest
from jaxtyping import Float64

from linad import explain, linear_grad

Vec = Float64[np.ndarray, "n"]


def made_anew(x: Vec, steps: int) -> float:
    u = x.copy()
    for _ in range(steps):
        new = u.copy()
        for i in range(1, len(x) - 1):
            new[i] = u[i] * u[i - 1] + u[i + 1]
        u = new
    return np.sum(u)


def in_place(x: Vec, steps: int) -> float:
    u = x.copy()
    for _ in range(steps):
        old = u.copy()
        for i in range(1, len(x) - 1):
            u[i] = 0.5 * old[i - 1] + 0.5 * old[i + 1]
    return np.sum(u)


def array_style(x: Vec, steps: int) -> float:
    u = x.copy()
    for _ in range(steps):
        u[1:-1] += 0.1 * (u[2:] - u[:-2])
    return np.sum(u)


def plane(x: Float64[np.ndarray, "n m"], steps: int) -> float:
    u = x.copy()
    for _ in range(steps):
        new = u.copy()
        for i in range(1, x.shape[0] - 1):
            for j in range(x.shape[1]):
                new[i, j] = u[i, j] * u[i - 1, j] + u[i + 1, j]
        u = new
    return np.sum(u)


def product(a: Float64[np.ndarray, "n m"], x: Float64[np.ndarray, "m"]) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        y = 0.0
        for j in range(a.shape[1]):
            y += a[i, j] * x[j]
        total += y * y
    return total


def refilled(x: Float64[np.ndarray, "n"]) -> float:
    u = np.empty(len(x))
    s = 0.0
    for t in range(5):
        for i in range(len(x)):
            u[i] = x[i] * t
        for i in range(len(x)):
            s += u[i] * u[-1 - i]
    return s


TOLD = {
    refilled: {(1, "stored", f"u in an array of its own for each iteration of the loop in line {refilled.__code__.co_firstlineno + 3}")},
    made_anew: {
        (2, "stored", "u in one buffer, written where it has been read, when called"),
        (2, "stored", "the adjoint of u in one buffer, written where it has been read, when differentiated"),
    },
    plane: {
        (2, "stored", "u in two buffers that take turns, when called"),
        (2, "stored", "the adjoint of u in two buffers that take turns, when differentiated"),
        (3, "copied", "u, only where the loop that writes it does not, when called"),
    },
    in_place: {
        (2, "stored", "the adjoint of u in one buffer, written where it has been read, when differentiated"),
        (3, "copied", "old, not at all: its cells are in registers in the loop that writes u"),
    },
    array_style: {(3, "stored", "u where it has been read: no array is made of what is stored")},
    product: {(2, "loop", "four iterations at once")},
}


def remarks(f, **options) -> set[tuple[int, str, str]]:
    """What is said of the lines, counted from that of the name."""
    first = f.__code__.co_firstlineno
    return {(r.line - first, r.kind, r.text) for r in explain(linear_grad(f, **options)).remarks}


@pytest.mark.parametrize("f", TOLD, ids=lambda f: f.__name__)
def test_what_passes_do_is_told(f) -> None:
    assert TOLD[f] <= remarks(f)


@pytest.mark.parametrize("f", TOLD, ids=lambda f: f.__name__)
def test_and_only_where_they_do_it(f) -> None:
    kinds = ("buffer", "no array is made", "loop that writes", "four iterations")
    assert not [text for *_, text in remarks(f, fastmath=False) if any(k in text for k in kinds)]


def test_threads_keep_their_rows_one_by_one() -> None:
    assert not [text for *_, text in remarks(product, parallel=True) if "four iterations" in text]


def rows_of_three(x: Float64[np.ndarray, "n 3"]) -> float:
    d = np.empty((len(x), 3))
    for i in range(len(x)):
        for c in range(3):
            d[i, c] = x[i, c] * x[i, c]
    total = 0.0
    for i in range(len(x)):
        total += d[i, 0] * d[i, 1] + d[i, 2]
    return total


def test_what_is_told_is_what_is_done() -> None:
    told = remarks(rows_of_three)
    assert (3, "loop", "written out, 3 iterations one after the other") in told
    stored = "by columns: the innermost loops run along axis 0, when differentiated"
    assert (2, "stored", f"the adjoint of d {stored}") in told
    assert (1, "stored", f"d {stored}") in told
