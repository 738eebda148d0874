"""Solutions of ordinary differential equations by explicit Runge-Kutta methods with step width control.

In `solve_ivp` the step widths have derivatives: without ``t_eval`` the times of the results are those of the steps. In
`odeint` they are constants, as all results are at given times.
"""

from __future__ import annotations

import numpy as np

from . import constant, implements


@implements("scipy.integrate.solve_ivp")
def solve_ivp(
    fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None, vectorized=False, args=None,
    *, first_step=None, max_step=np.inf, rtol=1e-3, atol=1e-6,
):  # fmt: skip
    """Solve an initial value problem by an explicit Runge-Kutta method with step size control.

    Parameters
    ----------
    fun : callable
        The right side ``fun(t, y, *args)``, which returns an array, a list or a tuple of the length of ``y``.
    t_span : tuple of float
        The start and the end of the interval.
    y0 : array_like
        The initial state, of rank 1.
    method : str
        "RK45" or "RK23".
    t_eval : array_like, optional
        Where the solution is returned; by default at the ends of all steps.
    args : tuple, optional
        Further arguments of ``fun``.
    first_step, max_step : float, optional
        The width of the first step, by default chosen by the algorithm, and the largest width.
    rtol, atol : float or array_like
        Relative and absolute tolerances of the state.

    Returns
    -------
    OdeResult
        With the fields ``t`` of shape (m,), ``y`` of shape (n, m), ``nfev``, ``njev``, ``nlu``, ``status``, ``message``
        and ``success``, which is True.

    Raises
    ------
    TypeError
        For other methods, and with `dense_output` or `events`.
    RuntimeError
        If no step is small enough, where SciPy says so in ``success``.
    ValueError
        If ``t_eval`` is not within ``t_span``, or not sorted in its direction.

    References
    ----------
    J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, 1980; P. Bogacki, L. F. Shampine, A 3(2)
    pair of Runge-Kutta formulas, 1989; L. F. Shampine, Some practical Runge-Kutta formulas, 1986 (interpolation); E.
    Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 1993, section II.4 (step widths).

    Examples
    --------
    >>> found = solve_ivp(lambda t, y: -y, (0.0, 1.0), np.array([1.0]), rtol=1e-8, atol=1e-8)
    >>> round(float(found[1][0, -1]), 6)
    0.367879
    """
    if method not in ("RK45", "RK23"):
        raise TypeError("is by the methods 'RK45' and 'RK23' here")
    if dense_output or events is not None:
        raise TypeError("takes no `dense_output` and no `events` here: give the places in `t_eval`")
    given = () if args is None else args
    right = lambda t, y: np.asarray(fun(t, y, *given)) * 1.0
    t, end = 1.0 * t_span[0], 1.0 * t_span[1]
    way = 1.0 if end >= t else -1.0
    y = np.atleast_1d(np.asarray(y0)) * 1.0
    rtol, atol = np.maximum(rtol, 100.0 * 2.220446049250313e-16), np.asarray(atol) * 1.0
    places = np.zeros(0) if t_eval is None else np.asarray(t_eval) * 1.0
    if t_eval is not None:
        if np.any(places < min(t, end)) or np.any(places > max(t, end)):
            raise ValueError("Values in `t_eval` are not within `t_span`.")
        if np.any(way * np.diff(places) <= 0.0):
            raise ValueError("Values in `t_eval` are not properly sorted.")
    order, c, a, b, e, p = _fifth_order() if method == "RK45" else _third_order()
    k = np.zeros((len(b) + 1, len(y)))
    k[-1] = right(t, y)
    calls, at = 1, 0
    ts, ys = [t], [y.copy()]
    width = 0.0
    if first_step is not None:
        width = 1.0 * first_step
    elif t != end:
        width = _first_width(right, t, y, k[-1], end, max_step, order, rtol, atol)
        calls += 1
    if t == end and (t_eval is None or len(places) > 0):
        ts.append(t)
        ys.append(y.copy())
    while way * (end - t) > 0.0:
        new_t, new_y, width, tried = _step(right, k, t, y, min(width, max_step), end, order, rtol, atol, c, a, b, e)
        calls += tried * len(b)
        if t_eval is None:
            ts.append(new_t)
            ys.append(new_y.copy())
        else:
            while at < len(places) and way * (places[at] - new_t) <= 0.0:
                x = (places[at] - t) / (new_t - t)
                ts.append(places[at])
                ys.append(y + (new_t - t) * _weighted(p @ x ** np.arange(1.0, p.shape[1] + 1.0), k))
                at += 1
        t, y = new_t, new_y
    kept = 0 if t_eval is None else 1
    message = "The solver successfully reached the end of the integration interval."
    return np.array(ts)[kept:], np.array(ys)[kept:].T, calls, 0, 0, 0, message, True


