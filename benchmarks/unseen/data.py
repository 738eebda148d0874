"""Statistics, sparse matrices and particles."""

import math

import numpy as np
from jaxtyping import Float64, Int64

Vec = Float64[np.ndarray, "n"]
Ints = Int64[np.ndarray, "k"]
Rows = Int64[np.ndarray, "r"]
Entries = Float64[np.ndarray, "k"]


def mixture(x: Float64[np.ndarray, "n d"], w: Float64[np.ndarray, "K"], mu: Float64[np.ndarray, "K d"], L: Float64[np.ndarray, "K p"]) -> float:
    """Gaussians with packed lower triangles, scratch outside, a running counter."""
    n, d = x.shape
    K = len(w)
    diff = np.empty(d)
    lse = np.empty(K)
    total = 0.0
    for i in range(n):
        for k in range(K):
            for j in range(d):
                diff[j] = x[i, j] - mu[k, j]
            c = 0
            q = 0.0
            ld = 0.0
            for r in range(d):
                a = 0.0
                for j in range(r):
                    a += L[k, c] * diff[j]
                    c += 1
                a += math.exp(L[k, c]) * diff[r]
                ld += L[k, c]
                c += 1
                q += a * a
            lse[k] = w[k] + ld - 0.5 * q
        m = lse[0]
        for k in range(1, K):
            if lse[k] > m:
                m = lse[k]
        s = 0.0
        for k in range(K):
            s += math.exp(lse[k] - m)
        total += m + math.log(s)
    return total


def csr_jacobi(indptr: Rows, indices: Ints, values: Entries, b: Vec, steps: int) -> float:
    """Jacobi's method for a sparse matrix, rows from ``indptr``."""
    n = len(b)
    x = np.zeros(n)
    for t in range(steps):
        xn = np.zeros(n)
        for i in range(n):
            s = b[i]
            d = 1.0
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                if j == i:
                    d = values[k]
                else:
                    s -= values[k] * x[j]
            xn[i] = s / d
        x = xn
    return np.sum(x * x)


def csr_rows(indptr: Rows, indices: Ints, values: Entries, x: Vec) -> float:
    """The softmax of each sparse row, in scratch that is filled in part."""
    n = len(indptr) - 1
    most = 0
    for i in range(n):
        most = max(most, indptr[i + 1] - indptr[i])
    e = np.empty(most)
    total = 0.0
    for i in range(n):
        m = -1e30
        c = 0
        for k in range(indptr[i], indptr[i + 1]):
            e[c] = values[k] * x[indices[k]]
            m = max(m, e[c])
            c += 1
        z = 0.0
        for k in range(c):
            e[k] = math.exp(e[k] - m)
            z += e[k]
        for k in range(c):
            total += (e[k] / z) ** 2
    return total


def csr_conjugate_gradients(indptr: Rows, indices: Ints, values: Entries, b: Vec, steps: int) -> float:
    """Conjugate gradients for a sparse matrix."""
    n = len(b)
    x = np.zeros(n)
    r = b.copy()
    p = b.copy()
    ap = np.empty(n)
    rr = np.dot(r, r)
    for t in range(steps):
        for i in range(n):
            s = 0.0
            for k in range(indptr[i], indptr[i + 1]):
                s += values[k] * p[indices[k]]
            ap[i] = s
        pap = 0.0
        for i in range(n):
            pap += p[i] * ap[i]
        a = rr / pap
        new = 0.0
        for i in range(n):
            x[i] += a * p[i]
            r[i] -= a * ap[i]
            new += r[i] * r[i]
        g = new / rr
        rr = new
        for i in range(n):
            p[i] = r[i] + g * p[i]
    return np.dot(x, b)


