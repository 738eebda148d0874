"""Tracers with limiters, atoms with neighbours, alignments, graphs, tables: in loops."""

import math

import numpy as np
from jaxtyping import Float64, Int64

Plate = Float64[np.ndarray, "n m"]


def minmod(a: float, b: float) -> float:
    if a * b <= 0.0:
        return 0.0
    return a if abs(a) < abs(b) else b


def transport_plate(q0: Plate, u: float, v: float, steps: int) -> float:
    """A tracer on a plate with limited slopes, split by direction: sweeps along rows, then along columns."""
    n, m = q0.shape
    q = q0.copy()
    flux = np.zeros(max(n, m) + 1)
    for t in range(steps):
        for i in range(n):
            for j in range(2, m - 1):
                s = minmod(q[i, j - 1] - q[i, j - 2], q[i, j] - q[i, j - 1])
                flux[j] = u * (q[i, j - 1] + 0.5 * (1.0 - u) * s)
            for j in range(2, m - 2):
                q[i, j] -= flux[j + 1] - flux[j]
        for j in range(m):
            for i in range(2, n - 1):
                s = minmod(q[i - 1, j] - q[i - 2, j], q[i, j] - q[i - 1, j])
                flux[i] = v * (q[i - 1, j] + 0.5 * (1.0 - v) * s)
            for i in range(2, n - 2):
                q[i, j] -= flux[i + 1] - flux[i]
    s = 0.0
    for i in range(n):
        for j in range(m):
            s += q[i, j] * q[i, j]
    return s


def argon(
    x0: Float64[np.ndarray, "p 3"],
    start: Int64[np.ndarray, "q"],
    other: Int64[np.ndarray, "e"],
    box: float,
    dt: float,
    steps: int,
) -> float:
    """Atoms with a list of neighbours in a periodic box, Lennard-Jones forces with a cutoff, velocity Verlet."""
    n = x0.shape[0]
    x = x0.copy()
    v = np.zeros((n, 3))
    f = np.zeros((n, 3))
    energy = 0.0
    for t in range(steps):
        for i in range(n):
            for c in range(3):
                v[i, c] += 0.5 * dt * f[i, c]
                x[i, c] += dt * v[i, c]
        f[:] = 0.0
        energy = 0.0
        for i in range(n):
            for k in range(start[i], start[i + 1]):
                j = other[k]
                dx = x[i, 0] - x[j, 0]
                dy = x[i, 1] - x[j, 1]
                dz = x[i, 2] - x[j, 2]
                dx -= box * math.floor(dx / box + 0.5)
                dy -= box * math.floor(dy / box + 0.5)
                dz -= box * math.floor(dz / box + 0.5)
                r2 = dx * dx + dy * dy + dz * dz
                if r2 < 6.25:
                    s = 1.0 / (r2 + 0.5)
                    s6 = s * s * s
                    energy += 4.0 * s6 * (s6 - 1.0)
                    g = 24.0 * s * s6 * (2.0 * s6 - 1.0)
                    f[i, 0] += g * dx
                    f[i, 1] += g * dy
                    f[i, 2] += g * dz
                    f[j, 0] -= g * dx
                    f[j, 1] -= g * dy
                    f[j, 2] -= g * dz
        for i in range(n):
            for c in range(3):
                v[i, c] += 0.5 * dt * f[i, c]
    kinetic = 0.0
    for i in range(n):
        kinetic += 0.5 * (v[i, 0] ** 2 + v[i, 1] ** 2 + v[i, 2] ** 2)
    return energy + kinetic


def steam_table(
    p: Float64[np.ndarray, "a"],
    t: Float64[np.ndarray, "b"],
    table: Float64[np.ndarray, "a b"],
    at: Float64[np.ndarray, "q 2"],
) -> float:
    """Bilinear interpolation in a table with uneven nodes, clamped at its borders; intervals by bisection."""
    s = 0.0
    for k in range(at.shape[0]):
        x = min(max(at[k, 0], p[0]), p[len(p) - 1])
        y = min(max(at[k, 1], t[0]), t[len(t) - 1])
        i, hi = 0, len(p) - 1
        while hi - i > 1:
            mid = (i + hi) // 2
            if p[mid] > x:
                hi = mid
            else:
                i = mid
        j, hj = 0, len(t) - 1
        while hj - j > 1:
            mid = (j + hj) // 2
            if t[mid] > y:
                hj = mid
            else:
                j = mid
        fx = (x - p[i]) / (p[i + 1] - p[i])
        fy = (y - t[j]) / (t[j + 1] - t[j])
        low = (1.0 - fx) * table[i, j] + fx * table[i + 1, j]
        high = (1.0 - fx) * table[i, j + 1] + fx * table[i + 1, j + 1]
        v = (1.0 - fy) * low + fy * high
        s += v * v
    return s


def affine_gaps(
    a: Int64[np.ndarray, "n"], b: Int64[np.ndarray, "m"], score: Float64[np.ndarray, "k k"], gap: float, more: float
) -> float:
    """Gotoh's alignment of two sequences of codes with a smooth maximum: three matrices kept by rows."""
    n, m = len(a), len(b)
    M = np.full((n + 1, m + 1), -1e3)
    X = np.full((n + 1, m + 1), -1e3)
    Y = np.full((n + 1, m + 1), -1e3)
    M[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            p, q, r = M[i - 1, j - 1], X[i - 1, j - 1], Y[i - 1, j - 1]
            top = max(p, q, r)
            M[i, j] = (
                score[a[i - 1], b[j - 1]] + top + math.log(math.exp(p - top) + math.exp(q - top) + math.exp(r - top))
            )
            p, q = M[i - 1, j] - gap, X[i - 1, j] - more
            top = max(p, q)
            X[i, j] = top + math.log(math.exp(p - top) + math.exp(q - top))
            p, q = M[i, j - 1] - gap, Y[i, j - 1] - more
            top = max(p, q)
            Y[i, j] = top + math.log(math.exp(p - top) + math.exp(q - top))
    return max(M[n, m], X[n, m], Y[n, m])


def graph_layers(
    start: Int64[np.ndarray, "q"],
    to: Int64[np.ndarray, "e"],
    weight: Float64[np.ndarray, "e"],
    h0: Float64[np.ndarray, "v f"],
    rounds: int,
) -> float:
    """Bellman-Ford with soft minima and attention over a graph by rows: scores, their softmax, a weighted mean."""
    n, width = h0.shape
    h = h0.copy()
    out = np.zeros((n, width))
    score = np.zeros(64)
    for t in range(rounds):
        for i in range(n):
            first, last = start[i], start[i + 1]
            top = -1e30
            for e in range(first, last):
                s = 0.0
                for c in range(width):
                    s += h[i, c] * h[to[e], c]
                score[e - first] = weight[e] * s
                top = max(top, score[e - first])
            z = 0.0
            for e in range(first, last):
                score[e - first] = math.exp(score[e - first] - top)
                z += score[e - first]
            for c in range(width):
                out[i, c] = 0.5 * h[i, c]
            for e in range(first, last):
                for c in range(width):
                    out[i, c] += 0.5 * score[e - first] / z * h[to[e], c]
        h, out = out, h
    total = 0.0
    for i in range(n):
        for c in range(width):
            total += math.tanh(h[i, c])
    return total
