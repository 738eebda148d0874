"""What functions of public packages contain, differentiated as it stands: values as in CPython, gradients as differences."""

import contextlib
import copy
import enum
import functools
import operator
import sys
import types
from functools import reduce
from math import factorial

import numpy as np
import pytest
import scipy.optimize
import scipy.special as sp
import scipy.stats as st

from linad import LinadError, linear_grad
from linad.testing import check_grads

pytestmark = pytest.mark.interpreted

X = np.array([0.5, 1.5, 2.5, 0.75])
A = np.array([[2.0, 0.5, 0.1], [0.3, 3.0, 0.2], [0.1, 0.4, 1.5]])


def agrees(f, *args):
    """The decorated function gives what the plain one gives, and its gradient that of differences."""
    checked = linear_grad(f)
    expected, found = f(*args), checked(*args)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    assert np.shape(found) == np.shape(expected)
    check_grads(checked, args)
    return checked


def test_reduce():
    def f(x, y):
        dot = reduce(operator.add, [x[i] * y[i] for i in range(len(x))], 0)
        product = functools.reduce(lambda p, q: p * q, x)
        some = reduce(lambda p, q: p + q * q, (dot, product), 1.0)
        return some + reduce(np.multiply, [x, y, x]).sum() + reduce(max, range(len(x)))

    agrees(f, X, X[::-1].copy())


def test_reduce_of_nothing():
    with pytest.raises(TypeError, match="empty iterable with no initial value"):
        linear_grad(lambda x: reduce(operator.add, x))(np.zeros(0))


def test_reduce_keeps_the_names_of_the_function():
    def f(x):
        element = 2.0
        total = reduce(lambda s, t: s + element * t, x, 0.0)
        return total * element

    agrees(f, X)


def test_members_of_arrays():
    def f(x, places):
        total = 0.0
        for i in range(len(x)):
            if i in places:
                total += x[i] ** 2
            if 9 not in places:
                total += x[i]
        return total

    agrees(f, X, np.array([1, 3]))


class Backend:
    factor = 2.0

    @property
    def module(self):
        return np

    def call(self, name, *args):
        return getattr(self.module, name)(*args)


BACKEND = Backend()


def test_attributes_by_name():
    def f(x):
        integral = np.trapezoid if hasattr(np, "trapezoid") else np.trapz
        known = getattr(BACKEND, "factor", 1.0) * getattr(BACKEND, "missing", 3.0)
        return integral(BACKEND.call("sin", x)) * known + (1.0 if hasattr(BACKEND, "missing") else 0.0)

    agrees(f, X)


def absolute(f):
    @functools.wraps(f)
    def wrapper(x):
        return f(abs(x))

    wrapper.plain = f
    wrapper.factor = 2.0
    return wrapper


@absolute
def cube(x):
    return x * x * x


def test_what_a_decorator_stores_in_a_function():
    agrees(lambda x: cube.plain(x) * cube.factor + cube(x) + len(cube.__name__), -1.5)
    with pytest.raises(LinadError, match="the attribute `.other` of the function `cube`"):
        linear_grad(lambda x: cube.other(x))(1.0)


