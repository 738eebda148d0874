"""Undecorated programs with their known derivatives, for every way to a gradient."""

from __future__ import annotations

import math
from math import cos, sin

import numpy as np

TABLE = np.array([0.5, -1.5, 2.0])
SCALE = 3.0


def textbook(x1: float, x2: float) -> float:
    return math.log(x1) + x1 * x2 - math.sin(x2)


def product_plus_sine(x: float, y: float) -> float:
    return x * y + sin(x)


def two_outputs(x: float):
    return 2 * x + math.sin(x), 4 * x + cos(x)


def first_into_second(v):
    v[1] = v[0]
    return v[0] * v[1] + v[1]


def summed(g, v):
    total = 0.0
    for i in range(len(v)):
        total += g(v[i])
    return total


def sum_of_lambda(v):
    return summed(lambda e: e * e + SCALE * e, v)


def fan_out(x: float, k: int) -> float:
    """y doubles k times: the derivative is 2**k, and the work of a sweep must stay linear in k."""
    y = x
    for _ in range(k):
        y = y + y
    return y


def fan_in(v):
    y = v[0]
    for i in range(1, len(v)):
        y = y * v[i]
    return y


def gauss_seidel(u, sweeps: int) -> float:
    for _ in range(sweeps):
        for i in range(1, len(u) - 1):
            u[i] = 0.5 * (u[i - 1] + u[i + 1]) + 0.01 * u[i] * u[i]
    total = 0.0
    for i in range(len(u)):
        total += u[i] ** 2
    return total


def prefix_sums(x) -> float:
    y = np.zeros(len(x))
    running = 0.0
    for i in range(len(x)):
        running += x[i]
        y[i] = running
    total = 0.0
    for i in range(len(x)):
        total += y[i] * y[-1 - i]
    return total


def gather(x, idx, w: float) -> float:
    total = 0.0
    for k in range(len(idx)):
        total += w * x[idx[k]] ** 2
    return total


def newton(a: float) -> float:
    x = a
    while abs(x * x - a) > 1e-12 * a:
        x = 0.5 * (x + a / x)
    return x


def branchy(x, t: float) -> float:
    total = 0.0
    for i in range(len(x)):
        if x[i] > t:
            total += np.exp(x[i]) * t
        elif x[i] < -t:
            continue
        else:
            total = total * x[i] + TABLE[i % 3]
        if total > 50.0:
            break
    return total


def scaled(c, x: float):
    """A helper that updates its array."""
    for i in range(len(c)):
        c[i] *= x


def horner(c, x: float) -> float:
    d = c.copy()
    scaled(d, 1.0 + x * x)
    y = 0.0
    for i in range(len(d) - 1, -1, -1):
        y = y * x + d[i]
    return y


def swapped(a, b) -> float:
    u = a.copy()
    v = b.copy()
    for i in range(5):
        for j in range(len(u)):
            u[j] = u[j] * v[j] + float(i)
        u, v = v, u
    return u[0] * v[len(v) - 1] + u[1]


def guarded(x: float) -> float:
    return np.where(x > 0.0, np.sqrt(x), 2.0 * x) + 0.0


def factorial(x: float, k: int) -> float:
    if k == 0:
        return 1.0
    return x * factorial(x - 1.0, k - 1)
