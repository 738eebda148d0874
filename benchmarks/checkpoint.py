"""Time against memory of the schemes of `linad.checkpoint`, on heat in a rod of uneven conductivity, stepped in place.

The gradient by the conductivity needs the temperatures of every step, so the tape has a word for each cell and step. Where JAX is
installed, it takes part with `lax.scan` as it stands, and checkpointed by hand: a scan over about `sqrt(T)` spans under
`jax.checkpoint`, each of which is a scan over its steps.
"""

from __future__ import annotations

import importlib.util
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from jaxtyping import Float64

import linad
from benchmarks import peak
from linad import linear_grad

Rod = Float64[np.ndarray, "n"]

CELLS = 1_000
STEPS = 20_000                                  # of the curves: the tape of it is as long as a machine has room for
FEW = 1_000                                     # of `recompute`, which runs T (T - 1) / 2 steps again
SLOTS = (5, 10, 20, 50, 100, 200, 500, 1_000, 2_000)
LONG = (100_000, 1_000_000)                     # the claims, with as many slots as the scheme takes
TURNS = 5                                       # of the first claim and JAX, of which the median counts
SCHEMES = ("revolve", "bisect", "periodic")


def _step(u, v, k):
    for i in range(1, len(u) - 1):
        v[i] = u[i] + k[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1])
    for i in range(1, len(u) - 1):
        u[i] = v[i]


def _energy(u):
    s = 0.0
    for i in range(len(u)):
        s += u[i] * u[i]
    return s


@linear_grad(wrt=("x", "k"))
def tape(x: Rod, k: Rod, steps: int, slots: int) -> float:
    u, v = x.copy(), np.zeros(len(x))
    for _ in range(steps + 0 * slots):
        _step(u, v, k)
    return _energy(u)


@linear_grad(wrt=("x", "k"))
def recompute(x: Rod, k: Rod, steps: int, slots: int) -> float:
    u, v = x.copy(), np.zeros(len(x))
    for _ in linad.checkpoint(range(steps + 0 * slots), scheme="recompute"):
        _step(u, v, k)
    return _energy(u)


@linear_grad(wrt=("x", "k"))
def revolve(x: Rod, k: Rod, steps: int, slots: int) -> float:
    u, v = x.copy(), np.zeros(len(x))
    for _ in linad.checkpoint(range(steps), slots=slots, scheme="revolve"):
        _step(u, v, k)
    return _energy(u)


@linear_grad(wrt=("x", "k"))
def bisect(x: Rod, k: Rod, steps: int, slots: int) -> float:
    u, v = x.copy(), np.zeros(len(x))
    for _ in linad.checkpoint(range(steps), slots=slots, scheme="bisect"):
        _step(u, v, k)
    return _energy(u)


@linear_grad(wrt=("x", "k"))
def periodic(x: Rod, k: Rod, steps: int, slots: int) -> float:
    u, v = x.copy(), np.zeros(len(x))
    for _ in linad.checkpoint(range(steps), slots=slots, scheme="periodic"):
        _step(u, v, k)
    return _energy(u)


@linear_grad(wrt=("x", "k"))
def default(x: Rod, k: Rod, steps: int, slots: int) -> float:
    u, v = x.copy(), np.zeros(len(x))
    for _ in linad.checkpoint(range(steps + 0 * slots)):
        _step(u, v, k)
    return _energy(u)


OURS = {"tape": tape, "recompute": recompute, "revolve": revolve, "bisect": bisect, "periodic": periodic, "default": default}
PEERS = {"JAX scan": 1, "JAX by hand": 0}       # spans; 0: about sqrt(T)


@dataclass(frozen=True)
class Point:
    """One gradient in a process of its own: the seconds of it and of the function, and the megabytes it added."""

    scheme: str
    steps: int
    slots: int
    primal: float
    seconds: float
    megabytes: float


def arguments(steps: int, slots: int) -> tuple:
    cells = np.linspace(0.0, 3.0, CELLS)
    return np.sin(cells), 0.2 + 0.1 * np.cos(cells), steps, slots


