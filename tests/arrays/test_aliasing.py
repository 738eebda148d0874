"""Arrays under several names: what is accepted does what CPython does, and the rest is refused by name."""

import numpy as np
import pytest

from linad import LinadError, linear_grad

from ..kit import load
from ..properties.roads import Whole
from .cases import Case, programs

CASES = [pytest.param(c, id=f"{name}-{k}") for name in ("updates", "names", "order", "loops", "recursion", "shared") for k, c in enumerate(programs(name))]


@pytest.mark.one_in(25)
@pytest.mark.parametrize("case", CASES)
def test_accepted_programs_do_what_cpython_does(case):
    whole = case.whole()
    if case.refused:
        assert {e.partition(" ")[0] for e in whole.errors} == {case.refused}
    else:
        whole.holds(thorough=False)


@pytest.mark.parametrize("pair", ["(a * 2) @ np.add(a, 1, out=a)", "np.where(a > 2.0, a * 2, np.add(a, 1, out=a)) @ x", "(a * 2).clip(out(a), 9) @ x"])
def test_an_operand_is_evaluated_before_the_next_one_updates_its_array(pair):
    text = f"def out(a):\n    return np.add(a, 1, out=a)[0]\ndef f(x):\n    a = x.copy()\n    return {pair}\n"
    Case(text, ("x",)).whole().primal()


VIEWS = """a.T
a[::-1]
a[1:]
a[:, ::2]
a[1]
a[:, 1]
np.asarray(a)
np.asarray(a[1:])
np.ravel(a)
np.reshape(a, (5, 4))
np.squeeze(a[1:2])
np.atleast_2d(a[0])
np.expand_dims(a, 0)
np.flip(a, 0)
np.swapaxes(a, 0, 1)
np.moveaxis(a, 0, 1)
np.split(a, 2)[1]
np.array_split(a, 3)[1]
np.rot90(a)
a.transpose()
a.squeeze()
a[None]
a[..., 0]
np.copy(a)
+a
a[np.arange(4)]
a.flatten()
a[1:].reshape(5, 3)
a[:, 1].reshape(2, 2)
a[::2, 1].reshape(2, 1)
a.T[1].reshape(2, 2)
a[::-1][0].reshape(5, 1)
a.reshape(2, 2, 5)[1].reshape(-1)
a.reshape(-1)[1:7].reshape(3, 2)
a.reshape(-1)[::-1][2:6].reshape(2, 2)
a[1:, None].reshape(-1)
a[:, 1:].reshape(-1)
a.T.ravel()
np.ravel(a[:, 2])
np.ravel(a[2, 1:])
a[1:2].ravel()""".splitlines()