def assembly(points: Float64[np.ndarray, "n 2"], triangles: Int64[np.ndarray, "e 3"], u: Vec) -> float:
    """The energy of finite elements: element matrices, added to where indices say."""
    n = points.shape[0]
    f = np.zeros(n)
    g = np.empty((3, 2))
    for e in range(triangles.shape[0]):
        a, b, c = triangles[e, 0], triangles[e, 1], triangles[e, 2]
        area = 0.5 * (
            (points[b, 0] - points[a, 0]) * (points[c, 1] - points[a, 1])
            - (points[c, 0] - points[a, 0]) * (points[b, 1] - points[a, 1])
        )
        for k in range(3):
            i = triangles[e, (k + 1) % 3]
            j = triangles[e, (k + 2) % 3]
            g[k, 0] = (points[i, 1] - points[j, 1]) / (2.0 * area)
            g[k, 1] = (points[j, 0] - points[i, 0]) / (2.0 * area)
        for k in range(3):
            for l in range(3):
                f[triangles[e, k]] += area * (g[k, 0] * g[l, 0] + g[k, 1] * g[l, 1]) * u[triangles[e, l]]
    s = 0.0
    for i in range(n):
        s += f[i] * f[i]
    return s


def coo_assembly(rows: Ints, cols: Ints, k: Entries, x: Vec) -> float:
    """Springs: a product with a matrix of coordinates, four entries for each."""
    n = len(x)
    f = np.zeros(n)
    for e in range(len(rows)):
        i, j = rows[e], cols[e]
        f[i] += k[e] * x[i]
        f[i] -= k[e] * x[j]
        f[j] -= k[e] * x[i]
        f[j] += k[e] * x[j]
    return np.dot(f, f)


def linked_cells(pos: Float64[np.ndarray, "n 2"], side: float, m: int) -> float:
    """Forces between near particles by linked lists of cells, each cell with its neighbours."""
    n = pos.shape[0]
    head = np.full((m, m), -1)
    nxt = np.full(n, -1)
    w = side / m
    for i in range(n):
        a = int(pos[i, 0] / w)
        b = int(pos[i, 1] / w)
        nxt[i] = head[a, b]
        head[a, b] = i
    e = 0.0
    for a in range(m):
        for b in range(m):
            for da in range(-1, 2):
                for db in range(-1, 2):
                    c, d = a + da, b + db
                    if c < 0 or c >= m or d < 0 or d >= m:
                        continue
                    i = head[a, b]
                    while i >= 0:
                        j = head[c, d]
                        while j >= 0:
                            if i < j:
                                dx = pos[i, 0] - pos[j, 0]
                                dy = pos[i, 1] - pos[j, 1]
                                r2 = dx * dx + dy * dy
                                if r2 < w * w:
                                    e += (1.0 - r2 / (w * w)) ** 3
                            j = nxt[j]
                        i = nxt[i]
    return e


def fft(re0: Vec, im0: Vec) -> float:
    """Butterflies in place, with twiddle factors from a recurrence."""
    n = len(re0)
    re = re0.copy()
    im = im0.copy()
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
            im[i], im[j] = im[j], im[i]
    size = 2
    while size <= n:
        half = size // 2
        wr0, wi0 = math.cos(-2.0 * math.pi / size), math.sin(-2.0 * math.pi / size)
        for start in range(0, n, size):
            wr, wi = 1.0, 0.0
            for k in range(half):
                a = start + k
                b = a + half
                tr = wr * re[b] - wi * im[b]
                ti = wr * im[b] + wi * re[b]
                re[b] = re[a] - tr
                im[b] = im[a] - ti
                re[a] += tr
                im[a] += ti
                wr, wi = wr * wr0 - wi * wi0, wr * wi0 + wi * wr0
        size *= 2
    s = 0.0
    for i in range(n):
        p = re[i] * re[i] + im[i] * im[i]
        s += p * p
    return s / n


def table_lookup(table: Float64[np.ndarray, "m"], x: Vec) -> float:
    """Interpolation on a regular table: ``int`` of what is looked up."""
    m = len(table)
    s = 0.0
    for i in range(len(x)):
        y = x[i] * (m - 1)
        k = int(y)
        if k > m - 2:
            k = m - 2
        f = y - k
        s += (1.0 - f) * table[k] + f * table[k + 1] ** 2
    return s


