"""Cells that a loop reads and does not write are read once before it, where that saves words of the log."""

import textwrap

import numpy as np
import pytest
from linad_typecheck.ir.core import Alloc, Loop, walk

from linad.cost import cost_of
from linad.interpret import run
from linad.optimise.memory.invariant_reads import move_invariant_reads
from linad.optimise.pass_manager import check
from linad.pipeline import prepare

from ...kit import load
from ...prelude import HEADER
from ...properties.roads import Whole, close, fresh

RNG = np.random.default_rng(0)
ARGS = (RNG.normal(size=(5, 5)) + 4.0 * np.eye(5), RNG.normal(size=5))
STEP = "p = k if b[k] > 0.0 else n - 1\nfor j in range(n):\n    L[k, j], L[p, j] = L[p, j], L[k, j]\nfor i in range({first}, n):\n    w = L[i, k] / L[k, k]\n    L[i, k] = w\n    for j in range({inner}):\n        L[i, j] -= w * L[{row}, j]"
MOVED = {  # how many loops fill a row
    "elimination": (STEP.format(first="k + 1", inner="k + 1, n", row="k"), 1),
    "upwards": (STEP.format(first="k + 1", inner="n - 1, k, -1", row="k"), 1),
    "a row that is never written": (STEP.format(first="k + 1", inner="k + 1, n", row="0"), 1),
    "a vector with it": (STEP.format(first="k + 1", inner="k + 1, n", row="k") + "\n    y[i] -= w * y[k]", 1),
}
LEFT = {
    "its own row": STEP.format(first="k + 1", inner="k + 1, n", row="i"),
    "a row that changes": STEP.format(first="k", inner="k + 1, n", row="k"),
    "another range in each iteration": STEP.format(first="k + 1", inner="i, n", row="k"),
    "a row that may not exist": STEP.format(first="k + 3", inner="k + 1, n", row="k + 2"),
}


def program(step: str) -> Whole:
    body = "n = len(b)\nL = a.copy()\ny = b.copy()\nfor k in range(n):\n" + textwrap.indent(step, "    ") + "\ns = np.sum(L * L) + np.sum(y * y)"
    text = 'def f(a: Float64[np.ndarray, "n n"], b: Float64[np.ndarray, "n"]) -> float:\n' + textwrap.indent(body, "    ")
    return Whole(load(f"{HEADER}\n\n{text}\n    return s\n"), ARGS)


def rows(f) -> int:
    return sum(isinstance(t, Alloc) for s in walk(f.body) if isinstance(s, Loop) for t in s.body.stmts)


def moved(whole: Whole):
    ready = prepare(whole.lowered)
    made = ready.with_main(move_invariant_reads(ready.main))
    check("invariant_reads", made)
    before, after = (run(p, fresh(whole.values)).results for p in (ready, made))
    close(after, before, 0.0, "moved")
    return made.main


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", MOVED)
def test_a_row_is_read_once(name: str) -> None:
    step, count = MOVED[name]
    whole = program(step)
    assert rows(moved(whole)) == count
    whole.primal()
    whole.gradients(thorough=False)
    found, without = (cost_of(whole.lowered, whole.values, off=off) for off in ((), ("invariant_reads",)))
    # a quotient for each row below each pivot; without the pass the row is a snapshot, which takes no more words
    assert found.log_words == 10 <= without.log_words and found.primal == without.primal


@pytest.mark.parametrize("name", LEFT)
def test_other_reads_stay(name: str) -> None:
    assert rows(moved(program(LEFT[name]))) == 0
