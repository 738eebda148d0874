"""What an attempt or a path has found out is true of no other: values, gradients, updates and errors are CPython's."""

import numpy as np
import pytest

from ..kit import load
from . import programs_paths, programs_unbound
from .roads import Whole

pytestmark = pytest.mark.filterwarnings("ignore::linad.LinadWarning")
CASES = {getattr(m, name): given for m in (programs_unbound, programs_paths) for name, given in m.CASES.items()}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_values_and_errors(f):
    for args, updates in CASES[f]:
        Whole(f, args, updates).primal()


@pytest.mark.one_in(24)
@pytest.mark.parametrize("f", CASES)
def test_gradients(f):
    for args, updates in CASES[f]:
        Whole(f, args, updates).holds(thorough=False)


PERHAPS_COPIED = {
    "bound below": """
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
""",
    "turned by a helper that is called later": """
    w, s = a * 1.0, a[0, 0]
    for t in range(m):
        bump(w.ravel())
        s += w[1, 0] + 2 * w[0, 1]
        w = turned(a)
    return s
""",
    "picked with its axes in another order, later": """
    w, s = a * 1.0, a[0, 0]
    for t in range(m):
        w.reshape(9)[1] = 100.0
        s += w[1, 0] + 2 * w[0, 1]
        w = a[:, np.array([2, 0, 1])] * 2.0
    return s
""",
    "in a helper that is called before and after": """
    s = read(a * 1.0)
    return s + read(a[:, np.array([2, 0, 1])] * 2.0)
""",
}
BEFORE = """
import numpy as np

def turned(a):
    return a.T * 2.0

def bump(v):
    v[1] = 100.0

def read(w):
    bump(w.ravel())
    return w[1, 0] + 2 * w[0, 1]

def f(a, m: int):"""


@pytest.mark.parametrize("case", PERHAPS_COPIED)
def test_the_order_of_memory_is_not_that_of_another_array_of_the_name(case):
    """NumPy lays `a.T * 2.0` out as `a.T`, and its `ravel` is a copy: the update does not reach `w`."""
    head = BEFORE if "turned" in PERHAPS_COPIED[case] else BEFORE.replace(".T", ".copy()")
    (error,) = Whole(load(head + PERHAPS_COPIED[case]), (np.arange(9.0).reshape(3, 3), 3)).errors
    assert "may be a view or a copy" in error


DERIVATIVES = """
import linad

def apply(g, x):
    return g(x)

def taken(f, x, k):
    return apply(linad.grad(f), x) @ x * k

def f(x, k: float):
    g = lambda y: (y * y).sum() * k
    return {}
"""


@pytest.mark.parametrize("call", ["taken(g, x, 3.0)", "3.0 * apply(linad.grad(g), x) @ x"])
def test_a_derivative_takes_what_its_function_captures_into_a_helper(call):
    x, k = np.array([0.5, 2.0, 3.0]), 0.5
    whole = Whole(load(DERIVATIVES.format(call)), (x, k))
    assert whole.run(whole.prepared)[0] == 6.0 * k * x @ x
