"""Programs in time and on grids as scientists write them, in all styles, none with a thought of how it will be differentiated."""

import math

import numpy as np
from jaxtyping import Float64

Vec = Float64[np.ndarray, "n"]
Mat = Float64[np.ndarray, "n m"]
Square = Float64[np.ndarray, "n n"]
Points = Float64[np.ndarray, "n 3"]


def wave1d(u0: Vec, c: Vec, steps: int) -> float:
    n = len(u0)
    a = u0.copy()
    b = u0.copy()
    d = np.zeros(n)
    for t in range(steps):
        for i in range(1, n - 1):
            d[i] = 2 * b[i] - a[i] + c[i] * (b[i + 1] - 2 * b[i] + b[i - 1])
        for i in range(n):
            a[i] = b[i]
            b[i] = d[i]
    return np.sum(b**2)


def wave2d(u0: Square, c: float, steps: int) -> float:
    n = u0.shape[0]
    up = u0.copy()
    u = u0.copy()
    for t in range(steps):
        un = np.zeros((n, n))
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                un[i, j] = 2 * u[i, j] - up[i, j] + c * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4 * u[i, j])
        up = u
        u = un
    return np.sum(u**2)


def heat_np(u0: Vec, k: float, steps: int) -> float:
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + k * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def burgers(u0: Vec, nu: float, dt: float, steps: int) -> float:
    n = len(u0)
    u = u0.copy()
    for t in range(steps):
        un = u.copy()
        for i in range(1, n - 1):
            un[i] = u[i] - dt * u[i] * (u[i] - u[i - 1]) + nu * dt * (u[i + 1] - 2 * u[i] + u[i - 1])
        u = un
    return np.sum(u**2)


def lorenz(x0: Float64[np.ndarray, "3"], rho: float, steps: int) -> float:
    x, y, z = x0[0], x0[1], x0[2]
    dt = 0.01
    for _ in range(steps):
        dx = 10.0 * (y - x)
        dy = x * (rho - z) - y
        dz = x * y - 8.0 / 3.0 * z
        x += dt * dx
        y += dt * dy
        z += dt * dz
    return x * x + y * y + z * z


def rk4_vdp(x0: Float64[np.ndarray, "2"], mu: float, steps: int) -> float:
    x = x0.copy()
    h = 0.01
    for _ in range(steps):
        k1 = np.array([x[1], mu * (1 - x[0] ** 2) * x[1] - x[0]])
        y = x + 0.5 * h * k1
        k2 = np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])
        y = x + 0.5 * h * k2
        k3 = np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])
        y = x + h * k3
        k4 = np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return x[0] ** 2 + x[1] ** 2


def kalman(z: Vec, q: float, r: float) -> float:
    x = 0.0
    p = 1.0
    ll = 0.0
    for k in range(len(z)):
        p += q
        s = p + r
        e = z[k] - x
        ll += math.log(s) + e * e / s
        g = p / s
        x += g * e
        p *= 1 - g
    return ll


def conv1d(x: Vec, w: Float64[np.ndarray, "k"]) -> float:
    n = len(x)
    k = len(w)
    s = 0.0
    for i in range(n - k + 1):
        a = 0.0
        for j in range(k):
            a += x[i + j] * w[j]
        s += a * a
    return s


def conv2d(x: Square, w: Float64[np.ndarray, "3 3"]) -> float:
    n = x.shape[0]
    s = 0.0
    for i in range(n - 2):
        for j in range(n - 2):
            a = 0.0
            for p in range(3):
                for q in range(3):
                    a += x[i + p, j + q] * w[p, q]
            s += np.tanh(a)
    return s


