"""Random loops over arrays, of which many could be parallel and many could not."""

from __future__ import annotations

import random

HEAD = """
import math
import numpy as np
from jaxtyping import Float64, Int64

def f(x: Float64[np.ndarray, "n"], y: Float64[np.ndarray, "n"], ix: Int64[np.ndarray, "n"], m: Float64[np.ndarray, "n c"], w: float):
    n = len(x)
    z = np.zeros(n)
    s = 0.0
    t = 1.0
    k = 0
"""


class Writer:
    """Writes the body of one function."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def index(self, i: str, low: int = 1) -> str:
        """Mostly the loop's own index; what may be out of range is wrapped by ``%``."""
        return self.pick(i, i, i, i, i, i, f"({i} + 1) % n", f"({i} * 3) % n", f"n - 1 - {i}", f"ix[{i}]", "0", "2")

    def value(self, i: str, extra: tuple[str, ...]) -> str:
        def leaf() -> str:
            j = self.index(i)
            return self.pick(f"x[{j}]", f"x[{i}]", f"y[{j}]", f"y[{i}]", f"z[{i}]", f"m[{i}, 1]", "w", "0.5", *extra)

        a, b = leaf(), leaf()
        return self.pick(f"{a} * {b}", f"{a} + {b}", f"0.3 * {a} - {b}", f"math.sin({a})", f"{a} / (1.5 + {b} ** 2)", a)

    def statement(self, i: str, depth: int, extra: tuple[str, ...], level: int = 0) -> tuple[str, ...]:
        kind = self.rng.randrange(15)
        value = self.value(i, extra)
        match kind:
            case 0 | 1 | 2:
                self.line(depth, f"{self.pick('y', 'z', 'z', 'x')}[{self.index(i) if kind == 2 else i}] {self.pick('=', '+=')} {value}")
            case 3:
                self.line(depth, f"m[{i}, {self.pick('0', '1', '2')}] {self.pick('=', '+=', '*=')} {value}")
            case 4:
                self.line(depth, f"{self.pick('y', 'z')}[ix[{i}]] += {value}")
            case 5 | 6:
                self.line(depth, f"s {self.pick('+=', '-=', '+=')} {value}")
            case 7:
                self.line(depth, self.pick(f"t = {value}", f"t = t * 0.9 + {value}", f"k += {i} + 1", f"t += {value}"))
            case 8 | 9 if level < 2:
                self.line(depth, f"if {self.value(i, extra)} > {self.pick('0.2', 'w')}:")
                self.statement(i, depth + 1, extra, level + 1)
                if self.rng.random() < 0.5:
                    self.line(depth, "else:")
                    self.statement(i, depth + 1, extra, level + 1)
            case 10 | 11 if level < 2:
                self.count += 1
                j, b = f"j{self.count}", f"b{self.count}"
                self.line(depth, f"{b} = {self.pick('np.zeros(3)', 'x.copy()', 'np.full(3, w)', 'np.zeros(3)')}")
                self.line(depth, f"for {j} in range({self.pick('3', '2')}):")
                self.line(depth + 1, f"{b}[{j}] {self.pick('=', '+=')} {value} * ({j} + 1)")
                self.line(depth, f"{self.pick('z', 'y')}[{i}] {self.pick('=', '+=')} {b}[1] * {b}[{self.pick('0', '2')}]")
            case 12 if level < 2:
                self.count += 1
                j = f"j{self.count}"
                self.line(depth, f"for {j} in range({self.pick('3', 'n', f'{i} + 1')}):")
                self.statement(self.pick(i, j) if "n" not in self.lines[-1] else i, depth + 1, extra, level + 1)
            case 13 if level == 0:
                self.count += 1
                self.line(depth, f"a{self.count} = {value}")
                return (*extra, f"a{self.count}")
            case _:
                self.line(depth, f"z[{i}] = {value}")
        return extra

    def loop(self, depth: int) -> None:
        self.count += 1
        i = f"i{self.count}"
        over = self.pick("n", "n", "n", "n - 1", "1, n", "n - 1, -1, -1", "0, n, 2", "n - 1, 0, -3")
        self.line(depth, f"for {i} in range({over}):")
        extra: tuple[str, ...] = ()
        for _ in range(self.rng.randint(1, 4)):
            extra = self.statement(i, depth + 1, extra)

    def text(self) -> str:
        for _ in range(self.rng.randint(1, 3)):
            if self.rng.random() < 0.2:
                self.line(1, f"for r{self.count} in range(2):")
                self.loop(2)
            else:
                self.loop(1)
        self.line(1, "return s + t * z[3] + y[1] * x[2] + m[0, 1] + 0.1 * k")
        return HEAD + "\n".join(self.lines) + "\n"
