"""Recurrences, rotations, lattice sums, membranes of nerves, and prices by finite differences."""

import math

import numpy as np
from jaxtyping import Float64

Vec = Float64[np.ndarray, "n"]


def levinson(x: Vec, order: int) -> float:
    """An autoregressive model by Levinson and Durbin's recursion, and its spectrum."""
    n = len(x)
    r = np.zeros(order + 1)
    for k in range(order + 1):
        for t in range(n - k):
            r[k] += x[t] * x[t + k] / n
    a = np.zeros(order + 1)
    a[0] = 1.0
    err = r[0]
    for k in range(1, order + 1):
        acc = r[k]
        for j in range(1, k):
            acc += a[j] * r[k - j]
        ref = -acc / err
        prev = a.copy()
        for j in range(1, k):
            a[j] = prev[j] + ref * prev[k - j]
        a[k] = ref
        err *= 1.0 - ref * ref
    s = 0.0
    for q in range(64):
        re = 0.0
        im = 0.0
        for j in range(order + 1):
            re += a[j] * math.cos(0.049 * q * j)
            im -= a[j] * math.sin(0.049 * q * j)
        s += math.log(err / (re * re + im * im))
    return s / 64.0


def givens_least_squares(A0: Float64[np.ndarray, "m n"], b0: Float64[np.ndarray, "m"]) -> float:
    """Least squares by Givens' rotations in place, and substitution."""
    m, n = A0.shape
    A = A0.copy()
    b = b0.copy()
    for j in range(n):
        for i in range(m - 1, j, -1):
            p = A[i - 1, j]
            q = A[i, j]
            r = math.sqrt(p * p + q * q + 1e-300)
            c = p / r
            s = q / r
            for k in range(j, n):
                u = A[i - 1, k]
                v = A[i, k]
                A[i - 1, k] = c * u + s * v
                A[i, k] = c * v - s * u
            u = b[i - 1]
            v = b[i]
            b[i - 1] = c * u + s * v
            b[i] = c * v - s * u
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = b[i]
        for k in range(i + 1, n):
            x[i] -= A[i, k] * x[k]
        x[i] /= A[i, i]
    rest = 0.0
    for i in range(n, m):
        rest += b[i] * b[i]
    return rest + np.sum(x * x)


def geoid(lat: Vec, lon: Vec, C: Float64[np.ndarray, "d d"], S: Float64[np.ndarray, "d d"]) -> float:
    """Spherical harmonics at many places, Legendre's functions by recurrence into a table."""
    n, D = len(lat), len(C)
    total = 0.0
    for p in range(n):
        x = math.sin(lat[p])
        y = math.cos(lat[p])
        P = np.zeros((D, D))
        P[0, 0] = 1.0
        for m in range(D):
            if m > 0:
                P[m, m] = (2 * m - 1) * y * P[m - 1, m - 1] / (2 * m)
            if m + 1 < D:
                P[m + 1, m] = (2 * m + 1) * x * P[m, m]
            for l in range(m + 2, D):
                P[l, m] = ((2 * l - 1) * x * P[l - 1, m] - (l + m - 1) * P[l - 2, m]) / (l - m)
        h = 0.0
        for m in range(D):
            c = math.cos(m * lon[p])
            s = math.sin(m * lon[p])
            for l in range(m, D):
                h += P[l, m] * (C[l, m] * c + S[l, m] * s)
        total += h * h
    return total / n


def ewald(pos: Float64[np.ndarray, "n 3"], q: Vec, alpha: float, waves: int) -> float:
    """The electrostatic energy of a periodic box: erfc between pairs, waves for the rest."""
    n = len(q)
    e = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            r2 = 0.0
            for k in range(3):
                d = pos[i, k] - pos[j, k]
                d -= round(d)
                r2 += d * d
            r = math.sqrt(r2)
            if r < 0.5:
                e += q[i] * q[j] * math.erfc(alpha * r) / r
    for a in range(-waves, waves + 1):
        for b in range(-waves, waves + 1):
            for c in range(-waves, waves + 1):
                k2 = 4.0 * math.pi**2 * (a * a + b * b + c * c)
                if k2 == 0.0:
                    continue
                re = 0.0
                im = 0.0
                for i in range(n):
                    phase = 2.0 * math.pi * (a * pos[i, 0] + b * pos[i, 1] + c * pos[i, 2])
                    re += q[i] * math.cos(phase)
                    im += q[i] * math.sin(phase)
                e += 2.0 * math.pi / k2 * math.exp(-k2 / (4.0 * alpha**2)) * (re * re + im * im)
    for i in range(n):
        e -= alpha / math.sqrt(math.pi) * q[i] ** 2
    return e