def thomas(a: Vec, b: Vec, c: Vec, d: Vec) -> float:
    n = len(b)
    cp = np.zeros(n)
    dp = np.zeros(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.zeros(n)
    x[n - 1] = dp[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return np.sum(x * x)


def jacobi(A: Square, b: Vec, it: int) -> float:
    n = len(b)
    x = np.zeros(n)
    for _ in range(it):
        y = np.zeros(n)
        for i in range(n):
            s = b[i]
            for j in range(n):
                if j != i:
                    s -= A[i, j] * x[j]
            y[i] = s / A[i, i]
        x = y
    return np.sum(x * x)


def verlet(q0: Points, v0: Points, steps: int) -> float:
    q = q0.copy()
    v = v0.copy()
    n = len(q)
    f = np.zeros((n, 3))
    for t in range(steps):
        f[:] = 0.0
        for i in range(n):
            for j in range(i + 1, n):
                d = q[i] - q[j]
                r2 = d @ d + 0.1
                g = 1.0 / (r2 * r2)
                f[i] += g * d
                f[j] -= g * d
        v += 0.01 * f
        q += 0.01 * v
    return np.sum(v**2)


def dtw(x: Vec, y: Float64[np.ndarray, "m"]) -> float:
    n, m = len(x), len(y)
    D = np.full((n + 1, m + 1), 1e9)
    D[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            D[i, j] = abs(x[i - 1] - y[j - 1]) + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[n, m]


def needleman(s: Mat) -> float:
    n, m = s.shape
    F = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            F[i, j] = max(F[i - 1, j - 1] + s[i - 1, j - 1], F[i - 1, j] - 0.5, F[i, j - 1] - 0.5)
    return F[n, m]


def viterbi_soft(T: Square, e: Float64[np.ndarray, "t n"]) -> float:
    n = len(T)
    a = e[0].copy()
    for t in range(1, len(e)):
        b = np.zeros(n)
        for j in range(n):
            m = -1e300
            for i in range(n):
                m = max(m, a[i] + T[i, j])
            s = 0.0
            for i in range(n):
                s += math.exp(a[i] + T[i, j] - m)
            b[j] = m + math.log(s) + e[t, j]
        a = b
    m = np.max(a)
    return m + math.log(np.sum(np.exp(a - m)))


def histo(x: Vec, w: Vec) -> float:
    h = np.zeros(64)
    for i in range(len(x)):
        k = int(x[i] * 63.99)
        h[k] += w[i] * x[i]
    return np.sum(h**2)


def interp(x: Vec, t: Float64[np.ndarray, "k"]) -> float:
    s = 0.0
    n = len(x)
    for k in range(len(t)):
        p = t[k] * (n - 1.001)
        i = int(p)
        f = p - i
        s += ((1 - f) * x[i] + f * x[i + 1]) ** 2
    return s


def gru(x: Float64[np.ndarray, "t d"], W: Float64[np.ndarray, "d h"], U: Float64[np.ndarray, "h h"]) -> float:
    h = np.zeros(len(U))
    for t in range(len(x)):
        z = 1 / (1 + np.exp(-(x[t] @ W + h @ U)))
        h = (1 - z) * h + z * np.tanh(x[t] @ W + (z * h) @ U)
    return np.sum(h**2)


def option(s0: float, vol: float, z: Mat) -> float:
    p = 0.0
    for i in range(z.shape[0]):
        s = s0
        for j in range(z.shape[1]):
            s *= math.exp(-0.5 * vol * vol * 0.01 + vol * 0.1 * z[i, j])
        p += max(s - 1.0, 0.0)
    return p / z.shape[0]


def binomial(s: float, k: float, vol: float, n: int) -> float:
    dt = 1.0 / n
    u = math.exp(vol * math.sqrt(dt))
    d = 1 / u
    p = (1 - d) / (u - d)
    v = np.zeros(n + 1)
    for i in range(n + 1):
        v[i] = max(s * u ** (2 * i - n) - k, 0.0)
    for j in range(n, 0, -1):
        for i in range(j):
            v[i] = p * v[i + 1] + (1 - p) * v[i]
    return v[0]


def sor2d(u0: Square, om: float, it: int) -> float:
    u = u0.copy()
    n = len(u)
    for _ in range(it):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] = (1 - om) * u[i, j] + om * 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return np.sum(u * u)


def redblack(u0: Square, it: int) -> float:
    u = u0.copy()
    n = len(u)
    for _ in range(it):
        for color in range(2):
            for i in range(1, n - 1):
                for j in range(1 + (i + color) % 2, n - 1, 2):
                    u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return np.sum(u * u)


def cumulative(x: Vec) -> float:
    y = np.cumsum(x)
    return np.sum(y * y)


def ising(s: Square, J: float) -> float:
    n = len(s)
    e = 0.0
    for i in range(n):
        for j in range(n):
            e -= J * s[i, j] * (s[(i + 1) % n, j] + s[i, (j + 1) % n])
    return e


def adi(u0: Square, r: float, it: int) -> float:
    u = u0.copy()
    n = len(u)
    c = np.zeros(n)
    for _ in range(it):
        for j in range(n):
            c[0] = 0.0
            for i in range(1, n):
                m = 1 + 2 * r + r * c[i - 1]
                c[i] = -r / m
                u[i, j] = (u[i, j] + r * u[i - 1, j]) / m
            for i in range(n - 2, -1, -1):
                u[i, j] -= c[i] * u[i + 1, j]
        for i in range(n):
            c[0] = 0.0
            for j in range(1, n):
                m = 1 + 2 * r + r * c[j - 1]
                c[j] = -r / m
                u[i, j] = (u[i, j] + r * u[i, j - 1]) / m
            for j in range(n - 2, -1, -1):
                u[i, j] -= c[j] * u[i, j + 1]
    return np.sum(u * u)
