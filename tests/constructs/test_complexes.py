"""Complex numbers: values against CPython, derivatives against differences, conversions at the call, and refusals."""

from __future__ import annotations

import cmath
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linad
from linad import LinadError, hvp, linear_grad
from linad.testing import check_grads

from ..examples_of import quick, some
from ..kit import load

HEAD = "import cmath\nimport math\nimport numpy as np\nimport scipy.fft as sf\nimport scipy.signal as sg\n\nZ0 = 2.0 - 1.5j\n\n\ndef turned(z, t):\n    return z * cmath.exp(1j * t)\n\n\n"
R = np.random.default_rng(5)
X, Y = R.random(5) + 0.25, R.random(5) - 0.5
# expressions of an array `z` and a number `w`, of parts `x` and `y`
EXPRESSIONS = """
    z + w | z - w | w - z | z * w | z / w | w / z | 2 / w | w / 2.0 | x * w | z - x | x + w | -z | +w | z ** 2 | w ** 3 | w ** -2
    w ** 0.5 | w ** 1.5 | 2.0 ** w | w ** w | z ** 3 | z ** 0 | pow(w, 2) | z * z.conjugate() | abs(w) | abs(z) | z.real | w.imag
    w == w | z == z[::-1] | w != 1j | bool(w) | 1.0 if w else 2.0 | not w | np.any(z) | np.all(z - z[0])
    np.exp(z) | np.log(z) | np.log10(w) | np.log2(w) | np.sqrt(z) | np.sqrt(-z) | np.sin(z) | np.cos(z) | np.tan(z) | np.sinh(z)
    np.cosh(z) | np.tanh(z) | np.square(z) | np.reciprocal(z) | np.conj(z) | np.abs(z) | np.angle(z) | np.angle(w, deg=True)
    np.real(z) | np.imag(z) | np.multiply(z, w) | np.add(z, 1) | np.divide(1, z) | np.power(z, 2) | np.isfinite(z) | np.isnan(w)
    np.isclose(z, z + 1e-12) | np.allclose(z, z) | np.iscomplexobj(z) + np.isrealobj(z) | np.isreal(z * 1j)
    cmath.exp(w) | cmath.log(w) | cmath.sqrt(w) | cmath.sqrt(-2.0) | cmath.phase(w) | cmath.polar(w)[0] | cmath.rect(x[0], y[0])
    np.arcsin(z) | np.arccos(z) | np.arctan(z) | np.arcsinh(z) | np.arctanh(z * 0.5) | cmath.asin(w) | cmath.acos(w) | cmath.atan(w)
    np.real_if_close(z - 1j * z.imag) | np.real_if_close(x) | np.sort_complex(z) | np.sort_complex(x) | np.sort_complex(np.outer(z, x))
    w.conjugate().real | z[:1].item() | np.isscalar(w) + 2 * np.isscalar(z) | np.emath.sqrt(z) | cmath.sin(w) | cmath.tanh(w) | cmath.isinf(w) | turned(w, y[1]) | complex(x[0], y[1]) | complex(x[0]) | np.complex128(w) | Z0 * w
    z.sum() | np.sum(z) | np.mean(z) | np.prod(z) | np.var(z) | np.std(z) | np.cumsum(z) | np.diff(z) | np.trapezoid(z) | sum(z)
    sum([v * 2 for v in z]) | np.dot(z, z) | z @ z | np.vdot(z, z) | np.outer(z, z) | np.convolve(z, z) | np.correlate(z, z[:3])
    np.linalg.norm(z) | np.where(x > 0.5, z, 0) | np.where(x > 0.5, x, z) | np.concatenate((z, z[:2])) | np.stack((z, x)) | np.roll(z, 1)
    z[1] | z[-1] | z[1:4] | z[::2] | z[x > 0.5] | z[np.array([0, 2])] | z.size + z.ndim + len(z) + z.shape[0] | z.reshape(5, 1).T
    np.array([w, 2.0, 1j]) | np.array([1.0, 2.0], dtype=complex) | np.array([v * 1j for v in x]) | np.array([v for v in z if v.real > 0.5])
    x.astype(complex) * 1j | np.zeros(3, dtype=complex) + w | np.full(3, w) | np.ones_like(z) * w | np.zeros_like(z) + w | z.astype(complex)
    np.interp(0.5, x.cumsum(), z) | np.polyval([1.0, 2.0, 3.0], w) | np.einsum("i,i->", z, x) | np.tile(z, 2) | np.round(z, 1) | np.nan_to_num(z) | np.linspace(0, w, 4) | np.array([[w, 1], [0, w]]) @ np.array([1, 1j]) | z.copy() | z.conj().real
    np.linalg.solve(np.outer(z, x) + np.diag(x + 2), z) | np.linalg.inv(np.diag(z) + 1) | np.linalg.det(np.outer(z, x) + np.diag(z))
    np.fft.fft(z) | np.fft.ifft(z) | np.fft.fft(x) | np.fft.rfft(x) | np.fft.irfft(z) | np.fft.irfft(z, 7) | np.fft.fft(z, 8) | np.fft.fft(z, 3)
    np.fft.ifft(z, norm="ortho") | np.fft.fft2(np.outer(z, x[:4])) | np.fft.ifft2(np.outer(x[:3], y)) | np.fft.fftshift(np.fft.fft(x[:4]))
    np.fft.fft(np.outer(x[:3], z), axis=0) | np.fft.irfft(np.fft.rfft(x) * np.fft.rfft(y), n=5) | sf.fft(z) | sf.ifft(z, 6) | sf.rfft(x, norm="forward") | sf.irfft(z) | sg.hilbert(x) | sg.hilbert(x[:4], 6) | sg.hilbert(np.outer(x, y), axis=0)
    np.fft.fftn(np.outer(x[:3], z)) | np.fft.ifftn(np.outer(x[:3], z)) | np.fft.rfft2(np.outer(x[:3], x))
    np.fft.irfft2(np.fft.rfft2(np.outer(x[:2], x[:3])), (2, 3))
"""
TEXTS = [text.strip() for line in EXPRESSIONS.strip().splitlines() for text in line.split(" | ")]
PROGRAMS = {
    "cells": """
        c = np.zeros(len(x), dtype=complex)
        for k in range(len(x)):
            c[k] = complex(x[k], y[k]) * Z0
        c[1:] += c[:-1]
        c *= 2
        c[0] -= 1.5
        c[2:4] = c[:2] * 1j
        c.real[1] = x[0]
        return c
    """,
    "real and complex on two paths": """
        c = 0
        for k in range(len(x)):
            c = c * w + x[k] if y[k] > 0 else c + 1j
            if abs(c) > 4:
                break
        return c
    """,
    "loops over cells": """
        total, c = 0.0, 1 + 0j
        for v, t in zip(z, x):
            c = turned(c + v, t)
            total += c.real * abs(v)
        return total + c
    """,
    "lists": """
        found = []
        for v in z:
            if v.imag > 0.0 or not found:
                found.append(v ** 2)
        return sum(found) + found[-1] + np.array(found).sum()
    """,
    "views": """
        c = z[1:]
        c += 1j
        z.real = x * 2
        z.imag[0] = 3.0
        z.real[1:] -= w.real
        d = z.reshape(1, 5).T
        d[0, 0] *= 2
        return z
    """,
    "values that may be None": """
        c = None
        for v in z:
            if v.imag > 0:
                c = v * 2
        return w if c is None else c
    """,
    "unpacking": """
        a, b, *_ = w, 1j, x[0]
        p, q, r, s, t = z
        z.fill(2j)
        return a * b + p * q - r / s + t + z[3]
    """,
    "two names": """
        c = z.copy()
        d = c
        d[0] = 5j
        return c
    """,
    "nested functions": """
        def step(c, n):
            return c if n == 0 else step(c * c + w, n - 1)
        return step(0j, 4)
    """,
    "tuples": """
        pair = (w, x[0])
        a, (b, c) = w * 2, pair
        return a * b + c
    """,
    "items": """
        zs, ws, d, n = [x[0]], [1.0] * len(x), {}, len(x)
        for i in range(n):
            zs.append(x[i] if i % 2 else x[i] * 1j)
            d[i % 2] = d.get(i % 2, 0.0) + zs[i]
        ws[0] = 1j
        ws[1] *= x[1]
        us = [0j] * n
        us[-1] += y[0]
        us[0], vs = x[1], [0] * n
        for i in range(1, n):
            vs[i] = z[i] * vs[i - 1] + y[i]
            vs[0] += 1j * i
        A = [[x[i] + 1j * i * j for j in range(2)] for i in range(n)]
        A[1][0] *= 2
        it = iter(z)
        d[0] *= next(it) + sum(it)
        return math.prod(zs) + d[0] * d[1] + sum(ws) + us[-1] * A[1][0] + us[0] * sum(vs) + sum(v * v for row in A for v in row)
    """,
}


