"""Masks as places, arrays of rows, stacks of matrices, steps that are computed, medians, norms along axes, counts of repeats."""

from __future__ import annotations

import numpy as np
import pytest

import linad

from .near import check, program, refusals

RNG = np.random.default_rng(11)
X, Y = RNG.normal(size=6) + 2, RNG.normal(size=6)
A, Q = RNG.normal(size=(5, 6)), RNG.normal(size=(4, 4))
T = RNG.normal(size=(2, 3, 4))
F = RNG.normal(size=(2, 3, 4, 2))
COUNTS = np.array([2, 0, 3, 1, 0, 1])


@pytest.mark.parametrize("body", [
    "z = np.zeros_like(x)\nm = x > 2.0\nz[m] = x[m] * y[m]\nz[~m] -= y[~m]\nreturn z",
    "z = x.copy()\nz[z > 2] = z[z > 2] * y[z > 2]\nz[z > 1] += z[z > 1][::-1]\nreturn z",
    "z = x.copy()\nz[z > 99] = x[x > 99]\nreturn z",
    "z = x.copy()\nz[z > 2] = y[:5]\nreturn z",
    "z = x.copy()\nnp.add.at(z, x > 2, y[x > 2])\nreturn z",
    "k = np.where(x > 2)[0]\nreturn x[k] * y[k]",
])  # fmt: skip
def test_arrays_through_masks(body):
    check(body, X, Y)


@pytest.mark.parametrize("body", [
    "x[:, x.sum(axis=0) > 0], x[x[:, 0] > 0, 1]",
    "c = x.copy()\nc[x[:, 0] > 0] = x[0]\nc[x[:, 1] > 0] *= x[1]\nc[x[:, 2] > 0, 3] = 5.0\nc[:, x[0] > 0] += 1.0\nreturn c",
    "x[:, x[0, :5] > 0]",
    "x[[0, 2]], x[:, [1, 3]], x[[0, 1], [2, 3]], x[[True, False, True, False, False]]",
    "c = x.copy()\nc[[0, 2]] = 1.0\nc[:, [1, 3]] *= 2\nc[[0, 1], [2, 3]] += 5\nreturn c",
])  # fmt: skip
def test_masks_and_lists_beside_other_indices(body):
    check(body, A)


def test_tuples_in_an_index_are_arrays_of_indices():
    check("p = (0, 1)\nq = ((0, 1), (1, 2))\nreturn x[(0, 1), 2], x[p, 1, 2], x[p] * 1, x[(0, 1, 2)], x[q], x[q][0], x[1, (0, 2)], x[..., (1, 1)]", T)
    check("u = x.copy()\ni = (1, 0)\nu[i] = 2.0\nu[i, 0, 1] *= 3.0\nnp.add.at(u, ((0, 1), (1, 1)), 4.0)\nnp.add.at(u, (0, 1), 4.0)\nreturn u", T)


def test_a_mask_of_two_axes_beside_others():
    check("m = x[:, :, 0] > 0\nu = x * 2\nu[m] = x[m] ** 2\nu[0, x[0] > 1] = 3.0\nreturn u, x[:, m[0], 1], x[1, x[1] > 0]", T)


def test_an_update_through_a_mask_reads_what_was_there_first():
    check("def g(a):\n    a[0] = -100.0\n    return y[:2] * a[1]\nz = np.array([3.0, 1.0, 2.5, 0.0]) * x[0]\nz[z > 1.5 * x[0]] += g(z)\nreturn z", X, Y)


@pytest.mark.parametrize("body", [
    "np.array([r @ y for r in x]), np.array([r * y for r in x]), np.array([x[k] * k for k in range(3)]), np.array([r[1:4] for r in x[1:]])",
    "np.array([np.cumsum(r) for r in x]), np.array([[a * b for b in y] for a in x[0]]), np.array([[r[0], r[1] * 2] for r in x])",
    "np.stack([x[k] * k for k in range(3)]), np.stack([r[:2] for r in x], axis=1), np.stack(x, axis=-1)",
    "np.sum([a * a for a in y]), np.mean([r.sum() for r in x]), np.max([a * a for a in y])",
    "def g(r, k):\n    z = np.zeros(len(r) + 1)\n    z[:-1] = r * k\n    return z\nreturn np.array([g(y, k) for k in range(3)])",
    "np.array([y[:k] for k in range(3)])",
    "b = x.copy()\ndef g(r):\n    r[0] = 7.0\n    return r * 2\nreturn np.array([g(b[k]) for k in range(3)]), b",
    "s = 0.0\nfor k in range(1, 4):\n    m = np.array([np.sort(r)[:k] for r in x])\n    s += np.sum(m[:, 0] * k)\nreturn s",
    "np.linalg.norm([y[0], y[1]]), np.dot([y[0], y[1]], [1.0, 2.0]), np.outer([y[0], 1.0], y)",
])  # fmt: skip
def test_rows(body):
    check(body, A, Y)


def test_no_rows_have_no_length():
    f = linad.linear_grad(program("np.array([r * 2.0 for r in x])", "x"))
    with pytest.raises(ValueError, match="one row at least"):
        f(np.zeros((0, 3)))


