"""Random recursive programs: every way to a derivative gives the same, and so do the ways to a second one."""

from hypothesis import assume, given

from tests.examples_of import quick
from tests.properties.roads import Whole

from .recursive_strategies import recursive_programs


def whole_of(program):
    whole = Whole(program.load(), program.args, program.updates)
    assume(not whole.errors)  # arguments that overlap, arrays moved twice: the checker's business
    return whole


@given(recursive_programs())
@quick(3)
def test_every_way_gives_the_same_gradient(program):
    whole_of(program).holds(thorough=False)


@given(recursive_programs())
@quick(2)
def test_second_derivatives(program):
    whole_of(program).second_order(step=None)
