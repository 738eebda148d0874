"""Generators, iterators, `itertools` and starred targets: values, exceptions and gradients are CPython's."""

import inspect
import re

import numpy as np
import pytest
from hypothesis import given

from linad import LinadError, linear_grad

from ..examples_of import quick
from ..kit import load
from ..properties.roads import Whole
from ..strategies_iteration import iterations
from ..two_roads import agree, differences, imported, program
from . import programs_iterators

pytestmark = pytest.mark.filterwarnings("ignore::linad.LinadWarning")
X = np.array([0.6, 2.2, -1.1, 3.1, 1.7])
FUNCTIONS = [f for f in vars(programs_iterators).values() if inspect.isfunction(f)]
CASES = [f for f in FUNCTIONS if inspect.signature(f).parameters.keys() == {"x"}]  # the others are what these call
COMPILED = [programs_iterators.chosen, programs_iterators.left, programs_iterators.one_by_one]
# the dual numbers of `Whole` know neither `np.fromiter` nor complex numbers, nor that a count given to `combinations`
# is a plain int
DUAL = [f for f in CASES if f.__name__ not in ("arrays", "chosen", "products", "cut", "again", "nested", "transformed")]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_values_and_gradients(f):
    found = linear_grad(f, backend="interpret")
    np.testing.assert_allclose(found(X), f(X), rtol=1e-12)
    np.testing.assert_allclose(found.grad(X), differences(f, X), rtol=1e-5, atol=1e-6)


@pytest.mark.one_in(14)
@pytest.mark.parametrize("f", DUAL, ids=lambda f: f.__name__)
def test_on_every_road(f):
    Whole(f, (X,)).holds(thorough=False)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("f", COMPILED)
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


BESIDE = {
    "beside.py": """\
import math
import numpy as np
C, W = 0.5, np.array([1.0, 2.0, 3.0])
def scale(v):
    return math.sin(v) * C
def scaled(y):
    for k, v in enumerate(y):
        if k < 3:
            yield scale(v) * W[k] + np.cos(v)
"""
}
MODULE = f"""\
from itertools import *
import beside
KNOTS = {[k / 8 for k in range(40)]}

def squares(y):
    for v in y:
        yield v * v

def total(values):
    return sum(values)

def tree(v):
    yield v
    yield from tree(v * 2)

def tried(y):
    try:
        yield y[0]
    finally:
        pass

def sent(y):
    v = yield y[0]
    yield v
"""


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "body",
    [
        "return sum(squares(x)) + sum(beside.scaled(x))",
        "s = 0.0\nfor v in islice(chain(squares(x), beside.scaled(x)), 7):\n    s += v\nreturn s",
        "s = 0.0\nfor k, v in zip(KNOTS, x):\n    s += k * v * KNOTS[39]\nreturn s",
    ],
)
def test_from_the_text_and_alive(body, tmp_path):
    agree(tmp_path, program(MODULE, body), X, files=BESIDE)


REFUSED = {
    "return sum(tree(x[0]))": "the generator `tree`, which calls itself,",
    "for v in tried(x):\n    break\nreturn v": "`yield` inside `try`",
    "return sum(sent(x))": "the value of a `yield`",
    "g = squares(x)\nreturn sum(g) + sum(g)": "`g` is used again after it was consumed",
    "g = squares(x)\ns = 0.0\nfor _ in range(2):\n    s += sum(g)\nreturn s": "`g` is used again after it was consumed",
    "g = squares(x)\nreturn total(g) + total(g)": "`g` is used again after it was consumed",
    "g = squares(x)\nh = lambda: sum(g)\nreturn h() + h()": "`g` is used again after it was consumed",
    "t = (squares(x), x)\nreturn sum(t[0]) + sum(t[0])": "`t[0]` is used again after it was consumed",
    "g = squares(x)\nreturn next(g) + next(g)": "`next` of a generator that stays in use",
    "return sum(a * b for a, b in zip(squares(x), squares(x)))": "`zip` of a generator and what is no sequence",
    "return sum(reversed(squares(x)))": "`reversed` is of a sequence",
    "return sum(a for a, b in zip_longest(x, x[1:]))": "that fills up with None",
    "xs, ys = zip(*np.outer(x, x))\nreturn xs[0]": "of the rows of an array",
    "return math.hypot(*x)": "of a length known only at run time",
    "return sum(combinations(x))": "is called without `r`",
}


