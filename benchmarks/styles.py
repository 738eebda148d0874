"""The same function written three ways should cost the same: loops, NumPy expressions, linad's combinators.

Each is timed as value and gradient together, in turns; what is told is how much longer it takes than the fastest of the
three. Before a clock is read the three gradients are compared.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks import styles_programs
from benchmarks.timing import interleaved

STYLES = ("loops", "numpy", "combined")
TARGET = 1.3

N, ROWS = 10_000, 100
CASES = ("weighted", "entropy", "heat", "layer", "prefix", "logistic", "pairs")
WHAT = {
    "weighted": "weighted sum of exponentials",
    "entropy": "cross entropy of a softmax",
    "heat": "twenty steps of a heat equation",
    "layer": "matrix times vector, tanh",
    "prefix": "sine of prefix sums",
    "logistic": "logistic regression",
    "pairs": "distances of all pairs",
}


@dataclass(frozen=True)
class Row:
    """A function: the seconds of value and gradient in each style."""

    name: str
    seconds: dict[str, float]

    @property
    def ratios(self) -> dict[str, float]:
        best = min(self.seconds.values())
        return {style: s / best for style, s in self.seconds.items()}


def function(name: str, style: str) -> Callable:
    """A function in a style, as its user wrote it."""
    return getattr(styles_programs, f"{name}_{style}")


def arguments(name: str, n: int = N, rows: int = ROWS) -> tuple:
    """Arguments for a function: by the names of its parameters."""
    rng = np.random.default_rng(7)
    made = {
        "x": rng.normal(size=n if name in ("weighted", "entropy", "heat", "prefix") else rows),
        "w": 0.2 if name in ("heat", "pairs") else rng.uniform(0.5, 1.5, n),
        "p": rng.dirichlet(np.ones(n)),
        "a": rng.normal(size=(rows, rows)) / 10 if name != "pairs" else rng.normal(size=(rows, 3)),
    }
    return tuple(made[p] for p in inspect.signature(function(name, "loops")).parameters)


def measure(cases: tuple[str, ...] = CASES) -> Iterator[Row]:
    """Every case, compared and timed."""
    from linad import linear_grad

    for name in cases:
        args = arguments(name)
        calls = {}
        first = None
        for style in STYLES:
            f = linear_grad(function(name, style))
            value, grads = f.value_and_grad(*args)
            grads = grads if isinstance(grads, tuple) else (grads,)
            first = first or (value, grads)
            np.testing.assert_allclose(value, first[0], rtol=1e-10)
            for one, other in zip(grads, first[1], strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-12)
            calls[style] = lambda f=f: f.value_and_grad(*args)
        yield Row(name, interleaved(calls))


def table(rows: list[Row]) -> str:
    """The ratios as Markdown."""
    lines = ["## Three ways to write it", "", f"| | {' | '.join(STYLES)} | fastest |", "|---|---:|---:|---:|---:|"]
    for r in rows:
        cells = " | ".join(f"{x:.2f}" if x <= TARGET else f"**{x:.2f}**" for x in (r.ratios[s] for s in STYLES))
        lines.append(f"| {WHAT[r.name]} | {cells} | {min(r.seconds.values()) * 1e6:,.0f} µs |")
    far = [f"{WHAT[r.name]} ({s})" for r in rows for s in STYLES if r.ratios[s] > TARGET]
    lines += ["", f"Times of value and gradient over that of the fastest style; {TARGET:g} is aimed at."]
    lines.append(f"Beyond it: {', '.join(far)}." if far else "None is beyond it.")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    found = []
    for row in measure():
        found.append(row)
        print(row.name, {k: f"{v:.2f}" for k, v in row.ratios.items()}, f"{min(row.seconds.values()) * 1e6:.0f} us", flush=True)
