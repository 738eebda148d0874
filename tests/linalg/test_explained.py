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
