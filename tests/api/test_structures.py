"""Structures at the boundary: classes, gradients in the structure of the argument, buffers, keywords, errors, caching."""

import collections
import copy
import dataclasses
import linecache
import pickle
import types
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np
import pytest
from jaxtyping import Float, Float32, Float64
from linad import linear_grad
from linad.testing import check_grads
from linad_typecheck.diagnostics import LinadError

import linad

from . import other_classes

pytestmark = pytest.mark.interpreted


class Params(NamedTuple):
    w: Float64[np.ndarray, "n"]
    b: float = 0.5
    k: int = 2


@dataclass(frozen=True)
class Model:
    params: Params
    scale: float


class Open(NamedTuple):
    x: Float[np.ndarray, "n"]
    c: float


@dataclass(frozen=True, slots=True)
class Slots:
    x: Float32[np.ndarray, "n"]
    c: np.float32


Bare = collections.namedtuple("Bare", "a b")
interpreted = linear_grad(backend="interpret")


@interpreted
def score(m: Model, x: Float64[np.ndarray, "n"]) -> float:
    total = m.params.b
    for i in range(len(x)):
        total += m.params.w[i] * x[i] ** m.params.k * m.scale
    return total


@interpreted
def step(m: Model, rate: float):
    w = m.params.w.copy()
    for i in range(len(w)):
        w[i] -= rate * m.scale * w[i]
    return Model(Params(w, m.params.b * rate, m.params.k + 1), m.scale)


def model(n=3):
    return Model(Params(np.arange(1.0, n + 1), 2.0, 2), 3.0)


def test_gradients_come_back_in_the_structure_of_the_argument():
    x = np.array([1.0, 2.0, 0.5])
    m_bar, x_bar = score.grad(model(), x)
    assert type(m_bar) is Model and type(m_bar.params) is Params
    assert m_bar.params.k is None and m_bar.params.b == 1.0 and m_bar.scale == 1.0 + 8.0 + 0.75
    np.testing.assert_array_equal(m_bar.params.w, 3.0 * x * x)
    np.testing.assert_array_equal(x_bar, 6.0 * np.arange(1.0, 4.0) * x)
    value, again = score.value_and_grad(model(), x)
    assert value == 31.25 and again[0].scale == m_bar.scale
    check_grads(score, (model(), x))


def test_wrt_selects_whole_parameters():
    by_model = interpreted(score.py_func)
    assert type(linad.grad(score)(model(), np.ones(3))) is Model
    only = linear_grad(score.py_func, wrt="m", backend="interpret").grad(model(), np.ones(3))
    assert type(only) is Model and by_model.grad(model(), np.ones(3))[0].scale == only.scale


def test_records_as_results_and_cotangents():
    value, pullback = step.vjp(model(), 0.5)
    assert type(value) is Model and type(value.params.k) is int and value.params.k == 3
    cotangent = Model(Params(np.ones(3), 2.0, None), 0.0)
    m_bar, rate_bar = pullback(cotangent)
    assert (m_bar.params.b, m_bar.params.k, m_bar.scale, rate_bar) == (1.0, None, -3.0, -14.0)
    m_again, _ = pullback(((np.ones(3), 2.0, None), 0.0))  # a tuple will do
    np.testing.assert_array_equal(m_again.params.w, m_bar.params.w)
    with pytest.raises(TypeError, match="cotangent.params: expected a tuple of 3, got one of 2"):
        pullback(Model((np.ones(3), 2.0), 0.0))
    with pytest.raises(TypeError, match="cotangent: expected a `Model`, got a `Params`"):
        pullback(value.params)
    with pytest.raises(ValueError, match=r"cotangent.params.w: expected shape \(3,\)"):
        pullback(Model(Params(np.ones(2), 2.0, None), 0.0))


def test_tangents_are_of_the_same_class_too():
    tangent = Model(Params(np.ones(3), 1.0, None), 0.0)
    value, pushed = step.jvp((model(), 0.5), (tangent, 0.0))
    assert type(pushed) is Model and pushed.params.k is None and pushed.params.b == 0.5 and pushed.scale == 0.0
    np.testing.assert_array_equal(pushed.params.w, np.full(3, -0.5))
    _, same = step.jvp((model(), 0.5), (((np.ones(3), 1.0, 7), 0.0), None))
    assert same.params.b == 0.5


