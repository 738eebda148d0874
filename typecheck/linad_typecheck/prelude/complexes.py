"""Arithmetic and functions of complex numbers, by their real and imaginary parts.

The formulas are those of C99's annex G where no part is infinite; branch cuts are those of NumPy and of `cmath`.
"""

from __future__ import annotations

import numpy as np

from . import constant, implements, pair


# -------------------------------------------------------------------------------------------------------- arithmetic


@implements("%complex operator.add", "%complex numpy.add")
def add(a, b):
    if not np.iscomplexobj(a):
        return pair(a + b.real, b.imag + 0.0 * a if np.ndim(a) > 0 else b.imag)
    if not np.iscomplexobj(b):
        return pair(a.real + b, a.imag + 0.0 * b if np.ndim(b) > 0 else a.imag)
    return pair(a.real + b.real, a.imag + b.imag)


@implements("%complex operator.sub", "%complex numpy.subtract")
def subtract(a, b):
    return add(a, -b)


@implements("%complex operator.neg", "%complex numpy.negative")
def negative(z):
    return pair(-z.real, -z.imag)


@implements("%complex operator.mul", "%complex numpy.multiply")
def multiply(a, b):
    if not np.iscomplexobj(a):
        return pair(a * b.real, a * b.imag)
    if not np.iscomplexobj(b):
        return pair(a.real * b, a.imag * b)
    x, y, u, v = a.real, a.imag, b.real, b.imag
    return pair(x * u - y * v, x * v + y * u)


def _scale(z):
    """The larger of the parts' absolute values, without a derivative: it cancels in what is divided by it."""
    if np.ndim(z.real) > 0:
        return constant(np.maximum(np.abs(z.real), np.abs(z.imag)))
    return constant(max(abs(z.real), abs(z.imag)))


@implements("%complex operator.truediv", "%complex numpy.divide", "%complex numpy.true_divide")
def divide(a, b):
    if not np.iscomplexobj(b):
        return pair(a.real / b, a.imag / b)
    s = _scale(b)
    u, v = b.real / s, b.imag / s
    d = s * (u * u + v * v)
    if not np.iscomplexobj(a):
        return pair(a * u / d, -(a * v) / d)
    x, y = a.real, a.imag
    return pair((x * u + y * v) / d, (y * u - x * v) / d)


@implements("%complex numpy.reciprocal")
def reciprocal(z):
    return divide(1.0, z)


@implements("%complex numpy.square")
def square(z):
    x, y = z.real, z.imag
    return pair(x * x - y * y, 2.0 * x * y)


def _by_int(z, n):
    """``z ** n`` by repeated squaring."""
    power = z
    total = pair(np.ones_like(z.real), np.zeros_like(z.real)) if np.ndim(z.real) > 0 else pair(1.0, 0.0)
    left = abs(n)
    while left > 0:
        if left % 2 == 1:
            total = multiply(total, power)
        left = left // 2
        if left > 0:
            power = square(power)
    return divide(1.0, total) if n < 0 else total


@implements("%complex operator.pow", "%complex numpy.power", "%complex builtins.pow", "%complex numpy.float_power")
def power(a, b):
    if isinstance(b, int):
        if b == 2:
            return square(a)
        return _by_int(a, b)
    size, turn = (np.abs(a), np.angle(a))
    known = size > 0.0
    logarithm = np.log(np.where(known, size, 1.0))
    e = np.where(known, np.exp(b.real * logarithm - b.imag * turn), np.where(b.real == 0.0, 1.0, 0.0))
    angle = b.imag * logarithm + b.real * turn
    return pair(e * np.cos(angle), e * np.sin(angle))


@implements("%complex operator.eq", "%complex numpy.equal")
def equal(a, b):
    return (a.real == b.real) & (a.imag == b.imag)


@implements("%complex numpy.not_equal")
def not_equal(a, b):
    return (a.real != b.real) | (a.imag != b.imag)


# ------------------------------------------------------------------------------------------------------------- parts


