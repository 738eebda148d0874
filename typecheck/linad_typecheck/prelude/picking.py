"""Selection of cells by conditions, indices and order, and properties of arrays."""

from __future__ import annotations

import numpy as np

from . import implements


@implements("numpy.compress")
def compress(condition, a, axis=None):
    """The cells of a flattened array, or the parts along an axis, where a condition holds.

    Parameters
    ----------
    condition : array_like
        Array of rank 1, not longer than the number of cells.
    a : array_like
        Cells.
    axis : int, optional
        The axis, a literal; None for a flattened array.

    Returns
    -------
    numpy.ndarray
        The cells or parts where the condition is not 0.

    Examples
    --------
    >>> compress(np.array([True, False, True]), np.array([1.0, 2.0, 3.0]))
    array([1., 3.])
    """
    condition = np.asarray(condition)
    if condition.ndim != 1:
        raise TypeError("is of a condition of rank 1")
    kept = np.nonzero(condition)[0]
    return np.asarray(a).ravel()[kept] if axis is None else np.take(np.asarray(a), kept, axis=axis)


@implements("numpy.extract")
def extract(condition, arr):
    """The cells of an array where a condition of the same shape holds.

    Parameters
    ----------
    condition : array_like
        Array with as many cells as ``arr``.
    arr : array_like
        Cells.

    Returns
    -------
    numpy.ndarray
        The cells where the condition is not 0.

    Examples
    --------
    >>> extract(np.array([True, False]), np.array([1.0, 2.0]))
    array([1.])
    """
    return np.asarray(arr).ravel()[np.nonzero(np.asarray(condition).ravel())[0]]


@implements("numpy.argwhere")
def argwhere(a):
    """Indices of the cells that are not 0, one row per cell.

    Parameters
    ----------
    a : array_like
        Array of rank 1 or more.

    Returns
    -------
    numpy.ndarray
        Ints, of shape (n, a.ndim).

    Examples
    --------
    >>> argwhere(np.array([0.0, 2.0, 3.0]))
    array([[1],
           [2]])
    """
    a = np.asarray(a)
    if a.ndim == 0:
        raise TypeError("is of arrays of rank 1 or more")
    return np.stack(np.nonzero(a), axis=1)


@implements("numpy.select")
def select(condlist, choicelist, default=0):
    """Cells chosen by the first condition that holds.

    Parameters
    ----------
    condlist : list of array_like
        Conditions: arrays of bools.
    choicelist : list of array_like
        The values where the conditions hold.
    default : array_like
        The value where no condition holds.

    Returns
    -------
    numpy.ndarray
        The cells.

    Raises
    ------
    TypeError
        For lists that are not displays or differ in length, and for conditions that are not bools.

    Examples
    --------
    >>> select([np.array([True, False])], [np.array([1.0, 2.0])], 5.0)
    array([1., 5.])
    """
    if not isinstance(condlist, (list, tuple)) or not isinstance(choicelist, (list, tuple)):
        raise TypeError("takes a list of conditions and one of as many values, written out")
    if len(condlist) != len(choicelist) or len(condlist) == 0:
        raise TypeError("takes a list of conditions and one of as many values, written out")
    value = default
    for c, v in zip(condlist[::-1], choicelist[::-1]):
        if np.asarray(c).dtype != bool:
            raise TypeError("is of conditions that are bools: compare, `c != 0`")
        value = np.where(c, v, value)
    return value


@implements("numpy.choose")
def choose(a, choices, out=None, mode="raise"):
    """Cells chosen from several arrays by an array of indices.

    Parameters
    ----------
    a : array_like of ints or bools
        For each cell, the number of the array to take it from.
    choices : list of array_like
        The arrays, or numbers.
    mode : {"raise", "clip", "wrap"}
        What is done with numbers outside of ``choices``.

    Returns
    -------
    numpy.ndarray
        The cells.

    Raises
    ------
    ValueError
        For numbers outside of ``choices``, if ``mode`` is "raise".
    TypeError
        For ``out``, and for indices that are floats.

    Examples
    --------
    >>> choose(np.array([1, 0]), [np.array([1.0, 2.0]), 5.0])
    array([5., 2.])
    """
    if out is not None:
        raise TypeError("takes no `out`: assign the result")
    if np.asarray(a).dtype.kind not in "iub":
        raise TypeError("is of indices that are ints or bools")
    at = np.asarray(a) * 1
    if mode == "wrap":
        at = at % len(choices)
    elif mode == "raise" and np.any((at < 0) | (at >= len(choices))):
        raise ValueError("invalid entry in choice array")
    value = choices[0]
    for k in range(1, len(choices)):
        value = np.where(at >= k, choices[k], value)
    return np.where(at >= 0, value, value)


