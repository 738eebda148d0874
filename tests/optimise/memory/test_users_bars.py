"""Arrays of a user that are called as adjoints are, and gradients that a user goes on computing with, keep the order of
their sums and the signs of their zeros."""

from __future__ import annotations

import math

import numpy as np
import pytest
from jaxtyping import Float64
from linad_typecheck.ir.core import Alloc, defined, walk
from linad_typecheck.ir.text import parse_program, print_program
from linad_typecheck.ir.verify import verify
from linad_typecheck.types import is_float

import linad
from linad import linear_grad
from linad.pipeline import differentiate, prepare
from tests.adjoint.programs import PROGRAMS
from tests.properties.roads import Whole

Vec = Float64[np.ndarray, "n"]


def far_sums(x: Vec, k: int) -> float:
    n = len(x)
    base_bar = np.full(n, 1e16)
    inc_bar = np.zeros(n)
    for j in range(k):
        for i in range(n):
            inc_bar[i] += x[i]
    base_bar += inc_bar
    t = 0.0
    for i in range(n):
        t += base_bar[i] - 1e16
    return t


def signs(x: Vec, c: float) -> float:
    n = len(x)
    z_bar = np.ones(n)
    t = 0.0
    for i in range(n):
        z_bar[i] = 0.0
        z_bar[i] += c * x[i]
        t += 1 / z_bar[i]
    return t


def first_sums(x: Vec, c: float) -> float:
    z_bar = np.zeros(len(x))
    for i in range(len(x)):
        z_bar[i] += c * x[i]
    t = 0.0
    for i in range(len(x)):
        t += 1 / z_bar[i]
    return t


def moved_cells(x: Vec, k: int) -> float:
    n = len(x)
    u_bar = np.full(n, 1e16)
    for _ in range(k):
        v_bar = np.empty(n - 1)
        for i in range(n - 1):
            v_bar[i] = u_bar[i + 1]
        for i in range(n - 1):
            u_bar[i + 1] += x[i]
            u_bar[i] += v_bar[i] * 0.0
    return u_bar.sum() - n * 1e16


def squares(x):
    return np.sum(x * x)


def updated_gradient(x: Vec, c: float) -> float:
    """What `linad.grad` gives is the user's: 1 / (0.0 + -0.0) is inf."""
    g = linad.grad(squares)(x)
    t = 0.0
    for i in range(len(x)):
        g[i] = 0.0
        g[i] += c * x[i]
        t += 1 / g[i]
    return t


def gradient_added_to(x: Vec, k: int) -> float:
    """Small numbers are summed up before they meet the gradient."""
    g = linad.grad(squares)(x * 1e16)
    inc_bar = np.zeros(len(x))
    for j in range(k):
        for i in range(len(x)):
            inc_bar[i] += 1.0
    g += inc_bar
    t = 0.0
    for i in range(len(x)):
        t += g[i] - 2e16 * x[i]
    return t


def gradient_of_squares(x):
    return linad.grad(squares)(x)


def updated_by_a_caller(x: Vec, c: float) -> float:
    g = gradient_of_squares(x)
    t = 0.0
    for i in range(len(x)):
        g[i] = 0.0
        g[i] += c * x[i]
        t += 1 / g[i]
    return t


def known_by_two_names(x: Vec, c: float) -> float:
    g, h = gradient_of_squares(x), np.ones(len(x))
    t = 0.0
    for i in range(len(x)):
        g, h = h, g
        g[i] = 0.0
        g[i] += c * x[i]
        t += 1 / g[i]
    return t


def only_read(x: Vec, c: float) -> float:
    g = gradient_of_squares(x)
    t = 0.0
    for i in range(len(x)):
        t += c * g[i]
    return t