def test_buffers_have_the_structure():
    x = np.ones(3)
    into = (Model(Params(np.ones(3), np.zeros(()), None), np.zeros(())), np.zeros(3))
    value = score.vjp_into(2.0, model(), x, into=into)
    assert value == 20.0
    np.testing.assert_array_equal(into[0].params.w, np.full(3, 7.0))
    assert into[0].params.b == 2.0 and into[0].scale == 12.0
    with pytest.raises(TypeError, match="buffer for `m.params`: expected a tuple of 3"):
        score.vjp_into(2.0, model(), x, into=(((np.ones(3),), np.zeros(())), x))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (3.0, "argument `m`: expected a `Model`, got a float"),
        (Params(np.ones(3)), "argument `m`: expected a `Model`, got a `Params`"),
        ((Params(np.ones(3)), 1.0), "argument `m`: expected a `Model`, got a tuple"),
        (Model((np.ones(3), 1.0, 2), 1.0), "argument `m.params`: expected a `Params`, got a tuple"),
        (Model(Params(np.ones(3), "b"), 1.0), "argument `m.params.b`: expected a float, got a str"),
        (Model(Params(np.ones(3), 1.0, 2.0), 1.0), "argument `m.params.k`: expected an int, got a float"),
        (Model(Params([1.0]), 1.0), "argument `m.params.w`: expected a NumPy array of float64, got a list"),
        (Model(Params(np.ones((3, 1))), 1.0), "argument `m.params.w`: expected a float64 array of rank 1"),
        (Model(None, 1.0), "argument `m.params`: expected a `Params`, got None"),
        (object.__new__(Model), "argument `m`: expected a `Model`, but .*params"),
    ],
)
def test_errors_name_the_path(bad, message):
    with pytest.raises(TypeError, match=message):
        score(bad, np.ones(3))


def test_dimension_names_of_fields_take_part():
    with pytest.raises(ValueError, match="`x` has size 2 along axis 0 where `n` is 3: `m.params.w` has size 3"):
        score(model(), np.ones(2))


def test_ints_are_converted_where_a_field_is_a_float():
    assert score(Model(Params(np.ones(3), 1, 2), 2), np.ones(3)) == 7.0
    assert type(step(Model(Params(np.ones(3), 1, 2), 2), 1).scale) is float


@interpreted
def opened(p: Open) -> float:
    return p.x[0] * p.c


def test_what_the_annotations_leave_open_comes_from_the_call():
    assert opened(Open(np.array([2.0], np.float32), 3)) == 6.0
    assert opened.grad(Open(np.array([2.0], np.float32), 3)).x.dtype == np.float32
    assert opened.grad(Open(np.array([2.0]), 3)).x.dtype == np.float64
    for bad, message in [
        (Bare(1.0, 2.0), "argument `p`: expected an `Open`, got a `Bare`"),
        ((np.ones(1), 2.0), "argument `p`: expected an `Open`, got a tuple of 2"),
        (Open(np.ones(1, np.int64), 1.0), "argument `p.x`: expected an array of float64 or float32 of rank 1, got an array of int64"),
        (Open(3.0, 1.0), "argument `p.x`: expected an array"),
    ]:
        with pytest.raises(TypeError, match=message):
            opened(bad)


@interpreted
def anything(p, c):
    return p.a * c


def test_unannotated_parameters_take_any_record():
    other = dataclasses.make_dataclass("Other", [("a", float), ("z", int)], frozen=True)
    assert anything(Bare(2.0, 1), 3.0) == anything(other(2.0, 1), 3.0) == 6.0
    assert anything.grad(other(2.0, 1), 3.0) == (other(3.0, None), 2.0)
    with pytest.raises(LinadError, match="`.a` of a tuple|attribute"):
        anything((2.0, 1), 3.0)

    @dataclass
    class Mutable:
        a: float

    assert anything(Mutable(1.0), 2.0) == 2.0 and anything.grad(Mutable(1.0), 2.0) == (Mutable(2.0), 1.0)


