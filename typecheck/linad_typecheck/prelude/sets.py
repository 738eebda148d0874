"""Set operations: the distinct numbers of arrays, sorted."""

from __future__ import annotations

import numpy as np

from . import implements


def _first(s):
    """Whether each cell of a sorted array is the first of its value. All NaNs are one value."""
    new = np.ones(s.shape[0], dtype=bool)
    if s.dtype.kind == "f":
        new[1:] = (s[1:] != s[:-1]) & ~(np.isnan(s[1:]) & np.isnan(s[:-1]))
    else:
        new[1:] = s[1:] != s[:-1]
    return new


@implements("numpy.unique")
def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
    """The sorted distinct numbers of an array. Derivatives flow to the first of equal numbers.

    Parameters
    ----------
    ar : array_like
        Numbers.
    return_index, return_inverse, return_counts : bool
        Whether to also return the index of the first occurrence, the inverse mapping, and the number of occurrences
        of each number; literals.
    axis : None
        Must be None.

    Returns
    -------
    numpy.ndarray or tuple of numpy.ndarray
        The numbers, and the optional results.

    Examples
    --------
    >>> unique(np.array([2.0, 1.0, 2.0]))
    array([1., 2.])
    """
    if axis is not None:
        raise TypeError("is of all cells: leave `axis` out")
    ar = np.asarray(ar)
    cells = ar.ravel()
    order = np.argsort(cells, kind="stable")
    s = cells[order]
    new = _first(s)
    found = s[new]
    if not return_index and not return_inverse and not return_counts:
        return found
    result = (found,)
    if return_index:
        result = (*result, order[new])
    if return_inverse:
        inverse = np.zeros(s.shape[0], dtype=np.int64)
        inverse[order] = np.cumsum(new) - 1
        result = (*result, inverse.reshape(ar.shape))
    if return_counts:
        result = (*result, np.diff(np.append(np.nonzero(new)[0], s.shape[0])))
    return result


@implements("numpy.union1d")
def union1d(ar1, ar2):
    """The sorted union of two arrays.

    Parameters
    ----------
    ar1, ar2 : array_like
        Numbers.

    Returns
    -------
    numpy.ndarray
        The numbers that are in at least one of them.

    Examples
    --------
    >>> union1d(np.array([3, 1]), np.array([2, 1]))
    array([1, 2, 3])
    """
    return unique(np.concatenate((np.asarray(ar1).ravel(), np.asarray(ar2).ravel())))


@implements("numpy.intersect1d")
def intersect1d(ar1, ar2):
    """The sorted intersection of two arrays.

    Parameters
    ----------
    ar1, ar2 : array_like
        Numbers.

    Returns
    -------
    numpy.ndarray
        The numbers that are in both.

    Examples
    --------
    >>> intersect1d(np.array([3, 1, 1]), np.array([2, 1]))
    array([1])
    """
    both = np.sort(np.concatenate((unique(ar1), unique(ar2))))
    return both[:-1][both[1:] == both[:-1]]


@implements("numpy.setdiff1d")
def setdiff1d(ar1, ar2):
    """The sorted difference of two arrays.

    Parameters
    ----------
    ar1, ar2 : array_like
        Numbers.

    Returns
    -------
    numpy.ndarray
        The numbers of ``ar1`` that are not in ``ar2``.

    Examples
    --------
    >>> setdiff1d(np.array([3, 1, 2]), np.array([2]))
    array([1, 3])
    """
    found = unique(ar1)
    return found[~np.isin(found, np.asarray(ar2))]


@implements("numpy.setxor1d")
def setxor1d(ar1, ar2):
    """The sorted symmetric difference of two arrays.

    Parameters
    ----------
    ar1, ar2 : array_like
        Numbers.

    Returns
    -------
    numpy.ndarray
        The numbers that are in exactly one of them.

    Examples
    --------
    >>> setxor1d(np.array([3, 1]), np.array([2, 1]))
    array([2, 3])
    """
    both = np.sort(np.concatenate((unique(ar1), unique(ar2))))
    new = np.concatenate((np.array([True]), both[1:] != both[:-1], np.array([True])))
    return both[new[1:] & new[:-1]] if both.shape[0] > 0 else both
