"""Whatever is checked compiles: loops that end in many ways, counters updated in many arms, with their gradients."""

import random

import numpy as np
import pytest

from linad import linear_grad
from linad_typecheck.diagnostics import LinadError

from ..kit import load

HEAD = """\
import math
import numpy as np
from jaxtyping import Float64

def f(x: Float64[np.ndarray, "n"], w: float) -> float:
    s = w
    p = 0
    q = 1
    v = np.zeros(len(x))
"""
SIMPLE = (
    "s += x[p % len(x)] * w",
    "s = 0.5 * s * x[q % len(x)] + w",
    "v[q % len(x)] += 0.1 * s * x[p % len(x)]",
    "s += math.sin(v[p % len(x)])",
    "p += 1",
    "q += 2",
    "p, q = q, p",
    "t = s * w\n    s -= 0.1 * t",
)
TESTS = ("s > 1.5", "p % 3 == 0", "q > p", "x[p % len(x)] < 0.3", "p + q > 9")


class Maker:
    """Random functions of while and for loops with every kind of exit; every loop ends."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.loops = 0
        self.left = 16

    def add(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text.replace("\n", "\n" + "    " * (depth - 1)))

    def some(self, depth: int, inside: str | None) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.one(depth, inside)

    def one(self, depth: int, inside: str | None) -> None:
        self.left -= 1
        kinds = ["simple"] * 3
        if self.left > 0 and depth < 5:
            kinds += ["if", "while", "true", "for"]
        if inside:
            kinds += ["leave"] * 2
        match self.random.choice(kinds):
            case "simple":
                self.add(depth, self.random.choice(SIMPLE))
            case "leave":
                self.add(depth, f"if {self.random.choice(TESTS)}:")
                if self.random.random() < 0.4:
                    self.add(depth + 1, self.random.choice(SIMPLE))
                self.add(depth + 1, self.random.choice(["break", "continue", "break", "continue", "return s * x[0]"]))
            case "if":
                self.add(depth, f"if {self.random.choice(TESTS)}:")
                self.some(depth + 1, inside)
                if self.random.random() < 0.5:
                    self.add(depth, "else:")
                    self.some(depth + 1, inside)
            case kind:
                self.loop(depth, kind)

    def loop(self, depth: int, kind: str) -> None:
        self.loops += 1
        k = f"k{self.loops}"
        if kind == "for":
            self.add(depth, f"for {k} in range({self.random.choice(['3', 'q % 4', '2, -1, -1'])}):")
        else:
            self.add(depth, f"{k} = 0")
            self.add(depth, f"while {k} < {self.random.randint(1, 4)}:" if kind == "while" else "while True:")
            self.add(depth + 1, f"{k} += 1")
            if kind == "true":
                self.add(depth + 1, f"if {k} > {self.random.randint(1, 4)}:")
                self.add(depth + 2, "break")
        self.some(depth + 1, k)
        if kind != "true" and self.random.random() < 0.3:
            self.add(depth, "else:")
            self.add(depth + 1, self.random.choice(SIMPLE[:4]))

    def text(self) -> str:
        while self.left > 0:
            self.one(1, None)
        return HEAD + "\n".join(self.lines) + "\n    return s\n"


def compare(text: str) -> None:
    """The value and gradient in machine code and in the reference interpreter."""
    f = load(text)
    x, w = np.array([0.2, -0.4, 0.7, 1.1]), 0.8
    expected = linear_grad(f, backend="interpret", cache=False).value_and_grad(x, w)
    value, (x_bar, w_bar) = linear_grad(f, cache=False).value_and_grad(x, w)
    for got, wanted in zip((value, x_bar, w_bar), (expected[0], *expected[1]), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9, err_msg=text)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(1, 5))
def test_random_loops(seed):
    compare(Maker(seed).text())


def test_counters_in_arms_of_an_endless_loop():
    compare(
        HEAD
        + """\
    while True:
        p += 1
        if p >= len(x):
            break
        if p % 2 == 0:
            continue
        k = 0
        while k < p:
            s += x[k] * x[p] * s + x[p]
            k += 1
    return s
"""
    )


def test_names_of_functions_are_taken():
    f = load(
        """\
import numpy as np
from jaxtyping import Float64

def halves(x: Float64[np.ndarray, "n"], lo: int, hi: int) -> float:
    if hi - lo == 1:
        return x[lo] * x[lo]
    halves_2 = (lo + hi) // 2
    depth = halves(x, lo, halves_2)
    return depth * halves(x, halves_2, hi) + halves(x, lo, halves_2)
""",
        "halves",
    )
    x = np.array([0.5, 1.5, 2.0])
    compiled, reference = (linear_grad(f, backend=b, cache=False).grad(x, 0, 3) for b in ("numba", "interpret"))
    np.testing.assert_allclose(compiled, reference)


def test_a_failing_compiler_is_told_in_a_line(monkeypatch):
    from linad.codegen import compile as loading

    def broken(*args):
        raise RuntimeError("Failed in nopython mode pipeline (step: x)\nType of variable 'k' cannot be determined\nmore")

    monkeypatch.setattr(loading, "load", broken)
    f = load("def f(x: float) -> float:\n    return x * x\n")
    with pytest.raises(LinadError, match=r"LIN901") as told:
        linear_grad(f, cache=False)(2.0)
    assert "Type of variable 'k' cannot be determined" in str(told.value) and "more" not in str(told.value)
