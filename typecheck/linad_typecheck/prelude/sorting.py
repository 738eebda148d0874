"""Partial sorting."""

from __future__ import annotations

import numpy as np

from . import implements


def _within(a, kth, axis):
    """Raise if an index is not on the axis."""
    if np.asarray(kth).dtype.kind != "i":
        raise TypeError("is of an int `kth`")
    n = a.shape[axis]
    if a.size > 0 and (np.any(np.asarray(kth) >= n) or np.any(np.asarray(kth) < -n)):
        raise ValueError("kth out of bounds")


@implements("numpy.partition")
def partition(a, kth, axis=-1):
    """Partition an array: cells at ``kth`` as in a sorted array, smaller ones before and larger ones after.

    Parameters
    ----------
    a : array_like
        Numbers.
    kth : int or array_like of int
        Indices along the axis.
    axis : int or None
        The axis; None for all cells.

    Returns
    -------
    numpy.ndarray
        The cells, which are all sorted here. NumPy leaves the order of the others open.

    Raises
    ------
    ValueError
        If there is no such index.

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
    """Indices that would partition an array.

    Parameters
    ----------
    a : array_like
        Numbers.
    kth : int or array_like of int
        Indices along the axis.
    axis : int or None
        The axis; None for all cells.

    Returns
    -------
    numpy.ndarray
        Indices.

    Raises
    ------
    ValueError
        If there is no such index.

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
