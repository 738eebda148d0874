"""Cells in an order."""

from __future__ import annotations

import numpy as np

from . import implements


def _within(a, kth, axis):
    """Raise where a place is not on the axis."""
    if np.asarray(kth).dtype.kind != "i":
        raise TypeError("is of an int `kth`")
    n = a.shape[axis]
    if a.size > 0 and (np.any(np.asarray(kth) >= n) or np.any(np.asarray(kth) < -n)):
        raise ValueError("kth out of bounds")


@implements("numpy.partition")
def partition(a, kth, axis=-1):
    """Cells with those at places ``kth`` as in a sorted array, and no larger ones before them, no smaller ones after.

    Parameters
    ----------
    a : array_like
        Numbers.
    kth : int or array_like of int
        Places along the axis.
    axis : int or None
        The axis; None for all cells.

    Returns
    -------
    numpy.ndarray
        The cells, all of which are sorted here. NumPy leaves the order of others open.

    Raises
    ------
    ValueError
        Where there is no such place.

    Examples
    --------
    >>> partition(np.array([3.0, 1.0, 2.0]), 1)
    array([1., 2., 3.])
    """
    a = np.asarray(a)
    if axis is None:
        a = a.ravel()
    _within(a, kth, -1 if axis is None else axis)
    return np.sort(a, axis=-1 if axis is None else axis)


@implements("numpy.argpartition")
def argpartition(a, kth, axis=-1):
    """Places of the cells in the order of `partition`.

    Parameters
    ----------
    a : array_like
        Numbers.
    kth : int or array_like of int
        Places along the axis.
    axis : int or None
        The axis; None for all cells.

    Returns
    -------
    numpy.ndarray
        Places, of ints.

    Raises
    ------
    ValueError
        Where there is no such place.

    Examples
    --------
    >>> argpartition(np.array([3.0, 1.0, 2.0]), 1)
    array([1, 2, 0])
    """
    a = np.asarray(a)
    if axis is None:
        a = a.ravel()
    _within(a, kth, -1 if axis is None else axis)
    return np.argsort(a, axis=-1 if axis is None else axis, kind="stable")
