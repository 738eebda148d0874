"""Learning, filtering, epidemics on networks, and economics."""

import math

import numpy as np
from jaxtyping import Float64, Int64

Vec = Float64[np.ndarray, "n"]
Table = Float64[np.ndarray, "n m"]


def sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def gates(W: Float64[np.ndarray, "g z"], b: Float64[np.ndarray, "g"], z: Float64[np.ndarray, "z"]) -> Float64[np.ndarray, "g"]:
    out = np.zeros(len(b))
    for i in range(len(b)):
        out[i] = b[i]
        for j in range(len(z)):
            out[i] += W[i, j] * z[j]
    return out


def lstm_tagger(x: Float64[np.ndarray, "T d"], W: Float64[np.ndarray, "g z"], b: Float64[np.ndarray, "g"], v: Float64[np.ndarray, "h"], y: Float64[np.ndarray, "T"]) -> float:
    """An LSTM cell with its gates in a helper, and a logistic output in each step."""
    T, d = x.shape
    H = len(v)
    h = np.zeros(H)
    c = np.zeros(H)
    loss = 0.0
    for t in range(T):
        z = np.concatenate((x[t], h))
        a = gates(W, b, z)
        for k in range(H):
            c[k] = sigmoid(a[H + k]) * c[k] + sigmoid(a[k]) * math.tanh(a[2 * H + k])
            h[k] = sigmoid(a[3 * H + k]) * math.tanh(c[k])
        s = 0.0
        for k in range(H):
            s += v[k] * h[k]
        loss += math.log1p(math.exp(-y[t] * s))
    return loss / T


def trained_network(x: Table, y: Vec, W0: Float64[np.ndarray, "h m"], v0: Float64[np.ndarray, "h"], rate: float, epochs: int) -> float:
    """A small network trained by gradient descent that is written out, as a function of where it began and of its rate."""
    n, m = x.shape
    H = len(v0)
    W = W0.copy()
    v = v0.copy()
    loss = 0.0
    for e in range(epochs):
        gW = np.zeros((H, m))
        gv = np.zeros(H)
        loss = 0.0
        for i in range(n):
            h = np.zeros(H)
            out = 0.0
            for k in range(H):
                a = 0.0
                for j in range(m):
                    a += W[k, j] * x[i, j]
                h[k] = math.tanh(a)
                out += v[k] * h[k]
            err = out - y[i]
            loss += 0.5 * err * err
            for k in range(H):
                gv[k] += err * h[k]
                da = err * v[k] * (1.0 - h[k] * h[k])
                for j in range(m):
                    gW[k, j] += da * x[i, j]
        for k in range(H):
            v[k] -= rate * gv[k] / n
            for j in range(m):
                W[k, j] -= rate * gW[k, j] / n
    return loss / n


def particle_filter(z: Float64[np.ndarray, "T"], noise: Float64[np.ndarray, "T p"], a: float, q: float, r: float) -> float:
    """A bootstrap filter with given noise, particles mixed with their mean in place of resampling."""
    T, P = noise.shape
    x = np.zeros(P)
    w = np.ones(P) / P
    ll = 0.0
    for t in range(T):
        total = 0.0
        for p in range(P):
            x[p] = a * x[p] + 0.5 * math.sin(x[p]) + q * noise[t, p]
            d = (z[t] - x[p]) / r
            w[p] = w[p] * math.exp(-0.5 * d * d) + 1e-12
            total += w[p]
        ll += math.log(total / r)
        mean = 0.0
        for p in range(P):
            w[p] /= total
            mean += w[p] * x[p]
        for p in range(P):
            x[p] = 0.9 * x[p] + 0.1 * mean
            w[p] = 0.5 * w[p] + 0.5 / P
    return ll


def network_epidemic(indptr: Int64[np.ndarray, "q"], neighbours: Int64[np.ndarray, "e"], i0: Vec, beta: float, gamma: float, days: int) -> float:
    """Probabilities of infection along the edges of a graph, day by day."""
    n = len(i0)
    s = 1.0 - i0
    i = i0.copy()
    peak = 0.0
    for day in range(days):
        escape = np.ones(n)
        for a in range(n):
            for e in range(indptr[a], indptr[a + 1]):
                escape[a] *= 1.0 - beta * i[neighbours[e]]
        total = 0.0
        for a in range(n):
            new = s[a] * (1.0 - escape[a])
            s[a] -= new
            i[a] += new - gamma * i[a]
            total += i[a]
        peak = max(peak, total / n)
    return peak


def soft_viterbi(emit: Float64[np.ndarray, "T s"], jump: Float64[np.ndarray, "s s"], temperature: float) -> float:
    """The best path of a chain with smooth maxima, in array style."""
    T, S = emit.shape
    score = emit[0].copy()
    for t in range(1, T):
        new = np.empty(S)
        for j in range(S):
            z = (score + jump[:, j]) / temperature
            top = np.max(z)
            new[j] = emit[t, j] + temperature * (top + np.log(np.sum(np.exp(z - top))))
        score = new
    return np.max(score)


