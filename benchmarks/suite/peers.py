"""JAX and PyTorch on the suite, where they are installed: each program in whole arrays, as their users write it.

One text serves both where only the names of functions differ. Loops over time are `lax.scan` under jit in JAX and Python's in
PyTorch. Left out is what neither expresses well: updates in place cell by cell (Gauss-Seidel, soft-DTW).
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.suite.problems import Problem

Make = Callable[[Problem], Callable[[], tuple]]


def gather(np, v, idx, w):
    return (v[idx] * w).sum()


def csr(np, data, x, indices, indptr):
    n = len(indptr) - 1
    rows = np.repeat(np.arange(n), indptr[1:] - indptr[:-1], len(indices))
    return (np.scatter_sum(data * x[indices], rows, n) ** 2).sum()


def black_scholes(np, spot, strike, vol, years, rate):
    spread = vol * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * vol**2) * years) / spread
    cdf = [0.5 * (1.0 + np.erf(d / math.sqrt(2.0))) for d in (d1, d1 - spread)]
    return (spot * cdf[0] - strike * np.exp(-rate * years) * cdf[1]).sum()


def bundle(np, cams, points, weights, pixels, seen_by, seen):
    c, p = cams[seen_by], points[seen]
    d = p - c[:, 3:6]
    angle = np.sqrt((c[:, :3] ** 2).sum(1))[:, None]
    axis = c[:, :3] / angle
    along = (axis * d).sum(1)[:, None] * (1.0 - np.cos(angle))
    x = d * np.cos(angle) + np.cross(axis, d) * np.sin(angle) + axis * along
    flat = x[:, :2] / x[:, 2:]
    r = (flat**2).sum(1)
    scale = c[:, 6] * (1.0 + c[:, 9] * r + c[:, 10] * r**2)
    errors = weights[:, None] * (flat * scale[:, None] + c[:, 7:9] - pixels)
    return 0.5 * (errors**2).sum()


def gmm(np, alphas, means, icf, x, gamma, m, constant, sign):
    k, d = means.shape
    lower = np.place_lower(icf[:, d:], d)
    scale = np.exp(icf[:, :d])
    diff = x[:, None, :] - means
    y = scale * diff + np.einsum("kab,nkb->nka", lower, diff)
    inner = alphas + icf[:, :d].sum(1) - 0.5 * (y**2).sum(2)
    likelihood = np.logsumexp(inner, 1).sum() - len(x) * np.logsumexp(alphas, 0)
    wishart = 0.5 * gamma**2 * ((scale**2).sum() + (icf[:, d:] ** 2).sum()) - m * icf[:, :d].sum() - constant
    return likelihood - 0.5 * len(x) * d * math.log(2.0 * 3.14159265359) + sign * wishart


def hmm(np, pi, trans, emit, obs):
    def step(carry, o):
        alpha, total = carry
        z = alpha.sum()
        return ((alpha / z) @ trans * emit[:, o], total + np.log(z))

    alpha, total = np.over(step, (pi * emit[:, obs[0]], np.zero), obs[1:])
    return total + np.log(alpha.sum())


def lstm(np, main, extra, start, sequence):
    layers, _, d = main.shape

    def step(carry, pair):
        state, total = carry
        x, y = pair[0] * extra[0], pair[1]
        made = []
        for k in range(layers):
            h, c, m = state[k, 0], state[k, 1], main[k]
            c = c * np.sigmoid(x * m[0] + m[4]) + np.sigmoid(h * m[1] + m[5]) * np.tanh(h * m[3] + m[7])
            x = np.sigmoid(x * m[2] + m[6]) * np.tanh(c)
            made.append(np.stack([x, c]))
        guess = x * extra[1] + extra[2]
        return np.stack(made), total + (y * (guess - np.log(2.0 + np.exp(guess).sum()))).sum()

    _, total = np.over(step, (start, np.zero), np.stack([sequence[:-1], sequence[1:]], 1))
    return -total / (d * (len(sequence) - 1))


def heat(np, u0, k, steps):
    def step(u, _):
        return np.concatenate([u[:1], u[1:-1] + k[1:-1] * (u[:-2] - 2.0 * u[1:-1] + u[2:]), u[-1:]])

    return (np.over(step, u0, np.arange(steps)) ** 2).sum()


def reaction(np, u0, rate, dt, steps):
    def step(u, _):
        c = u[1:-1, 1:-1]
        flow = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * c
        return u + np.pad(dt * (flow + rate * (c - c**3)))

    return (np.over(step, u0, np.arange(steps)) ** 2).sum()


def n_body(np, q0, v0, mass, dt, steps):
    def step(state, _):
        q, v = state
        d = q[None] - q[:, None]
        r2 = (d**2).sum(2) + 0.01
        v = v + dt * ((mass / (r2 * np.sqrt(r2)))[:, :, None] * d).sum(1)
        return q + dt * v, v

    _, v = np.over(step, (q0, v0), np.arange(steps))
    return 0.5 * (mass[:, None] * v**2).sum()


def cholesky(np, a):
    below = np.tril(a, -1)
    return 2.0 * np.log(np.diagonal(np.cholesky(np.tril(a) + below.T))).sum()


TEXTS = {f.__name__: f for f in (gather, csr, black_scholes, bundle, gmm, hmm, lstm, heat, reaction, n_body, cholesky)}


def _leaves(problem: Problem) -> list[int]:
    code = problem.function.__code__
    return [k for k, name in enumerate(code.co_varnames[: code.co_argcount]) if name in problem.wrt]


def with_jax(problem: Problem, ahead: bool = False) -> Callable[[], tuple]:
    """The gradient under jit; times include waiting for it. ``ahead`` of the first call it is compiled where asked for."""
    return jax_call(TEXTS[problem.name], problem.args, _leaves(problem), ahead)


def jax_call(text: Callable, given: tuple, leaves: list[int], ahead: bool = False) -> Callable[[], tuple]:
    """Value and gradient of a text by the arguments whose places are given."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    def over(step, start, xs):
        return jax.lax.scan(lambda carry, x: (step(carry, x), None), start, xs)[0]

    def place_lower(rest, d):
        columns, rows = np.triu_indices(d, 1)
        return jnp.zeros((len(rest), d, d)).at[:, rows, columns].set(rest)

    names = SimpleNamespace(
        **{n: getattr(jnp, n) for n in "sqrt log exp cos sin tanh cross einsum stack concatenate arange diagonal tril eye zeros".split()},
        put=lambda a, at, new: a.at[at].set(new),
        erf=jax.scipy.special.erf, logsumexp=jax.scipy.special.logsumexp, sigmoid=jax.nn.sigmoid, over=over, zero=0.0,
        pad=lambda a: jnp.pad(a, 1), cholesky=jnp.linalg.cholesky, place_lower=place_lower,
        repeat=lambda a, n, total: jnp.repeat(a, n, total_repeat_length=total),
        scatter_sum=lambda a, rows, n: jax.ops.segment_sum(a, rows, n, indices_are_sorted=True),
    )  # fmt: skip
    sizes = [k for k, a in enumerate(given) if isinstance(a, int)]
    args = [a if k in sizes else jnp.asarray(a) for k, a in enumerate(given)]
    ready = jax.jit(jax.value_and_grad(lambda *a: text(names, *a), tuple(leaves)), static_argnums=sizes)
    passed = args
    if ahead:
        ready, passed = ready.lower(*args).compile(), [a for k, a in enumerate(args) if k not in sizes]

    def run() -> tuple:
        value, grads = jax.block_until_ready(ready(*passed))
        return (value, *grads)

    return run