@implements("%complex numpy.iscomplexobj")
def iscomplexobj(x):
    return True


@implements("%complex numpy.isrealobj")
def isrealobj(x):
    return False


@implements("%complex numpy.iscomplex")
def iscomplex(x):
    return x.imag != 0.0


@implements("%complex numpy.isreal")
def isreal(x):
    return x.imag == 0.0


@implements("%complex numpy.isscalar")
def isscalar(element):
    return np.isscalar(element.real)


@implements("%complex numpy.real_if_close")
def real_if_close(a, tol=100):
    """The real part. An imaginary part that is too large to be left out raises, because types are known before."""
    limit = tol * 2.220446049250313e-16 if tol > 1 else tol
    if not np.all(np.abs(a.imag) < limit):
        raise ValueError("the result of `np.real_if_close` is complex: test it, and use `.real` where it is not")
    return a.real


@implements("%complex numpy.sort_complex")
def sort_complex(a):
    if a.ndim == 1:
        order = np.lexsort((a.imag, a.real))
        return pair(a.real[order], a.imag[order])
    if a.ndim != 2:
        raise TypeError("is of an array of rank 1 or 2 here")
    re, im = a.real.copy(), a.imag.copy()
    for i in range(len(re)):
        order = np.lexsort((im[i], re[i]))
        re[i] = re[i][order]
        im[i] = im[i][order]
    return pair(re, im)


@implements("%complex builtins.bool")
def truth(z):
    return bool((z.real != 0.0) | (z.imag != 0.0))


@implements("%complex numpy.real")
def real(val):
    return val.real


@implements("%complex numpy.imag")
def imag(val):
    return val.imag


@implements("%complex numpy.conj", "%complex numpy.conjugate")
def conjugate(z):
    return pair(z.real, -z.imag)


@implements("%complex numpy.abs", "%complex numpy.absolute", "%complex builtins.abs")
def absolute(z):
    return np.hypot(z.real, z.imag)


@implements("%complex numpy.angle")
def angle(z, deg=False):
    turn = np.arctan2(z.imag, z.real)
    return turn * (180.0 / np.pi) if deg else turn


@implements("%complex numpy.isnan", "%complex cmath.isnan")
def isnan(z):
    return np.isnan(z.real) | np.isnan(z.imag)


@implements("%complex numpy.isinf", "%complex cmath.isinf")
def isinf(z):
    return np.isinf(z.real) | np.isinf(z.imag)


@implements("%complex numpy.isfinite", "%complex cmath.isfinite")
def isfinite(z):
    return np.isfinite(z.real) & np.isfinite(z.imag)


@implements("%complex numpy.any")
def any_(a, axis=None):
    return np.any((a.real != 0.0) | (a.imag != 0.0), axis=axis)


@implements("%complex numpy.all")
def all_(a, axis=None):
    return np.all((a.real != 0.0) | (a.imag != 0.0), axis=axis)


@implements("%complex numpy.isclose")
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    near = (np.abs(a - b) <= atol + rtol * np.abs(b)) & np.isfinite(b)
    if equal_nan:
        near = near | (np.isnan(a) & np.isnan(b))
    return near | (a == b)


@implements("%complex numpy.allclose")
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return np.all(isclose(a, b, rtol, atol, equal_nan))


@implements("%complex numpy.ones_like")
def ones_like(a):
    return pair(np.ones_like(a.real), np.zeros_like(a.real))


@implements("%complex numpy.full_like")
def full_like(a, fill_value):
    return pair(np.full_like(a.real, np.real(fill_value)), np.full_like(a.real, np.imag(fill_value)))


# ----------------------------------------------------------------------------------------------- functions of numbers


@implements("%complex numpy.exp")
def exp(z):
    e = np.exp(z.real)
    return pair(e * np.cos(z.imag), e * np.sin(z.imag))


@implements("%complex numpy.log", "%complex numpy.emath.log", "%complex numpy.lib.scimath.log")
def log(z):
    return pair(np.log(np.hypot(z.real, z.imag)), np.arctan2(z.imag, z.real))


