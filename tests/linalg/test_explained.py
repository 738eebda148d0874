"""What is said about linear algebra: which matrices are kept for the reverse, and which are read again."""

import numpy as np
from jaxtyping import Float64

from linad import linear_grad
from linad.show import explain

Matrix = Float64[np.ndarray, "n n"]


@linear_grad
def steps(a: Matrix, b: Matrix):
    h = b.copy()
    for t in range(3):
        h = a @ h
    x = np.linalg.solve(a, h)
    return np.linalg.norm(x)


def test_each_operation_says_what_its_reverse_reads():
    said = [r.text for r in explain(steps).remarks if r.kind == "matrices"]
    assert "gemm: its reverse reads a again, keeps h on a tape, as often as it runs" in said
    assert any(t.startswith("solve: its reverse reads a and lu and pivots and ") for t in said), said


@linear_grad
def alike(a: Matrix, b: Matrix):
    h = b.copy()
    s = 0.0
    for t in range(3):
        x = np.sin(h) @ a
        y = a @ np.sin(h)
        h = x @ y
        h += x.T @ y
        x[0, 0] = 1.0
        s += np.sum(y @ x)
    return s + np.sum(h)


def test_a_matrix_that_stays_the_same_is_kept_once():
    said = [r.text for r in explain(alike).remarks if r.kind == "matrices"]
    assert said[2:] == [
        "gemm: needs y and x, which a later operation keeps",
        "gemm: keeps x on a tape, as often as it runs, needs y, which a later operation keeps",
        "gemm: keeps x and y on a tape, as often as it runs",  # x is another one by then
    ], said
