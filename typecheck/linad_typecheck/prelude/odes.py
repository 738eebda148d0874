"""Solutions of ordinary differential equations. Their derivatives are those of the steps, whose widths are constants."""

from __future__ import annotations

import numpy as np

from . import constant, implements


@implements("scipy.integrate.solve_ivp")
def solve_ivp(
    fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None, vectorized=False, args=None,
    *, first_step=None, max_step=np.inf, rtol=1e-3, atol=1e-6,
):  # fmt: skip
    """Solve an initial value problem by an explicit Runge-Kutta method with step size control.

    The derivative is that of the steps that are taken, at constant step widths; the last step ends where the interval
    does. It is the derivative of the solution up to the tolerances, and by ``t_span`` too.

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
        With the fields ``t`` of shape (m,), ``y`` of shape (n, m), ``nfev``, ``njev``, ``nlu``, ``status`` and
        ``success``. ``success`` is False if the step width has become too small.

    Raises
    ------
    TypeError
        For other methods, and with `dense_output` or `events`.
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
    c, a, b, e, p = _fifth_order() if method == "RK45" else _third_order()
    order = 4 if method == "RK45" else 2
    given = () if args is None else args
    right = lambda t, y: np.asarray(fun(t, y, *given)) * 1.0
    t, end = 1.0 * t_span[0], 1.0 * t_span[1]
    way = 1.0 if end >= t else -1.0
    y = np.asarray(y0) * 1.0
    rtol, atol = np.maximum(rtol, 100.0 * 2.220446049250313e-16), np.asarray(atol) * 1.0
    places = np.zeros(0) if t_eval is None else np.asarray(t_eval) * 1.0
    if t_eval is not None:
        if np.any(places < min(t, end)) or np.any(places > max(t, end)):
            raise ValueError("Values in `t_eval` are not within `t_span`.")
        if np.any(way * np.diff(places) <= 0.0):
            raise ValueError("Values in `t_eval` are not properly sorted.")
    k = np.zeros((len(b) + 1, len(y)))
    k[-1] = right(t, y)
    calls = 1
    ts, ys = [t], [y.copy()]
    width = 0.0
    if first_step is not None:
        width = constant(1.0 * first_step)
    elif t != end:
        width = constant(_first_width(right, t, y, k[-1], end, max_step, way, order, rtol, atol))
        calls += 1
    at, status = 0, 0
    new_t, new_y, h = t, y, 0.0
    if t == end and (t_eval is None or len(places) > 0):
        ts.append(t)
        ys.append(y.copy())
    while way * (end - t) > 0.0 and status == 0:
        smallest = 10.0 * 2.220446049250313e-16 * abs(constant(t))
        width = min(max(width, smallest), max_step)
        rejected, accepted = False, False
        first = k[-1].copy()
        while not accepted and status == 0:
            if width < smallest:
                status = -1
            else:
                new_t = t + width * way
                if way * (new_t - end) > 0.0:
                    new_t = end
                h = new_t - t
                new_y = _step(right, k, first, t, y, h, c, a, b)
                calls += len(b)
                scale = atol + np.maximum(np.abs(y), np.abs(new_y)) * rtol
                error = constant(_norm(_weighted(e, k) * h / scale))
                width = abs(constant(h))
                if error < 1.0:
                    factor = 10.0 if error == 0.0 else min(10.0, 0.9 * error ** (-1.0 / (order + 1)))
                    width *= min(1.0, factor) if rejected else factor
                    accepted = True
                else:
                    width *= max(0.2, 0.9 * error ** (-1.0 / (order + 1)))
                    rejected = True
        if accepted:
            if t_eval is None:
                ts.append(new_t)
                ys.append(new_y.copy())
            else:
                while at < len(places) and way * (places[at] - new_t) <= 0.0:
                    x = (places[at] - t) / h
                    ts.append(places[at])
                    ys.append(y + h * _weighted(p @ x ** np.arange(1.0, p.shape[1] + 1.0), k))
                    at += 1
            t, y = new_t, new_y
    kept = 0 if t_eval is None else 1
    return np.array(ts)[kept:], np.array(ys)[kept:].T, calls, 0, 0, status, status == 0


def _norm(x):
    return np.sqrt(np.sum(x * x) / x.shape[0])


def _weighted(weights, k):
    """The sum of the first slopes, times their weights."""
    total = np.zeros(k.shape[1])
    for s in range(len(weights)):
        for i in range(k.shape[1]):
            total[i] += weights[s] * k[s, i]
    return total


def _first_width(right, t, y, f, end, most, way, order, rtol, atol):
    """The width of the first step: that of an Euler step with a small error, from two values of the right side."""
    interval = abs(end - t)
    scale = atol + np.abs(y) * rtol
    size, slope = _norm(y / scale), _norm(f / scale)
    width = min(1e-6 if size < 1e-5 or slope < 1e-5 else 0.01 * size / slope, interval)
    bend = _norm((right(t + width * way, y + width * way * f) - f) / scale) / width
    if slope <= 1e-15 and bend <= 1e-15:
        other = max(1e-6, width * 1e-3)
    else:
        other = (0.01 / max(slope, bend)) ** (1.0 / (order + 1))
    return min(100.0 * width, other, interval, most)


def _step(right, k, first, t, y, h, c, a, b):
    """The state after a step, whose slopes are left in ``k``, the one at its end last."""
    stages = len(b)
    k[0] = first
    for s in range(1, stages):
        k[s] = right(t + c[s] * h, y + _weighted(a[s, :s], k) * h)
    new = y + h * _weighted(b, k)
    k[stages] = right(t + h, new)
    return new


def _fifth_order():
    """Places, weights of the stages, of the result and of the error, and of the interpolation by quartics."""
    c = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0])
    a = np.array([
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [1 / 5, 0.0, 0.0, 0.0, 0.0],
        [3 / 40, 9 / 40, 0.0, 0.0, 0.0],
        [44 / 45, -56 / 15, 32 / 9, 0.0, 0.0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0.0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
    ])
    b = np.array([35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84])
    e = np.array([-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40])
    p = np.array([
        [1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
        [0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
        [0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
        [0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
        [0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
    ])
    return c, a, b, e, p


def _third_order():
    """The same of the method of third order, and of the interpolation by cubics."""
    c = np.array([0.0, 1 / 2, 3 / 4])
    a = np.array([[0.0, 0.0], [1 / 2, 0.0], [0.0, 3 / 4]])
    b = np.array([2 / 9, 1 / 3, 4 / 9])
    e = np.array([5 / 72, -1 / 12, -1 / 9, 1 / 8])
    p = np.array([[1.0, -4 / 3, 5 / 9], [0.0, 1.0, -2 / 3], [0.0, 4 / 3, -8 / 9], [0.0, -1.0, 1.0]])
    return c, a, b, e, p
