"""Every operation and every way it can stand in a program: values against NumPy, derivatives against differences."""

import numpy as np
import pytest

from . import programs
from .running import Derivatives, arguments, differences, direction_of, fresh, lowered, moved, value


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", programs.CASES)
def test_value(name):
    args = arguments(name)
    expected = getattr(programs, name)(*fresh(args))
    assert value(lowered(name, args), args) == pytest.approx(float(expected), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("everything", [False, True], ids=["planned", "logged"])
@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", programs.CASES)
def test_gradient_and_tangent(name, everything):
    args = arguments(name)
    d = Derivatives(name, args, everything)
    expected = differences(getattr(programs, name), args)
    found = d.gradient()
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-7, atol=2e-8)
    direction = direction_of(args)
    slope = sum(float(np.vdot(a, v)) for a, v in zip(found, direction, strict=True))
    assert d.slope(direction) == pytest.approx(slope, rel=1e-9, abs=1e-10)


@pytest.mark.one_in(20)
@pytest.mark.parametrize("name", programs.CASES)
def test_second_order(name):
    args = arguments(name)
    d = Derivatives(name, args)
    direction = direction_of(args)

    def gradient(by):
        d.args = moved(args, direction, by)
        return d.gradient()

    one, two = ([(a - b) / (2 * h) for a, b in zip(gradient(h), gradient(-h), strict=True)] for h in (1e-4, 2e-4))
    expected = [(4 * a - b) / 3 for a, b in zip(one, two, strict=True)]
    d.args = args
    for found in (d.curvature_forward(direction), d.curvature_reverse(direction)):
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=3e-6, atol=3e-7)
