"""Matrices with equal eigenvalues or singular values: the right derivative, or nan, and never another number."""

import numpy as np
import pytest

from linad import linear_grad

from ..kit import load

A = np.diag([1.0, 2.0, 2.0])
W = np.arange(9.0).reshape(3, 3) ** 1.5
RIGHT = {
    "values": "w, v = np.linalg.eigh(A); return np.sum(w ** 3 * 2.0)",
    "another vector": "w, v = np.linalg.eigh(A); return v[0, 0] ** 2 * W[1, 1] + v[1, 0] * v[0, 0] + w[2] ** 0.0",
    "the space that they span": "w, v = np.linalg.eigh(A); return np.sum(v[:, 1:] @ v[:, 1:].T * W)",
    "singular values": "return np.sum(np.linalg.svd(A, compute_uv=False) ** 3)",
    "the space of singular vectors": "u, s, vt = np.linalg.svd(A, full_matrices=False); return np.sum(u[:, :2] @ u[:, :2].T * W)",
}
NOT_KNOWN = {
    "a square root": "w, v = np.linalg.eigh(A); return np.sum((v * np.sqrt(w)) @ v.T * W)",
    "an inverse": "u, s, vt = np.linalg.svd(A, full_matrices=False); return np.sum((vt.T / s) @ u.T * W)",
}


def gradient(text: str) -> tuple[np.ndarray, np.ndarray]:
    body = "".join(f"    {line}\n" for line in text.split("; "))
    f = load(f"import numpy as np\n\n\ndef f(A, W):\n{body}")
    found = linear_grad(f, backend="interpret").grad(A, W)[0]
    differences = np.zeros((3, 3))
    for cell in np.ndindex(3, 3):
        if cell[0] >= cell[1] or "svd" in text:  # `eigh` reads the lower triangle
            step = np.zeros((3, 3))
            step[cell] = 1e-6
            differences[cell] = (f(A + step, W) - f(A - step, W)) / 2e-6
    return found, differences


@pytest.mark.parametrize("name", RIGHT)
def test_what_equal_values_have_no_part_in(name):
    found, differences = gradient(RIGHT[name])
    np.testing.assert_allclose(found, differences, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", NOT_KNOWN)
def test_what_they_have_a_part_in(name):
    found, differences = gradient(NOT_KNOWN[name])
    assert np.isnan(found).any()
    known = ~np.isnan(found)
    np.testing.assert_allclose(found[known], differences[known], rtol=1e-5, atol=1e-6)
