"""The examples and the programs of the suite keep the bound."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.suite import problems
from linad import cost

EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import bundle_model
import heat_model
import kalman_model

SUITE = (problems.gmm(2), *(p for p in problems.small() if p.name != "gmm"))
RNG = np.random.default_rng(0)
PLATES = RNG.uniform(0.0, 1.0, (2, 4, 5))
SWING = kalman_model.Swing(0.3, -1.0, 0.2, -2.0, -1.5)
CAMERAS, POINTS = RNG.uniform(0.2, 0.8, (3, 11)), RNG.uniform(1.0, 2.0, (3, 3))
SEEN = np.array([[0, 1], [2, 2], [0, 0]])


def kept(f, *args) -> None:
    found = cost(f, *args)
    assert found.primal < found.gradient <= found.bound


@pytest.mark.one_in(3)
@pytest.mark.parametrize("problem", SUITE, ids=lambda p: p.name)
def test_suite(problem) -> None:
    kept(problems.decorated(problem.function, problem.wrt), *problem.args)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("f", "args"), [
    (heat_model.misfit, (RNG.normal(0.0, 0.3, (4, 5)), PLATES, PLATES**2, 0.1, 3, 0.5, 0.1)),
    (kalman_model.local_level, (kalman_model.Walk(0.1, -0.3), RNG.normal(0.0, 1.0, (4, 1)))),
    (kalman_model.swing_likelihood, (SWING, RNG.normal(0.0, 1.0, (3, 2)), 0.1)),
    (bundle_model.half_square, (CAMERAS, POINTS, RNG.uniform(0.5, 1.0, 3), RNG.normal(0.0, 1.0, (3, 2)), SEEN)),
    (bundle_model.residuals, (CAMERAS, POINTS, RNG.uniform(0.5, 1.0, 3), RNG.normal(0.0, 1.0, (3, 2)))),
], ids=lambda f: getattr(f, "__name__", ""))  # fmt: skip
def test_examples(f, args) -> None:
    kept(f, *args)
