"""Roots of systems and least squares. The iteration has no derivative: each step from the solution that it finds, with
the Jacobian held, gives the derivatives of the implicit function one order further, so that three give the third."""

from __future__ import annotations

import numpy as np

from . import constant, implements, jacobian_of, parameter_count


def _vector(v):
    """A number, an array or a list of numbers as an array of at least one axis."""
    return np.atleast_1d(np.asarray(v))


def _followed(f, x):
    """The root ``x`` of ``f``, which has no derivative, with the derivatives of the root."""
    held = constant(jacobian_of(f)(x))
    moved = x
    for _ in range(3):
        moved = moved - np.linalg.solve(held, f(moved))
    return moved


def _least(f, start):
    """The minimum of the sum of the squares of ``f`` near ``start``, by the Levenberg-Marquardt method."""
    x = 1.0 * start
    r = f(x)
    cost = np.sum(r * r)
    damping = 1e-3
    for _ in range(400):
        j = jacobian_of(f)(x)
        squares, slope = j.T @ j, j.T @ r
        if not np.any(slope != 0.0):
            return x
        weights = np.diag(squares) + 1e-12 * np.trace(squares)
        step = np.linalg.solve(squares + damping * np.diag(weights), slope)
        new = f(x - step)
        while not np.sum(new * new) <= cost and damping < 1e12:
            damping = damping * 10.0
            step = np.linalg.solve(squares + damping * np.diag(weights), slope)
            new = f(x - step)
        if not np.sum(new * new) <= cost:
            return x
        x = x - step
        r = new
        cost = np.sum(r * r)
        damping = damping * 0.1
        if np.max(np.abs(step)) <= 1e-10 * np.max(np.abs(x)):
            return x
    raise RuntimeError("Failed to converge: the largest number of iterations is reached")


@implements("scipy.optimize.fsolve")
def fsolve(
    func, x0, args=(), fprime=None, full_output=False, col_deriv=False, xtol=1.49012e-08, maxfev=0, band=None,
    epsfcn=None, factor=100, diag=None,
):  # fmt: skip
    """Root of a system of equations, by the Levenberg-Marquardt method with the exact Jacobian.

    SciPy uses Powell's hybrid method: where there are several roots, it may find another one.

    Parameters
    ----------
    func : callable
        Function of an array ``(n,)`` and of ``args`` that returns `n` numbers.
    x0 : float or ndarray
        Where to start.
    args : tuple
        Further arguments of ``func``.
    fprime : callable, optional
        Not used, like the parameters that are not named here.

    Returns
    -------
    ndarray
        The root. Its derivatives are those of the implicit function. With ``full_output`` also a dict with the values
        there as "fvec", 1, and a text.

    Raises
    ------
    RuntimeError
        If no root is found, where SciPy warns or says so.

    References
    ----------
    D. W. Marquardt, An Algorithm for Least-Squares Estimation of Nonlinear Parameters, 1963.

    Examples
    --------
    >>> fsolve(lambda t: [t[0] * t[1] - 2.0, t[0] - t[1] - 1.0], [1.0, 1.0]).round(6)
    array([2., 1.])
    """
    given = args if isinstance(args, tuple) else (args,)
    root = _root(lambda t: _vector(func(t, *given)), 1.0 * _vector(x0))
    return (root, {"fvec": _vector(func(root, *given))}, 1, "The solution converged.") if full_output else root


def _root(f, start):
    found = constant(_least(f, start))
    value = constant(f(found))
    if not np.max(np.abs(value)) <= 1e-6 * (1.0 + np.max(np.abs(constant(f(start))))):
        raise RuntimeError("Failed to converge: no root is found from here")
    return _followed(f, found)


@implements("scipy.optimize.leastsq")
def leastsq(
    func, x0, args=(), Dfun=None, full_output=False, col_deriv=False, ftol=1.49012e-08, xtol=1.49012e-08, gtol=0.0,
    maxfev=0, epsfcn=None, factor=100, diag=None,
):  # fmt: skip
    """Minimum of a sum of squares, by the Levenberg-Marquardt method.

    Parameters
    ----------
    func : callable
        Function of an array ``(n,)`` and of ``args`` that returns at least `n` numbers, whose squares are added.
    x0 : float or ndarray
        Where to start.
    args : tuple
        Further arguments of ``func``.

    Returns
    -------
    x : ndarray
        Where the sum of squares is least. Its derivatives are those of the implicit function.
    ier : int
        1, for a solution.

    Raises
    ------
    RuntimeError
        If the method does not converge, where SciPy warns.
    TypeError
        For ``full_output``.

    Examples
    --------
    >>> leastsq(lambda t: t * np.array([1.0, 2.0]) - np.array([1.0, 4.0]), 1.0)[0].round(6)
    array([1.8])
    """
    if full_output:
        raise TypeError("takes no `full_output` here: use the minimum alone")
    given = args if isinstance(args, tuple) else (args,)
    return _fitted(lambda t: _vector(func(t, *given)), _vector(x0)), 1


def _fitted(f, start):
    return _followed(lambda t: jacobian_of(f)(t).T @ f(t), constant(_least(f, start)))


def _within(x, bounds):
    """A minimum, which has to be between the bounds."""
    if bounds is None:
        return x
    if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
        raise TypeError("takes bounds as a tuple, the least and the largest values")
    if np.any(x < np.asarray(bounds[0])) or np.any(x > np.asarray(bounds[1])):
        raise RuntimeError("the minimum is outside of the bounds: at a bound it has no derivative")
    return x


