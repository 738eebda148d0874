"""The same functions three times: as loops, as NumPy expressions, and with linad's combinators."""

import math

import numpy as np
from jaxtyping import Float64

import linad

Vector = Float64[np.ndarray, "n"]
Matrix = Float64[np.ndarray, "m n"]


def weighted_loops(x: Vector, w: Vector) -> float:
    s = 0.0
    for i in range(len(x)):
        s += w[i] * math.exp(-x[i])
    return s


def weighted_numpy(x: Vector, w: Vector) -> float:
    return np.sum(w * np.exp(-x))


def weighted_combined(x: Vector, w: Vector) -> float:
    return linad.sum(len(x), lambda i: w[i] * math.exp(-x[i]))


def entropy_loops(x: Vector, p: Vector) -> float:
    most = x[0]
    for i in range(len(x)):
        most = max(most, x[i])
    total = 0.0
    for i in range(len(x)):
        total += math.exp(x[i] - most)
    s = 0.0
    for i in range(len(x)):
        s -= p[i] * (x[i] - most - math.log(total))
    return s


def entropy_numpy(x: Vector, p: Vector) -> float:
    z = x - np.max(x)
    return -np.sum(p * (z - np.log(np.sum(np.exp(z)))))


def entropy_combined(x: Vector, p: Vector) -> float:
    most = linad.reduce(lambda a, b: max(a, b), x[0], x)
    z = linad.map(lambda v: v - most, x)
    total = linad.sum(len(z), lambda i: math.exp(z[i]))
    return -linad.sum(len(z), lambda i: p[i] * (z[i] - math.log(total)))


def heat_loops(x: Vector, w: float) -> float:
    n = len(x)
    u = x.copy()
    for _ in range(20):
        v = np.zeros(n)
        v[0], v[n - 1] = u[0], u[n - 1]
        for i in range(1, n - 1):
            v[i] = u[i] + w * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u = v
    s = 0.0
    for i in range(n):
        s += u[i] * u[i]
    return s


def heat_numpy(x: Vector, w: float) -> float:
    u = x.copy()
    for _ in range(20):
        v = u.copy()
        v[1:-1] += w * (u[:-2] - 2.0 * u[1:-1] + u[2:])
        u = v
    return np.sum(u * u)


def heat_combined(x: Vector, w: float) -> float:
    u = x.copy()
    n = len(x)
    for _ in range(20):
        v = u.copy()
        v[1:-1] = linad.build(n - 2, lambda i: u[i + 1] + w * (u[i] - 2.0 * u[i + 1] + u[i + 2]))
        u = v
    return linad.sum(n, lambda i: u[i] * u[i])


def layer_loops(a: Matrix, x: Vector) -> float:
    s = 0.0
    for i in range(a.shape[0]):
        t = 0.0
        for j in range(a.shape[1]):
            t += a[i, j] * x[j]
        s += math.tanh(t)
    return s


def layer_numpy(a: Matrix, x: Vector) -> float:
    return np.sum(np.tanh(np.sum(a * x, axis=1)))


def layer_combined(a: Matrix, x: Vector) -> float:
    return linad.sum(a.shape[0], lambda i: math.tanh(linad.sum(a.shape[1], lambda j: a[i, j] * x[j])))


def prefix_loops(x: Vector, w: Vector) -> float:
    total = 0.0
    s = 0.0
    for i in range(len(x)):
        total += x[i]
        s += w[i] * math.sin(total)
    return s


def prefix_numpy(x: Vector, w: Vector) -> float:
    return np.sum(w * np.sin(np.cumsum(x)))


def prefix_combined(x: Vector, w: Vector) -> float:
    sums = linad.scanl(lambda a, b: a + b, 0.0, x)
    return linad.sum(len(x), lambda i: w[i] * math.sin(sums[i]))


def logistic_loops(a: Matrix, x: Vector) -> float:
    s = 0.0
    for i in range(a.shape[0]):
        t = 0.0
        for j in range(a.shape[1]):
            t += a[i, j] * x[j]
        s += math.log1p(math.exp(-t))
    return s / a.shape[0]


def logistic_numpy(a: Matrix, x: Vector) -> float:
    return np.mean(np.log1p(np.exp(-np.sum(a * x, axis=1))))


def logistic_combined(a: Matrix, x: Vector) -> float:
    z = linad.map(lambda row: linad.sum(len(row), lambda j: row[j] * x[j]), a)
    return linad.sum(len(z), lambda i: math.log1p(math.exp(-z[i]))) / len(z)


def pairs_loops(a: Matrix, w: float) -> float:
    s = 0.0
    for i in range(a.shape[0]):
        for k in range(a.shape[0]):
            d = w
            for j in range(a.shape[1]):
                d += (a[i, j] - a[k, j]) ** 2
            s += math.sqrt(d)
    return s


def pairs_numpy(a: Matrix, w: float) -> float:
    d = np.sum((a[:, None, :] - a[None, :, :]) ** 2, axis=2)
    return np.sum(np.sqrt(d + w))


def pairs_combined(a: Matrix, w: float) -> float:
    m, n = a.shape
    return linad.sum(
        m,
        lambda i: linad.sum(m, lambda k: math.sqrt(w + linad.sum(n, lambda j: (a[i, j] - a[k, j]) ** 2))),
    )
