"""`numpy.poly1d` and `numpy.polynomial.Polynomial`: objects that hold the coefficients of a polynomial.

The functions that make one give its fields in a tuple; the others take an object with these fields. A `poly1d` has the
coefficient of the highest power first; a `Polynomial` that of the lowest, and maps its domain to its window.
"""

from __future__ import annotations

import numpy as np

from . import implements, literal

# ------------------------------------------------------------------------------------------------------- numpy.poly1d


@implements("numpy.poly1d")
def poly1d(c_or_r, r=False, variable=None):
    """Polynomial with coefficients, or with zeros.

    Parameters
    ----------
    c_or_r : array_like
        The coefficients, that of the highest power first, or the zeros.
    r : bool
        Whether these are the zeros.
    variable : str, optional
        Ignored.

    Returns
    -------
    tuple
        The coefficients, without leading zeros.

    Examples
    --------
    >>> poly1d(np.array([0.0, 1.0, 2.0]))[0]
    array([1., 2.])
    """
    c = np.poly(c_or_r) if r else np.atleast_1d(_coefficients(c_or_r))
    if c.ndim > 1:
        raise ValueError("Polynomial must be 1d only.")
    return (_trimmed(c),)


def _coefficients(p):
    """The coefficients of a `poly1d`, or those that are given as numbers."""
    return p.coeffs if hasattr(p, "coeffs") else np.asarray(p)


def _trimmed(p):
    """Coefficients without leading zeros; at least one is kept."""
    p = np.concatenate((np.zeros(max(1 - p.shape[0], 0), dtype=p.dtype), p))
    return p[np.argmax(p != 0) if np.any(p != 0) else p.shape[0] - 1 :].copy()


@implements("numpy.poly1d.__call__")
def value(self, val):
    """The value at a number or at each number of an array.

    >>> float(value(_example(), 2.0))
    5.0
    """
    return np.polyval(self.coeffs, val)


@implements("numpy.poly1d.__array__", "numpy.poly1d.c", "numpy.poly1d.coef", "numpy.poly1d.coefficients")
def coefficients(self):
    """The coefficients.

    >>> coefficients(_example())
    array([2., 1.])
    """
    return self.coeffs


@implements("numpy.poly1d.order", "numpy.poly1d.o", "numpy.poly1d.__len__")
def order(self):
    """The degree.

    >>> order(_example())
    1
    """
    return self.coeffs.shape[0] - 1


@implements("numpy.poly1d.__getitem__")
def item(self, val):
    """The coefficient of a power; 0 for one that does not occur.

    >>> float(item(_example(), 1)), float(item(_example(), 5))
    (2.0, 0.0)
    """
    n = self.coeffs.shape[0]
    there = (val >= 0) & (val < n)
    return self.coeffs[n - 1 - val if there else 0] * (1.0 if there else 0.0)


@implements("numpy.poly1d.deriv")
def deriv(self, m=1):
    """The derivative.

    >>> deriv(_example())[0]
    array([2.])
    """
    return (_trimmed(np.polyder(self.coeffs, m)),)


@implements("numpy.poly1d.integ")
def integ(self, m=1, k=0):
    """The integral.

    >>> integ(_example())[0]
    array([1., 1., 0.])
    """
    return (_trimmed(np.polyint(self.coeffs, m, k)),)


@implements("numpy.poly1d.__add__", "numpy.poly1d.__radd__")
def add(self, other):
    """The sum with a polynomial, a number or coefficients.

    >>> add(_example(), 3.0)[0]
    array([2., 4.])
    """
    return (_trimmed(np.polyadd(self.coeffs, np.atleast_1d(_coefficients(other)))),)


@implements("numpy.poly1d.__sub__")
def sub(self, other):
    """The difference to a polynomial, a number or coefficients.

    >>> sub(_example(), 3.0)[0]
    array([ 2., -2.])
    """
    return (_trimmed(np.polysub(self.coeffs, np.atleast_1d(_coefficients(other)))),)


@implements("numpy.poly1d.__rsub__")
def rsub(self, other):
    """The difference of a polynomial, a number or coefficients to this one.

    >>> rsub(_example(), 3.0)[0]
    array([-2.,  2.])
    """
    return (_trimmed(np.polysub(np.atleast_1d(_coefficients(other)), self.coeffs)),)


@implements("numpy.poly1d.__mul__", "numpy.poly1d.__rmul__")
def mul(self, other):
    """The product with a polynomial, a number or coefficients.

    >>> mul(_example(), 3.0)[0]
    array([6., 3.])
    """
    factor = _coefficients(other)
    return (_trimmed(self.coeffs * factor if factor.ndim == 0 else np.polymul(self.coeffs, factor)),)


