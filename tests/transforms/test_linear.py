"""Transforms of pullbacks, linearized functions and transposes, and calls of them in checked functions."""

import functools
import pickle

import numpy as np
import pytest

import linad
from linad import LinadError, linear_grad
from linad.structures import leaves

pytestmark = pytest.mark.interpreted

interpreted = functools.partial(linear_grad, backend="interpret")
X = np.array([0.5, 1.5, -0.25])
E = np.eye(3)


def f(x, w: float):
    return np.sin(x) * w * w * x[0]


def with_aux(x, w: float):
    return f(x, w), (x[0], 3)


def starred(x, *more, shift: float = 1.0):
    return x * more[0] * more[1] + shift


BY_X, BY_W = linad.jacfwd(interpreted(f), (0, 1))(X, 2.0)
PULL = linad.vjp(interpreted(f), X, 2.0)[1]
PUSH = linad.linearize(interpreted(f), X, 2.0)[1]
PULL_FIRST = linad.vjp(interpreted(with_aux), X, 2.0, has_aux=True)[1]
PUSH_FIRST = linad.linearize(interpreted(with_aux), X, 2.0, has_aux=True)[1]
TURNED = linad.linear_transpose(interpreted(lambda x: np.cumsum(x)), X)
STARRED = linad.linearize(interpreted(starred), X, 2.0, 3.0)[1]
DEFAULT = linad.linearize(interpreted(lambda x, w=2.0: f(x, w)), X)[1]
BATCH = linad.vmap(PULL)
TWICE = linad.vmap(BATCH, in_axes=1)
CUBES = np.cos(np.arange(24.0)).reshape(2, 4, 3)

