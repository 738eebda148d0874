"""Products of arrays."""

from __future__ import annotations

import numpy as np

from . import implements


@implements("numpy.kron")
def kron(a, b):
    """Kronecker product of arrays of rank 0 to 2.

    Parameters
    ----------
    a, b : array_like
        Arrays of rank 0 to 2. The one of lower rank is treated as a row.

    Returns
    -------
    numpy.ndarray
        Array of the higher rank: every cell of ``a`` times ``b``, with the shape ``(a.shape[0] * b.shape[0], ...)``.

    Raises
    ------
    TypeError
        For arrays of a higher rank.

    Examples
    --------
    >>> kron(np.array([1.0, 10.0]), np.array([2.0, 3.0]))
    array([ 2.,  3., 20., 30.])
    """
    a, b = np.asarray(a), np.asarray(b)
    rank = max(a.ndim, b.ndim)
    if rank == 0:
        return a[()] * b[()]
    if rank == 1:
        a, b = np.atleast_1d(a), np.atleast_1d(b)
        return (a[:, None] * b[None, :]).reshape(a.shape[0] * b.shape[0])
    if rank == 2:
        a, b = np.atleast_2d(a), np.atleast_2d(b)
        return (a[:, None, :, None] * b[None, :, None, :]).reshape(a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])
    raise TypeError("kron is of arrays of rank 0 to 2")
