"""`python -m benchmarks.sweep [PROGRAM ...]`: time per element of values and gradients from one element to ten million.

Time per element is flat but for the steps of the caches. Words logged and steps are counted on small sizes: they are affine in the
size, so that two of them give the formula, and a third is held against it.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from benchmarks.timing import engineering, interleaved

Vec = Float64[np.ndarray, "n"]
SIZES = tuple(10**k for k in range(8))
COUNTED = (64, 128, 256)  # the last one is held against the formula of the first two


def logistic(x: Vec, w: Vec) -> float:
    """A map and a sum: nothing is logged."""
    s = 0.0
    for i in range(len(x)):
        s += w[i] * math.log1p(math.exp(x[i]))
    return s


def recurrence(x: Vec, w: Vec) -> float:
    """A state that goes on: a word for each step."""
    s, total = 0.0, 0.0
    for i in range(len(x)):
        s = math.tanh(w[i] * s + x[i])
        total += s * s
    return total


def heat(x: Vec, w: Vec) -> float:
    """Ten steps in place, from left to right."""
    u = x.copy()
    for _ in range(10):
        for i in range(1, len(u) - 1):
            u[i] += 0.2 * w[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1])
    return np.sum(u * u)


def mixture(x: Vec, w: Vec) -> float:
    """Three components on a line, whose densities are kept in a small array by each iteration."""
    total = 0.0
    for i in range(len(x)):
        t = np.empty(3)
        for j in range(3):
            t[j] = -0.5 * (x[i] * w[i] - j) ** 2
        total += math.log(math.exp(t[0]) + math.exp(t[1]) + math.exp(t[2]))
    return total


PROGRAMS: dict[str, Callable[..., float]] = {f.__name__: f for f in (logistic, recurrence, heat, mixture)}


@dataclass(frozen=True)
class Point:
    """Seconds per element at one size."""

    size: int
    value: float
    gradient: float


@dataclass(frozen=True)
class Line:
    """A quantity that is ``each`` per element, and ``once`` besides."""

    each: int
    once: int

    def at(self, n: int) -> int:
        return self.each * n + self.once

    def __str__(self) -> str:
        return f"{self.each} n {'+' if self.once >= 0 else '-'} {abs(self.once)}" if self.once else f"{self.each} n"


def arguments(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    return rng.normal(size=n), rng.uniform(0.1, 0.9, n)


def formula(quantity: Callable[[int], int]) -> Line:
    """The line through the first sizes that are counted.

    Raises
    ------
    AssertionError
        Where the quantity is not affine: the last size is not on the line.
    """
    first, second, third = COUNTED
    each, rest = divmod(quantity(second) - quantity(first), second - first)
    line = Line(each, quantity(first) - each * first)
    if rest or line.at(third) != quantity(third):
        raise AssertionError(f"{quantity(third)} at n = {third} is not on the line {line}")
    return line


def formulas(name: str) -> tuple[Line, Line]:
    """Steps of value and gradient, and words that are logged."""
    from linad import cost, linear_grad

    f = linear_grad(PROGRAMS[name])
    found = {n: cost(f, *arguments(n)) for n in COUNTED}
    return formula(lambda n: found[n].gradient), formula(lambda n: found[n].log_words)


def measure(name: str, sizes: tuple[int, ...] = SIZES, rounds: int = 9) -> Iterator[Point]:
    """The points of a curve, in processor time."""
    from linad import linear_grad

    f = linear_grad(PROGRAMS[name])
    for n in sizes:
        args, into = arguments(n), (np.zeros(n), np.zeros(n))
        calls = {"value": lambda: f(*args), "gradient": lambda: f.vjp_into(1.0, *args, into=into)}
        found = interleaved(calls, rounds, 0.005, time.process_time)
        yield Point(n, found["value"] / n, found["gradient"] / n)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sweep", description="Time per element by size.")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"of {', '.join(PROGRAMS)}; all by default")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="the largest size")
    options = parser.parse_args()
    if unknown := set(options.programs) - PROGRAMS.keys():
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    for name in options.programs or PROGRAMS:
        steps, words = formulas(name)
        print(f"{name}: {steps} steps, {words} words logged", flush=True)
        for p in measure(name, tuple(n for n in SIZES if n <= options.most)):
            told = f"{engineering(p.value):>10} {engineering(p.gradient):>10} per element, {p.gradient / p.value:.2f}"
            print(f"{p.size:>12,} {told}", flush=True)


if __name__ == "__main__":
    main()
