"""Lists and tuples: sliced, picked from by computed indices, repeated, added up, beside arrays; and slices beside arrays of indices."""

from __future__ import annotations

import numpy as np
import pytest

from ..arrays.near import check, refusals

X, Y, Q, J = np.array([0.4, -1.2, 0.7, 2.0]), np.array([1.0, 0.3, -0.5, 2.0]), np.arange(9.0).reshape(3, 3) / 7 - 0.3, np.array([0, 2, 1])
PROGRAMS = [
    "t = (x[0], x[1], x[2])\nreturn np.array(t[1:])", "t = [x[0], x[1], x[2]]\na, b = t[::-1][:2]\nreturn a * b", "n, *rest = z.shape\nreturn np.ones(rest) * x[0]",
    "a = np.zeros((5,) + z.shape[1:])\na[:3] = z\nreturn a * a", "s = 0.0\nfor a, w in [(x, 2.0), (y, 3.0)]:\n    s += w * (a @ a)\nreturn s",
    "ws = [0.5, x[1], 0.25]\ns = 0.0\nfor k in range(-3, 3):\n    s += ws[k] * x[k]\nreturn s", "ws = [1, 0.5]\ns = 0.0\nfor k in range(2):\n    s += ws[k] * x[k]\nreturn s",
    "ws = (0.5, 0.25)\ns = 0.0\nfor k in range(3):\n    s += ws[k] * x[k]\nreturn s", "return np.array([0.1] * 3 + [x[0]]) * x", "return np.dot([1.0, 2.0], x[:2]) + x[:2] * (3.0, 4.0)",
    "a = [x[0], x]\na[0] = 2.0 * x[1]\na[-1] = x * y\nreturn a[0] * a[1]", "a = [x[0]]\na.append(x[1])\na[1] += 2.0\nreturn a[1] * a[0]",
    "ks = [x * 2, x * y]\nreturn x + sum(b * k for b, k in zip([0.5, 0.25], ks))", "return sum([0.5 * x, y]) + sum(z)[0]", "return sum((a * y for a in x), np.zeros(4))",
    "a, b = [x[0], x[1]]\na, b = b, a\nreturn a - 2 * b", "return x[0] if x[1] in [1.0, -1.2] else x[2]", "return z[1:, w]", "return z[w, 1:]", "return (z * z)[w, ::2]",
    "a = np.zeros((4, 4))\na[w, 1:] = z\nreturn a * a", "a = np.ones((4, 4))\na[1:, w] *= z\nreturn a", "a = np.zeros((4, 4))\nnp.add.at(a[:, 1:], (w, w), x[:3])\nreturn a * a",
    "a = [x, x * 2]\ns = 0.0\nfor k in range(2):\n    s += a[k] @ x\nreturn s", "a = (x, y, x[::-1])\ns = 0.0\nfor k in range(200):\n    s += a[(k * k) % 3][k % 4] * x[k % 4]\nreturn s * [x, y[:2]][w[1] - 1].sum()",
    "a = [1.0] * 40\ns = 0.0\nfor k in range(40):\n    s += a[k]\nreturn s * x",
]  # fmt: skip


@pytest.mark.parametrize("body", PROGRAMS)
def test_programs(body):
    check(body if "return " in body else f"return {body}", X, Y, Q, J)


@pytest.mark.parametrize("body", [
    "a = [x[0]]\na.remove()\nreturn x[0]", "a = (0.1,) * len(x)\nreturn x[0]",
    "return 1.0 + [1.0]", "a = (x[0], x[1])\nreturn a[int(x[0]):]",
])  # fmt: skip
def test_refused(body):
    assert len(refusals(body, X)) == 1


HELPERS = """
def product(*factors):
    total = 1.0
    for f in factors:
        total = total * f
    return total


def step(rule, y, h, *args):
    return y + h * rule(y, *args)


def decay(y, rate, level=0.0):
    return rate * (level - y)


def added(total, *arrays, weight=1.0):
    for a in arrays:
        total += weight * a
    return len(arrays)


"""


