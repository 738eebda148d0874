"""What loops with snapshots cost: the bound counts the steps that their schedules run again."""

from math import comb

import numpy as np
import pytest

from linad.cost import cost_of
from linad.repeated import repeats
from tests.adjoint.checkpoints.marked import prepared, with_options
from tests.adjoint.checkpoints.programs import BODIES

OPTIONS = ("", ", slots=3", ", scheme='periodic'", ", scheme='bisect', slots=4", ", scheme='recompute'")
X = np.linspace(0.2, 0.9, 5)


def kept(name, options, lengths):
    for T in lengths:
        found = cost_of(prepared(with_options(BODIES[name], options)), [X.copy(), T, 0.7], ("x", "w"))
        assert found.gradient <= found.bound, T


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_bound_is_kept(name):
    kept(name, OPTIONS[len(name) % len(OPTIONS)], (7,))


@pytest.mark.thorough
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_bound_is_kept_by_all_schemes(name, options):
    kept(name, options, (0, 1, 6, 13, 30))


@pytest.mark.parametrize("slots", [1, 2, 3, 5])
@pytest.mark.parametrize("T", [1, 2, 7, 33])
def test_repeats_are_the_formulas(T, slots):
    """No step is run more often than the number of repetitions of the binomial schedule, one of which is the first sweep."""
    s = min(slots, T)
    r = next(r for r in range(T) if comb(s + r, s) >= T)
    assert repeats("revolve", T, s).most <= r
    assert repeats("recompute", T, 1).most == max(T - 2, 0)
    assert repeats("periodic", T, T).most == 0
