"""The everyday programs of the benchmarks: their gradients, on small sizes, are those that dual numbers give, or that the forward derivative confirms."""

import pytest

from benchmarks import everyday
from tests.properties.roads import Whole

SMALL = everyday.arguments(0.001)
WHOLE_MATRICES = ("gp", "householder")  # operations that dual numbers do not have


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", SMALL)
def test_gradient(name):
    whole = Whole(everyday.function(name), SMALL[name])
    whole.primal()
    if name in WHOLE_MATRICES:
        whole.inner_product()
    else:
        whole.gradients(thorough=False)
