"""What a tool made of a program: right, wrong, or refused, judged by finite differences of the plain program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.peers.tools import Gradient, Program, Tool

TOLERANCE = 1e-6


@dataclass(frozen=True)
class Outcome:
    """`verdict` is ok, wrong, refused or raises (the error that Python itself raises); `detail` says more."""

    verdict: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.verdict}: {self.detail}" if self.detail else self.verdict


def point(n: int = 6) -> np.ndarray:
    """Where all gradients are taken: no entry near a kink or a threshold of any program."""
    return np.array([0.31, 0.84, -0.42, 0.67, 1.13, 0.58])[:n]


def differences(program: Program, x: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Central differences of the plain program."""
    slope = np.zeros_like(x)
    for i in range(len(x)):
        up, down = x.copy(), x.copy()
        up[i] += step
        down[i] -= step
        slope[i] = (program(up) - program(down)) / (2.0 * step)
    return slope


def judge(gradient: Gradient, program: Program, x: np.ndarray) -> Outcome:
    """Ask for the gradient and compare; an exception is a refusal, or right where plain Python raises it as well."""
    try:
        expected: np.ndarray | type[Exception] = differences(program, x)
    except Exception as error:
        expected = type(error)
    try:
        found = gradient(program, x)
    except Exception as error:
        if expected is type(error):
            return Outcome("ok", f"raises {type(error).__name__}")
        return Outcome("refused", type(error).__name__)
    if isinstance(expected, type):
        return Outcome("wrong", f"a number where Python raises {expected.__name__}")
    error = np.abs(found - expected).max() / np.abs(expected).max()
    return Outcome("ok") if error <= TOLERANCE else Outcome("wrong", f"off by {error:.0%}")


def outcome(tool: Tool, program: Program, x: np.ndarray) -> Outcome:
    """The tool's verdict, with a remark where its own compiler refuses what it can do step by step."""
    plain = judge(tool.gradient, program, x)
    if plain.verdict != "ok" or tool.staged is None:
        return plain
    staged = judge(tool.staged, program, x)
    return plain if staged.verdict == "ok" else Outcome("ok", f"under jit {staged.verdict}, {staged.detail}")