def with_jax(x: np.ndarray, k: np.ndarray, steps: int, spans: int) -> tuple[Callable, Callable]:
    """The function and its gradient, compiled and with their arguments; the steps are a multiple of the spans."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    jax.config.update("jax_enable_x64", True)

    def step(k):
        return lambda u, _: (u.at[1:-1].add(k[1:-1] * (u[:-2] - 2.0 * u[1:-1] + u[2:])), None)

    def run(x, k):
        if spans == 1:
            u, _ = lax.scan(step(k), x, None, length=steps)
        else:
            span = jax.checkpoint(lambda u, _: lax.scan(step(k), u, None, length=steps // spans))
            u, _ = lax.scan(span, x, None, length=spans)
        return jnp.sum(u * u)

    given = jnp.asarray(x), jnp.asarray(k)
    ready = [jax.jit(f).lower(*given).compile() for f in (run, jax.grad(run, (0, 1)))]
    return tuple(lambda f=f: jax.block_until_ready(f(*given)) for f in ready)  # type: ignore[return-value]


def calls(scheme: str, steps: int, slots: int) -> tuple[Callable, Callable]:
    """The function and the gradient, compiled or loaded."""
    if scheme in PEERS:
        x, k, *_ = arguments(steps, 0)
        return with_jax(x, k, steps, PEERS[scheme] or max(d for d in range(1, math.isqrt(steps) + 1) if steps % d == 0))
    f = OURS[scheme]
    f(*arguments(3, 2))
    f.grad(*arguments(3, 2))
    return lambda: f(*arguments(steps, slots)), lambda: f.grad(*arguments(steps, slots))


def _here(scheme: str, steps: int, slots: int) -> dict[str, float]:
    f, gradient = calls(scheme, steps, slots)
    clock = time.perf_counter
    start = clock()
    f()
    between = clock()
    megabytes = peak.added(gradient)
    seconds = clock() - between
    if seconds < 5.0:                           # again, with its memory there
        again = clock()
        gradient()
        seconds = min(seconds, clock() - again)
    return {"primal": between - start, "seconds": seconds, "megabytes": megabytes}


def _apart(scheme: str, steps: int, slots: int) -> Point:
    """The same in a fresh process, whose largest size is that of this gradient."""
    command = [sys.executable, "-m", "benchmarks.checkpoint", scheme, str(steps), str(slots)]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Point(scheme, steps, slots, **json.loads(out))


def _peers() -> dict[str, int]:
    return PEERS if importlib.util.find_spec("jax") is not None else {}


def count() -> int:
    return 2 + len(SCHEMES) * len(SLOTS) + len(LONG) + 2 * len(_peers())


def measure() -> Iterator[Point]:
    """The curves, then the claims."""
    at = partial(_apart, steps=STEPS)
    yield at("tape", slots=1)
    yield _apart("recompute", FEW, 1)
    for scheme in SCHEMES:
        for slots in SLOTS:
            yield at(scheme, slots=slots)
    for peer in _peers():
        yield at(peer, slots=1)
    against = ("default", *_peers())
    rounds = [[_apart(name, LONG[0], 1) for name in against] for _ in range(TURNS)]
    yield from (sorted(points, key=lambda p: p.seconds)[TURNS // 2] for points in zip(*rounds, strict=True))
    for steps in LONG[1:]:
        yield _apart("default", steps, 1)


def table(points: list[Point]) -> str:
    """The points as a table in Markdown."""
    rows = ["| scheme | steps | slots | seconds | times the function | MB |", "|---|---|---|---|---|---|"]
    for p in points:
        slots = "default" if p.scheme == "default" else str(p.slots) if p.scheme in SCHEMES else "–"
        ratio = p.seconds / max(p.primal, 1e-9)
        rows.append(f"| {p.scheme} | {p.steps:,} | {slots} | {p.seconds:.3f} | {ratio:.1f} | {p.megabytes:.1f} |")
    head = f"One gradient of heat flow over {CELLS:,} cells by the first temperatures and the conductivity, in a process of its own:"
    return "\n".join(["## Checkpointing", "", head, "the memory that it adds at most, and its time once that memory is there.", "", *rows, ""])


if __name__ == "__main__":
    name, *numbers = sys.argv[1:]
    print(json.dumps(_here(name, *map(int, numbers))))
