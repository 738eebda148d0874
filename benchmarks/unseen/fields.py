"""Oscillators, beams, forests, spectra, choices: programs of ten more fields."""

import math

import numpy as np
from jaxtyping import Float64, Int64

Vec = Float64[np.ndarray, "n"]
Plate = Float64[np.ndarray, "n m"]


def kuramoto(theta0: Vec, omega: Vec, K: float, dt: float, steps: int) -> float:
    """Coupled oscillators by the midpoint rule, all pairs; how far they are in step in the end."""
    n = len(theta0)
    theta = theta0.copy()
    rate = np.zeros(n)
    for t in range(steps):
        for stage in range(2):
            at = theta + 0.5 * dt * rate if stage == 1 else theta
            for i in range(n):
                s = 0.0
                for j in range(n):
                    s += math.sin(at[j] - at[i])
                rate[i] = omega[i] + K * s / n
        theta = theta + dt * rate
    return (np.sum(np.cos(theta)) ** 2 + np.sum(np.sin(theta)) ** 2) / (n * n)


def beam(stiffness: Vec, load: Vec, h: float) -> float:
    """The work of a load on an elastic beam: a matrix of five diagonals, factored without pivots."""
    n = len(load)
    a = np.zeros((n, 5))
    for e in range(n - 2):
        k = stiffness[e] / h**3
        w = np.array([1.0, -2.0, 1.0])
        for i in range(3):
            for j in range(3):
                a[e + i, 2 + j - i] += k * w[i] * w[j]
    u = load.copy()
    for i in range(n):
        a[i, 2] += 0.1
    for i in range(n):
        for d in range(1, 3):
            if i + d < n:
                f = a[i + d, 2 - d] / a[i, 2]
                for j in range(3):
                    if 2 - d + j < 5:
                        a[i + d, 2 - d + j] -= f * a[i, 2 + j]
                u[i + d] -= f * u[i]
    for i in range(n - 1, -1, -1):
        s = u[i]
        for d in range(1, 3):
            if i + d < n:
                s -= a[i, 2 + d] * u[i + d]
        u[i] = s / a[i, 2]
    return np.dot(u, load)


def forest(seeds: Plate, wind: float, rain: float, years: int) -> float:
    """Seeds that the wind carries over a plain with a shore, growth that saturates."""
    n, m = seeds.shape
    b = seeds.copy()
    for year in range(years):
        light = 1.0 / (1.0 + b)
        new = b * (1.0 - 0.1 * b) * (1.0 + 0.2 * rain * light)
        spread = 0.05 * b
        new -= spread
        new[1:, :] += 0.25 * (1.0 + wind) * spread[:-1, :]
        new[:-1, :] += 0.25 * (1.0 - wind) * spread[1:, :]
        new[:, 1:] += 0.25 * spread[:, :-1]
        new[:, :-1] += 0.25 * spread[:, 1:]
        b = np.maximum(new, 0.0)
    return np.mean(b)


def line_spectrum(x: Vec, centre: Float64[np.ndarray, "k"], width: Float64[np.ndarray, "k"], depth: Float64[np.ndarray, "k"], seen: Vec) -> float:
    """Absorption lines of two shapes over a continuum, compared with what was seen."""
    chi = 0.0
    for i in range(len(x)):
        tau = 0.0
        for k in range(len(centre)):
            u = (x[i] - centre[k]) / width[k]
            if abs(u) < 8.0:
                tau += depth[k] * (0.7 * math.exp(-u * u) + 0.3 / (1.0 + u * u))
        r = seen[i] - math.exp(-tau)
        chi += r * r
    return chi


def nested_logit(u: Float64[np.ndarray, "n k"], start: Int64[np.ndarray, "g"], lam: Float64[np.ndarray, "h"], chosen: Int64[np.ndarray, "n"]) -> float:
    """Choices in nests, each a range of alternatives."""
    n = u.shape[0]
    nests = len(lam)
    inclusive = np.empty(nests)
    ll = 0.0
    for i in range(n):
        mine = 0
        for g in range(nests):
            s = 0.0
            for k in range(start[g], start[g + 1]):
                s += math.exp(u[i, k] / lam[g])
                if k == chosen[i]:
                    mine = g
            inclusive[g] = math.log(s)
        z = 0.0
        for g in range(nests):
            z += math.exp(lam[g] * inclusive[g])
        ll += u[i, chosen[i]] / lam[mine] - inclusive[mine] + lam[mine] * inclusive[mine] - math.log(z)
    return ll