def program(body: str) -> str:
    return HEAD + f"def f(x, y):\n    z, w = x + 1j * y, complex(x[0], y[0])\n{body}\n"


def real(value: object) -> float:
    """A real number of a value, with other weights for each part."""
    value = np.asarray(value)
    weights = np.cos(np.arange(value.size)).reshape(value.shape)
    return np.sum(value.real * weights) + 0.5 * np.sum(value.imag * weights)


BODIES = {text: f"    return {text}" for text in TEXTS} | {
    name: "\n".join(line[4:] for line in body.splitlines()) for name, body in PROGRAMS.items()
}


SEVERAL_AXES = re.compile(r"fft2|fftn|irfft\(np|sf\.irfft")  # each takes seconds; everyday runs transform one axis
EACH = [pytest.param(b, marks=pytest.mark.thorough) if SEVERAL_AXES.search(b) else b for b in BODIES]


@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", EACH)
def test_values_and_derivatives(name):
    """The value is CPython's, with its type; a derivative along a direction is that of differences, and the dot product
    with that of reverse mode agrees."""
    f = load(program(BODIES[name]))
    g, plain = linear_grad(f, backend="interpret"), f(X, Y)
    ours = g(X, Y)
    assert np.iscomplexobj(ours) == np.iscomplexobj(plain) and np.shape(ours) == np.shape(plain)
    assert isinstance(ours, np.ndarray) == isinstance(plain, np.ndarray)
    np.testing.assert_allclose(ours, plain, rtol=1e-12, atol=1e-13)
    if np.asarray(plain).dtype.kind not in "cf":
        return
    dx, dy, h = np.sin(1.0 + np.arange(5)), np.cos(np.arange(5)), 1e-6
    tangent = g.jvp((X, Y), (dx, dy))[1]
    away = (real(f(X + h * dx, Y + h * dy)) - real(f(X - h * dx, Y - h * dy))) / (2 * h)
    np.testing.assert_allclose(real(tangent), away, rtol=2e-6, atol=2e-7)
    value, pullback = g.vjp(X, Y)
    weights = np.cos(np.arange(np.size(plain))).reshape(np.shape(plain))
    cotangent = weights + 0.5j * weights if np.iscomplexobj(plain) else weights
    cotangent = cotangent if isinstance(plain, np.ndarray) else np.asarray(cotangent)[()]
    x_bar, y_bar = pullback(cotangent)
    np.testing.assert_allclose(x_bar @ dx + y_bar @ dy, real(tangent), rtol=1e-9, atol=1e-10)


