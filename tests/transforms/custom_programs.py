"""Programs that call functions with rules. Most rules say something else than the derivative of the body, so that
ignoring one shows; `WITHOUT` has functions with the same values and the derivatives, of all orders, of the rules."""

from typing import NamedTuple

import numba
import numpy as np
from jaxtyping import Float64

import linad

# ---------------------------------------------------------------------------------------------------- scalar rules


@linad.custom_vjp
def twice(x):
    """Its rule says that its derivative is twice that of the square, so that ignoring the rule shows."""
    return x * x


def _twice_fwd(x):
    return twice(x), x


def _twice_bwd(x, g):
    return (4.0 * x * g,)


twice.defvjp(_twice_fwd, _twice_bwd)


@linad.custom_jvp
def twice_jvp(x):
    return x * x


@twice_jvp.defjvp
def _twice_tangent(primals, tangents):
    (x,) = primals
    (t,) = tangents
    return twice_jvp(x), 4.0 * x * t


def in_a_loop(x, w: float):
    total = 0.0
    for i in range(len(x)):
        total += twice(w * x[i]) * x[i]
    return total


def in_a_loop_of_jvp(x, w: float):
    total = 0.0
    for i in range(len(x)):
        total += twice_jvp(w * x[i]) * x[i]
    return total


def carried(x, w: float):
    s = w
    for i in range(len(x)):
        s = np.sin(twice(s) + x[i]) if x[i] > 0.0 else twice(s * x[i])
    return s


def while_loop(x, w: float):
    s, k = w, 0
    while s < 20.0 and k < len(x):
        s += twice(s) * x[k] ** 2 + 0.5
        k += 1
    return s * twice(x[0])


def recursive(x, w: float):
    def down(k: int, s):
        if k == 0:
            return twice(s)
        return down(k - 1, s * x[k]) + twice(s) * x[k]

    return down(len(x) - 1, w)


def checkpointed(x, w: float):
    s = w
    for i in linad.checkpoint(range(len(x)), slots=2):
        s = 0.5 * twice(s) + x[i] * s
    return s


# ----------------------------------------------------------------------------------------------------- array rules


@linad.custom_vjp
def softplus(x):
    return np.log1p(np.exp(x))


def _softplus_fwd(x):
    y = softplus(x)
    return y, y


def _softplus_bwd(y, g):
    return (2.0 * g * (1.0 - np.exp(-y)),)


softplus.defvjp(_softplus_fwd, _softplus_bwd)


@linad.custom_jvp
def softplus_jvp(x):
    return np.log1p(np.exp(x))


@softplus_jvp.defjvp
def _softplus_tangent(primals, tangents):
    y = softplus_jvp(primals[0])
    return y, 2.0 * tangents[0] * (1.0 - np.exp(-y))


def whole_arrays(x, w: float):
    return w * np.sum(softplus(x) ** 2)


def whole_arrays_of_jvp(x, w: float):
    return w * np.sum(softplus_jvp(x) ** 2)


def views(x, w: float):
    return np.sum(softplus(w * x[1:]) * x[:-1] + softplus(x[::-1])[1:])


def steps(x, w: float):
    u = x.copy()
    for k in range(3):
        u = softplus(u) - w * x
        u[k] += softplus(x)[0]
    return np.sum(u * u)


# ------------------------------------------------------------------------------------ several arguments and residuals


class Kept(NamedTuple):
    x: np.ndarray
    scale: float
    inside: np.ndarray
    order: np.ndarray


@linad.custom_vjp
def straight(x):
    """To the nearest number between -1 and 1, with the derivative 1."""
    return np.clip(x, -1.0, 1.0)


straight.defvjp(lambda x: (straight(x), None), lambda _, g: (g,))


@linad.custom_vjp
def clipped(x, scale, shift):
    """``scale * straight(x) + shift``, with residuals of all kinds."""
    return scale * np.clip(x, -1.0, 1.0) + shift, np.sum(x)


def _clipped_fwd(x, scale, shift):
    order = np.argsort(x)
    return clipped(x, scale, shift), (Kept(x, scale, np.abs(x) < 1.0, order), (len(x), 1.0))