def convolution(image: Plate, kernels: Float64[np.ndarray, "c 3 3"], weights: Float64[np.ndarray, "c"]) -> float:
    """A layer of a network for pictures: products with small windows, a ramp, the largest of two by two."""
    n, m = image.shape
    total = 0.0
    for c in range(kernels.shape[0]):
        out = np.zeros((n - 2, m - 2))
        for a in range(3):
            for b in range(3):
                out += kernels[c, a, b] * image[a : n - 2 + a, b : m - 2 + b]
        for i in range((n - 2) // 2):
            for j in range((m - 2) // 2):
                best = max(out[2 * i, 2 * j], out[2 * i + 1, 2 * j], out[2 * i, 2 * j + 1], out[2 * i + 1, 2 * j + 1])
                total += weights[c] * max(best, 0.0)
    return total * total


def beamformer(re: Float64[np.ndarray, "t a"], im: Float64[np.ndarray, "t a"], place: Float64[np.ndarray, "a"], angle: float, taper: Float64[np.ndarray, "a"]) -> float:
    """The power that an array of antennas hears from a direction."""
    power = 0.0
    c = np.cos(place * math.sin(angle))
    s = np.sin(place * math.sin(angle))
    for t in range(re.shape[0]):
        x = np.sum(taper * (c * re[t] + s * im[t]))
        y = np.sum(taper * (c * im[t] - s * re[t]))
        power += x * x + y * y
    return power / re.shape[0]


def orbit(r0: Float64[np.ndarray, "3"], v0: Float64[np.ndarray, "3"], oblate: float, dt: float, steps: int) -> float:
    """A satellite of a flattened planet: leapfrog with vectors, while it has not gone too far."""
    r, v = r0.copy(), v0.copy()
    t = 0
    while t < steps:
        d = math.sqrt(r @ r)
        a = -r / d**3
        z = (r[2] / d) ** 2
        for k in range(3):
            a[k] += 1.5 * oblate / d**5 * r[k] * (5.0 * z - (3.0 if k == 2 else 1.0))
        v += dt * a
        r += dt * v
        t += 1
    return math.sqrt(r @ r) + 0.1 * (v @ v)


def reweighted(X: Float64[np.ndarray, "n d"], y: Vec, ridge: float, rounds: int) -> float:
    """Logistic regression by Newton's method: products and a solve of small systems."""
    n, d = X.shape
    w = np.zeros(d)
    for t in range(rounds):
        p = 1.0 / (1.0 + np.exp(-X @ w))
        H = X.T @ (X * (p * (1.0 - p))[:, None]) + ridge * np.eye(d)
        w = w + np.linalg.solve(H, X.T @ (y - p) - ridge * w)
    return np.sum(w * w)


def tree_likelihood(left: Int64[np.ndarray, "i"], right: Int64[np.ndarray, "i"], length: Float64[np.ndarray, "b"], tips: Int64[np.ndarray, "n s"], kappa: float) -> float:
    """A tree of species: chances of four states at each site, from the tips to the root."""
    n, sites = tips.shape
    inner = len(left)
    stay = np.empty(n + inner)
    move = np.empty(n + inner)
    for b in range(n + inner - 1):
        e = math.exp(-length[b] * (1.0 + kappa))
        stay[b] = 0.25 + 0.75 * e
        move[b] = 0.25 - 0.25 * e
    ll = 0.0
    chance = np.empty((n + inner, 4))
    for s in range(sites):
        for i in range(n):
            for k in range(4):
                chance[i, k] = 1.0 if tips[i, s] == k else 0.0
        for i in range(inner):
            for k in range(4):
                p = 1.0
                for child in (left[i], right[i]):
                    q = 0.0
                    for l in range(4):
                        q += (stay[child] if l == k else move[child]) * chance[child, l]
                    p *= q
                chance[n + i, k] = p
        root = 0.0
        for k in range(4):
            root += 0.25 * chance[n + inner - 1, k]
        ll += math.log(root)
    return ll
