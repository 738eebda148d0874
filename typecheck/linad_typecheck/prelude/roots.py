"""Roots of functions of one number. The iteration has no derivative: two Newton steps from the root that it finds give
those of the implicit function, up to the third order."""

from __future__ import annotations

import numpy as np

from . import constant, implements, slope_of


def _followed(f, x, args):
    """The root ``x``, which has no derivative, with the derivatives of the root of ``f``."""
    moved = x
    for _ in range(2):
        moved = moved - f(moved, *args) / slope_of(lambda t: f(t, *args))(moved)
    return x + (moved - constant(moved))


@implements("scipy.optimize.brentq")
def brentq(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100, full_output=False, disp=True):
    """Root of a function in an interval, by Brent's method.

    Parameters
    ----------
    f : callable
        Function of a number and of ``args`` that returns a number.
    a, b : float
        The ends of the interval, where ``f`` has different signs.
    args : tuple
        Further arguments of ``f``.
    xtol, rtol : float
        Tolerances of the root: ``xtol + rtol * abs(root)``.
    maxiter : int
        The largest number of iterations.

    Returns
    -------
    float
        The root. Its derivatives are those of the implicit function.

    Raises
    ------
    ValueError
        If ``f`` has one sign at both ends.
    RuntimeError
        After ``maxiter`` iterations.
    TypeError
        For ``full_output``.

    References
    ----------
    R. P. Brent, Algorithms for Minimization Without Derivatives, 1973, chapter 4.

    Examples
    --------
    >>> round(brentq(lambda t: t * t - 2.0, 0.0, 2.0), 9)
    1.414213562
    """
    if full_output:
        raise TypeError("takes no `full_output` here: use the root alone")
    given = args if isinstance(args, tuple) else (args,)
    return _followed(f, constant(_brent(f, 1.0 * a, 1.0 * b, given, xtol, rtol, maxiter)), given)


def _brent(f, a, b, args, xtol, rtol, maxiter):
    """Brent's method: ``x`` is the best approximation, ``last`` the one before, and the root is between ``x`` and
    ``other``."""
    last, x, other = a, b, 0.0
    f_last, f_x, f_other = 1.0 * f(last, *args), 1.0 * f(x, *args), 0.0
    if f_last == 0.0:
        return last
    if f_x == 0.0:
        return x
    if (f_last < 0.0) == (f_x < 0.0):
        raise ValueError("f(a) and f(b) must have different signs")
    before, step = 0.0, 0.0
    for _ in range(maxiter):
        if f_last != 0.0 and f_x != 0.0 and (f_last < 0.0) != (f_x < 0.0):
            other, f_other = last, f_last
            before = step = x - last
        if abs(f_other) < abs(f_x):
            last, x, other = x, other, x
            f_last, f_x, f_other = f_x, f_other, f_x
        delta = (xtol + rtol * abs(x)) / 2.0
        half = (other - x) / 2.0
        if f_x == 0.0 or abs(half) < delta:
            return x
        bisects = True
        if abs(before) > delta and abs(f_x) < abs(f_last):
            if last == other:
                tried = -f_x * (x - last) / (f_x - f_last)
            else:
                d_last = (f_last - f_x) / (last - x)
                d_other = (f_other - f_x) / (other - x)
                tried = -f_x * (f_other * d_other - f_last * d_last) / (d_other * d_last * (f_other - f_last))
            if 2.0 * abs(tried) < min(abs(before), 3.0 * abs(half) - delta):
                before, step, bisects = step, tried, False
        if bisects:
            before = step = half
        last, f_last = x, f_x
        if abs(step) > delta:
            x = x + step
        else:
            x = x + (delta if half > 0.0 else -delta)
        f_x = 1.0 * f(x, *args)
    raise RuntimeError("Failed to converge: the largest number of iterations is reached")


@implements("scipy.optimize.bisect")
def bisect(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100, full_output=False, disp=True):
    """Root of a function in an interval, by bisection.

    Parameters
    ----------
    f : callable
        Function of a number and of ``args`` that returns a number.
    a, b : float
        The ends of the interval, where ``f`` has different signs.
    args : tuple
        Further arguments of ``f``.
    xtol, rtol : float
        Tolerances of the root: ``xtol + rtol * abs(root)``.
    maxiter : int
        The largest number of iterations.

    Returns
    -------
    float
        The root. Its derivatives are those of the implicit function.

    Raises
    ------
    ValueError
        If ``f`` has one sign at both ends.
    RuntimeError
        After ``maxiter`` iterations.
    TypeError
        For ``full_output``.

    Examples
    --------
    >>> round(bisect(lambda t: t * t - 2.0, 0.0, 2.0), 9)
    1.414213562
    """
    if full_output:
        raise TypeError("takes no `full_output` here: use the root alone")
    given = args if isinstance(args, tuple) else (args,)
    return _followed(f, constant(_bisected(f, 1.0 * a, 1.0 * b, given, xtol, rtol, maxiter)), given)