def rate(v: float, shift: float, scale: float) -> float:
    u = (v - shift) / scale
    if abs(u) < 1e-6:
        return 1.0 + 0.5 * u
    return u / (1.0 - math.exp(-u))


def hodgkin_huxley(current: Float64[np.ndarray, "T"], g: Float64[np.ndarray, "3"], dt: float) -> float:
    """A nerve's membrane with three kinds of gates; the voltage is compared with a target."""
    v, m, h, n = -65.0, 0.05, 0.6, 0.32
    s = 0.0
    for t in range(len(current)):
        am = rate(v, -40.0, 10.0)
        bm = 4.0 * math.exp(-(v + 65.0) / 18.0)
        ah = 0.07 * math.exp(-(v + 65.0) / 20.0)
        bh = 1.0 / (1.0 + math.exp(-(v + 35.0) / 10.0))
        an = 0.1 * rate(v, -55.0, 10.0)
        bn = 0.125 * math.exp(-(v + 65.0) / 80.0)
        flow = g[0] * m**3 * h * (v - 50.0) + g[1] * n**4 * (v + 77.0) + g[2] * (v + 54.4)
        v += dt * (current[t] - flow)
        m += dt * (am * (1.0 - m) - bm * m)
        h += dt * (ah * (1.0 - h) - bh * h)
        n += dt * (an * (1.0 - n) - bn * n)
        s += (v + 60.0) ** 2
    return s / len(current)


def solve_tridiagonal(low: Vec, mid: Vec, high: Vec, rhs: Vec) -> Vec:
    n = len(rhs)
    c = np.zeros(n)
    x = np.zeros(n)
    c[0] = high[0] / mid[0]
    x[0] = rhs[0] / mid[0]
    for i in range(1, n):
        w = mid[i] - low[i] * c[i - 1]
        c[i] = high[i] / w
        x[i] = (rhs[i] - low[i] * x[i - 1]) / w
    for i in range(n - 2, -1, -1):
        x[i] -= c[i] * x[i + 1]
    return x


def black_scholes_grid(vol: Vec, rate: float, strike: float, dt: float, steps: int) -> float:
    """A price by implicit finite differences with a local volatility, the linear systems in a helper."""
    n = len(vol)
    v = np.zeros(n)
    for i in range(n):
        v[i] = max(3.0 * strike * i / (n - 1) - strike, 0.0)
    for t in range(steps):
        low = np.zeros(n)
        mid = np.ones(n)
        high = np.zeros(n)
        for i in range(1, n - 1):
            s2 = vol[i] * vol[i] * i * i
            low[i] = -0.5 * dt * (s2 - rate * i)
            mid[i] = 1.0 + dt * (s2 + rate)
            high[i] = -0.5 * dt * (s2 + rate * i)
        v = solve_tridiagonal(low, mid, high, v)
    return v[n // 3]


def bspline_curve(control: Float64[np.ndarray, "c 2"], at: Float64[np.ndarray, "p"], target: Float64[np.ndarray, "p 2"]) -> float:
    """De Boor's algorithm at many parameters, in scratch outside the loop."""
    C = len(control)
    d = np.zeros((4, 2))
    misfit = 0.0
    for p in range(len(at)):
        k = int(at[p])
        if k > C - 4:
            k = C - 4
        for j in range(4):
            d[j, 0] = control[k + j, 0]
            d[j, 1] = control[k + j, 1]
        for r in range(1, 4):
            for j in range(3, r - 1, -1):
                a = (at[p] - (k + j - 3)) / (4 - r)
                for q in range(2):
                    d[j, q] = (1.0 - a) * d[j - 1, q] + a * d[j, q]
        misfit += (d[3, 0] - target[p, 0]) ** 2 + (d[3, 1] - target[p, 1]) ** 2
    return misfit


def page_rank(W: Float64[np.ndarray, "n n"], damping: float, rounds: int) -> float:
    """Ranks by the power method on a dense matrix, normalised in each round, in array style."""
    n = W.shape[0]
    P = W / np.sum(W, axis=0)
    r = np.ones(n) / n
    for k in range(rounds):
        r = damping * (P @ r) + (1.0 - damping) / n
        r = r / np.sum(r)
    return -np.sum(r * np.log(r))
