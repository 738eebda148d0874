"""Lists of arrays: names keep the items that they hold while the list changes, and arrays may have several lengths."""

import numpy as np
import pytest
from linad import LinadError, linear_grad

from tests.examples_of import on_backends
from tests.two_roads import differences

pytestmark = pytest.mark.interpreted

X = np.array([0.5, 1.2, 2.0, 3.3])


def products(x):
    out = []
    for i in range(len(x)):
        out.append(x * (i + 1.0))
    return out


def popped(x):
    out = products(x)
    u, m = out[0], np.asarray(out)
    v = out.pop(0)
    del out[0]
    return u + 2.0 * v + 3.0 * out[0] + m.sum()


def popped_in_a_loop(x):
    out, u = products(x), x * 1.0
    for i in range(2):
        v = out.pop(0)
        out.append(out[0] + u)
        u = out[0]
    return u + 2.0 * v + 3.0 * out[-1]


def of_tuples(x):
    out = [(x * 2.0, 1)]
    for i in range(3):
        out.append((x * i, i))
    u, k = out[1]
    out.insert(0, (x, 5))
    out.pop()
    return u + out[1][0] * 3.0 + k * out[0][1]


def longer(x):
    out = products(x)
    u = out[1]
    out += [x * 5.0]
    out.append(u)
    w = out[1]
    out.extend([x])
    return u * out[-2] + w * out[-1]


def numbers(x):
    out = []
    for v in x:
        out.append(v * v)
    m = np.asarray(out)
    out.pop(0)
    out[0] = 5.0
    return m * out[0] + m[0]


def segments(x):
    out, start = [], 0
    for i in range(1, len(x)):
        if x[i] - x[i - 1] > 0.75:
            out.append(x[start:i])
            start = i
    out.append(x[start:])
    return sum(s.mean() * len(s) for s in out) + np.concatenate(out) * out[0][0]


def triangle(x):
    out = []
    for i in range(len(x)):
        out.append((x[: i + 1] * 2.0, i))
    total = 0.0
    for a, k in out:
        total += a.sum() * (k + 1) + len(a)
    return total + out[1][0][0] * np.hstack([a for a, _ in out])


def rearranged(x):
    out = [x * 1.0]
    for i in range(3):
        if x[i] > 1.0:
            out.append(x[i:] * 1.5)
        else:
            out.insert(0, x[:1] * 7.0)
    out[0] = x[:2] ** 2
    out[1], out[2] = out[2], out[1]
    t = out[0]
    out[0] = out.pop()
    out.reverse()
    out.sort(key=len, reverse=True)
    parts = out[1:] + out
    return sum(p.sum() for p in parts) * len(parts) * t + max(out, key=lambda a: a.sum())[0]


def halves(x):
    levels = [x]
    while len(levels[-1]) > 1:
        a = levels[-1]
        levels.append((a[::2] + a[1::2]) / 2)
    return levels[-1][0] * levels[1].sum() * levels[0]


def masks(x):
    found, where = {}, []
    for i in range(3):
        where.append(np.nonzero(x > i * 0.7)[0])
        found[i] = x[where[-1]] ** 2
    total = 0.0
    for a in found.values():
        total += a.sum()
    return (total + found[1][0]) * x + np.concatenate(where).sum()


FUNCTIONS = [
    popped, popped_in_a_loop, of_tuples, longer, numbers, segments, triangle, rearranged, halves, masks,
]  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("f", "backend"), on_backends(FUNCTIONS, 5))
def test_values_and_derivatives(f, backend):
    g = linear_grad(f, backend=backend)
    for x in (X, 0.9 * X):
        value, pull = g.vjp(x)
        assert np.allclose(value, f(x), rtol=1e-12) and np.shape(value) == np.shape(f(x))
        weights = np.cos(np.arange(value.size))
        (bar,) = pull(weights)
        assert np.allclose(bar, differences(lambda v: float((f(v) * weights).sum()), x), atol=1e-5)
        _, tangent = g.jvp((x,), (np.ones(4),))
        assert np.isclose((tangent * weights).sum(), bar.sum())


def test_arrays_of_several_lengths_are_no_matrix():
    def f(x):
        out = []
        for i in range(3):
            out.append(x[: i + 1])
        return np.array(out)

    with pytest.raises(ValueError, match="lists of one length"):
        linear_grad(f, backend="interpret")(X)


def first_of(h):
    return h.pop(0)


def changed_by_a_call(x):
    out = products(x)
    u = out[1]
    return first_of(out) + u + out[0]


def in_an_expression(x):
    out = products(x)
    return out[0] + out.pop(0) + out[0]


def list_in_a_list(x):
    out = []
    for v in x:
        out.append([v, 2.0 * v])
    row = out[0]
    out.pop(0)
    return row[0] + out[0][1]


@pytest.mark.parametrize("f", [changed_by_a_call, in_an_expression, list_in_a_list])
def test_what_cannot_be_kept_is_refused(f):
    with pytest.raises(LinadError, match="is used after its array was updated"):
        linear_grad(f)(X)
