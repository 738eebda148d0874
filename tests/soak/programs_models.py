"""Prices of options, filters, dynamic programming, particles, grids, factorisations, networks."""

# ruff: noqa
import math
import numpy as np
import linad
from typing import NamedTuple

rng = np.random.default_rng(3)
V = rng.normal(size=5)
W = rng.normal(size=5)
P = np.abs(V) + 0.3
M = rng.normal(size=(4, 4))
S = M @ M.T + 4 * np.eye(4)
Z = rng.normal(size=(3, 4))


def black_scholes_fd(sig: float, n: int):
    grid = np.linspace(0.5, 1.5, n)
    v = np.maximum(grid - 1.0, 0.0)
    a, b, c = np.empty(n), np.empty(n), np.empty(n)
    for t in range(3):
        for i in range(1, n - 1):
            w = 0.5 * sig**2 * grid[i] ** 2
            a[i] = -w
            b[i] = 1 + 2 * w
            c[i] = -w
        b[0] = b[-1] = 1.0
        c[0] = a[-1] = 0.0
        cp, dp = np.zeros(n), v.copy()
        cp[0] = c[0] / b[0]
        dp[0] /= b[0]
        for i in range(1, n):
            m = b[i] - a[i] * cp[i - 1]
            cp[i] = (c[i] if i < n - 1 else 0.0) / m
            dp[i] = (dp[i] - a[i] * dp[i - 1]) / m
        v = dp
        for i in range(n - 2, -1, -1):
            v[i] -= cp[i] * v[i + 1]
    return v[n // 2]


def kalman_matrix(z, q: float, r: float):
    x = np.zeros(2)
    Pm = np.eye(2)
    F = np.array([[1.0, 1.0], [0.0, 1.0]])
    nll = 0.0
    for k in range(len(z)):
        x = F @ x
        Pm = F @ Pm @ F.T + q * np.eye(2)
        s = Pm[0, 0] + r
        K = Pm[:, 0] / s
        e = z[k] - x[0]
        x += K * e
        Pm -= np.outer(K, Pm[0])
        nll += 0.5 * (e * e / s + math.log(s))
    return nll


def kalman_inplace(z, q: float):
    x = np.zeros(2)
    P2 = np.eye(2)
    T = np.empty((2, 2))
    nll = 0.0
    for k in range(len(z)):
        x[0] += x[1]
        for i in range(2):
            for j in range(2):
                T[i, j] = P2[i, j]
        P2[0, 0] = T[0, 0] + T[0, 1] + T[1, 0] + T[1, 1] + q
        P2[0, 1] = T[0, 1] + T[1, 1]
        P2[1, 0] = T[1, 0] + T[1, 1]
        P2[1, 1] = T[1, 1] + q
        s = P2[0, 0] + 1.0
        g0, g1 = P2[0, 0] / s, P2[1, 0] / s
        e = z[k] - x[0]
        x += np.array([g0, g1]) * e
        P2[1] -= g1 * P2[0]
        P2[0] -= g0 * P2[0]
        nll += e * e / s
    return nll


def viterbi(logA, obs):
    n = logA.shape[0]
    T = len(obs)
    d = np.zeros((T, n))
    back = np.zeros((T, n), dtype=np.int64)
    d[0] = obs[0]
    for t in range(1, T):
        for j in range(n):
            best, arg = -np.inf, 0
            for i in range(n):
                v = d[t - 1, i] + logA[i, j]
                if v > best:
                    best, arg = v, i
            d[t, j] = best + obs[t] * (j + 1)
            back[t, j] = arg
    s = int(np.argmax(d[-1]))
    path = [s]
    for t in range(T - 1, 0, -1):
        s = back[t, s]
        path.append(s)
    total = 0.0
    for k in range(1, len(path)):
        total += logA[path[k], path[k - 1]]
    return total + d[-1].max()


def hmm_forward(A, B):
    al = np.exp(B[0])
    ll = 0.0
    for t in range(1, B.shape[0]):
        c = al.sum()
        ll += math.log(c)
        al = (al / c) @ np.exp(A) * np.exp(B[t])
    return ll + np.log(al.sum())


def knapsack(v, cap: int):
    best = np.zeros(cap + 1)
    for k in range(len(v)):
        w = k % 3 + 1
        for c in range(cap, w - 1, -1):
            best[c] = max(best[c], best[c - w] + v[k])
    return best[cap]


def dijkstra(A, src: int):
    n = len(A)
    dist = np.full(n, np.inf)
    done = np.zeros(n, dtype=bool)
    dist[src] = 0.0
    for _ in range(n):
        u = -1
        for v in range(n):
            if not done[v] and (u < 0 or dist[v] < dist[u]):
                u = v
        done[u] = True
        for v in range(n):
            alt = dist[u] + abs(A[u, v]) + 0.01
            if alt < dist[v]:
                dist[v] = alt
    return dist.sum()


def lj_forces(q):
    n = len(q)
    f = np.zeros((n, 2))
    e = 0.0
    for i in range(n):
        fi = f[i]
        for j in range(i):
            d = q[i] - q[j]
            r2 = d @ d + 0.1
            i6 = 1 / r2**3
            e += 4 * (i6 * i6 - i6)
            g = 24 * (2 * i6 * i6 - i6) / r2 * d
            fi += g
            f[j] -= g
    return e + (f**2).sum() * 1e-3


def barnes_like(q, m):
    n = len(q)
    acc = np.zeros_like(q)
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            d = q[j] - q[i]
            acc[i] += m[j] * d / (np.sum(d * d) + 0.01) ** 1.5
    return np.sum(acc * acc)


def wave_eq(u0, c: float, n: int):
    u = u0.copy()
    up = u0.copy()
    un = np.zeros_like(u0)
    for _ in range(n):
        un[1:-1] = 2 * u[1:-1] - up[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])
        un[0], un[-1] = 0.0, 0.0
        up, u, un = u, un, up
    return (u * u).sum()


