"""Numerical programs as people write them: factorisations, integrators, recursions over tables, iterations."""

# ruff: noqa
import math

import numpy as np


def lotka(u, p, out):
    out[0] = p[0] * u[0] - p[1] * u[0] * u[1]
    out[1] = p[2] * u[0] * u[1] - p[3] * u[1]


def rk4(u0, p, h: float, steps: int):
    u = u0.copy()
    k1, k2, k3, k4 = np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2)
    t = np.zeros(2)
    for s in range(steps):
        lotka(u, p, k1)
        for i in range(2):
            t[i] = u[i] + 0.5 * h * k1[i]
        lotka(t, p, k2)
        for i in range(2):
            t[i] = u[i] + 0.5 * h * k2[i]
        lotka(t, p, k3)
        for i in range(2):
            t[i] = u[i] + h * k3[i]
        lotka(t, p, k4)
        for i in range(2):
            u[i] += h / 6.0 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i])
    return u[0] * u[1]


def n_body(q, v, mass, h: float, steps: int):
    n = len(mass)
    q, v = q.copy(), v.copy()
    for s in range(steps):
        for i in range(n):
            for j in range(n):
                if i == j:
                    continue
                r2 = 0.1
                for d in range(3):
                    r2 += (q[j, d] - q[i, d]) ** 2
                w = h * mass[j] / (r2 * math.sqrt(r2))
                for d in range(3):
                    v[i, d] += w * (q[j, d] - q[i, d])
        for i in range(n):
            for d in range(3):
                q[i, d] += h * v[i, d]
    energy = 0.0
    for i in range(n):
        for d in range(3):
            energy += 0.5 * mass[i] * v[i, d] ** 2
    return energy, q


def csr_matvec(data, indices, indptr, x):
    n = len(indptr) - 1
    y = np.zeros(n)
    for i in range(n):
        for k in range(indptr[i], indptr[i + 1]):
            y[i] += data[k] * x[indices[k]]
    s = 0.0
    for e in y:
        s += e * e
    return s


def sigmoid(z):
    return 1.0 / (1.0 + math.exp(-z))


def lstm(x, W, bias, h0, c0):
    steps, size = len(x), len(h0)
    h, c = h0.copy(), c0.copy()
    for t in range(steps):
        new = np.empty(size)
        for k in range(size):
            z = np.zeros(4)
            for g in range(4):
                z[g] = bias[g, k] + W[g, k, size] * x[t]
                for j in range(size):
                    z[g] += W[g, k, j] * h[j]
            c[k] = sigmoid(z[0]) * c[k] + sigmoid(z[1]) * math.tanh(z[2])
            new[k] = sigmoid(z[3]) * math.tanh(c[k])
        h = new
    return h


def bubble_sort(x):
    y = x.copy()
    n = len(y)
    swapped = True
    rounds = 0
    while swapped:
        swapped = False
        rounds += 1
        for i in range(n - 1):
            if y[i] > y[i + 1]:
                y[i], y[i + 1] = y[i + 1], y[i]
                swapped = True
    s = 0.0
    for i in range(n):
        s += (i + 1) * y[i] ** 2
    return s, rounds


def fft(re, im):
    n = len(re)
    a, b = re.copy(), im.copy()
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            a[i], a[j] = a[j], a[i]
            b[i], b[j] = b[j], b[i]
    size = 2
    while size <= n:
        angle = -2.0 * math.pi / size
        for start in range(0, n, size):
            for k in range(size // 2):
                c, s = math.cos(angle * k), math.sin(angle * k)
                p, q = start + k, start + k + size // 2
                tr, ti = a[q] * c - b[q] * s, a[q] * s + b[q] * c
                a[q], b[q] = a[p] - tr, b[p] - ti
                a[p] += tr
                b[p] += ti
        size *= 2
    power = 0.0
    for i in range(n):
        power += (i + 1) * math.log(1.0 + a[i] * a[i] + b[i] * b[i])
    return power


def thomas(a, b, c, d):
    n = len(d)
    for i in range(1, n):
        w = a[i] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]
    d[n - 1] /= b[n - 1]
    for i in range(n - 2, -1, -1):
        d[i] = (d[i] - c[i] * d[i + 1]) / b[i]


