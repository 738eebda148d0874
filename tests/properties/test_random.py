"""Generated programs: whatever the front end accepts has the gradient that dual numbers on the Python text give."""

import os

from hypothesis import HealthCheck, assume, given, settings

from linad.adjoint.errors import NoDerivative

from ..strategies import programs
from .roads import Whole

MANY = int(os.environ.get("LINAD_EXAMPLES", "1"))  # a factor: run many at leisure


def quick(examples: int) -> settings:
    checks = list(HealthCheck)
    return settings(
        max_examples=examples * MANY, deadline=None, derandomize=MANY == 1, database=None, suppress_health_check=checks
    )


@given(programs(rich=True))
@quick(12)
def test_rich_programs(program):
    whole = Whole(program.load(), program.args, program.updates, program.single)
    try:
        whole.holds(thorough=False)
    except NoDerivative:  # a recursive call on an array that changes afterwards
        assert whole.recursive()
        assume(False)


@given(programs(size=10))
@quick(5)
def test_plain_programs_with_every_variant(program):
    Whole(program.load(), program.args, program.updates, program.single).holds()


@given(programs(size=5, errors=False, rich=True))
@quick(5)
def test_second_derivatives(program):
    whole = Whole(program.load(), program.args, program.updates, program.single)
    if not whole.recursive():  # adjoints of recursive functions update their arguments: they have no adjoint
        whole.second_order(step=None)
