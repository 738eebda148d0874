"""The programs that are measured, as a user of linad would write them."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64, Int64

Vec = Float64[np.ndarray, "n"]


def read_one(x: Vec, i: int) -> float:
    """Read one cell."""
    return x[i] * x[i]


def gather(v: Vec, idx: Int64[np.ndarray, "m"]) -> float:
    """Gather, indices repeated."""
    s = 0.0
    for k in range(len(idx)):
        s += v[idx[k]] ** 2
    return s


def sum_loop(x: Vec) -> float:
    """Sum loop."""
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    return s


def prefix_sums(x: Vec) -> float:
    """Prefix sums in place."""
    v = x.copy()
    for i in range(1, len(v)):
        v[i] += v[i - 1]
    s = 0.0
    for i in range(len(v)):
        s += v[i] * v[i]
    return s


def relaxation(x: Vec) -> float:
    """Gauss-Seidel sweep in place."""
    u = x.copy()
    for i in range(1, len(u) - 1):
        u[i] = 0.5 * (u[i - 1] + u[i + 1]) - 0.1 * u[i] * u[i]
    s = 0.0
    for i in range(len(u)):
        s += u[i] * u[i]
    return s


def weighted_gather(v: Vec, idx: Int64[np.ndarray, "m"], w: Float64[np.ndarray, "m"]) -> float:
    """Weighted sum of gathered cells."""
    s = 0.0
    for k in range(len(idx)):
        s += v[idx[k]] * w[k]
    return s


def gauss_seidel(u0: Vec, c: float, sweeps: int) -> float:
    """Many Gauss-Seidel sweeps in place."""
    u = u0.copy()
    for _ in range(sweeps):
        for i in range(1, len(u) - 1):
            u[i] += c * (u[i - 1] - 2.0 * u[i] + u[i + 1])
    s = 0.0
    for i in range(len(u)):
        s += u[i] * u[i]
    return s
