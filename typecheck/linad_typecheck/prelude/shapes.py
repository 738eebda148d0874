"""Shapes of arrays."""

from __future__ import annotations

import numpy as np

from . import implements


@implements("numpy.broadcast_shapes")
def broadcast_shapes(*shapes):
    """The shape to which arrays of several shapes broadcast.

    Parameters
    ----------
    *shapes : tuple of int
        Shapes.

    Returns
    -------
    tuple of int
        Their common shape.

    Raises
    ------
    TypeError
        If a size is not an int.
    ValueError
        If sizes differ and neither of them is 1.

    Examples
    --------
    >>> broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    total = ()
    for shape in shapes:
        for size in shape:
            if np.asarray(size).dtype.kind != "i":
                raise TypeError("broadcast_shapes is of tuples of ints")
            if size < 0:
                raise ValueError("negative dimensions are not allowed")
        total = _wider(total, shape) if len(total) >= len(shape) else _wider(shape, total)
    return total


def _wider(a, b):
    """The common shape of two shapes, the longer one first."""
    more = len(a) - len(b)
    total = a[:more]
    for n, m in zip(a[more:], b):
        if n != m and n != 1 and m != 1:
            raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
        total = total + (n if m == 1 else m,)
    return total


@implements("numpy.permute_dims")
def permute_dims(a, axes):
    """An array with its axes in another order.

    Parameters
    ----------
    a : array_like
        The array.
    axes : tuple of int
        The old axis for each new one.

    Returns
    -------
    numpy.ndarray
        A view.

    Examples
    --------
    >>> permute_dims(np.ones((2, 3)), (1, 0)).shape
    (3, 2)
    """
    return np.transpose(a, axes)


@implements("numpy.matrix_transpose", "numpy.linalg.matrix_transpose")
def matrix_transpose(x, /):
    """Transposed matrices.

    Parameters
    ----------
    x : array_like
        Matrices of shape (..., m, n).

    Returns
    -------
    numpy.ndarray
        A view of shape (..., n, m).

    Raises
    ------
    TypeError
        For an array of rank 0 or 1.

    Examples
    --------
    >>> matrix_transpose(np.ones((2, 3))).shape
    (3, 2)
    """
    x = np.asarray(x)
    if x.ndim < 2:
        raise TypeError(f"is of a matrix, not of an array of rank {x.ndim}")
    return np.swapaxes(x, -1, -2)


@implements("numpy.vsplit")
def vsplit(ary, indices_or_sections):
    """Split an array along its first axis.

    Parameters
    ----------
    ary : array_like
        The array.
    indices_or_sections : int or list of int
        The number of parts, or the indices at which to split.

    Returns
    -------
    list of numpy.ndarray
        Views.

    Examples
    --------
    >>> len(vsplit(np.ones((4, 2)), 2))
    2
    """
    return np.split(ary, indices_or_sections, 0)


@implements("numpy.hsplit")
def hsplit(ary, indices_or_sections):
    """Split an array along its second axis, or along its only one.

    Parameters
    ----------
    ary : array_like
        The array.
    indices_or_sections : int or list of int
        The number of parts, or the indices at which to split.

    Returns
    -------
    list of numpy.ndarray
        Views.

    Examples
    --------
    >>> len(hsplit(np.ones(4), 2))
    2
    """
    ary = np.asarray(ary)
    return np.split(ary, indices_or_sections, 0 if ary.ndim == 1 else 1)


@implements("numpy.dsplit")
def dsplit(ary, indices_or_sections):
    """Split an array along its third axis.

    Parameters
    ----------
    ary : array_like
        The array.
    indices_or_sections : int or list of int
        The number of parts, or the indices at which to split.

    Returns
    -------
    list of numpy.ndarray
        Views.

    Examples
    --------
    >>> len(dsplit(np.ones((1, 1, 4)), 2))
    2
    """
    return np.split(ary, indices_or_sections, 2)


@implements("numpy.resize")
def resize(a, new_shape):
    """An array of another shape, filled with repeated copies of an array.

    Parameters
    ----------
    a : array_like
        Cells.
    new_shape : int or tuple of int
        The shape.

    Returns
    -------
    numpy.ndarray
        The array; zeros if ``a`` is empty.

    Raises
    ------
    ValueError
        For a negative size.

    Examples
    --------
    >>> resize(np.array([1.0, 2.0]), (3,))
    array([1., 2., 1.])
    """
    a = np.asarray(a)
    shape = new_shape if isinstance(new_shape, tuple) else (new_shape,)
    total = 1
    for n in shape:
        if n < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
        total = total * n
    if a.size == 0:
        return np.zeros(shape, dtype=a.dtype)
    return a.ravel()[np.arange(total) % a.size].reshape(shape)


@implements("numpy.asarray_chkfinite")
def asarray_chkfinite(a, dtype=None):
    """An array checked to be finite.

    Parameters
    ----------
    a : array_like
        Numbers.
    dtype : dtype, optional
        The dtype.

    Returns
    -------
    numpy.ndarray
        The array itself if it already fits, otherwise a copy.

    Raises
    ------
    ValueError
        If a number is infinite or NaN.

    Examples
    --------
    >>> asarray_chkfinite([1.0, 2.0])
    array([1., 2.])
    """
    a = np.asarray(a) if dtype is None else np.asarray(a, dtype=dtype)
    if a.dtype.kind == "f" and not np.all(np.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a


@implements("numpy.require")
def require(a, dtype=None, requirements=None):
    """An array, in C order if that is required.

    Parameters
    ----------
    a : array_like
        Cells.
    dtype : dtype, optional
        The dtype.
    requirements : str or list of str, optional
        'C', and the requirements that every new array meets: 'W', 'O', 'A' and 'E'.

    Returns
    -------
    numpy.ndarray
        The array itself if it already fits, otherwise a copy.

    Examples
    --------
    >>> require([1.0, 2.0])
    array([1., 2.])
    """
    a = np.asarray(a) if dtype is None else np.asarray(a, dtype=dtype)
    contiguous = False
    if requirements is not None:
        for wanted in requirements:
            if wanted in ("C", "C_CONTIGUOUS", "CONTIGUOUS"):
                contiguous = True
            elif wanted not in ("W", "A", "E", "WRITEABLE", "ALIGNED", "ENSUREARRAY"):
                raise TypeError("takes the requirements 'C', 'W', 'A' and 'E'")
    return np.ascontiguousarray(a) if contiguous else a


@implements("numpy.rollaxis")
def rollaxis(a, axis, start=0):
    """An array with an axis moved before another one.

    Parameters
    ----------
    a : array_like
        Cells.
    axis : int
        The axis to move.
    start : int
        The axis before which it is placed.

    Returns
    -------
    numpy.ndarray
        A view.

    Examples
    --------
    >>> rollaxis(np.zeros((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    a = np.asarray(a)
    axis = axis + a.ndim if axis < 0 else axis
    start = start + a.ndim if start < 0 else start
    return np.moveaxis(a, axis, start - 1 if axis < start else start)