@pytest.mark.parametrize("body", [
    "product() + product(x[0]) * product(*(x[0], x[1]), y[0])", "step(decay, x, 0.1, 0.5) * step(decay, y, x[0], x[1], 2.0)",
    "a = np.zeros(4)\nn = added(a, x, x * y, weight=x[0])\nreturn n * a", "np.r_[0.0, x, y[1], x[::-1]] ** 2 + np.c_[x, y].sum()",
    "a = np.zeros((3, 3))\na[np.ix_(w, w)] += z\nat = np.ix_(w, [0, 1])\nreturn a * a + z[at].sum()", "z[np.ix_(z[0] > 0, w)] ** 2", "np.polyint(x)",
])  # fmt: skip
def test_spread_out(body):
    """What comes in any number: arguments of helpers, parts of arrays, indices of axes."""
    check(body, X, Y, Q, J, before=HELPERS)


@pytest.mark.parametrize("body", [
    "q = [0, 1]\nreturn z[q] ** 2 + z[(0, 1)]", "p, *q = (0, 1, 2)\nreturn z[q] * z[:2]", "i = [[0, 1], [1, 2]]\nreturn z[i] ** 2", "q = [0, 1]\nb = z * 1.0\nb[q] += 1\nreturn b * b",
    "q = [0, 1]\nfor i in range(2):\n    q = [q[1], i]\nreturn z[q] ** 2", "q = [0, 1]\nif x[0] > 0:\n    q = [1, 2]\nreturn z[q] ** 2", "q = [0, 1]\nrow = lambda t: z[t]\nreturn row(q) * row((1, 1))",
    "q = [1] * 2 + [0][:]\nreturn z[q] * z", "return x[0] ** 2 if [1, 2] == (1, 2) or z.shape == [3, 3] or (1, 2) in [[1, 2]] else x[1]", "q = [0, 1]\nb = z * 1.0\nnp.add.at(b, q, 2.0)\nreturn b * b",
    "return np.transpose(z, [1, 0]) ** 2",
    "q = []\nfor i in range(2):\n    q.append(i)\nb = z * 1.0\nb[q] += y[q][0]\nreturn z[q] ** 2 + b[q, 1] * b[q]", "q = []\nfor i in range(2):\n    q.append((i, 1))\nreturn z[q] ** 2",
    "k = len(x)\nb = z * 1.0\nb[:, range(1, k)] += y[range(2)][0]\nb[range(k), range(k)] = x * range(k)\nreturn np.array([range(k), range(1, k + 1)])[1] * b[0] + x[[]].sum() + x[range(0)].sum() + x[range(k - 1, -1, -1)]",
    "r = range(2)\nb = z * 1.0\nb[range(0, 3, 2)] *= y[range(2)][0]\nreturn z[r] ** 2 + b[r] + sum(r) * x[r[1]] * (tuple(r) == (0, 1))", "return [x, y][len(x) > 3] * (x[0], y[1])[True]",
    "q = [0, 1]\nfor i in range(1):\n    q[i] = 1\nreturn z[q] ** 2", "q = []\nfor v in x:\n    q.append(v > 0.0)\nreturn x[q] ** 2",
    "r = []\nfor i in range(2):\n    r.append(x * y[i])\na = np.array(r)\nreturn a[1, 0] * a.shape[0]", "t = []\nfor i in range(2):\n    t.append([x[i], 1.0])\nreturn np.array(t) @ x[:2]",
])  # fmt: skip
def test_lists_are_no_tuples(body):
    check(body, X, Y, Q)


@pytest.mark.parametrize("body", [
    "q = (0, 1)\nif x[0] > 0:\n    q = [1, 2]\nreturn z[q] ** 2", "t = [x[0]] + (x[1],)\nreturn t[0]", "return np.sum(z, axis=[0, 1])",
    "a, b = np.meshgrid(x, x, copy=False)\nreturn a * b",
])  # fmt: skip
def test_lists_and_grids_refused(body):
    assert len(refusals(body, X, Y, Q)) == 1


def test_bins_that_do_not_rise():
    check("np.histogram(x, bins=np.array([2.0, 1.0]))[0] * x[0]", X)
    check("np.bincount(x, minlength=-1)", J, smooth=False)
