"""What the rows of primitives say of NumPy and `math`: the functions are there, and compute what the interpreter
does."""

import math

import linad_typecheck.check  # noqa: F401 - loads the rules of the library
import numpy as np
import pytest
from linad.interpret.scalars import RULES
from linad_typecheck.engine.exceptions import TESTS
from linad_typecheck.engine.rulebook import rule_of
from linad_typecheck.ops import OPS

NAMED = [op for op in OPS.values() if op.numpy or op.math]


@pytest.mark.parametrize("op", NAMED, ids=lambda op: op.name)
def test_names_are_of_functions_that_compute_the_same(op):
    given = [np.float64(x) for x in (0.75, 0.5)[: op.arity]] if op.name != "acosh" else [np.float64(1.5)]
    expected = RULES[op.name](*given)
    if op.math:
        assert getattr(math, op.math)(*given) == pytest.approx(expected, rel=1e-14)
    present = [name for name in op.numpy if hasattr(np, name)]  # `np.asin` is of NumPy 2
    assert present[:1] == list(op.numpy[:1])
    assert {float(getattr(np, name)(*given)) for name in present} <= {float(expected)}
    assert all(rule_of(f"numpy.{name}") for name in op.numpy)


def test_errors_of_math_have_tests():
    assert {test for op in OPS.values() for _, test in op.raises or ()} <= TESTS.keys()