def group_effects(y: Vec, group: Int64[np.ndarray, "n"], effect: Float64[np.ndarray, "g"], sigma: float) -> float:
    """Residuals by group, summed in rows."""
    g = len(effect)
    total = np.zeros((g, 3))
    for i in range(len(y)):
        k = group[i]
        e = (y[i] - effect[k]) / sigma
        total[k, 0] += 1.0
        total[k, 1] += e
        total[k, 2] += e * e
    s = 0.0
    for k in range(g):
        s += total[k, 2] - total[k, 1] ** 2 / (1.0 + total[k, 0])
    return s + len(y) * math.log(sigma)


def forward_backward(obs: Int64[np.ndarray, "T"], A: Float64[np.ndarray, "S S"], B: Float64[np.ndarray, "S O"]) -> float:
    """A hidden Markov model with scaling, two vectors that are swapped."""
    S = A.shape[0]
    a = np.full(S, 1.0 / S)
    an = np.empty(S)
    ll = 0.0
    for t in range(len(obs)):
        z = 0.0
        for j in range(S):
            s = 0.0
            for i in range(S):
                s += a[i] * A[i, j]
            an[j] = s * B[j, obs[t]]
            z += an[j]
        for j in range(S):
            an[j] /= z
        ll += math.log(z)
        a, an = an, a
    return ll


def weighted_distance(A, B, w):
    """Two matrices of one shape and a weight for each column, without annotations."""
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            d = A[i, j] - B[i, j]
            s += w[j] * d * d
    return s


def online_regression(X, y, forget):
    """Recursive least squares, all in scratch outside, without annotations."""
    n, d = X.shape
    P = np.eye(d)
    w = np.zeros(d)
    g = np.empty(d)
    s = 0.0
    for t in range(n):
        den = forget
        for i in range(d):
            g[i] = 0.0
            for j in range(d):
                g[i] += P[i, j] * X[t, j]
            den += X[t, i] * g[i]
        e = y[t]
        for i in range(d):
            e -= w[i] * X[t, i]
        s += e * e
        for i in range(d):
            w[i] += g[i] / den * e
        for i in range(d):
            for j in range(d):
                P[i, j] = (P[i, j] - g[i] * g[j] / den) / forget
    return s


def cholesky_likelihood(x: Vec, y: Vec, length: float, noise: float) -> float:
    """A Gaussian process: kernel, factor in place, forward substitution in the same loop."""
    n = len(x)
    K = np.empty((n, n))
    z = np.empty(n)
    ll = 0.0
    for i in range(n):
        for j in range(i + 1):
            d = x[i] - x[j]
            K[i, j] = math.exp(-d * d / (2.0 * length * length))
        K[i, i] += noise
    for i in range(n):
        for j in range(i + 1):
            s = K[i, j]
            for k in range(j):
                s -= K[i, k] * K[j, k]
            if i == j:
                K[i, i] = math.sqrt(s)
            else:
                K[i, j] = s / K[j, j]
        a = y[i]
        for k in range(i):
            a -= K[i, k] * z[k]
        z[i] = a / K[i, i]
        ll -= 0.5 * z[i] * z[i] + math.log(K[i, i])
    return ll


def barycentric(points: Float64[np.ndarray, "n 3"], steps: int) -> float:
    """A closed curve that is smoothed: small vectors in NumPy style in a loop."""
    n = points.shape[0]
    p = points.copy()
    for t in range(steps):
        q = np.empty((n, 3))
        for i in range(n):
            q[i] = 0.25 * p[i - 1] + 0.5 * p[i] + 0.25 * p[(i + 1) % n]
        p = q
    s = 0.0
    for i in range(n):
        e = p[i] - p[i - 1]
        s += math.sqrt(np.dot(e, e))
    return s
