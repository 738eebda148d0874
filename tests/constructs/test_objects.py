"""Operators with an array or one of NumPy's numbers on the left of an object: NumPy comes first, unless the class says otherwise."""

import numpy as np
import pytest

from linad import LinadError, linear_grad

from ..kit import load

OBJECTS = """
import numpy as np

class Plain:
    def __init__(self, v):
        self.v = v

    def __rmul__(self, other):
        return other * self.v * 2.0

    def __neg__(self):
        return Plain(self.v * -3.0)

    def __pos__(self):
        return self

class Converted(Plain):
    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.v)

class Apart(Plain):
    __array_ufunc__ = None
"""


@pytest.mark.parametrize(
    ("expression", "accepted"),
    [("x[0] * Plain(x[1])", True), ("2.0 * Converted(x[1])", True), ("(x * Apart(x)).sum()", True), ("x[0] * -Plain(x[1])", True), ("2.0 * +Plain(x[2])", True),
     ("x[0] * Converted(x[1])", False), ("(x * Plain(x)).sum()", False)],
)  # fmt: skip
def test_operators_that_numpy_keeps_to_itself(expression, accepted):
    plain = load(f"{OBJECTS}\ndef f(x):\n    return {expression}\n")
    x, f = np.array([1.0, 2.0, 3.0]), linear_grad(plain, backend="interpret")
    if accepted:
        assert f(x) == plain(x)
    else:
        with pytest.raises(LinadError, match="of which NumPy makes an array"):
            f(x)