def zernike(n, m, x):
    total = 0
    if (n - m) % 2:
        return 0
    for k in range((n - m) // 2 + 1):
        total += (-1) ** k * factorial(n - k) / (factorial(k) * factorial((n + m) // 2 - k)) * x ** (n - 2 * k)
    return total


def test_ints_that_decide_types():
    checked = linear_grad(zernike)
    value, tangent = checked.jvp((4, 2, X), (None, None, np.ones(4)))
    np.testing.assert_allclose(value, zernike(4, 2, X))
    np.testing.assert_allclose(tangent, 16.0 * X**3 - 6.0 * X)
    assert checked(3, 2, X) == 0
    np.testing.assert_allclose(checked(6, 2, X), zernike(6, 2, X))


TABLE = {(1, 2): 3.0, (2, 2): 5.0}


def test_pairs_of_ints_as_keys():
    checked = linear_grad(lambda n, m, x: TABLE.get((n, m), x) * x)
    assert [checked(n, 2, 2.0) for n in (1, 2, 7)] == [6.0, 10.0, 4.0]
    assert [checked.grad(n, 2, 2.0) for n in (1, 7)] == [3.0, 4.0]


def test_the_first_refusal_is_told():
    with pytest.raises(LinadError, match="there is no name `nowhere`"):
        linear_grad(lambda n, x: nowhere(n) + x)(3, 2.0)  # noqa: F821


def solved(a, b):
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        return np.linalg.pinv(a.T @ a + np.eye(3)) @ b


def test_matrices_without_an_inverse():
    checked = agrees(lambda a, b: solved(a, b).sum(), A, X[:3])
    singular = np.outer(X[:3], X[:3])
    singular[2] = 0.0
    np.testing.assert_allclose(checked(singular, X[:3]), solved(singular, X[:3]).sum())

    def refused(a):
        try:
            inverse = np.linalg.inv(a)
        except np.linalg.LinAlgError as error:
            raise ValueError("no inverse") from error
        return inverse.sum()

    with pytest.raises(ValueError, match="no inverse"):
        linear_grad(refused)(np.zeros((2, 2)))


def test_a_cell_that_is_tested_first():
    def f(x, k):
        try:
            value = x[k] / x[0]
        except (IndexError, ZeroDivisionError):
            value = 7.0
        return value

    checked = agrees(f, X, 1)
    assert checked(X, 9) == 7.0 and not checked.grad(X, 9).any()


def test_statements_of_a_try_that_change_arrays_are_refused():
    def f(x, y):
        z = y.copy()
        try:
            z[x.size - 3] = 1.0 / x[0]
        except IndexError:
            z[0] = 3.0
        return z.sum()

    with pytest.raises(LinadError, match="`try` whose block may raise"):
        linear_grad(f)(X, X)


@contextlib.contextmanager
def quiet():
    before = np.seterr(invalid="ignore")
    try:
        yield
    finally:
        np.seterr(**before)


@contextlib.contextmanager
def counted():
    yield 3.0


def test_managers_of_ones_own():
    def f(x):
        with quiet():
            y = x * x
        return y.sum()

    agrees(f, X)

    def g(x):
        with counted():
            return x.sum()

    with pytest.raises(LinadError, match="`with`"):
        linear_grad(g)(X)


def parts(t):
    t = np.array(t)
    return t[:2, :2], t[:2, 2]


def overlapping(t):
    t = np.array(t)
    return t[:2, :2], t[:2, 1]


def test_disjoint_parts_of_one_array_as_results():
    def f(t):
        square, column = parts(t)
        square[0, 0] = 7.0
        return (square @ column).sum()

    agrees(f, A)

    def g(t):
        square, column = overlapping(t)
        square[0, 1] = 7.0
        return (square @ column).sum()

    with pytest.raises(LinadError, match="returned twice"):
        linear_grad(g)(A)


def test_lists_of_arrays_and_lists():
    def f(x, u):
        rows = np.array([x, [u, 2.0, 3.0 * u], (1.0, u, 2.0)])
        mixed = np.array([np.sum(x), np.array(u), 4.0])
        blocks = np.array([[x, x], [[u, u, 1], [1, 2, u]]])
        return (rows * rows).sum() + mixed[0] * mixed[1] + (blocks * blocks).sum()

    agrees(f, X[:3], 2.0)


def test_copies_and_cells():
    def f(x, a):
        y = copy.copy(x)
        z = copy.deepcopy((x, 2.0))
        y[0] = 5.0
        return y.sum() + z[0][1] * z[1] * a.item(3) + x.item(0) * a.item(1, 0) + x[1].flatten()[0] + x[2].ravel().sum()

    agrees(f, X, A)
    with pytest.raises(IndexError):
        linear_grad(lambda a: a.item(9))(A)


def test_texts_of_anything():
    def f(x):
        told = "of shape " + str(x.shape) + repr(x) + str(None)
        if x.ndim > 3:
            raise ValueError("bad %s" % str(x), told)
        return x.sum()

    agrees(f, X)


def test_the_size_of_a_vector_is_its_length():
    def f(x):
        if x.size == x.shape[0]:
            return x * 2.0
        return x[:, :1] * x.shape[1]

    agrees(lambda x: f(x).sum(), X)
    agrees(lambda x: f(x).sum(), A)


@pytest.mark.parametrize(
    "quantile",
    [
        lambda q, a: st.gamma.ppf(q, a),
        *(
            pytest.param(f, marks=pytest.mark.thorough)
            for f in (
                lambda q, a: st.chi2.isf(q, a, 0.5, 2.0),
                lambda q, a: st.t.ppf(q, a),
                lambda q, a: st.beta.ppf(q, a, 0.75),
                lambda q, a: sp.gammainccinv(a, q),
            )
        ),
    ],
)
def test_quantiles(quantile):
    agrees(quantile, 0.3, 2.5)


@pytest.mark.thorough
def test_second_derivatives_of_quantiles():
    import linad

    h = 1e-4
    slope = linear_grad(lambda q, a: st.gamma.ppf(q, a)).grad
    (by_q, mixed), (_, by_a) = linad.hessian(lambda q, a: st.gamma.ppf(q, a), (0, 1))(0.3, 2.5)
    ends = [[slope(0.3 + s * h, 2.5), slope(0.3, 2.5 + s * h)] for s in (1, -1)]
    np.testing.assert_allclose(by_q, (ends[0][0][0] - ends[1][0][0]) / (2 * h), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(mixed, (ends[0][0][1] - ends[1][0][1]) / (2 * h), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(by_a, (ends[0][1][1] - ends[1][1][1]) / (2 * h), rtol=1e-5, atol=1e-5)


def test_piecewise():
    def f(x):
        return np.piecewise(x, [x < 1.0, x > 2.0], [lambda v: v * v, lambda v: np.sin(v), 7.0]).sum()

    agrees(f, X)
    agrees(lambda u: np.piecewise(u, [u < 1.0, u >= 1.0], [lambda v: v * v, lambda v: np.sin(v)]) * 1.0, 2.0)


class Unit(enum.Enum):
    KILOMETRES = "km"
    METRES = "m"


FACTORS = {Unit.KILOMETRES: 1.0, Unit.METRES: 1000.0}


def test_members_of_enumerations_as_keys():
    def f(x, unit=Unit.KILOMETRES):
        total = 0.0
        for key, factor in FACTORS.items():
            if key == Unit.METRES:
                total += factor
        return x * FACTORS[unit] + total + FACTORS.get(Unit.METRES) + (1.0 if Unit.KILOMETRES in FACTORS else 0.0)

    checked = agrees(f, 2.0)
    assert checked(2.0, Unit.METRES) == f(2.0, Unit.METRES)


class Scale:
    def __init__(self):
        self.factor = 3.0

    def of(self, x):
        return self.factor * x


def square(x):
    return x * x


def scaled(x, window=lambda n: np.ones((n,)), of=square, scale=Scale(), weights=np.array([1.0, 2.0, 3.0])):
    return (window(3) * x).sum() + of(x)[0] + scale.of(x)[1] + (weights * x).sum()


def test_functions_objects_and_arrays_as_defaults_of_helpers():
    checked = agrees(lambda x: scaled(x) + scaled(x, of=np.sin), X[:3])
    scaled.__defaults__[2].factor = 5.0
    assert checked(X[:3]) == scaled(X[:3]) + scaled(X[:3], of=np.sin)
    scaled.__defaults__ = (scaled.__defaults__[0], np.cos, *scaled.__defaults__[2:])
    assert checked(X[:3]) == scaled(X[:3]) + scaled(X[:3], of=np.sin)


def test_wrapped_numpy(monkeypatch):
    """autograd's NumPy is read as NumPy; here a module of that name stands for it."""
    wrapped = types.ModuleType("autograd.numpy")
    wrapped.tanh, wrapped.sum = (lambda *args, f=f: f(*args) for f in (np.tanh, np.sum))
    monkeypatch.setitem(sys.modules, "autograd.numpy", wrapped)
    f = linear_grad(lambda x: wrapped.sum(wrapped.tanh(x) * x), backend="interpret")
    x = np.array([0.3, -0.5, 1.25])
    np.testing.assert_allclose(f(x), f.py_func(x), rtol=1e-15)
    np.testing.assert_allclose(f.grad(x), np.tanh(x) + x / np.cosh(x) ** 2, rtol=1e-14)


class _Quantity:
    def __init__(self, value):
        self.value = value


class _Short(ValueError):
    pass


def _checked(x, error: type[ValueError] = ValueError):
    if x.shape[0] > 5:
        raise error("too long")
    return x


def test_exceptions_as_arguments_and_defaults():
    def f(x):
        try:
            y = _checked(np.concatenate([x, x]), _Short)
        except _Short:
            y = x * 3.0
        try:
            z = _checked(np.concatenate([x, x]), KeyError)
        except (ValueError, KeyError):
            z = x * 5.0
        return np.sum(_checked(x) * y * z)

    agrees(f, X)
    with pytest.raises(ValueError, match="too long"):
        linear_grad(lambda x: _checked(np.concatenate([x, x])))(X)
    with pytest.raises(_Short, match="too long"):
        linear_grad(lambda x: _checked(np.concatenate([x, x]), _Short))(X)
    with pytest.raises(RuntimeError, match="too long"):
        linear_grad(lambda x: _checked(np.concatenate([x, x]), RuntimeError))(X)


def test_what_only_says_how_arrays_are_printed_or_protected():
    def f(x):
        np.set_printoptions(suppress=True)
        y = np.cumsum(x)
        y.flags.writeable = False
        return np.sum(y**2) if type(x) is not _Quantity else x.value

    agrees(f, X)


def test_more_forms_of_numpy_and_scipy():
    def f(x):
        stack = x[:, None, None] * np.outer(x, x)
        root, info, ier, text = scipy.optimize.fsolve(lambda t: t**2 - x[:2], np.array([1.0, 1.0]), full_output=True)
        if ier != 1:
            return 0.0
        traces = np.trace(stack, axis1=1, axis2=2) @ np.trace(stack, axis1=-1, axis2=0)
        return traces + np.ravel([x, x**2]) @ np.ravel((x, x)) + st.iqr(stack, axis=0).sum() + root @ x[:2]

    agrees(f, X)