def with_torch(problem: Problem) -> Callable[[], tuple]:
    """The gradient, run eagerly."""
    return torch_call(TEXTS[problem.name], problem.args, _leaves(problem))


def torch_call(text: Callable, given: tuple, leaves: list[int]) -> Callable[[], tuple]:
    """Value and gradient of a text by the arguments whose places are given."""
    import torch

    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)

    def over(step, state, xs):
        for x in xs:
            state = step(state, x)
        return state

    def place_lower(rest, d):
        columns, rows = np.triu_indices(d, 1)
        made = torch.zeros((len(rest), d, d))
        made[:, rows, columns] = rest
        return made

    names = SimpleNamespace(
        **{n: getattr(torch, n) for n in "sqrt log exp cos sin tanh einsum stack erf logsumexp sigmoid diagonal tril eye zeros".split()},
        put=lambda a, at, new: a.index_put((torch.as_tensor(at),), new),
        cross=torch.linalg.cross, concatenate=torch.cat, arange=torch.arange, over=over, zero=torch.zeros(()),
        pad=lambda a: torch.nn.functional.pad(a, (1, 1, 1, 1)), cholesky=torch.linalg.cholesky, place_lower=place_lower,
        repeat=lambda a, n, total: torch.repeat_interleave(a, n),
        scatter_sum=lambda a, rows, n: torch.zeros(n).index_add(0, rows, a),
    )  # fmt: skip
    args: list[Any] = []
    for k, a in enumerate(given):
        args.append(torch.tensor(a, requires_grad=True) if k in leaves else torch.tensor(a) if np.ndim(a) else a)

    def run() -> tuple:
        value = text(names, *args)
        grads = torch.autograd.grad(value, [args[k] for k in leaves])
        return (value.item(), *(g.numpy() for g in grads))

    return run


TOOLS: dict[str, tuple[str, Make]] = {"JAX": ("jax", with_jax), "PyTorch": ("torch", with_torch)}


def available(problem: Problem) -> dict[str, Make]:
    """The tools that are installed and have a text for the problem."""
    return {
        name: make
        for name, (package, make) in TOOLS.items()
        if problem.name in TEXTS and importlib.util.find_spec(package) is not None
    }
