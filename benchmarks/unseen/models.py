"""Models of sequences, prices, epidemics and graphs."""

import math

import numpy as np
from jaxtyping import Float64, Int64

Vec = Float64[np.ndarray, "n"]
Table = Float64[np.ndarray, "n m"]


def log_add(a: float, b: float) -> float:
    if a > b:
        return a + math.log1p(math.exp(b - a))
    return b + math.log1p(math.exp(a - b))


def chain_field(scores: Float64[np.ndarray, "T S"], jump: Float64[np.ndarray, "S S"], labels: Int64[np.ndarray, "T"]) -> float:
    """The likelihood of a linear chain conditional random field, sums of exponentials by a helper."""
    T, S = scores.shape
    alpha = scores[0].copy()
    gold = scores[0, labels[0]]
    for t in range(1, T):
        new = np.empty(S)
        for j in range(S):
            a = alpha[0] + jump[0, j]
            for i in range(1, S):
                a = log_add(a, alpha[i] + jump[i, j])
            new[j] = a + scores[t, j]
        alpha = new
        gold += scores[t, labels[t]] + jump[labels[t - 1], labels[t]]
    z = alpha[0]
    for i in range(1, S):
        z = log_add(z, alpha[i])
    return z - gold


def soft_alignment(a: Vec, b: Float64[np.ndarray, "m"], gap: float, temperature: float) -> float:
    """Needleman and Wunsch's table with smooth minima."""
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        d[i, 0] = d[i - 1, 0] + gap
    for j in range(1, m + 1):
        d[0, j] = d[0, j - 1] + gap
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            x = d[i - 1, j - 1] + (a[i - 1] - b[j - 1]) ** 2
            y = d[i - 1, j] + gap
            z = d[i, j - 1] + gap
            low = min(x, min(y, z))
            s = math.exp((low - x) / temperature) + math.exp((low - y) / temperature) + math.exp((low - z) / temperature)
            d[i, j] = low - temperature * math.log(s)
    return d[n, m]


def american_put(spot: Vec, strike: float, rate: float, sigma: float, years: float, steps: int) -> float:
    """Cox, Ross and Rubinstein's lattice with early exercise, for some prices."""
    dt = years / steps
    u = math.exp(sigma * math.sqrt(dt))
    p = (math.exp(rate * dt) - 1.0 / u) / (u - 1.0 / u)
    disc = math.exp(-rate * dt)
    total = 0.0
    value = np.empty(steps + 1)
    for s in range(len(spot)):
        for i in range(steps + 1):
            value[i] = max(strike - spot[s] * u ** (2 * i - steps), 0.0)
        for t in range(steps - 1, -1, -1):
            for i in range(t + 1):
                hold = disc * (p * value[i + 1] + (1.0 - p) * value[i])
                now = strike - spot[s] * u ** (2 * i - t)
                value[i] = max(hold, now)
        total += value[0]
    return total


def heston_paths(z: Float64[np.ndarray, "p t 2"], kappa: float, theta: float, xi: float, corr: float, strike: float) -> float:
    """Prices with stochastic variance on given normal numbers, truncated at zero; an Asian option with a barrier."""
    paths, T, _ = z.shape
    dt = 1.0 / T
    total = 0.0
    for p in range(paths):
        logs, v, mean = 0.0, 0.04, 0.0
        alive = True
        for t in range(T):
            vp = max(v, 0.0)
            w = corr * z[p, t, 0] + math.sqrt(1.0 - corr * corr) * z[p, t, 1]
            logs += -0.5 * vp * dt + math.sqrt(vp * dt) * z[p, t, 0]
            v += kappa * (theta - vp) * dt + xi * math.sqrt(vp * dt) * w
            s = math.exp(logs)
            if s > 1.6:
                alive = False
                break
            mean += s / T
        if alive:
            total += max(mean - strike, 0.0)
    return total / paths


