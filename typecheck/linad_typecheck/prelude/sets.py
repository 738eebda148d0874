"""Sets of numbers: the different ones of an array, in order."""

from __future__ import annotations

import numpy as np

from . import implements


def _first(s):
    """Whether each cell of a sorted array is the first one of its value; NaNs are one value."""
    new = np.ones(s.shape[0], dtype=bool)
    if s.dtype.kind == "f":
        new[1:] = (s[1:] != s[:-1]) & ~(np.isnan(s[1:]) & np.isnan(s[:-1]))
    else:
        new[1:] = s[1:] != s[:-1]
    return new


@implements("numpy.unique")
def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
    """The different numbers of an array, in order. Of equal ones the first counts for derivatives.

    Parameters
    ----------
    ar : array_like
        Numbers.
    return_index, return_inverse, return_counts : bool
        Whether the places of the first of each, the places of all among the results, and how often each occurs are
        given, too; literals.
    axis : None
        None.

    Returns
    -------
    numpy.ndarray or tuple of numpy.ndarray
        The numbers, and what else is wanted.

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
    """The different numbers of two arrays, in order.

    Parameters
    ----------
    ar1, ar2 : array_like
        Numbers.

    Returns
    -------
    numpy.ndarray
        Those that are in one of them.

    Examples
    --------
    >>> union1d(np.array([3, 1]), np.array([2, 1]))
    array([1, 2, 3])
    """
    return unique(np.concatenate((np.asarray(ar1).ravel(), np.asarray(ar2).ravel())))


@implements("numpy.intersect1d")
def intersect1d(ar1, ar2):
    """The different numbers that two arrays have, in order.

    Parameters
    ----------
    ar1, ar2 : array_like
        Numbers.

    Returns
    -------
    numpy.ndarray
        Those that are in both.

    Examples
    --------
    >>> intersect1d(np.array([3, 1, 1]), np.array([2, 1]))
    array([1])
    """
    both = np.sort(np.concatenate((unique(ar1), unique(ar2))))
    return both[:-1][both[1:] == both[:-1]]


@implements("numpy.setdiff1d")
def setdiff1d(ar1, ar2):
    """The different numbers of an array that another one does not have, in order.

    Parameters
    ----------
    ar1, ar2 : array_like
        Numbers.

    Returns
    -------
    numpy.ndarray
        Those of ``ar1`` that are not in ``ar2``.

    Examples
    --------
    >>> setdiff1d(np.array([3, 1, 2]), np.array([2]))
    array([1, 3])
    """
    found = unique(ar1)
    return found[~np.isin(found, np.asarray(ar2))]


@implements("numpy.setxor1d")
def setxor1d(ar1, ar2):
    """The different numbers that one of two arrays has and the other has not, in order.

    Parameters
    ----------
    ar1, ar2 : array_like
        Numbers.

    Returns
    -------
    numpy.ndarray
        Those that are in one of them only.

    Examples
    --------
    >>> setxor1d(np.array([3, 1]), np.array([2, 1]))
    array([2, 3])
    """
    both = np.sort(np.concatenate((unique(ar1), unique(ar2))))
    new = np.concatenate((np.array([True]), both[1:] != both[:-1], np.array([True])))
    return both[new[1:] & new[:-1]] if both.shape[0] > 0 else both
