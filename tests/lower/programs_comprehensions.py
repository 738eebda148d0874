"""Comprehensions, folds and the constructors of ranges; run by test_against_python.py."""

# ruff: noqa
import math

import numpy as np


def sums(x, n):
    a = sum(x[i] * x[i] for i in range(len(x)))
    b = sum([v + 1 for v in x if v > 0.0])
    c = sum(x)
    d = sum(range(n))
    e = sum((a, b, 2), 0.5)
    f = sum(i * j for i in range(n) for j in range(i))
    g = sum(w * v for w, v in zip(x, reversed(x)))
    return a, b, c, d, e, f, g


def extremes(x):
    low = min(v * v for v in x)
    high = max([math.sin(v) for v in x])
    k = max(i for i in range(3) if i != 2)
    return low, high, min(x), max(x), k, min((3, 1, 2)), max([x[0], 2.0, 1])


def or_default(x, t):
    last = max((i for i in range(len(x)) if x[i] > t), default=None)
    of_none = min((), default=t) + max(x[:0], default=x[0]) + max([x[0], t], default=None)
    return max((v * v for v in x if v > t), default=t), -1.0 if last is None else x[last], of_none


def questions(x, t):
    a = any(v > t for v in x)
    b = all(v < t for v in x)
    c = any((x[0] > t, x[1] > t))
    d = all([x[0] > t, x[1] > t, True])
    e = any(x[k] > t for k in (0, 2))
    f = all(x[k] > t for k in (0, 2) if k > 0)
    g = any(v > t for v in x if v < 0)
    return a, b, c, d, e, f, g


def stops_early(x, t):
    return any(x[i] > t for i in range(9))


def hides_names(x, i):
    v = 2.5
    s = sum(v * i for i, v in enumerate(x))
    y = np.array([x * i for x in (1.0, 2.0)])
    z = np.array([sum(x[j] * i for j in range(i)) for i in range(3)])
    return s + v + i + x[0], y, z


def arrays_of(x, n):
    a = np.array([v * 2 for v in x])
    b = np.array([i for i in range(n)])
    c = np.array([i / 2 + x[i] for i in range(1, len(x), 2)])
    d = np.array([k * x[0] for k in (1, 2, 3)])
    e = np.array([x[i] for i in range(n)], dtype=np.float32)
    f = np.array([i > 1 for i in range(n)])
    return a, b, c, d, e, f


def helper_count(c, v):
    c[0] += 1.0
    return v


def aranges(a, b, c):
    return np.arange(a), np.arange(a, b), np.arange(a, b, c), np.arange(b, a, -2)


def arange_types(n):
    return np.arange(n, dtype=np.float32), np.arange(2 * n, dtype=np.int32), np.arange(0.5, n), np.arange(n, dtype=np.float64)


def linspaces(a, b, n):
    return np.linspace(a, b, n), np.linspace(a, b, 4), np.linspace(a, b, num=3, endpoint=False), np.linspace(a, b)


def eyes(n, m):
    return np.eye(n), np.eye(n, m), np.identity(n), np.eye(n, k=1), np.eye(n, m, -1), np.eye(n, dtype=np.int64)


def same_array(x):
    u = np.asarray(x)
    v = np.array(x)
    w = x.copy()
    y = np.asarray(w)
    y[0] = 9.0
    z = np.full_like(x, 2)
    return u[0] + v[1] + y[0] + z[0], np.asarray([1, x[0]]), np.ones_like(x, dtype=np.int64)


def conversions(v):
    return int(v), math.floor(v), math.ceil(v), math.trunc(v), round(v)


def to_cell(v):
    a = np.zeros(2, dtype=np.int64)
    a[1] = v
    return a


def digits(v, n):
    return round(v, 2), round(v, 0), np.round(v, 1), round(n, 3), np.round(v), np.around(v, 3)


def halves(v, n):
    q, r = divmod(v, 0.75)
    i, j = divmod(n, 3)
    return q, r, i, j


def update_order(x, i, n):
    a = np.zeros(3)
    a[i] += helper_raise(x, n)
    return a


def helper_raise(x, n):
    if n > 2:
        raise ValueError("big")
    return x[0] * (7 // n)


def update_after_store(x):
    a = x.copy()
    a[0] += helper_count(a, a[0])
    a[1] *= helper_count(a, a[0])
    a[2] -= a[2] * a[0]
    return a
