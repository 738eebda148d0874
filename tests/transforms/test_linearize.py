"""`linearize`, from plain Python and inside checked functions."""

import pickle
from typing import NamedTuple

import numpy as np
import pytest

import linad
from linad import linear_grad
from linad.structures import leaves
from tests.examples_of import on_backends

pytestmark = pytest.mark.interpreted

X = np.array([1.0, 2.0, -1.5])


def products(x, w: float, n: int = 2):
    return x[1:] * x[:-1] ** n * w, n


def test_the_value_and_a_linear_function():
    x = X.copy()
    (value, n), push = linad.linearize(products, x, 2.0)
    x[...] = 0.0  # it owns copies
    np.testing.assert_allclose(value, products(X, 2.0)[0])
    jacobian = linad.jacfwd(products, (0, 1))(X, 2.0)[0]
    for v, w in ((X, None), (np.ones(3), 0.5)):
        tangent, none = push(v, w)
        assert none is None and n == 2
        np.testing.assert_allclose(tangent, jacobian[0] @ v + (0.0 if w is None else w * jacobian[1]))


def test_has_aux_of_linearize_vjp_and_jvp():
    def f(x):
        return x * x, (np.sum(x), len(x))

    value, push, aux = linad.linearize(f, X, has_aux=True)
    np.testing.assert_allclose(push(X), 2 * X * X)
    again, tangent, same = linad.jvp(f, (X,), (X,), has_aux=True)
    np.testing.assert_allclose(tangent, 2 * X * X)
    third, pull, alike = linad.vjp(f, X, has_aux=True)
    np.testing.assert_allclose(pull(np.ones(3))[0], 2 * X)
    for v in (value, again, third):
        np.testing.assert_array_equal(v, X * X)
    assert aux == same == alike == (1.5, 3)
    for call in (lambda: linad.vjp(number, 1.0, has_aux=True), lambda: linad.linearize(number, 1.0, has_aux=True)):
        with pytest.raises(linad.LinadError, match="with `has_aux` it returns a pair"):
            call()


def number(x: float):
    return x * x


def test_of_a_gradient():
    value, push = linad.linearize(linad.grad(lambda x: np.sum(x**3)), X)
    np.testing.assert_allclose(value, 3 * X**2)
    np.testing.assert_allclose(push(X), 6 * X * X)


def test_of_a_function_that_may_return_its_argument():
    def scaled(x):
        if x[0] > 1.0:
            return x * x
        return x

    for x, slope in ((X, 1.0), (2.0 * X, 4.0 * X)):
        _, push = linad.linearize(scaled, x)
        for found in (linad.vmap(push)(np.eye(3)), linad.jacrev(push)(X)):
            np.testing.assert_allclose(found, np.diag(slope * np.ones(3)))
        inside = linear_grad(lambda x: np.sum(linad.vmap(linad.linearize(scaled, x)[1])(np.eye(3)) @ x))
        np.testing.assert_allclose(inside(x), np.sum(slope * x))


def test_wrong_tangents():
    _, push = linad.linearize(products, X, 2.0)
    with pytest.raises(TypeError, match=r"products\(\): expected 2 tangents, got 1"):
        push(X)
    with pytest.raises(ValueError, match="tangent of `x`"):
        push(X[1:], 1.0)


def test_inside():
    def newton(a: float):
        z = 1.0
        for _ in range(8):
            value, push = linad.linearize(lambda t: t**3 - a, z)
            z -= value / push(1.0)
        return z

    assert linad.grad(newton)(8.0) == pytest.approx(1 / 12)


def with_aux(x, w: float):
    return x * w, {"sum": np.sum(x), "n": len(x)}


def in_order(d):
    return {"y": 2.0 * d["y"], "z": 5.0 * d["z"]}


