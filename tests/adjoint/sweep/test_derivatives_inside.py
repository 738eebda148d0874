"""`linad.grad`, `value_and_grad`, `vjp` and `jvp` called inside checked functions, against formulas and finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from linad_typecheck.check import check

import linad
from linad.boundary.live import Record
from linad.interpret import run
from linad.pipeline import differentiate, prepare
from tests.properties.roads import Whole, well_formed

X = np.array([1.5, -0.5, 2.0])
Y = np.array([0.3, 0.7, -1.1])


def cubes(x):
    s = 0.0
    for v in x:
        s += v**3
    return s


def weighted(x, w):
    return np.sum(w * x * x)


def pair(x, a):
    return x * a, np.sum(x) * x[0]


def power(z: float, n: int):
    if n == 0:
        return z
    return z * power(z, n - 1)


def of_array(x):
    return linad.grad(cubes)(x) * x


def of_view(x):
    return linad.grad(cubes)(x[1:])


def by_two(x, w):
    value, (x_bar, w_bar) = linad.value_and_grad(weighted, argnums=(0, 1))(x, w)
    return value + np.sum(x_bar * w_bar)


def newton(a: float):
    z = 1.0
    for _ in range(7):
        z = z - (z**3 - a) / linad.grad(lambda t: t**3 - a)(z)
    return z


def descent(x, w):
    x = x.copy()
    for _ in range(3):
        x -= 0.1 * linad.grad(weighted)(x, w)
    return x


def slope(x):
    return linad.grad(cubes)(x)


def along(x, v):
    return np.sum(slope(x) * v)


def second(x, v):
    return linad.grad(along)(x, v)


def third(t: float):
    return linad.grad(linad.grad(linad.grad(lambda s: s**5 * t)))(t)


def mixed(a: float):
    return linad.grad(linad.grad(power2), argnums=1)(a, 0.7) + linad.grad(linad.grad(power2, 1))(a, b=0.7)


def power2(a, b: float):
    return a**2 * b**3


def twice_of_default(x):
    def energy(t, s=0.3):
        return np.sum(np.exp(s * t * x))

    return linad.grad(linad.grad(energy))(1.5) + linad.grad(linad.grad(energy), 1)(1.5, 0.2)


def pulled(x, y):
    value, pull = linad.vjp(pair, x, 2.0)
    x_bar, a_bar = pull((y, 3.0))
    return value[0] + x_bar * a_bar


def pushed(x, y):
    value, tangent = linad.jvp(pair, (x, 2.0), (y, 1.0))
    return value[0] * tangent[0] + value[1] * tangent[1]


def recursive(z: float):
    return linad.grad(power)(z, 4) * z


def grown(v, k: int):
    for _ in range(2):
        for i in range(len(v) - 1):
            v[i] = 0.25 * (v[i] * v[-1]) + 0.75 * (v[i] * v[-1])
    if k > 0:
        grown(v, k - 1)


def run_again(x):
    u = x.copy()
    for _ in linad.checkpoint(range(3), slots=1):
        grown(u, 1)
    return np.sum(u * u)


def stepped(x, w):
    u = x
    for k in range(3):
        u = u * w
    return np.sum(u * x)


def of_what_is_kept(x, w):
    return linad.grad(stepped)(x, w)


def kept_in_a_tuple(x, a):
    return (x, a), a * np.sum(x * x)


def pulled_from_a_tuple(x, y):
    value, pull = linad.vjp(kept_in_a_tuple, x, 2.0)
    x_bar, a_bar = pull(((y, 1.0), 3.0))
    return value[0][0] + x_bar * a_bar


def looked_at(x):
    return x[1:], x


def pulled_from_views(x, y):
    value, pull = linad.vjp(looked_at, x)
    (tail, whole), (_, dot) = linad.jvp(looked_at, (x,), (y,))
    return pull((y[1:], dot))[0] * whole * tail[0] + value[1]


def of_marked_calls(x):
    return linad.grad(run_again)(x) * x


def rows(x, y):
    return linad.jacrev(lambda t: t**3)(x) @ y


def columns(x, y):
    return linad.jacfwd(lambda t: t**3)(x) @ y


def curvature(x, y):
    return linad.hvp(cubes, (x,), (y,))


PROGRAMS: dict[Callable, tuple[tuple, Callable]] = {
    rows: ((X, Y), lambda x, y: 3 * x**2 * y),
    columns: ((X, Y), lambda x, y: 3 * x**2 * y),
    curvature: ((X, Y), lambda x, y: 6 * x * y),
    of_array: ((X,), lambda x: 3 * x**3),
    of_view: ((X,), lambda x: 3 * x[1:] ** 2),
    by_two: ((X, Y), lambda x, w: np.sum(w * x * x) + np.sum(2 * w * x * x * x)),
    newton: ((5.0,), lambda a: np.cbrt(a)),
    descent: ((X, Y), lambda x, w: x * (1 - 0.2 * w) ** 3),
    second: ((X, Y), lambda x, v: 6 * x * v),
    pulled: (
        (X, Y),
        lambda x, y: 2 * x + (2 * y + 3 * (x[0] + np.sum(x) * np.eye(3)[0])) * np.sum(x * y),
    ),
    pushed: (
        (X, Y),
        lambda x, y: 2 * x * (2 * y + x) + np.sum(x) * x[0] * (np.sum(y) * x[0] + np.sum(x) * y[0]),
    ),
    recursive: ((1.3,), lambda z: 5 * z**5),
    of_what_is_kept: ((X, Y), lambda x, w: 2 * x * w**3),
    pulled_from_a_tuple: ((X, Y), lambda x, y: x + (y + 12 * x) * (1 + 3 * np.sum(x * x))),
    pulled_from_views: ((X, Y), lambda x, y: (y + np.r_[0.0, y[1:]]) * x * x[1] + x),
    of_marked_calls: ((Y,), lambda x: np.r_[2 * x[:-1] ** 2 * x[-1] ** 24, 24 * np.sum(x[:-1] ** 2) * x[-1] ** 24 + 2 * x[-1] ** 2]),
    third: ((1.5,), lambda t: 60 * t**3),
    mixed: ((1.5,), lambda a: 12 * a * 0.7**2),
    twice_of_default: (
        (X,),
        lambda x: np.sum((0.3 * x) ** 2 * np.exp(0.45 * x)) + np.sum(x * np.exp(0.3 * x) * (1 + 0.3 * x)),
    ),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_gradient(f):
    args, formula = PROGRAMS[f]
    whole = Whole(f, args)
    program = prepare(whole.lowered, well_formed)
    assert not program.derivatives
    value = run(program, [np.copy(a) if isinstance(a, np.ndarray) else a for a in args]).results[0]
    np.testing.assert_allclose(value, formula(*args), rtol=1e-9)
    wrt = tuple(p.var.name for p in program.main.params)
    made = differentiate(program, wrt, after=well_formed)
    seed = np.ones_like(value) if isinstance(value, np.ndarray) else 1.0
    buffers = [np.zeros_like(a) for a in args if isinstance(a, np.ndarray)]
    out = run(made.simplified, [*(np.copy(a) if isinstance(a, np.ndarray) else a for a in args), seed, *buffers])
    found = [out.params[p.var.name] for p in made.simplified.main.params[-len(buffers) :]] if buffers else [out.results[1]]
    for k, a in enumerate(args):
        for i in np.ndindex(np.shape(a)):
            near, far = [np.array(a, float) for _ in range(2)]
            near[i] -= 1e-6
            far[i] += 1e-6
            low, high = (np.sum(formula(*args[:k], x, *args[k + 1 :])) for x in (near, far))
            assert np.asarray(found[k])[i] == pytest.approx((high - low) / 2e-6, rel=1e-5, abs=1e-6)


def test_compiled_like_plain_python():
    f = linad.linear_grad(descent)
    np.testing.assert_allclose(f(X, Y), descent(X, Y), rtol=1e-12)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_unknown_types_are_no_errors(f):
    """What the editor sees of a function without annotations."""
    assert not [d for d in check(Record(f, ()).entry(), {}).diagnostics if d.severity == "error"]


def changes(x):
    x[0] = 1.0
    return x[1]


def of_what_changes(x):
    z = x.copy()
    return linad.grad(changes)(z)


def of_many(x):
    return linad.grad(slope)(x)


def by_a_missing_one(x):
    return linad.grad(cubes, argnums=2)(x)


def of_a_number(x):
    return linad.grad(3.0)(x)


def wrong_cotangent(x):
    _, pull = linad.vjp(cubes, x)
    return pull((1.0, 2.0))


def tangent_of_an_int(x):
    return linad.jvp(lambda y, n: y * n, (x, 2), (x, 0.5))[1]


@pytest.mark.parametrize(
    "f,text",
    [
        (of_what_changes, "updates an argument"),
        (of_many, "one float as its result"),
        (by_a_missing_one, "differentiated by number 2"),
        (of_a_number, "a derivative is of a function"),
        (wrong_cotangent, "a cotangent is like the result"),
        (tangent_of_an_int, "the tangent of an argument without floats is None"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_refused(f, text):
    errors = Whole(f, (X.copy(),)).errors
    assert errors and text in errors[0]


def test_a_cotangent_of_another_size_is_an_error_not_a_crash():
    def f(x, y):
        _, pull = linad.vjp(pair, x, 2.0)
        return pull((y, 1.0))[0]

    whole = Whole(f, (X.copy(), np.ones(5)))
    with pytest.raises(Exception, match="cotangent has a size of 5"):
        run(whole.prepared, whole.values)


def test_methods_differentiate_by_the_option_wrt():
    @linad.linear_grad(wrt="x")
    def decorated(x, w: float):
        return np.sum(x**2) * w

    @linad.linear_grad
    def inside(x):
        value, pull = linad.vjp(decorated, x, 2.0)
        one, gradient = decorated.value_and_grad(x, 2.0)
        product = decorated.hvp((x, 2.0), (x, 0.0))
        return decorated.grad(x, 2.0) + gradient, pull(1.0), decorated.jacobian(x, 2.0), product, value + one

    both, pulled, rows, product, values = inside(X)
    wanted = decorated.grad(X, 2.0)
    np.testing.assert_allclose(both, 2.0 * wanted)
    assert len(pulled) == 1
    for found in (pulled[0], rows, product):
        np.testing.assert_allclose(found, wanted)
    assert np.isclose(values, 2.0 * decorated(X, 2.0))


def test_a_derivative_of_a_function_with_a_rule_has_no_rule():
    @linad.custom_vjp
    def square(x: float) -> float:
        return x * x

    square.defvjp(lambda x: (square(x), x), lambda x, y_bar: (10.0 * x * y_bar,))

    @linad.linear_grad
    def second(x: float):
        return linad.grad(linad.grad(square))(x)

    assert second(2.0) == 10.0 == linad.grad(linad.grad(square))(2.0)


def test_options_that_are_known_when_compiled():
    def both(x):
        return np.sum(x**2), (x[0], len(x))

    @linad.linear_grad
    def inside(x):
        aux, mode = True, "fwd"
        gradient, (first, n) = linad.grad(both, has_aux=aux)(x)
        return gradient * first * n + linad.jacobian(lambda y: y * y, mode=mode)(x)[0]

    np.testing.assert_allclose(inside(X), 2.0 * X * X[0] * 3 + np.array([2.0 * X[0], 0.0, 0.0]))


def test_pairs_under_has_aux():
    cube = lambda x: x**3
    assert linad.grad(linad.value_and_grad(cube), has_aux=True)(2.0) == (12.0, 12.0)
    both = lambda x: (x**3, x)
    assert linad.grad(linad.grad(both, has_aux=True), has_aux=True)(2.0) == (12.0, 2.0)
    pair = lambda x: Pair(np.sum(x**2), 1.0)
    np.testing.assert_allclose(linad.grad(pair, has_aux=True)(X)[0], 2.0 * X)
    with pytest.raises(linad.LinadError, match="returns an int and something else; with `has_aux`"):
        linad.grad(lambda x: (len(x), x * 2.0), has_aux=True)(X)


def test_no_gradient_by_an_int_is_told_when_it_is_decorated():
    with pytest.raises(linad.LinadError, match="there is no gradient by `n`, which is an int"):

        @linad.linear_grad(wrt="n")
        def f(x, n: int):
            return x * n


class Pair(NamedTuple):
    a: float
    b: float