def _bisected(f, a, b, args, xtol, rtol, maxiter):
    f_a, f_b = 1.0 * f(a, *args), 1.0 * f(b, *args)
    if f_a == 0.0:
        return a
    if f_b == 0.0:
        return b
    if (f_a < 0.0) == (f_b < 0.0):
        raise ValueError("f(a) and f(b) must have different signs")
    width = b - a
    for _ in range(maxiter):
        width = 0.5 * width
        middle = a + width
        f_m = 1.0 * f(middle, *args)
        if (f_m < 0.0) == (f_a < 0.0):
            a = middle
        if f_m == 0.0 or abs(width) < xtol + rtol * abs(middle):
            return middle
    raise RuntimeError("Failed to converge: the largest number of iterations is reached")


@implements("scipy.optimize.newton")
def newton(
    func, x0, fprime=None, args=(), tol=1.48e-08, maxiter=50, fprime2=None, x1=None, rtol=0.0, full_output=False,
    disp=True,
):  # fmt: skip
    """Root of a function near a number, by Newton's, Halley's or the secant method.

    Parameters
    ----------
    func : callable
        Function of a number and of ``args`` that returns a number.
    x0 : float
        Where to start.
    fprime, fprime2 : callable, optional
        The first and the second derivative of ``func``. Without ``fprime``, the secant method is used.
    args : tuple
        Further arguments of the functions.
    tol, rtol : float
        Steps smaller than ``tol + rtol * abs(x)`` end the iteration.
    maxiter : int
        The largest number of iterations.
    x1 : float, optional
        The second point of the secant method.

    Returns
    -------
    float
        The root. Its derivatives are those of the implicit function.

    Raises
    ------
    RuntimeError
        After ``maxiter`` iterations, and where a derivative is zero.
    TypeError
        For ``full_output``, without ``disp``, and for arrays.

    Examples
    --------
    >>> round(newton(lambda t: t * t - 2.0, 1.0), 9)
    1.414213562
    """
    if full_output or not disp:
        raise TypeError("takes no `full_output` and `disp` here: use the root alone")
    if not isinstance(x0, (float, int)):
        raise TypeError("is of a number `x0` here: call it for each cell")
    given = args if isinstance(args, tuple) else (args,)
    if fprime is None:
        second = _second(1.0 * x0) if x1 is None else 1.0 * x1
        return _followed(func, constant(_secant(func, 1.0 * x0, second, given, tol, rtol, maxiter)), given)
    if fprime2 is None:
        return _followed(func, constant(_newton(func, fprime, 1.0 * x0, given, tol, rtol, maxiter)), given)
    return _followed(func, constant(_halley(func, fprime, fprime2, 1.0 * x0, given, tol, rtol, maxiter)), given)


def _second(x):
    moved = x * 1.0001
    return moved + 1e-4 if moved >= 0.0 else moved - 1e-4


def _secant(f, p, q, args, tol, rtol, maxiter):
    f_p, f_q = 1.0 * f(p, *args), 1.0 * f(q, *args)
    if abs(f_q) < abs(f_p):
        p, q, f_p, f_q = q, p, f_q, f_p
    for _ in range(maxiter):
        if f_q == f_p:
            if q != p:
                raise RuntimeError("Tolerance reached: the function has one value at different points")
            return (p + q) / 2.0
        if abs(f_q) > abs(f_p):
            x = (-f_p / f_q * q + p) / (1.0 - f_p / f_q)
        else:
            x = (-f_q / f_p * p + q) / (1.0 - f_q / f_p)
        if abs(x - q) <= tol + rtol * abs(q):
            return x
        p, f_p = q, f_q
        q = x
        f_q = 1.0 * f(q, *args)
    raise RuntimeError("Failed to converge: the largest number of iterations is reached")


def _newton(f, fprime, x, args, tol, rtol, maxiter):
    for _ in range(maxiter):
        value = 1.0 * f(x, *args)
        if value == 0.0:
            return x
        derivative = fprime(x, *args)
        if derivative == 0.0:
            raise RuntimeError("Derivative was zero. Failed to converge")
        moved = x - value / derivative
        if abs(moved - x) <= tol + rtol * abs(x):
            return moved
        x = moved
    raise RuntimeError("Failed to converge: the largest number of iterations is reached")


