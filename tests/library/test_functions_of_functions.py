"""Library functions that call what they are given: root finders, `quad`, `solve_ivp`, `sorted` by a key. Values are SciPy's,
derivatives those of the implicit function."""

from __future__ import annotations

import numpy as np
import pytest
from linad import LinadError, grad, linear_grad


so = pytest.importorskip("scipy.optimize")
si = pytest.importorskip("scipy.integrate")
sx = pytest.importorskip("scipy.interpolate")


def kepler(anomaly, mean, e):
    return anomaly - e * np.sin(anomaly) - mean


def density(t, k):
    return np.exp(-t * k) * np.sin(k * t)


ROOTS = {
    "brentq": lambda a: so.brentq(lambda t: t * t - a, 0.0, 10.0),
    "brentq with arguments": lambda a: so.brentq(kepler, -9.0, 9, args=(a, 0.3)),
    "bisect": lambda a: so.bisect(lambda t: np.tan(t) - a, -1.0, 1.5),
    "secant": lambda a: so.newton(lambda t: t * t - a, 1.0),
    "newton": lambda a: so.newton(lambda t: t * t - a, 1.0, lambda t: 2.0 * t),
    "halley": lambda a: so.newton(lambda t: t**3 - a, 1.0, lambda t: 3.0 * t**2, fprime2=lambda t: 6.0 * t),
    "quad": lambda a: si.quad(lambda t: t * t * a, 0, 1)[0],
    "quad with bounds": lambda a: si.quad(density, a, 3.0, args=(a,))[0],
    "quad of a tail": lambda a: si.quad(lambda t: np.exp(-a * t * t), a, np.inf)[0],
    "quad of both tails": lambda a: si.quad(lambda t: np.exp(-a * t * t), -np.inf, np.inf)[0],
    "quad to a root": lambda a: si.quad(np.sqrt, 0.0, a)[0],
}


K, V, W = np.array([0.0, 0.2, 0.5, 1.0, 1.4]), np.array([1.0, 3.0, 2.0, 5.0, 4.0]), np.array([0.1, 0.6, 1.3])
INTERPOLATED = {
    **{
        f"interp1d {kind}": lambda a, kind=kind: (sx.interp1d(K, a * V, kind)(W * a).sum() + sx.interp1d(K + a, V, kind)(a + 0.33))
        for kind in ("linear", "nearest", "previous", "next", "zero", "cubic")
    },
    "interp1d outside": lambda a: sx.interp1d(K * a, V, bounds_error=False, fill_value=(-1.0, a))(W * 3).sum(),
    "interp1d continued": lambda a: sx.interp1d(V, K * a, fill_value="extrapolate")(a).sum() + sx.interp1d(K * a, V, "cubic", fill_value="extrapolate")(W * 2)[2],
    "CubicSpline": lambda a: sx.CubicSpline(K * a, V)(W).sum() + sx.CubicSpline(K, V * a)(W + a, 1)[1] + sx.CubicSpline(K, V)(a, 2),
    "natural CubicSpline": lambda a: sx.CubicSpline(K * a, V, bc_type="natural")(W)[0] + sx.CubicSpline(K, V)(a, 3),
    "CubicSpline alone": lambda a: np.where(W < 1.0, sx.CubicSpline(K * a, V, extrapolate=False)(W), 0.0).sum(),
    "splrep": lambda a: sx.splev(W * a, sx.splrep(K * a, V * a)).sum() + sx.splrep(K[:4] * a, V[:4])[1][2] * sx.splev(a, sx.splrep(K, V, k=1, s=0)),
    "derivatives of splrep": lambda a: sx.splev(W * 2, sx.splrep(K * a, V), 1, ext=3)[2] + sx.splev(a * W, sx.splrep(K, V), der=2)[1] + sx.splev(W * 2, sx.splrep(K, V * a), ext=1).sum(),
    "InterpolatedUnivariateSpline": lambda a: sx.InterpolatedUnivariateSpline(K * a, V)(W).sum(),
    "PchipInterpolator": lambda a: sx.PchipInterpolator(K * a, V)(W).sum() + sx.PchipInterpolator(K[:2], V[:2] * a)(a),
    "Akima1DInterpolator": lambda a: sx.Akima1DInterpolator(K + a, V * V)(W * 0.5 + a).sum(),
    "makima": lambda a: sx.Akima1DInterpolator(K, V * a, method="makima", extrapolate=True)(W + a).sum(),
    "grid of one axis": lambda a: sx.RegularGridInterpolator((K * a,), V)(W * 0.5).sum(),
    "grid of two axes": lambda a: sx.RegularGridInterpolator((K * a, W - a), np.outer(V, W**a))(a * np.array([[a, 0.4], [1.1, a]])).sum(),
    "grid of three axes": lambda a: sx.RegularGridInterpolator((K, W, W), np.multiply.outer(np.outer(V, W), W**a))((a, 0.4 * a, a))[()] * 1.0,
    "nearest on a grid": lambda a: sx.RegularGridInterpolator((K, W), np.outer(V, W) * a, "nearest", False, None)(np.array([[a, 9.0]]))[0],
}
ROOTS |= INTERPOLATED


