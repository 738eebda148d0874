"""Copies in loops as nests of stores: what that saves of the log, and that it changes no number."""

import textwrap

import numpy as np
import pytest
from linad_typecheck.ir.core import Copy, walk
from linad_typecheck.ir.verify import verify

from linad.cost import cost_of
from linad.interpret import run
from linad.optimise.memory.copy_expansion import expand_copies
from linad.pipeline import prepare

from ...kit import load
from ...prelude import HEADER
from ...properties.roads import Whole

PASS = "copy_expansion"
RNG = np.random.default_rng(0)
ARGS = (RNG.normal(size=7), RNG.normal(size=(5, 6)), 3)
PARAMS = 'x: Float64[np.ndarray, "n"], A: Float64[np.ndarray, "n1 m"], rounds: int'

ERODED = """
a = A.copy()
for r in range(rounds):
    e = a.copy()
    e[1:-1, :] = np.minimum(np.minimum(a[:-2, :], a[2:, :]), a[1:-1, :])
    d = e.copy()
    d[1:-1, :] = np.maximum(np.maximum(e[:-2, :], e[2:, :]), e[1:-1, :])
    a = 0.5 * (a + np.sin(d))
s = np.sum(a * a)
"""
SMOOTHED = """
u = x.copy()
for r in range(rounds):
    e = u.copy()
    for i in range(1, n - 1):
        e[i] = u[i - 1] * u[i + 1]
    v = e.copy()
    for i in range(1, n - 1):
        v[i] += e[i - 1] * e[i] * e[i + 1]
    u = np.tanh(v)
s = np.sum(u)
"""


def program(body: str) -> Whole:
    text = f"{HEADER}\n\ndef f({PARAMS}):\n    n = len(x)\n{textwrap.indent(body.strip(), '    ')}\n    return s\n"
    return Whole(load(text), ARGS)


@pytest.mark.parametrize("body", [ERODED, SMOOTHED], ids=["eroded", "smoothed"])
def test_cells_of_a_copy(body: str) -> None:
    whole = program(body)
    before = prepare(whole.lowered, off=("copy_elision",))
    after = before.with_main(expand_copies(before.main))
    assert not verify(after)
    copies = [[t for t in walk(p.main.body) if isinstance(t, Copy)] for p in (before, after)]
    assert len(copies[1]) < len(copies[0])
    was, now = (run(p, whole.values) for p in (before, after))
    assert was.results == now.results
    whole.gradients(thorough=False)


def test_a_copy_that_is_updated_is_kept_once() -> None:
    """Instead of each of the neighbours that are compared."""
    whole = program(ERODED)
    cost, without = (cost_of(whole.lowered, whole.values, off=off) for off in ((), (PASS,)))
    cells = ARGS[1].size * ARGS[2]
    assert cost.log_words <= 3 * cells < without.log_words


def test_copies_outside_of_loops_stay() -> None:
    f = prepare(program("u = x.copy()\nu[0] = 1.0\ns = np.sum(u * x)").lowered).main
    assert expand_copies(f) == f
