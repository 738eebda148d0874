"""Conditions that are no numbers: constants of the module and of closures, NumPy's bools, arrays of rank 0."""

import numpy as np
import pytest

from linad import linear_grad
from linad_typecheck import check_source
from tests.two_roads import HEADER, agree, program

CONSTANTS = """
NONE, SOME, NESTED = (), (0.0,), ((),)
NO, YES, ZERO, NAN = np.False_, np.bool_(True), np.int32(0), np.float64("nan")
TEXT, EMPTY = "mode", ""
CELL = np.array(False)
def double(y):
    return y * 2.0
"""


@pytest.mark.parametrize("name", ["NONE", "SOME", "NESTED", "NO", "YES", "ZERO", "NAN", "TEXT", "EMPTY", "CELL", "double", "None", "[]", "lambda: 1"])
@pytest.mark.parametrize(
    "body",
    ["if {}:\n    return x[0]\nreturn x[1]", "return x[0] if not ({}) else x[1]", "while ({}) and x[0] < 2.0:\n    x = x * 2.0\nreturn x[0]", "return x[int(bool({}))]"],
)
def test_is_decided_as_python_decides_it(tmp_path, name, body):
    agree(tmp_path, program(CONSTANTS, body.format(name)), np.array([0.6, 1.5]), partly=name in ("ZERO", "NAN"))


def test_a_cell_is_read_at_each_call():
    switch = np.array(1.0)

    @linear_grad(backend="interpret")
    def f(x: float) -> float:
        return x * 2.0 if switch else x * 3.0

    assert f(1.0) == 2.0
    switch[()] = 0.0
    assert f(1.0) == 3.0 and f.grad(1.0) == 3.0


@pytest.mark.parametrize("default", ["False", "np.False_", "np.bool_(0)"])
@pytest.mark.parametrize("given", ["", ", False", ", np.False_", ", flag=np.bool_(False)", ", bool(())", ", flag=NO"])
def test_a_function_is_specialised_for_a_flag(tmp_path, default, given):
    """What only another flag would run is not looked at."""
    helper = f"NO = np.False_\ndef g(x, flag={default}):\n    if flag:\n        print(x)\n    return x[0] * x[1]\n"
    nested = f"def h(x, flag={default}):\n    if flag:\n        print(x)\n    return x[1]\nreturn h(x{given}) * g(x{given})"
    agree(tmp_path, program(helper, nested), np.array([0.5, 1.5]))


def test_a_flag_of_numpy_stays_one():
    """Sums of NumPy's bools are none of Python's."""
    text = HEADER + "def g(flag):\n    return flag - flag\n@linear_grad\ndef f(x: F1):\n    return g({}) * x[0]\n"
    assert not check_source(text.format("True"))
    assert [d.slug for d in check_source(text.format("np.True_"))] == ["wrong-type"]


def test_an_array_with_axes_has_no_truth():
    found = check_source(HEADER + "@linear_grad\ndef f(x: F1):\n    return x[0] if x else 0.0\n")
    assert [d.slug for d in found] == ["wrong-type"]
