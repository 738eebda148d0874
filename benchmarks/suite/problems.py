"""The problems of the suite: a program, its inputs in two sizes, and how the C by hand is called."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import programs as earlier
from benchmarks.suite import programs

EXAMPLES = Path(__file__).parents[2] / "examples"
BARS = "the buffers that gradients are added to"
WORK = "scratch memory"


@dataclass(frozen=True)
class Problem:
    """A program with arguments.

    Attributes
    ----------
    name, size
        What it is called, and how large it is here.
    function
        The program, not yet decorated.
    args
        Its arguments.
    wrt
        The names of the parameters that the gradient is taken by.
    native
        The arguments of the C function, with `WORK` and `BARS` where those stand.
    work
        Words of scratch memory that the C function is given: its log, its state and their adjoints.
    """

    name: str
    size: str
    function: Callable[..., Any]
    args: tuple
    wrt: tuple[str, ...]
    native: tuple
    work: int = 0

    @property
    def title(self) -> str:
        return f"{self.name}, {self.size}"


def gather(n: int) -> Problem:
    rng = np.random.default_rng(0)
    v, idx, w = rng.random(n), rng.integers(0, n, n), rng.random(n)
    return Problem("gather", f"n={n:,}", earlier.weighted_gather, (v, idx, w), ("v", "w"), (v, idx, w, BARS, n))


def gmm(n: int, name: str = "gmm_1k_d10_K25") -> Problem:
    if str(EXAMPLES) not in sys.path:
        sys.path.insert(0, str(EXAMPLES))
    from gmm_model import adbench, gmm_objective

    p = adbench(name)
    k, d = p.means.shape
    rest = p.rest(1.0)
    args = (*p.start, p.x[:n], *rest[1:])
    wrt = ("alphas", "means", "icf")
    return Problem("gmm", f"n={n:,} d={d} K={k}", gmm_objective.py_func, args, wrt, (n, k, d, *args, BARS))


def bundle(p: int) -> Problem:
    rng = np.random.default_rng(1)
    n, m = max(2, p // 500), max(3, p // 4)
    cams = np.concatenate([
        rng.normal(0.0, 0.3, (n, 3)), rng.normal(0.0, 0.2, (n, 3)) - [0.0, 0.0, 5.0], rng.uniform(400.0, 600.0, (n, 1)),
        rng.normal(0.0, 2.0, (n, 2)), rng.normal(0.0, 0.01, (n, 2)),
    ], axis=1)
    points, pixels = rng.normal(0.0, 1.0, (m, 3)), rng.normal(0.0, 100.0, (p, 2))
    args = (cams, points, rng.random(p), pixels, np.sort(rng.integers(0, n, p)), rng.integers(0, m, p))
    return Problem("bundle", f"{p:,} observations", programs.bundle, args, ("cams", "points", "weights"), (*args, p, BARS))


def lstm(steps: int, d: int = 14, layers: int = 2) -> Problem:
    rng = np.random.default_rng(2)
    args = (
        rng.normal(0.0, 0.5, (layers, 8, d)), rng.normal(0.0, 0.5, (3, d)), rng.normal(0.0, 0.3, (layers, 2, d)),
        np.eye(d)[rng.integers(0, d, steps + 1)],
    )
    work = 7 * d * layers * steps + d * steps + 4 * layers * d + 2 * d
    native = (*args, layers, d, steps, WORK, BARS)
    return Problem("lstm", f"{layers} layers, {steps:,} steps of {d}", programs.lstm, args, ("main", "extra"), native, work)


def hmm(steps: int, n: int = 16, m: int = 10) -> Problem:
    rng = np.random.default_rng(3)
    args = (*(rng.random(shape) + 0.1 for shape in ((n,), (n, n), (n, m))), rng.integers(0, m, steps))
    args[1][:] /= args[1].sum(1, keepdims=True)
    native, work = (*args, n, m, steps, WORK, BARS), n * steps + steps + 2 * n
    return Problem("hmm", f"{n} states, {steps:,} steps", programs.hmm, args, ("pi", "trans", "emit"), native, work)


def gauss_seidel(n: int, sweeps: int) -> Problem:
    u = np.random.default_rng(4).random(n)
    state, log, adjoint = np.empty(n), np.empty(n * sweeps), np.empty(n)
    native = (u, 0.2, n, sweeps, state, log, adjoint, BARS)
    size = f"n={n:,}, {sweeps:,} sweeps"
    return Problem("gauss_seidel", size, earlier.gauss_seidel, (u, 0.2, sweeps), ("u0", "c"), native, n * sweeps + 2 * n)


def heat(n: int, steps: int) -> Problem:
    rng = np.random.default_rng(5)
    args = (rng.random(n), 0.4 * rng.random(n), steps)
    native = (*args[:2], n, steps, WORK, BARS)
    return Problem("heat", f"n={n:,}, {steps:,} steps", programs.heat, args, ("u0", "k"), native, (steps + 3) * n)


def reaction(n: int, steps: int) -> Problem:
    u = np.random.default_rng(6).random((n, n))
    native, wrt = (u, 0.5, 0.1, n, steps, WORK, BARS), ("u0", "rate", "dt")
    size = f"{n:,} x {n:,}, {steps:,} steps"
    return Problem("reaction", size, programs.reaction, (u, 0.5, 0.1, steps), wrt, native, (steps + 3) * n * n)


def n_body(n: int, steps: int) -> Problem:
    rng = np.random.default_rng(7)
    args = (rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), rng.random(n), 0.01, steps)
    native, wrt = (*args[:4], n, steps, WORK, BARS), ("q0", "v0", "mass", "dt")
    return Problem("n_body", f"{n} bodies, {steps:,} steps", programs.n_body, args, wrt, native, 3 * n * steps + 12 * n)


def csr(n: int, each: int = 8) -> Problem:
    rng = np.random.default_rng(8)
    ends = np.concatenate([[0], np.cumsum(rng.integers(1, 2 * each, n))])
    args = (rng.random(ends[-1]), rng.random(n), rng.integers(0, n, ends[-1]), ends)
    return Problem("csr", f"{n:,} rows of {each}", programs.csr, args, ("data", "x"), (*args, n, BARS))


def cholesky(n: int) -> Problem:
    root = np.random.default_rng(9).normal(size=(n, n))
    a = root @ root.T / n + np.eye(n)
    return Problem("cholesky", f"n={n:,}", programs.cholesky, (a,), ("a",), (a, n, WORK, BARS), 2 * n * n)


def soft_dtw(n: int) -> Problem:
    x, y = np.cumsum(np.random.default_rng(10).normal(size=(2, n)), axis=1)
    native, work = (x, y, 1.0, n, n, WORK, BARS), 5 * (n + 1) ** 2
    return Problem("soft_dtw", f"{n:,} x {n:,}", programs.soft_dtw, (x, y, 1.0), ("x", "y", "gamma"), native, work)


def black_scholes(n: int) -> Problem:
    rng = np.random.default_rng(11)
    args = (*(rng.uniform(a, b, n) for a, b in ((80.0, 120.0), (80.0, 120.0), (0.1, 0.5), (0.2, 2.0))), 0.05)
    wrt = ("spot", "strike", "vol", "years", "rate")
    return Problem("black_scholes", f"{n:,} options", programs.black_scholes, args, wrt, (*args, n, BARS))


def small() -> tuple[Problem, ...]:
    """Sizes for tests and for counts."""
    return (
        gather(200), gmm(40), bundle(40), lstm(6, 5), hmm(12, 4, 3), gauss_seidel(20, 5), heat(20, 6), reaction(8, 5),
        n_body(5, 4), csr(30), cholesky(9), soft_dtw(9), black_scholes(30),
    )  # fmt: skip


def large() -> tuple[Problem, ...]:
    """Sizes for clocks: a gradient takes milliseconds."""
    return (
        gather(100_000), gmm(1000), bundle(20_000), lstm(200), hmm(1000), gauss_seidel(1000, 100), heat(1000, 500),
        reaction(100, 50), n_body(40, 20), csr(10_000), cholesky(120), soft_dtw(200), black_scholes(10_000),
    )  # fmt: skip


@cache
def decorated(function: Callable[..., Any], wrt: tuple[str, ...]):
    """The program as linad sees it."""
    from linad import linear_grad

    return linear_grad(wrt=wrt)(function)