@implements("numpy.poly1d.__truediv__")
def divide(self, other):
    """The polynomial, divided by a number.

    >>> divide(_example(), 2.0)[0]
    array([1. , 0.5])
    """
    if hasattr(other, "coeffs") or np.asarray(other).ndim > 0:
        raise TypeError("divides by a number here")
    return (_trimmed(self.coeffs / other),)


@implements("numpy.poly1d.__pow__")
def power(self, val):
    """A power.

    >>> power(_example(), 2)[0]
    array([4., 4., 1.])
    """
    n, c = literal(val), np.ones(1)
    if n < 0:
        raise ValueError("Power to non-negative integers only.")
    for _ in range(n):
        c = np.polymul(c, self.coeffs)
    return (_trimmed(c),)


@implements("numpy.poly1d.__neg__")
def neg(self):
    """The polynomial with the other sign.

    >>> neg(_example())[0]
    array([-2., -1.])
    """
    return (-self.coeffs,)


def _example():
    """The polynomial 2 x + 1, for examples."""
    from collections import namedtuple

    return namedtuple("poly1d", "coeffs")(np.array([2.0, 1.0]))


# --------------------------------------------------------------------------------------- numpy.polynomial.Polynomial


@implements("numpy.polynomial.Polynomial")
def polynomial(coef, domain=None, window=None, symbol="x"):
    """Polynomial with coefficients.

    Parameters
    ----------
    coef : array_like
        The coefficients, that of the lowest power first.
    domain : array_like, optional
        The interval that is mapped to the window; [-1, 1] by default.
    window : array_like, optional
        The interval that the polynomial is written for; [-1, 1] by default.
    symbol : str
        Ignored.

    Returns
    -------
    tuple
        The coefficients, the domain and the window.

    Examples
    --------
    >>> polynomial([1, 2])[0]
    array([1., 2.])
    """
    c = np.atleast_1d(np.asarray(coef))
    if c.ndim > 1:
        raise ValueError("Coefficient array is not 1-d")
    if c.shape[0] == 0:
        raise ValueError("Coefficient array is empty")
    return c if c.dtype.kind == "f" else c.astype(np.float64), _interval(domain), _interval(window)


def _interval(ends):
    ends = np.array([-1.0, 1.0]) if ends is None else np.float64(1.0) * np.asarray(ends)
    if ends.shape[0] != 2:
        raise ValueError("Domain has wrong number of elements.")
    return ends


def _map(old, new):
    """The offset and the factor that map an interval to another one."""
    size = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / size, (new[1] - new[0]) / size


@implements("numpy.polynomial.Polynomial.__array_ufunc__")
def array_ufunc(self):
    """NumPy's numbers and arrays leave operators to the polynomial.

    >>> array_ufunc(_line()) is None
    True
    """
    return None


@implements("numpy.polynomial.Polynomial.__call__")
def value_at(self, arg):
    """The value at a number or at each number of an array.

    >>> float(value_at(_line(), 2.0))
    5.0
    """
    offset, factor = _map(self.domain, self.window)
    return np.polynomial.polynomial.polyval(offset + factor * np.asarray(arg), self.coef)


@implements("numpy.polynomial.Polynomial.degree")
def degree(self):
    """The degree.

    >>> degree(_line())
    1
    """
    return self.coef.shape[0] - 1


@implements("numpy.polynomial.Polynomial.mapparms")
def mapparms(self):
    """The offset and the factor that map the domain to the window.

    >>> tuple(map(float, mapparms(_line())))
    (0.0, 1.0)
    """
    return _map(self.domain, self.window)


@implements("numpy.polynomial.Polynomial.copy")
def copy(self):
    """A copy.

    >>> copy(_line())[0]
    array([1., 2.])
    """
    return self.coef.copy(), self.domain.copy(), self.window.copy()


@implements("numpy.polynomial.Polynomial.deriv")
def derivative(self, m=1):
    """The derivative.

    >>> derivative(_line())[0]
    array([2.])
    """
    factor = _map(self.domain, self.window)[1]
    c = np.polynomial.polynomial.polyder(self.coef, m, factor)
    return c.astype(self.coef.dtype), self.domain, self.window


@implements("numpy.polynomial.Polynomial.integ")
def integral(self, m=1, k=None, lbnd=None):
    """The integral that is 0 at ``lbnd``.

    >>> integral(_line())[0] + 0.0
    array([0., 1., 1.])
    """
    if k is not None:
        raise TypeError("takes no constants here: add them")
    offset, factor = _map(self.domain, self.window)
    low = 0.0 if lbnd is None else offset + factor * lbnd
    c = self.coef
    for _ in range(literal(m)):
        more = c / factor / np.arange(1, c.shape[0] + 1)
        c = np.concatenate((-low * np.polynomial.polynomial.polyval(low, more) * np.ones(1), more))
    return c.astype(self.coef.dtype), self.domain, self.window


