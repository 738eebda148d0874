"""Ordinary differential equations, by the Runge-Kutta method of Dormand and Prince with steps that adapt.

In `odeint` the sizes of the steps have no derivative, as each of its results is at a given time. In `solve_ivp` they
have, because without ``t_eval`` the times of the results are those of the steps.
"""

from __future__ import annotations

import numpy as np

from . import constant, implements


def _norm(x):
    return np.sqrt(np.mean(x * x))


def _stages(f, t, y, k1, h):
    """The slopes of a step of size ``h`` from ``y``, and its end.

    J. R. Dormand and P. J. Prince, A family of embedded Runge-Kutta formulae, 1980.
    """
    k2 = f(t + h / 5.0, y + h * (k1 / 5.0))
    k3 = f(t + 3.0 / 10.0 * h, y + h * (3.0 / 40.0 * k1 + 9.0 / 40.0 * k2))
    k4 = f(t + 4.0 / 5.0 * h, y + h * (44.0 / 45.0 * k1 - 56.0 / 15.0 * k2 + 32.0 / 9.0 * k3))
    k5 = f(
        t + 8.0 / 9.0 * h,
        y + h * (19372.0 / 6561.0 * k1 - 25360.0 / 2187.0 * k2 + 64448.0 / 6561.0 * k3 - 212.0 / 729.0 * k4),
    )
    k6 = f(
        t + h,
        y
        + h
        * (
            9017.0 / 3168.0 * k1
            - 355.0 / 33.0 * k2
            + 46732.0 / 5247.0 * k3
            + 49.0 / 176.0 * k4
            - 5103.0 / 18656.0 * k5
        ),
    )
    end = y + h * (
        35.0 / 384.0 * k1 + 500.0 / 1113.0 * k3 + 125.0 / 192.0 * k4 - 2187.0 / 6784.0 * k5 + 11.0 / 84.0 * k6
    )
    return k3, k4, k5, k6, f(t + h, end), end


def _first_size(f, t, y, k, end, rtol, atol):
    """The size of the first step (E. Hairer and others, Solving Ordinary Differential Equations I, section II.4)."""
    whole = np.abs(end - t)
    scale = atol + np.abs(y) * rtol
    d0, d1 = _norm(y / scale), _norm(k / scale)
    h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h0 = min(h0, whole)
    if h0 == 0.0:
        return h0
    step = h0 if end >= t else -h0
    d2 = _norm((f(t + step, y + step * k) - k) / scale) / h0
    h1 = max(1e-6, h0 * 1e-3) if d1 <= 1e-15 and d2 <= 1e-15 else (0.01 / max(d1, d2)) ** 0.2
    return min(min(100.0 * h0, h1), whole)


def _step_size(f, t, y, k1, h, end, rtol, atol):
    """The size of the next step, that of the one after it, and whether it reaches the end."""
    rejected = False
    for _ in range(1000):
        if h < 2.3e-15 * np.abs(t):
            raise RuntimeError("Required step size is less than spacing between numbers.")
        whole = np.abs(end - t)
        last = h >= whole
        size = whole if last else h
        step = size if end >= t else -size
        k3, k4, k5, k6, k7, new = _stages(f, t, y, k1, step)
        error = step * (
            -71.0 / 57600.0 * k1
            + 71.0 / 16695.0 * k3
            - 71.0 / 1920.0 * k4
            + 17253.0 / 339200.0 * k5
            - 22.0 / 525.0 * k6
            + 1.0 / 40.0 * k7
        )
        size_of_error = _norm(error / (atol + np.maximum(np.abs(y), np.abs(new)) * rtol))
        if size_of_error < 1.0:
            factor = 10.0 if size_of_error == 0.0 else min(10.0, 0.9 * size_of_error**-0.2)
            return size, size * (min(1.0, factor) if rejected else factor), last
        h = size * max(0.2, 0.9 * size_of_error**-0.2)
        rejected = True
    raise RuntimeError("No step is small enough: the solution may have a nan.")


@implements("scipy.integrate.odeint")
def odeint(
    func, y0, t, args=(), Dfun=None, col_deriv=0, full_output=0, ml=None, mu=None, rtol=None, atol=None, tcrit=None,
    h0=0.0, hmax=0.0, hmin=0.0, ixpr=0, mxstep=0, mxhnil=0, mxordn=12, mxords=5, printmessg=0, tfirst=False,
):  # fmt: skip
    """Solution of a system of ordinary differential equations.

    SciPy uses LSODA, which is of another order: its solution differs by about the tolerances, and it also solves stiff
    equations efficiently.

    Parameters
    ----------
    func : callable
        The derivative ``func(y, t, *args)`` of the solution, as an array, a list or a tuple.
    y0 : float or array_like
        The solution at ``t[0]``.
    t : array_like
        Where the solution is wanted.
    args : tuple
        Further arguments of ``func``.
    rtol, atol : float, optional
        Tolerances of a step; 1.5e-8 by default.
    tfirst : bool
        Whether ``t`` is the first argument of ``func``.

    Returns
    -------
    ndarray
        The solution, one row for each of ``t``. Its derivatives are those of the steps that were taken.

    Raises
    ------
    RuntimeError
        If no step is small enough.
    TypeError
        For ``full_output``.

    Examples
    --------
    >>> odeint(lambda y, t: -y, 1.0, [0.0, 1.0]).round(6)
    array([[1.      ],
           [0.367879]])
    """
    if full_output:
        raise TypeError("takes no `full_output` here: use the solution alone")
    given = args if isinstance(args, tuple) else (args,)
    if tfirst:
        f = lambda s, y: np.atleast_1d(np.asarray(func(s, y, *given)))
    else:
        f = lambda s, y: np.atleast_1d(np.asarray(func(y, s, *given)))
    small, tiny = 1.49012e-8 if rtol is None else rtol, 1.49012e-8 if atol is None else atol
    return _at_places(f, 1.0 * np.atleast_1d(np.asarray(y0)), 1.0 * np.asarray(t), small, tiny)


