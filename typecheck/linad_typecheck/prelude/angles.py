"""Phase unwrapping."""

from __future__ import annotations

import numpy as np

from . import implements


@implements("numpy.unwrap")
def unwrap(p, discont=None, axis=-1, *, period=2.0 * np.pi):
    """Unwrap angles: remove jumps of more than half a period between consecutive angles.

    Parameters
    ----------
    p : array_like
        Angles, of rank 1 or more.
    discont : float, optional
        The smallest jump to remove; at least half a period.
    axis : int
        The axis along which angles are consecutive.
    period : float
        The period, multiples of which are added.

    Returns
    -------
    numpy.ndarray
        Floats of the shape of ``p``.

    Raises
    ------
    TypeError
        For a scalar, and for ints with an int period.

    Examples
    --------
    >>> unwrap(np.array([0.0, 4.0, 0.5]), period=4.0)
    array([0. , 0. , 0.5])
    """
    p = np.asarray(p)
    if p.ndim == 0:
        raise TypeError("unwrap is of arrays of rank 1 or more")
    if p.dtype.kind != "f" and np.asarray(period).dtype.kind != "f":
        raise TypeError("unwrap of ints has a float period here")
    p = np.moveaxis(p, axis, -1)
    d = np.diff(p, axis=-1)
    m = (d + 0.5 * period) % period - 0.5 * period
    turn = np.where((m == -0.5 * period) & (d > 0), 0.5 * period, m) - d
    least = 0.5 * period if discont is None else discont
    moved = p[..., 1:] + np.cumsum(np.where(np.abs(d) < least, 0.0, turn), axis=-1)
    return np.moveaxis(np.concatenate((p[..., :1] * 1.0, moved), axis=-1), -1, axis)
