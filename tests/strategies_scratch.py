"""Loop nests over scratch arrays for property tests: filled in each iteration or not quite, read after the loop or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from .prelude import HEADER
from .sources import Source
from .strategies import Program

PARAMS = 'x: Float64[np.ndarray, "n"], A: Float64[np.ndarray, "n m"], w: float'

WRITES = (  # that fill a vector
    "for j in range(n):\n    {u}[j] = {e}",
    "for j in range(n):\n    {u}[j] = {e}",
    "for j in range(n):\n    {u}[j] = {e}",
    "for j in range(n - 1, -1, -1):\n    {u}[j] = {e}",
    "for j in range(n):\n    {u}[n - 1 - j] = {e}",
    "{u}[:] = x * {c}",
    "{u}.fill({c})",
    "{u}[:] = np.sin(x)",
    "{u}[0] = {c}\nfor j in range(1, n):\n    {u}[j] = {e} + 0.5 * {u}[j - 1]",
    "{u}[n - 1] = {c}\nfor j in range(n - 2, -1, -1):\n    {u}[j] = {e} - 0.5 * {u}[j + 1]",
    "for j in range(n):\n    {u}[j] = {e}\n    for k in range(j):\n        {u}[j] -= 0.1 * {u}[k]",
    "{u}[0] = {c}\n{u}[-1] = {c}\nfor j in range(1, n - 1):\n    {u}[j] = {e}",
    "tail = {u}[1:]\n{u}[0] = {c}\nfor j in range(len(tail)):\n    tail[j] = {c} * j",
    "for j in range(n):\n    if x[j] > 0.0:\n        {u}[j] = {e}\n    else:\n        {u}[j] = {c}",
    "for j in range(n // 2):\n    {u}[2 * j] = {e}\n    {u}[2 * j + 1] = {c}\nfor j in range(n // 2 * 2, n):\n    {u}[j] = {e}",
    "for j in range(n):\n    {u}[j] = {c}\nfor j in range(n):\n    {u}[j] += {e}",
    "for k in range(m):\n    for j in range(n):\n        {u}[j] = {e} + A[j, k]",
)
NEARLY = (  # that leave cells as they were
    "for j in range(1, n):\n    {u}[j] = {e}",
    "for j in range(n - 1):\n    {u}[j] = {e}",
    "for j in range(0, n, 2):\n    {u}[j] = {e}",
    "for j in range(n):\n    if x[j] > 0.3:\n        {u}[j] = {e}",
    "for j in range(n):\n    {u}[j] += {e}",
    "for j in range(n):\n    if x[j] > 0.9:\n        break\n    {u}[j] = {e}",
    "{u}[t % n] = {c}",
    "if w > 0.2:\n    {u}[:] = x",
)
READS = (
    "for j in range(n):\n    s += {u}[j] * {u}[j] * 0.1",
    "for j in range(n):\n    for k in range(j + 1):\n        s += 0.1 * {u}[j] * {u}[k]",
    "for j in range(1, n):\n    s += math.tanh({u}[j] * {u}[j - 1])",
    "s += math.sin({u}[n // 2])",
    "s += 0.1 * np.dot({u}, {u})",
    "s += math.sin({u}[0] * {u}[-1])",
    "for j in range(n):\n    if {u}[j] > 0.5:\n        s += {u}[j] * w",
    "for j in range(n):\n    {u}[j] = math.tanh({u}[j])\n    s += 0.5 * {u}[j]",
    "half = {u}[::2]\ns += 0.1 * np.sum(half * half)",
)
MATRICES = (
    "for j in range(n):\n    for k in range(m):\n        M[j, k] = A[j, k] * w",
    "M[:, :] = A * w",
    "for j in range(n):\n    M[j] = A[j] * 0.5",
    "for k in range(m):\n    for j in range(n):\n        M[j, k] = A[j, k] * x[j]",
    "for j in range(n):\n    for k in range(min(j + 1, m)):\n        M[j, k] = A[j, k] * w",
    "for j in range(1, n):\n    for k in range(m):\n        M[j, k] = A[j, k] * w",
)
MATRIX_READS = (
    "for j in range(n):\n    for k in range(m):\n        s += math.sin(M[j, k] * M[j, k])",
    "for j in range(n):\n    for k in range(min(j + 1, m)):\n        s += 0.1 * M[j, k] * M[j, k]",
    "s += 0.1 * np.sum(M * M)",
    "s += math.sin(M[0, 0] * M[-1, -1])",
)


class _Nest:
    def __init__(self, source: Source) -> None:
        self.pick, self.number = source.pick, source.number
        self.lines: list[str] = []
        self.depth = 1

    def chance(self, one_in: int) -> bool:
        return self.number(1, one_in) == one_in

    def text(self, form: str, **names: str) -> None:
        e = self.pick(["math.sin(x[j] * (1.0 + 0.1 * t))", "x[j] * w", "math.tanh(s + x[j])", "x[j] + 0.01 * j", "w * A[j, 0]"])
        text = form.format(c=self.pick(["0.0", "w", "s * 0.1", "math.sin(w + t)"]), e=e, **names)
        self.lines += ["    " * self.depth + line for line in text.split("\n")]

    def step(self) -> None:
        if self.chance(4):
            self.text(self.pick([*MATRICES, *MATRIX_READS]))
            if self.chance(2):
                self.text(self.pick(list(MATRIX_READS)))
            return
        u = self.pick(["u", "u", "v"])
        self.text(self.pick([*WRITES, *(NEARLY if self.chance(5) else ())]), u=u)
        for _ in range(self.number(0, 2)):
            self.text(self.pick(list(READS)), u=self.pick([u, u, u, "v"]))
        if self.chance(7):
            self.text("u, v = v, u")

    def loop(self, index: str, depth: int) -> None:
        self.text(f"for {index} in range({self.pick(['3', '2', 'n', 'm', 'n - 2'])}):")
        self.depth += 1
        inside = self.chance(5)
        if inside:
            self.text("if w > -0.5:")
            self.depth += 1
        for _ in range(self.number(1, 3)):
            if depth and self.chance(3):
                self.loop("q", 0)
            else:
                self.step()
        self.depth -= 1 + inside


def scratch_nests(source: Source) -> Program:
    """Loops over scratch arrays that are made before them, from a source of choices."""
    c = _Nest(source)
    made = c.pick(["np.zeros(n)", "np.empty(n)", "np.ones(n)", "x.copy()"])
    if made == "np.empty(n)":
        made += "\nu[:] = 0.0" if c.chance(2) else ""
    for line in ("n, m = A.shape", "s = 0.0", "t = 0", f"u = {made}", "v = np.zeros(n)", "M = np.zeros((n, m))"):
        c.text(line)
    for _ in range(c.number(1, 2)):
        c.loop("t", 1)
        if c.chance(5):
            c.text(c.pick(list(READS)), u=c.pick(["u", "v"]))
    c.text("return s")
    n, m = c.pick([1, 2, 3, 4, 4, 5]), c.number(1, 3)
    rng = np.random.default_rng(source.number(0, 2**16))
    args: tuple[Any, ...] = (rng.normal(size=n), rng.normal(size=(n, m)), float(rng.normal()))
    return Program(f"{HEADER}\n\ndef f({PARAMS}):\n" + "\n".join(c.lines) + "\n", args)
