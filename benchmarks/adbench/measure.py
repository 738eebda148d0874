"""Medians of processor times, in turns, of contenders that were found to agree."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.adbench import native, peers
from benchmarks.suite.gradients import disagreement
from benchmarks.timing import interleaved

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
if TYPE_CHECKING:
    from adbench.problems import Problem

AGREE = 1e-8
PRIMAL, C = "C primal", "C by hand"
Make = Callable[[], "Problem"]


@dataclass(frozen=True)
class Row:
    """A problem, and processor seconds of value and gradient of each contender."""

    title: str
    times: dict[str, float]
    values: dict[str, float]
    first: dict[str, float]
    refused: dict[str, str]

    def over(self, contender: str) -> float | None:
        """Time over that of the C primal."""
        return self.times[contender] / self.times[PRIMAL] if contender in self.times else None

    def value_over(self, style: str) -> float | None:
        return self.values[style] / self.times[PRIMAL] if style in self.values else None


def rows() -> dict[str, Make]:
    """The problems that are measured, by title."""
    from adbench import problems

    sizes = [(1000, 2, 5), (1000, 2, 200), (1000, 10, 25), (10_000, 10, 25), (1000, 20, 50), (1000, 32, 100)]
    sizes += [(1000, 64, 50), (1000, 128, 25)]
    made: dict[str, Make] = {}
    for n, d, k in sizes:
        made[f"GMM n={n:,} d={d} K={k}"] = lambda n=n, d=d, k=k: problems.gmm_random(n, d, k)
    for layers in (2, 4):
        made[f"D-LSTM l={layers} c=1,024"] = lambda layers=layers: problems.lstm_random(layers, 1024)
    made["BA p=31,843"] = lambda: problems.bundle_random(49, 7776, 31843)
    for name in ("simple", "complicated"):
        made[f"HAND {name}"] = lambda name=name: problems.hand_file(f"hand_{name}_small_c100")
    return made


def chosen(patterns: list[str]) -> dict[str, Make]:
    """The rows whose titles fit a pattern, or contain it."""
    every = rows()
    if not patterns:
        return every
    return {t: m for t, m in every.items() if any(fnmatch(t, p) or p.lower() in t.lower() for p in patterns)}


def _buffers(problem: Problem) -> tuple[np.ndarray, ...]:
    return tuple(np.zeros_like(a) for a in problem.args[: problem.active])


def _error(found: tuple, wanted: tuple) -> float:
    """The largest difference of values and gradients, whatever shapes a contender's parameters have."""
    shaped = tuple(np.asarray(got).reshape(np.shape(want)) for got, want in zip(found, wanted, strict=True))
    return disagreement(shaped, wanted)


def _linad(f: Callable, problem: Problem, into: tuple[np.ndarray, ...]) -> Callable[[], float]:
    given = into if len(into) > 1 else into[0]
    return lambda: f.vjp_into(1.0, *problem.args, into=given)


def measure(patterns: list[str], with_peers: bool, rounds: int, batch: float) -> Iterator[Row]:
    """Each row in turn. A contender that fails or disagrees has the reason in place of its time."""
    for title, make in chosen(patterns).items():
        problem = make()
        bars = _buffers(problem)
        primal, adjoint = native.calls(problem.kind, problem.args, bars)
        wanted = (adjoint(), *(b.copy() for b in bars))
        if (error := abs(primal() - wanted[0]) / abs(wanted[0])) > AGREE:
            raise AssertionError(f"{title}: the primal in C differs from the adjoint in C by {error:.1e}")
        calls: dict[str, Callable[[], object]] = {PRIMAL: primal, C: adjoint}
        first, refused, values = {}, {}, {}
        for style, f in problem.styles.items():
            into, started = _buffers(problem), time.process_time()
            found = (_linad(f, problem, into)(), *into)
            first[style] = time.process_time() - started
            if (error := _error(found, wanted)) > AGREE:
                raise AssertionError(f"{title}, {style}: linad differs from C by {error:.1e}")
            calls[style] = _linad(f, problem, _buffers(problem))
            values[style] = lambda f=f: f(*problem.args)
        made = peers.calls(problem.kind, problem.args, problem.active) if with_peers else {}
        for tool, forms in made.items():
            for k, call in enumerate(forms):
                try:
                    error = _error(call(), wanted)
                except Exception as refusal:  # is a result
                    refused[tool] = type(refusal).__name__
                    continue
                if error > AGREE:
                    refused[tool] = f"differs by {error:.0e}"
                else:
                    calls[f"{tool} {k}"] = call
        times = interleaved(calls | {f"value of {s}": v for s, v in values.items()}, rounds, batch, time.process_time)
        plain = {s: times.pop(f"value of {s}") for s in values}
        for tool in made:
            forms_of = [times.pop(name) for name in list(times) if name.rsplit(" ", 1)[0] == tool]
            if forms_of:
                times[tool] = min(forms_of)
        yield Row(title, times, plain, first, refused)