@implements("scipy.integrate.odeint")
def odeint(
    func, y0, t, args=(), Dfun=None, col_deriv=0, full_output=0, ml=None, mu=None, rtol=None, atol=None, tcrit=None,
    h0=0.0, hmax=0.0, hmin=0.0, ixpr=0, mxstep=0, mxhnil=0, mxordn=12, mxords=5, printmessg=0, tfirst=False,
):  # fmt: skip
    """Solution of a system of ordinary differential equations at given times.

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
        The solution, one row for each of ``t``. Its derivatives are those of the steps, at constant widths.

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
        right = lambda s, y: np.asarray(func(s, y, *given)) * 1.0
    else:
        right = lambda s, y: np.asarray(func(y, s, *given)) * 1.0
    small, tiny = 1.49012e-8 if rtol is None else rtol, 1.49012e-8 if atol is None else atol
    places, y = 1.0 * np.asarray(t), 1.0 * np.atleast_1d(np.asarray(y0))
    order, c, a, b, e, _ = _fifth_order()
    k = np.zeros((len(b) + 1, len(y)))
    out = np.empty((len(places), len(y)))
    now = places[0]
    out[0], k[-1] = y, right(now, y)
    width = 0.0
    if places[-1] != now:
        width = constant(_first_width(right, now, y, k[-1], places[-1], np.inf, order, small, tiny))
    for i in range(1, len(places)):
        while now != places[i]:
            before = width
            now, y, width, _ = _step(right, k, now, y, constant(width), places[i], order, small, tiny, c, a, b, e)
            if now == places[i]:  # the step was cut
                width = max(width, before)
        out[i] = y
    return out


def _norm(x):
    return np.sqrt(np.sum(x * x) / x.shape[0])


def _weighted(weights, k):
    """The sum of the first slopes, times their weights."""
    total = np.zeros(k.shape[1])
    for s in range(len(weights)):
        for i in range(k.shape[1]):
            total[i] += weights[s] * k[s, i]
    return total


def _first_width(right, t, y, f, end, most, order, rtol, atol):
    """The width of the first step: that of an Euler step with a small error, from two values of the right side."""
    interval = abs(end - t)
    scale = atol + np.abs(y) * rtol
    size, slope = _norm(y / scale), _norm(f / scale)
    width = min(1e-6 if size < 1e-5 or slope < 1e-5 else 0.01 * size / slope, interval)
    h = width if end >= t else -width
    bend = _norm((right(t + h, y + h * f) - f) / scale) / width
    if slope <= 1e-15 and bend <= 1e-15:
        other = max(1e-6, width * 1e-3)
    else:
        other = (0.01 / max(slope, bend)) ** (1.0 / (order + 1))
    return min(100.0 * width, other, interval, most)


def _step(right, k, t, y, width, end, order, rtol, atol, c, a, b, e):
    """A step whose error is small enough: its end, the state there, the width of the next step, the number of attempts.

    The slopes of the step are left in ``k``, that at its end last, where that at its start is given.
    """
    first, stages = k[-1].copy(), len(b)
    smallest = 10.0 * 2.0 ** (np.floor(np.log2(abs(constant(t)))) - 52.0) if t != 0.0 else 0.0
    width = max(width, smallest)
    new_t, new_y, tried, accepted = t, y, 0, False
    while not accepted:
        if width < smallest:
            raise RuntimeError("Required step size is less than spacing between numbers.")
        new_t = t + (width if end >= t else -width)
        if abs(new_t - t) > abs(end - t):
            new_t = end
        h = new_t - t
        k[0] = first
        for s in range(1, stages):
            k[s] = right(t + c[s] * h, y + _weighted(a[s, :s], k) * h)
        new_y = y + h * _weighted(b, k)
        k[stages] = right(t + h, new_y)
        error = _norm(_weighted(e, k) * h / (atol + np.maximum(np.abs(y), np.abs(new_y)) * rtol))
        accepted = error < 1.0
        factor = 10.0 if error == 0.0 else 0.9 * error ** (-1.0 / (order + 1))
        width = abs(h) * (min(factor, 10.0 if tried == 0 else 1.0) if accepted else max(0.2, factor))
        tried += 1
    return new_t, new_y, width, tried


def _fifth_order():
    """The order of the error; places, weights of the stages, of the result and of the error, and of the interpolation
    by quartics."""
    c = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0])
    a = np.array(
        [
            [0.0, 0.0, 0.0, 0.0, 0.0],
            [1 / 5, 0.0, 0.0, 0.0, 0.0],
            [3 / 40, 9 / 40, 0.0, 0.0, 0.0],
            [44 / 45, -56 / 15, 32 / 9, 0.0, 0.0],
            [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0.0],
            [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
        ]
    )
    b = np.array([35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84])
    e = np.array([-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40])
    p = np.array(
        [
            [1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
            [0.0, 0.0, 0.0, 0.0],
            [0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
            [0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
            [0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
            [0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
            [0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
        ]
    )
    return 4, c, a, b, e, p


def _third_order():
    """The same of the method of third order, and of the interpolation by cubics."""
    c = np.array([0.0, 1 / 2, 3 / 4])
    a = np.array([[0.0, 0.0], [1 / 2, 0.0], [0.0, 3 / 4]])
    b = np.array([2 / 9, 1 / 3, 4 / 9])
    e = np.array([5 / 72, -1 / 12, -1 / 9, 1 / 8])
    p = np.array([[1.0, -4 / 3, 5 / 9], [0.0, 1.0, -2 / 3], [0.0, 4 / 3, -8 / 9], [0.0, -1.0, 1.0]])
    return 2, c, a, b, e, p