def upwind_burgers(u0, dt: float, n: int):
    u = u0.copy()
    for _ in range(n):
        f = 0.5 * u * u
        new = u.copy()
        for i in range(len(u)):
            if u[i] > 0:
                new[i] -= dt * (f[i] - f[i - 1])
            else:
                new[i] -= dt * (f[(i + 1) % len(u)] - f[i])
        u = new
    return u @ u


def red_black(A, n: int):
    u = A.copy()
    for _ in range(n):
        for color in range(2):
            for i in range(1, u.shape[0] - 1):
                for j in range(1 + (i + color) % 2, u.shape[1] - 1, 2):
                    u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return np.sum(u[1:-1, 1:-1] ** 2)


def cg(A, b):
    x = np.zeros(len(b))
    r = b.copy()
    p = r.copy()
    rs = r @ r
    for k in range(len(b)):
        Ap = A @ p
        al = rs / (p @ Ap)
        x += al * p
        r -= al * Ap
        new = r @ r
        if math.sqrt(new) < 1e-10:
            break
        p = r + (new / rs) * p
        rs = new
    return x @ b


def cg_inplace(A, b):
    x = np.zeros(len(b))
    r = b.copy()
    p = r.copy()
    rs = r @ r
    for k in range(2):
        Ap = A @ p
        al = rs / (p @ Ap)
        x += al * p
        r -= al * Ap
        new = r @ r
        p *= new / rs
        p += r
        rs = new
    return x @ b


def lu_solve(A, b):
    LU = A.copy()
    x = b.copy()
    n = len(b)
    perm = np.arange(n)
    for k in range(n):
        p = k + int(np.argmax(np.abs(LU[k:, k])))
        if p != k:
            LU[[k, p]] = LU[[p, k]]
            perm[[k, p]] = perm[[p, k]]
        LU[k + 1 :, k] /= LU[k, k]
        LU[k + 1 :, k + 1 :] -= np.outer(LU[k + 1 :, k], LU[k, k + 1 :])
    x = x[perm]
    for i in range(n):
        x[i] -= LU[i, :i] @ x[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - LU[i, i + 1 :] @ x[i + 1 :]) / LU[i, i]
    return x @ x


