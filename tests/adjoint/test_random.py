"""Random programs: each stage verified and linear, with and without a plan, gradients equal to dual numbers."""

import numpy as np
import pytest

from ..examples_of import seeds
from .gradients import NotFinite, compare
from .random_programs import random_program


@pytest.mark.one_in(3)
@pytest.mark.drawn
@pytest.mark.parametrize("first", seeds(30)[::10])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_gradient(first):
    compared = 0
    for seed in range(first, first + 10):
        try:
            compare(random_program(seed, 22), np.random.default_rng(seed), size=3)
            compared += 1
        except (NotFinite, OverflowError):
            continue
    assert compared >= 6


@pytest.mark.drawn
@pytest.mark.parametrize("seed", [100 + seed for seed in seeds(5)])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_gradient_of_the_gradient(seed):
    try:
        compare(random_program(seed, 9), np.random.default_rng(seed), order=2, size=2, tolerance=1e-7)
    except (NotFinite, OverflowError):
        pytest.skip("overflow")
