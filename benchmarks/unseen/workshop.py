"""Cloth, beams, wavelets, proteins, queues, bonds, wings: by slices, matrices, complex numbers, lists, stacks."""

import math

import numpy as np
from jaxtyping import Float64

Vec = Float64[np.ndarray, "n"]
Points = Float64[np.ndarray, "n m 3"]


def spring_mesh(p0: Points, stiffness: float, damp: float, dt: float, steps: int) -> float:
    """A cloth that hangs by one edge: springs along rows and columns, in slices of an array of points."""
    p = p0.copy()
    v = np.zeros_like(p)
    for _ in range(steps):
        f = np.zeros_like(p)
        f[:, :, 2] -= 1.0
        d = p[1:] - p[:-1]
        far = np.sqrt(np.sum(d * d, axis=2))
        pull = stiffness * (1.0 - 1.0 / far)[:, :, None] * d
        f[:-1] += pull
        f[1:] -= pull
        d = p[:, 1:] - p[:, :-1]
        far = np.sqrt(np.sum(d * d, axis=2))
        pull = stiffness * (1.0 - 1.0 / far)[:, :, None] * d
        f[:, :-1] += pull
        f[:, 1:] -= pull
        v[1:] = (1.0 - damp) * v[1:] + dt * f[1:]
        p[1:] += dt * v[1:]
    return np.mean(p[-1, :, 2])


def momentum_descent(X: Float64[np.ndarray, "n d"], y: Vec, hidden: Float64[np.ndarray, "d h"], out: Float64[np.ndarray, "h"], rate: float, keep: float, rounds: int) -> float:
    """The loss of a small network after some rounds of training: what the rate should have been."""
    W, w = hidden.copy(), out.copy()
    mW, mw = np.zeros_like(W), np.zeros_like(w)
    n = len(y)
    for _ in range(rounds):
        z = np.tanh(X @ W)
        e = (z @ w - y) / n
        gw = z.T @ e
        gW = X.T @ (np.outer(e, w) * (1.0 - z * z))
        mW = keep * mW + gW
        mw = keep * mw + gw
        W = W - rate * mW
        w = w - rate * mw
    return np.mean((np.tanh(X @ W) @ w - y) ** 2)


def gaussian_beam(gaps: Vec, powers: Vec, lengths: Float64[np.ndarray, "k"], waist: float) -> float:
    """A beam through lenses, by its complex parameter, at several wavelengths."""
    loss = 0.0
    for length in lengths:
        q = complex(0.0, math.pi * waist * waist / length)
        for gap, power in zip(gaps, powers):
            q = q + gap
            q = q / (1.0 - power * q)
        loss += math.log(-length / (math.pi * (1.0 / q).imag))
    return loss


def wavelet_shrinkage(x: Vec, clean: Vec, threshold: float, levels: int) -> float:
    """Haar's transform in place, soft thresholds, and back, by slices with steps."""
    a = x.copy()
    m = len(a)
    for _ in range(levels):
        even, odd = a[0:m:2].copy(), a[1:m:2].copy()
        h = m // 2
        a[:h] = (even + odd) / math.sqrt(2.0)
        d = (even - odd) / math.sqrt(2.0)
        a[h:m] = np.sign(d) * np.maximum(np.abs(d) - threshold, 0.0)
        m = h
    for _ in range(levels):
        low, high = a[:m].copy(), a[m : 2 * m].copy()
        a[0 : 2 * m : 2] = (low + high) / math.sqrt(2.0)
        a[1 : 2 * m : 2] = (low - high) / math.sqrt(2.0)
        m = 2 * m
    return np.sum((a - clean) ** 2)


def bond(at: Float64[np.ndarray, "3"], turn: Float64[np.ndarray, "3 3"], angle: float, torsion: float):
    """Where the next atom is, and the axes there."""
    c, s, k, z = math.cos(angle), math.sin(angle), math.cos(torsion), math.sin(torsion)
    turn = turn @ np.array([[c, -s, 0.0], [s * k, c * k, -z], [s * z, c * z, k]])
    return at + 1.5 * turn[:, 0], turn


def folded_chain(torsions: Vec, angle: float, reach: float) -> float:
    """A chain of atoms from its torsions, and how its atoms attract each other."""
    n = len(torsions)
    atoms = np.zeros((n, 3))
    at, turn = np.zeros(3), np.eye(3)
    for i in range(n):
        at, turn = bond(at, turn, angle, torsions[i])
        atoms[i] = at
    energy = 0.0
    for i in range(n):
        for j in range(i + 3, n):
            d = atoms[i] - atoms[j]
            r = reach * reach / (np.dot(d, d) + 0.1)
            energy += r**3 * (r**3 - 2.0)
    return energy


def isotonic_fit(y: Vec, weight: Vec) -> float:
    """The increasing fit by pools of neighbours, on a stack, and its squared error."""
    means, sizes, counts = [], [], []
    for i in range(len(y)):
        m, w, c = y[i], weight[i], 1
        while len(means) > 0 and means[-1] > m:
            m0, w0 = means.pop(), sizes.pop()
            c += counts.pop()
            m = (m * w + m0 * w0) / (w + w0)
            w += w0
        means.append(m)
        sizes.append(w)
        counts.append(c)
    error, i = 0.0, 0
    for m, c in zip(means, counts):
        for k in range(i, i + c):
            error += weight[k] * (y[k] - m) ** 2
        i += c
    return error


