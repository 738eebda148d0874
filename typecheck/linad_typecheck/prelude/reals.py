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


@implements("numpy.real_if_close")
def real_if_close(a, tol=100):
    """Numbers that are real anyway.

    >>> real_if_close(np.array([1.0]))
    array([1.])
    """
    return np.asanyarray(a)


@implements("numpy.sort_complex")
def sort_complex(a):
    """Sorted cells, as complex numbers.

    >>> sort_complex(np.array([2.0, 1.0])).real
    array([1., 2.])
    """
    return np.sort(a) + 0j


@implements("numpy.angle")
def angle(z):
    """The argument of numbers in the complex plane: pi for negative numbers, and 0 for others.

    >>> angle(np.array([1.0, -1.0]))
    array([0.        , 3.14159265])
    """
    return np.where(np.isnan(z), z, 0.5 * np.pi - np.copysign(0.5 * np.pi, z))


# `np.emath` is real where the arguments allow it. That is known at run time only, so that a complex result raises.


@implements("numpy.emath.sqrt", "numpy.lib.scimath.sqrt")
def sqrt(x):
    """Square root of numbers that are not negative.

    >>> float(sqrt(4.0))
    2.0
    """
    if np.any(np.asarray(x) < 0.0):
        raise ValueError("a result of `np.emath.sqrt` is complex: convert the argument, `x + 0j`, or test it before")
    return np.sqrt(x)


@implements("numpy.emath.log", "numpy.lib.scimath.log")
def log(x):
    """Logarithm of numbers that are not negative.

    >>> float(log(1.0))
    0.0
    """
    if np.any(np.asarray(x) < 0.0):
        raise ValueError("a result of `np.emath.log` is complex: convert the argument, `x + 0j`, or test it before")
    return np.log(x)


@implements("numpy.emath.log2", "numpy.lib.scimath.log2")
def log2(x):
    """Logarithm to base 2 of numbers that are not negative.

    >>> float(log2(8.0))
    3.0
    """
    if np.any(np.asarray(x) < 0.0):
        raise ValueError("a result of `np.emath.log2` is complex: convert the argument, `x + 0j`, or test it before")
    return np.log2(x)


@implements("numpy.emath.log10", "numpy.lib.scimath.log10")
def log10(x):
    """Logarithm to base 10 of numbers that are not negative.

    >>> float(log10(100.0))
    2.0
    """
    if np.any(np.asarray(x) < 0.0):
        raise ValueError("a result of `np.emath.log10` is complex: convert the argument, `x + 0j`, or test it before")
    return np.log10(x)


@implements("numpy.emath.arcsin", "numpy.lib.scimath.arcsin")
def arcsin(x):
    """Inverse sine of numbers from -1 to 1.

    >>> float(arcsin(0.0))
    0.0
    """
    if np.any(np.abs(np.asarray(x)) > 1.0):
        raise ValueError("a result of `np.emath.arcsin` is complex: convert the argument, `x + 0j`, or test it before")
    return np.arcsin(x)


@implements("numpy.emath.arccos", "numpy.lib.scimath.arccos")
def arccos(x):
    """Inverse cosine of numbers from -1 to 1.

    >>> float(arccos(1.0))
    0.0
    """
    if np.any(np.abs(np.asarray(x)) > 1.0):
        raise ValueError("a result of `np.emath.arccos` is complex: convert the argument, `x + 0j`, or test it before")
    return np.arccos(x)


@implements("numpy.emath.arctanh", "numpy.lib.scimath.arctanh")
def arctanh(x):
    """Inverse hyperbolic tangent of numbers from -1 to 1.

    >>> float(arctanh(0.0))
    0.0
    """
    if np.any(np.abs(np.asarray(x)) > 1.0):
        raise ValueError("a result of `np.emath.arctanh` is complex: convert the argument, `x + 0j`, or test it before")
    return np.arctanh(x)
