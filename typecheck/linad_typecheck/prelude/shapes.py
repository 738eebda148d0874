"""Shapes of arrays."""

from __future__ import annotations

import numpy as np

from . import implements


@implements("numpy.broadcast_shapes")
def broadcast_shapes(*shapes):
    """The shape that arrays of several shapes are broadcast to.

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
        Where a size is no int.
    ValueError
        Where sizes differ and none of them is 1.

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
    """The common shape of two, the longer one first."""
    more = len(a) - len(b)
    total = a[:more]
    for n, m in zip(a[more:], b):
        if n != m and n != 1 and m != 1:
            raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
        total = total + (n if m == 1 else m,)
    return total