CASES = {  # what is computed, and what it is
    "pullback again": (lambda: TWICE(CUBES), lambda: (CUBES.swapaxes(0, 1) @ BY_X, CUBES.swapaxes(0, 1) @ BY_W)),
    "jacobian of a pullback": (lambda: linad.jacobian(PULL)(X), lambda: (BY_X.T, BY_W)),
    "jacobian by name": (lambda: linad.jacobian(PUSH, "w_dot")(X, 1.0), lambda: BY_W),
    "both": (lambda: linad.jacrev(PUSH, (0, -1))(X, 1.0), lambda: (BY_X, BY_W)),
    "vjp": (lambda: linad.vjp(PUSH, X, 1.0)[1](X), lambda: (BY_X.T @ X, BY_W @ X)),
    "jvp": (lambda: linad.jvp(PULL, (X,), (E[0],))[1], lambda: (BY_X[0], BY_W[0])),
    "jvp with None": (lambda: linad.jvp(PUSH, (X, 1.0), (None, 2.0))[1], lambda: 2.0 * BY_W),
    "linearize": (lambda: linad.linearize(PULL, X)[1](E[1]), lambda: (BY_X[1], BY_W[1])),
    "linearized again": (
        lambda: linad.vmap(linad.linearize(linad.linearize(PUSH, X, 1.0)[1], X, 1.0)[1], (0, None))(E, 0.0),
        lambda: BY_X.T,
    ),
    "transpose of a pullback": (lambda: linad.linear_transpose(PULL, X)((X, 2.0)), lambda: (BY_X @ X + 2.0 * BY_W,)),
    "transpose of a linearized function": (
        lambda: linad.linear_transpose(PUSH, X, 1.0)(X),
        lambda: (BY_X.T @ X, BY_W @ X),
    ),
    "sparse": (lambda: linad.jacobian(PUSH, sparsity=True)(X, 1.0).toarray(), lambda: BY_X),
    "pattern": (lambda: linad.sparsity(PUSH)(X, 1.0).toarray() != 0, lambda: BY_X != 0),
    "aux of a pullback": (lambda: linad.vmap(PULL_FIRST)(E), lambda: (BY_X, BY_W)),
    "aux of a linearized function": (lambda: linad.vmap(PUSH_FIRST, (0, None))(E, 1.0), lambda: BY_X.T + BY_W),
    "transpose": (lambda: linad.vmap(TURNED)(E), lambda: (np.tril(np.ones((3, 3))),)),
    "starred": (lambda: linad.vmap(STARRED, (0, None, None))(E, 0.0, 1.0), lambda: 6.0 * E + 2.0 * X),
    "a default": (lambda: linad.vmap(DEFAULT)(E), lambda: BY_X.T),
    "gradient": (lambda: linad.grad(lambda c: np.sum(PULL(c)[0] ** 2))(X), lambda: 2.0 * BY_X @ (BY_X.T @ X)),
    "hessian": (lambda: linad.hessian(lambda v: np.sum(PUSH(v, 0.0) ** 2))(X), lambda: 2.0 * BY_X.T @ BY_X),
    "batch inside": (lambda: interpreted(lambda c: BATCH(c)[1])(E), lambda: BY_W),
    "pickled": (lambda: pickle.loads(pickle.dumps(BATCH))(E), lambda: (BY_X, BY_W)),
    "pickled linearized function": (lambda: linad.vmap(pickle.loads(pickle.dumps(DEFAULT)))(E), lambda: BY_X.T),
    "of a gradient": (
        lambda: linad.vmap(linad.linearize(linad.grad(lambda x: np.sum(x**3)), X)[1])(E),
        lambda: np.diag(6.0 * X),
    ),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", CASES)
def test_transforms(case):
    found, wanted = (run() for run in CASES[case])
    for a, b in zip(leaves(found), leaves(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("given", [(True, "a", None), (False, "a", None), (True, "b", None), (True, "a", X)])
def test_arguments_known_at_compile_time_are_held(given):
    """Flags, texts and None decide what the function is."""

    def power(x, flag=True, mode="a", other=None):
        return x**2 if flag and mode == "a" and other is None else np.sin(x)

    slope = np.diag(linad.jacrev(power)(X, *given))
    _, pullback = linad.vjp(power, X, *given)
    _, push = linad.linearize(power, X, *given)
    rest = (None,) * len(given)
    for found in (
        linad.vmap(pullback)(np.eye(X.size))[0],
        linad.jacrev(pullback)(X)[0],
        linad.vmap(lambda v: push(v, *rest))(np.eye(X.size)),
        linad.jacfwd(push)(X, *rest),
        linear_grad(lambda x: linad.jacrev(lambda v: linad.linearize(power, x, *given)[1](v, *rest))(x))(X),
        linear_grad(lambda x: linad.jacfwd(lambda v: linad.jvp(power, (x, *given), (v, *rest))[1])(x))(X),
        linad.jacrev(pickle.loads(pickle.dumps(pullback)))(X)[0],
    ):
        np.testing.assert_allclose(np.diag(found), slope)


def test_what_is_refused():
    with pytest.raises(TypeError, match="expected 1 arguments, got 2"):
        BATCH(E, E)
    with pytest.raises(LinadError, match="has no parameter 'x'; it has x_dot, w_dot"):
        linad.jacobian(PUSH, "x")
    with pytest.raises(LinadError, match="has no parameter 2"):
        linad.jacobian(PUSH, 2)
    with pytest.raises(ValueError, match="the cotangent has a size of 4 where the result has 3"):
        BATCH(np.ones((2, 4)))
    with pytest.raises(LinadError, match="maps over axis 2 of `cotangent`"):
        linad.vmap(PULL, 2)(E)
    with pytest.raises(LinadError, match="one float as its result"):
        linad.grad(PUSH)(X, 1.0)
    assert repr(BATCH) == "<vmap of the linear function of f by cotangent>"


class Model:
    def __init__(self, w):
        self.w = w

    def loss(self, x, scale: float = 1.0):
        return scale * np.sum(self.w * x**2)

    def __call__(self, x):
        return np.sum(self.w * x**3)


MODEL = Model(np.array([1.0, 2.0, 3.0]))
SUM = functools.partial(f, w=2.0)
GRADIENT = linad.grad(MODEL.loss)
CALLABLES = {
    "partial": (lambda: linad.jacobian(SUM)(X), lambda: BY_X),
    "by position": (lambda: linad.jacobian(functools.partial(f, X))(2.0), lambda: BY_W),
    "partial of a transform": (
        lambda: linad.jacobian(functools.partial(linad.grad(lambda x, w: np.sum(w * x**2)), w=2.0))(X),
        lambda: 4.0 * E,
    ),
    "library": (lambda: linad.vmap(functools.partial(np.sum, axis=0))(CUBES), lambda: CUBES.sum(1)),
    "method": (lambda: linad.grad(MODEL.loss)(X), lambda: 2.0 * MODEL.w * X),
    "method and default": (lambda: linad.grad(MODEL.loss)(X, 3.0), lambda: 6.0 * MODEL.w * X),
    "object": (lambda: linad.hessian(MODEL)(X), lambda: np.diag(6.0 * MODEL.w * X)),
    "vjp": (lambda: linad.vjp(MODEL.loss, X)[1](1.0)[0], lambda: 2.0 * MODEL.w * X),
    "partial inside": (lambda: interpreted(lambda x: linad.jacobian(SUM)(x))(X), lambda: BY_X),
    "partial made inside": (
        lambda: interpreted(lambda x, w: linad.jacobian(functools.partial(f, w=w))(x))(X, 2.0),
        lambda: BY_X,
    ),
    "method inside": (lambda: interpreted(lambda x: linad.grad(MODEL.loss)(x))(X), lambda: 2.0 * MODEL.w * X),
    "object inside": (lambda: interpreted(lambda x: linad.hvp(MODEL, (x,), (x,)))(X), lambda: 6.0 * MODEL.w * X * X),
    "as arguments": (
        lambda: interpreted(lambda g, p, x: g(x) + p(x)[0])(GRADIENT, TURNED, X),
        lambda: 2.0 * MODEL.w * X + np.cumsum(X[::-1])[::-1],
    ),
    "transform inside": (lambda: interpreted(lambda x: GRADIENT(x))(X), lambda: 2.0 * MODEL.w * X),
    "transform of one inside": (
        lambda: interpreted(lambda x: linad.jacobian(GRADIENT)(x))(X),
        lambda: np.diag(2.0 * MODEL.w),
    ),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", CALLABLES)
def test_partial_applications_methods_and_objects(case):
    found, wanted = (run() for run in CALLABLES[case])
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


def test_state_of_an_object_is_current():
    model = Model(np.ones(3))
    gradient = linad.grad(model.loss)
    assert np.allclose(gradient(X), 2.0 * X)
    model.w = np.zeros(3)
    assert np.allclose(gradient(X), 0.0)


def test_parameters_after_one_given_by_name():
    three = functools.partial(lambda a, b, c: a * b * c, b=2.0)
    assert linad.grad(three)(3.0, c=5.0) == 10.0
    with pytest.raises(TypeError, match="too many positional"):  # as Python has it
        linad.grad(three)(3.0, 5.0)


ONE = linear_grad(lambda x: np.sum(x**2), backend="interpret")
KEYED = linear_grad(lambda x: (x, {"s": np.sum(x)}), backend="interpret")
BAD = {  # a call, and how its error says what is wrong and what to write
    "keys of a dict": (lambda: linad.vjp(KEYED, X)[1]((X, {"t": 1.0})), r"a dict with the keys 's', got one with 't'"),
    "tangents without a tuple": (lambda: linad.jvp(ONE, (X,), X), r"a tuple of 1 tangent, got .* array .*: write `\(x_dot,\)`"),
    "primals without a tuple": (lambda: linad.jvp(ONE, X, X), r"a tuple of arguments, got .*: write `\(x,\)`"),
    "no pair": (lambda: linad.grad(ONE, has_aux=True)(X), r"(?s)with `has_aux` it returns a float and .*return `\(value, aux\)`"),
    "wrt": (lambda: linear_grad(lambda x: x, wrt=1.5), "expected a parameter, by name or position, or a sequence of them"),
    "keyword": (lambda: linad.grad(ONE)(y=X), "there is no parameter `y`; it has `x`"),
}


@pytest.mark.parametrize("case", BAD)
def test_errors_say_what_to_write(case):
    call, told = BAD[case]
    with pytest.raises(TypeError, match=told):
        call()
