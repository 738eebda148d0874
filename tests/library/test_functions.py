"""Library functions beyond the common ones: what NumPy gives, and gradients against differences."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from ..arrays.near import check, refusals

R = np.random.default_rng(7)
VALUES = {
    "x": R.normal(size=5) + 2.0,
    "y": R.normal(size=5) + 3.0,
    "A": R.normal(size=(4, 5)),
    "T": R.normal(size=(2, 3, 4)),
    "S": R.normal(size=(3, 3)) + 2.0 * np.eye(3),
    "idx": np.array([3, 1, 2, 2, 5]),
    "none": np.zeros(0),
}
PROGRAMS = {
    "differences and polynomials": """
        np.gradient(x)
        np.gradient(x, 0.5)
        np.gradient(A)
        np.gradient(A, axis=0)
        np.gradient(x, np.cumsum(y))
        np.gradient(x, edge_order=2)
        np.gradient(A, 0.5, 2.0)
        np.gradient(A, x[:4] * np.arange(4), np.cumsum(y), edge_order=2)
        np.gradient(A, axis=(1, 0))
        np.gradient(x[:1])
        np.gradient(x[:2])
        np.gradient(idx)
        np.gradient(T, axis=1)
        np.gradient(x, y[:3])
        np.ediff1d(A)
        np.correlate(x, y)
        np.correlate(x[:2], y, "same")
        np.correlate(x, y[:2], "same")
        np.correlate(x[:3], y, "full")
        np.correlate(x[:2], y)
        np.correlate(none, x)
        np.polyval(x, 2.0)
        np.polyval(x, y)
        np.polyval([1.0, 2.0, 3.0], x)
        np.polyval(idx, x)
        np.polyval(x, 3)
        np.polyval(x, A)
        np.polyval(none, x)
        np.polyval(idx, idx)
        np.polyder(x)
        np.vander(x)
        np.vander(x, 3, increasing=True)
        np.vander(x, 0)
        np.vander(x * 0, 3, increasing=True)
        np.vander(idx, 3)
        np.tri(3, 4)
        np.tri(3, 4, 1)
        np.tri(2, dtype=bool)
        np.tri(3, k=-1) * S
    """,
    "borders and blocks": """
        np.pad(x, 2)
        np.pad(A, ((1, 0), (0, 2)))
        np.pad(x, 2, mode="edge")
        np.pad(x, (1, 2), constant_values=3.0)
        np.pad(x, 1, mode="wrap")
        np.pad(A, 1, mode="reflect")
        np.pad(A, ((0, 2), (3, 1)), mode="symmetric")
        np.pad(A, (2, 1), mode="wrap")
        np.pad(A, ((1,), (2,)), mode="edge")
        np.pad(x, 9, mode="reflect")
        np.pad(x, 9, mode="symmetric")
        np.pad(x[:1], 3, mode="reflect")
        np.pad(none, 2)
        np.pad(none, 2, mode="edge")
        np.pad(idx, 1, constant_values=7)
        np.pad(x, (1, 2), constant_values=(x[0], y[1]))
        np.pad(x, -1)
        np.pad(T, 1)
        np.pad(A, ((1, 2), (0, 1)), constant_values=((1.0, 2.0), (3.0, 4.0)))
        np.pad(x, 0)
        np.kron(A, S)
        np.kron(x, y)
        np.kron(x, A)
        np.kron(A, x)
        np.kron(2.0, x)
        np.block([x, y])
        np.block([[x], [y]])
        np.block([[A, A[:, :2]], [A[:1], A[:1, :2]]])
        np.block([[S, np.zeros((3, 1))], [x[:3], 1.0]])
        np.append(x, y)
        np.append(x, 1.0)
        np.append(A, A, axis=0)
        np.append(A, x)
        np.append(x, [1.0, 2.0])
        np.insert(x, -1, 3.0)
        np.insert(x, 2, y)
        np.insert(A, 1, 0.0, axis=1)
        np.insert(idx, 1, 2.5)
        np.insert(x, 9, 1.0)
        np.delete(x, 1)
        np.delete(x, -1)
        np.delete(A, 1, axis=0)
        np.delete(A, 3, axis=1)
        np.delete(x, 7)
        np.delete(A, 3)
    """,
    "products": """
        np.tensordot(A, A, axes=([0], [0]))
        np.tensordot(A, x, 1)
        np.tensordot(T, A, axes=([2], [0]))
        np.tensordot(T, T, axes=([0, 2], [0, 2]))
        np.tensordot(A, x[:4], axes=(0, 0))
        np.tensordot(A, A, 1)
        np.tensordot(x, y, 0)
        np.tensordot(T, A[:, :4], axes=([1, 2], [0, 1]))
        np.linalg.matrix_power(S, 0)
        np.linalg.matrix_power(S, 1)
        np.linalg.matrix_power(S, -2)
        np.linalg.matrix_power(S, 5)
        np.linalg.multi_dot([x[:4], A, x])
        np.vecdot(x, y)
        np.vecdot(A, A, axis=0)
        np.matvec(A, x)
        np.matvec(T, x[:4])
        np.vecmat(x[:4], A)
        np.add.outer(A, x)
        np.subtract.outer(x, y)
        np.multiply.outer(x, A)
        np.less.outer(x, y) * 1.0
        np.add.reduce(A)
        np.add.reduce(A, axis=1)
        np.maximum.reduce(A)
        np.add.reduce(A, axis=None)
        np.maximum.accumulate(A, axis=1)
        np.minimum.accumulate(A)
        np.maximum.accumulate(idx)
        np.multiply.accumulate(x)
        np.cumulative_sum(A, axis=1)
        np.cumulative_prod(x)
        np.einsum("...i,i->...", A, x)
        np.einsum("...ij,...j->...i", T, A[:2, :4])
        np.einsum("i...,i...->...", A, A)
        np.einsum("...", x)
        np.einsum("...i,...i", A, x)
        np.einsum("ii", S)
        np.einsum("ij,j", A, x)
        np.linalg.norm(x[0])
        np.dot(np.asarray(x[0]), A)
        np.linalg.norm(x, -np.inf)
        np.linalg.norm(x, 3)
        np.linalg.norm(A, 1)
        np.linalg.norm(x, 0)
        np.linalg.norm(x, 2.5)
        np.linalg.norm(A, ord=3, axis=1)
        np.linalg.norm(A, -1)
        np.linalg.norm(A, np.inf)
        np.linalg.norm(A, -np.inf)
        np.linalg.norm(T, 1, axis=(1, 2))
        np.linalg.norm(x * 0, 3)
        np.linalg.norm(S, -2)
        np.linalg.vector_norm(A)
        np.linalg.matrix_norm(A)
        np.linalg.trace(S)
        np.linalg.cross(x[:3], y[:3])
        np.linalg.outer(x, y)
        np.linalg.diagonal(S) * 1.0
        np.linalg.cond(S)
    """,
    "regular numbers": """
        np.hamming(7)
        np.hanning(1)
        np.blackman(4)
        np.bartlett(5)
        np.hanning(0)
        np.indices((2, 3))
        np.fromfunction(lambda i, j: i * 2.0 + j, (2, 3))
        np.logspace(0.0, 1.0, 4) * x[0]
        np.geomspace(1.0, x[0], 4)
    """,
    "picking": """
        np.take(x, idx % 5)
        np.take(A, idx % 5, axis=1)
        np.take(A, 3)
        np.take(A, idx)
        x.take(idx % 5)
        np.take_along_axis(A, np.argsort(A, axis=1), axis=1)
        np.take_along_axis(A, np.argsort(A, axis=0), axis=0)
        np.take_along_axis(A, idx[:3], axis=None)
        np.select([x > 2, x > 1], [x, x * x], 0.0)
        np.select([x > 2], [x], -1.0)
        np.compress(x > 2, x)
        np.compress(idx - 2, x)
        np.compress(x[:3] > 2, x)
        np.extract(A > 0, A)
        np.extract(idx - 2, x)
        np.argwhere(A > 0)
        np.broadcast_arrays(x[:, None], y)[0] * 1.0
        np.unravel_index(7, (4, 5))
        np.unravel_index(idx, (4, 5))
        np.unravel_index(99, (4, 5))
        np.ravel_multi_index((idx % 4, idx % 5), (4, 5))
        np.ravel_multi_index((3, 4), (4, 5))
        np.array_equal(x, x)
        np.array_equal(x, y)
        np.array_equal(x, x[:3])
        np.array_equal(x, A)
        np.allclose(x, x + 1e-12)
        np.allclose(x, y)
        np.digitize(x, np.array([1.0, 2.0, 3.0]))
        np.digitize(idx, np.array([1, 3]), right=True)
        np.isin(idx, np.array([1, 3]))
        np.isin(A, x)
        np.lexsort((x, idx))
        np.lexsort((y, x, idx))
        np.nanargmax(x)
        np.nanargmin(A, axis=0)
        A[np.tril_indices(3)]
        A[np.triu_indices(4, 1, 5)]
        S[np.diag_indices(3)]
        S[np.triu_indices_from(S)]
        np.diagflat(A)
        np.searchsorted(x, y, sorter=np.argsort(x))
        np.interp(y, np.arange(5.0), x, period=5.0)
        np.interp(A * 9, x * 2, y, period=3.0)
        np.permute_dims(T, (2, 0, 1)) * 1.0
        np.matrix_transpose(A) * 1.0
        A.mT * 1.0
        np.real(x) * 2
        np.conj(x) * 2
        x.real * 2
        np.iscomplex(x)
        np.angle(x - 2)
        np.ascontiguousarray(A.T) * 1.0
        np.ascontiguousarray(x) * 2
        A.flat[3]
        x.nbytes + A.itemsize
        x[0].item()
        A.sum().shape
        np.zeros_like(A, dtype=np.float32)
        np.zeros_like(A, shape=(2, 2))
        np.full_like(x, 3, shape=(2,))
        np.full((2, 5), x)
        np.full((2, 5), x, dtype=int)
        x.astype(np.float64, copy=False) * 2
        np.astype(x, np.float64)
    """,
    "lists": """
        np.concatenate([x * k for k in range(3)])
        np.vstack([x * k for k in range(3)])
        np.hstack([x * k for k in range(3)])
        np.stack([x * k for k in range(3)], axis=1)
        np.column_stack([x * k for k in range(3)])
        np.concatenate([row[:2] * 2 for row in A])
        np.concatenate([A * k for k in range(3)], axis=1)
        np.vstack([A * k for k in range(2)])
        np.hstack([A * k for k in range(2)])
        np.concatenate(A)
        np.concatenate(T, axis=-1)
        np.hstack(A)
        np.vstack(T)
        np.concatenate(A, axis=None)
        np.array([a * b for a in x for b in y])
        np.array([a for a in x if a > 2])
        np.array([a * k for k in range(3) for a in x if a > 2 if k > 0])
        np.array([a for a in x if a > 99])
        np.array([k for k in range(9) if k % 2])
    """,
}


def run(text: str, smooth: bool = True) -> None:
    names = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
    used = [n for n in VALUES if n in names]
    lines = [f"{name} = {letter}" for name, letter in zip(used, "xyzw", strict=False) if name != letter]
    order = sorted(range(len(lines)), key=lambda k: lines[k].split(" = ")[0] in "xyzw")  # a name that is a letter is bound last
    check("\n".join([*(lines[k] for k in order), f"return {text}"]), *(VALUES[n] for n in used), smooth=smooth)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.one_in(8)
@pytest.mark.parametrize("text", [t.strip() for topic in PROGRAMS.values() for t in topic.strip().splitlines()])
def test_programs(text):
    run(text)


def test_single_precision_stays_single():
    x = VALUES["x"].astype(np.float32)
    check("x.astype(np.float32, copy=False)", VALUES["y"], smooth=False)
    for text in ("np.gradient(x)", "np.pad(x, 1)", "np.polyval(x, x)", "np.linalg.norm(x, 3)", "np.linalg.norm(x, 0)", "np.kron(x, x)"):
        check(text, x, smooth=False)


def test_results_that_are_stored():
    x, y = VALUES["x"], VALUES["y"]
    check("z = np.zeros(5)\nw = np.exp(x * 0.1, out=z)\nreturn w * y", x, y)
    check("z = x.copy()\nnp.multiply(z[1:], z[:-1], out=z[1:])\nreturn z", x)
    check("z = np.zeros(5)\nnp.divide(x, y, out=z, where=x > 2)\nreturn z", x, y)
    check("z = x * 1.0\nnp.log(x - 2, out=z, where=x > 2)\nreturn z", x)
    check("z = np.zeros(2)\nnp.sum(y, axis=0, out=z)\nnp.cumsum(z, out=z)\nreturn z * x[:2]", x, np.ones((3, 2)))
    check("z = np.zeros((4, 4))\nnp.dot(x, x.T, out=z)\nnp.add(z, 1.0, z) if False else np.add(z, 1.0, out=z)\nreturn z", VALUES["A"])
    check("z = np.zeros((3, 3))\nnp.fill_diagonal(z, x[0])\nnp.copyto(z[0], x[:3])\nreturn z", x)
    for text in ("np.exp(x, out=np.zeros(5, dtype=int))", "np.exp(x, out=1.0)"):
        assert refusals(text, x)


def test_what_is_refused_is_told():
    x, a = VALUES["x"], VALUES["A"]
    for text in ("np.linalg.norm(y, 7)", "np.einsum('...i->i', y)"):
        assert refusals(text, x, a), text
