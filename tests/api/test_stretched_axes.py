"""Axes with one cell are stretched as in NumPy, wherever the array comes from: helpers, branches, loops, structures."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from linad import LinadError, jacobian, linear_grad

from ..kit import HEADER, load
from ..two_roads import differences

pytestmark = pytest.mark.interpreted

A = np.linspace(-0.4, 1.6, 12).reshape(4, 3)
PROGRAMS = {
    "the result of a helper": """\
def mean(a):
    return a.mean(axis=1, keepdims=True)
def log_sum(a, axis):
    top = np.max(a, axis=axis, keepdims=True)
    return top + np.log(np.sum(np.exp(a - top), axis=axis, keepdims=True))
def f(a):
    return (a - mean(a)) * (a - log_sum(a, 0)) * log_sum(a, axis=1)
""",
    "results, and arguments of the next helper": """\
def moments(a):
    mu = np.mean(a, axis=-1, keepdims=True)
    return mu, variance(a, mu)
def variance(a, mu):
    return np.mean((a - mu) ** 2, axis=-1, keepdims=True)
def f(a):
    for _ in range(2):
        mu, var = moments(a)
        a = a * a + (a - mu) / np.sqrt(var + 0.1)
    return a
""",
    "either of two arrays": """\
def f(a):
    if a[0, 0] > 0:
        m = a.mean(axis=1, keepdims=True)
    else:
        m = a[:, 1:2] * 2.0
    w = np.ones((len(a), 1)) if a[1, 1] > 5 else m.copy()
    return (a - m) * w
""",
    "an array that a loop replaces": """\
def f(a):
    m, h, n = np.zeros((len(a), 1)), a[:, :1], 0
    for k in range(3):
        m = 0.9 * m + a.mean(axis=1, keepdims=True)
        h = np.tanh(h + a[:, k : k + 1])
    while n < 2:
        m, h, n = h, m + h, n + 1
    return (a - m) * h
""",
    "slices of one place as arguments": """\
def scaled(a, s):
    return a * s
def f(a):
    k = 1 if a[0, 0] > 5 else 2
    return scaled(a, a[:, :1]) + scaled(a, a[:, k : k + 1]) * scaled(a, a[1:2].copy())
""",
    "what an object and a closure hold": """\
class Scaler:
    def __init__(self, a):
        self.mu = a.mean(axis=0, keepdims=True)
    def __call__(self, a):
        return a - self.mu
def f(a):
    scaler, low = Scaler(a), np.min(a, axis=1, keepdims=True)
    def above(b):
        return b - low
    return scaler(a * a) * above(a)
""",
    "items of a list that grows": """\
def f(a):
    states, sums = [a[:, :1] * 1.0], []
    for k in range(a.shape[1]):
        states.append(np.tanh(states[-1] + a[:, k][:, None]))
        sums.append(a * states[-1])
    for state in states:
        a = a * state
    return a + sums[-1]
""",
    "items of a dict with computed keys": """\
def f(a):
    states = {-1: np.zeros((len(a), 1))}
    for k in range(a.shape[1]):
        states[k] = np.tanh(states[k - 1] + a[:, k].reshape(-1, 1))
    return a * states[a.shape[1] - 1]
""",
    "an axis that an iteration makes longer": """\
def f(a):
    m = a[:, :1] * 1.0
    for k in range(3):
        m = np.concatenate((m, a[:, :1]), axis=1)
    return m[:, :3] * a
