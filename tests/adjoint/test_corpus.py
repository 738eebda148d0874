"""Gradients of the corpus: every stage verified, linear, and equal to dual numbers; and so are their gradients."""

import numpy as np
import pytest
from linad_typecheck.ir.core import base_name, outputs, walk
from linad_typecheck.ir.text import parse_program

from linad.pipeline import differentiate, prepare

from .gradients import compare
from .programs import PROGRAMS, SINGLE


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient(name):
    compare(parse_program(PROGRAMS[name]), np.random.default_rng(1))


@pytest.mark.one_in(9)
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient_of_the_gradient(name):
    compare(parse_program(PROGRAMS[name]), np.random.default_rng(2), order=2, size=3)


def test_single_precision():
    """Adjoints of f32 values are f32: they are cast where the value was."""
    compare(parse_program(SINGLE), np.random.default_rng(1), tolerance=2e-6)


def test_a_derivative_is_made_by_the_parameters_asked_for():
    program = prepare(parse_program(PROGRAMS["gather"]))
    by_w = differentiate(program, ("w",)).simplified
    assert [p.var.name for p in by_w.main.params] == ["x", "idx", "w", "s_bar"]
    assert not any(base_name(v.name) == "x_bar" for s in walk(by_w.main.body) for v in outputs(s))
