"""`vmap`: against the function called place by place in CPython, and its derivatives against those place by place."""

import dataclasses
import itertools
import math
import pickle
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from jaxtyping import Float64

import linad
from linad import LinadError, linear_grad
from linad.structures import leaves, map_leaves, parts, rebuilt

pytestmark = pytest.mark.interpreted

interpreted = partial(linear_grad, backend="interpret")
X = np.array([[0.5, 1.5, -0.25], [2.0, -1.0, 0.75]])
W = np.array([0.3, -0.6])
T = np.linspace(-1.0, 1.0, 12).reshape(2, 3, 2)


class Pair(NamedTuple):
    a: np.ndarray
    b: float


@dataclasses.dataclass(frozen=True)
class Model:
    weights: np.ndarray
    bias: float


def scalar(x):
    return np.sum(np.sin(x) * x[0])


def power(x: float, n: int):
    return x**n


def recurrence(x: Float64[np.ndarray, "n"], w: float):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] += w * np.sin(y[i - 1]) * y[i]
    return y


def with_default(x, scale: float = 2.0, *, shift: float = 1.0):
    return scale * x + shift


def solved(m, b):
    return np.linalg.solve(m @ m.T + np.eye(len(m)), b)


def several(x, p: Pair):
    return Pair(np.cumsum(x) * p.b, np.dot(x, p.a)), (x[0] > 0.0, p.b**2)


def of_model(model: Model, x):
    return np.tanh(model.weights @ x + model.bias)


def shorter(x):
    return x[x > -10.0][:2]


def matrix(x):
    return np.outer(x, x)[:, :2]


M = np.arange(18.0).reshape(2, 3, 3) / 9.0
MODEL = Model(T.transpose(0, 2, 1), W)

CASES = {
    "scalar": (scalar, (X,), 0, 0),
    "columns": (scalar, (X,), 1, 0),
    "from the end": (scalar, (X,), -1, -1),
    "int": (power, (W, np.array([2, 3])), 0, 0),
    "int that stays": (power, (W, 3), (0, None), 0),
    "recurrence": (recurrence, (X, W), 0, 0),
    "out": (recurrence, (X, 0.5), (0, None), 1),
    "default": (with_default, (X,), 0, 1),
    "default given": (with_default, (X, W), 0, 0),
    "default that stays": (with_default, (X, 3.0), (0, None), 0),
    "solve": (solved, (M, X), 0, 0),
    "one matrix": (solved, (M[0], X), (None, 0), -1),
    "several": (several, (X, Pair(X, W)), 0, 0),
    "parts": (several, (X[0], Pair(X.T, W)), (None, (1, 0)), ((1, 0), 0)),
    "part stays": (several, (X, Pair(X[1], 2.0)), (0, None), ((1, 0), (0, 0))),
    "model": (of_model, (MODEL, X), 0, 0),
    "model stays": (of_model, (Model(T[0].T, 0.5), X), (None, 0), 0),
    "sizes found out": (shorter, (X,), 0, 0),
    "middle": (matrix, (X,), 0, 1),
    "last": (matrix, (X,), 0, -1),
}


def by_place(f, args, in_axes, out_axes):
    """The function called place by place, in CPython."""
    axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(args)

    def sizes(v, a):
        if parts(v) is not None:
            each = a if isinstance(a, tuple) else (a,) * len(parts(v))
            return [n for x, b in zip(parts(v), each, strict=True) for n in sizes(x, b)]
        return [np.shape(v)[a]] if a is not None and np.ndim(v) else []

    def pick(v, a, k):
        if parts(v) is not None:
            each = a if isinstance(a, tuple) else (a,) * len(parts(v))
            return rebuilt(v, [pick(x, b, k) for x, b in zip(parts(v), each, strict=True)])
        return np.take(v, k, a) if a is not None and np.ndim(v) else v

    def stack(found, a):
        items = parts(found[0])
        if items is None:
            return None if found[0] is None else np.stack(found, a)
        each = a if isinstance(a, tuple) else (a,) * len(items)
        return rebuilt(found[0], [stack([parts(r)[k] for r in found], b) for k, b in enumerate(each)])

    n = next(iter(m for v, a in zip(args, axes, strict=True) for m in sizes(v, a)))
    return stack([f(*(pick(v, a, k) for v, a in zip(args, axes, strict=True))) for k in range(n)], out_axes)