""",
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(text):
    plain = load(f"{HEADER}{text}")
    f = linear_grad(plain)
    np.testing.assert_allclose(f(A), plain(A))
    weights = np.cos(np.arange(12.0)).reshape(4, 3)
    np.testing.assert_allclose(f.vjp(A)[1](weights)[0], differences(lambda a: np.sum(plain(a) * weights), A), atol=1e-6)


def test_an_axis_that_is_longer_on_one_path_is_not_stretched():
    plain = load(f"{HEADER}def f(a, k: int):\n    m = a[:, :1] * 1.0\n    for _ in range(k):\n        m = np.hstack((m, m))\n    return m * a\n")
    f = linear_grad(plain)
    np.testing.assert_allclose(f(A[:, :2], 1), plain(A[:, :2], 1))
    with pytest.raises(ValueError, match="could not be broadcast together with shapes"):
        f(A, 1)


BY_INTS = ["return a * a[:, :k]", "return a * np.ones((k, 3))", "m = a[:k] * 1.0\n    for _ in range(2):\n        m = m + 1.0\n    return a * m"]


@pytest.mark.parametrize("body", BY_INTS)
def test_ints_that_sizes_depend_on(body):
    """The function is compiled again for these ints, where a size of 1 would be stretched."""
    plain = load(f"{HEADER}def f(a, k: int):\n    {body}\n")
    f = linear_grad(plain)
    for k in (2, 1, 3, 1, 4):
        try:
            wanted = plain(A, k)
        except ValueError:
            with pytest.raises(ValueError, match="could not be broadcast together"):
                f(A, k)
            continue
        np.testing.assert_array_equal(f(A, k), wanted)
        (a_bar,) = f.vjp(A, k)[1](np.ones_like(A))
        np.testing.assert_allclose(a_bar, differences(lambda a, k=k: np.sum(plain(a, k)), A), atol=1e-6)


@dataclass(frozen=True)
class Layer:
    w: np.ndarray
    b: np.ndarray


class Pair(NamedTuple):
    w: np.ndarray
    b: np.ndarray


def of_dict(a, p):
    return p["w"] @ a + p["b"]


def of_record(a, p):
    return p.w @ a + p.b


def of_layers(a, ps):
    for w, b in ps:
        a = w @ a + b
    return a


W, B = np.arange(8.0).reshape(2, 4), np.array([[0.5], [1.5]])


@pytest.mark.parametrize(
    ("plain", "layer"),
    [(of_dict, {"w": W, "b": B}), (of_record, Layer(W, B)), (of_record, Pair(W, B)), (of_layers, [(W, B), (W[:, :2], B)])],
)
def test_arrays_in_structures(plain, layer):
    f = linear_grad(plain)
    np.testing.assert_array_equal(f(A, layer), plain(A, layer))
    value, pullback = f.vjp(A, layer)
    a_bar, layer_bar = pullback(np.ones_like(value))
    assert type(layer_bar) is type(layer)
    np.testing.assert_allclose(a_bar, differences(lambda a: np.sum(plain(a, layer)), A), atol=1e-6)
    b_bar = layer_bar[-1][1] if isinstance(layer, list) else layer_bar["b"] if isinstance(layer, dict) else layer_bar.b
    np.testing.assert_array_equal(b_bar, np.full((2, 1), 3.0))


def test_jacobians_by_arrays_that_are_stretched():
    def f(a, b):
        return a * b

    plain, column = jacobian(linear_grad(f), 1), A[:, :1] + 1.0
    assert plain(A, A).shape == (4, 3, 4, 3)
    expected = np.einsum("ij,ik->ijk", A, np.eye(4))[..., None]
    np.testing.assert_allclose(plain(A, column), expected)


NAMED = """\
def f(a, p):
    for k in range(len(p)):
        a = np.tanh({} * a)
    return a
"""


@pytest.mark.parametrize("key", ['p[f"w{k + 1}"]', 'p["w%d" % (k + 1)]', 'p["w{}".format(k + 1)]', 'p["w" + str(k + 1)]'])
def test_keys_that_are_formatted(key):
    plain, layers = load(HEADER + NAMED.format(key)), {"w1": A, "w2": A[:, :1], "w3": A[:1] + 1.0}
    f = linear_grad(plain)
    np.testing.assert_allclose(f(A, layers), plain(A, layers))
    assert f.vjp(A, layers)[1](np.ones((4, 3)))[1].keys() == layers.keys()


@pytest.mark.parametrize("key", ['"%c" % 99999999', 'f"{3:99999999999999d}"', '"{:99999999999999d}".format(3)', '"a".zfill(99999999999999)'])
def test_keys_that_python_cannot_format_are_refused(key):
    with pytest.raises(LinadError, match="a key of a dict|which fails"):
        linear_grad(load(f"{HEADER}def f(a, p):\n    return a * p[{key}]\n"))(A, {"w": A})
