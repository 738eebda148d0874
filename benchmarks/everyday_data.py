"""Programs about matrices, points and data as scientists write them, none with a thought of how it will be differentiated."""

import math

import numpy as np
from jaxtyping import Float64, Int64

Vec = Float64[np.ndarray, "n"]
Mat = Float64[np.ndarray, "n m"]
Square = Float64[np.ndarray, "n n"]
Points = Float64[np.ndarray, "n 3"]
Plane = Float64[np.ndarray, "n 2"]


def mlp(x: Mat, w1: Float64[np.ndarray, "m h"], w2: Float64[np.ndarray, "h"]) -> float:
    h = np.tanh(x @ w1)
    return np.sum((h @ w2) ** 2)


def logreg(x: Mat, y: Vec, w: Float64[np.ndarray, "m"]) -> float:
    s = 0.0
    for i in range(x.shape[0]):
        z = 0.0
        for j in range(x.shape[1]):
            z += x[i, j] * w[j]
        s += math.log(1 + math.exp(-y[i] * z))
    return s


def softmax_ce(x: Mat, t: Int64[np.ndarray, "n"]) -> float:
    s = 0.0
    for i in range(len(x)):
        m = np.max(x[i])
        s += m + math.log(np.sum(np.exp(x[i] - m))) - x[i, t[i]]
    return s


def lu_ikj(a0: Square) -> float:
    a = a0.copy()
    n = len(a)
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    s = 0.0
    for k in range(n):
        s += math.log(abs(a[k, k]))
    return s


def lu_np(a0: Square) -> float:
    a = a0.copy()
    n = len(a)
    for k in range(n):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    s = 0.0
    for k in range(n):
        s += math.log(abs(a[k, k]))
    return s


def chol_row(a: Square) -> float:
    n = len(a)
    L = np.zeros((n, n))
    s = 0.0
    for i in range(n):
        for j in range(i + 1):
            t = a[i, j]
            for k in range(j):
                t -= L[i, k] * L[j, k]
            if i == j:
                L[i, i] = math.sqrt(t)
            else:
                L[i, j] = t / L[j, j]
    for i in range(n):
        s += math.log(L[i, i])
    return s


def trisolve(L: Square, b: Vec) -> float:
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        t = b[i]
        for j in range(i):
            t -= L[i, j] * x[j]
        x[i] = t / L[i, i]
    return np.sum(x * x)


def cg(A: Square, b: Vec, it: int) -> float:
    x = np.zeros(len(b))
    r = b.copy()
    p = r.copy()
    rs = r @ r
    for _ in range(it):
        Ap = A @ p
        al = rs / (p @ Ap)
        x += al * p
        r -= al * Ap
        rn = r @ r
        p = r + (rn / rs) * p
        rs = rn
    return x @ x


def power(A: Square, it: int) -> float:
    v = np.ones(len(A))
    for _ in range(it):
        v = A @ v
        v /= np.sqrt(v @ v)
    return v @ (A @ v)


def cutoff(q: Points, rc: float) -> float:
    n = len(q)
    e = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            r2 = 0.0
            for c in range(3):
                r2 += (q[i, c] - q[j, c]) ** 2
            if r2 < rc * rc:
                s = 1.0 / (r2 * r2 * r2)
                e += s * s - s
    return e


def neighbours(q: Points, nb: Int64[np.ndarray, "k 2"]) -> float:
    e = 0.0
    for k in range(len(nb)):
        i = nb[k, 0]
        j = nb[k, 1]
        d = q[i] - q[j]
        e += 1.0 / math.sqrt(d @ d + 0.1)
    return e


def springs(q: Plane, e: Int64[np.ndarray, "k 2"], L: Float64[np.ndarray, "k"]) -> float:
    s = 0.0
    for k in range(len(e)):
        dx = q[e[k, 0], 0] - q[e[k, 1], 0]
        dy = q[e[k, 0], 1] - q[e[k, 1], 1]
        s += 0.5 * (math.sqrt(dx * dx + dy * dy) - L[k]) ** 2
    return s


def gp(x: Vec, y: Vec, ell: float) -> float:
    n = len(x)
    K = np.exp(-0.5 * ((x[:, None] - x[None, :]) / ell) ** 2) + 0.1 * np.eye(n)
    a = np.linalg.solve(K, y)
    return y @ a + np.linalg.slogdet(K)[1]


def rbf(x: Mat, c: Float64[np.ndarray, "k m"], w: Float64[np.ndarray, "k"]) -> float:
    s = 0.0
    for i in range(len(x)):
        f = 0.0
        for k in range(len(c)):
            r2 = 0.0
            for j in range(x.shape[1]):
                r2 += (x[i, j] - c[k, j]) ** 2
            f += w[k] * math.exp(-r2)
        s += f * f
    return s


def kmeans(x: Mat, c: Float64[np.ndarray, "k m"]) -> float:
    s = 0.0
    for i in range(len(x)):
        best = 1e300
        for k in range(len(c)):
            d = np.sum((x[i] - c[k]) ** 2)
            best = min(best, d)
        s += best
    return s


def horner(c: Float64[np.ndarray, "k"], x: Vec) -> float:
    s = 0.0
    for i in range(len(x)):
        p = 0.0
        for j in range(len(c) - 1, -1, -1):
            p = p * x[i] + c[j]
        s += p
    return s


def rosen(x: Vec) -> float:
    s = 0.0
    for i in range(len(x) - 1):
        s += 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return s


def tridiag_np(x: Vec) -> float:
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def matmul_ikj(a: Square, b: Square) -> float:
    n = len(a)
    c = np.zeros((n, n))
    for i in range(n):
        for k in range(n):
            for j in range(n):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(c * c)


def matmul_acc(a: Square, b: Square) -> float:
    n = len(a)
    s = 0.0
    for i in range(n):
        for j in range(n):
            t = 0.0
            for k in range(n):
                t += a[i, k] * b[k, j]
            s += t * t
    return s


def attention(q: Mat, k: Mat, v: Mat) -> float:
    s = q @ k.T / np.sqrt(q.shape[1])
    p = np.exp(s - np.max(s, axis=1, keepdims=True))
    p /= np.sum(p, axis=1, keepdims=True)
    return np.sum((p @ v) ** 2)


def layernorm(x: Mat, g: Float64[np.ndarray, "m"]) -> float:
    mu = np.mean(x, axis=1, keepdims=True)
    sd = np.sqrt(np.var(x, axis=1, keepdims=True) + 1e-5)
    return np.sum(np.tanh((x - mu) / sd * g))


def qr_gs(a0: Mat) -> float:
    a = a0.copy()
    n, m = a.shape
    s = 0.0
    for k in range(m):
        r = 0.0
        for i in range(n):
            r += a[i, k] ** 2
        r = math.sqrt(r)
        s += math.log(r)
        for i in range(n):
            a[i, k] /= r
        for j in range(k + 1, m):
            d = 0.0
            for i in range(n):
                d += a[i, k] * a[i, j]
            for i in range(n):
                a[i, j] -= d * a[i, k]
    return s


def householder(a0: Mat) -> float:
    a = a0.copy()
    n, m = a.shape
    s = 0.0
    for k in range(m):
        x = a[k:, k].copy()
        x[0] += np.linalg.norm(x)
        x /= np.linalg.norm(x)
        a[k:, k:] -= 2 * np.outer(x, x @ a[k:, k:])
        s += math.log(abs(a[k, k]))
    return s