def agree(found, wanted, rtol=1e-12):
    assert len(leaves(found)) == len(leaves(wanted))
    for a, b in zip(leaves(found), leaves(wanted), strict=True):
        assert np.shape(a) == np.shape(b)
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_it_is_the_function_at_each_place(case: str) -> None:
    f, args, in_axes, out_axes = CASES[case]
    agree(linad.vmap(f, in_axes, out_axes)(*args), by_place(f, args, in_axes, out_axes))


@pytest.mark.parametrize("case", [c for c in CASES if "int" not in c])
def test_its_derivatives(case: str) -> None:
    f, args, in_axes, out_axes = CASES[case]
    check_modes(linad.vmap(interpreted(f), in_axes, out_axes), args)


def check_modes(f, args) -> None:
    """The tangent against differences, and the gradients against the tangent."""
    rng = np.random.default_rng(0)
    like = lambda v: rng.uniform(-1.0, 1.0, np.shape(v)) if np.ndim(v) else float(rng.uniform(-1.0, 1.0))
    dots = map_leaves(like, args)
    value, moved = linad.jvp(f, args, dots)
    _, pullback = linad.vjp(f, *args)
    ends = [
        [np.asarray(v) for v in leaves(f(*combined(args, dots, h)))] for h in (1e-6, -1e-6)
    ]  # fmt: skip
    bars = map_leaves(lambda v: None if v.dtype == bool else like(v), value)
    product = 0.0
    for up, down, dot, bar in zip(*ends, leaves(moved), leaves(bars), strict=True):
        if dot is not None:
            np.testing.assert_allclose(dot, (up - down) / 2e-6, rtol=1e-6, atol=1e-7)
            product += np.sum(dot * bar)
    found = sum(np.sum(g * d) for g, d in zip(leaves(pullback(bars)), leaves(dots), strict=False) if g is not None)
    assert np.isclose(found, product, rtol=1e-10)


def combined(a, b, h):
    items = parts(a)
    return a + h * b if items is None else rebuilt(a, [combined(x, y, h) for x, y in zip(items, parts(b), strict=True)])


def test_second_derivatives() -> None:
    check_modes(linad.jacrev(linad.vmap(recurrence, (0, None)), (0, 1)), (X, 0.5))
    check_modes(linad.jacfwd(linad.vmap(interpreted(solved)), 1), (M, X))
    check_modes(linad.hessian(interpreted(lambda m, b: np.sum(linad.vmap(solved)(m, b))), 1), (M, X))


TRANSFORMS = {
    "grad": lambda f: linad.grad(f),
    "value_and_grad": lambda f: linad.value_and_grad(f, argnums=(0, 1)),
    "jacfwd": lambda f: linad.jacfwd(f, argnums=1),
    "jacrev": lambda f: linad.jacrev(f),
    "hessian": lambda f: linad.hessian(f),
}


def energy(x, w: float):
    total = 0.0
    state = x.copy()
    for i in range(len(x)):
        state[i] = np.sin(w * state[i - 1]) + state[i] ** 2
        total += state[i] * w
    return total


@pytest.mark.parametrize("name", TRANSFORMS)
def test_of_derivatives(name: str) -> None:
    one = TRANSFORMS[name](energy)
    wanted = by_place(one, (X, W), 0, 0)
    agree(linad.vmap(one)(X, W), wanted, 1e-10)


def test_nested_to_third_order() -> None:
    def loss(x, w: float):
        return np.sum(linad.vmap(energy, in_axes=(0, None))(x, w) ** 2)

    def by_hand(x, w: float):
        total = 0.0
        for k in range(len(x)):
            total += energy(x[k], w) ** 2
        return total

    loss, by_hand = interpreted(loss), interpreted(by_hand)
    third, wanted = (linad.grad(linad.grad(linad.grad(f, 1), 1), 1)(X, 0.4) for f in (loss, by_hand))
    assert np.isclose(third, wanted)
    agree(linad.hessian(loss)(X, 0.4), linad.hessian(by_hand)(X, 0.4), 1e-9)
    agree(linad.jacfwd(linad.hessian(loss, 1), 1)(X, 0.4), linad.jacfwd(linad.hessian(by_hand, 1), 1)(X, 0.4), 1e-9)


