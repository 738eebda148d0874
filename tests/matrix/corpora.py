"""Programs of the corpora, compiled, their values and gradients, for `make test-matrix`: in each of its environments anew.

`make test` runs a few of them like this and all of them on the reference interpreter.
"""

import re
from copy import deepcopy

import numpy as np
import pytest

from linad import linear_grad
from linad.codegen.llvm.pipeline import USUAL
from linad.oracle import attempt

from ..properties import programs_logs, programs_order, programs_replaced, programs_science, programs_traps, programs_types
from ..properties.compiled import compiled_agrees
from ..properties.roads import leaves

MODULES = (programs_logs, programs_order, programs_replaced, programs_science, programs_traps, programs_types)
CASES = {name: (getattr(m, name), *given[0]) for m in MODULES for name, given in m.CASES.items()}
FAILS = {name for name, (f, args, _) in CASES.items() if attempt(lambda: f(*deepcopy(args))).error is not None}


@pytest.fixture(autouse=True)
def _nothing_fails_inside():
    """A function may be left to Numba because of what stands in it, and not because something is missing in this Numba."""
    before = len(USUAL)
    yield
    assert [reason for _, reason in USUAL[before:] if re.match(r"\w+(Error|Exception): ", reason)] == []


@pytest.mark.parametrize("name", sorted(CASES.keys() - FAILS))
def test_value_and_gradient(name):
    f, args, updates = CASES[name]
    compiled_agrees(f, [(args, updates)], single=any(np.result_type(x) == np.float32 for x in leaves(args)))


@pytest.mark.parametrize("name", sorted(FAILS))
def test_the_same_error(name):
    f, args, updates = CASES[name]
    expected = attempt(lambda: f(*deepcopy(args))).error
    with pytest.raises(type(expected)):
        linear_grad(f, updates=updates).vjp(*args)