def _clipped_bwd(residuals, cotangents):
    kept, (n, outside) = residuals
    g, total = cotangents
    x_bar = np.zeros(n)
    for k in range(n):
        j = kept.order[k]
        x_bar[j] = kept.scale * g[j] * (1.0 if kept.inside[j] else outside) + total
    return x_bar, np.sum(g * straight(kept.x)), np.sum(g)


clipped.defvjp(_clipped_fwd, _clipped_bwd)


def several(x, w: float):
    y, total = clipped(x, w, 0.5)
    return np.sum(y * x) * total


def first_result_only(x, w: float):
    return np.sum(clipped(x, w, w * w)[0] * x)


def second_result_only(x, w: float):
    return clipped(x, w, 0.5)[1] ** 2 * w


@linad.custom_vjp
def product(x, y):
    return x * y


product.defvjp(lambda x, y: (product(x, y), (x, y)), lambda xy, g: (3.0 * g * xy[1], 3.0 * g * xy[0]))


def same_array_twice(x, w: float):
    return np.sum(product(x, x)) * w + product(w, w)


@linad.custom_vjp
def added(x, y):
    return x + y


added.defvjp(lambda x, y: (x + y, None), lambda _, g: (g, g))


def one_cotangent_for_both(x, w: float):
    return np.sum(added(x, w * x) ** 2)


@linad.custom_vjp
def constant_second(x, y):
    return x * y


constant_second.defvjp(lambda x, y: (x * y, y), lambda y, g: (g * y, None))


def no_gradient_for_one(x, w: float):
    return np.sum(constant_second(x, w * x))


# --------------------------------------------------------------------------- what the rule does not differentiate by


def _apply(f, x, times):
    for _ in range(times):
        x = f(x)
    return x


applied = linad.custom_vjp(_apply, nondiff_argnums=(0, 2))
applied.defvjp(lambda f, x, times: (applied(f, x, times), x), lambda f, times, x, g: (g * times * linad.grad(f)(x),))


def function_as_argument(x, w: float):
    return applied(lambda u: np.sin(u) * 0.5, w, 3) * np.sum(x)


@linad.custom_jvp
def power(x, n):
    return x**n


power.defjvps(lambda t, y, x, n: 7.0 * t * y / x, None)


def with_an_int(x, w: float):
    total = 0.0
    for k in range(1, 4):
        total += power(w, k) * x[k]
    return total


# ------------------------------------------------------------------------------------------------- rules of each other


@linad.custom_vjp
def sine(x):
    return np.sin(x)


@linad.custom_jvp
def cosine(x):
    return np.cos(x)


sine.defvjp(lambda x: (sine(x), x), lambda x, g: (g * cosine(x),))
cosine.defjvps(lambda t, y, x: -t * sine(x))


def of_each_other(x, w: float):
    return np.sum(x) * sine(w) * cosine(w * x[0])


@linad.custom_vjp
def weighted(x, g):
    """Its body has no derivative by ``x``."""
    return linad.stop_gradient(x) * g


@linad.custom_vjp
def bent(x):
    return x * x


weighted.defvjp(lambda x, g: (weighted(x, g), (x, g)), lambda xg, h: (weighted(xg[1], h), weighted(xg[0], h)))
bent.defvjp(lambda x: (bent(x), x), lambda x, g: (weighted(2.0 * x, g),))


def rule_in_a_rule(x, w: float):
    return np.sum(bent(w * x) * x)


# ----------------------------------------------------------------------------------------------------- matrix rules


@linad.custom_vjp
def solved(a, b):
    return np.linalg.solve(a, b)


def _solved_fwd(a, b):
    y = solved(a, b)
    return y, (a, y)


def _solved_bwd(residuals, g):
    a, y = residuals
    s = solved(a.T, g)
    return -np.outer(s, y), s


solved.defvjp(_solved_fwd, _solved_bwd)


def linear_system(x, w: float):
    n = len(x)
    a = np.outer(x, x) + w * np.eye(n)
    return np.sum(solved(a, x) ** 2)


# --------------------------------------------------------------------------------------------- compiled elsewhere


@numba.njit
def _cube_compiled(x):
    return x * x * x


