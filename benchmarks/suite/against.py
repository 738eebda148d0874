"""Times of JAX and PyTorch over that of linad, in turns, in a process of their own for each problem.

`python -m benchmarks.suite.against NAME` prints them as JSON; a tool that fails or disagrees has the reason in place
of its time.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

from benchmarks.suite import peers
from benchmarks.suite.gradients import LINAD, buffers, disagreement, linad_gradient
from benchmarks.suite.problems import Problem, large, small
from benchmarks.timing import least

AGREE = 1e-8
Found = dict[str, float | str]


def of(problem: Problem) -> Found:
    """In a fresh process."""
    if not peers.available(problem):
        return {}
    command = [sys.executable, "-m", "benchmarks.suite.against", problem.name]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(out.splitlines()[-1])


def here(problem: Problem) -> Found:
    """In this process."""
    bars = buffers(problem)
    expected = (linad_gradient(problem, bars)(), *bars)
    calls: dict[str, Callable[[], object]] = {LINAD: linad_gradient(problem, buffers(problem))}
    refused: Found = {}
    for name, make in peers.available(problem).items():
        try:
            call = make(problem)
            error = disagreement(call(), expected)
        except Exception as refusal:  # is a result
            refused[name] = type(refusal).__name__
            continue
        if error <= AGREE:
            calls[name] = call
        else:
            refused[name] = f"differs by {error:.0e}"
    times = least(calls)
    return refused | {name: times[name] / times[LINAD] for name in times if name != LINAD}


if __name__ == "__main__":
    size = small if "--small" in sys.argv else large
    print(json.dumps(here(next(p for p in size() if p.name == sys.argv[1]))))