@pytest.mark.parametrize("body", [
    "x @ y, x @ x.transpose(0, 2, 1), np.matmul(x, x.swapaxes(1, 2)), x @ y[0], y[:3, 0] @ x, y[:3, :3] @ x",
    "x[:, None] @ x[None].swapaxes(2, 3), x @ y[None]",
    "x @ y[:3]",
])  # fmt: skip
def test_stacks_of_matrices(body):
    check(body, T, Q)


def test_stacks_of_rank_4_and_errors_with_many_sizes_in_machine_code():
    check("x @ x.swapaxes(-1, -2), x @ x[0, 0].T", F)
    f = linad.linear_grad(program("x @ x.swapaxes(2, 3)", "x"))
    np.testing.assert_allclose(f(F), F @ F.swapaxes(2, 3))
    g = linad.linear_grad(program("np.where(x > 0, y, z)", "xyz"))
    with pytest.raises(ValueError, match=r"\(2,3,4,2\) \(2,3,4,2\) \(2,3,4,5\)"):
        g(F, F, np.ones((2, 3, 4, 5)))


def test_products_of_bools_are_bools_to_numpy_and_refused():
    assert all("of numbers" in e for body in ("x @ x", "np.outer(x, x)", "np.dot(x, x)") for e in refusals(body, X > 2))
    assert refusals("x @ x", X > 2)
    check("(x > 2) @ x, np.dot(x > 2, (x > 1).astype(int))", X)


@pytest.mark.parametrize("body", [
    "s = 0.0\nfor k in range(1, 4):\n    s += np.sum(x[::k]) * k + np.sum(x[1::k] ** 2) + np.sum(x[k:5:k])\nreturn s",
    "u = x.copy()\nfor k in range(-3, 4):\n    if k != 0:\n        u[::k] *= 1.5\n        u[4:1:k] += x[4:1:k]\n        u[0] += np.sum(x[k:-5:k])\nreturn u",
    "k = len(x) - 6\nreturn np.sum(x[::k])",
])  # fmt: skip
def test_steps_that_are_computed(body):
    check(body, X)


@pytest.mark.parametrize("body", [
    "np.median(x), np.median(x, axis=0), np.median(x, axis=1, keepdims=True), np.median(x[:, 1:], -1), np.median(x, keepdims=True)",
    "np.linalg.norm(x, axis=1), np.linalg.norm(x, axis=0, keepdims=True), np.linalg.norm(x, 1, axis=1), np.linalg.norm(x, np.inf, 0)",
    "np.linalg.norm(x[:, None] - x[None, :2], axis=-1), np.linalg.norm(x=x, axis=(0, 1))",
])  # fmt: skip
def test_medians_and_norms(body):
    check(body, A)


def test_medians_of_nan_nothing_and_ints():
    check("np.median(x), np.median(x[:0])", np.array([1.0, np.nan, 2.0]), smooth=False)
    check("np.median(x), np.median(x > 2)", COUNTS)
    check("np.median(x)", X.astype(np.float32), smooth=False)


@pytest.mark.parametrize("body", [
    "np.repeat(x, y), x.repeat(y), np.repeat(x, [1, 0, 2, 1, 0, 0])",
    "np.repeat(x[None] * x[:, None], y, axis=0), np.repeat(x[None], y, axis=1)",
    "np.repeat(x, y - 1)",
    "np.repeat(x, y[:2])",
])  # fmt: skip
def test_counts_of_repeats(body):
    check(body, X, COUNTS)


def test_an_axis_that_happens_to_have_one_cell_is_not_stretched_and_the_error_says_what_to_write():
    f = linad.linear_grad(program("n = 2 * len(x) // len(x)\nreturn x[:, 1:n] + x[1:n, :]", "x"))
    with pytest.raises(ValueError, match=r"shapes \(4,1\) \(1,4\) \(a size that turns out to be 1 is not stretched, see 'Size-1 broadcast' in docs/reference/deviations.md: index with None"):
        f(Q)
    check("x[:, 1, None] + x[None, 1]", Q)


@pytest.mark.parametrize("body", [
    "x[i][0]", "x[i][:1]", "(x[i] + 1.0)[2]", "x[i][[0]]", "x[i].shape[0] * x[0]", "np.zeros_like(x[i])", "np.repeat(x[i], 0)", "x[:3][i][::-1][:1]",
    "np.diag(y[i])[:1] + 0", "y[i].T[0, 0]", "y[:, i][:, :1]", "x[i][None, :][0, 0]", "y[i, [0, 1]]",
])  # fmt: skip
def test_indices_out_of_range_raise_also_where_their_cells_are_not_used(body):
    check(f"i = z\nreturn {body}", X, A[:4], np.array([1, 9, 2]))
    check(f"i = z\nreturn {body}", X, A[:4], np.array([1, 0, 2]))


def test_no_cells_have_no_largest_one_even_where_none_is_asked_for():
    for shape in ((0, 0), (0, 3), (3, 0)):
        check("return np.max(x, axis=1)", np.zeros(shape))
        check("return np.min(x, axis=0)[:0]", np.zeros(shape))
