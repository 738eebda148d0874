"""Objects of NumPy and SciPy that hold arrays: `poly1d`, `Polynomial`, distributions with parameters."""

import numpy as np
import numpy.polynomial.polynomial as npp
import pytest
import scipy.optimize
import scipy.stats as st
from numpy.polynomial import Polynomial
from scipy.spatial.transform import Rotation

from linad import LinadError, linear_grad


X = np.random.default_rng(3).uniform(0.2, 0.9, 6)
STANDARD, WAITING, SHAPED = st.norm(), st.expon(scale=2.0), st.gamma(2.5, 0.0, 1.5)


def logs(rv, x):
    return rv.logpdf(x) - rv.logcdf(x)


def horner(x):
    p = np.poly1d(x[:2])
    for k in range(3):
        p = p * 0.5 + x[k]
    return p(x)


def either(x):
    rv = st.norm(x[0], 1.0) if x[0] > 0.5 else st.norm(x[1], 2.0)
    return rv.logpdf(x)


CALLS = {
    "poly1d": lambda x: np.poly1d(x[:3])(x) + np.poly1d(x[:3]).deriv()(x) + np.poly1d(x[:3]).integ(k=0.5)(x),
    "poly1d, parts": lambda x: np.concatenate(
        [np.poly1d(x).c, np.poly1d(x).coef, np.polyval(np.poly1d(x), x), x[:2] * np.poly1d(x)[2] + np.poly1d(x)[9]]
    )
    + np.poly1d(x).order * len(np.poly1d(x)),
    "poly1d, leading zeros": lambda x: np.poly1d([0.0, 0.0, x[0]])(x) * np.poly1d([0.0, 0.0, x[0]]).o
    + np.poly1d(0.0 * x).coeffs[0],
    "poly1d, zeros": lambda x: np.poly1d(x[:3], True)(x) + np.poly1d([1, 2])(3),
    "poly1d, operators": lambda x: ((np.poly1d(x[:3]) * np.poly1d(x[3:]) - 2.0) ** 2 / 3.0)(x)
    + (1.0 - (-np.poly1d(x)) * 0.5 + x[:2] - np.poly1d(x[:2]))(0.3),
    "poly1d of a fit": lambda x: np.poly1d(np.polyfit(np.arange(6.0), x, 2))(np.linspace(0.0, 1.0, 3)),
    "poly1d, in a loop": horner,
    "Polynomial": lambda x: Polynomial(x[:3])(x) + Polynomial(x[:3]).deriv(2)(x) + Polynomial(x[:3]).integ(2)(x),
    "Polynomial, domain": lambda x: (
        Polynomial(x[:3], [0.0, 2.0 + x[0]])(x)
        + Polynomial(x[:3], domain=[0, 2]).deriv()(x)
        + Polynomial(x[:3], domain=[0, 2]).integ(lbnd=0.5)(x)
        + Polynomial(x[:3], [0, 2], [0.0, 1.0]).convert(domain=[-2.0, 1.0]).coef[2]
    ),
    "Polynomial of a fit": lambda x: np.concatenate(
        [p.coef for p in (Polynomial.fit(np.arange(6.0), x, 2), Polynomial.fit(np.arange(6.0), x, 2).convert().deriv())]
        + [Polynomial.fit(x, np.arange(6.0), 1, w=x).domain]
    ),
    "Polynomial, operators": lambda x: (
        (x[0] * Polynomial(x[:3]) * Polynomial(x[3:]) - 2.0 + Polynomial([1, 2])) ** 2 / x[1]
    )(x)
    + (1 - (-Polynomial(x)))(0.3)
    + Polynomial(x).degree()
    + npp.Polynomial(x).copy()(x)
    + Polynomial(x).mapparms()[1],
    "distribution": lambda x: (
        st.norm(x[0], scale=x[1]).pdf(x) + st.gamma(x[0], scale=2.0).logpdf(x) + st.poisson(x[2]).logpmf(3)
    ),
    "distribution, in a helper": lambda x: logs(st.norm(x[0], 2.0), x) + logs(st.norm(), x),
    "distribution, on one path": either,
    "distributions of the module": lambda x: STANDARD.ppf(x) + WAITING.sf(x) + SHAPED.pdf(x),
    "distributions in a list": lambda x: sum(rv.logpdf(x) for rv in [st.gamma(a, scale=2.0) for a in (1.0, 2.0)]),
    "several variables": lambda x: st.multivariate_normal(x[:3], np.diag(x[3:])).logpdf(x[:3] ** 2) * x,
    "intervals": lambda x: np.array(st.norm.interval(0.9, x[0], x[1]) + st.t(5.0).interval(confidence=x[2])),
    "fit": lambda x: np.array(st.norm.fit(x)),
    "normal, mean and covariance left out": lambda x: np.stack(
        [st.multivariate_normal.logpdf(x), st.multivariate_normal.pdf(x, 0.3, x[0]), st.multivariate_normal.logpdf(x, 0, [[2.0]])]
    )
    + st.multivariate_normal.logpdf(x, cov=np.diag(x))
    + st.multivariate_normal.logpdf(x, x**2, x)
    + st.multivariate_normal.logpdf(x, mean=x**2),
}  # fmt: skip


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", CALLS)
def test_objects(name):
    f = CALLS[name]
    g = linear_grad(f, backend="interpret", cache=False)
    d = np.linspace(-1.0, 1.0, 6)
    value, tangent = g.jvp((X,), (d,))
    np.testing.assert_allclose(value, f(X), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(tangent, (f(X + 1e-6 * d) - f(X - 1e-6 * d)) / 2e-6, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "f", [lambda x: Polynomial(x).deriv().coef, lambda x: Polynomial(x).integ().coef]
)
def test_single_precision_stays(f):
    x = X.astype(np.float32)
    ours = linear_grad(f, backend="interpret", cache=False)(x)
    assert ours.dtype == f(x).dtype == np.float32
    np.testing.assert_allclose(ours, f(x), rtol=1e-6)


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda x: np.poly1d(x).r, "which roots there are"),
        (lambda x: Polynomial(x).roots(), "which roots there are"),
        (lambda x: x[0] * np.poly1d(x), "of which NumPy makes an array"),
        (lambda x: np.poly1d(x), "a `poly1d` as a result"),
        (lambda x: slice(0, 2), "a `slice` as a result"),
        (lambda x: st.norm(0.0, x[0]), "a `norm` as a result"),
        (lambda x: Rotation.from_rotvec(x[:3]), "a `Rotation` as a result"),
        (lambda x: [scipy.optimize.root_scalar(lambda t: t - x[0], bracket=(0.0, 9.0))], "a `RootResults` as a result"),
        (lambda x: st.norm(0.0, 1.0).rvs(3) + x[:3], "is not known"),
    ],
)
def test_what_is_refused(f, words):
    with pytest.raises(LinadError, match=words):
        linear_grad(f, backend="interpret", cache=False)(X)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (Polynomial(x, [0, 1]) + Polynomial(x)).coef,
        lambda x: st.multivariate_normal.logpdf(x, cov=-1.0),
        lambda x: st.multivariate_normal.logpdf(x, cov=0.0),
    ],
)
def test_exceptions_are_those_of_the_libraries(f):
    with pytest.raises((TypeError, ValueError)) as theirs:
        f(X)
    with pytest.raises((TypeError, ValueError)) as ours:
        linear_grad(f, backend="interpret", cache=False)(X)
    assert type(ours.value) is theirs.type or issubclass(theirs.type, type(ours.value))
