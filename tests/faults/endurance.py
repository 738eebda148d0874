"""Calls of twenty kinds, many times, and what grows meanwhile: ``python -m tests.faults.endurance --calls 100000``."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import pickle
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import linad
from linad import linear_grad

X, IDX = np.linspace(0.1, 1.0, 40), np.arange(40)
RATE = 0.5
WARM = 400  # calls of each kind before the first look
KILOBYTES = 8_000  # that the process may have grown by in 10^5 calls: what allocators hold on to; 100 bytes lost by each were more
OBJECTS = 300


class State(NamedTuple):
    x: np.ndarray
    t: float


@linear_grad
def scalar(x: float) -> float:
    return x * x * RATE


@linear_grad
def loop(x, w: float):
    y, s = np.zeros(len(x)), 0.0
    for i in range(1, len(x)):
        y[i] = y[i - 1] * w + x[i]
        s += y[i] * y[i]
    return s


@linear_grad(updates=("x",))
def update(x, w: float):
    for i in range(len(x)):
        x[i] *= w
    return x[0]


@linear_grad
def gather(x, idx):
    s = 0.0
    for i in range(len(idx)):
        s += x[idx[i]] ** 2
    return s


@linear_grad
def step(s: State, k: int) -> State:
    x = s.x.copy()
    for _ in range(k):
        x -= 0.1 * np.sin(x)
    return State(x, s.t + 1.0)


@linear_grad
def growing(x):
    found = []
    for e in x:
        if e > 0.5:
            found.append(e * e)
    return sum(found)


@linear_grad
def options(x, mode="sum"):
    return x.sum() if mode == "sum" else x.mean()


@linear_grad
def until(x):
    s = x[0]
    while s < 3.0:
        s = s * 1.1 + 0.1
    return s


@linear_grad(parallel=True)
def threads(x, w: float):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = np.sin(x[i] * w)
    return y.sum()


def raising(call: Callable[[], object], error: type[Exception]) -> None:
    with contextlib.suppress(error):
        call()
        raise AssertionError(f"no {error.__name__}")


def constant() -> None:
    global RATE
    RATE = 0.75 - RATE + 0.5
    scalar(1.0)


def kept_pullback() -> None:
    _, pull = loop.vjp(X, 0.5)
    pull(1.0)
    pull(2.0)


GRADIENTS = (np.zeros(40), None)
KINDS: dict[str, Callable[[], object]] = {
    "value": lambda: loop(X, 0.5),
    "gradient": lambda: loop.grad(X, 0.5),
    "scalar gradient": lambda: scalar.grad(3.0),
    "pullback": kept_pullback,
    "tangent": lambda: linad.jvp(loop, (X, 0.5), (X, 1.0)),
    "Hessian times vector": lambda: linad.hvp(scalar, (1.0,), (1.0,)),
    "Jacobian": lambda: linad.jacobian(lambda x: np.sin(x) * x[0])(X[:5]),
    "batch": lambda: linad.vmap(scalar)(X),
    "linearize": lambda: linad.linearize(scalar, 2.0)[1](1.0),
    "update": lambda: update(X.copy(), 0.5),
    "structure": lambda: step(State(X, 0.0), 3),
    "growing list": lambda: growing.grad(X),
    "while loop": lambda: until.grad(X),
    "option": lambda: options(X, mode="mean"),
    "float32": lambda: loop.grad(X.astype(np.float32), 0.5),
    "threads": lambda: threads.grad(X, 0.5),
    "another constant": constant,
    "index out of range": lambda: raising(lambda: gather.grad(X, IDX + 1), IndexError),
    "wrong type": lambda: raising(lambda: loop(X, "w"), TypeError),
    "copy layouts": lambda: loop.grad(X[::2], 0.5),
    "pickle": lambda: pickle.loads(pickle.dumps(scalar))(2.0),
    "decorated anew": lambda: linear_grad(lambda x: x * 2.0)(1.0),
}


def look() -> tuple[int, int, int]:
    """Resident kilobytes, open handles, objects."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() // 1024, len(os.listdir("/proc/self/fd")), len(gc.get_objects())


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults.endurance", description="What grows with the number of calls."
    )
    parser.add_argument("--calls", type=int, default=100_000)
    options = parser.parse_args()
    np.seterr(all="ignore")
    each, started = options.calls // len(KINDS), time.monotonic()
    for call in KINDS.values():
        for _ in range(min(WARM, each)):
            call()
    first = look()
    print(
        f"{len(KINDS)} kinds, {first[0]} kB, {first[1]} handles, {first[2]} objects after {min(WARM, each)} calls of each",
        flush=True,
    )
    grown = []
    for name, call in KINDS.items():
        before = look()
        for _ in range(each):
            call()
        change = tuple(b - a for a, b in zip(before, look(), strict=True))
        grown.append(f"{name:22} {change[0]:+7} kB {change[1]:+4} handles {change[2]:+6} objects")
    change = tuple(b - a for a, b in zip(first, look(), strict=True))
    print("\n".join(grown))
    print(
        f"{each * len(KINDS)} calls in {time.monotonic() - started:.0f} s: {change[0]:+} kB, {change[1]:+} handles, {change[2]:+} objects"
    )
    return int(change[0] > KILOBYTES * max(1, options.calls / 100_000) or change[1] > 0 or change[2] > OBJECTS)


if __name__ == "__main__":
    sys.exit(main())
