"""Loops made one: what is fused, what must not be, and random chains of loops that mean the same before and after."""

from __future__ import annotations

import random

import numpy as np
import pytest
from linad_typecheck.ir.core import Alloc, Loop, walk
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.loops.loop_fusion import fuse_loops
from linad.pipeline import prepare
from tests.lower.test_messages import checked


def prepared(params: str, body: str):
    found = checked(params, body)
    assert found.program is not None, found.diagnostics
    return found.program, prepare(found.program)


def loops(program) -> int:
    return sum(isinstance(s, Loop) for s in walk(program.main.body))


def arrays(program) -> int:
    return sum(isinstance(s, Alloc) for s in walk(program.main.body))


FUSED = {
    "a chain of expressions": ("z = np.exp(x)\nv = z * x\ns = 0.0\nfor a in v:\n    s += a\nreturn s", 1, 0),
    "a size that is checked between": ("z = np.exp(x)\nv = z * y\nreturn v[0]", 1, 1),
    "nested loops": ("z = x[:, None] * y[None, :]\nv = z + 1.0\nt = 0.0\nfor r in v:\n    for a in r:\n        t += a\nreturn t", 2, 0),
    "prefix sums and products with them": ("z = np.cumsum(x)\ns = 0.0\nfor a in z:\n    s += a * a\nreturn s", 1, 0),
    "exponentials and their sum": ("z = np.exp(x)\ns = 0.0\nfor a in z:\n    s += math.sin(a)\nreturn s", 1, 0),
    "a sum and one by hand": ("z = x * y\ns = np.sum(z)\nq = 0.0\nfor a in z:\n    q += a * a\nreturn s * q", 2, 0),
    "two sums": ("z = x * y\nreturn np.sum(z) * np.sum(z * z)", 2, 0),
    "sums of the same arrays": ("s = np.sum(x * y)\nreturn s * np.sum(x * x)", 2, 0),
    "sums of the same arrays by hand": (
        "s = 0.0\nfor a in x:\n    s += a\nq = 1.0\nfor a in x:\n    q += a * a\nreturn s * q", 1, 0,
    ),
    "a cell of another array is written between": (
        "z = np.zeros(len(x))\nv = np.zeros(2)\nfor i in range(len(x)):\n    z[i] = x[i] * 2.0\nv[1] = 1.0\n"
        "for i in range(len(x)):\n    v[1] += z[i]\nreturn v[1] * v[1]", 1, 0,
    ),
    "written by hand": (
        "z = np.zeros(len(x))\nfor i in range(len(x)):\n    z[i] = x[i] * 2.0\ns = 0.0\nfor i in range(len(x)):\n    s += z[i]\nreturn s",
        1, 0,
    ),
}  # fmt: skip

