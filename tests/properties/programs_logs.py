"""Loops of every step whose logs, local arrays and writes the reverse sweep has to find again."""

# ruff: noqa
import math

import numpy as np


def steps_and_logs(x, a: int, b: int, k: int):
    y = x.copy()
    s = 1.0
    for i in range(a, b, k):
        row = np.zeros(len(x))
        for j in range(len(x) - 1, -1, -2):
            row[j] = y[j] * s + x[i % len(x)]
            for l in range(b, a, -k):
                s = s * 0.5 + row[j] * math.sin(s * x[l % len(x)])
        for j in range(0, len(x), 2):
            y[j] = row[j] * row[j - 1] * 0.3
        s += row[0] * row[-1]
    return s, y


def steps_and_exits(x, a: int, b: int, k: int):
    s = 1.0
    for i in range(a, b, k):
        for j in range(b, a, -k):
            s = s * x[j % len(x)] + x[i % len(x)]
            if s > 1.2:
                s = math.cos(s) * x[0]
                break
        row = np.ones(2)
        row[i % 2] = s * x[1]
        if row[0] * row[1] < -0.9:
            break
        s += row[0] * row[0] * x[2]
    return s


def local_array_in_arm(x):
    s = 0.5
    for i in range(len(x)):
        if x[i] > 0.0:
            t = np.zeros(3)
            for j in range(3):
                t[j] = x[i - j] * s
            for j in range(3):
                t[j] *= t[j - 1]
            s += t[0] * t[2]
        else:
            t = x.copy()
            t[i] = s
            s = s * t[i - 1] + t[i] * t[i]
    return s


def local_array_read_by_helper(x):
    s = 0.5
    for i in range(len(x)):
        t = np.empty(2)
        t[0] = s
        t[1] = s * x[i]
        bump(t, 0, s)
        s = inner(t, t) * 0.3
        bump(t, 1, s)
        s += inner(t, x)
    return s


def bump(v, i, e):
    v[i] = v[i] * e + v[1 - i]


def inner(a, b):
    s = 0.0
    for i in range(len(a)):
        s += a[i] * b[i]
    return s


def array_kept_for_the_next(x, n: int):
    before = x.copy()
    s = 0.0
    for t in range(n):
        now = np.empty(len(x))
        for i in range(len(x)):
            now[i] = before[i] * before[i - 1] + 0.1 * t
        for i in range(len(x)):
            s += now[i] * before[i]
        if s > 1.0:
            before = now
        elif s > 0.0:
            before[0] *= now[1]
        else:
            before = before.copy()
            before[1] = s * now[0]
    return s, before


def two_state_arrays_crossed(x, n: int):
    a, b = x.copy(), np.full(len(x), 0.5)
    for t in range(n):
        c = np.zeros(len(x))
        for i in range(len(x)):
            c[i] = a[i] * b[i - 1]
        if t % 2 == 0:
            a, b = b, c
        else:
            a, b = c, a
        for i in range(len(x)):
            a[i] += 0.3 * b[i] * b[i]
    return inner(a, b)


def histogram_weights(x, idx, n: int):
    h = np.zeros(4)
    c = idx.copy()
    s = 0.0
    for t in range(n):
        for i in range(len(c)):
            h[c[i]] += x[i] * (1.0 + h[c[i]])
            if h[c[i]] > 1.0:
                c[i] = (c[i] + 1) % 4
                h[c[i]] *= 0.5
        s += h[t % 4] * h[c[t]]
    return s, c


def float_condition_recomputed(x):
    s = 0.0
    for i in range(len(x)):
        a = x[i] * x[i] * 3.0
        b = a + s
        if b > 1.0 and a < 2.0:
            s = s * 0.3 + b * b
        elif not (a > 0.3 or s < 0.5):
            s -= a
        k = int(b * 2.0)
        s += x[k % len(x)] * a
    return s


def carried_bool_and_int(x):
    up, count, s = True, 0, 1.0
    for i in range(len(x)):
        if up:
            s *= 1.0 + x[i] * x[i]
            count += 1
        else:
            s = s / (1.0 + x[i] * x[i] * count)
        up = s < 2.0
        if count > 2:
            count = 0
    return s, count, up


def accumulate_then_store(x, idx):
    y = np.zeros(len(x))
    for i in range(len(idx)):
        y[idx[i]] += x[i] * x[i]
    for i in range(len(idx)):
        y[idx[i]] = x[i]
    for i in range(len(idx)):
        y[idx[i]] += x[i] * y[idx[0]]
    return inner(y, x)


X = np.array([0.7, -0.4, 1.3, 0.9, -1.1])
P = np.abs(X)
rng = np.random.default_rng(1)
RANGES = [(0, 5, 2), (4, -1, -1), (1, 8, 3), (7, 0, -2), (0, 0, 1), (0, 4, 1), (3, 0, 0)]
CASES = {
    "steps_and_logs": [((X, *r), ()) for r in RANGES],
    "steps_and_exits": [((x, *r), ()) for x in (X, P) for r in RANGES[:5]],
    "local_array_in_arm": [((X,), ())],
    "local_array_read_by_helper": [((X,), ())],
    "array_kept_for_the_next": [((X, 4), ()), ((P, 4), ())],
    "two_state_arrays_crossed": [((X, 5), ())],
    "histogram_weights": [((P, np.array([0, 1, 1, 3, 2]), 5), ())], "float_condition_recomputed": [((X,), ())],
    "carried_bool_and_int": [((X,), ()), ((2 * X,), ())], "accumulate_then_store": [((X, np.array([1, 1, 0, 4])), ())],
}