INSIDE = {  # what a checked function computes from (X, 2.0), and what that is
    "vjp": (lambda x, w: linad.vjp(with_aux, x, w, has_aux=True)[1](x), (2.0 * X, X @ X)),
    "value and aux": (lambda x, w: linad.vjp(with_aux, x, w, has_aux=True)[2]["sum"], 1.5),
    "jvp": (lambda x, w: linad.jvp(with_aux, (x, w), (x, 1.0), has_aux=True)[1], 3.0 * X),
    "options by position": (lambda x, w: linad.jvp(with_aux, (x, w), (x, 1.0), True)[2]["n"], 3),
    "arguments by name": (lambda x, w: linad.jvp(with_aux, primals=(x, w), tangents=(x, None))[1][0], 2.0 * X),
    "linearize": (lambda x, w: linad.linearize(with_aux, x, w, has_aux=True)[1](x, 1.0), 3.0 * X),
    "None": (lambda x, w: linad.jvp(lambda a, b: a * b, (x, w), (None, 1.0))[1], X),
    "all None": (lambda x, w: linad.jvp(lambda a, b: a * b, (x, w), (None, None))[1], 0.0 * X),
    "None in hvp": (lambda x, w: linad.hvp(lambda a, b: np.sum(a * b), (x, w), (x, None))[1], 1.5),
    "None of a part": (lambda x, w: linad.jvp(lambda p: p[0] * p[1], ((x, w),), ((None, 1.0),))[1], X),
    "None of a linearized function": (lambda x, w: linad.linearize(lambda a, b: a * b, x, w)[1](x, None), 2.0 * X),
    "a dict in another order": (
        lambda x, w: linad.vjp(in_order, {"y": w, "z": w})[1]({"z": 1.0, "y": 10.0})[0],
        {"y": 20.0, "z": 5.0},
    ),
}


@pytest.mark.parametrize("case", INSIDE)
def test_options_inside_checked_functions(case):
    f, wanted = INSIDE[case]
    found = linear_grad(f, backend="interpret")(X, 2.0)
    for a, b in zip(leaves(found), leaves(wanted), strict=True):
        np.testing.assert_allclose(a, b)