def pendulum(t, y, k=1.3):
    return [y[1], -k * np.sin(y[0]) - 0.1 * y[1] * t]


def halves(t, y):
    d = np.empty_like(y)
    d[:] = -0.5 * y
    return d


STEPS = {
    "to the end": lambda a: si.solve_ivp(lambda t, y: [y[1], -a * y[0]], (0, 1), [1.0, a], rtol=1e-9, atol=1e-9).y[0, -1],
    "at places": lambda a: (si.solve_ivp(pendulum, (0.0, 2.0), (a, 0.1), t_eval=[0.5, 1.0, 2.0], args=(a,), rtol=1e-9, atol=1e-9).y ** 2).sum(),
    "backwards, all steps": lambda a: si.solve_ivp(halves, (a, 0.0), np.array([1.0, 2.0]), "RK23", max_step=0.2, first_step=0.2).y[1].sum(),
    "to a moving end": lambda a: si.solve_ivp(pendulum, (0.0, 1.0 + a), [0.5, 0.1], rtol=1e-9, atol=[1e-9, 1e-10]).y[1, -1],
    "coarse steps": lambda a: si.solve_ivp(lambda t, y: -a * y, (0.0, 2.0 * a), [1.0, 2.0]).y[:, 2].sum(),
    "no step": lambda a: si.solve_ivp(halves, (a, a), [2.0 * a]).y[0, -1] + len(si.solve_ivp(halves, (a, a), [a]).t),
}
ROOTS |= {f"solve_ivp {name}": f for name, f in STEPS.items()}


@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", ROOTS)
def test_as_scipy(name):
    f = ROOTS[name]
    checked = linear_grad(f, backend="interpret", cache=False)
    value, (slope,) = checked.vjp(0.7)[0], checked.vjp(0.7)[1](1.0)
    assert np.isclose(value, f(0.7), 1e-12, 1e-14)
    assert np.isclose(slope, (f(0.7 + 1e-5) - f(0.7 - 1e-5)) / 2e-5, 1e-5)


def damped(t, y, a):
    return [y[1], -a * np.sin(y[0])]


SOLVED = {
    "fsolve": lambda a: so.fsolve(lambda t: t**3 + a * t - 2.0, 1.0)[0],
    "fsolve of a system": lambda a: so.fsolve(lambda t, b: [t[0] * t[1] - b, t[0] - t[1] - 0.5], (1.0, 1.0), args=(a,))[1],
    "root": lambda a: so.root(lambda t: np.array([t[0] ** 2 - a, t[1] - t[0]]), np.ones(2)).x.sum(),
    "root_scalar": lambda a: so.root_scalar(lambda t: t * t - a, bracket=(0.0, 9.0)).root + so.root_scalar(lambda t: t * t - a, x0=1.0, fprime=lambda t: 2.0 * t).root,
    "minimize_scalar": lambda a: so.minimize_scalar(lambda t, b: np.cosh(t - b) + 0.3 * t, (-3.0, 2.0), args=(a,)).fun,
    "minimize_scalar, bounded": lambda a: so.minimize_scalar(lambda t: t**4 - a * t, bounds=(0.0, 2.0)).fun,
    "leastsq": lambda a: so.leastsq(lambda p: p[0] * K + p[1] - V**a, [1.0, 0.0])[0].sum(),
    "least_squares": lambda a: so.least_squares(lambda p: np.exp(-p[0] * K) - a * np.exp(-K), 1.0).cost,
    "curve_fit": lambda a: so.curve_fit(lambda x, p, q: p * np.exp(-q * x), K, V**a)[0] @ [1.0, -3.0],
    "curve_fit, bounds": lambda a: so.curve_fit(
        lambda x, p, q: p * np.exp(-q * x), K, V**a, bounds=([0.0, -2.0], np.inf), x_scale=[1.0, 2.0]
    )[0] @ [1.0, -3.0],
    "curve_fit, covariance": lambda a: np.diag(so.curve_fit(lambda x, p, q: p + q * x, K, V**a, (1.0, 1.0), sigma=K + a, absolute_sigma=True)[1]).sum(),
    "odeint": lambda a: si.odeint(lambda y, t, b: (y[1], -b * np.sin(y[0])), [a, 0.1], [0.0, 1.0, a + 1.0], args=(a,))[:, 0].sum(),
    "odeint, time first": lambda a: si.odeint(damped, [0.5, 0.1], [0.0, 1.0], (a,), tfirst=True)[1, 1],
}


