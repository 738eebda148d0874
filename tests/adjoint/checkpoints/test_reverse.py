"""Checkpointed loops give the tape's gradients to the last bit, with as many snapshots and steps as their formulas say."""

from itertools import product

import numpy as np
import pytest


from .marked import gradient, pull, with_options
from .programs import BODIES

OPTIONS = {
    "recompute": ', scheme="recompute"',
    "periodic": ', scheme="periodic", slots=3',
    "bisect": ', scheme="bisect"',
    "revolve": ", slots=2",
    "revolve, default slots": "",
    "memory": ', memory="150B"',
    "more slots than steps": ", slots=1000",
}
X = np.array([0.3, 0.8, 0.5, 1.1])


@pytest.mark.one_in(13)
@pytest.mark.parametrize(("name", "options"), [*product(BODIES, OPTIONS)])  # every day all options
def test_gradients_are_those_of_the_tape(name, options):
    tape = gradient(with_options(BODIES[name], None))
    marked = gradient(with_options(BODIES[name], OPTIONS[options]))
    for T in (0, 1, 2, 9):
        plain, expected = pull(tape.simplified, X, T, 0.7)
        for program in (marked.stored, marked.simplified)[T == 9 :]:
            out, found = pull(program, X, T, 0.7)
            assert out.results[0] == plain.results[0]
            for a, b in zip(found, expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-14, err_msg=f"T={T}")  # the tape may put cells back, in another order