@pytest.mark.parametrize("body", REFUSED)
def test_refused_by_name(body, tmp_path):
    told = re.escape(REFUSED[body])
    with pytest.raises(LinadError, match=told), imported(tmp_path, program(MODULE, body), BESIDE) as module:
        module.f(X)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("a, b, *c = x[:1]\nreturn a", ValueError),
        ("a, b = squares(x)\nreturn a", ValueError),
        ("a, b = count(x[0])\nreturn a", ValueError),
        ("return next(v for v in x if v > 9.0)", StopIteration),
        ("return sum(islice(x, len(x) - 9))", ValueError),
        ("return np.fromiter(squares(x), float, 9).sum()", ValueError),
        ("r = range(len(x))\nreturn x[r[7]]", IndexError),
    ],
)
def test_errors(body, error, tmp_path):
    with imported(tmp_path, program(MODULE, body), BESIDE) as module:
        for f in (module.f, module.f.py_func):
            with pytest.raises(error):
                f(X)


def test_the_help_for_a_change_of_one_of_two_lists_can_be_written(tmp_path):
    body = "a, b = [1.0], [x[0]]\nc = a if x[0] > 0.3 else b\nc.append(x[1])\nreturn sum(a) + sum(b)"
    help = re.escape("make another one: `c = c + [...]`, or `c = c.copy()` first")
    with pytest.raises(LinadError, match=help), imported(tmp_path, program("", body)) as module:
        module.f(X)


CHANGES = {
    "number": "c = 0\n    def g(a):\n        nonlocal c\n        c += 1\n        return a * c",
    "list": "c = []\n    def g(a):\n        c.append(a)\n        return a * len(c)",
    "dict": "c = {'k': 0.0}\n    def g(a):\n        c['k'] += a\n        return a * c['k']",
    "array": "c = np.zeros(2)\n    def g(a):\n        c[0] += a\n        return a * c[0]",
    "object": "c = Total()\n    g = c.add",
}
CALLED_BY = """
sum(map(g, x))
sum(map(g, [x[0], x[1]]))
sum(v * g(w) for v, w in zip(map(g, x), x))
sum(g(a) for a in map(g, [x[0], x[1]]))
functools.reduce(lambda p, q: p + g(q), x)
max(x, key=g) + sorted(x, key=g)[1]
min([x[0], x[1]], key=lambda a: g(a) + g(a))
g(g(x[0]) + g(x[1]))
twice(g)(x[0]) + g(x[1])
either(twice(g), x)
sum(itertools.accumulate(x, lambda a, b: a + g(b)))
""".strip().split("\n")
HELD = """
import functools, itertools
import numpy as np

class Total:
    def __init__(self):
        self.v = 0.0
    def add(self, a):
        self.v += a
        return a * self.v

def twice(f):
    def h(a):
        return f(f(a))
    return h

def either(h, x):
    s = h(x[0]) if x[2] > 0.0 else 2.0
    return s + (h(x[1]) > 0.0 and h(x[2]) > 0.0) + (h(x[2]) > 9.0 and h(x[0]) > 0.0) + h(x[3])

def f(x):
    {change}
    s = {called}
    return s + 10.0 * g(1.5)
"""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("called", CALLED_BY)
@pytest.mark.parametrize("change", CHANGES)
def test_functions_that_change_what_they_hold(change, called):
    """A function that is held by `map`, `key=` or another function has at each call what the calls before have left."""
    plain = load(HELD.format(change=CHANGES[change], called=called))
    found = linear_grad(plain, backend="interpret")
    try:
        assert found(X) == pytest.approx(plain(X), rel=1e-12)
    except LinadError as error:
        assert "inside an expression that uses it" in str(error)
        return
    np.testing.assert_allclose(found.grad(X), differences(plain, X), rtol=1e-5, atol=1e-5)


def test_map_is_lazy():
    def f(x):
        k, items = 1.0, [x[0], x[1]]
        later = map(lambda a: a * k, items)
        items.append(x[2])
        k = 5.0
        s = sum(later)
        for v in map(lambda a: a * k, [x[0], x[1], x[2]]):
            k += x[3]
            s += v
        return s

    found = linear_grad(f, backend="interpret")
    assert found(X) == pytest.approx(f(X)) and np.allclose(found.grad(X), differences(f, X), atol=1e-5)


def test_a_sum_of_arrays_has_a_term():
    def f(x, n):
        return np.sum(sum(x * k for k in range(n)))

    assert linear_grad(f, backend="interpret")(X, 3) == f(X, 3)
    with pytest.raises(ValueError, match="the result would be int where it is array of float64 of rank 1"):
        linear_grad(f, backend="interpret")(X, 0)
