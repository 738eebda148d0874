"""Numerical programs as people write them: factorisations, integrators, recursions over tables, iterations."""

# ruff: noqa
import math

import numpy as np


def lu_pivoting(A, b):
    n = len(b)
    U = A.copy()
    y = b.copy()
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(U[i, k]) > abs(U[p, k]):
                p = i
        if p != k:
            for j in range(n):
                U[k, j], U[p, j] = U[p, j], U[k, j]
            y[k], y[p] = y[p], y[k]
        for i in range(k + 1, n):
            m = U[i, k] / U[k, k]
            U[i, k] = 0.0
            for j in range(k + 1, n):
                U[i, j] -= m * U[k, j]
            y[i] -= m * y[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            y[i] -= U[i, j] * y[j]
        y[i] /= U[i, i]
    return y


def soft_dtw(x, y, gamma: float):
    n, m = len(x), len(y)
    R = np.full((n + 1, m + 1), 1e3)
    R[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a, b, c = -R[i - 1, j - 1] / gamma, -R[i - 1, j] / gamma, -R[i, j - 1] / gamma
            top = max(a, b, c)
            total = math.exp(a - top) + math.exp(b - top) + math.exp(c - top)
            R[i, j] = (x[i - 1] - y[j - 1]) ** 2 - gamma * (math.log(total) + top)
    return R[n, m]


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


def viterbi(start, trans, emit, obs):
    n, T = len(start), len(obs)
    score = np.empty(n)
    back = np.zeros((T, n), dtype=np.int64)
    for s in range(n):
        score[s] = start[s] + emit[s, obs[0]]
    for t in range(1, T):
        new = np.empty(n)
        for s in range(n):
            best, where = score[0] + trans[0, s], 0
            for r in range(1, n):
                e = score[r] + trans[r, s]
                if e > best:
                    best, where = e, r
            new[s] = best + emit[s, obs[t]]
            back[t, s] = where
        score = new
    last = 0
    for s in range(n):
        if score[s] > score[last]:
            last = s
    path = np.zeros(T, dtype=np.int64)
    path[T - 1] = last
    for t in range(T - 1, 0, -1):
        path[t - 1] = back[t, path[t]]
    value = 0.0
    for t in range(T):
        value += emit[path[t], obs[t]] ** 2
    return score[last], value, path


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


def jacobi(A, b, tolerance: float, most: int):
    n = len(b)
    x = np.zeros(n)
    y = np.zeros_like(x)
    k = 0
    change = 1.0
    while change > tolerance and k < most:
        change = 0.0
        for i in range(n):
            s = b[i]
            for j in range(n):
                if j != i:
                    s -= A[i, j] * x[j]
            y[i] = s / A[i, i]
            change = max(change, abs(y[i] - x[i]))
        x, y = y, x
        k += 1
    return x, k


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


def edit_distance(a, b, costs):
    n, m = len(a), len(b)
    D = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        D[i, 0] = D[i - 1, 0] + costs[0]
    for j in range(1, m + 1):
        D[0, j] = D[0, j - 1] + costs[1]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            same = D[i - 1, j - 1] + (0.0 if a[i - 1] == b[j - 1] else costs[2])
            D[i, j] = min(same, min(D[i - 1, j] + costs[0], D[i, j - 1] + costs[1]))
    return D[n, m]


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


def newton_inside(a):
    total = 0.0
    for i in range(len(a)):
        x = 1.0 + a[i]
        for k in range(20):
            f = x * x * x - a[i] - i
            if abs(f) < 1e-9:
                break
            x -= f / (3.0 * x * x)
        total += x * a[i]
    return total


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


def convolution(image, kernel):
    n, m = image.shape
    p, q = kernel.shape
    out = np.zeros((n - p + 1, m - q + 1))
    for i in range(n - p + 1):
        for j in range(m - q + 1):
            for k in range(p):
                for l in range(q):
                    out[i, j] += image[i + k, j + l] * kernel[k, l]
            out[i, j] = max(0.0, out[i, j])
    return out


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


def life(grid, heat, steps: int):
    n, m = grid.shape
    g, h = grid.copy(), heat.copy()
    for t in range(steps):
        new = np.zeros((n, m), dtype=np.int64)
        for i in range(n):
            for j in range(m):
                alive = 0
                for a in (-1, 0, 1):
                    for b in (-1, 0, 1):
                        if (a != 0 or b != 0) and g[(i + a) % n, (j + b) % m] > 0:
                            alive += 1
                if alive == 3 or (alive == 2 and g[i, j] > 0):
                    new[i, j] = 1
                    h[i, j] *= 1.0 + 0.1 * h[(i + 1) % n, j]
                else:
                    h[i, j] -= 0.2 * h[i, (j - 1) % m] ** 2
        g = new
    s = 0.0
    for i in range(n):
        for j in range(m):
            s += h[i, j] * (1 + g[i, j])
    return s


def cholesky(A):
    n = len(A)
    L = np.zeros((n, n))
    for j in range(n):
        s = A[j, j]
        for k in range(j):
            s -= L[j, k] ** 2
        if s <= 0.0:
            raise ValueError("not positive definite")
        L[j, j] = math.sqrt(s)
        for i in range(j + 1, n):
            s = A[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            L[i, j] = s / L[j, j]
    det = 0.0
    for i in range(n):
        det += math.log(L[i, i])
    return det, L


def power_method(A, steps: int):
    n = len(A)
    v = np.ones(n)
    lam = 0.0
    for s in range(steps):
        w = np.zeros(n)
        norm = 0.0
        for i in range(n):
            for j in range(n):
                w[i] += A[i, j] * v[j]
            norm += w[i] ** 2
        norm = np.sqrt(norm)
        for i in range(n):
            w[i] /= norm
        lam = norm
        v = w
    return lam


def forward_algorithm(pi, T, E, obs):
    n = len(pi)
    alpha = np.zeros(n)
    for s in range(n):
        alpha[s] = pi[s] * E[s, obs[0]]
    loglik = 0.0
    for t in range(1, len(obs)):
        z = 0.0
        for s in range(n):
            z += alpha[s]
        loglik += math.log(z)
        nxt = np.zeros(n)
        for s in range(n):
            for r in range(n):
                nxt[s] += alpha[r] / z * T[r, s]
            nxt[s] *= E[s, obs[t]]
        alpha = nxt
    z = 0.0
    for a in alpha:
        z += a
    return loglik + math.log(z)


rng = np.random.default_rng(11)
U = lambda *shape: rng.uniform(0.3, 1.2, shape)
SPD = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
CASES = {
    "lu_pivoting": [((rng.normal(size=(4, 4)), U(4)), ()), ((np.array([[0.0, 1.0], [2.0, 1.0]]), U(2)), ())],
    "soft_dtw": [((U(4), U(3), 0.5), ())],
    "rk4": [((U(2), U(4), 0.1, 3), ())],
    "n_body": [((U(3, 3), U(3, 3), U(3), 0.1, 2), ())],
    "csr_matvec": [((U(5), np.array([0, 2, 1, 0, 2]), np.array([0, 2, 2, 3, 5]), U(3)), ())],
    "lstm": [((U(3), rng.normal(size=(4, 2, 3)), U(4, 2), U(2), U(2)), ())],
    "viterbi": [((U(3), rng.normal(size=(3, 3)), rng.normal(size=(3, 2)), np.array([0, 1, 1, 0])), ())],
    "bubble_sort": [((np.array(v),), ()) for v in ([3.0, 1.0, 2.0, 0.5], [1.0, 2.0], [2.0, 2.0, 1.0])],
    "fft": [((U(8), U(8)), ()), ((U(1), U(1)), ())],
    "thomas": [((U(5), 2.0 + U(5), U(5), U(5)), ("b", "d"))],
    "jacobi": [((SPD, U(3), 1e-3, 30), ()), ((SPD, U(3), 1e-3, 0), ())],
    "conjugate_gradient": [((SPD, U(3), 2), ())],
    "edit_distance": [((np.array([1, 2, 3, 2]), np.array([2, 3, 3]), np.array([1.0, 1.1, 0.7])), ())],
    "ray_march": [((np.array([0.1, 0.2, 3.0, 1.0]), np.array([0.0, 0.1, 1.0]), 9.0), ()),
                  ((np.array([0.1, 4.0, 3.0, 1.0]), np.array([0.0, -0.1, 1.0]), 9.0), ()),
                  ((np.array([0.1, 4.0, 3.0, 1.0]), np.array([0.0, -0.1, 1.0]), 1e30), ())],
    "horner": [((U(5), 0.7), ()), ((U(0), 0.7), ())],
    "newton_inside": [((U(4),), ())],
    "black_scholes": [((np.array([1.0, 1.3]), np.array([1.1, 1.0]), 0.05, 0.3, 2.0), ())],
    "convolution": [((rng.normal(size=(4, 5)), rng.normal(size=(2, 3))), ())],
    "histogram": [((np.array([0.1, 0.15, 0.9, -3.0, 7.0, 0.5]), 4), ())],
    "life": [((rng.integers(0, 2, (3, 4)), 0.3 * U(3, 4), 2), ())],
    "cholesky": [((SPD,), ()), ((-SPD,), ())],
    "power_method": [((SPD, 3), ())],
    "forward_algorithm": [((U(2), U(2, 2), U(2, 3), np.array([0, 2, 1])), ())],
}