def test_of_itself() -> None:
    table = linad.vmap(linad.vmap(energy, in_axes=(0, None)), in_axes=(None, 0))(X, W)
    agree(table, np.array([[energy(x, w) for x in X] for w in W]))
    gradients = linad.vmap(linad.vmap(linad.grad(energy), (0, None)), (None, 0), out_axes=1)(X, W)
    agree(gradients, np.stack([np.stack([linad.grad(energy)(x, w) for x in X]) for w in W], 1), 1e-10)
    three = linad.vmap(linad.vmap(linad.vmap(lambda a, b: a * b, (0, None)), (None, 0)), (0, 0))
    agree(three(X, X), np.stack([np.outer(x, x) for x in X]))


def test_modes_and_products() -> None:
    batched = linad.vmap(energy)
    value, tangent = linad.jvp(batched, (X, W), (np.ones_like(X), np.ones_like(W)))
    wanted = [linad.jvp(energy, (x, float(w)), (np.ones(3), 1.0)) for x, w in zip(X, W, strict=True)]
    agree((value, tangent), (np.array([v for v, _ in wanted]), np.array([t for _, t in wanted])), 1e-10)
    value, pullback = linad.vjp(batched, X, W)
    x_bar, w_bar = pullback(np.array([1.0, 2.0]))
    for k in range(2):
        gx, gw = linad.grad(energy, (0, 1))(X[k], float(W[k]))
        agree((x_bar[k], w_bar[k]), ((k + 1) * gx, (k + 1) * gw), 1e-10)
    products = linad.vmap(lambda x, w, v: linad.hvp(energy, (x, w), (v, 0.0))[0])(X, W, np.ones_like(X))
    hessians = [linad.hessian(energy)(x, float(w)) for x, w in zip(X, W, strict=True)]
    agree(products, np.stack([h @ np.ones(3) for h in hessians]), 1e-9)


def test_inside_checked_functions() -> None:
    @linear_grad
    def total(x, w, steps: int):
        state = x.copy()
        for _ in range(steps):
            state -= 0.1 * linad.vmap(linad.grad(energy))(state, w)
        axis = 1
        return np.sum(linad.vmap(lambda column, c: column * c[0], in_axes=(axis, None), out_axes=1)(state, w))

    def plain(x, w, steps):
        state = x.copy()
        for _ in range(steps):
            state = state - 0.1 * np.stack([linad.grad(energy)(r, float(c)) for r, c in zip(state, w, strict=True)])
        return np.sum(state * w[0])

    assert np.isclose(total(X, W, 2), plain(X, W, 2))
    x_bar, w_bar = total.grad(X, W, 2)
    for bar, at in ((x_bar, 0), (w_bar, 1)):
        for k in np.ndindex(bar.shape):
            ends = []
            for sign in (1.0, -1.0):
                args = [X.copy(), W.copy()]
                args[at][k] += sign * 1e-6
                ends.append(plain(*args, 2))
            assert np.isclose(bar[k], (ends[0] - ends[1]) / 2e-6, rtol=1e-6)


def test_no_places() -> None:
    assert linad.vmap(recurrence, (0, None))(np.zeros((0, 3)), 0.5).shape == (0, 3)
    assert linad.vmap(scalar)(np.zeros((0, 3))).shape == (0,)
    assert linad.vmap(linad.grad(scalar))(np.zeros((0, 3))).shape == (0, 3)
    with pytest.raises(ValueError, match="there is none"):
        linad.vmap(shorter)(np.zeros((0, 3)))


def test_custom_rules() -> None:
    @linad.custom_vjp
    def doubled(x: float) -> float:
        return x * 2.0

    doubled.defvjp(lambda x: (doubled(x), None), lambda r, y_bar: (y_bar * 10.0,))
    agree(linad.vmap(linad.grad(doubled))(W), np.full(2, 10.0))
    agree(linad.vmap(doubled)(W), 2.0 * W)


def test_one_function_for_the_same_axes_and_pickled() -> None:
    batched = linad.vmap(energy, (0, None))
    assert batched is linad.vmap(energy, [0, None]) and batched is not linad.vmap(energy, 0)
    again = pickle.loads(pickle.dumps(batched))
    assert np.array_equal(again(X, 0.5), batched(X, 0.5))


def updating(x):
    x[0] = 1.0
    return np.sum(x)