def _at_places(f, start, places, rtol, atol):
    out = np.empty((places.shape[0], start.shape[0]))
    t, y = places[0], 1.0 * start
    out[0] = y
    k = f(t, y)
    h = constant(_first_size(f, t, y, k, places[-1], rtol, atol))
    for i in range(1, places.shape[0]):
        end = places[i]
        while t != end:
            size, later, last = _step_size(f, t, y, k, h, end, rtol, atol)
            step = constant(size if end >= t else -size)
            if last:
                step = end - t
            _, _, _, _, k, y = _stages(f, t, y, k, step)
            t = end if last else t + step
            h = max(h, constant(later)) if last else constant(later)  # the last one was cut
        out[i] = y
    return out


@implements("scipy.integrate.solve_ivp")
def solve_ivp(
    fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None, vectorized=False, args=None,
    *, rtol=1e-3, atol=1e-6,
):  # fmt: skip
    """Solution of a system of ordinary differential equations by RK45.

    Parameters
    ----------
    fun : callable
        The derivative ``fun(t, y, *args)`` of the solution, as an array, a list or a tuple.
    t_span : tuple of float
        The first and the last time.
    y0 : array_like
        The solution at the first time.
    method : {'RK45'}
        The method.
    t_eval : array_like, optional
        Where the solution is wanted; at the steps by default.
    args : tuple, optional
        Further arguments of ``fun``.
    rtol, atol : float
        Tolerances of a step.

    Returns
    -------
    OdeResult
        ``t``, the times, ``y``, the solution, with one column for each of them, ``success``, which is True, ``status``
        and ``message``. The derivatives are exact: the sizes of the steps have some, too.

    Raises
    ------
    RuntimeError
        If no step is small enough, where SciPy says so in ``success``.
    TypeError
        For ``events``, ``dense_output`` and other methods.

    Examples
    --------
    >>> solve_ivp(lambda t, y: -y, (0.0, 1.0), [1.0], t_eval=[1.0])[1].round(4)
    array([[0.3679]])
    """
    if dense_output or events is not None:
        raise TypeError("takes no `events` and `dense_output` here: give `t_eval`")
    if method != "RK45":
        raise TypeError("is by RK45 here: leave out `method`, and give smaller tolerances")
    given = () if args is None else args
    f = lambda s, y: np.atleast_1d(np.asarray(fun(s, y, *given)))
    t0, t1 = t_span
    start = 1.0 * np.atleast_1d(np.asarray(y0))
    if t_eval is None:
        t, y = _at_steps(f, start, 1.0 * t0, 1.0 * t1, rtol, atol)
    else:
        t = 1.0 * np.asarray(t_eval)
        y = _between_steps(f, start, 1.0 * t0, 1.0 * t1, t, rtol, atol)
    return t, y, True, 0, "The solver successfully reached the end of the integration interval."


def _at_steps(f, start, t, end, rtol, atol):
    y = 1.0 * start
    ts, ys = [t], [y]
    k = f(t, y)
    h = _first_size(f, t, y, k, end, rtol, atol)
    while t != end:
        size, later, last = _step_size(f, t, y, k, h, end, rtol, atol)
        step = size if end >= t else -size
        if last:
            step = end - t
        _, _, _, _, k, y = _stages(f, t, y, k, step)
        t = end if last else t + step
        h = later
        ts.append(t)
        ys.append(y)
    return np.array(ts), np.array(ys).T.copy()


def _between_steps(f, start, t, end, places, rtol, atol):
    """The solution at given places, by interpolation (L. F. Shampine, Some Practical Runge-Kutta Formulas, 1986)."""
    y = 1.0 * start
    out = np.empty((start.shape[0], places.shape[0]))
    k = f(t, y)
    h = _first_size(f, t, y, k, end, rtol, atol)
    done = 0
    while t != end:
        size, later, last = _step_size(f, t, y, k, h, end, rtol, atol)
        step = size if end >= t else -size
        if last:
            step = end - t
        k3, k4, k5, k6, k7, new = _stages(f, t, y, k, step)
        after = end if last else t + step
        while done < places.shape[0] and (places[done] <= after if end >= t else places[done] >= after):
            x = (places[done] - t) / step
            w1 = 1.0 + x * (
                -8048581381.0 / 2820520608.0
                + x * (8663915743.0 / 2820520608.0 - x * (12715105075.0 / 11282082432.0))
            )
            w3 = x * (
                131558114200.0 / 32700410799.0
                + x * (-68118460800.0 / 10900136933.0 + x * (87487479700.0 / 32700410799.0))
            )
            w4 = x * (
                -1754552775.0 / 470086768.0 + x * (14199869525.0 / 1410260304.0 - x * (10690763975.0 / 1880347072.0))
            )
            w5 = x * (
                127303824393.0 / 49829197408.0
                + x * (-318862633887.0 / 49829197408.0 + x * (701980252875.0 / 199316789632.0))
            )
            w6 = x * (
                -282668133.0 / 205662961.0 + x * (2019193451.0 / 616988883.0 - x * (1453857185.0 / 822651844.0))
            )
            w7 = x * (40617522.0 / 29380423.0 + x * (-110615467.0 / 29380423.0 + x * (69997945.0 / 29380423.0)))
            out[:, done] = y + step * x * (w1 * k + w3 * k3 + w4 * k4 + w5 * k5 + w6 * k6 + w7 * k7)
            done += 1
        y, k, t = new, k7, after
        h = later
    if done < places.shape[0]:
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    return out
