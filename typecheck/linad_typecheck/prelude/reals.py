"""Functions of complex numbers, restricted to the real numbers that linad has."""

from __future__ import annotations

import numpy as np

from . import implements


@implements("numpy.real")
def real(val):
    """The real part, which is the array itself.

    >>> real(np.array([1.0]))
    array([1.])
    """
    return val


@implements("numpy.imag")
def imag(val):
    """The imaginary part: zeros.

    >>> imag(np.array([1.0]))
    array([0.])
    """
    return val.imag


@implements("numpy.conj", "numpy.conjugate")
def conjugate(x):
    """The complex conjugate, a copy of the array.

    >>> conjugate(np.array([1.0]))
    array([1.])
    """
    return +x


@implements("numpy.isreal")
def isreal(x):
    """Whether cells have no imaginary part: True for all.

    >>> isreal(np.array([1.0]))
    array([ True])
    """
    x = np.asarray(x)
    if x.ndim == 0:
        raise TypeError("is of arrays of rank 1 or more")
    return np.zeros_like(x) == 0


@implements("numpy.iscomplex")
def iscomplex(x):
    """Whether cells have an imaginary part: False for all.

    >>> iscomplex(np.array([1.0]))
    array([False])
    """
    x = np.asarray(x)
    if x.ndim == 0:
        raise TypeError("is of arrays of rank 1 or more")
    return np.zeros_like(x) != 0


@implements("numpy.angle")
def angle(z):
    """The argument of numbers in the complex plane: pi for negative numbers, and 0 for others.

    >>> angle(np.array([1.0, -1.0]))
    array([0.        , 3.14159265])
    """
    return np.where(np.isnan(z), z, 0.5 * np.pi - np.copysign(0.5 * np.pi, z))
