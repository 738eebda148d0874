"""Grids and time steps, as scientists write them."""

import math

import numpy as np
from jaxtyping import Float64

Vec = Float64[np.ndarray, "n"]
Plate = Float64[np.ndarray, "n m"]


def limited_advection(u0: Vec, c: float, steps: int) -> float:
    """Finite volumes with a minmod limiter as if and else, fluxes in scratch outside the loop."""
    n = len(u0)
    u = u0.copy()
    slope = np.zeros(n)
    flux = np.zeros(n + 1)
    for t in range(steps):
        for i in range(1, n - 1):
            a = u[i] - u[i - 1]
            b = u[i + 1] - u[i]
            if a * b <= 0.0:
                slope[i] = 0.0
            elif abs(a) < abs(b):
                slope[i] = a
            else:
                slope[i] = b
        for i in range(1, n):
            flux[i] = c * (u[i - 1] + 0.5 * (1.0 - c) * slope[i - 1])
        for i in range(1, n - 1):
            u[i] -= flux[i + 1] - flux[i]
    s = 0.0
    for i in range(n):
        s += u[i] * u[i]
    return s


def shallow_water(h0: Vec, q0: Vec, dt: float, steps: int) -> float:
    """Lax and Friedrichs on a ring, with remainders."""
    n = len(h0)
    h = h0.copy()
    q = q0.copy()
    hn = np.empty(n)
    qn = np.empty(n)
    for t in range(steps):
        for i in range(n):
            l = (i - 1) % n
            r = (i + 1) % n
            fl = q[l] * q[l] / h[l] + 0.5 * 9.81 * h[l] * h[l]
            fr = q[r] * q[r] / h[r] + 0.5 * 9.81 * h[r] * h[r]
            hn[i] = 0.5 * (h[l] + h[r]) - 0.5 * dt * (q[r] - q[l])
            qn[i] = 0.5 * (q[l] + q[r]) - 0.5 * dt * (fr - fl)
        for i in range(n):
            h[i] = hn[i]
            q[i] = qn[i]
    e = 0.0
    for i in range(n):
        e += q[i] * q[i] / h[i] + 9.81 * h[i] * h[i]
    return 0.5 * e


def gray_scott(u0: Plate, v0: Plate, feed: float, kill: float, dt: float, steps: int) -> float:
    """Reaction and diffusion on a torus, all coefficients active."""
    n, m = u0.shape
    u = u0.copy()
    v = v0.copy()
    un = np.empty_like(u)
    vn = np.empty_like(v)
    for t in range(steps):
        for i in range(n):
            for j in range(m):
                lu = u[(i + 1) % n, j] + u[(i - 1) % n, j] + u[i, (j + 1) % m] + u[i, (j - 1) % m] - 4.0 * u[i, j]
                lv = v[(i + 1) % n, j] + v[(i - 1) % n, j] + v[i, (j + 1) % m] + v[i, (j - 1) % m] - 4.0 * v[i, j]
                r = u[i, j] * v[i, j] * v[i, j]
                un[i, j] = u[i, j] + dt * (0.16 * lu - r + feed * (1.0 - u[i, j]))
                vn[i, j] = v[i, j] + dt * (0.08 * lv + r - (feed + kill) * v[i, j])
        u, un = un, u
        v, vn = vn, v
    return np.sum(v * v)


def gray_scott_inner(u0, v0, feed, kill, dt, steps):
    """The same without annotations, on the inner cells only."""
    n, m = u0.shape
    u = u0.copy()
    v = v0.copy()
    for t in range(steps):
        un = u.copy()
        vn = v.copy()
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                lu = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * u[i, j]
                lv = v[i + 1, j] + v[i - 1, j] + v[i, j + 1] + v[i, j - 1] - 4.0 * v[i, j]
                r = u[i, j] * v[i, j] * v[i, j]
                un[i, j] = u[i, j] + dt * (0.16 * lu - r + feed * (1.0 - u[i, j]))
                vn[i, j] = v[i, j] + dt * (0.08 * lv + r - (feed + kill) * v[i, j])
        u = un
        v = vn
    return np.sum(v * v)


def rk4_pendulums(x0: Vec, v0: Vec, k: float, dt: float, steps: int) -> float:
    """A chain of pendulums by Runge and Kutta's method, stages in scratch."""
    n = len(x0)
    x = x0.copy()
    v = v0.copy()
    xs = np.empty(n)
    vs = np.empty(n)
    kx = np.empty((4, n))
    kv = np.empty((4, n))
    for t in range(steps):
        for s in range(4):
            h = 0.0
            if s == 1 or s == 2:
                h = 0.5 * dt
            elif s == 3:
                h = dt
            for i in range(n):
                if s == 0:
                    xs[i] = x[i]
                    vs[i] = v[i]
                else:
                    xs[i] = x[i] + h * kx[s - 1, i]
                    vs[i] = v[i] + h * kv[s - 1, i]
            for i in range(n):
                f = -math.sin(xs[i])
                if i > 0:
                    f += k * (xs[i - 1] - xs[i])
                if i < n - 1:
                    f += k * (xs[i + 1] - xs[i])
                kx[s, i] = vs[i]
                kv[s, i] = f
        for i in range(n):
            x[i] += dt / 6.0 * (kx[0, i] + 2.0 * kx[1, i] + 2.0 * kx[2, i] + kx[3, i])
            v[i] += dt / 6.0 * (kv[0, i] + 2.0 * kv[1, i] + 2.0 * kv[2, i] + kv[3, i])
    e = 0.0
    for i in range(n):
        e += 0.5 * v[i] * v[i] + 1.0 - math.cos(x[i])
    return e