NUMBERS = st.sampled_from(["z", "w", "x", "x[1]", "2.0", "1j", "(1-2j)", "Z0", "3"])
UNARY = st.sampled_from("-{} abs({}) np.exp({}*0.1) np.conj({}) np.sqrt({}+5) np.sin({}*0.1) ({}).real ({}).imag ({})**2".split())
BINARY = st.sampled_from("({}+{}) ({}-{}) ({}*{}) ({}/({}+7.5)) np.where(x>0.5,{},{})".split())
TREES = st.recursive(
    NUMBERS,
    lambda inner: st.builds(str.format, UNARY, inner) | st.builds(str.format, BINARY, inner, inner),
    max_leaves=8,
)


@quick(8)
@given(TREES)
def test_random_expressions(text):
    f = load(program(f"    return np.sum({text} + z)"))
    g = linear_grad(f, backend="interpret")
    np.testing.assert_allclose(g(X, Y), f(X, Y), rtol=1e-11, atol=1e-12)
    dx, dy = np.sin(1.0 + np.arange(5)), np.cos(np.arange(5))
    tangent = g.jvp((X, Y), (dx, dy))[1]
    x_bar, y_bar = g.vjp(X, Y)[1](1 + 0.5j)
    np.testing.assert_allclose(x_bar @ dx + y_bar @ dy, tangent.real + 0.5 * tangent.imag, rtol=1e-9, atol=1e-10)


# ------------------------------------------------------------------------------------------------ arguments and results


