"""The programs that the benchmarks and the comparison measure keep the bound too."""

import pytest
from linad_typecheck.diagnostics import LinadError

from benchmarks import scaling
from benchmarks.peers import outcome, programs
from linad.cost import cost_of
from linad.interpret import CoreError

from .programs import core_of


@pytest.mark.parametrize(("program", "inputs"), scaling.CASES, ids=lambda f: f.__name__)
def test_scaling(program, inputs):
    found = cost_of(*core_of(program, *inputs(30)))
    assert found.primal < found.gradient <= found.bound


@pytest.mark.parametrize("program", programs.PROGRAMS, ids=lambda f: f.__name__)
def test_comparison(program):
    try:
        core = core_of(program, outcome.point())
    except LinadError:
        assert program is programs.second_name  # the one that is refused
        return
    try:
        found = cost_of(*core)
    except CoreError:
        assert program is programs.out_of_range
        return
    assert found.gradient <= found.bound