def crank_nicolson(u0: Vec, r: float, steps: int) -> float:
    """An implicit heat step: Thomas' algorithm in scratch outside the loop."""
    n = len(u0)
    u = u0.copy()
    cp = np.zeros(n)
    dp = np.zeros(n)
    for t in range(steps):
        cp[0] = 0.0
        dp[0] = u[0]
        for i in range(1, n - 1):
            rhs = 0.5 * r * (u[i - 1] + u[i + 1]) + (1.0 - r) * u[i]
            m = 1.0 + r + 0.5 * r * cp[i - 1]
            cp[i] = -0.5 * r / m
            dp[i] = (rhs + 0.5 * r * dp[i - 1]) / m
        dp[n - 1] = u[n - 1]
        u[n - 1] = dp[n - 1]
        for i in range(n - 2, -1, -1):
            u[i] = dp[i] - cp[i] * u[i + 1]
    return np.sum(u**2)


def eikonal(speed: Plate, sweeps: int) -> float:
    """Travel times by sweeps of Gauss and Seidel, with the update as branches."""
    n, m = speed.shape
    t = np.full((n, m), 1e3)
    t[0, 0] = 0.0
    for k in range(sweeps):
        for i in range(n):
            for j in range(m):
                if i == 0 and j == 0:
                    continue
                a = 1e3
                b = 1e3
                if i > 0:
                    a = t[i - 1, j]
                if i < n - 1:
                    a = min(a, t[i + 1, j])
                if j > 0:
                    b = t[i, j - 1]
                if j < m - 1:
                    b = min(b, t[i, j + 1])
                f = 1.0 / speed[i, j]
                d = a - b
                if abs(d) >= f:
                    c = min(a, b) + f
                else:
                    c = 0.5 * (a + b + math.sqrt(2.0 * f * f - d * d))
                if c < t[i, j]:
                    t[i, j] = c
    return t[n - 1, m - 1] + 0.01 * np.sum(t)


def life_of_heat(k: Plate, u0: Plate, steps: int) -> float:
    """Heat with conductances between cells, fluxes computed for each face from both of its cells."""
    n, m = u0.shape
    u = u0.copy()
    for t in range(steps):
        new = u.copy()
        for i in range(n):
            for j in range(m):
                q = 0.0
                if i > 0:
                    q += 2.0 * k[i, j] * k[i - 1, j] / (k[i, j] + k[i - 1, j]) * (u[i - 1, j] - u[i, j])
                if i < n - 1:
                    q += 2.0 * k[i, j] * k[i + 1, j] / (k[i, j] + k[i + 1, j]) * (u[i + 1, j] - u[i, j])
                if j > 0:
                    q += 2.0 * k[i, j] * k[i, j - 1] / (k[i, j] + k[i, j - 1]) * (u[i, j - 1] - u[i, j])
                if j < m - 1:
                    q += 2.0 * k[i, j] * k[i, j + 1] / (k[i, j] + k[i, j + 1]) * (u[i, j + 1] - u[i, j])
                new[i, j] = u[i, j] + 0.1 * q
        u = new
    return np.sum(u * u)


def clipped_growth(b0: Vec, rain: Vec, a: float, steps: int) -> float:
    """Vegetation and water in cells, with helpers that clip."""
    n = len(b0)
    b = b0.copy()
    w = rain.copy()
    for t in range(steps):
        for i in range(n):
            up = uptake(w[i], b[i], a)
            w[i] = clip(w[i] + 0.1 * (rain[i] - up), 0.0, 5.0)
            b[i] = clip(b[i] + 0.1 * (0.5 * up - 0.1 * b[i]), 0.01, 10.0)
        for i in range(1, n):
            if w[i - 1] > w[i]:
                d = 0.05 * (w[i - 1] - w[i])
                w[i - 1] -= d
                w[i] += d
    return np.sum(b)


def uptake(w: float, b: float, a: float) -> float:
    if w <= 0.0:
        return 0.0
    return a * w * b / (1.0 + w)


def clip(x: float, low: float, high: float) -> float:
    if x < low:
        return low
    if x > high:
        return high
    return x


def leapfrog_string(f: Float64[np.ndarray, "T"], c2: Vec, steps: int) -> float:
    """A string driven at one end; what a microphone hears, a sum over its states."""
    n = len(c2)
    past = np.zeros(n)
    now = np.zeros(n)
    heard = 0.0
    for t in range(steps):
        nxt = np.zeros(n)
        nxt[0] = f[t % len(f)]
        for i in range(1, n - 1):
            nxt[i] = 2.0 * now[i] - past[i] + c2[i] * (now[i + 1] - 2.0 * now[i] + now[i - 1])
        past = now
        now = nxt
        heard += now[n // 2] ** 2
    return heard
