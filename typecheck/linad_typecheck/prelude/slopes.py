"""Numerical gradients."""

from __future__ import annotations

import numpy as np

from . import implements, literal


@implements("numpy.gradient")
def gradient(f, *varargs, axis=None, edge_order=1):
    """Numerical gradient along axes: central differences of second order in the interior.

    Parameters
    ----------
    f : array_like
        Numbers, of rank 1 or more.
    *varargs : float or array_like
        The spacing, or the sample points, per axis; or one spacing for all axes, 1 by default.
    axis : int or tuple of int, optional
        Axes; all of them by default.
    edge_order : {1, 2}
        The order of the differences at the ends.

    Returns
    -------
    numpy.ndarray or tuple of numpy.ndarray
        The slopes; for several axes one array each.

    Raises
    ------
    ValueError
        If an axis is too short, or if the number of sample points differs from its size.

    Examples
    --------
    >>> gradient(np.array([1.0, 2.0, 4.0]))
    array([1. , 1.5, 2. ])
    """
    f, edge_order = np.asarray(f), literal(edge_order)
    if f.ndim == 0 or f.dtype == bool or edge_order not in (1, 2):
        raise TypeError("is of numbers in an array of rank 1 or more, with an `edge_order` of 1 or 2")
    f = f if f.dtype.kind == "f" else f * 1.0
    if axis is None:
        axes = tuple(range(f.ndim))
    else:
        axes = axis if isinstance(axis, tuple) else (axis,)
    steps = varargs if len(varargs) > 0 else (1.0,)
    if len(steps) == 1 and np.ndim(steps[0]) == 0:
        steps = steps * len(axes)
    if len(steps) != len(axes):
        raise TypeError("takes a distance or an array of places for each axis")
    if len(axes) == 1:
        return _slope(f, steps[0], axes[0], edge_order)
    found = ()
    for k in range(len(axes)):
        found = found + (_slope(f, steps[k], axes[k], edge_order),)
    return found


def _slope(f, h, axis, order):
    """The gradient along one axis."""
    f = np.moveaxis(f, axis, -1)
    if np.ndim(h) == 1 and len(h) != f.shape[-1]:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    if f.shape[-1] < order + 1:
        raise ValueError("Shape of array too small: at least (edge_order + 1) elements are required.")
    if np.ndim(h) == 0:
        inside = (f[..., 2:] - f[..., :-2]) / (2.0 * h)
        if order == 1:
            first = (f[..., 1] - f[..., 0]) / h
            last = (f[..., -1] - f[..., -2]) / h
        else:
            first = (-1.5 * f[..., 0] + 2.0 * f[..., 1] - 0.5 * f[..., 2]) / h
            last = (0.5 * f[..., -3] - 2.0 * f[..., -2] + 1.5 * f[..., -1]) / h
    else:
        d = np.diff(h) * 1.0
        p, q = d[:-1], d[1:]
        inside = -q / (p * (p + q)) * f[..., :-2] + (q - p) / (p * q) * f[..., 1:-1] + p / (q * (p + q)) * f[..., 2:]
        if order == 1:
            first = (f[..., 1] - f[..., 0]) / d[0]
            last = (f[..., -1] - f[..., -2]) / d[-1]
        else:
            a, b, s = d[0], d[1], d[0] + d[1]
            first = -(a + s) / (a * s) * f[..., 0] + s / (a * b) * f[..., 1] - a / (b * s) * f[..., 2]
            a, b, s = d[-2], d[-1], d[-2] + d[-1]
            last = b / (a * s) * f[..., -3] - s / (a * b) * f[..., -2] + (b + s) / (b * s) * f[..., -1]
    found = np.concatenate((np.expand_dims(first, -1), inside, np.expand_dims(last, -1)), axis=-1)
    return np.moveaxis(found, -1, axis)
