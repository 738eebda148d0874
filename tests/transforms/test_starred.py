"""Functions with ``*args``, ``**options`` and keyword-only parameters, under every transform."""

import numpy as np
import pytest

import linad
from linad import linear_grad
from linad.testing import check_grads
from tests.examples_of import on_backends

pytestmark = pytest.mark.interpreted

X, Y = np.array([0.7, -1.2, 0.4]), np.array([1.1, 0.3, -0.8])


@linear_grad
def several(x, *rest, gain=2.0, flag=True):
    total = gain * np.sum(x**2)
    for r in rest:
        total = 0.5 * total + np.sum(np.sin(r * x))
    return total if flag else -total


PLAIN = several.py_func


@linear_grad
def named(x, **parts):
    total = np.sum(x**2)
    for name, part in parts.items():
        total = total + np.sum(np.cos(part * x)) * (2.0 if name == "twice" else 1.0)
    return total


@pytest.mark.parametrize(("rest", "backend"), on_backends([(1.5, Y), (), (1.5,), (Y,)], 4))
def test_every_order_and_mode(rest, backend):
    several, given = linear_grad(PLAIN, backend=backend), (X, *rest)
    assert several(*given) == pytest.approx(several.py_func(*given))
    check_grads(several, given, order=2)
    gradient = several.grad(*given)
    assert [np.shape(g) for g in (gradient[1] if rest else ())] == [np.shape(r) for r in rest]  # the last is that by `gain`
    np.testing.assert_allclose(linad.grad(several)(*given), gradient[0])
    hessian = linad.hessian(several)(*given)
    products = [several.hvp(given, (e, *(None for _ in rest)))[0] for e in np.eye(3)]
    np.testing.assert_allclose(hessian, products, rtol=1e-10, atol=1e-12)
    assert several.jvp(given, given)[1] == pytest.approx(linad.linearize(several, *given)[1](*given))


OPTIONAL = linear_grad(lambda x, k=2.0, n=3, *, gain=1.5: gain * k * np.sum(x**n), backend="interpret")
INSIDE = {  # a call that leaves out defaults, gives keyword-only parameters in order, or `*rest`
    "vjp": (OPTIONAL, lambda f, x: linad.vjp(f, x)[1](1.0)),
    "vjp, by order": (OPTIONAL, lambda f, x: linad.vjp(f, x, 1.0, 2, 3.0)[1](1.0)),
    "vjp of rest": (several, lambda f, x: linad.vjp(f, x, 1.5, 0.5)[1](1.0)),
    "jvp": (OPTIONAL, lambda f, x: linad.jvp(f, (x, 1.0), (x, 0.5))),
    "jvp of rest": (several, lambda f, x: linad.jvp(f, (x, 1.5, 0.5), (x, None, 0.5))),
    "hvp": (OPTIONAL, lambda f, x: linad.hvp(f, (x,), (x,))),
    "hvp of rest": (several, lambda f, x: linad.hvp(f, (x, 1.5), (x, 1.0))),
    "linearize": (OPTIONAL, lambda f, x: linad.linearize(f, x, 1.0)[1](x, 0.5)),
    "linearize of rest": (several, lambda f, x: linad.linearize(f, x, 1.5)[1](x, 0.5)),
    "vmap of a pullback": (OPTIONAL, lambda f, x: linad.vmap(linad.vjp(f, x)[1])(np.ones(2))),
}


@pytest.mark.parametrize("call", INSIDE)
def test_inside_checked_functions_as_outside(call):
    f, run = INSIDE[call]
    inside, outside = linear_grad(lambda x: run(f, x), backend="interpret")(X), run(f, X)
    of = lambda t: [x for part in t for x in of(part)] if isinstance(t, tuple) else [t]  # noqa: E731
    assert len(of(inside)) == len(of(outside))
    for one, other in zip(of(inside), of(outside), strict=True):
        np.testing.assert_allclose(one, other)


