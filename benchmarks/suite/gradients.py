"""Gradients of the suite by linad and by C, and whether they agree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.suite import native
from benchmarks.suite.problems import Problem, decorated

AGREE = 1e-10
LINAD, PRIMAL, C, C_PRIMAL = "linad", "linad primal", "C", "C primal"

Gradient = tuple[np.ndarray, ...]


def buffers(problem: Problem) -> Gradient:
    """Zeros for the gradient."""
    f = problem.function
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    return tuple(np.zeros(np.shape(a)) for name, a in zip(names, problem.args, strict=True) if name in problem.wrt)


def linad_gradient(problem: Problem, bars: Gradient) -> Callable[[], float]:
    f, args = decorated(problem.function, problem.wrt), problem.args
    return lambda: f.vjp_into(1.0, *args, into=bars)


def disagreement(found: tuple, expected: tuple) -> float:
    """The largest difference of values and gradients, relative to the largest entry of each."""
    worst = 0.0
    for got, want in zip(found, expected, strict=True):
        scale = max(float(np.abs(want).max(initial=0.0)), 1e-300)
        error = float(np.abs(np.asarray(got) - want).max(initial=0.0)) / scale
        worst = max(worst, error if np.isfinite(error) else np.inf)
    return worst


def agree(problem: Problem) -> None:
    """Raise unless linad and C give one value and one gradient."""
    ours, theirs = buffers(problem), buffers(problem)
    value, expected = linad_gradient(problem, ours)(), native.gradient(problem, theirs)()
    plain, plain_c = decorated(problem.function, problem.wrt)(*problem.args), native.primal(problem)()
    error = disagreement((value, *ours, plain, plain_c), (expected, *theirs, expected, expected))
    if not error <= AGREE:
        raise AssertionError(f"{problem.title}: linad differs from C by {error:.1e}")