@implements("numpy.array_equal")
def array_equal(a1, a2):
    """Whether two arrays have the same shape and equal cells.

    Parameters
    ----------
    a1, a2 : array_like
        Arrays.

    Returns
    -------
    bool
        Whether they are equal. A NaN is not equal to itself.

    Examples
    --------
    >>> array_equal(np.array([1.0]), np.array([1.0, 1.0]))
    False
    """
    a1, a2 = np.asarray(a1), np.asarray(a2)
    if a1.ndim != a2.ndim:
        return False
    for k in range(a1.ndim):
        if a1.shape[k] != a2.shape[k]:
            return False
    return bool(np.all(a1 == a2))


@implements("numpy.allclose")
def allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether all cells of two arrays are close to each other.

    Parameters
    ----------
    a, b : array_like
        Arrays that broadcast.
    rtol, atol : float
        The difference may be ``atol + rtol * abs(b)``.
    equal_nan : bool
        Whether a NaN is close to a NaN.

    Returns
    -------
    bool
        Whether they are close.

    Examples
    --------
    >>> allclose(np.array([1.0]), np.array([1.0 + 1e-9]))
    True
    """
    a, b = np.asarray(a), np.asarray(b)
    close = (a == b) | (np.abs(a - b) <= atol + rtol * np.abs(b)) & np.isfinite(b)
    return bool(np.all(close | np.isnan(a) & np.isnan(b) if equal_nan else close))


@implements("numpy.isin")
def isin(element, test_elements, assume_unique=False, invert=False):
    """Whether each cell of an array occurs in another one.

    Parameters
    ----------
    element : array_like
        Cells.
    test_elements : array_like
        The cells to look for.
    assume_unique : bool
        Ignored.
    invert : bool
        Whether to invert the result.

    Returns
    -------
    numpy.ndarray
        Bools, of the shape of ``element``.

    Examples
    --------
    >>> isin(np.array([1, 5]), np.array([5, 7]))
    array([False,  True])
    """
    found = np.any(np.asarray(element)[..., None] == np.asarray(test_elements).ravel(), axis=-1)
    return np.logical_not(found) if invert else found


@implements("numpy.insert")
def insert(arr, obj, values, axis=None):
    """An array with cells inserted before the given indices.

    Parameters
    ----------
    arr : array_like
        Cells.
    obj : int or array_like
        Indices of ``arr``: an int, or an array of rank 1 of them.
    values : array_like
        What is inserted, of the dtype of ``arr``: a number, or one for each index.
    axis : int, optional
        The axis; by default ``arr`` is flattened. For several indices the first one.

    Returns
    -------
    numpy.ndarray
        A new array.

    Raises
    ------
    IndexError
        If an index is out of range.

    Examples
    --------
    >>> insert(np.array([1.0, 2.0]), np.array([0, 2]), np.array([5.0, 6.0]))
    array([5., 1., 2., 6.])
    """
    where = np.asarray(obj)
    if where.ndim == 0:
        return np.insert(arr, obj, values, axis)
    if where.ndim != 1 or where.dtype.kind not in ("i", "u"):
        raise TypeError("is at an int or an array of rank 1 of ints here")
    a = np.asarray(arr).ravel() if axis is None else np.asarray(arr)
    if axis is not None and axis != 0:
        raise TypeError("at several places is along the first axis here")
    v = np.asarray(values).astype(a.dtype)
    if a.ndim == 1:
        if v.ndim > 1:
            raise TypeError("is of numbers, or of an array of rank 1 of them")
        if v.ndim == 1 and v.shape[0] != 1 and where.shape[0] == 1:  # all of them at one place
            where = np.full(v.shape[0], where[0])
        return _inserted(a, where, np.broadcast_to(v, where.shape))
    return _inserted(a, where, np.broadcast_to(v, where.shape + a.shape[1:]))


def _inserted(a, where, v):
    n, m = a.shape[0], where.shape[0]
    if np.any(where > n) or np.any(where < -n):
        raise IndexError("index is out of bounds for the axis that is inserted into")
    at = np.where(where < 0, where + n, where)
    order = np.argsort(at, kind="stable")
    made = np.zeros((n + m,) + a.shape[1:], dtype=a.dtype)
    taken = np.zeros(n + m, dtype=np.bool_)
    for j in range(m):
        place = at[order[j]] + j
        taken[place] = True
        made[place] = v[order[j]]
    i = 0
    for place in range(n + m):
        if not taken[place]:
            made[place] = a[i]
            i += 1
    return made


@implements("numpy.delete")
def delete(arr, obj, axis=None):
    """An array without the cells at the given indices.

    Parameters
    ----------
    arr : array_like
        Cells.
    obj : int or array_like
        Indices of ``arr``: an int, an array of rank 1 of them, or of bools that are True at what is deleted.
    axis : int, optional
        The axis; by default ``arr`` is flattened. For several indices the first one.

    Returns
    -------
    numpy.ndarray
        A new array.

    Raises
    ------
    IndexError
        If an index is out of range.

    Examples
    --------
    >>> delete(np.array([1.0, 2.0, 3.0]), np.array([0, -1]))
    array([2.])
    """
    where = np.asarray(obj)
    if where.ndim == 0:
        return np.delete(arr, obj, axis)
    if where.ndim != 1 or where.dtype.kind not in ("i", "u", "b"):
        raise TypeError("is at an int or an array of rank 1 of ints or bools here")
    a = np.asarray(arr).ravel() if axis is None else np.asarray(arr)
    if axis is not None and axis != 0:
        raise TypeError("at several places is along the first axis here")
    if where.dtype.kind == "b":
        if where.shape[0] != a.shape[0]:
            raise ValueError("boolean array argument obj to delete must be one dimensional and match the axis length")
        return a[np.logical_not(where)]
    return a[_left(where, a.shape[0])]


def _left(where, n):
    left = np.ones(n, dtype=np.bool_)
    for k in where:
        if k >= n or k < -n:
            raise IndexError("index is out of bounds for the axis that is deleted from")
        left[k] = False
    return left


@implements("numpy.trim_zeros")
def trim_zeros(filt, trim="fb", axis=None):
    """A vector without its leading and trailing zeros.

    Parameters
    ----------
    filt : numpy.ndarray
        Numbers, of rank 1.
    trim : str
        "f" for leading and "b" for trailing zeros, or both letters.
    axis : int, optional
        Must be None, 0 or -1.

    Returns
    -------
    numpy.ndarray
        A view.

    Examples
    --------
    >>> trim_zeros(np.array([0.0, 1.0, 0.0, 2.0, 0.0]))
    array([1., 0., 2.])
    """
    if isinstance(filt, (list, tuple)):
        raise TypeError("is of arrays here")
    if filt.ndim != 1 or (axis is not None and axis != 0 and axis != -1):
        raise TypeError("is of arrays of rank 1 here")
    if trim not in ("f", "b", "fb", "bf", "F", "B", "FB", "BF"):
        raise TypeError("takes 'f', 'b' or both")
    some = np.flatnonzero(filt)
    if some.size == 0:
        return filt[:0]
    start = some[0] if trim in ("f", "fb", "bf", "F", "FB", "BF") else 0
    stop = some[-1] + 1 if trim not in ("f", "F") else filt.shape[0]
    return filt[start:stop]


@implements("numpy.row_stack")
def row_stack(tup):
    """The rows of matrices and vectors, one below the other.

    Parameters
    ----------
    tup : sequence of array_like
        Vectors and matrices with rows of one length.

    Returns
    -------
    numpy.ndarray
        A matrix.

    Examples
    --------
    >>> row_stack((np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    array([[1., 2.],
           [3., 4.]])
    """
    return np.vstack(tup)


@implements("numpy.digitize")
def digitize(x, bins, right=False):
    """Indices of the bins to which numbers belong.

    Parameters
    ----------
    x : array_like
        Numbers.
    bins : array_like
        Monotonic edges, of rank 1.
    right : bool
        Whether bins include their right edge instead of the left one, a literal.

    Returns
    -------
    numpy.ndarray
        Ints, of the shape of ``x``.

    Raises
    ------
    ValueError
        If the edges are not monotonic.

    Examples
    --------
    >>> digitize(np.array([0.5, 1.5]), np.array([0.0, 1.0]))
    array([1, 2])
    """
    bins = np.asarray(bins)
    if bins.ndim != 1:
        raise TypeError("is of bins of rank 1")
    falls = np.any(bins[1:] < bins[:-1])
    rising = np.where(falls, bins[::-1], bins)
    if np.any(rising[1:] < rising[:-1]):
        raise ValueError("bins must be monotonically increasing or decreasing")
    found = np.searchsorted(rising, x, side="left" if right else "right")
    return np.where(falls, bins.shape[0] - found, found)


@implements("numpy.lexsort")
def lexsort(keys):
    """Indices that sort by several keys. The last key is the primary one.

    Parameters
    ----------
    keys : tuple of array_like, or array_like
        Arrays of rank 1, the primary key last; or the rows of a matrix.

    Returns
    -------
    numpy.ndarray
        Ints.

    Examples
    --------
    >>> lexsort((np.array([1.0, 0.0, 0.5]), np.array([1.0, 1.0, 0.0])))
    array([2, 1, 0])
    """
    if not isinstance(keys, (list, tuple)) and np.asarray(keys).ndim == 2:
        if keys.shape[0] == 0:
            raise TypeError("need sequence of keys with len > 0 in lexsort")
        order = np.argsort(keys[0], kind="stable")
        for k in range(1, keys.shape[0]):
            order = order[np.argsort(keys[k][order], kind="stable")]
        return order
    if not isinstance(keys, (list, tuple)) or len(keys) == 0:
        raise TypeError("takes a tuple of arrays of rank 1, the most important one last")
    for k in range(len(keys)):
        if np.asarray(keys[k]).ndim != 1:
            raise TypeError("takes a tuple of arrays of rank 1, the most important one last")
    order = np.argsort(keys[0], kind="stable")
    for key in keys[1:]:
        order = order[np.argsort(key[order], kind="stable")]
    return order


@implements("numpy.nanargmax")
def nanargmax(a, axis=None, *, keepdims=False):
    """Index of the largest cell that is not NaN.

    Parameters
    ----------
    a : array_like
        Numbers.
    axis : int, optional
        The axis; by default the array is flattened.
    keepdims : bool
        Whether the reduced axis is kept with size 1.

    Returns
    -------
    int or numpy.ndarray
        Indices.

    Raises
    ------
    ValueError
        If all cells are NaN.

    Examples
    --------
    >>> int(nanargmax(np.array([1.0, np.nan, 3.0])))
    2
    """
    a = np.asarray(a)
    if a.dtype.kind != "f":
        return np.argmax(a, axis=axis, keepdims=keepdims)
    nans = np.isnan(a)
    if np.any(np.all(nans, axis=axis)):
        raise ValueError("All-NaN slice encountered")
    return np.argmax(np.where(nans, -np.inf, a), axis=axis, keepdims=keepdims)


@implements("numpy.nanargmin")
def nanargmin(a, axis=None, *, keepdims=False):
    """Index of the smallest cell that is not NaN.

    Parameters
    ----------
    a : array_like
        Numbers.
    axis : int, optional
        The axis; by default the array is flattened.
    keepdims : bool
        Whether the reduced axis is kept with size 1.

    Returns
    -------
    int or numpy.ndarray
        Indices.

    Raises
    ------
    ValueError
        If all cells are NaN.

    Examples
    --------
    >>> int(nanargmin(np.array([np.nan, 1.0, 3.0])))
    1
    """
    a = np.asarray(a)
    if a.dtype.kind != "f":
        return np.argmin(a, axis=axis, keepdims=keepdims)
    nans = np.isnan(a)
    if np.any(np.all(nans, axis=axis)):
        raise ValueError("All-NaN slice encountered")
    return np.argmin(np.where(nans, np.inf, a), axis=axis, keepdims=keepdims)


@implements("numpy.piecewise")
def piecewise(x, condlist, funclist):
    """Evaluate a piecewise-defined function: each cell by the function or number of the last condition that holds.

    Parameters
    ----------
    x : array_like
        The arguments.
    condlist : list of bool arrays
        The conditions, each of the shape of ``x``.
    funclist : list of functions or numbers
        One for each condition, and optionally one more for the cells where none holds.

    Returns
    -------
    numpy.ndarray
        Array of the shape of ``x``; zero where no condition holds and there is no default.

    Raises
    ------
    ValueError
        If the numbers of conditions and functions do not fit.

    Examples
    --------
    >>> piecewise(np.array([-1.0, 2.0]), [np.array([True, False]), np.array([False, True])], [lambda v: -v, 3.0])
    array([1., 3.])
    """
    conditions = condlist if isinstance(condlist, (list, tuple)) else [condlist]
    if len(funclist) not in (len(conditions), len(conditions) + 1):
        raise ValueError("with each condition comes a function, and one more may be the default")
    cells = np.atleast_1d(x)
    made = np.zeros_like(cells)
    rest = np.ones(cells.shape, dtype=bool)
    for k in range(len(conditions)):
        rest = rest & np.logical_not(conditions[k])
    for k in range(len(funclist)):
        mask = rest if k == len(conditions) else np.atleast_1d(conditions[k])
        f = funclist[k]
        if callable(f):
            made[mask] = f(cells[mask])
        else:
            made[mask] = f
    return made if np.ndim(x) > 0 else made[0]
