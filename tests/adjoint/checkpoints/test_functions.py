"""`linad.checkpoint(f)`: the same numbers, the inside of a call run again, and its logs there for the time of its reverse only."""

import copy
import pickle

import numpy as np
import pytest

import linad
from linad import linear_grad
from linad.cost import cost_of
from tests.cost.programs import core_of

X, STEPS = np.linspace(0.1, 1.0, 6), 40


def steps(x, w):
    u = x.copy()
    for _ in range(STEPS):
        for i in range(1, len(u)):
            u[i] = np.sin(u[i]) * w + u[i - 1]
    return u


def in_place(x, w):
    for _ in range(STEPS):
        for i in range(1, len(x)):
            x[i] = np.sin(x[i]) * w + x[i - 1]


def two(x, w, k):
    return np.sum(x * w), k + 1, x


marked = linad.checkpoint(steps)


@linad.checkpoint
def decorated(x, w):
    return steps(x, w)


def chain(x, w):
    a = steps(steps(steps(x, w), w), w)
    return np.sum(a * a)


def with_calls(x, w):
    g = linad.checkpoint(steps)
    a = g(g(g(x, w), w), w)
    return np.sum(a * a)


def with_names(x, w):
    a = marked(decorated(linad.checkpoint(lambda z: steps(z, w))(x), w), w)
    return np.sum(a * a)


def updating(x, w):
    u = x.copy()
    for _ in range(3):
        linad.checkpoint(in_place)(u, w)
    return np.sum(u * u)


def kept(x, w):
    """The call gives back what it is given, beside a number and an int."""
    s, k, y = linad.checkpoint(two)(x * w, w, 2)
    return s * k + np.sum(y * y * w)


def kept_plain(x, w):
    s, k, y = two(x * w, w, 2)
    return s * k + np.sum(y * y * w)


def in_a_branch(x, w):
    if w > 0.0:
        a = linad.checkpoint(steps)(x, w)
    else:
        a = x * w
    return np.sum(a)


def in_a_branch_plain(x, w):
    a = steps(x, w) if w > 0.0 else x * w
    return np.sum(a)


@pytest.mark.parametrize(
    "f, plain",
    [(with_calls, chain), (with_names, chain), (updating, chain), (kept, kept_plain), (in_a_branch, in_a_branch_plain)],
)
def test_gradients_are_those_of_the_plain_call(f, plain):
    one, other = (linear_grad(backend="interpret")(g).value_and_grad(X, 0.7) for g in (f, plain))
    assert one[0] == other[0] == f(X, 0.7)
    np.testing.assert_array_equal(one[1][0], other[1][0])
    np.testing.assert_allclose(one[1][1], other[1][1], rtol=1e-14)  # sums in another order


def test_compiled():
    interpreted = linear_grad(backend="interpret")(chain).grad(X, 0.7)[0]
    np.testing.assert_allclose(linear_grad(with_calls).grad(X, 0.7)[0], interpreted, rtol=1e-12)


@pytest.mark.parametrize("f", [with_calls, with_names])
def test_logs_of_one_call_are_held_at_a_time(f):
    """Each call runs once more, and no word of its log is there while another call is reversed."""
    found, plain = (cost_of(*core_of(g, X, 0.7)) for g in (f, chain))
    words = 2 * STEPS * (len(X) - 1)
    assert plain.log_words == 3 * words < plain.peak_words
    assert words < found.peak_words < words + 12 * len(X)
    sines = 3 * STEPS * (len(X) - 1)
    assert found.by_kind["unary"][1] - plain.by_kind["unary"][1] == sines


def marked_loss(x):
    return with_calls(x, 0.7)


def plain_loss(x):
    return chain(x, 0.7)


def test_second_derivatives():
    v = np.ones(len(X))
    one, other = (linad.jvp(linad.grad(linear_grad(backend="interpret")(f)), (X,), (v,)) for f in (marked_loss, plain_loss))
    np.testing.assert_allclose(one, other, rtol=1e-12)


def test_outside_it_is_the_function():
    assert np.array_equal(marked(X, 0.5), steps(X, 0.5))
    assert marked.__name__ == "steps" and marked.__wrapped__ is steps
    assert pickle.loads(pickle.dumps(marked))(X, 0.5)[1] == copy.deepcopy(marked)(X, 0.5)[1]
    loss = linear_grad(backend="interpret")(chain)
    np.testing.assert_array_equal(linad.checkpoint(loss).grad(X, 0.7)[0], loss.grad(X, 0.7)[0])
    np.testing.assert_allclose(linad.grad(linad.checkpoint(chain))(X, 0.7), loss.grad(X, 0.7)[0], rtol=1e-12)