def reflection(z: complex, z0: complex = 50.0 + 0j) -> float:
    return abs((z - z0) / (z + z0))


def line(gamma, length, load, z0=50):
    t = np.tanh(gamma * length)
    return z0 * (load + z0 * t) / (z0 + load * t)


def shifted(z, w):
    z[0] = w * 2
    return np.sum(z * w).real


@pytest.mark.parametrize("backend", ["interpret", "numba"])
def test_complex_arguments_and_results(backend):
    f = linear_grad(reflection, backend=backend)
    z, z0 = 30.0 + 2.0j, 45.0 - 3.0j
    assert f(z) == pytest.approx(reflection(z)) and f(np.complex128(z), z0) == pytest.approx(reflection(z, z0))
    z_bar, z0_bar = f.grad(z, z0)
    for k, bar in enumerate((z_bar, z0_bar)):
        for unit, part in ((1.0, bar.real), (1j, bar.imag)):
            args = lambda h: [v + h * unit if n == k else v for n, v in enumerate((z, z0))]
            assert part == pytest.approx((reflection(*args(1e-5)) - reflection(*args(-1e-5))) / 2e-5, rel=1e-6)
    g = linear_grad(line, backend=backend)
    lengths = np.array([0.3, 0.2])
    np.testing.assert_allclose(g(0.1 + 2j, lengths, 100 - 5j), line(0.1 + 2j, lengths, 100 - 5j))
    value, pullback = g.vjp(0.1 + 2j, 0.3, 100 - 5j)
    bars, (_, tangent) = pullback(1 + 2j), g.jvp((0.1 + 2j, 0.3, 100 - 5j), (1j, 0.5, 1.0 - 1j))
    assert value == pytest.approx(line(0.1 + 2j, 0.3, 100 - 5j))
    assert bars[0].imag + 0.5 * bars[1] + bars[2].real - bars[2].imag == pytest.approx(tangent.real + 2 * tangent.imag)


def test_updates_of_complex_arrays_reach_the_caller():
    f = linear_grad(shifted, updates=("z",), backend="interpret")
    z = np.array([1j, 2.0])
    assert f(z, 2 + 1j) == 10.0 and z.tolist() == [4 + 2j, 2]


def magnitude(z: np.ndarray, pair: tuple[np.ndarray, np.ndarray]):
    return np.sum(np.abs(z)) + np.sum(np.abs(pair[0]) * pair[1])


def test_an_annotation_without_a_dtype_allows_complex_numbers():
    z = np.array([3 + 4j, 1j])
    f = linear_grad(magnitude, backend="interpret")
    assert f(z, (z, np.ones(2))) == magnitude(z, (z, np.ones(2)))
    np.testing.assert_allclose(f.grad(z, (z, np.ones(2)))[0], z / np.abs(z))
    typed = load("import numpy as np\nimport numpy.typing as npt\ndef f(z: npt.NDArray[np.float64]):\n    return z\n")
    with pytest.raises(LinadError, match="expected an array of float64, got an array of complex numbers of rank 1"):
        linear_grad(typed, backend="interpret")(z)


def test_what_a_helper_returns_as_a_view_or_a_copy_is_updated_in_both_parts():
    def flat(z):
        return z.T.reshape(-1)

    def f(z):
        v = flat(z * 1.0)
        v[0] = 2j
        return v * v

    def shared(z):
        b = z * 1.0
        v = flat(b)
        v[0] = 2j
        return b.real

    z = np.arange(6.0).reshape(2, 3) + 1j
    np.testing.assert_array_equal(linear_grad(f, backend="interpret")(z), f(z))
    with pytest.raises(LinadError, match="LIN101"):
        linear_grad(shared, backend="interpret")(z)


def test_help_for_an_update_names_the_array_and_not_its_real_part():
    with pytest.raises(LinadError, match=r"the caller's array `z` is updated(.|\n)*`z = z\.copy\(\)`"):
        linear_grad(shifted, backend="interpret")(np.array([1j, 2.0]), 2 + 1j)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("text", ["z * 2", "np.fft.fft(z)", "np.fft.ifft(z.real)", "np.fft.rfft(z.real)", "np.fft.irfft(z)"])
