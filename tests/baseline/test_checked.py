"""The checked functions against every other way, in place and purely functional."""

import numpy as np
import pytest

from linad import linear_grad
from linad.baseline import dual, graph, tape

from . import programs as p
from .test_agree import CASES, flat, fresh

UPDATES = {"gauss_seidel": ("u",), "first_into_second": ("v",)}
PURE = ("first_into_second", "gauss_seidel", "gather", "horner", "swapped")
OTHERS = {"graph": graph, "tape": tape, "dual": dual}


def checked(name: str, update: str = "in-place"):
    return linear_grad(CASES[name][0], updates=UPDATES.get(name, ()), update=update, cache=False)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name, update", [*((n, "in-place") for n in CASES), *((n, "pure") for n in PURE)])
def test_value_and_gradient(name, update):
    f, args = CASES[name]
    value, gradient = checked(name, update).value_and_grad(*fresh(args))
    for way in OTHERS.values():
        expected, other = way.value_and_gradient(f, args)
        np.testing.assert_allclose(value, expected, rtol=1e-13)
        np.testing.assert_allclose(flat(gradient), flat(other), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_the_undecorated_function_of_a_checked_one_is_what_the_other_ways_run(name):
    f, args = CASES[name]
    for way in OTHERS.values():
        np.testing.assert_array_equal(flat(way.gradient(checked(name), args)), flat(way.gradient(f, args)))


def test_two_outputs():
    value, pullback = linear_grad(p.two_outputs, cache=False).vjp(0.7)
    assert value == pytest.approx(p.two_outputs(0.7), rel=1e-15)
    for cotangent in ((1.0, 0.0), (0.0, 1.0), (2.0, -3.0)):
        for way in OTHERS.values():
            assert pullback(cotangent) == pytest.approx(way.vjp(p.two_outputs, (0.7,), cotangent)[1], rel=1e-14)


@pytest.mark.parametrize("update", ["in-place", "pure"])
def test_updated_arguments(update):
    args = (np.array([0.3, 0.5, -0.2, 0.9, 1.1]), 3)
    cotangent = (2.0, np.array([1.0, -1.0, 0.5, 0.0, 3.0]))
    f = linear_grad(p.gauss_seidel, updates=("u",), update=update, cache=False)
    value, pullback = f.vjp(*fresh(args))
    (gradient,) = pullback(cotangent)
    for way in OTHERS.values():
        expected, (other,) = way.vjp(p.gauss_seidel, args, cotangent, updates=("u",))
        np.testing.assert_allclose(value[0], expected[0], rtol=1e-14)
        np.testing.assert_allclose(value[1], expected[1], rtol=1e-14)
        np.testing.assert_allclose(gradient, other, rtol=1e-12)
