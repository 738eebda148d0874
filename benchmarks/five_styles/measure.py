"""Value and gradient of each style over that of the fastest of its program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.timing import engineering, least

from .cases import STYLES, WHAT, arguments, function

TARGET = 1.3


@dataclass(frozen=True)
class Row:
    """A program: the seconds of value and gradient in each style."""

    name: str
    seconds: dict[str, float]

    @property
    def ratios(self) -> dict[str, float]:
        best = min(self.seconds.values())
        return {style: s / best for style, s in self.seconds.items()}


def measure(names: Iterable[str] = (), rounds: int = 100) -> Iterator[Row]:
    """Every program in turn; the gradients of all styles agree before a clock is read."""
    from linad import linear_grad, release_memory

    every = arguments()
    for name in names or every:
        release_memory()
        args, calls, first = every[name], {}, None
        for style in STYLES:
            f = linear_grad(function(name, style))
            value, grads = f.value_and_grad(*args)
            grads = grads if isinstance(grads, tuple) else (grads,)
            first = first or (value, grads)
            np.testing.assert_allclose(value, first[0], rtol=1e-9)
            for one, other in zip(grads, first[1], strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-10)
            calls[style] = lambda f=f, args=args: f.value_and_grad(*args)
        yield Row(name, least(calls, rounds, 0.002))


def told(row: Row) -> str:
    """A row as it is found."""
    cells = "  ".join(f"{style} {ratio:5.2f}" for style, ratio in row.ratios.items())
    return f"{row.name:14} {engineering(min(row.seconds.values())):>8}  {cells}"


def table(rows: list[Row]) -> str:
    """The section of the documents."""
    head = f"| | {' | '.join(STYLES.values())} | fastest |"
    lines = ["## Five styles", "", head, f"|:---|{'---:|' * (len(STYLES) + 1)}"]
    for r in rows:
        cells = " | ".join(f"{x:.2f}" if x <= TARGET else f"**{x:.2f}**" for x in (r.ratios[s] for s in STYLES))
        lines.append(f"| {WHAT[r.name]} | {cells} | {engineering(min(r.seconds.values()))} |")
    every = [x for r in rows for x in r.ratios.values()]
    above = f"Of {len(every)}, {sum(x > TARGET for x in every)} are above {TARGET:g}."
    lines += ["", f"Times of value and gradient over that of the fastest style of the program. {above}"]
    return "\n".join([*lines, ""])
