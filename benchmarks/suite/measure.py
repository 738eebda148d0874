"""Times of the suite, in turns, after its results were found to agree."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from benchmarks.suite import native, peers
from benchmarks.suite.problems import Problem, decorated, large
from benchmarks.timing import interleaved

AGREE = 1e-10
LINAD, PRIMAL, C, C_PRIMAL = "linad", "linad primal", "C", "C primal"

Gradient = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Row:
    """One problem: median seconds of each contender, and what was remembered."""

    problem: Problem
    times: dict[str, float]
    words: dict[str, int]
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """Gradient over primal, both by linad."""
        return self.times[LINAD] / self.times[PRIMAL]

    def over(self, contender: str) -> float | None:
        """linad's gradient over that of another contender."""
        return self.times[LINAD] / self.times[contender] if contender in self.times else None


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


def log_words(problem: Problem) -> int:
    """Words that linad's gradient keeps for the way back."""
    from linad.cost import cost

    return cost(decorated(problem.function, problem.wrt), *problem.args).log_words


def measure(problems: tuple[Problem, ...] | None = None) -> Iterator[Row]:
    """Each problem in turn."""
    compiler = shutil.which("gcc")
    for problem in problems or large():
        f, args = decorated(problem.function, problem.wrt), problem.args
        calls: dict[str, Callable[[], object]] = {
            PRIMAL: lambda f=f, args=args: f(*args),
            LINAD: linad_gradient(problem, buffers(problem)),
        }
        words = {}
        if compiler:
            agree(problem)
            calls |= {C_PRIMAL: native.primal(problem), C: native.gradient(problem, buffers(problem))}
            words[C] = problem.work
        refused: dict[str, str] = {}
        for name, make in peers.available(problem).items():
            bars = buffers(problem)
            expected = (linad_gradient(problem, bars)(), *bars)
            try:
                call = make(problem)
                error = disagreement(call(), expected)
            except Exception as problem_of_peer:  # another tool's refusal is a result
                refused[name] = type(problem_of_peer).__name__
                continue
            if error > 1e-8:
                refused[name] = f"differs by {error:.0e}"
                continue
            calls[name] = call
        yield Row(problem, interleaved(calls), words, refused)
