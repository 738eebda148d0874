"""Chains of loops over the same ranges for property tests: what loop fusion may and may not do with them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .prelude import HEADER
from .sources import Drawn, Source
from .strategies import Program


class _Chain:
    def __init__(self, source: Source) -> None:
        self.pick, self.number = source.pick, source.number
        self.lines: list[str] = []
        self.depth = 1
        self.names = count()
        self.vectors = ["x", "y", "t0", "t1"]
        self.matrices = ["M"]
        self.floats = ["s", "w"]

    def chance(self, one_in: int) -> bool:
        return self.number(1, one_in) == one_in

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def index(self, i: str | None) -> str:
        if i is None or self.chance(8):
            return self.pick(["0", "-1"])
        return self.pick([i] * 6 + [f"n - 1 - {i}", f"{i} - 1", f"({i} + 1) % n", f"idx[{i} % k]"])

    def value(self, i: str | None, j: str | None = None, depth: int = 1) -> str:
        forms = [self.pick(self.floats), "0.5", f"{self.pick(self.vectors)}[{self.index(i)}]", f"{self.pick(self.vectors)}[{self.index(i)}]"]
        if i is not None:
            forms += [f"M[{i}, {j or self.number(0, 1)}]", f"{self.pick(self.matrices)}[{i}, {j or 0}]", f"0.1 * {i}"]
        if depth:
            a, b = self.value(i, j, depth - 1), self.value(i, j, depth - 1)
            forms += [f"math.sin({a} + {b})", f"{a} * {b}", f"({a} - 0.5 * {b})", f"math.tanh({a})", f"max({a}, {b})"]
        return self.pick(forms)

    def tame(self, i: str | None, j: str | None = None) -> str:
        return f"math.{self.pick(['sin', 'tanh'])}({self.value(i, j, 2)})"

    def written(self) -> str:
        return self.pick([v for v in self.vectors if v != "x"])

    def statement(self, i: str, j: str | None) -> None:
        op = self.pick(["=", "=", "+=", "*="])
        form = self.number(0, 9)
        if form <= 5:
            self.line(f"{self.written()}[{self.index(i) if self.chance(3) else i}] {op} {self.tame(i, j)}")
        elif form == 6:
            self.line(f"s += {self.tame(i, j)}")
        elif form == 7:
            self.line(f"{self.pick(self.matrices)}[{i}, {j or 0}] {op} {self.tame(i, j)}")
        elif form == 8:
            self.line(f"if {self.value(i, j)} > 0.2:")
            self.line(f"    {self.written()}[{i}] {op} {self.tame(i, j)}")
        else:
            name = f"r{next(self.names)}"
            self.line(f"{name} = {self.tame(i, j)}")
            self.line(f"{self.written()}[{i}] = {name} * {self.value(i, j)}")

    def loop(self) -> None:
        i = self.pick(["i", "i", "k0"])
        self.line(f"for {i} in range({self.pick(['n'] * 6 + ['len(x)', '1, n', 'n - 1'])}):")
        self.depth += 1
        j = None
        if self.chance(4):
            j = "j"
            self.line("for j in range(2):")
            self.depth += 1
        for _ in range(self.number(1, 3)):
            self.statement(i, j)
        self.depth -= 1 if j is None else 2

    def between(self) -> None:
        form = self.number(0, 7)
        name = f"t{next(self.names) + 2}"
        if form <= 2:
            source = self.pick(["np.zeros(n)", "np.empty(n)", "np.ones(n)", f"{self.pick(self.vectors)}.copy()", "np.sin({a}) * {b}", "{a} + {b}[::-1]"])
            a, b = self.pick(self.vectors), self.pick(self.vectors)
            if source == "np.empty(n)":
                self.line(f"{name} = np.empty(n)\n    for q in range(n):\n        {name}[q] = {a}[q] * 0.5")
            else:
                self.line(f"{name} = {source.format(a=a, b=b)}")
            self.vectors.append(name)
        elif form == 3:
            self.line(f"r{name} = {self.tame(None)}")
            self.floats.append(f"r{name}")
        elif form == 4:
            self.line(f"if {self.value(None)} > {self.pick(['100.0', '0.9'])}:\n        raise ValueError('large')")
        elif form == 5:
            self.line(f"{self.written()} {self.pick(['+=', '*='])} 0.5 * {self.pick(self.vectors)}")
        elif form == 6:
            a, b = self.written(), self.written()
            if a != b and "y" not in (a, b):
                self.line(f"{a}, {b} = {b}, {a}")


def written_loops(source: Source, size: int = 6) -> Program:
    """A chain of loops with arguments, from a source of choices."""
    c = _Chain(source)
    for text in ("n = len(x)", "k = len(idx)", "s = 0.0", "t0 = np.zeros(n)", "t1 = x * 2.0", "M = A.copy()"):
        c.line(text)
    for _ in range(size):
        c.between() if c.chance(3) else c.loop()
    for v in c.vectors[2:]:
        if c.chance(2):
            c.line(f"for i in range(n):\n        s += {v}[i] * (1.0 + 0.1 * i)")
    c.line("s += np.sum(M)")
    c.line("return s")
    n, k = source.pick([0, 1, 2, 3, 4, 5, 5]), source.number(1, 3)
    rng = np.random.default_rng(source.number(0, 2**16))
    idx = rng.integers(0, max(n, 1), k)
    if c.chance(12):
        idx[-1] = n
    args: tuple[Any, ...] = (rng.normal(size=n), rng.normal(size=n), rng.normal(size=(n, 2)), idx, float(rng.normal()))
    params = 'x: Float64[np.ndarray, "n"], y: Float64[np.ndarray, "n"], A: Float64[np.ndarray, "n 2"], idx: Int64[np.ndarray, "k"], w: float'
    text = f"{HEADER}\n\ndef f({params}):\n" + "\n".join(c.lines) + "\n"
    return Program(text, args, False, ("y",))


@st.composite
def loop_programs(draw: Callable, size: int = 6) -> Program:
    """Chains of loops with arguments; ``size`` is how many there are, or things between them."""

    return written_loops(Drawn(draw), size)