@implements("%complex numpy.log10", "%complex numpy.emath.log10", "%complex numpy.lib.scimath.log10")
def log10(z):
    return log(z) * 0.4342944819032518


@implements("%complex numpy.log2", "%complex numpy.emath.log2", "%complex numpy.lib.scimath.log2")
def log2(z):
    return log(z) * 1.4426950408889634


@implements("%complex numpy.sqrt", "%complex numpy.emath.sqrt", "%complex numpy.lib.scimath.sqrt")
def sqrt(z):
    x, y = z.real, z.imag
    t = np.sqrt(0.5 * (np.abs(x) + np.hypot(x, y)))
    q = 0.5 * y / np.where(t > 0.0, t, 1.0)
    return pair(np.where(x >= 0.0, t, np.abs(q)), np.where(x >= 0.0, q, np.copysign(t, y)))


@implements("%complex numpy.sin")
def sin(z):
    x, y = z.real, z.imag
    return pair(np.sin(x) * np.cosh(y), np.cos(x) * np.sinh(y))


@implements("%complex numpy.cos")
def cos(z):
    x, y = z.real, z.imag
    return pair(np.cos(x) * np.cosh(y), -(np.sin(x) * np.sinh(y)))


@implements("%complex numpy.sinh")
def sinh(z):
    x, y = z.real, z.imag
    return pair(np.sinh(x) * np.cos(y), np.cosh(x) * np.sin(y))


@implements("%complex numpy.cosh")
def cosh(z):
    x, y = z.real, z.imag
    return pair(np.cosh(x) * np.cos(y), np.sinh(x) * np.sin(y))


@implements("%complex numpy.tanh")
def tanh(z):
    t = np.tanh(z.real)
    c = 1.0 / np.cosh(z.real)
    s, k = np.sin(z.imag), np.cos(z.imag)
    d = k * k + (t * s) ** 2
    return pair(t / d, c * c * s * k / d)


@implements("%complex numpy.tan")
def tan(z):
    turned = tanh(pair(-z.imag, z.real))
    return pair(turned.imag, -turned.real)


# Inverse functions, by the formulas of W. Kahan, Branch Cuts for Complex Elementary Functions, 1987


@implements("%complex numpy.arcsin", "%complex numpy.asin")
def arcsin(z):
    below, above = sqrt(pair(1.0 - z.real, -z.imag)), sqrt(pair(1.0 + z.real, z.imag))
    real_ = below.real * above.real - below.imag * above.imag
    return pair(np.arctan2(z.real, real_), np.arcsinh(below.real * above.imag - below.imag * above.real))


@implements("%complex numpy.arccos", "%complex numpy.acos")
def arccos(z):
    below, above = sqrt(pair(1.0 - z.real, -z.imag)), sqrt(pair(1.0 + z.real, z.imag))
    real_ = 2.0 * np.arctan2(below.real, above.real)
    return pair(real_, np.arcsinh(above.real * below.imag - above.imag * below.real))


@implements("%complex numpy.arctanh", "%complex numpy.atanh")
def arctanh(z):
    x, y = z.real, z.imag
    return pair(
        0.25 * np.log1p(4.0 * x / ((1.0 - x) ** 2 + y * y)), 0.5 * np.arctan2(2.0 * y, (1.0 - x) * (1.0 + x) - y * y)
    )


@implements("%complex numpy.arcsinh", "%complex numpy.asinh")
def arcsinh(z):
    turned = arcsin(pair(-z.imag, z.real))
    return pair(turned.imag, -turned.real)


@implements("%complex numpy.arctan", "%complex numpy.atan")
def arctan(z):
    turned = arctanh(pair(-z.imag, z.real))
    return pair(turned.imag, -turned.real)


# -------------------------------------------------------------------------------------------------------- reductions


@implements("%complex numpy.prod")
def prod(a):
    total = pair(1.0, 0.0)
    for k in range(a.size):
        total = total * np.ravel(a)[k]
    return total


