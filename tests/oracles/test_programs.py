"""The generator: its programs run in plain Python, and the oracle agrees with Python where nothing deviates."""

import math

import numpy as np
from hypothesis import given
from linad.oracle import attempt, difference, run

from ..examples_of import quick
from ..strategies import programs

QUICK = quick(30)


@given(programs())
@QUICK
def test_programs_are_tame_and_the_oracle_is_python(program):
    f = program.load()
    with np.errstate(all="ignore"):
        plain = attempt(lambda: f(*program.args))
    assert plain.error is None or isinstance(plain.error, IndexError), plain.error
    if plain.error is None:
        assert math.isfinite(plain.value) and abs(plain.value) < 1e6
    again = attempt(lambda: run(f, program.args))
    assert difference(plain, again, rtol=1e-4 if program.single else 1e-9) is None
