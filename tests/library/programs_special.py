"""Plain Python programs that call functions of math, numpy and scipy.special; run by test_special.py."""

# ruff: noqa
import math

import numpy as np
from scipy import special


def normal_law(x):
    return special.ndtr(x), special.log_ndtr(x), special.erfcx(x), special.erf(x), special.erfc(x), special.ndtri(special.ndtr(x))


def inverses(p):
    return special.erfinv(2.0 * p - 1.0), special.erfcinv(p), special.logit(p), special.ndtri(p)


def logistic(x):
    return special.expit(x), special.log_expit(x), special.logit(special.expit(x))


def entropies(x, y):
    return special.xlogy(x, y), special.xlog1py(x, y), special.entr(x), special.rel_entr(x, y), special.kl_div(x, y)


def gammas(x):
    return special.gammaln(x), special.gamma(x), special.digamma(x), special.psi(x), special.polygamma(1, x), special.polygamma(2, x)


def bessels(x):
    return special.i0(x), special.i1(x), special.i0e(x), special.i1e(x), special.j0(x), special.j1(x), special.iv(2, x), special.jv(3, x)


def numpy_pairs(x, y):
    return np.logaddexp2(x, y), np.fmod(x, y), np.fmin(x, y), np.fmax(x, y), np.heaviside(x, y), np.float_power(np.abs(x), y), np.copysign(x, y)


def numpy_singles(x):
    return np.sinc(x), np.i0(x).item(), np.signbit(x), np.fix(x), np.positive(x), np.isposinf(x), np.isneginf(x), np.nan_to_num(x)


def sincs(x):
    return np.sinc(x), np.i0(np.abs(x))


def tests_of(x, y):
    return np.isclose(x, y), math.isclose(x, y), math.isclose(x, y, abs_tol=0.5), np.isclose(x, y, rtol=0.5), np.logical_xor(x > 0.0, y > 0.0)


def parts(x):
    a, b = math.modf(x)
    c, d = np.modf(x)
    return a, b, c, d, math.ldexp(x, 3), math.ldexp(x, -5), np.ldexp(x, 2)


def remainders(x, y):
    return math.fmod(x, y), math.remainder(x, y)


def norms(x, y):
    return math.hypot(x, y, 2.0), math.hypot(x), math.hypot(), math.dist((x, 1.0), (y, -2.0)), math.prod((x, y, 2.0)), math.prod((x, y), start=3)


def logs(x):
    return math.log(x, 2.0), math.exp2(x), math.cbrt(x), math.log2(x)


def whole(n, k):
    return math.comb(n, k), math.perm(n, k), math.perm(n), math.factorial(k), math.gcd(n, k, 4), math.lcm(n, k), math.isqrt(n), np.gcd(n, k), np.lcm(n, k), np.fmod(n, k + 1)


def bits(n, k):
    return np.invert(n), np.left_shift(n, k), np.right_shift(n, k), np.divmod(n, k + 1)


def counts(n, k):
    return math.comb(n, k)


def factorial(n):
    return math.factorial(n)