def age_epidemic(contact: Float64[np.ndarray, "a a"], i0: Float64[np.ndarray, "a"], beta: float, gamma: float, limit: float, days: int) -> float:
    """Susceptible, infected and recovered by age; contacts are halved for two weeks after each day above a limit."""
    A = len(i0)
    s = 1.0 - i0
    i = i0.copy()
    closed = 0
    deaths = 0.0
    for day in range(days):
        level = 0.0
        for a in range(A):
            level += i[a] / A
        if closed == 0 and level > limit:
            closed = 14
        b = beta
        if closed > 0:
            b *= 0.5
            closed -= 1
        force = contact @ i
        for a in range(A):
            new = b * s[a] * force[a]
            if new > s[a]:
                new = s[a]
            out = gamma * i[a]
            s[a] -= new
            i[a] += new - out
            deaths += 0.01 * a * out
    return deaths


def drawdown(r: Vec, w: Float64[np.ndarray, "w"]) -> float:
    """A filtered price, its running maximum, the deepest fall below it and how long that took."""
    n, k = len(r), len(w)
    peak, since, worst, pain = 0.0, 0, 0.0, 0.0
    level = 0.0
    for t in range(k, n):
        step = 0.0
        for j in range(k):
            step += w[j] * r[t - j]
        level += step
        if level > peak:
            peak = level
            since = 0
        else:
            since += 1
        fall = peak - level
        if fall > worst:
            worst = fall
        pain += fall * since / n
    return worst + pain / n


def message_passing(x: Table, src: Int64[np.ndarray, "e"], dst: Int64[np.ndarray, "e"], W: Float64[np.ndarray, "m m"], rounds: int) -> float:
    """A graph network: messages along edges, added where they arrive, and a layer."""
    n, m = x.shape
    h = x.copy()
    for r in range(rounds):
        got = np.zeros((n, m))
        for e in range(len(src)):
            for k in range(m):
                got[dst[e], k] += h[src[e], k]
        new = np.empty((n, m))
        for i in range(n):
            for k in range(m):
                a = h[i, k]
                for l in range(m):
                    a += got[i, l] * W[l, k]
                new[i, k] = math.tanh(a)
        h = new
    return np.sum(h * h)


def tax(income: float, brackets: Vec, rates: Vec) -> float:
    if income <= 0.0:
        return 0.0
    owed = 0.0
    low = 0.0
    for k in range(len(brackets)):
        if income <= brackets[k]:
            return owed + (income - low) * rates[k]
        owed += (brackets[k] - low) * rates[k]
        low = brackets[k]
    return owed + (income - low) * 0.5


def tax_revenue(wages: Float64[np.ndarray, "h"], brackets: Vec, rates: Vec, elasticity: float) -> float:
    """A household works less where its tax is high; a helper that returns early."""
    total = 0.0
    for i in range(len(wages)):
        t = tax(wages[i], brackets, rates)
        net = max(wages[i] - t, 0.1)
        y = wages[i] * (net / (wages[i] + 0.1)) ** elasticity
        total += tax(y, brackets, rates)
    return total


def running_medians(y: Vec, half: int) -> float:
    """A median filter: each window is sorted by insertion; the deviations from it, winsorised."""
    n = len(y)
    w = 2 * half + 1
    buf = np.empty(w)
    s = 0.0
    for t in range(half, n - half):
        for k in range(w):
            x = y[t - half + k]
            j = k
            while j > 0 and buf[j - 1] > x:
                buf[j] = buf[j - 1]
                j -= 1
            buf[j] = x
        d = y[t] - buf[half]
        spread = buf[w - 2] - buf[1]
        s += d * d if abs(d) < spread else 2.0 * spread * abs(d) - spread * spread
    return s


def attention(x: Table, Q: Float64[np.ndarray, "m h"], K: Float64[np.ndarray, "m h"], V: Float64[np.ndarray, "m h"]) -> float:
    """One causal head: scores and weights row by row, products by NumPy."""
    n = x.shape[0]
    h = Q.shape[1]
    q, k, v = x @ Q, x @ K, x @ V
    loss = 0.0
    for i in range(n):
        s = np.empty(i + 1)
        for j in range(i + 1):
            s[j] = np.dot(q[i], k[j]) / math.sqrt(h)
        w = np.exp(s - np.max(s))
        w = w / np.sum(w)
        for c in range(h):
            a = 0.0
            for j in range(i + 1):
                a += w[j] * v[j, c]
            loss += a * a
    return loss
