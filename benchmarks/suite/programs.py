"""The programs of the suite, as a user would write them: with loops or with whole arrays, whichever comes naturally."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float64, Int64

Vec = Float64[np.ndarray, "n"]
Mat = Float64[np.ndarray, "n m"]
Square = Float64[np.ndarray, "n n"]
Ints = Int64[np.ndarray, "m"]


def bundle(
    cams: Float64[np.ndarray, "n 11"],
    points: Float64[np.ndarray, "m 3"],
    weights: Float64[np.ndarray, "p"],
    pixels: Float64[np.ndarray, "p 2"],
    seen_by: Int64[np.ndarray, "p"],
    seen: Int64[np.ndarray, "p"],
) -> float:
    """Half the squared reprojection errors: rotation by Rodrigues' formula, then perspective and radial distortion."""
    total = 0.0
    for i in range(len(weights)):
        c, p = seen_by[i], seen[i]
        rx, ry, rz = cams[c, 0], cams[c, 1], cams[c, 2]
        dx, dy, dz = points[p, 0] - cams[c, 3], points[p, 1] - cams[c, 4], points[p, 2] - cams[c, 5]
        angle = math.sqrt(rx * rx + ry * ry + rz * rz)
        ax, ay, az = rx / angle, ry / angle, rz / angle
        cosine, sine = math.cos(angle), math.sin(angle)
        along = (ax * dx + ay * dy + az * dz) * (1.0 - cosine)
        x = dx * cosine + (ay * dz - az * dy) * sine + ax * along
        y = dy * cosine + (az * dx - ax * dz) * sine + ay * along
        z = dz * cosine + (ax * dy - ay * dx) * sine + az * along
        u, v = x / z, y / z
        r = u * u + v * v
        scale = cams[c, 6] * (1.0 + cams[c, 9] * r + cams[c, 10] * r * r)
        eu = weights[i] * (u * scale + cams[c, 7] - pixels[i, 0])
        ev = weights[i] * (v * scale + cams[c, 8] - pixels[i, 1])
        total += 0.5 * (eu * eu + ev * ev)
    return total


def sigmoid(z: float) -> float:
    return 1.0 / (1.0 + math.exp(-z))


def lstm(
    main: Float64[np.ndarray, "layers 8 d"],
    extra: Float64[np.ndarray, "3 d"],
    start: Float64[np.ndarray, "layers 2 d"],
    sequence: Float64[np.ndarray, "c d"],
) -> float:
    """ADBench's diagonal LSTM: layers of gates that act on each feature alone; the loss of predicting what comes next.

    Rows of `main`: four weights (forget, in, out, change), then four biases. Rows of `start`: hidden and cell.
    """
    layers, _, d = main.shape
    state = start.copy()
    total = 0.0
    x = np.empty(d)
    for t in range(len(sequence) - 1):
        for j in range(d):
            x[j] = sequence[t, j] * extra[0, j]
        for k in range(layers):
            for j in range(d):
                forget = sigmoid(x[j] * main[k, 0, j] + main[k, 4, j])
                take = sigmoid(state[k, 0, j] * main[k, 1, j] + main[k, 5, j])
                give = sigmoid(x[j] * main[k, 2, j] + main[k, 6, j])
                change = math.tanh(state[k, 0, j] * main[k, 3, j] + main[k, 7, j])
                state[k, 1, j] = state[k, 1, j] * forget + take * change
                state[k, 0, j] = give * math.tanh(state[k, 1, j])
                x[j] = state[k, 0, j]
        norm = 2.0
        picked = 0.0
        wanted = 0.0
        for j in range(d):
            guess = x[j] * extra[1, j] + extra[2, j]
            norm += math.exp(guess)
            picked += sequence[t + 1, j] * guess
            wanted += sequence[t + 1, j]
        total += picked - wanted * math.log(norm)
    return -total / (d * (len(sequence) - 1))


def hmm(pi: Vec, trans: Square, emit: Mat, obs: Int64[np.ndarray, "t"]) -> float:
    """Log-likelihood of a hidden Markov model by the forward algorithm, normalised in each step."""
    n = len(pi)
    alpha = pi * emit[:, obs[0]]
    total = 0.0
    for t in range(1, len(obs)):
        z = 0.0
        for s in range(n):
            z += alpha[s]
        total += math.log(z)
        after = np.zeros(n)
        for r in range(n):
            a = alpha[r] / z
            for s in range(n):
                after[s] += a * trans[r, s]
        for s in range(n):
            after[s] *= emit[s, obs[t]]
        alpha = after
    return total + math.log(np.sum(alpha))


