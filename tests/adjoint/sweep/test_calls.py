"""Derivatives of recursive programs against dual numbers and a tape on the Python text, and differences of them."""

import pytest

from tests.properties.roads import Whole

from . import recursive_programs
from .recursive_programs import CASES

SINGLE = {"single"}


def cases():
    for name, given in CASES.items():
        for k, (args, updates) in enumerate(given):
            yield pytest.param(getattr(recursive_programs, name), args, updates, id=f"{name}-{k}")


@pytest.mark.one_in(9)
@pytest.mark.parametrize("f,args,updates", [*cases()])
def test_every_way_gives_the_same_gradient(f, args, updates):
    whole = Whole(f, args, updates, f.__name__ in SINGLE)
    assert whole.recursive()
    whole.holds()


@pytest.mark.one_in(12)
@pytest.mark.parametrize("f,args,updates", [*cases()])
def test_the_adjoint_of_the_adjoint(f, args, updates):
    Whole(f, args, updates, f.__name__ in SINGLE).second_order(step=1e-5)