def qr_house(A):
    R = A.copy()
    n = R.shape[1]
    for k in range(n):
        v = R[k:, k].copy()
        v[0] += math.copysign(np.sqrt(v @ v), v[0])
        v /= np.sqrt(v @ v)
        R[k:, k:] -= 2.0 * np.outer(v, v @ R[k:, k:])
    return np.abs(np.diag(R)).prod() if False else (np.triu(R) ** 2 * (1 + np.arange(n))).sum()


def strassen(A, B):
    n = A.shape[0]
    if n == 1:
        return A * B
    h = n // 2
    a, b, c, d = A[:h, :h], A[:h, h:], A[h:, :h], A[h:, h:]
    e, f, g, k = B[:h, :h], B[:h, h:], B[h:, :h], B[h:, h:]
    out = np.empty((n, n))
    out[:h, :h] = strassen(a, e) + strassen(b, g)
    out[:h, h:] = strassen(a, f) + strassen(b, k)
    out[h:, :h] = strassen(c, e) + strassen(d, g)
    out[h:, h:] = strassen(c, f) + strassen(d, k)
    return out


def strassen_sum(A, B):
    return (strassen(A * 1.0, B * 1.0) ** 2).sum()


def kmeans(X, n: int):
    C = X[:2].copy()
    for _ in range(n):
        sums = np.zeros_like(C)
        cnt = np.zeros(2)
        for x in X:
            d0 = np.sum((x - C[0]) ** 2)
            d1 = np.sum((x - C[1]) ** 2)
            k = 0 if d0 < d1 else 1
            sums[k] += x
            cnt[k] += 1
        for k in range(2):
            if cnt[k] > 0:
                C[k] = sums[k] / cnt[k]
    return (C**2).sum()


def hist_soft(x):
    h = np.zeros(6)
    for v in x:
        t = (v + 3) * 0.99
        k = math.floor(t)
        f = t - k
        k = min(max(k, 0), 4)
        h[k] += 1 - f
        h[k + 1] += f
    c = np.cumsum(h)
    return (c * c).sum()


def rnn(x, Wm, U):
    h = np.zeros(len(U))
    hs = np.zeros((len(x), len(U)))
    for t, xt in enumerate(x):
        h = np.tanh(Wm @ h + U * xt)
        hs[t] = h
    return (hs[-1] * hs.mean(axis=0)).sum()


def attention(Q, K):
    s = Q @ K.T
    s -= s.max(axis=1, keepdims=True)
    np.exp(s, out=s)
    s /= s.sum(axis=1, keepdims=True)
    return ((s @ K) ** 2).sum()


def bellman(R, g: float):
    v = np.zeros(R.shape[0])
    for it in range(50):
        new = (R + g * v).max(axis=1)
        if np.abs(new - v).max() < 1e-3:
            v = new
            break
        v = new
    return v.sum()


CASES = dict(
    black_scholes_fd=(0.4, 7),
    kalman_matrix=(V, 0.1, 0.5),
    kalman_inplace=(V, 0.2),
    viterbi=(M, V),
    hmm_forward=(M, Z),
    knapsack=(P, 7),
    dijkstra=(M, 1),
    lj_forces=(rng.normal(size=(4, 2)),),
    barnes_like=(Z, P),
    wave_eq=(V, 0.3, 4),
    upwind_burgers=(V, 0.1, 3),
    red_black=(rng.normal(size=(5, 5)), 2),
    cg=(S, V[:4]),
    cg_inplace=(S, V[:4]),
    lu_solve=(M, V[:4]),
    qr_house=(M,),
    strassen_sum=(M, S),
    kmeans=(rng.normal(size=(6, 2)), 3),
    hist_soft=(V,),
    rnn=(V, M, W[:4]),
    attention=(Z, M),
    bellman=(M, 0.5),
)
