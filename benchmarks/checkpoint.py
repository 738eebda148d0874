"""Time against memory of the schemes of `linad.checkpoint`, on a heat equation stepped in place."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from jaxtyping import Float64

import linad
from linad import linear_grad

CELLS = 1_000
STEPS = 20_000                                  # of the curves: the tape of it is as long as a machine has room for
SLOTS = (5, 10, 20, 50, 100, 200, 500, 1_000, 2_000)
LONG = ((100_000, 0), (1_000_000, 0))           # the claims: steps, and slots (0: as many as the scheme takes)
SCHEMES = ("revolve", "bisect", "periodic")


def _step(u, v, c):
    for i in range(1, len(u) - 1):
        v[i] = u[i] + c * (u[i - 1] - 2.0 * u[i] + u[i + 1])
    for i in range(1, len(u) - 1):
        u[i] = v[i]


def _energy(u):
    s = 0.0
    for i in range(len(u)):
        s += u[i] * u[i]
    return s


@linear_grad(wrt="x")
def tape(x: Float64[np.ndarray, "n"], steps: int, slots: int, c: float) -> float:
    u, v = x.copy(), np.zeros(len(x))
    for _ in range(steps + 0 * slots):
        _step(u, v, c)
    return _energy(u)


@linear_grad(wrt="x")
def revolve(x: Float64[np.ndarray, "n"], steps: int, slots: int, c: float) -> float:
    u, v = x.copy(), np.zeros(len(x))
    for _ in linad.checkpoint(range(steps), slots=slots, scheme="revolve"):
        _step(u, v, c)
    return _energy(u)


@linear_grad(wrt="x")
def bisect(x: Float64[np.ndarray, "n"], steps: int, slots: int, c: float) -> float:
    u, v = x.copy(), np.zeros(len(x))
    for _ in linad.checkpoint(range(steps), slots=slots, scheme="bisect"):
        _step(u, v, c)
    return _energy(u)


@linear_grad(wrt="x")
def periodic(x: Float64[np.ndarray, "n"], steps: int, slots: int, c: float) -> float:
    u, v = x.copy(), np.zeros(len(x))
    for _ in linad.checkpoint(range(steps), slots=slots, scheme="periodic"):
        _step(u, v, c)
    return _energy(u)


@linear_grad(wrt="x")
def default(x: Float64[np.ndarray, "n"], steps: int, slots: int, c: float) -> float:
    u, v = x.copy(), np.zeros(len(x))
    for _ in linad.checkpoint(range(steps + 0 * slots)):
        _step(u, v, c)
    return _energy(u)


@dataclass(frozen=True)
class Point:
    """One gradient in a process of its own: the seconds of it and of the function, and the megabytes it added."""

    scheme: str
    steps: int
    slots: int
    primal: float
    seconds: float
    megabytes: float


def _arguments(steps: int, slots: int) -> tuple:
    return np.sin(np.linspace(0.0, 3.0, CELLS)), steps, slots, 0.3


def _here(scheme: str, steps: int, slots: int) -> dict[str, float]:
    f = globals()[scheme]
    f(*_arguments(3, 2))
    f.grad(*_arguments(3, 2))                   # compiled, or loaded
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    clock = time.perf_counter
    primal, start = clock(), None
    f(*_arguments(steps, slots))
    start = clock()
    f.grad(*_arguments(steps, slots))
    end = clock()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"primal": start - primal, "seconds": end - start, "megabytes": (after - before) / 1024}


def _apart(scheme: str, steps: int, slots: int) -> Point:
    """The same in a fresh process, whose largest size is that of this gradient."""
    command = [sys.executable, "-m", "benchmarks.checkpoint", scheme, str(steps), str(slots)]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Point(scheme, steps, slots, **json.loads(out))


def count() -> int:
    return 1 + len(SCHEMES) * len(SLOTS) + len(LONG)


def measure() -> Iterator[Point]:
    """The curves, then the claims."""
    at = partial(_apart, steps=STEPS)
    yield at("tape", slots=1)
    for scheme in SCHEMES:
        for slots in SLOTS:
            yield at(scheme, slots=slots)
    for steps, slots in LONG:
        yield _apart("default", steps, max(slots, 1))


def table(points: list[Point]) -> str:
    """The points as a table in Markdown."""
    rows = ["| scheme | steps | slots | seconds | times the function | MB |", "|---|---|---|---|---|---|"]
    for p in points:
        slots = {"tape": "–", "default": "by itself"}.get(p.scheme, str(p.slots))
        ratio = p.seconds / max(p.primal, 1e-9)
        rows.append(f"| {p.scheme} | {p.steps:,} | {slots} | {p.seconds:.3f} | {ratio:.1f} | {p.megabytes:.1f} |")
    return "\n".join(["## Checkpointing", "", *rows, ""])


if __name__ == "__main__":
    name, *numbers = sys.argv[1:]
    print(json.dumps(_here(name, *map(int, numbers))))