@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", SOLVED)
def test_solved_to_a_tolerance(name):
    """SciPy's solutions are within its tolerances; the derivative is that of ours."""
    checked = linear_grad(SOLVED[name], backend="interpret", cache=False)
    assert np.isclose(checked(0.7), SOLVED[name](0.7), 1e-5)
    assert np.isclose(checked.grad(0.7), (checked(0.7 + 1e-5) - checked(0.7 - 1e-5)) / 2e-5, 1e-5)


def test_a_minimum_moves_with_the_function():
    for more in ({"bracket": (-3.0, 2.0)}, {"bounds": (-3.0, 2.0)}):
        f = lambda a: so.minimize_scalar(lambda t: np.cosh(t - a * a) + 0.3 * t, **more).x  # noqa: B023
        found = linear_grad(f, backend="interpret", cache=False).value_and_grad(0.7)
        assert np.allclose(found, (f(0.7), 1.4), 1e-5)


def test_no_solution():
    at_bound = lambda a: so.minimize_scalar(lambda t: (t - a) ** 2, bounds=(1.0, 2.0)).x
    no_root = lambda a: so.fsolve(lambda t: t * t + a, 1.0)[0]
    beyond_a_pole = lambda a: si.odeint(lambda y, t: y**2 / (1.0 - t), a, [0.0, 2.0])[1, 0]
    for f in (at_bound, no_root, beyond_a_pole):
        with pytest.raises(RuntimeError):
            linear_grad(f, backend="interpret", cache=False)(0.7)


def test_second_derivative_of_a_root():
    root = linear_grad(lambda a: so.brentq(lambda t: t * t - a, 0.0, 10.0), backend="interpret", cache=False)
    assert np.isclose(grad(grad(root))(0.7), -0.25 * 0.7**-1.5, 1e-9)


WITHOUT = (
    lambda a: sx.interp1d(K, V)(a - 3.0), lambda a: sx.interp1d(K, V)(a + 3.0) + 0.0, lambda a: sx.CubicSpline(V, K)(a),
    lambda a: sx.PchipInterpolator(V, K)(a), lambda a: sx.RegularGridInterpolator((K,), V)(np.array([a - 3.0]))[0],
    lambda a: si.solve_ivp(halves, (0.0, a), [1.0], t_eval=[2.0]).y[0, 0], lambda a: si.solve_ivp(halves, (0.0, a), [1.0], t_eval=[0.2, 0.1]).y[0, 0],
    lambda a: so.brentq(lambda t: t * t + a, 0.0, 1.0), lambda a: so.newton(lambda t: t * t + a, 1.0))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("f", WITHOUT)
def test_exceptions(f):
    for g in (f, linear_grad(f, backend="interpret", cache=False)):
        with pytest.raises((ValueError, RuntimeError)):
            g(0.7)


def by_key(x, y):
    pairs = sorted(list(zip(x, y)), key=lambda p: p[1])
    xs = sorted(x, key=lambda v: -v, reverse=True)
    return pairs[0][0] * pairs[1][1] + 2.0 * xs[0] * xs[1]


def into_arrays(x, y):
    h = x / (x - 0.3)
    np.nan_to_num(h, copy=False, posinf=7.0)
    np.copyto(h, y, where=x > 0.85)
    ratio = np.divide(h.sum(), np.var(x), out=np.zeros_like(x[0]), where=np.var(x) > 0.0)
    xs = [0.0, 1.0, 2.0, 4.0]
    xs[::2] = [x[1], x[2] ** 2]
    xs[1:1] = (y[0],)
    return h.sum() * ratio + xs[0] * xs[1] * xs[3] * np.choose(2 > 1, (0.0, float("2.5"))) * np.sign(-3)


@pytest.mark.parametrize("f", [by_key, into_arrays])
def test_as_numpy(f):
    x, y = np.array([0.3, 0.5, 0.8, 0.9]), np.array([0.2, 0.7, 0.1, 0.35])
    checked = linear_grad(f, backend="interpret", cache=False)
    with np.errstate(all="ignore"):
        assert np.isclose(checked(x, y), f(x, y), 1e-12)
        y_bar = checked.vjp(x, y)[1](1.0)[1]
        d = np.array([0.5, -1.0, 0.25, 2.0])
        assert np.isclose(y_bar @ d, (f(x, y + 1e-6 * d) - f(x, y - 1e-6 * d)) / 2e-6, 1e-5)


def test_refused():
    whole = lambda a: so.brentq(lambda t: t - a, 0.0, 1.0, full_output=True)[0]
    with pytest.raises(LinadError, match="full_output"):
        linear_grad(whole, backend="interpret", cache=False)(0.5)
