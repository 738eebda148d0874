"""The suite: linad and C by hand give the same values and gradients, and a wrong one is noticed."""

import shutil

import numpy as np
import pytest

from benchmarks import timing
from benchmarks.suite import against, gradients, measure, peers, problems

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler")
SMALL = problems.small()


@needs_gcc
@pytest.mark.one_in(16)
@pytest.mark.parametrize("problem", SMALL, ids=lambda p: p.name)
def test_linad_and_c_agree(problem) -> None:
    gradients.agree(problem)


def test_every_problem_has_both_sizes() -> None:
    assert [p.name for p in SMALL] == [p.name for p in problems.large()]
    assert set(peers.TEXTS) < {p.name for p in SMALL}


def test_disagreement_is_noticed() -> None:
    right = (1.0, np.array([1.0, 2.0]))
    assert gradients.disagreement(right, right) == 0.0
    assert gradients.disagreement((1.0, np.array([1.0, 2.002])), right) == pytest.approx(1e-3)
    assert gradients.disagreement((1.0, np.array([1.0, np.nan])), right) == np.inf
    assert gradients.disagreement((1.0, np.array([1.0, np.inf])), right) == np.inf


def test_the_table_has_medians() -> None:
    times = [{"linad primal": 1.0, "linad": k, "C primal": 1.0, "C": 2.0} for k in (2.0, 3.0, 7.0)]
    rows = [measure.Row(p, t, 0) for p, t in zip(SMALL, times)]
    assert "| **3.00** | 1.50 |" in measure.table(rows).splitlines()[-1]
    beside = measure.Row(SMALL[0], times[0], 0, {"JAX": 4.2, "PyTorch": "TypeError"})
    assert "| 4.20 | TypeError |" in measure.table([beside])


def test_other_tools_are_timed_beside_linad_or_say_why_not(monkeypatch) -> None:
    problem = SMALL[0]
    bars = gradients.buffers(problem)
    right = (gradients.linad_gradient(problem, bars)(), *bars)
    wrong = (right[0] * 1.01, *right[1:])

    def refuses(problem):
        raise TypeError("no in-place updates")

    tools = {"right": lambda p: lambda: right, "wrong": lambda p: lambda: wrong, "none": refuses}
    monkeypatch.setattr(peers, "available", lambda p: tools)
    monkeypatch.setattr(against, "least", lambda calls: timing.least(calls, rounds=1, batch=1e-6))
    found = against.here(problem)
    assert found["right"] > 0.0
    assert found["wrong"] == "differs by 1e-02" and found["none"] == "TypeError"
