"""Generated programs: whatever the front end accepts has the gradient that dual numbers on the Python text give."""

from hypothesis import given

from ..examples_of import quick
from ..strategies import programs
from .roads import Whole

@given(programs(rich=True))
@quick(6)
def test_rich_programs(program):
    whole = Whole(program.load(), program.args, program.updates, program.single)
    whole.holds(thorough=False)


@given(programs(size=10))
@quick(5)
def test_plain_programs_with_every_variant(program):
    Whole(program.load(), program.args, program.updates, program.single).holds()


@given(programs(size=5, errors=False, rich=True))
@quick(5)
def test_second_derivatives(program):
    whole = Whole(program.load(), program.args, program.updates, program.single)
    whole.second_order(step=None)
