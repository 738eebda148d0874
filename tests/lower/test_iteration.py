"""Generators, iterators, `itertools` and starred targets: values, exceptions and gradients are CPython's."""

import inspect

import numpy as np
import pytest
from hypothesis import given

from linad import linear_grad

from ..examples_of import quick, some
from ..properties.roads import Whole
from ..strategies_iteration import iterations
from ..two_roads import differences
from . import programs_iteration

pytestmark = pytest.mark.filterwarnings("ignore::linad.LinadWarning")
X = np.array([0.6, 2.2, -1.1, 3.1, 1.7])
FUNCTIONS = [f for f in vars(programs_iteration).values() if inspect.isfunction(f)]
CASES = [f for f in FUNCTIONS if inspect.signature(f).parameters.keys() == {"x"}]  # the others are what these call
COMPILED = [programs_iteration.chosen, programs_iteration.left, programs_iteration.one_by_one]
# the dual numbers of `Whole` know neither `np.fromiter` nor that a count given to `combinations` is a plain int
DUAL = [f for f in CASES if f.__name__ not in ("arrays", "chosen", "products", "cut", "again", "nested")]


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_values_and_gradients(f):
    found = linear_grad(f, backend="interpret")
    np.testing.assert_allclose(found(X), f(X), rtol=1e-12)
    np.testing.assert_allclose(found.grad(X), differences(f, X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("f", some(DUAL, 7), ids=lambda f: f.__name__)
def test_on_every_road(f):
    Whole(f, (X,)).holds(thorough=False)


@pytest.mark.parametrize("f", some(COMPILED, 3))
def test_compiled(f):
    found = linear_grad(f)
    np.testing.assert_allclose(found(X), f(X), rtol=1e-12)
    np.testing.assert_allclose(found.grad(X), differences(f, X), rtol=1e-5, atol=1e-6)


@given(iterations())
@quick(4)
def test_random_programs(program):
    whole = Whole(program.load(), program.args)
    if not whole.errors:
        whole.primal()
