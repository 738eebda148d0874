"""Minima of functions of one number, by the iterations of SciPy. They have no derivative: two Newton steps for the root
of the derivative, from the minimum that they find, give those of the implicit function."""

from __future__ import annotations

import numpy as np

from . import constant, implements, slope_of


def _followed(f, x, args):
    """The minimum ``x``, which has no derivative, with the derivatives of the root of the derivative of ``f``."""
    slope = slope_of(lambda t: f(t, *args))
    moved = x
    for _ in range(2):
        step = slope(moved) / slope_of(slope)(moved)
        moved = moved - step
    if not abs(constant(moved - x)) <= 1e-2 * (1.0 + abs(x)):
        raise RuntimeError("the minimum is at a bound, or flat: it has no derivative there")
    return x + (moved - constant(moved))


def _parabola(x, second, third, fx, f_second, f_third):
    """The step to the minimum of the parabola through three points, as a numerator and a positive denominator."""
    r = (x - second) * (fx - f_third)
    q = (x - third) * (fx - f_second)
    p = (x - third) * q - (x - second) * r
    q = 2.0 * (q - r)
    if q > 0.0:
        p = -p
    return p, np.abs(q)


@implements("scipy.optimize.minimize_scalar")
def minimize_scalar(fun, bracket=None, bounds=None, args=(), method=None, tol=None, options=None):
    """Minimum of a function of one number, between bounds or by Brent's method.

    Parameters
    ----------
    fun : callable
        Function of a number and of ``args`` that returns a number.
    bracket : tuple, optional
        Two numbers from which to look for a bracket, or three that bracket the minimum.
    bounds : tuple, optional
        The interval.
    args : tuple
        Further arguments of ``fun``.
    method : str, optional
        ``"brent"``, or ``"bounded"`` for bounds.
    tol : float, optional
        Tolerance.

    Returns
    -------
    OptimizeResult
        ``x``, the minimum, with the derivatives of the implicit function; ``fun``, the function there; ``success``,
        which is True, ``nfev`` and ``nit``.

    Raises
    ------
    RuntimeError
        After the largest number of iterations, and for a minimum at a bound.
    TypeError
        For other methods, and for ``options`` other than ``xatol``, ``xtol`` and ``maxiter``.

    References
    ----------
    R. P. Brent, Algorithms for Minimization Without Derivatives, 1973, chapter 5.

    Examples
    --------
    >>> round(float(minimize_scalar(lambda t: (t - 2.0) ** 2, bounds=(0.0, 5.0))[0]), 6)
    2.0
    """
    if options is not None:
        raise TypeError("takes no `options` here: give the tolerance as `tol`")
    given = args if isinstance(args, tuple) else (args,)
    f = lambda t: 1.0 * fun(t, *given)
    if method is None and bounds is not None or method == "bounded" or method == "Bounded":
        found, calls, count = _bounded(f, 1.0 * bounds[0], 1.0 * bounds[1], 1e-5 if tol is None else tol)
    elif method is None or method == "brent" or method == "Brent":
        found, calls, count = _brent(f, bracket, 1.48e-8 if tol is None else tol)
    else:
        raise TypeError("takes the methods 'brent' and 'bounded'")
    x = _followed(fun, constant(found), given)
    return x, f(x), True, calls, count


def _bounded(f, lower, upper, xatol):
    """The minimum between bounds, and the number of calls of ``f``, twice."""
    if not (np.isfinite(lower) and np.isfinite(upper)):
        raise ValueError("Optimization bounds must be finite scalars.")
    if lower > upper:
        raise ValueError("The lower bound exceeds the upper bound.")
    root = np.sqrt(2.2e-16)
    golden_mean = 0.5 * (3.0 - np.sqrt(5.0))
    a, b = lower, upper
    third = a + golden_mean * (b - a)
    second, x = third, third
    rat, e = 0.0, 0.0
    fx = f(x)
    f_third, f_second = fx, fx
    count = 1
    middle = 0.5 * (a + b)
    tol1 = root * np.abs(x) + xatol / 3.0
    while np.abs(x - middle) > 2.0 * tol1 - 0.5 * (b - a):
        golden = True
        if np.abs(e) > tol1:
            golden = False
            p, q = _parabola(x, second, third, fx, f_second, f_third)
            r = e
            e = rat
            if np.abs(p) < np.abs(0.5 * q * r) and p > q * (a - x) and p < q * (b - x):
                rat = p / q
                u = x + rat
                if u - a < 2.0 * tol1 or b - u < 2.0 * tol1:
                    rat = tol1 if middle >= x else -tol1
            else:
                golden = True
        if golden:
            e = a - x if x >= middle else b - x
            rat = golden_mean * e
        size = max(np.abs(rat), tol1)
        u = x + (size if rat >= 0.0 else -size)
        fu = f(u)
        count += 1
        if fu <= fx:
            if u >= x:
                a = x
            else:
                b = x
            third, f_third = second, f_second
            second, f_second = x, fx
            x, fx = u, fu
        else:
            if u < x:
                a = u
            else:
                b = u
            if fu <= f_second or second == x:
                third, f_third = second, f_second
                second, f_second = u, fu
            elif fu <= f_third or third == x or third == second:
                third, f_third = u, fu
        middle = 0.5 * (a + b)
        tol1 = root * np.abs(x) + xatol / 3.0
        if count >= 500:
            raise RuntimeError("Maximum number of function calls reached.")
    return x, count, count