@linad.rule(_cube_compiled)
def cube(x: float) -> float: ...


cube.defvjp(lambda x: (cube(x), x), lambda x, g: (6.0 * x * x * g,))


@numba.njit
def _scaled_compiled(x, w):
    return w * x, x.sum()


@linad.rule(_scaled_compiled, linear="x")
def scaled(x: Float64[np.ndarray, "n"], w: float) -> tuple[Float64[np.ndarray, "n"], float]: ...


@numba.njit
def _scaled_compiled_bwd(x, w, g, total):
    return w * g + total, (x * g).sum()


@linad.rule(_scaled_compiled_bwd, linear=("g", 3))
def _scaled_bwd(
    x: Float64[np.ndarray, "n"], w: float, g: Float64[np.ndarray, "n"], total: float
) -> tuple[Float64[np.ndarray, "n"], float]: ...


def _scaled_of_bwd(kept, bars):
    (x, w, g), (x_bar, w_bar) = kept, bars
    g_bar, total_bar = scaled(x_bar, w)
    return w_bar * g, np.sum(x_bar * g), g_bar + w_bar * x, total_bar


scaled.defvjp(lambda x, w: (scaled(x, w), (x, w)), lambda kept, g: _scaled_bwd(*kept, *g))
_scaled_bwd.defvjp(lambda x, w, g, t: (_scaled_bwd(x, w, g, t), (x, w, g)), _scaled_of_bwd)


@numba.cfunc("void(CPointer(float64), int64, float64, CPointer(float64))")
def _shifted_c(x, n, by, out):
    for k in range(n):
        out[k] = x[k] + by


@linad.rule(_shifted_c.ctypes)
def _shifted(x: Float64[np.ndarray, "n"], n: int, by: float) -> Float64[np.ndarray, "n"]: ...


_shifted.defjvps(lambda t, y, x, n, by: 2.0 * t, None, lambda t, y, x, n, by: np.full(n, t))


def compiled_in_a_loop(x, w: float):
    total = 0.0
    for i in range(len(x)):
        total += cube(w * x[i]) * x[i]
    return total


def compiled_of_arrays(x, w: float):
    y, total = scaled(x[::-1], w * w)
    return np.sum(y * x) * total


def compiled_in_c(x, w: float):
    return np.sum(_shifted(w * x, len(x), w) ** 2)


# ------------------------------------------------------------------------------------ the same, in the language alone


def _twice(x):
    return 2.0 * x * x - linad.stop_gradient(x * x)


def _softplus(x):
    x0 = linad.stop_gradient(x)
    y0 = np.log1p(np.exp(x0))
    return np.log1p((np.exp(y0) - 1.0) * np.exp(2.0 * (x - x0)))


def _straight(x):
    return x + linad.stop_gradient(np.clip(x, -1.0, 1.0) - x)


def _power(x, n):
    x0 = linad.stop_gradient(x)
    return x0**n * (x / x0) ** 7.0


def _applied_to(f, x, times):
    value = linad.stop_gradient(_apply(f, x, times))
    return times * f(x) - linad.stop_gradient(times * f(x)) + value


WITHOUT = {
    "twice": _twice,
    "twice_jvp": _twice,
    "softplus": _softplus,
    "softplus_jvp": _softplus,
    "straight": _straight,
    "clipped": lambda x, scale, shift: (scale * _straight(x) + shift, np.sum(x)),
    "product": lambda x, y: 3.0 * x * y - linad.stop_gradient(2.0 * x * y),
    "added": lambda x, y: x + y,
    "constant_second": lambda x, y: x * linad.stop_gradient(y),
    "applied": _applied_to,
    "power": _power,
    "sine": lambda x: np.sin(x),
    "cosine": lambda x: np.cos(x),
    "solved": lambda a, b: np.linalg.solve(a, b),
    "bent": lambda x: x * x,
    "cube": lambda x: 2.0 * x**3 - linad.stop_gradient(x**3),
    "scaled": lambda x, w: (w * x, np.sum(x)),
    "_shifted": lambda x, n, by: 2.0 * x - linad.stop_gradient(x) + by,
}
