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


def integral_image(img):
    h, w = img.shape
    S = np.zeros((h + 1, w + 1))
    for i in range(h):
        row = 0.0
        for j in range(w):
            row += img[i, j]
            S[i + 1, j + 1] = S[i, j + 1] + row
    total = 0.0
    for i in range(h - 1):
        for j in range(w - 1):
            total += (S[i + 2, j + 2] - S[i, j + 2] - S[i + 2, j] + S[i, j]) ** 2
    return total


def bilateral(img, sigma: float):
    h, w = img.shape
    out = np.empty_like(img)
    for i in range(h):
        for j in range(w):
            num, den = 0.0, 0.0
            for ii in range(max(0, i - 1), min(h, i + 2)):
                for jj in range(max(0, j - 1), min(w, j + 2)):
                    g = math.exp(-((img[ii, jj] - img[i, j]) ** 2) / (2 * sigma**2))
                    num += g * img[ii, jj]
                    den += g
            out[i, j] = num / den
    return out.sum() + (out * img).sum()


def sobel_inplace(img):
    gx = np.zeros_like(img)
    gy = np.zeros_like(img)
    gx[1:-1, 1:-1] = img[1:-1, 2:] - img[1:-1, :-2]
    gy[1:-1, 1:-1] = img[2:, 1:-1] - img[:-2, 1:-1]
    mag = np.hypot(gx, gy + 1e-3)
    mag /= mag.max()
    return mag.mean()


def floyd_steinberg(img):
    h, w = img.shape
    a = img.copy()
    err_total = 0.0
    for y in range(h):
        for x in range(w):
            old = a[y, x]
            new = 1.0 if old > 0.0 else -1.0
            a[y, x] = new
            err = old - new
            err_total += err * err
            if x + 1 < w:
                a[y, x + 1] += err * 7 / 16
            if y + 1 < h:
                if x > 0:
                    a[y + 1, x - 1] += err * 3 / 16
                a[y + 1, x] += err * 5 / 16
                if x + 1 < w:
                    a[y + 1, x + 1] += err * 1 / 16
    return err_total


def pyramid(img):
    level = img[:4, :4]
    total = 0.0
    while level.shape[0] > 1:
        level = 0.25 * (level[::2, ::2] + level[1::2, ::2] + level[::2, 1::2] + level[1::2, 1::2])
        total += (level**2).sum()
    return total


def watershed_like(img):
    h, w = img.shape
    lab = np.zeros((h, w), dtype=np.int64)
    n = 0
    s = 0.0
    for i in range(h):
        for j in range(w):
            if i > 0 and abs(img[i, j] - img[i - 1, j]) < 0.7:
                lab[i, j] = lab[i - 1, j]
            elif j > 0 and abs(img[i, j] - img[i, j - 1]) < 0.7:
                lab[i, j] = lab[i, j - 1]
            else:
                n += 1
                lab[i, j] = n
    sums = np.zeros(n + 1)
    counts = np.zeros(n + 1)
    for i in range(h):
        for j in range(w):
            sums[lab[i, j]] += img[i, j]
            counts[lab[i, j]] += 1
    for k in range(1, n + 1):
        s += (sums[k] / counts[k]) ** 2
    return s


def conv_full(a, k):
    n, m = len(a), len(k)
    out = np.zeros(n + m - 1)
    for i in range(n):
        out[i : i + m] += a[i] * k
    return out @ out


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


def adams_bashforth(y0, dt: float, steps: int):
    f0 = -y0
    f1 = -y0 * 1.1
    y = y0 * 1.0
    for _ in range(steps):
        f2 = -y + 0.1 * np.sin(y)
        y = y + dt * (23 * f2 - 16 * f1 + 5 * f0) / 12
        f0, f1 = f1, f2
    return y.sum()


def rkf_adaptive(y0: float, tol: float):
    t, y, h = 0.0, y0, 0.1
    steps = 0
    while t < 1.0 and steps < 200:
        if t + h > 1.0:
            h = 1.0 - t
        k1 = h * (-y * y)
        k2 = h * (-((y + 0.5 * k1) ** 2))
        k3 = h * (-((y + 0.75 * k2) ** 2))
        y3 = y + (2 * k1 + 3 * k2 + 4 * k3) / 9
        y2 = y + k2
        err = abs(y3 - y2)
        if err <= tol:
            t += h
            y = y3
        h = 0.9 * h * min(2.0, max(0.3, (tol / (err + 1e-12)) ** 0.333))
        steps += 1
    return y


def ring_buffer(x, n: int):
    buf = np.zeros(3)
    head = 0
    out = 0.0
    for i in range(n):
        buf[head] = x[i % len(x)] + 0.5 * buf[(head + 1) % 3]
        head = (head + 1) % 3
        out += buf[head] * x[(i * 2) % len(x)]
    return out


def buffers_in_list(x, n: int):
    bufs = [x.copy(), np.zeros(len(x))]
    for k in range(n):
        src, dst = bufs[k % 2], bufs[(k + 1) % 2]
        for i in range(len(x)):
            dst[i] = 0.5 * src[i] + 0.25 * src[i - 1]
    return (bufs[n % 2] ** 2).sum()


def buffers_tuple_swap(x, n: int):
    state = (x.copy(), np.zeros(len(x)))
    for k in range(n):
        src, dst = state
        dst[:] = 0.5 * src + 0.25 * np.roll(src, 1)
        state = (dst, src)
    return (state[0] ** 2).sum()


# --- tuple of same array (known: LIN111 missing, must not be wrong)
def tuple_twice(x):
    a = x.copy()
    t = (a, a)
    t[0][0] = 3.0
    return (t[1] ** 2).sum()


def tuple_twice_update_both(x):
    a = x.copy()
    t = (a, a)
    t[0][0] *= 3.0
    t[1][0] += x[1]
    a[0] *= t[0][0]
    return (t[1] ** 2).sum() + a[0]


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
    "integral_image": (IMG,),
    "bilateral": (IMG, 0.8),
    "sobel_inplace": (IMG,),
    "floyd_steinberg": (IMG,),
    "pyramid": (IMG,),
    "watershed_like": (IMG,),
    "conv_full": (V, W[:3]),
    "row_sweep": (M,),
    "row_sweep_views": (M,),
    "gram_schmidt": (M,),
    "givens": (M, 0.3),
    "swap_rows": (M,),
    "lagged": (M,),
    "leapfrog": (V, W, 0.1, 5),
    "adams_bashforth": (V, 0.1, 6),
    "rkf_adaptive": (0.7, 1e-4),
    "ring_buffer": (V, 8),
    "buffers_in_list": (V, 5),
    "buffers_tuple_swap": [(V, 5), (V, 0)],
    "tuple_twice": (V,),
    "tuple_twice_update_both": (V,),
    "tuple_passed_twice": (V,),
    "tuple_view": (V,),
    "nested_tuple_loop": (V, 4),
}