def _bracketed(f, xa, xb):
    """Three numbers that bracket a minimum, the function there, and the number of its calls."""
    fa, fb = f(xa), f(xb)
    if fa < fb:
        xa, xb = xb, xa
        fa, fb = fb, fa
    xc = xb + 1.618034 * (xb - xa)
    fc = f(xc)
    calls, count = 3, 0
    while fc < fb:
        one, other = (xb - xa) * (fb - fc), (xb - xc) * (fb - fa)
        value = other - one
        below = 2e-21 if np.abs(value) < 1e-21 else 2.0 * value
        w = xb - ((xb - xc) * other - (xb - xa) * one) / below
        limit = xb + 110.0 * (xc - xb)
        if count > 1000:
            raise RuntimeError("No valid bracket was found before the iteration limit was reached.")
        count += 1
        calls += 1
        if (w - xc) * (xb - w) > 0.0:
            fw = f(w)
            if fw < fc:
                xa, xb, fa, fb = xb, w, fb, fw
                break
            if fw > fb:
                xc, fc = w, fw
                break
            w = xc + 1.618034 * (xc - xb)
            fw = f(w)
            calls += 1
        elif (w - limit) * (limit - xc) >= 0.0:
            w = limit
            fw = f(w)
        elif (w - limit) * (xc - w) > 0.0:
            fw = f(w)
            if fw < fc:
                xb, xc, fb, fc = xc, w, fc, fw
                w = xc + 1.618034 * (xc - xb)
                fw = f(w)
                calls += 1
        else:
            w = xc + 1.618034 * (xc - xb)
            fw = f(w)
        xa, xb, xc, fa, fb, fc = xb, xc, w, fb, fc, fw
    if not ((fb < fc and fb <= fa) or (fb < fa and fb <= fc)):
        raise RuntimeError("The algorithm terminated without finding a valid bracket.")
    if not ((xa < xb and xb < xc) or (xc < xb and xb < xa)):
        raise RuntimeError("The algorithm terminated without finding a valid bracket.")
    return xa, xb, xc, fb, calls


def _start(f, bracket):
    if bracket is None:
        return _bracketed(f, 0.0, 1.0)
    if len(bracket) == 2:
        return _bracketed(f, 1.0 * bracket[0], 1.0 * bracket[1])
    if len(bracket) != 3:
        raise TypeError("takes a bracket of two or three numbers")
    xa, xb, xc = 1.0 * bracket[0], 1.0 * bracket[1], 1.0 * bracket[2]
    if xa > xc:
        xa, xc = xc, xa
    fb = f(xb)
    if not (xa < xb and xb < xc and fb < f(xa) and fb < f(xc)):
        raise ValueError("Bracketing values (xa, xb, xc) do not bracket a minimum")
    return xa, xb, xc, fb, 3


def _brent(f, bracket, tol):
    """The minimum by Brent's method, and the numbers of calls of ``f`` and of iterations."""
    xa, xb, xc, fx, calls = _start(f, bracket)
    x, second, third = xb, xb, xb
    f_second, f_third = fx, fx
    a, b = min(xa, xc), max(xa, xc)
    e, rat, count = 0.0, 0.0, 0
    while count < 500:
        tol1 = tol * np.abs(x) + 1e-11
        middle = 0.5 * (a + b)
        if np.abs(x - middle) < 2.0 * tol1 - 0.5 * (b - a):
            break
        golden = True
        if np.abs(e) > tol1:
            p, q = _parabola(x, second, third, fx, f_second, f_third)
            r = e
            e = rat
            if p > q * (a - x) and p < q * (b - x) and np.abs(p) < np.abs(0.5 * q * r):
                golden = False
                rat = p / q
                u = x + rat
                if u - a < 2.0 * tol1 or b - u < 2.0 * tol1:
                    rat = tol1 if middle - x >= 0.0 else -tol1
        if golden:
            e = a - x if x >= middle else b - x
            rat = 0.3819660 * e
        if np.abs(rat) < tol1:
            u = x + tol1 if rat >= 0.0 else x - tol1
        else:
            u = x + rat
        fu = f(u)
        calls += 1
        if fu > fx:
            if u < x:
                a = u
            else:
                b = u
            if fu <= f_second or second == x:
                third, f_third = second, f_second
                second, f_second = u, fu
            elif fu <= f_third or third == x or third == second:
                third, f_third = u, fu
        else:
            if u >= x:
                a = x
            else:
                b = x
            third, f_third = second, f_second
            second, f_second = x, fx
            x, fx = u, fu
        count += 1
    return x, calls, count


@implements("scipy.optimize.rosen")
def rosen(x):
    """Rosenbrock's function.

    Parameters
    ----------
    x : array_like
        Numbers, along the first axis.

    Returns
    -------
    float or numpy.ndarray
        The sum over the first axis.

    Examples
    --------
    >>> float(rosen(np.array([1.0, 2.0])))
    100.0
    """
    x = np.asarray(x)
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0, axis=0)
