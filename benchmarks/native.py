"""linad against the same adjoint written by hand in C and in Numba, in one run, after checking that they agree."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

import numpy as np

from benchmarks import by_hand, programs
from benchmarks.timing import interleaved

HERE = Path(__file__).parent
_numbers = count()
FLAGS = ("-O3", "-march=native", "-ffast-math")
AGREE = 1e-10

Run = Callable[[tuple[np.ndarray, ...]], float]


@dataclass(frozen=True)
class Contest:
    """One problem, and each contender as a function that adds the gradient into buffers and returns the value."""

    name: str
    shapes: tuple[tuple[int, ...], ...]
    runs: dict[str, Run]

    def buffers(self) -> tuple[np.ndarray, ...]:
        return tuple(np.zeros(shape) for shape in self.shapes)


@dataclass(frozen=True)
class Result:
    """Median seconds of each contender."""

    name: str
    times: dict[str, float]

    def over_c(self, contender: str) -> float:
        return self.times[contender] / self.times["C by hand"]


@cache
def _library(source: str) -> ctypes.CDLL:
    """A C file compiled for this machine."""
    return library(HERE / "c" / f"{source}.c")


@cache
def _folder() -> tempfile.TemporaryDirectory:
    """Where libraries of this process are, until it ends."""
    return tempfile.TemporaryDirectory(prefix="linad-bench-")


def library(source: Path, flags: tuple[str, ...] = FLAGS) -> ctypes.CDLL:
    """A C file as machine code of this process.

    Linked apart, without ``-ffast-math``: a library linked with it makes the whole process flush small numbers to zero when it
    is loaded, and every other number here would be another.
    """
    target = Path(_folder().name) / f"{source.stem}-{next(_numbers)}"
    subprocess.run(["gcc", *flags, "-fPIC", "-c", str(source), "-o", f"{target}.o"], check=True)
    subprocess.run(["gcc", "-shared", f"{target}.o", "-o", f"{target}.so", "-lm"], check=True)
    return ctypes.CDLL(f"{target}.so")


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)


def _c(name: str, *kinds: type) -> Callable[..., float]:
    """A function of the library of the same name; array arguments are passed as pointers made beforehand."""
    function = getattr(_library(name), name)
    function.restype = ctypes.c_double
    function.argtypes = list(kinds)
    return function


LONG, REAL, ARRAY = ctypes.c_long, ctypes.c_double, ctypes.c_void_p


def gather(n: int = 100_000) -> Contest:
    from linad import linear_grad

    rng = np.random.default_rng(0)
    v, idx, w = rng.random(n), rng.integers(0, n, n), rng.random(n)
    native = _c("gather", ARRAY, ARRAY, ARRAY, ARRAY, ARRAY, REAL, LONG)
    ours = linear_grad(programs.weighted_gather)
    fixed = [_pointer(a) for a in (v, idx, w)]
    runs: dict[str, Run] = {
        "linad": lambda to: ours.vjp_into(1.0, v, idx, w, into=to),
        "Numba by hand": lambda to: by_hand.gather(v, idx, w, *to, 1.0),
        "C by hand": lambda to: native(*fixed, *map(_pointer, to), 1.0, n),
    }
    return Contest(f"gather sum, n={n:,}", ((n,), (n,)), runs)


def gauss_seidel(n: int = 1000, sweeps: int = 100) -> Contest:
    from linad import linear_grad

    u = np.random.default_rng(0).random(n)
    native = _c("gauss_seidel", ARRAY, REAL, LONG, LONG, ARRAY, ARRAY, ARRAY, ARRAY, ARRAY)
    ours = linear_grad(programs.gauss_seidel)
    state, log, work = np.empty(n), np.empty(sweeps * n), np.empty(n)
    scratch = [_pointer(a) for a in (state, log, work)]
    start = _pointer(u)
    runs: dict[str, Run] = {
        "linad": lambda to: ours.vjp_into(1.0, u, 0.2, sweeps, into=to),
        "Numba by hand": lambda to: by_hand.gauss_seidel(u, 0.2, sweeps, *to),
        "C by hand": lambda to: native(start, 0.2, n, sweeps, *scratch, *map(_pointer, to)),
    }
    return Contest(f"Gauss-Seidel, n={n:,}, {sweeps} sweeps", ((n,), ()), runs)


def gmm(name: str = "gmm_1k_d10_K25") -> Contest:
    sys.path.insert(0, str(HERE.parent / "examples"))
    from gmm_model import adbench, gmm_objective

    problem = adbench(name)
    k, d = problem.means.shape
    n = len(problem.x)
    rest = problem.rest(1.0)
    native = _c("gmm", LONG, LONG, LONG, *4 * (ARRAY,), REAL, LONG, REAL, REAL, *3 * (ARRAY,))
    fixed = [_pointer(a) for a in (*problem.start, problem.x)]
    runs: dict[str, Run] = {
        "linad": lambda to: gmm_objective.vjp_into(1.0, *problem.start, *rest, into=to),
        "Numba by hand": lambda to: by_hand.gmm(*problem.start, *rest, *to),
        "C by hand": lambda to: native(n, k, d, *fixed, *rest[1:], *map(_pointer, to)),
    }
    return Contest(f"GMM gradient, n={n:,} d={d} K={k}", tuple(part.shape for part in problem.start), runs)


CONTESTS = (gather, gauss_seidel, gmm)


def agree(contest: Contest) -> None:
    """Raise unless all contenders give one value and one gradient."""
    answers = {}
    for name, run in contest.runs.items():
        buffers = contest.buffers()
        answers[name] = (np.float64(run(buffers)), *buffers)
    expected = answers["C by hand"]
    for name, found in answers.items():
        for got, want in zip(found, expected):
            error = np.abs(got - want).max() / max(np.abs(want).max(), 1e-300)
            if not error <= AGREE:
                raise AssertionError(f"{contest.name}: {name} differs from C by {error:.1e}")


def measure() -> Iterator[Result]:
    """Each contest in turn."""
    for make in CONTESTS:
        contest = make()
        agree(contest)
        calls = {}
        for name, run in contest.runs.items():
            buffers = contest.buffers()
            calls[name] = lambda run=run, buffers=buffers: run(buffers)
        yield Result(contest.name, interleaved(calls))