@implements("scipy.optimize.curve_fit")
def curve_fit(
    f, xdata, ydata, p0=None, sigma=None, absolute_sigma=False, check_finite=None, bounds=None, method=None, jac=None,
    *, full_output=False, nan_policy=None, x_scale=None, ftol=None, xtol=None, gtol=None, maxfev=None, max_nfev=None,
    epsfcn=None, diff_step=None, verbose=0,
):  # fmt: skip
    """Parameters of a function that fit data best, by least squares.

    Parameters
    ----------
    f : callable
        Function of ``xdata`` and of the parameters, one argument for each.
    xdata, ydata : ndarray
        The data.
    p0 : sequence of float, optional
        Where to start: at ones by default.
    sigma : ndarray, optional
        The uncertainty of each of ``ydata``.
    absolute_sigma : bool
        Whether ``sigma`` is in units of ``ydata``; only ratios of it matter otherwise.
    bounds : tuple, optional
        The least and the largest values of the parameters, between which the minimum has to be.

    Returns
    -------
    popt : ndarray
        The parameters. Their derivatives are those of the implicit function.
    pcov : ndarray
        Their covariance.

    Raises
    ------
    RuntimeError
        If the method does not converge, or finds a minimum outside of the bounds, where SciPy returns one at a bound.
    TypeError
        For a ``sigma`` of two dimensions and ``full_output``.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 3.0])
    >>> curve_fit(lambda x, a, b: a * np.exp(-b * x), x, 2.0 * np.exp(-0.5 * x))[0].round(6)
    array([2. , 0.5])
    """
    if full_output:
        raise TypeError("takes no `full_output` here: use the parameters and their covariance alone")
    if sigma is not None and np.asarray(sigma).ndim > 1:
        raise TypeError("takes one uncertainty for each number here")
    start = np.ones(parameter_count(f) - 1) if p0 is None else _vector(p0)
    weights = 1.0 if sigma is None else 1.0 / np.asarray(sigma)
    r = lambda t: np.ravel((f(xdata, *t) - ydata) * weights)
    popt = _within(_fitted(r, start), bounds)
    j = jacobian_of(r)(popt)
    pcov = np.linalg.inv(j.T @ j)
    if sigma is None or not absolute_sigma:
        pcov = pcov * (np.sum(r(popt) ** 2) / (len(j) - len(popt)))
    return popt, pcov


@implements("scipy.optimize.root")
def root(fun, x0, args=(), method="hybr", jac=None, tol=None, callback=None, options=None):
    """Root of a system of equations, as `fsolve` finds it, whatever the method.

    Parameters
    ----------
    fun : callable
        Function of an array ``(n,)`` and of ``args`` that returns `n` numbers.
    x0 : float or ndarray
        Where to start.
    args : tuple
        Further arguments of ``fun``.

    Returns
    -------
    OptimizeResult
        ``x``, the root, with the derivatives of the implicit function; ``fun``, the function there; ``success``, which
        is True, and ``status``.

    Raises
    ------
    RuntimeError
        If no root is found, where SciPy says so in ``success``.
    TypeError
        For ``jac=True``, by which ``fun`` also returns its Jacobian.

    Examples
    --------
    >>> root(lambda t: t**2 - 4.0, [1.0])[0].round(6)
    array([2.])
    """
    if isinstance(jac, bool) and jac:
        raise TypeError("takes no `jac=True` here: the Jacobian is exact anyway, return the values alone")
    given = args if isinstance(args, tuple) else (args,)
    f = lambda t: _vector(fun(t, *given))
    x = _root(f, 1.0 * _vector(x0))
    return x, f(x), True, 1


@implements("scipy.optimize.least_squares")
def least_squares(
    fun, x0, jac="2-point", bounds=None, method="trf", ftol=1e-08, xtol=1e-08, gtol=1e-08, x_scale=None, loss="linear",
    f_scale=1.0, diff_step=None, tr_solver=None, tr_options=None, jac_sparsity=None, max_nfev=None, verbose=0, args=(),
    kwargs=None, callback=None, workers=None,
):  # fmt: skip
    """Minimum of a sum of squares, as `leastsq` finds it.

    Parameters
    ----------
    fun : callable
        Function of an array ``(n,)`` and of ``args`` that returns at least `n` numbers, whose squares are added.
    x0 : float or ndarray
        Where to start.
    bounds : tuple, optional
        The least and the largest values of ``x``, between which the minimum has to be.
    args : tuple
        Further arguments of ``fun``.

    Returns
    -------
    OptimizeResult
        ``x``, the minimum, with the derivatives of the implicit function; ``cost``, half of the sum of squares there;
        ``fun`` and ``jac``, the function and its Jacobian there; ``success``, which is True.

    Raises
    ------
    RuntimeError
        If the method does not converge, or finds a minimum outside of the bounds, where SciPy returns one at a bound.
    TypeError
        For ``kwargs`` and a ``loss``.

    Examples
    --------
    >>> least_squares(lambda t: t * np.array([1.0, 2.0]) - np.array([1.0, 4.0]), [1.0])[0].round(6)
    array([1.8])
    """
    if kwargs is not None or loss != "linear":
        raise TypeError("takes no `kwargs` and `loss` here: write them into the function")
    given = args if isinstance(args, tuple) else (args,)
    f = lambda t: _vector(fun(t, *given))
    x = _within(_fitted(f, _vector(x0)), bounds)
    value = f(x)
    return x, 0.5 * np.sum(value * value), value, jacobian_of(f)(x), True
