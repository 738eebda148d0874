"""Random programs: chunks in any order give what the loop gives, and never meet in a cell that one of them writes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from linad.analysis.parallelism import Verdict, verdict
from linad.codegen import chunks, parallel

from ..examples_of import MANY, quick
from ..properties.roads import Whole
from ..kit import load
from ..strategies import programs
from .programs import Writer
from .roads import agree, outcome, ready, verdicts, watched
from .test_verdicts import REFUSED, whole

N = 7


def random_whole(seed: int) -> Whole | None:
    rng = np.random.default_rng(seed)
    args = (rng.normal(size=N), rng.normal(size=N), rng.integers(0, N, N), rng.normal(size=(N, 3)), 0.6)
    w = Whole(load(Writer(seed).text()), args, ("x", "y", "m"))
    return None if w.errors else w


def test_random_programs():
    launched = refused = checked = 0
    for seed in range(16 * MANY):
        w = random_whole(seed)
        if w is None:
            continue
        checked += 1
        launched += agree(w.prepared, w.values, (3,)) > 0
        refused += any(d.verdict.reason for d in verdicts(w.prepared))
        wrt = w.active()
        launched += agree(w.derivative(wrt, seed % 2 == 0, after=False).simplified, w.derivative_arguments(wrt), (2,)) > 0
    assert checked > 12 * MANY and launched > 12 * MANY and refused > 4 * MANY, (checked, launched, refused)


@pytest.mark.parametrize("name", ["stored where loaded indices say", "one cell", "added to and read", "the cell before"])
def test_the_watch_finds_races(name, monkeypatch):
    """What the verdict keeps from threads does meet in a cell."""
    w = whole(REFUSED[name][1], ("y", "m"))
    monkeypatch.setattr(parallel, "verdict", lambda s, fastmath: Verdict("", ("add",) * len(s.carried)))
    made = ready(w.prepared, True)
    with watched(made) as watch:
        outcome(made, [*w.values, 4])
    assert watch.races


def test_scattered_sums_without_accumulators_would_race(monkeypatch):
    w = whole("for i in range(len(x)):\n    y[ix[i]] += w * x[i]\nreturn y[7]", ("y",))
    monkeypatch.setattr(parallel, "verdict", lambda s, fastmath: replace(verdict(s, fastmath), added=()))
    made = ready(w.prepared, True)
    with watched(made) as watch:
        outcome(made, [*w.values, 4])
    assert watch.races


def test_accumulators_that_cost_too_much_are_not_made(monkeypatch):
    w = whole("for i in range(len(x)):\n    y[ix[i]] += w * x[i]\nreturn y[7]", ("y",))
    assert agree(w.prepared, w.values) > 0
    monkeypatch.setattr(chunks, "MOST_WORDS", 3)
    assert agree(w.prepared, w.values) == 0


@given(programs(rich=True, size=10))
@quick(6)
def test_programs_of_the_whole_language(program):
    w = Whole(program.load(), program.args, program.updates, program.single)
    if not w.errors and not program.single and not isinstance(outcome(w.prepared, w.values), str):
        agree(w.prepared, w.values, (3,))
        wrt = w.active()
        agree(w.derivative(wrt, True, after=False).simplified, w.derivative_arguments(wrt), (2,))
