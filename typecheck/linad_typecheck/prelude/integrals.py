"""Integrals: of sampled functions along an axis, and of functions over an interval."""

from __future__ import annotations

import numpy as np

from . import implements


def _widths(y, x, dx, axis):
    """The distances between sample points, shaped like ``y`` with the axis of integration last."""
    if x is None:
        return dx
    x = np.asarray(x)
    if x.ndim == 1:
        return np.diff(x)
    if x.ndim != y.ndim:
        raise TypeError("is of places `x` of rank 1, or of that of `y`")
    return np.diff(np.moveaxis(x, axis, -1))


@implements("numpy.trapezoid", "numpy.trapz", "scipy.integrate.trapezoid")
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Integral by the trapezoidal rule.

    Parameters
    ----------
    y : array_like
        Samples, of rank 1 or more.
    x : array_like, optional
        The sample points, of rank 1 or of the rank of ``y``.
    dx : float
        The distance between sample points, if ``x`` is not given.
    axis : int
        The axis of integration.

    Returns
    -------
    float or numpy.ndarray
        The integrals.

    Raises
    ------
    TypeError
        For a scalar, and if the ranks of ``x`` and ``y`` do not match.

    Examples
    --------
    >>> float(trapezoid(np.array([1.0, 2.0, 3.0])))
    4.0
    """
    y = np.asarray(y)
    if y.ndim == 0:
        raise TypeError("is of arrays of rank 1 or more")
    y = np.moveaxis(y, axis, -1)
    return np.sum(_widths(y, x, dx, axis) * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)


@implements("scipy.integrate.cumulative_trapezoid")
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    """Cumulative integral by the trapezoidal rule.

    Parameters
    ----------
    y : array_like
        Samples, of rank 1 or more.
    x : array_like, optional
        The sample points, of rank 1 or of the rank of ``y``.
    dx : float
        The distance between sample points, if ``x`` is not given.
    axis : int
        The axis of integration.
    initial : {None, 0}
        With 0, a zero is prepended, so that there are as many integrals as samples.

    Returns
    -------
    numpy.ndarray
        The integrals up to the second sample point and each later one.

    Examples
    --------
    >>> cumulative_trapezoid(np.array([1.0, 2.0, 3.0]), initial=0)
    array([0. , 1.5, 4. ])
    """
    y = np.asarray(y)
    if y.ndim == 0:
        raise TypeError("is of arrays of rank 1 or more")
    if y.shape[axis] == 0:
        raise ValueError("At least one point is required along `axis`.")
    y = np.moveaxis(y, axis, -1)
    found = np.cumsum(_widths(y, x, dx, axis) * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        if initial != 0:
            raise ValueError("`initial` must be `None` or `0`.")
        found = np.concatenate((np.zeros(y.shape[:-1] + (1,), dtype=found.dtype), found), axis=-1)
    return np.moveaxis(found, -1, axis)


@implements("scipy.integrate.simpson")
def simpson(y, x=None, *, dx=1.0, axis=-1):
    """Integral by Simpson's rule, with Cartwright's correction of the last interval if the number of intervals is odd.

    Parameters
    ----------
    y : array_like
        Samples.
    x : array_like, optional
        The sample points, of rank 1.
    dx : float
        The distance between sample points, if ``x`` is not given.
    axis : int
        The axis of ``y``.

    Returns
    -------
    float or ndarray
        The integral, or one for each row, as float64.

    Raises
    ------
    TypeError
        For sample points of another rank.

    Examples
    --------
    >>> float(simpson(np.array([0.0, 1.0, 4.0])))
    2.6666666666666665
    """
    y = np.asarray(y) * 1.0
    y = np.moveaxis(y, axis, -1)
    n = y.shape[-1]
    if n == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    places = np.arange(n).astype(y.dtype) * dx if x is None else np.asarray(x) * 1.0
    if places.ndim != 1:
        raise TypeError("is of places of rank 1")
    if places.shape[0] != n:
        raise ValueError("If given, shape of `x` must be the same as `y`.")
    if y.ndim == 1:
        return _simpson(y * np.float64(1.0), places * np.float64(1.0))
    return _simpson_rows(y.reshape(-1, n) * np.float64(1.0), places * np.float64(1.0)).reshape(y.shape[:-1])


def _simpson_rows(y, x):
    out = np.empty(y.shape[0])
    for k in range(y.shape[0]):
        out[k] = _simpson(y[k], x)
    return out


def _simpson(y, x):
    n = y.shape[0]
    total = np.float64(0.0)
    if n == 2:
        return 0.5 * (x[1] - x[0]) * (y[0] + y[1])
    for k in range(0, n - 2, 2):
        h = x[k + 1] - x[k]
        g = x[k + 2] - x[k + 1]
        total += (h + g) / 6.0 * (y[k] * (2.0 - g / h) + y[k + 1] * (h + g) ** 2 / (h * g) + y[k + 2] * (2.0 - h / g))
    if n % 2 == 0 and n > 2:
        h = x[n - 2] - x[n - 3]
        g = x[n - 1] - x[n - 2]
        total += y[n - 1] * (2.0 * g**2 + 3.0 * h * g) / (6.0 * (h + g))
        total += y[n - 2] * (g**2 + 3.0 * g * h) / (6.0 * h) - y[n - 3] * g**3 / (6.0 * h * (h + g))
    return total


@implements("scipy.integrate.quad")
def quad(func, a, b, args=(), full_output=0, epsabs=1.49e-08, epsrel=1.49e-08, limit=50):
    """Integral of a function over an interval, by Gauss-Kronrod rules on intervals that are halved where the error is
    largest.

    Parameters
    ----------
    func : callable
        Function of a number and of ``args`` that returns a number.
    a, b : float
        The ends of the interval; they may be infinite.
    args : tuple
        Further arguments of ``func``.
    epsabs, epsrel : float
        The absolute and the relative tolerance.
    limit : int
        The largest number of intervals.

    Returns
    -------
    tuple of float
        The integral and an estimate of its error.

    Raises
    ------
    TypeError
        For ``full_output``, ``points`` and ``weight``.

    References
    ----------
    R. Piessens et al., QUADPACK, 1983. The extrapolation of QUADPACK is left out.

    Examples
    --------
    >>> float(round(quad(lambda t: t * t, 0.0, 3.0)[0], 9))
    9.0
    """
    if full_output:
        raise TypeError("takes no `full_output` here: use the integral and its error")
    given = args if isinstance(args, tuple) else (args,)
    if b == np.inf and a == -np.inf:
        return _adaptive(lambda t: _of_both_tails(func, given, t), 0.0, 1.0, epsabs, epsrel, limit, False)
    if b == np.inf:
        return _adaptive(lambda t: func(a + (1.0 - t) / t, *given) / t / t, 0.0, 1.0, epsabs, epsrel, limit, False)
    if a == -np.inf:
        return _adaptive(lambda t: func(b - (1.0 - t) / t, *given) / t / t, 0.0, 1.0, epsabs, epsrel, limit, False)
    return _adaptive(lambda t: func(t, *given), 1.0 * a, 1.0 * b, epsabs, epsrel, limit, True)


def _of_both_tails(func, args, t):
    x = (1.0 - t) / t
    return (func(x, *args) + func(-x, *args)) / t / t


def _adaptive(f, a, b, epsabs, epsrel, limit, finite):
    total, error, within = _kronrod(f, a, b, finite)
    wanted = max(epsabs, epsrel * abs(total))
    if error <= wanted or within:
        return total, error
    wanted, limit = 1e-4 * wanted, 4 * limit  # QUADPACK extrapolates from here on, which gains as much
    lows, highs, parts, errors = np.zeros(limit), np.zeros(limit), np.zeros(limit), np.zeros(limit)
    lows[0] = a
    highs[0] = b
    parts[0] = total
    errors[0] = error
    n = 1
    while n < limit and error > wanted:
        k = np.argmax(errors[:n])
        high = highs[k]
        middle = 0.5 * (lows[k] + high)
        highs[k] = middle
        lows[n] = middle
        highs[n] = high
        for side in range(2):
            i = k if side == 0 else n
            parts[i], errors[i], _ = _kronrod(f, lows[i], highs[i], finite)
        n += 1
        total, error = np.sum(parts[:n]), np.sum(errors[:n])
        wanted = 1e-4 * max(epsabs, epsrel * abs(total))
    return total, error


def _kronrod(f, a, b, finite):
    """The integral over an interval by 21 or 15 points, an estimate of its error, and whether that is rounding."""
    if finite:
        places = np.array([
            0.995657163025808080735527280689003, 0.973906528517171720077964012084452,
            0.930157491355708226001207180059508, 0.865063366688984510732096688423493,
            0.780817726586416897063717578345042, 0.679409568299024406234327365114874,
            0.562757134668604683339000099272694, 0.433395394129247190799265943165784,
            0.294392862701460198131126603103866, 0.148874338981631210884826001129720,
        ])  # fmt: skip
        weights = np.array([
            0.011694638867371874278064396062192, 0.032558162307964727478818972459390,
            0.054755896574351996031381300244580, 0.075039674810919952767043140916190,
            0.093125454583697605535065465083366, 0.109387158802297641899210590325805,
            0.123491976262065851077958109585166, 0.134709217311473325928054001771707,
            0.142775938577060080797094273138717, 0.147739104901338491374841515972068,
        ])  # fmt: skip
        gauss = np.array([
            0.066671344308688137593568809893332, 0.149451349150580593145863396957658,
            0.219086362515982043995534934228163, 0.269266719309996355091226921569469,
            0.295524224714752870173815619188769,
        ])  # fmt: skip
        of_centre, gauss_of_centre = 0.149445554002916905664936468389821, 0.0
    else:
        places = np.array([
            0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
            0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
            0.586087235467691130294144691693067, 0.405845151377397166906606412076961,
            0.207784955007898467600689403773245,
        ])  # fmt: skip
        weights = np.array([
            0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
            0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
            0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
            0.204432940075298892414161999234649,
        ])  # fmt: skip
        gauss = np.array([
            0.129484966168869693270611432679082, 0.279705391489276667901467771423780,
            0.381830050505118944950369775488975,
        ])  # fmt: skip
        of_centre, gauss_of_centre = 0.209482141084727828012999174891714, 0.417959183673469387755102040816327
    centre, half = 0.5 * (a + b), 0.5 * (b - a)
    m = len(places)
    values = np.zeros(2 * m + 1)
    for k in range(2 * m + 1):  # with one call of the function, which may be an integral itself
        values[k] = f(centre + half * (-places[k] if k < m else places[k - m] if k < 2 * m else 0.0))
    below, above, at_centre = values[:m], values[m : 2 * m], values[2 * m]
    whole, rough = of_centre * at_centre, gauss_of_centre * at_centre
    size = of_centre * abs(at_centre)
    for k in range(m):
        whole += weights[k] * (below[k] + above[k])
        size += weights[k] * (abs(below[k]) + abs(above[k]))
        if k % 2 == 1:
            rough += gauss[k // 2] * (below[k] + above[k])
    spread = of_centre * abs(at_centre - 0.5 * whole)
    for k in range(len(places)):
        spread += weights[k] * (abs(below[k] - 0.5 * whole) + abs(above[k] - 0.5 * whole))
    error, size, spread = abs((whole - rough) * half), size * abs(half), spread * abs(half)
    raw = error
    if spread != 0.0 and error != 0.0:
        error = spread * min(1.0, (200.0 * error / spread) ** 1.5)
    if size > 2.2250738585072014e-308 / (50.0 * 2.220446049250313e-16):
        error = max(50.0 * 2.220446049250313e-16 * size, error)
    return whole * half, error, (error <= 100.0 * 2.220446049250313e-16 * size and error > 0.0) or raw == spread


@implements("scipy.integrate.fixed_quad")
def fixed_quad(func, a, b, args=(), n=5):
    """Integral by the Gauss-Legendre rule of ``n`` nodes, with None. The function takes a vector.

    Parameters
    ----------
    func : callable
        Function of a vector and of ``args`` that returns a vector.
    a : float
        The beginning of the interval.
    b : float
        The end of the interval.
    args : tuple
        Further arguments of the function.
    n : int
        The number of nodes.

    Returns
    -------
    tuple
        The integral, and None.

    Examples
    --------
    >>> round(float(fixed_quad(lambda t: t**2, 0.0, 3.0)[0]), 6)
    9.0
    """
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return 0.5 * (b - a) * np.sum(weights * func(0.5 * (b - a) * (nodes + 1.0) + a, *args), axis=-1), None


@implements("scipy.integrate.romb")
def romb(y, dx=1.0):
    """Integral of ``2**k + 1`` samples, by Romberg's extrapolation of trapezoid sums.

    Parameters
    ----------
    y : array_like
        Samples, of rank 1.
    dx : float
        Their distance.

    Returns
    -------
    float
        The integral.

    Examples
    --------
    >>> round(float(romb(np.array([0.0, 1.0, 4.0]))), 6)
    2.666667
    """
    y = np.asarray(y) * np.float64(1.0)
    if y.ndim != 1:
        raise TypeError("is of samples of rank 1")
    n = y.shape[0] - 1
    levels = 0
    while 2**levels < n:
        levels += 1
    if n < 1 or 2**levels != n:
        raise ValueError("Number of samples must be one plus a non-negative power of 2.")
    row = np.zeros(levels + 1)
    step = n
    for k in range(levels + 1):
        above = row.copy()
        row[0] = (np.sum(y[::step]) - 0.5 * (y[0] + y[-1])) * step * dx
        for j in range(1, k + 1):
            row[j] = row[j - 1] + (row[j - 1] - above[j - 1]) / (4.0**j - 1.0)
        step //= 2
    return row[levels]