APART = {
    "sums of other arrays": ("return np.sum(x) * np.sum(y)", 4),
    "a sum that needs another one": ("s = np.sum(x)\nreturn np.sum(x * s)", 4),
    "a sum and a sum of sines": ("return np.sum(x) * np.sum(np.sin(x))", 4),
    "prefix sums and sines of them": ("z = np.cumsum(x)\ns = 0.0\nfor a in z:\n    s += math.sin(a)\nreturn s", 2),
    "prefix sums and sines, and the index carried along": (
        "z = np.zeros(len(x))\nc = 0.0\ns = 0.0\nk = 0\nfor i in range(len(x)):\n    c += x[i]\n    z[i] = c\n    k = i\n"
        "for i in range(len(x)):\n    s += math.sin(z[i])\n    k = i\nreturn s + k", 2,
    ),
    "exponentials and what is carried through them": (
        "z = np.exp(x)\nv = np.zeros(len(x))\nc = 0.0\nfor i in range(len(x)):\n    c = 0.5 * c + z[i]\n    v[i] = c\nreturn v[0]", 2,
    ),
    "a recurrence and a sum in blocks": (
        "z = np.zeros(len(x))\nq = 0.0\nfor i in range(len(x)):\n    z[i] = x[i] * 2.0\n    q = 0.5 * q + x[i]\nreturn q + np.sum(z)", 3,
    ),
    "exponentials and a recurrence through cells": (
        "z = np.exp(x)\nv = np.zeros(len(x) + 1)\nfor i in range(len(x)):\n    v[i + 1] = 0.5 * v[i] + z[i]\nreturn v[0]", 2,
    ),
    "a recurrence with exponentials and another one": (
        "z = np.zeros(len(x))\nc = 1.0\nfor i in range(len(x)):\n    z[i] = c\n    c = 0.5 * c + np.exp(x[i])\nd = 0.0\n"
        "for i in range(len(x)):\n    d = 0.5 * d + z[i]\nreturn d", 2,
    ),
    "the next cell is read": (
        "z = np.zeros(len(x))\nfor i in range(len(x)):\n    z[i] = x[i]\ns = 0.0\nfor i in range(len(x)):\n    s += z[len(x) - 1 - i]\nreturn s", 2,
    ),
    "a sum is read": ("z = x * 2.0\ns = 0.0\nfor a in z:\n    s += a\nv = z * s\nreturn v[0]", 2),
    "other bounds": ("z = x * 2.0\ns = 0.0\nfor i in range(1, len(x)):\n    s += z[i]\nreturn s", 2),
    "what the first reads is written by the second": (
        "u = x.copy()\nz = u[1:] * 2.0\nfor i in range(len(z)):\n    u[i] = z[i]\nreturn u[0]", 2,
    ),
    "a loop that leaves early": (
        "z = x * 2.0\ns = 0.0\nfor i in range(len(x)):\n    if z[i] > 1.0:\n        break\n    s += z[i]\nreturn s", 2,
    ),
    "both may fail": (
        "z = np.zeros(len(x))\nfor i in range(len(x)):\n    z[i] = x[i] + y[i + 1]\ns = 0.0\nfor i in range(len(x)):\n    s += z[i] * y[i + 2]\nreturn s", 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FUSED)
def test_fused(case):
    body, count, left = FUSED[case]
    _, program = prepared("x: Vec, y: Vec", body)
    assert (loops(program), arrays(program)) == (count, left)


@pytest.mark.parametrize("case", APART)
def test_kept_apart(case):
    body, count = APART[case]
    _, program = prepared("x: Vec, y: Vec", body)
    assert loops(program) == count


def chain(seed: int) -> str:
    """Loops over one range that write and read local arrays at this place, the mirrored one, and others."""
    r = random.Random(seed)
    lines = ["n = len(x)"] + [f"{a} = {r.choice(['np.zeros(n)', 'x.copy()', 'np.ones(n)'])}" for a in "abc"] + ["s = 1.0"]
    places = ["i"] * 14 + ["n - 1 - i", "i // 2", "(i + 1) % n"]

    def cell() -> str:
        return f"{r.choice('abcx')}[{r.choice(places)}]"

    for _ in range(r.randint(2, 5)):
        lines.append(f"for i in range({r.choice(['n', 'n', 'n', '1, n'])}):")
        for _ in range(r.randint(1, 3)):
            target = f"{r.choice('abc')}[{r.choice(places)}]"
            value = r.choice([f"{cell()} * 0.5", f"{cell()} - {cell()}", f"s + {cell()}", "1.5"])
            lines.append("    " + r.choice([f"{target} = {value}", f"{target} += {value}", f"s = 0.5 * s + {cell()}", f"s += {cell()}"]))
            if r.random() < 0.15:
                lines.append(f"    if {cell()} > s:\n        {r.choice('abc')}[{r.choice(places)}] = {cell()}")
        if r.random() < 0.2:
            lines.append(f"s = s * {r.choice('abc')}[0]")
        if r.random() < 0.4:
            one, other, k = r.choice("abc"), r.choice("abcx"), r.choice(["0", "n - 1", "n // 2"])
            lines.append(r.choice([f"s += np.sum({one})", f"s -= np.sum({one} * {other})", f"{one}[{k}] = s", f"{one}[{k}] += {other}[0]"]))
    lines.append("t = s\nfor i in range(n):\n    t = 0.9 * t + a[i] - 0.5 * b[i] + c[i]\nreturn t")
    return "\n".join(lines)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(120))
def test_random_chains_mean_the_same(seed):
    found = checked("x: Vec", chain(seed))
    program = prepare(found.program)
    x = np.random.default_rng(seed).normal(size=5)
    before, after = run(found.program, [x.copy()]), run(program, [x.copy()])
    np.testing.assert_allclose(after.results[0], before.results[0], rtol=1e-12)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(40))
def test_random_chains_over_several_blocks_mean_the_same(seed):
    found = checked("x: Vec", chain(seed))
    x = np.random.default_rng(seed).normal(size=2050)
    before, after = run(found.program, [x.copy()]), run(prepare(found.program), [x.copy()])
    np.testing.assert_allclose(after.results[0], before.results[0], rtol=1e-12)


def test_fusing_alone_keeps_a_program_well_formed():
    fused = 0
    for seed in range(30):
        lowered = checked("x: Vec", chain(seed)).program
        program = prepare(lowered)
        once = program.with_main(fuse_loops(program.main))
        assert not verify(once)
        fused += loops(lowered) - loops(program)
    assert fused > 1
