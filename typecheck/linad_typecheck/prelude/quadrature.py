"""Gauss quadrature: the nodes and weights of `numpy.polynomial` and `scipy.special`.

The nodes are the eigenvalues of the symmetric tridiagonal matrix of the three-term recurrence ``b[k] p[k + 1] = (x -
a[k]) p[k] - b[k - 1] p[k - 1]`` of the orthonormal polynomials (Golub & Welsch 1969), corrected by a step of Newton's
method; a weight is the total weight divided by the sum of the squares of the ``p[k]`` at the node (Szegő 1939, 3.4).
"""

from __future__ import annotations

import numpy as np

from . import implements


def _of_recurrence(a, b, total):
    """Nodes and weights for ``a`` and ``b`` of one length, and a total weight."""
    n = len(a)
    matrix = np.zeros((n, n))
    for k in range(n):
        matrix[k, k] = a[k]
        if k > 0:
            matrix[k, k - 1] = b[k - 1]
            matrix[k - 1, k] = b[k - 1]
    x = np.linalg.eigvalsh(matrix)
    w = np.zeros(n)
    for i in range(n):
        for step in range(2):
            below, p, squares, scale = 0.0, 1.0, 0.0, 1.0
            for k in range(n):
                squares += p * p
                above = ((x[i] - a[k]) * p - (b[k - 1] * below if k > 0 else 0.0)) / b[k]
                below, p = p, above
                if abs(p) > 1e150:  # before its square overflows
                    below, p, squares, scale = below * 1e-150, p * 1e-150, squares * 1e-300, scale * 1e-300
            if step == 0:  # less p[n] / p[n]', where p[n]' = squares / (b[n - 1] p[n - 1]) at a zero of p[n]
                x[i] -= p * b[n - 1] * below / squares
            w[i] = total / squares * scale
    return x, w


def _even(b, total):
    """Nodes and weights that lie symmetrically around 0."""
    x, w = _of_recurrence(np.zeros(len(b)), b, total)
    return 0.5 * (x - x[::-1]), 0.5 * (w + w[::-1])


def _legendre(n):
    k = np.arange(1, n + 1) * 1.0
    return _even(k / np.sqrt(4.0 * k * k - 1.0), 2.0)


def _hermite(n):
    return _even(np.sqrt(0.5 * np.arange(1, n + 1)), np.sqrt(np.pi))


def _hermite_e(n):
    return _even(np.sqrt(1.0 * np.arange(1, n + 1)), np.sqrt(2.0 * np.pi))


def _laguerre(n):
    return _of_recurrence(2.0 * np.arange(n) + 1.0, 1.0 * np.arange(1, n + 1), 1.0)


# --------------------------------------------------------------------------------------------------- numpy.polynomial


def _degree(deg):
    if deg <= 0:
        raise ValueError("deg must be a positive integer")
    return deg


@implements("numpy.polynomial.legendre.leggauss")
def leggauss(deg):
    """Nodes and weights of Gauss-Legendre quadrature on [-1, 1].

    Parameters
    ----------
    deg : int
        The number of nodes.

    Returns
    -------
    x, w : numpy.ndarray
        Nodes in ascending order, and weights. Polynomials up to degree ``2 * deg - 1`` are integrated exactly.

    Raises
    ------
    ValueError
        Unless the number is positive.

    Examples
    --------
    >>> x, w = leggauss(3)
    >>> round(float(np.sum(w * x**4)), 12)
    0.4
    """
    return _legendre(_degree(deg))


@implements("numpy.polynomial.hermite.hermgauss")
def hermgauss(deg):
    """Nodes and weights of quadrature with the weight ``exp(-x**2)``. Parameters as of `leggauss`.

    >>> x, w = hermgauss(3)
    >>> round(float(np.sum(w * x**2) / np.sqrt(np.pi)), 12)
    0.5
    """
    return _hermite(_degree(deg))


