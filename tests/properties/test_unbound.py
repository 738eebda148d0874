"""Names bound in a loop below the place where they are used: values, gradients, updates and errors are CPython's."""

import pytest

from ..examples_of import some
from ..strategies import load
from . import programs_unbound
from .roads import Whole

pytestmark = pytest.mark.filterwarnings("ignore::linad.LinadWarning")
NAMES = tuple(programs_unbound.CASES)


def wholes(name):
    for args, updates in programs_unbound.CASES[name]:
        yield Whole(getattr(programs_unbound, name), args, updates)


@pytest.mark.parametrize("name", NAMES)
def test_what_an_attempt_has_seen_is_not_taken_for_true_in_the_next(name):
    for whole in wholes(name):
        whole.primal()


@pytest.mark.parametrize("name", some(NAMES, 6))
def test_gradients(name):
    for whole in wholes(name):
        whole.holds(thorough=False)


PERHAPS_COPIED = """
import numpy as np

def f(a, m: int):
    s = 0.0
    for t in range(m):
        if t > 0:
            v = w.ravel()
            v[1] = 100.0
            s += w[1, 0] + 2 * w[0, 1]
        w = np.zeros((3, 3))
        s += w.sum()
        w = a.T * 2.0
    return s
"""


def test_the_order_of_memory_is_not_that_of_another_array_of_the_name():
    """NumPy lays `a.T * 2.0` out as `a.T`, and its `ravel` is a copy: the update does not reach `w`."""
    (error,) = Whole(load(PERHAPS_COPIED), (programs_unbound.S, 3)).errors
    assert "may be a view or a copy" in error
