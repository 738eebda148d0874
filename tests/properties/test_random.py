"""Generated programs: whatever the front end accepts has the gradient that dual numbers on the Python text give."""

from hypothesis import given

from linad.oracle import attempt

from ..examples_of import quick
from ..strategies import programs
from ..strategies_unbound import unbound_programs
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


def _meant(program) -> Whole | None:
    """The program, if it is accepted and does not end where a size is 1 when it runs, which is not stretched."""
    whole = Whole(program.load(), program.args, program.updates)
    if whole.errors:
        return None
    error = attempt(lambda: whole.run(whole.lowered)).error
    return None if "broadcast" in str(error) and "(1,)" in str(error) else whole


@given(unbound_programs())
@quick(25)
def test_names_bound_below_their_uses(program):
    whole = _meant(program)
    if whole is not None:
        whole.primal()


@given(unbound_programs())
@quick(2)
def test_gradients_of_names_bound_below_their_uses(program):
    whole = _meant(program)
    if whole is not None:
        whole.holds(thorough=False)