REFUSED = {
    "no pair": (lambda x: linad.linearize(number, x, has_aux=True)[0], "with `has_aux` a function returns a pair"),
    "unknown option": (lambda x: linad.hvp(number, (x,), (x,), has_aux=True), "takes a function, a tuple of arguments"),
    "no tuple": (lambda x: linad.jvp(number, x, (x,)), "takes a tuple of arguments, and this is float"),
    "by name": (lambda x: linad.vjp(number, x=x), "its arguments by position and `has_aux`"),
    "keys": (lambda x: linad.vjp(in_order, {"y": x, "z": x})[1]({"y": x, "q": x}), "a cotangent is like the result"),
    "argnums": (lambda x: linad.grad(number, argnums="z")(x), "`number` has no parameter `z`; it has x"),
    "sparsity": (lambda x: linad.jacobian(number, sparsity=True)(x), "leave `sparsity` out"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_inside(case):
    f, told = REFUSED[case]
    with pytest.raises(linad.LinadError, match=told):
        linear_grad(f, backend="interpret")(2.0)


class Pair(NamedTuple):
    a: np.ndarray
    b: float


def test_parts_of_tangents_that_are_None():
    f = linear_grad(lambda p, n: n * p.b * np.sum(p.a), backend="interpret")
    assert linad.jvp(f, (Pair(X, 2.0), 3), (Pair(None, 1.0), None))[1] == 4.5
    assert linad.linearize(f, Pair(X, 2.0), 3)[1]((X, None), None) == 9.0
    nested = linear_grad(lambda q: q[0] * q[1].b * np.sum(q[1].a), backend="interpret")
    assert linad.jvp(nested, ((2.0, Pair(X, 3.0)),), ((1.0, None),))[1] == 4.5
    with pytest.raises(TypeError, match=r"jvp: primals: expected a tuple of arguments, got a float.*write `\(x,\)`"):
        linad.jvp(f, 1.0, 1.0)


def test_dicts_of_cotangents_in_any_order():
    f = linear_grad(in_order, backend="interpret")
    assert linad.vjp(f, {"y": 1.0, "z": 1.0})[1]({"z": 1.0, "y": 10.0}) == ({"y": 20.0, "z": 5.0},)


def branches(x, w: float):
    total = 0.0
    for i in range(len(x)):
        if x[i] * w > 0.1:
            total += np.sin(x[i]) * w
        elif x[i] > 0.0:
            total *= x[i]
        else:
            for j in range(i):
                total += np.exp(x[j] * w) * x[i]
    return total


def newton(a: float):
    z = 1.0
    while abs(z * z - a) > 1e-12:
        z = z - (z * z - a) / (2.0 * z)
    return z


def breaking(x):
    product = 1.0
    for v in x:
        product *= np.cos(v)
        if product < 0.3:
            break
    return product


def backwards(x):
    y = x.copy()
    for i in range(len(x) - 2, -1, -2):
        y[i] = y[i + 1] * np.exp(-y[i])
    return y, np.sum(y), np.ones(2), len(y)


def exchanged(x, m):
    u, v = x.copy(), np.zeros(len(x))
    for t in range(4):
        for i in range(1, len(u) - 1):
            v[i] = m[t % 2, i] * u[i - 1] * u[i + 1] + u[i]
        u, v = v, u
    return u


def implicit(m, b):
    a = m @ m.T + np.eye(len(m))
    x = np.linalg.solve(a, b)
    for _ in range(2):
        x = x + np.linalg.solve(a, np.sin(x))
    return x, np.linalg.slogdet(a)[1]


def single(x):
    return np.tanh(x) * x[0]


def recursive(x: float, n: int):
    return x if n == 0 else np.sin(recursive(x, n - 1)) * x


V = np.array([0.5, 1.5, -0.7, 0.2, 2.0])
M = np.random.default_rng(0).normal(size=(5, 5))
CASES = {
    "branches": (branches, (V, 0.5)),
    "while": (newton, (3.0,)),
    "break": (breaking, (V,)),
    "backwards": (backwards, (V,)),
    "exchanged": (exchanged, (V, M)),
    "linear algebra": (implicit, (M, V)),
    "single precision": (single, (V.astype(np.float32),)),
    "gradient": (linad.grad(lambda x: np.sum(np.sin(x) ** 3) * x[0]), (V,)),
    "batch": (linad.vmap(linad.grad(lambda x: np.sum(np.sin(x) ** 3) * x[0])), (M,)),
    "recursion": (recursive, (0.5, 3)),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("case", "backend"), on_backends(CASES, 4))
def test_it_is_the_tangent_without_the_function(case, backend):
    f, args = CASES[case]
    f = f if not hasattr(f, "__code__") else linear_grad(f, backend=backend)
    value, push = linad.linearize(f, *args)
    assert (push.logs is None) == (case == "recursion")
    rng = np.random.default_rng(1)
    for again in (push, pickle.loads(pickle.dumps(push)) if case == "gradient" else push):
        dots = [rng.uniform(-1.0, 1.0, np.shape(a)).astype(getattr(a, "dtype", float)) for a in args]
        dots = [None if isinstance(a, int) else d if np.ndim(d) else float(d) for a, d in zip(args, dots, strict=True)]
        primal, tangent = linad.jvp(f, args, dots)
        rtol = 1e-5 if case == "single precision" else 1e-10
        for found, wanted in ((value, primal), (again(*dots), tangent)):
            assert len(leaves(found)) == len(leaves(wanted))
            for a, b in zip(leaves(found), leaves(wanted), strict=True):
                assert a is b is None or np.allclose(a, b, rtol=rtol, atol=1e-12)


def test_zero_times_infinity():
    value, push = linad.linearize(lambda x: np.sum(np.sqrt(x)), np.array([0.0, 4.0]))
    assert value == 2.0 and push(np.array([0.0, 1.0])) == 0.25
