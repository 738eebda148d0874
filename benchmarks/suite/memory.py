"""Peak memory of one value and gradient of the suite, each in a process of its own, beside the inputs and the gradient.

`python -m benchmarks.suite.memory NAME TOOL` prints the megabytes. A tool is compiled and warmed up before: linad and PyTorch on
the small problem, JAX ahead of time for the large one without running it. The C by hand is given its memory in the measured call.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np

from benchmarks import peak
from benchmarks.suite import native, peers
from benchmarks.suite.gradients import LINAD, C, buffers, linad_gradient
from benchmarks.suite.problems import Problem, large, small


def megabytes(name: str, tool: str) -> float | None:
    """In a fresh process; None where that fails."""
    command = [sys.executable, "-m", "benchmarks.suite.memory", name, tool]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return float(done.stdout.split()[-1]) if done.returncode == 0 else None


def _named(problems: tuple[Problem, ...], name: str) -> Problem:
    return next(p for p in problems if p.name == name)


def here(name: str, tool: str) -> float:
    """In this process."""
    few, many = _named(small(), name), _named(large(), name)
    match tool:
        case "linad":
            linad_gradient(few, buffers(few))()
            call: Callable[[], object] = linad_gradient(many, _touched(many))
        case "C":
            native.gradient(few, buffers(few))()
            bars = _touched(many)
            call = lambda: native.gradient(many, bars)()
        case "JAX":
            call = peers.with_jax(many, ahead=True)
        case _:
            peers.available(few)[tool](few)()
            call = peers.available(many)[tool](many)
    return peak.added(call)


def _touched(problem: Problem) -> tuple[np.ndarray, ...]:
    """Gradient buffers whose pages are there, as those of a loop of steps are."""
    bars = buffers(problem)
    for bar in bars:
        bar.fill(0.0)
    return bars


def of(problem: Problem, contenders: list[str]) -> dict[str, float]:
    """By contender, where it could be measured."""
    tools = [t for t in contenders if t in (LINAD, C, *peers.TOOLS)]
    found = {t: megabytes(problem.name, t) for t in tools}
    return {t: m for t, m in found.items() if m is not None}


if __name__ == "__main__":
    print(here(*sys.argv[1:3]))
