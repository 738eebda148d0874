"""Tuples compared and unpacked, `:=` in tests, `in`, `del`, `zip(strict=)`, iterables: against CPython and differences."""

from __future__ import annotations

import math

import numpy as np
import pytest

from linad import linear_grad

from ..arrays.near import check, refusals

R = np.random.default_rng(11)
X, A = R.normal(size=5) + 2, R.normal(size=(4, 5))

PROGRAMS = {
    "walrus behind and in a while": "k = 0\ns = 0.0\nwhile k < 4 and (a := x[k]) > 0:\n    s += a * a\n    k += 1\nreturn s",
    "walrus behind not or": "k = 0\ns = 0.0\nwhile not (k >= 4 or (a := x[k]) < 0):\n    s += a * a\n    k += 1\nreturn s",
    "walrus behind or": "s = 0.0\nif x[0] < 0 or (a := x[1]) < 0:\n    s = 1.0\nelse:\n    s = a * a\nreturn s",
    "walrus unbound": "if x[0] < 0 and (a := x[1]) > 9:\n    s = 1.0\nreturn a",
    "shapes": "if x.shape != (5,):\n    raise ValueError('no')\nassert x.shape == (5,) and (1, 2) != (1, 3)\nreturn x * 2",
    "shapes differ": "if x.shape != (x.shape[0] + 1,):\n    raise ValueError('no')\nreturn x * 2",
    "a helper that always raises": "def fail(v):\n    raise ValueError('no')\nreturn x[0] + fail(x)",
    "a helper that always raises, indexed": "def fail(v):\n    raise ValueError('no')\nreturn fail(x)[0]",
    "a helper that always raises on a path": "def fail(v):\n    raise ValueError('no')\nreturn x[0] if x[1] < 9.0 else fail(x) ** 2",
    "a helper that always raises in a sum": "def fail(v):\n    raise ValueError('no')\nreturn sum(v if v < 1.5 else 2.0 * fail(v) for v in x)",
    "getters": "from operator import attrgetter, itemgetter\nrows = [(x[0], 2.0), (x[1], 1.0)]\na, b = itemgetter(2, 0)(x)\nfirst, _ = sorted(rows, key=itemgetter(1))[0]\nreturn first * a + b * attrgetter('T.size')(x)",
    "a number is not unpacked": "k = 2\ntry:\n    a, b = k\nexcept TypeError:\n    a = b = k\nreturn x[0] * a + b",
    "a tuple of another length": "t = (x[0], x[1], x[2])\ntry:\n    a, b = t\nexcept ValueError:\n    a, b = t[1:]\nreturn a * b",
    "a number is not iterable": "k = 2.0\ntry:\n    it = iter(k)\nexcept TypeError:\n    k = [k]\nreturn x[0] * k[0]",
    "lists next to numbers of NumPy": "return [x[0], 2.0] / x[1] + (x[2] - (1.0, x[3])) ** 2",
    "lists next to NumPy's float32": "return [x[0], 2.0] - np.float32(0.5)",
    "bit lengths": "return x * (x.size - 1).bit_length() + (2**53 - 1).bit_length() - (-9).bit_length()",
    "bit lengths of what is computed": "k = int(x[0] * 1e6)\nreturn x * k.bit_length() + (-k).bit_length() + (k - k).bit_length()",
    "whole numbers": "k = 2.5 if x[0] > 99.0 else 3.0\nreturn x * 2.0 if k.is_integer() and not x[0].is_integer() else x",
    "extrema of several by a key": "return max(x[0], -9.0 * x[1], x[2], key=abs) * min(x[3], x[4], key=lambda v: -v)",
    "the cell of an array of rank 0": "return np.sum(x, keepdims=False).item() * np.asarray(x[0]).item(0)",
    "methods by their classes": "xs = []\nlist.append(xs, x[0])\nd = dict.copy({'a': 2.0})\nd['a'] = x[1]\nreturn np.ndarray.mean(x, 0) * np.ndarray.sum(x) * d['a'] * xs[0] * len(str.upper('ab'))",
    "in": "s = 0.0\nfor k in range(5):\n    if k in (0, 3):\n        s += x[k]\n    if k not in (0, 3):\n        s += x[k] ** 2\nreturn s",
    "texts": "def g(a, mode='sq'):\n    if mode in ('sq', 'square'):\n        return a * a\n    return a\nreturn g(x[0]) + g(x[1], 'id') + g(x[2], mode='square')",
    "stars in calls": "def g(a, b, c):\n    return a * b + c\nt = (x[0], x[1])\nreturn g(*t, x[2]) + max(*t) + np.hypot(*t)",
    "stars in tuples": "t = (x[0], x[1])\nu = (*t, x[2], *t)\nreturn u[3] * u[2]",
    "stars in targets": "*b, c = (x[0], x[1], x[2])\na, *d = (x[3], x[4])\nreturn b[0] * b[1] + c + len(b) + d[0] * a",
    "rows of tuples": "z = np.zeros((3, 2))\nfor k in range(3):\n    z[k] = x[k], x[k] ** 2\nz[0, :] = [x[4], 1.0]\nreturn z",
    "del": "t = x * 2\ns = t.sum()\ndel t\nreturn s",
    "zip strict": "s = 0.0\nfor a, b in zip(x, x[::-1], strict=True):\n    s += a * b\nreturn s",
    "zip strict, one shorter": "s = 0.0\nfor a, b in zip(x, x[1:], strict=True):\n    s += a * b\nreturn s",
    "zip strict, left before": "s = 0.0\nfor a, b in zip(x, x[1:], strict=True):\n    if a > 0:\n        break\n    s += a * b\nreturn s + x[0]",
    "lists to run over": "s = 0.0\nfor w in [0.5, 1.5]:\n    s += x[0] * w\nreturn s",
    "sum of map": "return sum(map(lambda a, b: a * b, x, x[::-1]))",
    "sorted": "s = 0.0\nfor k, a in enumerate(sorted(x)):\n    s += a * k\nreturn s",
    "is": "b = x[0] > 0\nreturn x[0] if (1 > 0) is True else x[1]",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    check(PROGRAMS[name], X)


def test_cells_and_their_indices():
    check("s = 0.0\nfor i, j in np.ndindex(x.shape):\n    s += x[i, j] ** 2 * i\nreturn s", A)
    check("s = 0.0\nfor i, j in np.ndindex(2, x.shape[1]):\n    s += x[i, j] * j\nreturn s", A)
    check("s = 0.0\nfor at in np.ndindex(x.shape):\n    s += x[at] ** 2\nreturn s", A)
    check("s = 0.0\nfor (i, j), a in np.ndenumerate(x[1:, ::2]):\n    s += a * a * i + j\nreturn s", A)
    check("s = 0.0\nfor a in x.flat:\n    s += a * a\nreturn s", A)
    check("s = 0.0\nfor at in np.ndindex(x.shape):\n    s += x[at]\nreturn s", A[:0])


@pytest.mark.parametrize("body", ["return math.hypot(*x)", "t = x * 2\ndel t\nreturn t", "for a, b in zip((1, 2), (3,), strict=True):\n    pass\nreturn x[0]"])
def test_refused(body):
    assert refusals(body, X)


def test_a_function_of_any_number_of_arguments_takes_as_many_as_a_call_gives():
    assert linear_grad(lambda x: math.hypot(*x), backend="interpret")(X) == pytest.approx(math.hypot(*X))