def heat(u0: Vec, k: Vec, steps: int) -> float:
    """Heat flow in a rod of uneven conductivity, by two buffers that change places."""
    n = len(u0)
    u = u0.copy()
    after = u0.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            after[i] = u[i] + k[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u, after = after, u
    s = 0.0
    for i in range(n):
        s += u[i] * u[i]
    return s


def reaction(u0: Square, rate: float, dt: float, steps: int) -> float:
    """A substance that diffuses over a plate and reacts with itself, in NumPy style."""
    u = u0.copy()
    for _ in range(steps):
        flow = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] += dt * (flow + rate * (u[1:-1, 1:-1] - u[1:-1, 1:-1] ** 3))
    return np.sum(u * u)


def n_body(
    q0: Float64[np.ndarray, "n 3"], v0: Float64[np.ndarray, "n 3"], mass: Vec, dt: float, steps: int
) -> float:
    """Bodies that attract each other, all pairs, by the leapfrog rule; the kinetic energy at the end."""
    n = len(mass)
    q = q0.copy()
    v = v0.copy()
    for _ in range(steps):
        for i in range(n):
            for j in range(i + 1, n):
                dx, dy, dz = q[j, 0] - q[i, 0], q[j, 1] - q[i, 1], q[j, 2] - q[i, 2]
                r2 = dx * dx + dy * dy + dz * dz + 0.01
                w = dt / (r2 * math.sqrt(r2))
                v[i, 0] += w * mass[j] * dx
                v[i, 1] += w * mass[j] * dy
                v[i, 2] += w * mass[j] * dz
                v[j, 0] -= w * mass[i] * dx
                v[j, 1] -= w * mass[i] * dy
                v[j, 2] -= w * mass[i] * dz
        for i in range(n):
            for c in range(3):
                q[i, c] += dt * v[i, c]
    energy = 0.0
    for i in range(n):
        for c in range(3):
            energy += 0.5 * mass[i] * v[i, c] ** 2
    return energy


def csr(data: Vec, x: Float64[np.ndarray, "k"], indices: Int64[np.ndarray, "n"], indptr: Ints) -> float:
    """Squared length of a sparse matrix, in compressed rows, times a vector."""
    s = 0.0
    for i in range(len(indptr) - 1):
        y = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            y += data[k] * x[indices[k]]
        s += y * y
    return s


def cholesky(a: Square) -> float:
    """Logarithm of a determinant, by a Cholesky factorisation in place."""
    n = len(a)
    low = a.copy()
    s = 0.0
    for j in range(n):
        for i in range(j, n):
            e = low[i, j]
            for k in range(j):
                e -= low[i, k] * low[j, k]
            if i == j:
                low[j, j] = math.sqrt(e)
            else:
                low[i, j] = e / low[j, j]
        s += 2.0 * math.log(low[j, j])
    return s


def soft_dtw(x: Vec, y: Float64[np.ndarray, "m"], gamma: float) -> float:
    """Soft dynamic time warping of two series."""
    n, m = len(x), len(y)
    cost = np.full((n + 1, m + 1), 1e10)
    cost[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a, b, c = cost[i - 1, j - 1], cost[i - 1, j], cost[i, j - 1]
            least = min(a, min(b, c))
            total = math.exp((least - a) / gamma) + math.exp((least - b) / gamma) + math.exp((least - c) / gamma)
            cost[i, j] = (x[i - 1] - y[j - 1]) ** 2 + least - gamma * math.log(total)
    return cost[n, m]


def normal_cdf(z: float) -> float:
    return 0.5 * (1.0 + math.erf(z / math.sqrt(2.0)))


def black_scholes(spot: Vec, strike: Vec, vol: Vec, years: Vec, rate: float) -> float:
    """Value of a book of European calls."""
    total = 0.0
    for i in range(len(spot)):
        spread = vol[i] * math.sqrt(years[i])
        d1 = (math.log(spot[i] / strike[i]) + (rate + 0.5 * vol[i] ** 2) * years[i]) / spread
        d2 = d1 - spread
        total += spot[i] * normal_cdf(d1) - strike[i] * math.exp(-rate * years[i]) * normal_cdf(d2)
    return total