def test_single_precision_stays(text):
    f = load(f"import numpy as np\ndef f(z):\n    return {text}\n")
    z = np.array([1 + 2j, 3j, 2], np.complex64)
    ours, plain = linear_grad(f, backend="interpret")(z), f(z)
    assert ours.dtype == plain.astype(np.complex64).real.dtype if ours.dtype.kind == "f" else ours.dtype == np.complex64
    np.testing.assert_allclose(ours, plain, rtol=1e-5, atol=1e-6)


def test_numbers_that_are_close():
    a = np.array([1j, np.inf, np.nan, 1.0, 2.0 + 1e-12j])
    b = np.array([1j, np.inf, np.nan, np.inf, 2.0])
    for options in ("", ", equal_nan=True", ", rtol=0.5"):
        f = load(f"import numpy as np\ndef f(a, b):\n    return np.isclose(a, b{options}), np.allclose(a, b{options})\n")
        for ours, plain in zip(linear_grad(f, backend="interpret")(a, b), f(a, b), strict=True):
            np.testing.assert_array_equal(ours, plain)


@pytest.mark.interpreted
@pytest.mark.thorough
def test_second_derivatives():
    f = linear_grad(load(program("    return np.sum(np.abs(np.fft.fft(z * w)) ** 2)")), backend="interpret")
    check_grads(f, (X, Y), order=2)
    assert np.isfinite(hvp(f, (X, Y), (X, Y))[0]).all()


def size(z):
    return np.sum(np.abs(z * z - 1j))


def stretched(x):
    return x * (1 + 2j)


@pytest.mark.interpreted
def test_transforms():
    """Of functions with complex results, and by complex arguments where the derivative is a complex number."""
    z, x, eye = np.array([1 + 1j, 0.5]), np.array([1.0, 2.0]), np.diag([1 + 2j, 1 + 2j])
    bar = linear_grad(size, backend="interpret").grad(z)
    for found in (linad.grad(size)(z), linad.value_and_grad(size)(z)[1], linad.vjp(size, z)[1](1.0)[0]):
        np.testing.assert_allclose(found, bar)
    for jacobian in (linad.jacfwd, linad.jacrev):
        np.testing.assert_allclose(jacobian(stretched)(x), eye)
    np.testing.assert_allclose(linad.vmap(stretched)(x), stretched(x))
    assert linad.linearize(stretched, 2.0)[1](1.0) == 1 + 2j and linad.linear_transpose(stretched, 1.0)(1 + 1j) == (3.0,)
    along = lambda h: linear_grad(size, backend="interpret").grad(z + h * z)
    np.testing.assert_allclose(linad.hvp(size, (z,), (z,)), (along(1e-6) - along(-1e-6)) / 2e-6, rtol=1e-6)
    into = np.zeros(2, complex)
    linear_grad(size, backend="interpret").vjp_into(1.0, z, into=into)
    np.testing.assert_allclose(into, bar)
    check_grads(linear_grad(size, backend="interpret"), (z,))
    for made in (linad.jacfwd, linad.jacrev, linad.hessian):
        with pytest.raises(LinadError, match="is by real numbers"):
            made(size)(z)