UPDATES = {
    "written": "def f(A):\n    a = A.copy()\n    v = {}\n    v *= 2.0\n    return a * 3.0\n",
    "read": "def f(A):\n    a = A.copy()\n    v = {}\n    a *= 2.0\n    return v * 3.0\n",
    "returned": "def h(a):\n    return {}\n\n\ndef f(A):\n    a = A.copy()\n    v = h(a)\n    v *= 2.0\n    return a * 3.0\n",
    "kept": "def h(a):\n    return {}\n\n\ndef f(A):\n    a = A.copy()\n    v = h(a)\n    a *= 2.0\n    return v * 3.0\n",
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("how", UPDATES)
@pytest.mark.parametrize("view", VIEWS)
def test_views_share_cells_exactly_where_numpy_s_do(view, how):
    whole = Case(UPDATES[how].format(view), ("A",)).whole()
    if whole.errors:
        assert {e.partition(" ")[0] for e in whole.errors} <= {"LIN101", "LIN103", "LIN104", "LIN105", "LIN201"}
    else:
        whole.primal()


def test_a_view_that_is_a_copy_at_some_sizes_is_read_only():
    text = "def f(A):\n    a = A.copy()\n    v = a[:, 1:].ravel()\n    {}\n    return {}\n"
    assert "LIN103" in Case(text.format("v[0] = 1.0", "a"), ("A",)).whole().errors[0]
    assert "LIN101" in Case(text.format("a[0] = 1.0", "v * 2.0"), ("A",)).whole().errors[0]
    Case(text.format("pass", "v * 2.0 + np.sum(a)"), ("A",)).whole().holds(thorough=False)


HELPERS = """
def split(x, heads):
    n, d = x.shape
    return x.reshape(n, heads, d // heads).transpose(1, 0, 2)

def merge(x):
    heads, n, d = x.shape
    return x.transpose(1, 0, 2).reshape(n, heads * d)

def columns(a, turned):
    if turned:
        return a.T.reshape(-1)
    return a.reshape(-1)

def f(A):
    b = np.tanh(A.T).T
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "rest",
    [
        "q = split(b, 3)\n    return merge(q @ q.transpose(0, 2, 1) @ q)",
        "for i in range(2):\n        b = b + columns(b, True).reshape(b.shape)\n    return b",
        "return columns(b, np.sum(b) > 0) @ columns(b, np.sum(b) < 0)",
        "v = columns(b, True)\n    s = v @ v\n    b[0, 0] = 3.0\n    return s + np.sum(b)",
    ],
)
def test_helpers_return_what_is_a_view_at_some_sizes(rest):
    Case(f"{HELPERS}    {rest}\n", ("A",)).whole().holds(thorough=False)


@pytest.mark.parametrize("update", ["b[0, 0] = 3.0", "v[0] = 3.0", "for i in range(2):\n        b[i, 0] = v[i]"])
def test_what_helpers_return_so_is_not_used_after_updates(update):
    errors = Case(f"{HELPERS}    v = columns(b, True)\n    {update}\n    return v * np.sum(b)\n", ("A",)).whole().errors
    assert errors and {e.partition(" ")[0] for e in errors} <= {"LIN101", "LIN110"}


BOTH = """
class Holder:
    def __init__(self, a):
        self.b = a * 1.0

    def flat(self):
        self.b = self.b * 2.0
        return self.b.T.reshape(-1)

def flat(b):
    return b.T.reshape(-1)

def items(b):
    return [b.T.reshape(-1)]

def both(a):
    b = a * 1.0
    return b.T.reshape(-1), b

def kept(seen, a):
    b = a * 1.0
    seen.append(b)
    return b.T.reshape(-1)

def last(a, k):
    return both(a) if k == 0 else last(a, k - 1)

def twice(a):
    b = a * 1.0
    return b.T.reshape(-1), b.T.reshape(-1)

def f(A):
"""


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("calls", "update", "used"),
    [
        ("v, b = both(A)", "b[0, 0] = 3.0", "v * 1.0"),
        ("v, b = both(A)", "v[0] = 3.0", "b * 1.0"),
        ("v, b = last(A, 2)", "b += 3.0", "v * 1.0"),
        ("v, b = twice(A)", "v[0] = 3.0", "b * 1.0"),
        ("d = []\n    v = kept(d, A)", "d[0][0, 0] = 3.0", "v * 1.0"),
        ("d = []\n    v = kept(d, A)", "v[0] = 3.0", "d[0] * 1.0"),
        ("o = Holder(A)\n    v = o.flat()", "o.b[0, 0] = 3.0", "v * 1.0"),
        ("o = Holder(A)\n    v = o.flat()", "v[0] = 3.0", "o.b * 1.0"),
        ("b, d = A * 1.0, []\n    for k in range(len(A)):\n        d.append(flat(b))", "b[0, 0] = 3.0", "d[-1] * 1.0"),
    ],
)
def test_an_array_that_a_helper_makes_and_returns_in_two_forms(calls, update, used):
    text = f"{BOTH}    {calls}\n    {{}}\n    return {used}\n"
    errors = Case(text.format(update), ("A",)).whole().errors
    assert errors and {e.partition(" ")[0] for e in errors} == {"LIN101"}
    Case(text.format("pass"), ("A",)).whole().holds(thorough=False)


LATE = """
def f(A, k):
    m = np.zeros(A.shape[1])
    w = A.copy()
    s = 0.0
    for i in range(k):
        s += np.sum(m)
        w[1, 0] += 1.0
        w = w * 2.0
        {}
    {}
    return s + m * np.sum(w)
"""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("part", ["m = w[1]", "m = w.T[:, 1]", "m = w.mean(axis=0, keepdims=True)[0]", "m, u = w[0], w[1]"])
@pytest.mark.parametrize("k", [0, 1, 3])
def test_parts_of_arrays_that_each_iteration_makes(part, k):
    whole = Whole(load(f"import numpy as np\n{LATE.format(part, 'pass')}"), (np.arange(6.0).reshape(2, 3), k))
    whole.primal()
    whole.gradients(thorough=False)


@pytest.mark.parametrize("update", ["w[1, 0] = 7.0", "m[0] = 7.0"])
def test_they_share_cells_after_the_loop(update):
    text = f"import numpy as np\n{LATE.format('m = w[1]', update)}"
    found = Whole(load(text), (np.arange(6.0).reshape(2, 3), 3)).checked.diagnostics
    assert "LIN101" in {d.code for d in found}


@pytest.mark.parametrize(
    ("made", "used", "told"),
    [
        ("{'k': flat(b)}", "d['k']", "d = {'k': flat(b).copy()}"),
        ("[flat(b)]", "d[0]", "d = [flat(b).copy()]"),
        ("items(b)", "d[0]", "where `d[0]` gets its array"),
    ],
)
def test_help_copies_the_array_and_not_what_holds_it(made, used, told):
    program = f"{BOTH}    b = A * 1.0\n    d = {made}\n    b[0, 0] = 3.0\n    return {used} * 1.0\n"
    with pytest.raises(LinadError) as error:
        linear_grad(load(f"import numpy as np\n{program}"), backend="interpret")(np.ones((1, 3)))
    assert told in str(error.value) and f"`{used}` is used" in str(error.value)


def test_one_of_two_arrays_keeps_its_rank_when_one_is_updated():
    text = "def f(A):\n    p, w = np.zeros(3), A * 1.0\n    for i in range(3):\n        w = w * 1.1\n        if i == 1:\n            p = w[i]\n        w[1, 1] = 3.0\n    return p * np.sum(w)\n"
    errors = Case(text, ("A",)).whole().errors
    assert errors and {e.partition(" ")[0] for e in errors} == {"LIN101"}


def test_what_an_iteration_makes_is_known_after_the_loop():
    text = "def f(A):\n    for i in range(3):\n        m = A.mean(axis=1, keepdims=True)\n        A = A * 0.5 + m\n    return A * m\n"
    Case(text, ("A",)).whole().holds(thorough=False)


def test_a_helper_that_calls_itself_with_ever_new_types_is_refused():
    text = "def g(u, k):\n    if k > 0:\n        g(u[None], k - 1)\n    return 1.0\n\n\ndef f(x):\n    return g(x, len(x)) * x\n"
    (error,) = Case(text, ("x",)).whole().errors
    assert "types" in error


LAYOUTS = ["A.T * 2.0", "np.copy(A.T)", "np.zeros_like(A.T)", "-A.T", "np.swapaxes(A, 0, 1) * 2.0", "A[:, np.arange(3)]", "np.sort(A.T, axis=0)"]


@pytest.mark.parametrize("made", LAYOUTS)
def test_no_view_is_made_of_cells_that_numpy_lays_out_in_another_order(made):
    """NumPy gives results the layout of their operands, and a reshape of such an array is a copy."""
    text = "def f(A):\n    b = {}\n    b[...] = 1.0\n    v = b.reshape(-1)\n    v[1] = 3.0\n    return b * 2.0\n"
    assert "LIN103" in Case(text.format(made), ("A",)).whole().errors[0]
    Case(text.format(f"({made}).copy()"), ("A",)).whole().primal()
    Case(text.format(made).replace("v[1] = 3.0", "b[0, 0] = v[1]").replace("b * 2.0", "b"), ("A",)).whole().primal()