REFUSED = {
    "number": (lambda: linad.vmap(recurrence)(X, 1.0), "maps over axis 0 of `w`, which is float"),
    "rank": (lambda: linad.vmap(scalar, in_axes=2)(X), "maps over axis 2 of `x`, which is array of float64 of rank 2"),
    "count": (lambda: linad.vmap(recurrence, in_axes=(0,))(X, W), "2 arguments by position, and `in_axes` 1 entries"),
    "keys": (
        lambda: linad.vmap(of_dict, ({"a": 0}, 0))(D, W),
        "the keys a in `in_axes` for the 2 parts of `d`, a, b",
    ),
    "no dict": (lambda: linad.vmap(scalar, in_axes=({"a": 0},))(X), "a dict of `in_axes` for `x`"),
    "a dict for all": (lambda: linad.vmap(scalar, in_axes={"x": 0})(X), "an entry for each argument"),
    "dict of results": (lambda: linad.vmap(scalar, out_axes={"a": 0})(X), "a dict of `out_axes` for one result"),
    "parts": (
        lambda: linad.vmap(several, in_axes=(0, (0, 0, 0)))(X, Pair(X, W)),
        "3 entries of `in_axes` for the 2 parts of `p`",
    ),
    "no tuple": (lambda: linad.vmap(scalar, in_axes=((0, 0),))(X), "a tuple of `in_axes` for `x`"),
    "out": (lambda: linad.vmap(scalar, out_axes=1)(X), "along axis 1 of an array of rank 1"),
    "out differs": (lambda: linad.vmap(scalar, out_axes=None)(X), "has None in `out_axes` for a result that differs"),
    "out by a branch": (
        lambda: linad.vmap(lambda x, w: w if x[0] > 0.0 else -w, (0, None), None)(X, 1.0),
        "has None in `out_axes` for a result that differs",
    ),
    "outs": (lambda: linad.vmap(scalar, out_axes=(0, 0))(X), "a tuple of `out_axes` for one result"),
    "nothing": (lambda: linad.vmap(recurrence, in_axes=(None, None)), "maps over no argument"),
    "update": (lambda: linad.vmap(linear_grad(updates="x")(updating)), "updates an argument, and is not mapped"),
    "not mapped": (lambda: linad.vmap(lambda x, y: x * y, (None, None)), "maps over no argument"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str) -> None:
    run, told = REFUSED[case]
    with pytest.raises(LinadError, match=told) as error:
        run()
    assert "<linad " not in str(error.value)  # nobody wrote that line


def test_wrong_kinds_of_axes() -> None:
    for option, axes in itertools.product(("in_axes", "out_axes"), ("x", 1.0, ("x",), True)):
        with pytest.raises(TypeError, match=f"{option}: expected an int"):
            linad.vmap(scalar, **{option: axes})


def test_different_sizes() -> None:
    with pytest.raises(ValueError, match="axis 0 of `x` has size 2 and axis 0 of `w` size 3, .* together$"):
        linad.vmap(recurrence)(X, np.zeros(3))
    with pytest.raises(ValueError, match="results have sizes 1 and 2"):
        linad.vmap(lambda n: np.ones(n))(np.array([1, 2]))


def test_inside_what_is_refused() -> None:
    with pytest.raises(LinadError, match="`vmap` of `updating`, which updates an argument"):

        @linear_grad
        def f(x):
            y = x.copy()
            return np.sum(linad.vmap(updating)(y))

        f(X)

    with pytest.raises(LinadError, match="`in_axes`.*known when the function is compiled"):

        @linear_grad
        def g(x, k: int):
            return np.sum(linad.vmap(scalar, k)(x))

        g(X, 0)


def test_map_leaves_is_untouched() -> None:
    """Arguments are read where they are, and stay as they are."""
    args = (X.copy(), Pair(X.copy(), W.copy()))
    before = map_leaves(np.copy, args)
    linad.vmap(several)(*args)
    agree(args, before)


def test_sizes_that_a_call_refuses() -> None:
    """Room for results is made before the loop, from sizes that the function would raise for."""

    def ones(x):
        return x[0] + np.ones(len(x) - 4)

    agree(linad.vmap(ones)(np.ones((2, 6))), np.full((2, 2), 2.0))
    with pytest.raises(ValueError, match="negative dimensions"):
        linad.vmap(ones)(X)


def of_library(A, w: float):
    rows = linad.vmap(np.sum)(A) * linad.vmap(np.dot, in_axes=(0, None))(A, A[0])
    return np.sum(rows * linad.jacobian(np.cumsum)(A[:, 0])[1]) + linad.grad(math.sin)(w)


def test_a_function_of_a_library_inside_a_checked_function():
    value, (by_x, by_w) = interpreted(of_library).value_and_grad(X, 0.5)
    rows = X.sum(axis=1) * (X @ X[0])
    assert np.isclose(value, rows.sum() + math.cos(0.5)) and np.isclose(by_w, -math.sin(0.5))
    h = 1e-6 * np.cos(np.arange(6.0)).reshape(2, 3)
    ends = [interpreted(of_library)(X + s * h, 0.5) for s in (1, -1)]
    assert np.isclose(np.sum(by_x * h), (ends[0] - ends[1]) / 2, rtol=1e-6)


def test_a_function_of_a_library_outside():
    agree(linad.vmap(np.sum)(X), X.sum(axis=1))
    agree(linad.vmap(np.dot, in_axes=(0, None))(X, X[0]), X @ X[0])
    agree(linad.vmap(linad.grad(np.sin))(X[0]), np.cos(X[0]))
    agree(linad.jacobian(np.cumsum)(X[0]), np.tril(np.ones((3, 3))))
    assert linad.grad(math.sin)(0.5) == math.cos(0.5)
    assert linad.vmap(np.sum) is linad.vmap(np.sum)
    agree(pickle.loads(pickle.dumps(linad.vmap(np.sum)))(X), X.sum(axis=1))
    with pytest.raises(linad.LinadError, match="write a function that calls it"):
        linad.vmap(np.fft.hfft)


def four(x, c: float):
    return np.array([x[0] * x[1], np.sin(x[2]), c * x[0] ** 2, x[2] * x[1]])


def test_pullbacks_and_linearized_functions():
    x = np.array([0.5, -1.0, 2.0])
    f = interpreted(four)
    jacobian, by_c = linad.jacfwd(f, (0, 1))(x, 3.0)
    _, pull = linad.vjp(f, x, 3.0)
    rows, last = linad.vmap(pull)(np.eye(4))
    agree(rows, jacobian)
    agree(last, by_c)
    agree(linad.vmap(pull, in_axes=1)(2.0 * np.eye(4))[0], 2.0 * jacobian)
    _, push = linad.linearize(f, x, 3.0)
    agree(linad.vmap(push, in_axes=(0, None))(np.eye(3), 0.0), jacobian.T)
    agree(linad.vmap(push, in_axes=(0, None), out_axes=1)(np.eye(3), 0.0), jacobian)
    agree(linad.vmap(push)(np.eye(3), np.zeros(3)), jacobian.T)
    for batched, args in ((linad.vmap(pull, 1), (np.eye(4),)), (linad.vmap(push, (0, None)), (np.eye(3), 0.0))):
        program = batched.program.specialisation(batched.given(args)).lowered(())
        assert any(d.directions for d in program.derivatives.values())  # one sweep for many
    for batched, args in ((linad.vmap(pull), (np.eye(5),)), (linad.vmap(push, (0, None)), (np.eye(5), 0.0))):
        with pytest.raises(ValueError, match="has a size of 5 where the"):
            batched(*args)
    assert linad.vmap(pull)(np.zeros((0, 4)))[0].shape == (0, 3)
    with pytest.raises(TypeError, match="expected 2 arguments, got 1"):
        linad.vmap(push, in_axes=(0, None))(np.eye(3))
    with pytest.raises(LinadError, match="maps over no argument"):
        linad.vmap(pull, in_axes=None)


def of_dict(d, x: float):
    return {"y": d["a"] * d["b"] + x, "z": d["b"]}


D = {"a": X, "b": W}


def test_batches_of_directions_in_structures():
    """More of them than a sweep takes, parts that are shared, and parts without a derivative."""
    f = interpreted(lambda d, x, n: ({"y": d["a"] * x[0], "n": n}, (np.sum(x) * d["b"] ** n, 1)))
    x, d, n = X[0], {"a": X[1], "b": 2.0}, 3
    _, pull = linad.vjp(f, d, x, n)
    _, push = linad.linearize(f, d, x, n)
    c, e = np.linspace(-1.0, 1.0, 210).reshape(70, 3), np.linspace(0.0, 1.0, 70)
    found = linad.vmap(pull)(({"y": c, "n": None}, (e, None)))
    agree(found, [np.stack(v) for v in zip(*(leaves(pull(({"y": p, "n": None}, (q, None)))) for p, q in zip(c, e)))])
    agree(linad.vmap(pull, (({"y": 0, "n": None}, None),))(({"y": c, "n": None}, (0.5, None)))[1][3],
          pull(({"y": c[3], "n": None}, (0.5, None)))[1])  # fmt: skip
    found = linad.vmap(push, ({"a": 1, "b": None}, None, None))({"a": c.T, "b": 0.5}, x, None)
    agree(found[0]["y"][9], push({"a": c[9], "b": 0.5}, x, None)[0]["y"])
    agree(found[1][0], np.full(70, push({"a": c[9], "b": 0.5}, x, None)[1][0]))


SHARED = {
    "part": (lambda x, w: (x * w, w[::-1] * 2.0), (0, None), (0, None), lambda: (X * X[1], X[1, ::-1] * 2.0)),
    "number": (lambda x, w: (x[0], w * w), (0, None), (0, None), lambda: (X[:, 0], X[1] ** 2)),
    "all": (lambda x, w: np.cumsum(w), (0, None), None, lambda: np.cumsum(X[1])),
    "argument": (lambda x, w: (x, w), (1, None), (1, None), lambda: (X, X[1])),
}


@pytest.mark.parametrize("case", SHARED)
def test_results_without_a_batch_axis(case):
    f, in_axes, out_axes, wanted = SHARED[case]
    batched = linad.vmap(interpreted(f), in_axes, out_axes)
    agree(batched(X, X[1]), wanted())
    check_modes(batched, (X, X[1].copy()))
    with pytest.raises(ValueError, match="None in `out_axes`, of no place"):
        batched(np.zeros((0, 3)) if in_axes[0] == 0 else np.zeros((3, 0)), X[1])


def test_a_size_that_no_argument_has():
    twice = interpreted(lambda x: 2.0 * x)
    agree(linad.vmap(twice, None, axis_size=2)(X[0]), np.stack([2.0 * X[0]] * 2))
    agree(linad.vmap(twice, None, None, 2)(X[0]), 2.0 * X[0])
    agree(interpreted(lambda x: linad.vmap(twice, in_axes=None, axis_size=2)(x))(X[0]), np.stack([2.0 * X[0]] * 2))
    assert pickle.loads(pickle.dumps(linad.vmap(scalar, axis_size=2))) is not linad.vmap(scalar)
    with pytest.raises(ValueError, match="`axis_size` is 3, and axis 0 of `x` has size 2"):
        linad.vmap(twice, axis_size=3)(X)
    with pytest.raises(ValueError, match="axis_size: -1 is negative"):
        linad.vmap(twice, axis_size=-1)
    with pytest.raises(TypeError, match="axis_size: expected an int, got"):
        linad.vmap(twice, axis_size="x")


def test_dicts():
    agree(linad.vmap(of_dict)(D, W), {"y": D["a"] * W[:, None] + W[:, None], "z": W})
    axes = ({"b": None, "a": 1}, 0)  # in any order
    agree(linad.vmap(of_dict, axes, {"z": 0, "y": 1})({"a": X, "b": 2.0}, X[0])["y"], 2.0 * X + X[0])
    inside = interpreted(lambda d, x: linad.vmap(of_dict, ({"a": 0, "b": None}, None))(d, x)["y"])
    agree(inside({"a": X, "b": 2.0}, 1.0), 2.0 * X + 1.0)
    agree(linad.jacobian(linad.vmap(lambda d: d["a"] * d["b"]))({"a": W, "b": W}), {"a": np.diag(W), "b": np.diag(W)})


def test_arguments_by_name_are_mapped_over_axis_0():
    wanted = by_place(with_default, (X, W), 0, 0)
    f = linad.vmap(interpreted(with_default), in_axes=(0,))
    agree(f(X, scale=W), wanted)
    agree(f(X), 2.0 * X + 1.0)
    agree(interpreted(lambda x, w: linad.vmap(with_default, (0,))(x, scale=w))(X, W), wanted)
    agree(linad.vmap(interpreted(recurrence), in_axes=(0,))(X, w=W), by_place(recurrence, (X, W), 0, 0))
    with pytest.raises(LinadError, match="2 parameters by position, and `in_axes` 1 entries"):
        interpreted(lambda x, w: linad.vmap(with_default, (0,))(x, w))(X, W)
