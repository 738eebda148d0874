"""Splines as knots and coefficients: `scipy.interpolate.splrep` and `splev`.

The coefficients are blossoms of the pieces of the spline: L. Ramshaw, Blossoms are polar forms, 1989.
"""

from __future__ import annotations

import numpy as np
import scipy.interpolate as sx

from . import implements, literal


@implements("scipy.interpolate.splrep")
def splrep(x, y, w=None, xb=None, xe=None, k=3, task=0, s=None, t=None, full_output=0, per=0, quiet=1):
    """Spline through points, as knots, coefficients and degree.

    Parameters
    ----------
    x : array_like
        Coordinates that rise, of rank 1: at least four for a cubic spline.
    y : array_like
        Values at the coordinates, of rank 1.
    w, quiet
        Ignored: a spline through all points does not depend on weights.
    k : int
        The degree, 1 or 3.
    s : float, optional
        The smoothing, 0: the spline goes through all points.
    xb, xe, task, t, full_output, per
        Their defaults only.

    Returns
    -------
    tuple
        Knots, coefficients (followed by ``k + 1`` zeros) and degree, for `splev`.

    Raises
    ------
    TypeError
        For other degrees, and for smoothing.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 3.0])
    >>> round(float(splev(1.5, splrep(x, x**3))), 9)
    3.375
    """
    degree = literal(k)
    if degree not in (1, 3):
        raise TypeError("is of degree 1 or 3 here")
    if (literal(s) if s is not None else 0 if w is None else 1) != 0:
        raise TypeError("goes through all points here: `s=0`")
    if xb is not None or xe is not None or task != 0 or t is not None or full_output or per:
        raise TypeError("takes points, a degree and `s=0` here")
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    n = x.shape[0]
    if degree == 1:
        if np.any(np.diff(x) <= 0.0):
            raise ValueError("Error on input data")
        return np.concatenate((x[:1], x, x[-1:])), np.concatenate((y, np.zeros(2))), 1
    bends = sx.CubicSpline(x, y)(x, 2)
    knots = np.concatenate((np.full(4, x[0]), x[2:-2], np.full(4, x[n - 1])))
    i = np.arange(n)
    piece = np.clip(i - 1, 0, n - 2)  # the piece from this point on lies within the support of basis function i
    h = x[piece + 1] - x[piece]
    slope = (y[piece + 1] - y[piece]) / h - h * (2.0 * bends[piece] + bends[piece + 1]) / 6.0
    square, cube = bends[piece] / 2.0, (bends[piece + 1] - bends[piece]) / (6.0 * h)
    u, v, r = knots[i + 1] - x[piece], knots[i + 2] - x[piece], knots[i + 3] - x[piece]
    c = y[piece] + slope * (u + v + r) / 3.0 + square * (u * v + u * r + v * r) / 3.0 + cube * u * v * r
    return knots, np.concatenate((c, np.zeros(4))), 3


@implements("scipy.interpolate.splev")
def splev(x, tck, der=0, ext=0):
    """Values of a spline, or of a derivative of it.

    Parameters
    ----------
    x : array_like
        Where it is evaluated.
    tck : tuple
        Knots, coefficients and degree, as `splrep` gives them.
    der : int
        The order of the derivative, a literal.
    ext : int
        Outside of the knots: 0 continues the spline, 1 gives zeros, 2 raises, 3 takes the value at the boundary, as in
        SciPy not for derivatives.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``x``.

    Raises
    ------
    ValueError
        With ``ext=2``, outside of the knots.

    Examples
    --------
    >>> splev(0.5, (np.array([0.0, 0.0, 1.0, 1.0]), np.array([1.0, 3.0]), 1))
    array(2.)
    """
    t, c, k, order = tck[0], tck[1], literal(tck[2]), literal(der)
    if not 0 <= order <= k:
        raise ValueError(f"0<=der={order}<=k={k} must hold")
    n = t.shape[0] - k - 1
    low, high = t[k], t[n]
    x = np.asarray(x) * 1.0
    at = np.clip(x, low, high) if ext == 3 and order == 0 else x  # derivatives continue, as in FITPACK
    if ext == 2 and np.any((x < low) | (x > high)):
        raise ValueError("Error code returned by spev: 1")
    j = np.clip(np.searchsorted(t, at, side="right") - 1, k, n - 1)
    d = [c[j - k + i] for i in range(k + 1)]
    for r in range(order):
        d = [(k - r) * (d[i + 1] - d[i]) / (t[j + 1 + i] - t[j + 1 + i - k + r]) for i in range(k - r)]
    p = k - order
    for r in range(1, p + 1):
        d = [
            d[i] + (d[i + 1] - d[i]) * ((at - t[j - p + i + r]) / (t[j + 1 + i] - t[j - p + i + r]))
            for i in range(p + 1 - r)
        ]
    return np.asarray(np.where((x < low) | (x > high), 0.0, d[0]) if ext == 1 else d[0])
