"""Arrays joined, split, moved, repeated, seen along other axes: against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from ..arrays.near import check, refusals

R = np.random.default_rng(5)
X, Y = R.normal(size=5) + 2, R.normal(size=3)
A, B, T, S = R.normal(size=(4, 5)), R.normal(size=(2, 5)), R.normal(size=(2, 3, 4)), R.normal(size=(4, 4))
INTS = np.arange(12).reshape(3, 4) - 5

OF_VECTORS = """
np.concatenate([x, y]); np.concatenate((x * 2, y[::-1], x[:2] ** 2)); np.concatenate([x, [1.0, 2.0], [y[0]]]); np.hstack([x, y])
np.stack([x, 2 * x]); np.stack([x, x * x], axis=1); np.stack([x, y]); np.vstack([x, 2 * x]); np.column_stack([x, x ** 2]); np.dstack([x, x])
np.array([x, x * x]); np.array([[x, x], [x, x + 1]]); np.array([x, y]); np.concatenate([x, np.arange(3)]); np.hstack([x[0], y[1]])
np.flip(x) * x; np.roll(x, 2); np.roll(x, -7) * x; np.roll(x, (1, 2)); np.tile(x, 3); np.tile(x, (2, 2)); np.tile(x, 0); np.repeat(x, 3)
np.expand_dims(x, 0) * x; np.squeeze(x[:, None], axis=1) * x; np.broadcast_to(x, (3, 5)) * x; np.atleast_2d(x) * 2.0
np.diag(x); np.diag(x, 1); np.diag(x, -2); np.clip(x, 0.5, 2.0); np.clip(x, None, 2.0); np.clip(x, min=1.0, max=2.0); x.clip(2.0, None)
np.flatnonzero(x > 2.0); x[np.flatnonzero(x > 2.0)]; np.split(x, 5)[1] * 2; np.split(x, [1, 3])[1] * x[0]; np.split(x, 3)[0] * 1.0; np.array_split(x, 3)[2] * 1.0
np.meshgrid(x, y)[0] * np.meshgrid(x, y)[1]; np.meshgrid(x, y, indexing="ij"); x[2:3].item() * 2; x.item(); np.broadcast_to(x, (2, 4)) * 1.0
"""
OF_MATRICES = """
np.flip(x) * x; np.flip(x, axis=0) + x; np.fliplr(x) * 1.0; np.flipud(x) * 1.0; np.rot90(x) * 1.0; np.rot90(x, 2) * x; np.rot90(x, -1) * 1.0
np.roll(x, 1); np.roll(x, 1, axis=0); np.roll(x * x, -3, axis=-1); np.roll(x, (1, 2), axis=(0, 1)); np.tile(x, 2); np.tile(x * x, (2, 3)); np.tile(x, (2, 1, 2))
np.repeat(x, 2, axis=1); np.repeat(x, 2); np.swapaxes(x, 0, 1) * 1.0; np.moveaxis(x, 0, -1) * 1.0; np.diag(x) * 1.0; np.diag(x, 2) * 1.0; np.diag(x.T, -1) * 2
np.diag(x[1:, ::2], 1) * 2; np.diag(x, 9) * 1.0; np.trace(x); np.trace(x * x, offset=1); np.tril(x); np.triu(x, 1); np.tril(x, -1) + np.triu(x, k=2); np.trace(x.T, -1)
np.concatenate([x, x * x], axis=1); np.concatenate([x.T, x.T * 2]); np.concatenate([x, x[0]], axis=None); np.stack((x, x + 1), axis=-1); np.vstack([x, x[0]])
np.split(x * 2, (1, 2), axis=1)[2]; x[np.nonzero(x > 0)]; np.size(x, 1) * x[0, 0] + np.ndim(x)
"""


def lines(text: str) -> list[str]:
    return [e.strip() for line in text.strip().splitlines() for e in line.split(";")]


@pytest.mark.parametrize("body", lines(OF_VECTORS))
def test_vectors(body):
    check(body, *((X, Y) if "y" in body.replace("array_split", "") else (X,)))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("body", lines(OF_MATRICES))
def test_matrices(body):
    for a in (A, S, INTS):
        check(body, a)


def test_rank_three():
    for body in ("np.flip(x, (0, 2)) * 1.0", "np.rot90(x, axes=(1, 2)) * 1.0", "np.swapaxes(x, 0, 2) * 1.0", "np.moveaxis(x, (0, 1), (2, 0)) * 1.0",
                 "np.tile(np.exp(x), (2, 1, 2))", "np.tril(x)", "np.expand_dims(x * 2, -1)", "np.concatenate([x, x], axis=2)"):  # fmt: skip
        check(body, T)


def test_updates_through_views():
    check("b = x.copy()\nd = np.flip(b)\nd[0] = x[1] * x[2]\nreturn b", X)
    check("b = x.copy()\nd = np.swapaxes(b, 0, 1)\nd[0] *= 2.0\nreturn b", S)
    check("b = x.copy()\nc, d = np.split(b, 2)\nc *= 2.0\nd += x[0]\nreturn b", X[:4])
    check("b = x.copy()\nfor t in range(3):\n    b[:] = b + 0.1 * (np.roll(b, 1) - 2 * b + np.roll(b, -1))\nreturn b", X)
    check("b = x.copy()\nb[:] = np.flip(b)\nb[1:] = np.broadcast_to(b[0], (4,)) * 2\nreturn b", X)
    check("b = x.copy()\nb[0] = np.diag(b)\nb[:, 1] *= np.tril(b)[:, 1]\nreturn b", S)


@pytest.mark.parametrize("body", [
    "d = np.diag(x.copy() * 1.0)\nd[0] = 1.0\nreturn d[0]", "np.trim_zeros(x)", "np.repeat(x, [1.0, 2.0, 3.0, 4.0])",
    "np.clip(x)", "np.clip(x, a_min=1.0)", "np.stack([])", "np.array([x, 1.0])", "np.flip(x, axis=7)", "np.roll(x, 0.5)", "np.tile(x, x)",
])  # fmt: skip
def test_refused(body):
    if body.startswith("d = np.diag"):
        body = "b = x.copy()\nd = np.diag(b)\nd[0] = 1.0\nreturn b"
    assert refusals(body, S)
