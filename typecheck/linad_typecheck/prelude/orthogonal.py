"""Orthogonal polynomials by their three-term recurrences: values, series (`numpy.polynomial`) and their matrices.

The polynomials of a family satisfy ``P[i] = _factor(i, x) * P[i - 1] - _share(i) * P[i - 2]``, with ``P[0] = 1`` (NIST
Digital Library of Mathematical Functions, 18.9). Powers are the family without a share. Series are summed by Clenshaw's
recurrence (Clenshaw 1955).
"""

from __future__ import annotations

import numpy as np

from . import elementwise, implements


def _factor(family, i, x, alpha=0.0):
    if family == "T":
        return x if i == 1 else 2.0 * x
    if family == "P":
        return x * ((2.0 * i - 1.0) / i)
    if family == "L":
        return (2.0 * i - 1.0 + alpha - x) / i
    if family == "C":
        return 2.0 * (i - 1.0 + alpha) / i * x
    return 2.0 * x if family in ("H", "U") else x


def _share(family, i, alpha=0.0):
    if family in ("P", "L"):
        return (i - 1.0 + alpha) / i
    if family == "C":
        return (i - 2.0 + 2.0 * alpha) / i
    if family in ("H", "He"):
        return (2.0 if family == "H" else 1.0) * (i - 1.0)
    return 1.0


# -------------------------------------------------------------------------------------------------------------- series


def _summed(family, x, c, tensor):
    """The sum of a series; the coefficients are along the first axis."""
    c = np.atleast_1d(np.asarray(c))
    if c.dtype.kind not in "fc":
        c = c.astype(np.float64)
    x = np.asarray(x) if isinstance(x, (tuple, list)) else x
    if tensor:
        c = c.reshape(c.shape + (1,) * np.ndim(x))
    if family == "x":
        value = c[-1] + x * 0.0
        for i in range(c.shape[0] - 1, 0, -1):
            value = c[i - 1] + x * value
        return value
    if c.shape[0] == 0:
        raise IndexError("index -2 is out of bounds for axis 0 with size 0")
    c = np.concatenate((c, np.zeros((max(2 - c.shape[0], 0),) + c.shape[1:], dtype=c.dtype)))
    last = c.shape[0] - 1
    value = c[last] + (np.zeros_like(x) if np.ndim(x) else 0.0)
    above = np.zeros_like(value) if np.ndim(value) else 0.0
    for i in range(last, 0, -1):
        below = c[i - 1] + _factor(family, i, x) * value - _share(family, i + 1) * above
        above = value
        value = below
    return value


@implements("numpy.polynomial.polynomial.polyval")
def polyval(x, c, tensor=True):
    """Value of a polynomial, with the coefficient of the lowest power first.

    Parameters
    ----------
    x : array_like
        Places.
    c : array_like
        Coefficients along the first axis; further axes hold further polynomials.
    tensor : bool
        Whether each polynomial is evaluated at each place; otherwise they are broadcast. A literal.

    Returns
    -------
    float or numpy.ndarray
        The values.

    Examples
    --------
    >>> float(polyval(2.0, np.array([1.0, 2.0, 3.0])))
    17.0
    """
    return _summed("x", x, c, tensor)


@implements("numpy.polynomial.chebyshev.chebval")
def chebval(x, c, tensor=True):
    """Value of a series of Chebyshev polynomials of the first kind. Parameters as of `polyval`.

    >>> float(chebval(0.5, np.array([1.0, 2.0, 3.0])))
    0.5
    """
    return _summed("T", x, c, tensor)


@implements("numpy.polynomial.legendre.legval")
def legval(x, c, tensor=True):
    """Value of a series of Legendre polynomials. Parameters as of `polyval`.

    >>> float(legval(0.5, np.array([1.0, 2.0, 3.0])))
    1.625
    """
    return _summed("P", x, c, tensor)


@implements("numpy.polynomial.hermite.hermval")
def hermval(x, c, tensor=True):
    """Value of a series of physicists' Hermite polynomials. Parameters as of `polyval`.

    >>> float(hermval(0.5, np.array([1.0, 2.0, 3.0])))
    0.0
    """
    return _summed("H", x, c, tensor)


@implements("numpy.polynomial.hermite_e.hermeval")
def hermeval(x, c, tensor=True):
    """Value of a series of probabilists' Hermite polynomials. Parameters as of `polyval`.

    >>> float(hermeval(0.5, np.array([1.0, 2.0, 3.0])))
    -0.25
    """
    return _summed("He", x, c, tensor)


@implements("numpy.polynomial.laguerre.lagval")
def lagval(x, c, tensor=True):
    """Value of a series of Laguerre polynomials. Parameters as of `polyval`.

    >>> float(lagval(0.5, np.array([1.0, 2.0, 3.0])))
    2.375
    """
    return _summed("L", x, c, tensor)


# ------------------------------------------------------------------------------------------------------------ matrices


def _matrix(family, x, deg):
    """The values of the polynomials up to a degree, along a new last axis."""
    if deg < 0:
        raise ValueError("deg must be non-negative")
    x = np.atleast_1d(np.asarray(x))
    if x.dtype.kind not in "fc":
        x = x.astype(np.float64)
    found = np.empty(x.shape + (deg + 1,), dtype=x.dtype)
    found[..., 0] = x * 0.0 + 1.0
    if deg > 0:
        found[..., 1] = _factor(family, 1, x)
    for i in range(2, deg + 1):
        found[..., i] = _factor(family, i, x) * found[..., i - 1]
        if family != "x":
            found[..., i] -= _share(family, i) * found[..., i - 2]
    return found