def _halley(f, fprime, fprime2, x, args, tol, rtol, maxiter):
    for _ in range(maxiter):
        value = 1.0 * f(x, *args)
        if value == 0.0:
            return x
        derivative = fprime(x, *args)
        if derivative == 0.0:
            raise RuntimeError("Derivative was zero. Failed to converge")
        step = value / derivative
        bend = step * fprime2(x, *args) / derivative / 2.0
        if abs(bend) < 1.0:
            step = step / (1.0 - bend)
        moved = x - step
        if abs(moved - x) <= tol + rtol * abs(x):
            return moved
        x = moved
    raise RuntimeError("Failed to converge: the largest number of iterations is reached")


@implements("scipy.optimize.root_scalar")
def root_scalar(
    f, args=(), method=None, bracket=None, fprime=None, fprime2=None, x0=None, x1=None, xtol=None, rtol=None,
    maxiter=None, options=None,
):  # fmt: skip
    """Root of a function of one number: by `brentq` in a ``bracket``, by `newton` from ``x0``.

    Parameters
    ----------
    f : callable
        Function of a number and of ``args`` that returns a number.
    args : tuple
        Further arguments of ``f``.
    bracket : sequence of float, optional
        The ends of the interval, where ``f`` has different signs.
    fprime, fprime2 : callable, optional
        The first and the second derivative of ``f``.
    x0, x1 : float, optional
        Where to start.
    xtol, rtol : float, optional
        Tolerances of the root.
    maxiter : int, optional
        The largest number of iterations.

    Returns
    -------
    RootResults
        ``root``, with the derivatives of the implicit function, and ``converged``, which is True.

    Raises
    ------
    RuntimeError
        If the method does not converge, where SciPy says so in ``converged``.
    TypeError
        For ``options``, and for ``fprime=True``, by which ``f`` also returns its derivative.

    Examples
    --------
    >>> round(root_scalar(lambda t: t * t - 2.0, bracket=(0.0, 2.0))[0], 9)
    1.414213562
    """
    if options is not None or isinstance(fprime, bool) or isinstance(fprime2, bool):
        raise TypeError("takes no `options` here, and derivatives as functions of their own")
    given = args if isinstance(args, tuple) else (args,)
    most = 100 if maxiter is None else maxiter
    near = 8.881784197001252e-16 if rtol is None else rtol
    if bracket is not None:
        low, high = bracket
        return brentq(f, low, high, given, 2e-12 if xtol is None else xtol, near, most), True
    if x0 is None:
        raise TypeError("needs a `bracket` or `x0`")
    width = 1.48e-08 if xtol is None else xtol
    return newton(f, x0, fprime, given, width, most, fprime2, x1, 0.0 if rtol is None else rtol), True


@implements("scipy.optimize.fixed_point")
def fixed_point(func, x0, args=(), xtol=1e-8, maxiter=500, method="del2"):
    """A number that a function maps to itself, by iteration with Aitken's acceleration, or without.

    Parameters
    ----------
    func : callable
        Function of a number and of ``args`` that returns a number.
    x0 : float
        Where to begin.
    args : tuple
        Further arguments of the function.
    xtol : float
        The relative tolerance.
    maxiter : int
        The largest number of iterations.
    method : str
        'del2', which accelerates, or 'iteration'.

    Returns
    -------
    float
        The number, with the derivatives of the implicit function.

    Examples
    --------
    >>> round(float(fixed_point(lambda x: np.cos(x), 0.5)), 6)
    0.739085
    """
    if np.ndim(x0) != 0 or method not in ("del2", "iteration"):
        raise TypeError("is of a number, with `method` 'del2' or 'iteration'")
    found = constant(_fixed(func, 1.0 * x0, args, xtol, maxiter, method))
    return _followed(lambda x, *given: x - func(x, *given), found, args)


def _fixed(func, x, args, xtol, maxiter, method):
    for _ in range(maxiter):
        new = func(x, *args)
        if method == "del2":
            second = func(new, *args)
            bend = second - 2.0 * new + x
            new = second if bend == 0.0 else x - (new - x) ** 2 / bend
        error = new - x if x == 0.0 else (new - x) / x
        x = new
        if abs(error) < xtol:
            return x
    raise RuntimeError("Failed to converge after the iterations that are allowed")
