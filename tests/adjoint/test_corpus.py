"""Gradients of the corpus: every stage verified, linear, and equal to dual numbers; and so are their gradients."""

import numpy as np
import pytest
from linad_typecheck.core_text import parse_program

from .gradients import compare
from .programs import PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient(name):
    compare(parse_program(PROGRAMS[name]), np.random.default_rng(1))


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient_of_the_gradient(name):
    compare(parse_program(PROGRAMS[name]), np.random.default_rng(2), order=2, size=3)
