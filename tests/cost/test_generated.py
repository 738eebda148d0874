"""The inequality of the cost theorem on whole Python programs, drawn at random."""

import numpy as np
from hypothesis import given
from linad_typecheck.diagnostics import LinadError

from linad.cost import cost_of
from linad.interpret import CoreError

from ..examples_of import quick
from ..strategies import programs
from .programs import core_of


def kept(program):
    """Whether the gradient of a program costs no more than its bound; programs that raise have none."""
    try:
        found = cost_of(*core_of(program.load(), *program.args))
    except (LinadError, CoreError):
        return
    assert 0 < found.gradient <= found.bound, program.text
    assert found.log_words <= found.gradient


@quick(15)
@given(programs(size=14, errors=False))
def test_programs(program):
    with np.errstate(all="ignore"):
        kept(program)


@quick(10)
@given(programs(size=12, rich=True))
def test_rich_programs(program):
    with np.errstate(all="ignore"):
        kept(program)
