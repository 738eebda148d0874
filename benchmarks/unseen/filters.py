"""Filters, transforms and tables filled cell by cell: neighbours kept inside, on rings, in windows, in blocks."""

import math

import numpy as np
from jaxtyping import Float64

Vec = Float64[np.ndarray, "n"]
Vec2 = Float64[np.ndarray, "m"]
Plate = Float64[np.ndarray, "n m"]


def edge_strength(img: Plate, weight: float) -> float:
    """Edges of a picture by Sobel's filter; indices are kept inside it, so that its border repeats."""
    n, m = img.shape
    total = 0.0
    for i in range(n):
        for j in range(m):
            up = i - 1 if i > 0 else 0
            down = i + 1 if i < n - 1 else n - 1
            left = max(j - 1, 0)
            right = min(j + 1, m - 1)
            gx = (img[up, right] + 2.0 * img[i, right] + img[down, right]
                  - img[up, left] - 2.0 * img[i, left] - img[down, left])
            gy = (img[down, left] + 2.0 * img[down, j] + img[down, right]
                  - img[up, left] - 2.0 * img[up, j] - img[up, right])
            total += math.sqrt(gx * gx + gy * gy + weight)
    return total / (n * m)


def cosine_blocks(img: Plate, quant: Float64[np.ndarray, "b b"]) -> float:
    """Cosine transforms of blocks of 8 x 8 cells, softly rounded, and what that loses."""
    n, m = img.shape
    C = np.zeros((8, 8))
    for k in range(8):
        for i in range(8):
            C[k, i] = math.sqrt((1.0 if k == 0 else 2.0) / 8.0) * math.cos(math.pi * (2 * i + 1) * k / 16.0)
    loss = 0.0
    for bi in range(0, n - 7, 8):
        for bj in range(0, m - 7, 8):
            block = img[bi:bi + 8, bj:bj + 8]
            coef = C @ block @ C.T
            scaled = coef / quant
            soft = scaled - np.sin(2 * np.pi * scaled) / (2 * np.pi)
            back = C.T @ (soft * quant) @ C
            loss += np.sum((back - block) ** 2)
    return loss / (n * m)


def weno_ring(u0: Vec, dt: float, steps: int) -> float:
    """Advection on a ring by the fifth-order weighted scheme, neighbours by remainders."""
    u = u0.copy()
    n = len(u)
    flux = np.zeros(n)
    for _ in range(steps):
        for i in range(n):
            a = u[(i - 2) % n]
            b = u[(i - 1) % n]
            c = u[i]
            d = u[(i + 1) % n]
            e = u[(i + 2) % n]
            b0 = 13 / 12 * (a - 2 * b + c) ** 2 + 0.25 * (a - 4 * b + 3 * c) ** 2
            b1 = 13 / 12 * (b - 2 * c + d) ** 2 + 0.25 * (b - d) ** 2
            b2 = 13 / 12 * (c - 2 * d + e) ** 2 + 0.25 * (3 * c - 4 * d + e) ** 2
            w0 = 0.1 / (1e-6 + b0) ** 2
            w1 = 0.6 / (1e-6 + b1) ** 2
            w2 = 0.3 / (1e-6 + b2) ** 2
            p0 = (2 * a - 7 * b + 11 * c) / 6
            p1 = (-b + 5 * c + 2 * d) / 6
            p2 = (2 * c + 5 * d - e) / 6
            flux[i] = (w0 * p0 + w1 * p1 + w2 * p2) / (w0 + w1 + w2)
        for i in range(n):
            u[i] -= dt * (flux[i] - flux[i - 1])
    return np.sum(u ** 2)


def sliding_lines(x: Vec, window: int) -> float:
    """A line through every window of a series, in sums over the window."""
    n = len(x)
    total = 0.0
    for i in range(window, n - window):
        sx = 0.0
        sxx = 0.0
        sy = 0.0
        sxy = 0.0
        for j in range(-window, window + 1):
            sx += j
            sxx += j * j
            sy += x[i + j]
            sxy += j * x[i + j]
        c = 2 * window + 1
        slope = (c * sxy - sx * sy) / (c * sxx - sx * sx)
        mean = (sy - slope * sx) / c
        total += (x[i] - mean) ** 2 + 0.1 * slope ** 2
    return total


def time_warp(a: Vec, b: Vec2) -> float:
    """Dynamic time warping with the whole table."""
    n, m = len(a), len(b)
    D = np.full((n + 1, m + 1), np.inf)
    D[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (a[i - 1] - b[j - 1]) ** 2
            D[i, j] = cost + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[n, m]


def shortest_paths(w: Float64[np.ndarray, "n n"]) -> float:
    """Shortest paths between all nodes by Floyd and Warshall's loops, in place."""
    n = len(w)
    d = w.copy()
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i, j] = min(d[i, j], d[i, k] + d[k, j])
    return np.sum(d)


def likeliest_states(logp: Plate, trans: Float64[np.ndarray, "m m"]) -> float:
    """The log probability of the likeliest path through hidden states."""
    n, m = logp.shape
    score = logp[0].copy()
    for t in range(1, n):
        new = np.empty(m)
        for j in range(m):
            best = -1e300
            for i in range(m):
                s = score[i] + trans[i, j]
                if s > best:
                    best = s
            new[j] = best + logp[t, j]
        score = new
    return np.max(score)