def test_slots_and_single_precision():
    @interpreted
    def f(s: Slots):
        total = s.c
        for e in s.x:
            total += e * s.c
        return Slots(s.x.copy(), total)

    s = Slots(np.ones(2, np.float32), np.float32(2.0))
    value, pullback = f.vjp(s)
    assert type(value.c) is np.float32 and value.c == 6.0
    (bar,) = pullback(Slots(np.zeros(2, np.float32), np.float32(1.0)))
    assert bar.x.dtype == np.float32 and bar.x.tolist() == [2.0, 2.0] and bar.c == 3.0


def test_updated_fields_reach_the_caller():
    @linear_grad(updates="s", backend="interpret")
    def advance(s: Params, c: float) -> None:
        for i in range(len(s.w)):
            s.w[i] = s.w[i] * c + s.b

    s = Params(np.arange(3.0))
    advance(s, 2.0)
    assert s.w.tolist() == [0.5, 2.5, 4.5]
    value, pullback = advance.vjp(s, 2.0)
    assert type(value[0]) is Params and value[0].w.tolist() == [1.5, 5.5, 9.5] and s.w.tolist() == [0.5, 2.5, 4.5]
    s_bar, c_bar = pullback((Params(np.ones(3), 0.0, None),))
    assert s_bar.w.tolist() == [2.0, 2.0, 2.0] and s_bar.b == 3.0 and c_bar == 7.5

    @linear_grad(updates=("p",), backend="interpret")
    def swap(p) -> None:
        for i in range(len(p.a)):
            t = p.a[i]
            p.a[i] = p.b[i]
            p.b[i] = t

    x = np.ones(2)
    with pytest.raises(ValueError, match="`p.a` is updated and shares memory with `p.b`"):
        swap(Bare(x, x))


def test_defaults_and_keywords():
    @interpreted
    def f(a: float, /, b: float = 2.0, *, c: float = 3.0, p: Bare = Bare(0.5, 1)) -> float:  # noqa: B008
        return a * b * c * p.a

    assert (f(1.0), f(1.0, c=1.0), f(1.0, 5.0), f(1.0, p=Bare(1.0, 1))) == (3.0, 1.0, 7.5, 6.0)
    assert f.grad(1.0, c=4.0) == (4.0, 2.0, 1.0, Bare(8.0, None))
    for args, kwargs in [((), {"a": 1.0}), ((1.0, 2.0, 3.0), {}), ((), {}), ((1.0,), {"z": 1.0}), ((1.0, 2.0), {"b": 1.0})]:
        with pytest.raises(TypeError, match=r"f\(\): "):
            f(*args, **kwargs)


def test_a_class_of_another_module_and_an_alias():
    @interpreted
    def f(p: other_classes.Point, q: other_classes.Pair) -> float:
        r = other_classes.Point(p.y, q[1].x)
        return r.x * r.y + other_classes.norm(q[0])

    p, q = other_classes.Point(1.0, 2.0), (other_classes.Point(3.0, 4.0), other_classes.Point(5.0, 6.0))
    assert f(p, q) == 10.0 + 25.0
    assert f.grad(p, q) == (other_classes.Point(0.0, 5.0), (other_classes.Point(6.0, 8.0), other_classes.Point(2.0, 0.0)))


def test_a_class_that_holds_itself_is_as_deep_as_the_argument():
    @linear_grad(backend="interpret")
    def f(t: other_classes.Tree) -> float:
        return t.value if t.left is None else t.value * t.left.value

    one = other_classes.Tree(2.0, None)
    two = other_classes.Tree(3.0, one)
    assert f(one) == 2.0 and f(two) == 6.0
    assert f.grad(two) == other_classes.Tree(2.0, other_classes.Tree(3.0, None))