Z = X + 1j * Y
HOLOMORPHIC = {
    "a number": (lambda z: cmath.sin(z) * z**2, (0.3 + 0.2j,), 0),
    "of several": (lambda z, k, w: np.exp(z) * w**k, (0.3 + 0.2j, 2, 1.5 - 1.0j), (2, 0)),
    "an array": (lambda z: np.sum(z**3) * z[0], (Z,), 0),
    "to an array": (lambda z, w: np.sin(z) * w, (Z, 0.5 - 1.0j), (0, "w")),
    "to several": (lambda z: (z * z[::-1], z[0] ** 3), (Z,), 0),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", [*(pytest.param(n, marks=pytest.mark.interpreted) for n in HOLOMORPHIC), *some(HOLOMORPHIC, 5)])
def test_holomorphic(name):
    """The complex derivative, along the real axis."""
    f, args, argnums = HOLOMORPHIC[name]
    numbers = argnums if isinstance(argnums, tuple) else (argnums,)
    positions = [1 if n == "w" else n for n in numbers]
    for of in (linad.jacfwd, linad.jacrev) if name[:2] == "to" else (linad.jacfwd, linad.jacrev, linad.grad):
        found = of(f, argnums, holomorphic=True)(*args)
        for at, k in enumerate(positions):
            for cell in np.ndindex(np.shape(args[k])):
                step = np.zeros(np.shape(args[k]))
                step[cell] = 1e-6
                ahead, behind = (f(*args[:k], args[k] + s, *args[k + 1 :]) for s in (step, -step))
                parts = zip(*((v if isinstance(v, tuple) else (v,)) for v in (ahead, behind)), strict=True)
                for n, (high, low) in enumerate(parts):
                    part = found[n] if name == "to several" else found
                    part = part[at] if isinstance(argnums, tuple) else part
                    np.testing.assert_allclose(part[(..., *cell)], (high - low) / 2e-6, rtol=1e-6, atol=1e-8)


@pytest.mark.interpreted
def test_holomorphic_derivatives_compose():
    def f(z):
        return np.sin(z) * z

    second = 2.0 * np.cos(Z) - np.sin(Z) * Z
    slope = linad.grad(f, holomorphic=True)
    np.testing.assert_allclose(linad.vmap(linad.grad(slope, holomorphic=True))(Z), second)
    np.testing.assert_allclose(linad.hessian(lambda z: np.sum(f(z)), holomorphic=True)(Z), np.diag(second), atol=1e-12)
    value, by_z = linad.value_and_grad(f, holomorphic=True)(Z[0])
    assert (value, by_z) == pytest.approx((f(Z[0]), np.cos(Z[0]) * Z[0] + np.sin(Z[0])))
    by_z, aux = linad.grad(lambda z: (f(z), z + 1.0), has_aux=True, holomorphic=True)(Z[0])
    assert (by_z, aux) == pytest.approx((np.cos(Z[0]) * Z[0] + np.sin(Z[0]), Z[0] + 1.0))
    inside = linear_grad(lambda z: np.real(linad.grad(f, holomorphic=True)(z)), backend="interpret")
    assert inside.grad(Z[0]) == pytest.approx(np.conj(second[0]))


@pytest.mark.interpreted
def test_jacobians_of_complex_results():
    """By several arguments, each of their parts is complex."""
    f, expected = (lambda x, t: np.exp(1j * x) * t), (1j * np.exp(1j * X) * 2.0, np.exp(1j * X))
    for of in (linad.jacfwd, linad.jacrev):
        by_x, by_t = of(f, (0, 1))(X, 2.0)
        np.testing.assert_allclose(by_x, np.diag(expected[0]))
        np.testing.assert_allclose(by_t, expected[1])
        by = of(lambda p: f(p["x"], p["t"]))({"x": X, "t": 2.0})
        np.testing.assert_allclose(by["x"], by_x)


@pytest.mark.parametrize(
    ("f", "z", "told"),
    [
        (lambda z: np.sum(z**2), X, "`grad` with `holomorphic` is by complex numbers"),
        (lambda z: abs(z[0]), Z, "one complex number as its result, but this is"),
        (lambda z: z * 2.0, Z, "use `jacrev`"),
    ],
)
def test_what_is_not_holomorphic(f, z, told):
    with pytest.raises(LinadError, match=told):
        linad.grad(f, holomorphic=True)(z)
    with pytest.raises(LinadError, match="write `holomorphic=True`"):
        linad.jacfwd(f)(Z)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return z < 1", "an order is of real numbers"),
        ("return np.max(z)", "`np.max` of complex numbers"),
        ("return np.sort(z)", "`np.sort` of complex numbers"),
        ("return z // 2", "`//` of complex numbers"),
        ("return math.exp(w)", "`math.exp` of complex numbers"),
        ("return sorted([v for v in z])", "sorting complex numbers"),
        ("return sorted([(v, 1.0) for v in z])", "sorting complex numbers"),
        ("return w[0]", "only arrays and tuples are indexed"),
        ("x[0] = w\n    return x", "holds a real number, but this is complex number"),
        ("return float(w)", "`float` of complex numbers"),
        ("return z.argmax()", "complex"),
        ("return w.other", "`.other`"),
    ],
)
def test_refused(body, message):
    with pytest.raises(LinadError, match=message):
        linear_grad(load("import math\n" + program(f"    x = x.copy()\n    {body}")), backend="interpret")(X, Y)


def test_exceptions_are_those_of_python():
    f = linear_grad(load("import cmath\ndef f(x: float):\n    return cmath.log(x)\n"), backend="interpret")
    assert f(-2.0) == cmath.log(-2.0)
    with pytest.raises(ValueError, match="math domain error"):
        f(0.0)
