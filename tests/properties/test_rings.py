"""Neighbours around a ring, in the ways in which people write them: all oracles agree down to rings of one cell."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import Let, blocks, walk

from linad.codegen.passes import RESHAPING
from linad.interpret import run
from linad.optimise.pass_manager import Phase
from linad.optimise.pass_manager import run as run_passes
from tests.properties.roads import Whole


def remainders(u0, c):
    n = len(u0)
    u = u0.copy()
    for _ in range(2):
        w = np.zeros(n)
        for i in range(n):
            w[i] = u[i] - c * u[i] * (u[(i + 1) % n] - u[(i - 1) % n]) + u[(i + n - 1) % n]
        u = w
    return np.sum(u * u)


def conditions(u0, c):
    n = len(u0)
    u = u0.copy()
    w = np.zeros(n)
    for _ in range(2):
        for i in range(n):
            before = i - 1 if i > 0 else n - 1
            after = i + 1
            if after == n:
                after = 0
            w[i] = u[i] - c * u[i] * (u[after] - u[before])
        u, w = w, u
    return np.sum(u * u)


def backwards(u0, c):
    n = len(u0)
    u = u0.copy()
    for i in range(n - 1, -1, -1):
        u[i] += c * u[(i + 1) % n] * u[i - 1]
    return np.sum(u)


def rolls(u0, c):
    u = u0.copy()
    for _ in range(2):
        u[:] = u - c * u * (np.roll(u, -1) - np.roll(u, 1))
    v = np.roll(u, 1)
    v[0] += u[0]
    return np.sum(v * np.roll(np.exp(u), -1))


def all_but_one(u0, c):
    s = 0.0
    for i in range(len(u0)):
        for j in range(len(u0)):
            if j != i:
                s += c * u0[i] / (1.0 + u0[j] ** 2)
    return s


@pytest.mark.one_in(5)
@pytest.mark.parametrize("function", [remainders, conditions, backwards, rolls, all_but_one], ids=lambda f: f.__name__)
def test_rings(function) -> None:
    for n in (1, 2, 3, 6):
        Whole(function, (np.linspace(0.3, 1.1, n), 0.4)).holds()


@pytest.mark.parametrize("function", [remainders, conditions, rolls], ids=lambda f: f.__name__)
def test_nothing_is_asked_between_the_ends(function) -> None:
    """Remainders and choices of indices are taken in iterations at the ends only, however long the ring is."""

    def asked(n: int) -> int:
        args = (np.linspace(0.3, 1.1, n), 0.4)
        whole = Whole(function, args)
        program = run_passes(whole.prepared, Phase(RESHAPING), ("fastmath", "noalias", "retry"))[0]
        times = run(program, args).blocks
        return sum(times.get(id(b), 0) * chosen(b) for t in walk(program.main.body) for b in blocks(t))

    def chosen(block) -> int:
        return sum(isinstance(t, Let) and t.op in ("mod", "select") and t.out.type.dtype == "i64" for t in block.stmts)

    assert 0 < asked(6) == asked(60)


def test_a_chosen_neighbour_is_not_logged() -> None:
    whole = Whole(conditions, (np.linspace(0.3, 1.1, 6), 0.4))
    gradient = whole.derivative(("u0", "c"), True)
    assert not any(a.type.dtype == "i64" for s in walk(gradient.simplified.main.body) if type(s).__name__ == "Alloc" for a in (s.out,))