def rate_matrices(rates: Float64[np.ndarray, "6"], times: Float64[np.ndarray, "b"], seen: Float64[np.ndarray, "b 4 4"]) -> float:
    """A substitution model with six rates: exponentials of small matrices by squaring, and a likelihood of counts."""
    Q = np.zeros((4, 4))
    k = 0
    for i in range(4):
        for j in range(i):
            Q[i, j] = Q[j, i] = rates[k]
            k += 1
    for i in range(4):
        Q[i, i] = -np.sum(Q[i])
    ll = 0.0
    for b in range(len(times)):
        A = Q * (times[b] / 64.0)
        P = np.eye(4) + A + A @ A / 2.0 + A @ A @ A / 6.0
        for _ in range(6):
            P = P @ P
        ll += np.sum(seen[b] * np.log(P))
    return ll


def backprojection(image: Float64[np.ndarray, "n n"], angles: Float64[np.ndarray, "k"], seen: Float64[np.ndarray, "k m"]) -> float:
    """Line integrals through an image, with interpolation between pixels, compared to a scan."""
    n = image.shape[0]
    k, m = seen.shape
    loss = 0.0
    for a in range(k):
        c, s = math.cos(angles[a]), math.sin(angles[a])
        for r in range(m):
            off = (r + 0.5) / m * n - 0.5 * n
            total = 0.0
            for t in range(n):
                along = t - 0.5 * n
                x = c * off - s * along + 0.5 * n
                y = s * off + c * along + 0.5 * n
                i, j = math.floor(x), math.floor(y)
                if 0 <= i < n - 1 and 0 <= j < n - 1:
                    u, v = x - i, y - j
                    top = (1.0 - v) * image[i, j] + v * image[i, j + 1]
                    low = (1.0 - v) * image[i + 1, j] + v * image[i + 1, j + 1]
                    total += (1.0 - u) * top + u * low
            loss += (total - seen[a, r]) ** 2
    return loss


def spectral_burgers(u0: Vec, viscosity: float, dt: float, steps: int) -> float:
    """A shock that forms on a ring, by Fourier modes as matrices of sines and cosines."""
    n = len(u0)
    k = np.arange(n // 2)
    x = 2.0 * np.pi * np.arange(n) / n
    C, S = np.cos(np.outer(k, x)), np.sin(np.outer(k, x))
    u = u0.copy()
    for _ in range(steps):
        a, b = C @ u * (2.0 / n), S @ u * (2.0 / n)
        slope = C.T @ (k * b) - S.T @ (k * a)
        bend = -(C.T @ (k * k * a) + S.T @ (k * k * b))
        half = u + 0.5 * dt * (viscosity * bend - u * slope)
        a, b = C @ half * (2.0 / n), S @ half * (2.0 / n)
        slope = C.T @ (k * b) - S.T @ (k * a)
        bend = -(C.T @ (k * k * a) + S.T @ (k * k * b))
        u = u + dt * (viscosity * bend - half * slope)
    return np.sum(u**2)


def many_servers(arrivals: Vec, services: Vec, servers: int) -> float:
    """The mean wait in a queue of several servers: the next customer goes to whoever is free first."""
    free = np.zeros(servers)
    now = waited = 0.0
    for i in range(len(arrivals)):
        now += arrivals[i]
        s = np.argmin(free)
        start = max(now, free[s])
        waited += start - now
        free[s] = start + services[i]
    return waited / len(arrivals)


def bond_ladder(coupons: Vec, prices: Vec, guess: float) -> float:
    """Forward rates from bonds that mature one after another, each by Newton's method; how rough they are."""
    factors = [1.0]
    rates = []
    for i, (coupon, price) in enumerate(zip(coupons, prices)):
        known = sum([coupon * f for f in factors[1:]])
        r = guess
        for _ in range(6):
            last = factors[-1] * math.exp(-r)
            miss = known + (1.0 + coupon) * last - price
            r += miss / ((1.0 + coupon) * last)
        rates.append(r)
        factors.append(factors[-1] * math.exp(-r))
    return sum([(b - a) ** 2 for a, b in zip(rates, rates[1:])])


def wing_panels(x: Vec, y: Vec, attack: float) -> float:
    """Sources and a vortex on the panels of an aerofoil; its lift."""
    n = len(x) - 1
    A = np.zeros((n + 1, n + 1))
    b = np.zeros(n + 1)
    xm, ym = 0.5 * (x[1:] + x[:-1]), 0.5 * (y[1:] + y[:-1])
    dx, dy = np.diff(x), np.diff(y)
    length = np.sqrt(dx**2 + dy**2)
    s, c = dy / length, dx / length
    for i in range(n):
        for j in range(n):
            x1, y1 = xm[i] - x[j], ym[i] - y[j]
            x2, y2 = xm[i] - x[j + 1], ym[i] - y[j + 1]
            flow = 0.5 * math.log((x2 * x2 + y2 * y2) / (x1 * x1 + y1 * y1))
            turn = math.pi if i == j else math.atan2(y2 * x1 - x2 * y1, x2 * x1 + y2 * y1)
            sij, cij = s[i] * c[j] - c[i] * s[j], c[i] * c[j] + s[i] * s[j]
            A[i, j] = sij * flow + cij * turn
            A[i, n] += cij * flow - sij * turn
            if i == 0 or i == n - 1:
                A[n, j] += sij * turn - cij * flow
                A[n, n] += sij * flow + cij * turn
        b[i] = math.sin(math.atan2(dy[i], dx[i]) - attack)
    b[n] = -math.cos(math.atan2(dy[0], dx[0]) - attack) - math.cos(math.atan2(dy[n - 1], dx[n - 1]) - attack)
    strength = np.linalg.solve(A, b)
    return strength[n] * np.sum(length)