def soft_clusters(x: Float64[np.ndarray, "n d"], centres0: Float64[np.ndarray, "k d"], sharp: float, rounds: int) -> float:
    """Soft k-means: memberships by a softmax, centres by weighted means."""
    n, d = x.shape
    K = len(centres0)
    centres = centres0.copy()
    member = np.zeros(K)
    spread = 0.0
    for it in range(rounds):
        sums = np.zeros((K, d))
        weight = np.zeros(K)
        spread = 0.0
        for i in range(n):
            low = 1e30
            for k in range(K):
                q = 0.0
                for j in range(d):
                    q += (x[i, j] - centres[k, j]) ** 2
                member[k] = q
                if q < low:
                    low = q
            total = 0.0
            for k in range(K):
                member[k] = math.exp(-sharp * (member[k] - low))
                total += member[k]
            for k in range(K):
                share = member[k] / total
                weight[k] += share
                for j in range(d):
                    sums[k, j] += share * x[i, j]
            spread += low - math.log(total) / sharp
        for k in range(K):
            for j in range(d):
                centres[k, j] = sums[k, j] / (weight[k] + 1e-9)
    return spread / n


def local_alignment(a: Float64[np.ndarray, "n d"], b: Float64[np.ndarray, "m d"], opening: float, extend: float) -> float:
    """Gotoh's three tables for local alignments of profiles, with smooth maxima, row by row."""
    n, d = a.shape
    m = b.shape[0]
    M = np.zeros(m + 1)
    X = np.full(m + 1, -1e3)
    Y = np.full(m + 1, -1e3)
    best = 0.0
    for i in range(n):
        Mn = np.zeros(m + 1)
        Xn = np.full(m + 1, -1e3)
        Yn = np.full(m + 1, -1e3)
        for j in range(1, m + 1):
            s = 0.0
            for k in range(d):
                s += a[i, k] * b[j - 1, k]
            top = max(max(M[j - 1], 0.0), max(X[j - 1], Y[j - 1]))
            Mn[j] = s + top + math.log(math.exp(M[j - 1] - top) + math.exp(X[j - 1] - top) + math.exp(Y[j - 1] - top) + math.exp(-top))
            Xn[j] = max(M[j] - opening, X[j] - extend)
            Yn[j] = max(Mn[j - 1] - opening, Yn[j - 1] - extend)
            if Mn[j] > best:
                best = Mn[j]
        M, X, Y = Mn, Xn, Yn
    return best


def value_iteration(wealth: Vec, income: Float64[np.ndarray, "z"], chance: Float64[np.ndarray, "z z"], patience: float, risk: float, rounds: int) -> float:
    """A household that saves: values on a grid, the best of a few shares, interpolated between the points of the grid."""
    n, Z = len(wealth), len(income)
    V = np.zeros((n, Z))
    for it in range(rounds):
        W = np.zeros((n, Z))
        for i in range(n):
            for z in range(Z):
                best = -1e10
                for c in range(1, 10):
                    spend = (wealth[i] + income[z]) * c / 10.0
                    left = wealth[i] + income[z] - spend
                    pos = (left - wealth[0]) / (wealth[n - 1] - wealth[0]) * (n - 1)
                    k = int(pos)
                    if k > n - 2:
                        k = n - 2
                    f = min(pos - k, 1.0)
                    u = spend ** (1.0 - risk) / (1.0 - risk)
                    ahead = 0.0
                    for y in range(Z):
                        ahead += chance[z, y] * ((1.0 - f) * V[k, y] + f * V[k + 1, y])
                    total = u + patience * ahead
                    if total > best:
                        best = total
                W[i, z] = best
        V = W
    return np.sum(V) / (n * Z)


def factor_model(returns: Float64[np.ndarray, "T n"], loadings: Float64[np.ndarray, "n k"], noise: Vec) -> float:
    """The likelihood of returns with common factors, by Woodbury's formula, in array style with a loop for Cholesky's."""
    T, n = returns.shape
    k = loadings.shape[1]
    scaled = loadings / noise[:, None]
    small = np.eye(k) + loadings.T @ scaled
    L = np.zeros((k, k))
    for i in range(k):
        for j in range(i + 1):
            s = small[i, j]
            for p in range(j):
                s -= L[i, p] * L[j, p]
            if i == j:
                L[i, i] = math.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    logdet = np.sum(np.log(noise)) + 2.0 * np.sum(np.log(np.diag(L)))
    ll = 0.0
    for t in range(T):
        y = scaled.T @ returns[t]
        for i in range(k):
            for p in range(i):
                y[i] -= L[i, p] * y[p]
            y[i] /= L[i, i]
        ll += 0.5 * (np.sum(returns[t] * returns[t] / noise) - np.dot(y, y) + logdet)
    return ll / T
