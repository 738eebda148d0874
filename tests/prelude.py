"""The beginning of every generated program: what it imports, its module-level names, the helpers that it may call."""

HEADER = '''\
import math
import numpy as np
from jaxtyping import Float32, Float64, Int64

SCALE = 0.25
TABLE = np.array([0.5, -1.25, 0.75])
KEYS = np.array([2, 0, 1, 1])


def product(v, i):
    return v[i] * v[(i + 1) % len(v)]


def add_into(v, i, e):
    v[i] += e


def smooth(v, c):
    for i in range(1, len(v)):
        if v[i] > 4.0:
            return i
        v[i] = 0.5 * v[i] + 0.25 * v[i - 1] * c
    return len(v)


def first_above(v, c):
    for i in range(len(v)):
        if v[i] > c:
            return v[i]
    return c


def both(a, b):
    return a + b, a * b * SCALE


def total(v):
    s = 0
    for e in v:
        s += e
    return s


def tower(a: float, k: int) -> float:
    if k <= 0:
        return 1.0
    return math.sin(a * tower(0.5 * a, k - 1))


def weights(n):
    t = np.zeros(n)
    for i in range(n):
        t[i] = 1.0 / (1.0 + i)
    return t


def push(v, i, e):
    old = v[i]
    v[i] = math.sin(e + old * v[-1])
    return old * e


def mix(u, v, i):
    for j in range(len(u)):
        u[j] = 0.5 * u[j] + math.tanh(v[i] * u[j - 1])
        v[j] = math.sin(u[j])
    return u[i] - v[0]


def dot(a, b):
    s = 0.0
    for i in range(len(a)):
        s += a[i] * b[-1 - i]
    return math.sin(s)


def tree(v, lo: int, hi: int) -> float:
    if hi - lo <= 1:
        return v[lo]
    mid = (lo + hi) // 2
    return math.sin(tree(v, lo, mid)) * tree(v, mid, hi)


def squared(v):
    t = np.empty(len(v))
    for i in range(len(v)):
        t[i] = math.tanh(v[i] * v[i - 1])
    return t
'''