@implements("numpy.polynomial.hermite_e.hermegauss")
def hermegauss(deg):
    """Nodes and weights of quadrature with the weight ``exp(-x**2 / 2)``. Parameters as of `leggauss`.

    >>> x, w = hermegauss(3)
    >>> round(float(np.sum(w * x**2) / np.sqrt(2 * np.pi)), 12)
    1.0
    """
    return _hermite_e(_degree(deg))


@implements("numpy.polynomial.laguerre.laggauss")
def laggauss(deg):
    """Nodes and weights of quadrature with the weight ``exp(-x)`` on x >= 0. Parameters as of `leggauss`.

    >>> x, w = laggauss(3)
    >>> round(float(np.sum(w * x**3)), 12)
    6.0
    """
    return _laguerre(_degree(deg))


@implements("numpy.polynomial.chebyshev.chebgauss")
def chebgauss(deg):
    """Nodes, in descending order, and weights for the weight ``1 / sqrt(1 - x**2)``. Parameters as of `leggauss`.

    >>> x, w = chebgauss(2)
    >>> round(float(np.sum(w * x**2) / np.pi), 12)
    0.5
    """
    n = _degree(deg)
    return np.cos(np.pi * np.arange(1, 2 * n, 2) / (2.0 * n)), np.full(n, np.pi / n)


# ------------------------------------------------------------------------------------------------------ scipy.special


def _count(n):
    if n < 1:
        raise ValueError("n must be a positive integer.")
    return n


@implements("scipy.special.roots_legendre", "scipy.special.p_roots")
def roots_legendre(n, mu=False):
    """Nodes and weights of Gauss-Legendre quadrature on [-1, 1].

    Parameters
    ----------
    n : int
        The number of nodes.
    mu : bool
        Whether the sum of the weights is returned as well. A literal.

    Returns
    -------
    tuple
        Nodes in ascending order, weights, and with ``mu`` their sum.

    Raises
    ------
    ValueError
        Unless the number is positive.

    Examples
    --------
    >>> x, w = roots_legendre(2)
    >>> round(float(3.0 * x[1] ** 2), 12)
    1.0
    """
    x, w = _legendre(_count(n))
    return (x, w, 2.0) if mu else (x, w)


@implements("scipy.special.roots_hermite", "scipy.special.h_roots")
def roots_hermite(n, mu=False):
    """Nodes and weights for the weight ``exp(-x**2)``. Parameters as of `roots_legendre`.

    >>> x, w = roots_hermite(2)
    >>> round(float(2.0 * x[1] ** 2), 12)
    1.0
    """
    x, w = _hermite(_count(n))
    return (x, w, np.sqrt(np.pi)) if mu else (x, w)


@implements("scipy.special.roots_hermitenorm", "scipy.special.he_roots")
def roots_hermitenorm(n, mu=False):
    """Nodes and weights for the weight ``exp(-x**2 / 2)``. Parameters as of `roots_legendre`.

    >>> x, w = roots_hermitenorm(2)
    >>> round(float(x[1]), 12)
    1.0
    """
    x, w = _hermite_e(_count(n))
    return (x, w, np.sqrt(2.0 * np.pi)) if mu else (x, w)


@implements("scipy.special.roots_laguerre", "scipy.special.l_roots")
def roots_laguerre(n, mu=False):
    """Nodes and weights for the weight ``exp(-x)`` on x >= 0. Parameters as of `roots_legendre`.

    >>> x, w = roots_laguerre(2)
    >>> round(float(x[0] * x[1]), 12)
    2.0
    """
    x, w = _laguerre(_count(n))
    return (x, w, 1.0) if mu else (x, w)


@implements("scipy.special.roots_chebyt", "scipy.special.t_roots")
def roots_chebyt(n, mu=False):
    """Nodes and weights for the weight ``1 / sqrt(1 - x**2)`` on [-1, 1]. Parameters as of `roots_legendre`.

    >>> x, w = roots_chebyt(2)
    >>> round(float(2.0 * x[1] ** 2), 12)
    1.0
    """
    n = _count(n)
    x = np.sin(np.pi * np.arange(1 - n, n, 2) / (2.0 * n))
    w = np.full(n, np.pi / n)
    return (x, w, np.pi) if mu else (x, w)