def test_objects_are_pickled_and_copied():
    assert pickle.loads(pickle.dumps(score)) is score and copy.deepcopy(score) is score
    value = step(model(), 0.5)
    again = pickle.loads(pickle.dumps(value))
    assert type(again) is Model and copy.deepcopy(value).scale == value.scale
    signature = pickle.loads(pickle.dumps(score.signature))
    assert signature == score.signature  # but for the classes, which stay behind
    assert signature.params[0].structure.tag.handle is None


# ---------------------------------------------------------------------------------------------------- redefinition

_CELLS = count()


def cell(space, text):
    """Run a text as a cell of a notebook."""
    name = f"<structures {next(_CELLS)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), space)  # noqa: S102


CLASS = """\
class P(NamedTuple):
    a: float
    b: float = {}
"""
FUNCTION = """\
@linear_grad(backend="interpret")
def f(c: float):
    return P(c)

@linear_grad(backend="interpret")
def g(p: P) -> float:
    return p.b * p.a
"""


@pytest.fixture
def space():
    return vars(types.ModuleType("notebook")) | {"NamedTuple": NamedTuple, "linear_grad": linear_grad}


def test_a_class_defined_again_is_the_one_that_counts(space):
    cell(space, CLASS.format(2.0))
    cell(space, FUNCTION)
    old = space["P"]
    assert space["f"](1.0) == (1.0, 2.0) and type(space["f"](1.0)) is old and space["g"](old(3.0)) == 6.0
    cell(space, CLASS.format(5.0))  # another default
    assert space["f"](1.0) == (1.0, 5.0) and type(space["f"](1.0)) is space["P"] is not old
    with pytest.raises(TypeError, match="expected a `P`"):
        space["g"](old(3.0))
    cell(space, CLASS.format(5.0))  # the same again
    assert type(space["f"](1.0)) is space["P"] and space["g"](space["P"](3.0)) == 15.0
    cell(space, CLASS.format(5.0).replace("a: float", "a: int"))
    assert type(space["g"].grad(space["P"](3))) is space["P"] and space["g"].grad(space["P"](3)) == (None, 3.0)


@pytest.mark.compiled
def test_compiled_code_and_the_cache_on_disk(space):
    text = FUNCTION.replace('(backend="interpret")', "")
    cell(space, CLASS.format(2.0))
    name = f"<structures {next(_CELLS)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    for _ in range(2):  # the second time from the cache
        exec(compile(text, name, "exec"), space)  # noqa: S102
        P = space["P"]
        assert space["f"](1.0) == P(1.0, 2.0) and type(space["f"](1.0)) is P
        assert space["g"].grad(P(3.0)) == P(2.0, 3.0) and type(space["g"].grad(P(3.0))) is P


class _State(NamedTuple):
    q: Float64[np.ndarray, "n"]
    m: float


def _step(s: _State, h: float) -> None:
    for i in range(len(s.q)):
        s.q[i] += h * s.m * s.q[i]


def test_numbers_beside_updated_arrays_are_part_of_the_value():
    f = linear_grad(_step, updates="s", backend="interpret")
    start = _State(np.ones(2), 2.0)
    (after,), pullback = f.vjp(start, 0.5)
    assert after.m == 2.0 and np.array_equal(after.q, [2.0, 2.0])
    s_bar, h_bar = pullback((_State(np.ones(2), 3.0),))
    assert s_bar.m == 4.0 and np.array_equal(s_bar.q, [2.0, 2.0]) and h_bar == 4.0
    (only,) = linear_grad(_step, updates="s", wrt="h", backend="interpret").vjp(start, 0.5)[1]((_State(np.ones(2), 3.0),))
    assert only == 4.0
    into = (_State(np.ones(2), np.array(3.0)), np.zeros(()))
    f.vjp_into(None, start, 0.5, into=into)
    assert into[0].m == 4.0 and np.array_equal(into[0].q, [2.0, 2.0]) and into[1] == 4.0


def test_only_arrays_are_updated():
    def scaled(x: float, w: float) -> float:
        return x * w

    with pytest.raises(LinadError, match="parameter `w` of `scaled` is declared as updated, and only arrays can be"):
        linear_grad(scaled, updates="w")