@implements("numpy.polynomial.polynomial.polyvander")
def polyvander(x, deg):
    """Vandermonde matrix: the powers of numbers along a new last axis.

    Parameters
    ----------
    x : array_like
        Numbers, of any rank.
    deg : int
        The highest power.

    Returns
    -------
    numpy.ndarray
        Array of shape ``x.shape + (deg + 1,)``.

    Raises
    ------
    ValueError
        For a negative degree.

    Examples
    --------
    >>> polyvander(np.array([2.0, 3.0]), 2)
    array([[1., 2., 4.],
           [1., 3., 9.]])
    """
    return _matrix("x", x, deg)


@implements("numpy.polynomial.chebyshev.chebvander")
def chebvander(x, deg):
    """Chebyshev polynomials up to a degree, as `polyvander` gives powers.

    >>> chebvander(np.array([0.5]), 2)
    array([[ 1. ,  0.5, -0.5]])
    """
    return _matrix("T", x, deg)


@implements("numpy.polynomial.legendre.legvander")
def legvander(x, deg):
    """Legendre polynomials up to a degree, as `polyvander` gives powers.

    >>> legvander(np.array([0.5]), 2)
    array([[ 1.   ,  0.5  , -0.125]])
    """
    return _matrix("P", x, deg)


@implements("numpy.polynomial.hermite.hermvander")
def hermvander(x, deg):
    """Physicists' Hermite polynomials up to a degree, as `polyvander` gives powers.

    >>> hermvander(np.array([0.5]), 2)
    array([[ 1.,  1., -1.]])
    """
    return _matrix("H", x, deg)


@implements("numpy.polynomial.hermite_e.hermevander")
def hermevander(x, deg):
    """Probabilists' Hermite polynomials up to a degree, as `polyvander` gives powers.

    >>> hermevander(np.array([0.5]), 2)
    array([[ 1.  ,  0.5 , -0.75]])
    """
    return _matrix("He", x, deg)


@implements("numpy.polynomial.laguerre.lagvander")
def lagvander(x, deg):
    """Laguerre polynomials up to a degree, as `polyvander` gives powers.

    >>> lagvander(np.array([0.5]), 2)
    array([[1.   , 0.5  , 0.125]])
    """
    return _matrix("L", x, deg)


# -------------------------------------------------------------------------------------------------------------- values


@elementwise("scipy.special.eval_chebyt")
def eval_chebyt(n: int, x, /):
    """Chebyshev polynomial of the first kind, of an int degree.

    >>> float(eval_chebyt(2, 0.5))
    -0.5
    """
    return _value("T", abs(n), x)


@elementwise("scipy.special.eval_chebyu")
def eval_chebyu(n: int, x, /):
    """Chebyshev polynomial of the second kind, of an int degree.

    >>> float(eval_chebyu(2, 0.5))
    0.0
    """
    return _value("U", n, x) if n >= 0 else 0.0 if n == -1 else -_value("U", -n - 2, x)


@elementwise("scipy.special.eval_legendre")
def eval_legendre(n: int, x, /):
    """Legendre polynomial of an int degree.

    >>> float(eval_legendre(2, 0.5))
    -0.125
    """
    return _value("P", n if n >= 0 else -n - 1, x)


@elementwise("scipy.special.eval_hermite")
def eval_hermite(n: int, x, /):
    """Physicists' Hermite polynomial of an int degree.

    >>> float(eval_hermite(2, 0.5))
    -1.0
    """
    return _value("H", n, x) if n >= 0 else np.nan * x


@elementwise("scipy.special.eval_hermitenorm")
def eval_hermitenorm(n: int, x, /):
    """Probabilists' Hermite polynomial of an int degree.

    >>> float(eval_hermitenorm(2, 0.5))
    -0.75
    """
    return _value("He", n, x) if n >= 0 else np.nan * x


@elementwise("scipy.special.eval_laguerre")
def eval_laguerre(n: int, x, /):
    """Laguerre polynomial of an int degree.

    >>> float(eval_laguerre(2, 0.5))
    0.125
    """
    return _value("L", n, x) if n >= 0 else 0.0 if x == x else x


@elementwise("scipy.special.eval_genlaguerre")
def eval_genlaguerre(n: int, alpha, x, /):
    """Generalised Laguerre polynomial of an int degree.

    >>> float(eval_genlaguerre(2, 1.0, 0.5))
    1.625
    """
    if alpha <= -1.0:
        return np.nan
    return 0.0 if n < 0 else _recurred("L", n, x, alpha)


@elementwise("scipy.special.eval_gegenbauer")
def eval_gegenbauer(n: int, alpha, x, /):
    """Gegenbauer polynomial of an int degree.

    >>> float(eval_gegenbauer(2, 1.5, 0.5))
    0.375
    """
    if alpha <= -0.5:
        return np.nan
    return 0.0 if n < 0 else _recurred("C", n, x, alpha)


def _value(family, n, x):
    if n == 0:
        return 1.0 if x == x or family == "P" else x
    if abs(x) == np.inf and n > 1:
        if family in ("P", "L"):
            return abs(x) if n % 2 == 0 else x if family == "P" else -x
        return np.nan
    return _recurred(family, n, x, 0.0)


def _recurred(family, n, x, alpha):
    before = 0.0
    value = 1.0
    for i in range(1, n + 1):
        after = _factor(family, i, x, alpha) * value - _share(family, i, alpha) * before
        before = value
        value = after
    return value
