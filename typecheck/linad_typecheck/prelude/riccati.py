"""Riccati equations, and orthogonal factors of a matrix.

Both equations are solved by doubling: a step of the iteration stands for twice as many steps of the dynamics (E. K.-W.
Chu, H.-Y. Fan, W.-W. Lin, Linear Algebra and its Applications 396, 55-80, 2005). Derivatives are those of the steps.
"""

from __future__ import annotations

import numpy as np

from . import constant, implements


def _doubled(a, g, h):
    """The stabilising solution of ``X = A^T X (1 + G X)^-1 A + H``."""
    one = np.eye(a.shape[0])
    more = 2
    for _ in range(100):
        w = np.linalg.solve(one + g @ h, np.concatenate((a, g), axis=1))
        wa, wg = w[:, : a.shape[0]], w[:, a.shape[0] :]
        step = a.T @ h @ wa
        g = g + a @ wg @ a.T
        h = h + step
        a = a @ wa
        if not np.max(np.abs(constant(step))) > 1e-10 * np.max(np.abs(constant(h))):
            more -= 1
        if more == 0:
            return 0.5 * (h + h.T)
    raise np.linalg.LinAlgError("Failed to find a finite solution.")


def _given(a, b, q, r, e, s):
    if e is not None or s is not None:
        raise TypeError("is of the equation with `a`, `b`, `q` and `r`")
    a, b, q = np.asarray(a) * np.float64(1.0), np.asarray(b) * np.float64(1.0), np.asarray(q) * np.float64(1.0)
    if a.ndim != 2 or b.ndim != 2:
        raise TypeError("is of matrices")
    return a, b @ np.linalg.solve(np.asarray(r) * np.float64(1.0), b.T), q


@implements("scipy.linalg.solve_discrete_are")
def solve_discrete_are(a, b, q, r, e=None, s=None, balanced=True):
    """The solution of the discrete-time Riccati equation ``A^T X A - X - A^T X B (R + B^T X B)^-1 B^T X A + Q = 0``.

    >>> solve_discrete_are(np.eye(1), np.eye(1), np.eye(1), np.eye(1)).round(6)
    array([[1.618034]])
    """
    a, g, q = _given(a, b, q, r, e, s)
    return _doubled(a, g, q)


@implements("scipy.linalg.solve_continuous_are")
def solve_continuous_are(a, b, q, r, e=None, s=None, balanced=True):
    """The solution of the continuous-time Riccati equation ``A^T X + X A - X B R^-1 B^T X + Q = 0``.

    >>> solve_continuous_are(np.zeros((1, 1)), np.eye(1), np.eye(1), np.eye(1)).round(6)
    array([[1.]])
    """
    a, g, q = _given(a, b, q, r, e, s)
    n = a.shape[0]
    shift = constant(1.0 + 1.1 * np.sqrt(np.sum(a * a)))  # beyond every eigenvalue of A
    moved = np.linalg.inv(a - shift * np.eye(n))
    w = np.linalg.inv((a - shift * np.eye(n)).T + q @ moved @ g)
    return _doubled(np.eye(n) + 2.0 * shift * w.T, 2.0 * shift * moved @ g @ w, 2.0 * shift * w @ q @ moved)


def _wide(a):
    a = np.asarray(a)
    if a.dtype == np.float32:
        raise TypeError("is of float64: write `a.astype(float)`")
    return a * np.float64(1.0)


@implements("scipy.linalg.polar")
def polar(a, side="right"):
    """The factors of a polar decomposition ``a = u p``, of which ``u`` is orthogonal and ``p`` positive semidefinite.

    >>> u, p = polar(np.array([[0.0, -2.0], [3.0, 0.0]]))
    >>> u.round(6), p.round(6)
    (array([[ 0., -1.],
           [ 1.,  0.]]), array([[3., 0.],
           [0., 2.]]))
    """
    w, s, vh = np.linalg.svd(_wide(a), full_matrices=False)
    if side == "right":
        return w @ vh, vh.T @ (s[:, None] * vh)
    if side == "left":
        return w @ vh, w @ (s[:, None] * w.T)
    raise ValueError("`side` must be either 'right' or 'left'")


@implements("scipy.linalg.orthogonal_procrustes")
def orthogonal_procrustes(A, B, check_finite=True):
    """The orthogonal matrix that maps ``A`` as near as possible to ``B``, and the sum of the singular values of
    ``A^T B`` (P. H. Schönemann, Psychometrika 31, 1-10, 1966).

    >>> r, scale = orthogonal_procrustes(np.eye(2), np.array([[0.0, -2.0], [3.0, 0.0]]))
    >>> r.round(6), round(float(scale), 6)
    (array([[ 0., -1.],
           [ 1.,  0.]]), 5.0)
    """
    u, s, vh = np.linalg.svd((_wide(B).T @ _wide(A)).T)
    return u @ vh, np.sum(s)