CASES = [
    pytest.param(far_sums, (np.ones(3), 1500), 4500.0, id="far_sums"),
    pytest.param(signs, (np.array([1.0, 2.0]), -0.0), math.inf, id="signs"),
    pytest.param(first_sums, (np.array([1.0, 2.0]), -0.0), math.inf, id="first_sums"),
    pytest.param(updated_gradient, (np.array([1.0, 2.0]), -0.0), math.inf, id="updated_gradient"),
    pytest.param(updated_by_a_caller, (np.array([1.0, 2.0]), -0.0), math.inf, id="updated_by_a_caller"),
    pytest.param(known_by_two_names, (np.array([1.0, 2.0]), -0.0), math.inf, id="known_by_two_names"),
    pytest.param(only_read, (np.array([1.0, 2.0]), 0.5), 3.0, id="only_read"),
    pytest.param(gradient_added_to, (np.ones(3), 1500), 4500.0, id="gradient_added_to"),
]


@pytest.mark.parametrize("f,args,expected", CASES)
def test_values_are_those_of_python(f, args, expected):
    whole = Whole(f, args)
    g = differentiate(whole.prepared, whole.active(), True).simplified
    assert whole.lowered.derivatives or whole.run(whole.lowered)[0] == expected
    assert whole.run(whole.prepared)[0] == expected
    assert linad.interpret.run(g, [*whole.values, 1.0, np.zeros(len(args[0]))]).results[0] == expected
    if f in (far_sums, signs, first_sums):
        with np.errstate(all="ignore"):
            assert f(*args) == expected


SMALL = np.array([0.5, -1.25, 2.0])


@pytest.mark.parametrize("f,by", [(far_sums, 3), (moved_cells, 2), (signs, 2.0), (first_sums, 2.0)])
def test_gradients(f, by):
    Whole(f, (SMALL, by)).holds(thorough=False)


@pytest.mark.parametrize("fastmath", [False, True])
def test_compiled(fastmath):
    x, minus = np.array([1.0, 2.0]), -0.0
    sums = linear_grad(fastmath=fastmath)(far_sums)
    value, grad = sums.value_and_grad(np.ones(3), 1500)
    assert (sums(np.ones(3), 1500), value) == (4500.0, 4500.0) and (grad == 1500.0).all()
    if not fastmath:  # which says that zeros have no sign
        divided = linear_grad(fastmath=False)(signs)
        assert divided(x, minus) == math.inf
        assert divided.value_and_grad(x, minus)[0] == math.inf
    value, (by_x, by_c) = linear_grad(fastmath=fastmath)(signs).value_and_grad(x, 2.0)
    np.testing.assert_allclose([value, *by_x, by_c], [0.75, -0.5, -0.125, -0.375], rtol=1e-15)


@pytest.mark.parametrize("f,marked", [(only_read, True), (updated_gradient, False), (updated_by_a_caller, False)])
def test_gradients_that_are_only_read_are_adjoints(f, marked):
    """What differentiation fills, and nobody else updates, needs no zeros before."""
    arrays = [s.out for s in walk(Whole(f, (np.ones(3), 0.5)).prepared.main.body) if isinstance(s, Alloc)]
    assert [v.adjoint for v in arrays] == [marked]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", PROGRAMS)
def test_adjoints_are_known_through_the_text_and_through_a_second_derivative(name):
    program = prepare(parse_program(PROGRAMS[name]))
    assert not any(v.adjoint for v in defined(program.main))
    for _ in range(2):
        wrt = tuple(p.var.name for p in program.main.params if is_float(p.var.type))
        g = differentiate(program, wrt)
        for stage in (g.linear, g.stored, g.simplified):
            again = parse_program(print_program(stage))
            for k, f in stage.functions.items():
                read = [(v.name, v.adjoint) for v in defined(again.functions[k])]
                assert read == [(v.name, v.adjoint) for v in defined(f)]
        assert not verify(g.stored) and not verify(g.simplified)
        assert any(v.adjoint for v in defined(g.stored.main))
        program = g.simplified


def test_an_adjoint_and_an_array_of_the_user_have_no_common_name():
    text = "entry fn f(x: read f64[:]) -> f64 {\n  y' = copy &x\n  for i in range(2) carry (z: f64[:] = y) -> (w) {\n"
    text += "    yield z\n  }\n  drop w\n  return 1.0\n}\n"
    wrong = verify(parse_program(text), linear=True)
    assert any("one is an adjoint" in e for e in wrong)
    assert not verify(parse_program(text.replace("z:", "z':").replace("(w)", "(w')")), linear=True)
