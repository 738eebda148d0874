"""Pictures, sweeps over rows, integrators with buffers that change places, one array twice in a tuple."""

# ruff: noqa
import math
import numpy as np
import dataclasses
from typing import NamedTuple
import linad

rng = np.random.default_rng(0)
V = rng.normal(size=6)
W = rng.normal(size=6)
M = rng.normal(size=(5, 6))
IMG = rng.normal(size=(6, 7))


# --- image processing
def median3(img):
    h, w = img.shape
    out = img.copy()
    win = np.zeros(9)
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            k = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    win[k] = img[i + di, j + dj]
                    k += 1
            for a in range(9):
                for b in range(a + 1, 9):
                    if win[b] < win[a]:
                        win[a], win[b] = win[b], win[a]
            out[i, j] = win[4]
    return np.sum(out**2)


def sobel_inplace(img):
    gx = np.zeros_like(img)
    gy = np.zeros_like(img)
    gx[1:-1, 1:-1] = img[1:-1, 2:] - img[1:-1, :-2]
    gy[1:-1, 1:-1] = img[2:, 1:-1] - img[:-2, 1:-1]
    mag = np.hypot(gx, gy + 1e-3)
    mag /= mag.max()
    return mag.mean()


def pyramid(img):
    level = img[:4, :4]
    total = 0.0
    while level.shape[0] > 1:
        level = 0.25 * (level[::2, ::2] + level[1::2, ::2] + level[::2, 1::2] + level[1::2, 1::2])
        total += (level**2).sum()
    return total


# --- rows that are disjoint: A[i], A[i-1]
def row_sweep(A):
    B = A.copy()
    for i in range(1, B.shape[0]):
        B[i] -= 0.5 * B[i - 1]
    return (B * B).sum()


def row_sweep_views(A):
    B = A.copy()
    for i in range(1, B.shape[0]):
        up = B[i - 1]
        cur = B[i]
        cur += 0.5 * up
        up *= 0.9
    return (B * B).sum()


def axpy(y, x, a):
    for i in range(len(y)):
        y[i] += a * x[i]


def gram_schmidt(A):
    Q = A.copy()
    for i in range(Q.shape[0]):
        for j in range(i):
            axpy(Q[i], Q[j], -(Q[i] @ Q[j]) / (Q[j] @ Q[j]))
    return (Q**3).sum()


def givens(A, theta: float):
    B = A.copy()
    c, s = math.cos(theta), math.sin(theta)
    for i in range(B.shape[0] - 1):
        a, b = B[i], B[i + 1]
        t = a.copy()
        a[:] = c * a + s * b
        b[:] = c * b - s * t
    return (B**3).sum()


def swap_rows(A):
    B = A.copy()
    n = B.shape[0]
    for k in range(n // 2):
        tmp = B[k].copy()
        B[k] = B[n - 1 - k]
        B[n - 1 - k] = tmp
    return (B * np.arange(1.0, 1 + B.size).reshape(B.shape)).sum()


def lagged(A):
    prev = A[0]
    total = 0.0
    for row in A[1:]:
        total += (row * prev).sum()
        prev = row
    return total


# --- ODE with swapped buffers
def leapfrog(q0, p0, dt: float, steps: int):
    q, p = q0.copy(), p0.copy()
    qn, pn = np.empty_like(q), np.empty_like(p)
    for _ in range(steps):
        for i in range(len(q)):
            pn[i] = p[i] - 0.5 * dt * math.sin(q[i])
            qn[i] = q[i] + dt * pn[i]
            pn[i] -= 0.5 * dt * math.sin(qn[i])
        q, qn = qn, q
        p, pn = pn, p
    return (p**2).sum() / 2 - np.cos(q).sum()


def buffers_tuple_swap(x, n: int):
    state = (x.copy(), np.zeros(len(x)))
    for k in range(n):
        src, dst = state
        dst[:] = 0.5 * src + 0.25 * np.roll(src, 1)
        state = (dst, src)
    return (state[0] ** 2).sum()


# --- tuple of same array (known: LIN111 missing, must not be wrong)
def tuple_helper(p):
    u, v = p
    u[0] = v[1] * 2
    v[2] = u[0]
    return u[2]


def tuple_passed_twice(x):
    a = x.copy()
    r = tuple_helper((a, a))
    return r * a[2] + a.sum()


def tuple_view(x):
    a = x.copy()
    t = (a[1:], a[:-1])
    t[0][0] = 2.0 * t[1][0]
    t[1][1] *= 3.0
    return (t[0] ** 2).sum() + (a**3).sum()


def nested_tuple_loop(x, n: int):
    a = x.copy()
    t = ((a, 1.0), a)
    for i in range(n):
        t[0][0][i] += t[1][i - 1]
    return t[1].sum() * t[0][1]


CASES = {
    "median3": (IMG,),
    "sobel_inplace": (IMG,),
    "pyramid": (IMG,),
    "row_sweep": (M,),
    "row_sweep_views": (M,),
    "gram_schmidt": (M,),
    "givens": (M, 0.3),
    "swap_rows": (M,),
    "lagged": (M,),
    "leapfrog": (V, W, 0.1, 5),
    "buffers_tuple_swap": [(V, 5), (V, 0)],
    "tuple_passed_twice": (V,),
    "tuple_view": (V,),
    "nested_tuple_loop": (V, 4),
}
