"""`linad.testing.check_grads` of second order: what is right passes, and a wrong rule is found and named."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from jaxtyping import Bool, Float32, Float64, Int64

import linad
from linad import linear_grad
from linad.derivatives.table import RULES
from linad.testing import arguments, check_grads, float_arrays, tame_floats

pytestmark = pytest.mark.interpreted

X = np.array([0.5, 1.0, 2.0])


@linear_grad(backend="interpret")
def potential(x, w: float, n: int):
    u = x.copy()
    for i in range(1, len(u)):
        u[i] *= np.sin(w * u[i - 1])
    return np.sum(u**n)


@linear_grad(backend="interpret")
def of_structure(p):
    (a, n), b = p
    return np.sum(a**n) * b


def test_what_is_right_passes():
    check_grads(potential, (X, 1.5, 3), order=2)
    check_grads(of_structure, (((X, 3), 0.5),), order=2)
    check_grads(lambda x: np.sum(x**3), (X.astype(np.float32),), order=2, modes=("fwd",))
    check_grads(linear_grad(of_any, backend="interpret"), (X, 1.5), order=2)
    check_grads(linad.vjp(potential, X, 1.5, 3)[1], (1.0,))


class Two(NamedTuple):
    a: np.ndarray
    b: float


def of_any(x, w: float):
    return {"a": np.sin(x) * w, "n": 3}, Two(x * x, w), [w * x[0]]


def test_results_that_are_no_number():
    with pytest.raises(AssertionError, match=r"the derivative by x\[1\] is .*central differences give"):
        check_grads(lambda x: (wrong(x[1]) * np.ones(2), 2.0 * x), (X,))


@pytest.mark.parametrize("mode, told", [("rev", "reverse over reverse"), ("fwd", "forward over reverse")])
def test_a_wrong_second_derivative_is_named(mode, told, monkeypatch):
    """The derivative of sine is right, that of cosine is not: only the second derivative is wrong."""
    monkeypatch.setitem(RULES, "cos", replace(RULES["cos"], slopes=(lambda point, seed: seed,)))

    @linear_grad(backend="interpret", cache=False)
    def wave(x):
        return np.sum(np.sin(x))

    check_grads(wave, (X,), modes=(mode,))
    with pytest.raises(AssertionError, match=rf"by x\[\d\] is .*central differences give") as found:
        check_grads(wave, (X,), order=2, modes=(mode,))
    assert told in str(found.value)


def test_orders_there_are():
    check_grads(lambda x: x * x, [2.0], modes="rev")
    with pytest.raises(TypeError, match=r"args: expected a tuple with the arguments, got a float: write `\(x,\)` for one"):
        check_grads(lambda x: x * x, 2.0)
    for order in (0, 1.5, True):
        with pytest.raises(ValueError, match="order: expected 1 for first derivatives, 2 for second ones, or more"):
            check_grads(potential, (X, 1.5, 3), order=order)


def test_third_derivatives():
    check_grads(of_structure, (((X, 3), 0.5),), order=3)
    check_grads(linear_grad(potential.py_func, wrt="w", backend="interpret"), (X, 1.5, 3), order=3)
    twice = linad.custom_jvp(lambda x: 2.0 * x)
    twice.defjvp(lambda primals, tangents: (2.0 * primals[0], 3.0 * tangents[0]))  # wrong
    square = linad.custom_jvp(lambda x: x**2)
    square.defjvp(lambda primals, tangents: (primals[0] ** 2, twice(primals[0]) * tangents[0]))
    cube = linad.custom_jvp(lambda x: x**3)
    cube.defjvp(lambda primals, tangents: (primals[0] ** 3, 3.0 * square(primals[0]) * tangents[0]))
    check_grads(linear_grad(lambda x: cube(x), backend="interpret"), (2.0,), order=2)
    with pytest.raises(AssertionError, match="of the sum of the gradient's numbers with fixed weights: the derivative"):
        check_grads(linear_grad(lambda x: cube(x), backend="interpret"), (2.0,), order=3)


@linad.custom_vjp
def wrong(x):
    return x * x


wrong.defvjp(lambda x: (wrong(x), x), lambda x, g: (g * x,))


@pytest.mark.parametrize(
    "f, args, told",
    [
        (
            lambda x: np.maximum(x, 0.0),
            (0.0,),
            "by x is 1.0, .* likely a kink or a tie: the slope is 1 to the right and 0 to the",
        ),
        (
            lambda v: np.max(v) ** 2,
            (np.ones(3),),
            r"by v\[\d\] is [02].0, .* likely a kink or a tie: the slope is 2 to the right",
        ),
        (
            lambda x: 1.0 if x > 0.0 else 0.0 * x,
            (0.0,),
            "likely a jump: the slopes to both sides, .* grow as the step shrinks",
        ),
        (
            lambda x: np.sin(1e7 * x),
            (0.3,),
            "likely a step too large: with one of 2.4e-08, in place of 6.1e-06, they give 4.7",
        ),
        (lambda x: 1e9 + x * 1e-3, (0.3,), "likely the precision of floats: rounding of a value of 1e.09 alone"),
        (
            lambda x: np.sum(x) + np.float32(1e6),
            (np.ones(3, np.float32),),
            "likely float32: rounding of a value of 1e.06 alone",
        ),
        (
            lambda x: np.sum(x.astype(np.float32) ** 2),
            (np.array([1.0, 2.0]),),
            "likely rounding inside, as where the function computes in float32: with a step of .* they give 2",
        ),
        (lambda x: np.sqrt(x), (0.0,), "a value near by is not finite"),
        (lambda x: wrong(x) + x, (2.0,), "by x is 3.0, .* differences to both sides agree: no kink was found"),
    ],
)
def test_the_likely_cause(f, args, told):
    with pytest.raises(AssertionError, match=told):
        check_grads(linear_grad(f, backend="interpret"), args)


def test_a_gradient_that_jumps():
    with pytest.raises(AssertionError, match="likely a jump: the slopes to both sides, .* grow as the step shrinks"):
        check_grads(linear_grad(lambda x: np.abs(x), backend="interpret"), (0.0,), order=2)


class Pair(NamedTuple):
    x: Float64[np.ndarray, "n"]
    scale: float


def of_everything(
    pair: Pair,
    index: Int64[np.ndarray, "m"],
    a: Float32[np.ndarray, "m n+1"],
    flags: Bool[np.ndarray, "n"],
    k: int,
    on: bool,
) -> float:
    total = 0.0
    for i in range(len(index)):
        total += pair.scale * pair.x[index[i]] * a[i, -1] if on else 0.5 * k
    return total + np.sum(np.where(flags, pair.x, 0.0))


@settings(max_examples=60, deadline=None)
@given(arguments(of_everything))
def test_arguments_fit_the_annotations(args):
    pair, index, a, flags, k, on = args
    assert isinstance(pair, Pair) and type(pair.scale) is float and type(k) is int and type(on) is bool
    assert a.shape == (len(index), len(pair.x) + 1) and a.dtype == np.float32 and flags.shape == pair.x.shape
    assert np.isfinite(of_everything(*args))  # indices are in range


@settings(max_examples=15, deadline=None)
@given(
    arguments(
        potential_of := linear_grad(lambda x, w: np.sum(np.sin(w * x)), backend="interpret"),
        x=float_arrays(3),
        w=tame_floats(),
    )
)
def test_strategies_of_ones_own(args):
    check_grads(potential_of, args)


def test_arguments_that_nothing_is_known_of():
    with pytest.raises(ValueError, match="annotate `x`, or give a strategy for each parameter"):
        arguments(potential)
    with pytest.raises(ValueError, match="`potential` has no parameter `y`; it has x, w, n"):
        arguments(potential, y=tame_floats())