@implements("numpy.polynomial.Polynomial.convert")
def convert(self, domain=None, kind=None, window=None):
    """The polynomial for another domain and window.

    >>> convert(_line())[0]
    array([1., 2.])
    """
    if kind is not None:
        raise TypeError("converts to the same kind here")
    domain, window = _interval(domain), _interval(window)
    offset, factor = _map(self.domain, self.window)
    other, times = _map(window, domain)
    line = np.stack((offset + factor * other, factor * times))
    n = self.coef.shape[0]
    c = self.coef[n - 1 :]
    for k in range(n - 2, -1, -1):
        c = np.convolve(c, line)
        c[0] += self.coef[k]
    return _trimmed(c[::-1])[::-1].copy(), domain, window


@implements("numpy.polynomial.Polynomial.fit")
def fit(x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol="x"):
    """Least-squares fit to points. Parameters as of `numpy.polyfit`; the domain is that of the points by default.

    >>> fit(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]), 1)[0].round(6)
    array([3., 2.])
    """
    x = np.float64(1.0) * np.asarray(x)
    if domain is None:
        low, high = np.min(x), np.max(x)
        alone = 1.0 if low == high else 0.0
        domain = np.stack((low - alone, high + alone))
    domain, window = _interval(domain), _interval(window)
    offset, factor = _map(domain, window)
    return np.polynomial.polynomial.polyfit(offset + factor * x, y, deg, rcond, full, w), domain, window


def _other(self, other):
    """The coefficients of another polynomial, or those that are given as numbers."""
    if not hasattr(other, "coef"):
        return np.atleast_1d(np.asarray(other))
    if np.any(self.domain != other.domain):
        raise TypeError("Domains differ")
    if np.any(self.window != other.window):
        raise TypeError("Windows differ")
    return other.coef


@implements("numpy.polynomial.Polynomial.__add__", "numpy.polynomial.Polynomial.__radd__")
def plus(self, other):
    """The sum with a polynomial, a number or coefficients.

    >>> plus(_line(), 3.0)[0]
    array([4., 2.])
    """
    return np.polynomial.polynomial.polyadd(self.coef, _other(self, other)), self.domain, self.window


@implements("numpy.polynomial.Polynomial.__sub__")
def minus(self, other):
    """The difference to a polynomial, a number or coefficients.

    >>> minus(_line(), 3.0)[0]
    array([-2.,  2.])
    """
    return np.polynomial.polynomial.polysub(self.coef, _other(self, other)), self.domain, self.window


@implements("numpy.polynomial.Polynomial.__rsub__")
def from_other(self, other):
    """The difference of a polynomial, a number or coefficients to this one.

    >>> from_other(_line(), 3.0)[0]
    array([ 2., -2.])
    """
    return np.polynomial.polynomial.polysub(_other(self, other), self.coef), self.domain, self.window


@implements("numpy.polynomial.Polynomial.__mul__", "numpy.polynomial.Polynomial.__rmul__")
def times(self, other):
    """The product with a polynomial, a number or coefficients.

    >>> times(_line(), 3.0)[0]
    array([3., 6.])
    """
    return np.polynomial.polynomial.polymul(self.coef, _other(self, other)), self.domain, self.window


@implements("numpy.polynomial.Polynomial.__truediv__")
def over(self, other):
    """The polynomial, divided by a number.

    >>> over(_line(), 2.0)[0]
    array([0.5, 1. ])
    """
    if hasattr(other, "coef") or np.asarray(other).ndim > 0:
        raise TypeError("divides by a number")
    return self.coef / other, self.domain, self.window


@implements("numpy.polynomial.Polynomial.__pow__")
def to_power(self, other):
    """A power.

    >>> to_power(_line(), 2)[0]
    array([1., 4., 4.])
    """
    n, c = literal(other), np.ones(1)
    if n < 0:
        raise ValueError("Power must be a non-negative integer.")
    for _ in range(n):
        c = np.convolve(c, self.coef)
    return c, self.domain, self.window


@implements("numpy.polynomial.Polynomial.__neg__")
def negated(self):
    """The polynomial with the other sign.

    >>> negated(_line())[0]
    array([-1., -2.])
    """
    return -self.coef, self.domain, self.window


def _line():
    """The polynomial 1 + 2 x, for examples."""
    from collections import namedtuple

    ends = np.array([-1.0, 1.0])
    return namedtuple("Polynomial", "coef domain window")(np.array([1.0, 2.0]), ends, ends)
