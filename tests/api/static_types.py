"""What type checkers know of checked functions. They read this file; it is not run."""

from collections.abc import Callable
from typing import Any, assert_type

import numpy as np
from jaxtyping import Float64, Int64

import linad
from linad import LinearGrad, linear_grad
from linad.api import Derivative
from linad.decorator import UpdatingGrad

Array = Float64[np.ndarray, "n"]


@linear_grad
def one(x: float) -> float:
    return x * x


@linear_grad(parallel=True, wrt="x")
def loss(x: Array, w: float, k: Int64[np.ndarray, "m"]) -> float:
    return w * x.sum() * len(k)


@linear_grad
def sizes(x: float, w: float = 2.0) -> tuple[float, int]:
    return x * w, 3


@linear_grad(updates="y")
def step(x: float, y: Array) -> None:
    y[0] += x


def plain(x: float, w: float, n: int) -> float:
    return x * w * n


X, K = np.ones(3), np.array([1])

# Checked functions are called as what they were made of.
assert_type(one(1.0), float)
assert_type(loss(X, 2.0, k=K), float)
assert_type(sizes(1.0), tuple[float, int])

# The gradient of one parameter has its type; among several, which have a gradient only the call tells.
assert_type(one.grad(1.0), float)
assert_type(one.value_and_grad(1.0), tuple[float, float])
assert_type(loss.grad(X, 2.0, K), Any)
assert_type(loss.value_and_grad(X, 2.0, k=K), tuple[float, Any])

# A pullback takes a cotangent of the type of the value; a tangent has that type, too.
value, pullback = one.vjp(1.0)
assert_type(value, float)
assert_type(pullback(1.0), tuple[float])
assert_type(one.jvp((1.0,), (1.0,)), tuple[float, float])
several, pull = loss.vjp(X, 2.0, K)
assert_type(several, float)
assert_type(pull(1.0), tuple[Any, ...])
assert_type(step.vjp(1.0, X)[0], Any)

# Functions of functions keep the parameters, and know the type of that by which they differentiate.
assert_type(linad.grad(one)(1.0), float)
assert_type(linad.grad(linad.grad(one))(1.0), float)
assert_type(linad.grad(loss)(X, 2.0, k=K), np.ndarray[tuple[Any, ...], np.dtype[Any]])
assert_type(linad.grad(plain, 1)(1.0, 2.0, n=3), float)
assert_type(linad.grad(plain, (0, 1))(1.0, 2.0, 3), tuple[float, float])
assert_type(linad.value_and_grad(plain, (0, 1))(1.0, 2.0, 3), tuple[float, tuple[float, float]])
assert_type(linad.grad(plain, (0, 2))(1.0, 2.0, n=3), Any)
assert_type(linad.value_and_grad(one)(1.0), tuple[float, float])
assert_type(linad.grad(sizes, has_aux=True)(1.0), tuple[float, int])
assert_type(linad.value_and_grad(sizes, has_aux=True)(1.0), tuple[tuple[float, int], float])
assert_type(linad.jvp(plain, (1.0, 2.0, 3), (1.0, 1.0, None)), tuple[float, float])
assert_type(linad.vjp(plain, 1.0, 2.0, 3)[0], float)
assert_type(linad.vjp(linad.grad(one), 1.0)[0], float)
assert_type(linad.vjp(step, 1.0, X)[0], Any)
assert_type(linad.vjp(sizes, 1.0, 2.0, has_aux=True)[2], int)
assert_type(linad.jvp(sizes, (1.0,), (1.0,), has_aux=True), tuple[float, float, int])
assert_type(linad.linearize(plain, 1.0, 2.0, 3)[0], float)
assert_type(linad.jacfwd(loss, (0, "w"))(X, 2.0, k=K), Any)
assert_type(linad.jacrev(sizes, has_aux=True)(1.0), tuple[Any, int])
assert_type(linad.jacobian(plain, "w", mode="rev")(1.0, 2.0, n=3), Any)
assert_type(linad.value_and_jacobian(plain)(1.0, 2.0, 3), tuple[float, Any])
assert_type(linad.hessian(one)(1.0), Any)
assert_type(linad.stop_gradient(1.0), float)
assert_type(linad.linear_transpose(plain, 1.0, 2.0, 3)(1.0), tuple[Any, ...])
assert_type(linad.vmap(one, in_axes=0)(X), Any)
assert_type(linad.grad(linad.vmap(one))(X), Any)
assert_type(one.jacobian(1.0), Any)

derivative: Derivative[[float], float] = linad.grad(one)
scale: Callable[[float], float] = derivative
function: LinearGrad[..., float] = loss


def wrong() -> None:
    """What they report."""
    one("text")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    one.grad(1.0, 2.0)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    linad.grad(one)("text")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    linad.jacfwd(one)("text")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    linad.grad(3)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    linear_grad(one, fastmat=True)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