@implements("%complex numpy.var")
def var(a, axis=None, ddof=0):
    if axis is None:
        d = a - np.mean(a)
        return np.sum(d.real**2 + d.imag**2) / (np.size(a) - ddof)
    d = a - np.mean(a, axis=axis, keepdims=True)
    return np.sum(d.real**2 + d.imag**2, axis=axis) / (a.shape[axis] - ddof)


@implements("%complex numpy.std")
def std(a, axis=None, ddof=0):
    return np.sqrt(np.var(a, axis=axis, ddof=ddof))


@implements("%complex numpy.vdot")
def vdot(a, b):
    return np.sum(np.conj(np.ravel(a)) * np.ravel(b))


@implements("%complex numpy.linalg.norm")
def norm(x, ord=None, axis=None, keepdims=False):
    return np.linalg.norm(np.abs(x), ord, axis, keepdims) if x.ndim == 1 or axis is not None else _of_matrix(x, ord)


def _of_matrix(x, ord):
    if ord is not None and ord != "fro":
        raise TypeError("of complex matrices is the Frobenius norm only")
    return np.sqrt(np.sum(x.real**2 + x.imag**2))


@implements("%complex numpy.polyval")
def polyval(p, x):
    total = 0.0 * x
    for k in range(len(p)):
        total = total * x + p[k]
    return total


@implements("%complex numpy.correlate")
def correlate(a, v, mode="valid"):
    return np.convolve(a, np.conj(v)[::-1], mode)


# ---------------------------------------------------------------------------------------------------- linear algebra


def _as_real(a):
    """The real matrix that does to the stacked parts what ``a`` does."""
    x, y = np.real(a), np.imag(a)
    return np.concatenate((np.concatenate((x, -y), axis=1), np.concatenate((y, x), axis=1)), axis=0)


@implements("%complex numpy.linalg.solve", "%complex scipy.linalg.solve")
def solve(a, b):
    n = a.shape[0]
    if np.real(b).ndim == 1:
        found = np.linalg.solve(_as_real(a), np.concatenate((np.real(b), np.imag(b))))
    else:
        found = np.linalg.solve(_as_real(a), np.concatenate((np.real(b), np.imag(b)), axis=0))
    return pair(found[:n].copy(), found[n:].copy())


@implements("%complex numpy.linalg.inv", "%complex scipy.linalg.inv")
def inv(a):
    n = a.shape[0]
    found = np.linalg.inv(_as_real(a))
    return pair(found[:n, :n].copy(), found[n:, :n].copy())


@implements("%complex numpy.linalg.det", "%complex scipy.linalg.det")
def det(a):
    """By elimination with partial pivoting."""
    n = a.shape[0]
    if n != a.shape[1]:
        raise ValueError("det of a matrix that is not square")
    re, im = a.real.copy(), a.imag.copy()
    total = pair(1.0, 0.0)
    for k in range(n):
        p = k + np.argmax(re[k:, k] ** 2 + im[k:, k] ** 2)
        if p != k:
            total = -total
            for j in range(n):
                re[k, j], re[p, j] = re[p, j], re[k, j]
                im[k, j], im[p, j] = im[p, j], im[k, j]
        pivot = pair(re[k, k], im[k, k])
        total = total * pivot
        if re[k, k] == 0.0 and im[k, k] == 0.0:
            break
        for i in range(k + 1, n):
            m = pair(re[i, k], im[i, k]) / pivot
            for j in range(k + 1, n):
                t = m * pair(re[k, j], im[k, j])
                re[i, j] -= t.real
                im[i, j] -= t.imag
    return total


# ------------------------------------------------------------------------------------------------------------- cmath


@implements("%complex cmath.log")
def logarithm(z):
    if z.real == 0.0 and z.imag == 0.0:
        raise ValueError("math domain error")
    return log(z)


@implements("%complex cmath.polar")
def polar(z):
    return np.abs(z), np.angle(z)
