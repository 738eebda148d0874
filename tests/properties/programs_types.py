"""Types, ties, updated parameters, recursion, errors: small programs, each with one of them."""

# ruff: noqa
import math

import numpy as np

TABLE = np.array([0.5, -1.5, 2.0])
KEYS = np.array([2, 0, 1, 1])


def power_tree(v, lo: int, hi: int) -> float:
    if hi - lo == 1:
        return v[lo]
    mid = (lo + hi) // 2
    return math.sin(power_tree(v, lo, mid)) * power_tree(v, mid, hi) + v[lo]


def recursion_reads(x):
    return power_tree(x, 0, len(x))


def fill_in(v, k: int, w: float) -> float:
    if k < 0:
        return w
    v[k] *= w
    r = fill_in(v, k - 1, w * v[k])
    v[k] += r
    return r * 0.5 + v[k]


def recursion_updates(x, w: float):
    y = x.copy()
    r = fill_in(y, len(y) - 1, w)
    for e in y:
        r += e * e
    return r


def halved(v, k: int, w: float) -> float:
    if k < 0:
        return w
    v[k] += w
    return halved(v, k - 1, w * 0.5)


def recursion_updates_for_nobody(x, w: float):
    y = x * 2.0
    return halved(y, len(x) - 1, w)


def unused_parameters(x, dead, w: float, n: int):
    lost = x[0] * w
    lost *= 2.0
    scratch = np.zeros(n)
    scratch[0] = w
    return x[1]


def depends_on_nothing(x, w: float):
    s = 0.0
    for i in range(len(x)):
        s += 1.0
    return s


def ties(x, w: float):
    s = max(x[0], x[1]) + 2.0 * min(x[0], x[1]) + 3.0 * np.maximum(x[0], x[1]) + 5.0 * np.minimum(x[1], x[0])
    s += 7.0 * np.where(x[0] >= x[1], x[0] * w, x[1]) + 11.0 * abs(x[2]) + 13.0 * np.clip(x[0], w, 2.0)
    s += 19.0 * max(w, x[0], 0.5) + 23.0 * np.clip(w, 0.0, x[0])
    return s


def masked_by_where(x):
    s = 0.0
    for e in x:
        s += np.where(e > 0.0, e * e, 0.0) + np.sign(e) * e + math.copysign(e, -1.0)
        s += math.sqrt(e) if e > 0.0 else 0.0
    return s


def single_precision(x, w: float):
    u = np.zeros(len(x), dtype=np.float32)
    s = 0.0
    for i in range(len(x)):
        u[i] = x[i] * w
        u[i] += 0.5 * u[i - 1]
        s += u[i] * x[i]
    return s, u


def single_and_double(x, y):
    n = len(y)
    a = np.zeros(n, dtype=np.float32)
    b = np.zeros(n)
    for i in range(n):
        a[i] = y[i]
        b[i] = x[i % len(x)] * a[i]
        a[i] *= b[i]
    return a[n - 1] + b[0]


def rank_zero(w: float, r):
    a = np.array(w)
    for i in range(3):
        a[()] = a[()] * r[()] + w
        a[()] += 0.5 * a[()]
    return a[()]


def rank_zero_out(w: float):
    a = np.zeros(())
    a[()] = w * w
    return a


def pair_in_out(pair, k: int):
    (a, v), n = pair
    u = v.copy()
    for i in range(len(v)):
        u[i] = a * v[i - k] + n
    return (a * u[0], u), n, (v[0],)


def updated_with_none(y, z):
    for i in range(len(y)):
        y[i], z[i] = z[i] * y[i], y[i - 1]
        if y[i] > 1.0:
            return
    z[0] = 0.0


def accumulate_only(y, x, idx):
    for i in idx:
        y[i] += x[i] * x[i - 1]


def bools_and_counts(x):
    seen = np.zeros(len(x), dtype=np.bool_)
    order = np.zeros(len(x), dtype=np.int64)
    s, w = 0.0, 1.0
    for k in range(len(x)):
        best = -1
        for i in range(len(x)):
            if not seen[i] and (best < 0 or x[i] < x[best]):
                best = i
        seen[best] = True
        order[k] = best
        w *= x[best]
        s += w
    return s, order


def exponents(x, w: float):
    s = 0.0
    for i in range(4):
        s += x[0] ** i + x[1] ** -2 + w ** x[0] + abs(x[2]) ** 1.5 + 2.0 ** x[1] + x[0] ** 0
    return s


rng = np.random.default_rng(3)
U = lambda *shape: rng.uniform(0.3, 1.2, shape)
X = np.array([0.7, -0.4, 1.3, 0.9, -1.1])
IDX = np.array([3, 0, 1, 3, 2])
CASES = {
    "recursion_reads": [((X,), ())],
    "recursion_updates": [((X, 0.7), ())],
    "recursion_updates_for_nobody": [((X, 0.7), ())],
    "unused_parameters": [((X, X, 0.7, 2), ())],
    "depends_on_nothing": [((X, 0.7), ())],
    "ties": [((np.array([0.5, 0.5, 0.0]), 0.5), ()), ((X, 0.2), ())],
    "masked_by_where": [((X,), ())],
    "single_precision": [((X.astype(np.float32), 0.7), ())],
    "single_and_double": [((X[:3].astype(np.float32), X), ()), ((X[:3], X.astype(np.float32)), ())],
    "rank_zero": [((0.7, np.array(0.4)), ())],
    "rank_zero_out": [((0.7,), ())],
    "pair_in_out": [((((0.7, X), 3), 1), ())],
    "updated_with_none": [((X, U(5)), ("y", "z")), ((0.1 * X, U(5)), ("y", "z"))],
    "accumulate_only": [((X, U(5), IDX), ("y",))],
    "bools_and_counts": [((X,), ())],
    "exponents": [((X, 0.7), ())],
}