def test_arguments_that_do_not_fit_inside():
    for told, wrong in (
        ("is called without `y`", lambda x: linad.vjp(lambda x, y: np.sum(x * y), x)[1](1.0)),
        ("takes 1 positional arguments and is given 2", lambda x: linad.vjp(lambda x: np.sum(x), x, x)[1](1.0)),
        ("is given 1 arguments and 2 tangents", lambda x: linad.jvp(OPTIONAL, (x,), (x, 1.0))),
    ):
        with pytest.raises(linad.LinadError, match=told):
            linear_grad(wrong)(X)


def test_by_keyword():
    expected = linad.hessian(lambda x: 1.5 * np.sum(x**2) + np.sum(np.sin(Y * x)))(X) * -1.0
    np.testing.assert_allclose(linad.hessian(several)(X, Y, gain=3.0, flag=False), expected)
    given = {"twice": 1.5, "other": Y}
    x_bar, parts_bar = named.grad(X, **given)
    assert parts_bar.keys() == given.keys()
    np.testing.assert_allclose(linad.grad(named)(X, **given), x_bar)
    steps = [(linad.grad(named)(X + 1e-5 * e, **given) - linad.grad(named)(X - 1e-5 * e, **given)) / 2e-5 for e in np.eye(3)]
    np.testing.assert_allclose(linad.hessian(named)(X, **given), steps, rtol=1e-6, atol=1e-8)


@linear_grad
def unpacking(x, gain: float):
    options = {"twice": gain * x, "once": x}
    return named(x, **options) + named(x, half=0.5, **{"third": gain})


def test_a_dict_is_unpacked():
    assert unpacking(X, 0.7) == pytest.approx(unpacking.py_func(X, 0.7))
    check_grads(unpacking, (X, 0.7), order=2)


def test_what_is_not_unpacked():
    @linear_grad
    def not_a_dict(x):
        return named(x, **x)

    with pytest.raises(linad.LinadError, match="only a dict has some"):
        not_a_dict(X)

    with pytest.raises(linad.LinadError, match="given `gain` twice"):
        linear_grad(lambda x: several(x, gain=1.0, **{"gain": 2.0}))


def test_all_of_the_rest_is_one_parameter():
    def product(*xs):
        return xs[0] * xs[1]

    by_each = linad.jacobian(product, "xs")(X, Y)
    assert [np.shape(j) for j in by_each] == [(3, 3), (3, 3)]
    assert linear_grad(product, wrt="xs").jacobian(X, Y)[1].shape == linear_grad(product, wrt=0).jacobian(X, Y)[0].shape
    with pytest.raises(linad.LinadError, match="sparse Jacobian of `product` is by all of `\\*xs` or by none"):
        linad.jacobian(product, 1, sparsity=True)


def scaled(a, *xs, gain=2.0):
    return gain * np.sum(a * xs[0] * xs[1] ** 2)


def apart(a, x, y, gain=2.0):
    return gain * np.sum(a * x * y**2)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("argnums", [1, 2, -1, (0, 2), (2, 1), (-1, "gain"), ("a", 1)])
@pytest.mark.parametrize("of", [linad.grad, linad.value_and_grad, linad.hessian, linad.jacfwd])
def test_positions_of_arguments_that_become_one_parameter(of, argnums):
    """As in JAX, an int is the position of an argument in the call."""
    last = {-1: 2, "gain": 3, "a": 0}
    plain = last.get(argnums, argnums) if not isinstance(argnums, tuple) else tuple(last.get(n, n) for n in argnums)
    given = (X, Y, X + Y)
    same(of(scaled, argnums)(*given), of(apart, plain)(*given, 2.0))
    inside = linear_grad(lambda x: of(scaled, argnums)(x, Y, X + Y))
    same(inside(X), of(apart, plain)(*given, 2.0))


def same(found, expected):
    if isinstance(expected, tuple):
        assert isinstance(found, tuple) and len(found) == len(expected)
        for one, other in zip(found, expected):
            same(one, other)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_positions_beyond_the_arguments():
    for argnums, told in ((3, "by number 3"), (-4, "by number -4"), ((1, "xs"), r"by all and by some of `\*xs`")):
        with pytest.raises(linad.LinadError, match=f"given 3 arguments by position and is differentiated {told}"):
            linad.grad(scaled, argnums)(X, Y, X)
    with pytest.raises(linad.LinadError, match="has no parameter `b`; it has a, xs, gain"):
        linad.grad(scaled, "b")