def conjugate_gradient(A, b, steps: int):
    n = len(b)
    x, r, p, q = np.zeros(n), b.copy(), b.copy(), np.empty(n)
    rho = 0.0
    for i in range(n):
        rho += r[i] * r[i]
    for s in range(steps):
        if rho < 1e-20:
            break
        pq = 0.0
        for i in range(n):
            q[i] = 0.0
            for j in range(n):
                q[i] += A[i, j] * p[j]
            pq += p[i] * q[i]
        alpha = rho / pq
        new = 0.0
        for i in range(n):
            x[i] += alpha * p[i]
            r[i] -= alpha * q[i]
            new += r[i] ** 2
        beta = new / rho
        rho = new
        for i in range(n):
            p[i] = r[i] + beta * p[i]
    return x


def ray_march(sphere, direction, far: float):
    norm = 0.0
    for e in direction:
        norm += e * e
    norm = math.sqrt(norm)
    t, light = 0.0, 0.0
    for step in range(50):
        d2 = 0.0
        for k in range(3):
            d2 += (t * direction[k] / norm - sphere[k]) ** 2
        d = math.sqrt(d2) - sphere[3]
        light += 0.1 * math.exp(-d)
        if d < 1e-3:
            return t + light
        t += 0.7 * d
        if t > far:
            break
    else:
        return -light
    return light


def horner(c, x: float):
    p, q = 0.0, 0.0
    for a in reversed(c):
        p, q = p * x + a, q * x + p
    return p, q


def normal_cdf(z):
    return 0.5 * (1.0 + math.erf(z / math.sqrt(2.0)))


def black_scholes(spot, strike, rate: float, vol: float, years: float):
    total = 0.0
    for s, k in zip(spot, strike):
        d1 = (math.log(s / k) + (rate + 0.5 * vol**2) * years) / (vol * math.sqrt(years))
        d2 = d1 - vol * math.sqrt(years)
        call = s * normal_cdf(d1) - k * math.exp(-rate * years) * normal_cdf(d2)
        put = call - s + k * math.exp(-rate * years)
        total += call if s > k else 2.0 * put
    return total


def histogram(x, bins: int):
    counts = np.zeros(bins, dtype=np.int64)
    sums = np.zeros(bins)
    for e in x:
        b = int(math.floor(e * bins))
        if b < 0:
            b = 0
        elif b >= bins:
            b = bins - 1
        counts[b] += 1
        sums[b] += e
    s = 0.0
    for b in range(bins):
        if counts[b] > 0:
            s += sums[b] * sums[b] / counts[b]
    return s, counts


rng = np.random.default_rng(11)
U = lambda *shape: rng.uniform(0.3, 1.2, shape)
SPD = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
CASES = {
    "rk4": [((U(2), U(4), 0.1, 3), ())],
    "n_body": [((U(3, 3), U(3, 3), U(3), 0.1, 2), ())],
    "csr_matvec": [((U(5), np.array([0, 2, 1, 0, 2]), np.array([0, 2, 2, 3, 5]), U(3)), ())],
    "lstm": [((U(3), rng.normal(size=(4, 2, 3)), U(4, 2), U(2), U(2)), ())],
    "bubble_sort": [((np.array(v),), ()) for v in ([3.0, 1.0, 2.0, 0.5], [1.0, 2.0], [2.0, 2.0, 1.0])],
    "fft": [((U(8), U(8)), ()), ((U(1), U(1)), ())],
    "thomas": [((U(5), 2.0 + U(5), U(5), U(5)), ("b", "d"))],
    "conjugate_gradient": [((SPD, U(3), 2), ())],
    "ray_march": [((np.array([0.1, 0.2, 3.0, 1.0]), np.array([0.0, 0.1, 1.0]), 9.0), ()),
                  ((np.array([0.1, 4.0, 3.0, 1.0]), np.array([0.0, -0.1, 1.0]), 9.0), ()),
                  ((np.array([0.1, 4.0, 3.0, 1.0]), np.array([0.0, -0.1, 1.0]), 1e30), ())],
    "horner": [((U(5), 0.7), ()), ((U(0), 0.7), ())],
    "black_scholes": [((np.array([1.0, 1.3]), np.array([1.1, 1.0]), 0.05, 0.3, 2.0), ())],
    "histogram": [((np.array([0.1, 0.15, 0.9, -3.0, 7.0, 0.5]), 4), ())],
}
