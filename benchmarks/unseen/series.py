"""Time series, filters and recurrent models."""

import math

import numpy as np
from jaxtyping import Float64

Vec = Float64[np.ndarray, "n"]


def garch(r: Vec, theta: Float64[np.ndarray, "3"]) -> float:
    """The likelihood of a GARCH(1, 1) model."""
    omega, alpha, beta = theta[0], theta[1], theta[2]
    h = 0.01
    ll = 0.0
    for t in range(len(r)):
        ll += math.log(h) + r[t] * r[t] / h
        h = omega + alpha * r[t] * r[t] + beta * h
    return 0.5 * ll


def egarch(r: Vec, omega: float, alpha: float, gamma: float, beta: float) -> float:
    """Its exponential sister, in logarithms."""
    lh = math.log(0.01)
    ll = 0.0
    for t in range(len(r)):
        z = r[t] * math.exp(-0.5 * lh)
        ll += lh + z * z
        lh = omega + beta * lh + alpha * (abs(z) - 0.8) + gamma * z
    return 0.5 * ll


def arma(y: Vec, phi: Float64[np.ndarray, "p"], theta: Float64[np.ndarray, "q"]) -> float:
    """Residuals of an ARMA(p, q) model in an array."""
    n, p, q = len(y), len(phi), len(theta)
    e = np.zeros(n)
    s = 0.0
    for t in range(n):
        m = 0.0
        for k in range(p):
            if t - k - 1 >= 0:
                m += phi[k] * y[t - k - 1]
        for k in range(q):
            if t - k - 1 >= 0:
                m += theta[k] * e[t - k - 1]
        e[t] = y[t] - m
        s += e[t] * e[t]
    return s


def holt_winters(y: Vec, alpha: float, beta: float, gamma: float, period: int) -> float:
    """Exponential smoothing with a season in an array that is updated in turn."""
    season = np.zeros(period)
    level, trend = y[0], 0.0
    s = 0.0
    for t in range(len(y)):
        k = t % period
        f = level + trend + season[k]
        e = y[t] - f
        s += e * e
        old = level
        level = alpha * (y[t] - season[k]) + (1.0 - alpha) * (level + trend)
        trend = beta * (level - old) + (1.0 - beta) * trend
        season[k] = gamma * (y[t] - level) + (1.0 - gamma) * season[k]
    return s


def rnn(x: Float64[np.ndarray, "T i"], W: Float64[np.ndarray, "h h"], U: Float64[np.ndarray, "h i"], b: Float64[np.ndarray, "h"]) -> float:
    """An Elman network, two buffers that are swapped."""
    T, k = x.shape
    H = len(b)
    h = np.zeros(H)
    hn = np.empty(H)
    loss = 0.0
    for t in range(T):
        for i in range(H):
            a = b[i]
            for j in range(k):
                a += U[i, j] * x[t, j]
            for j in range(H):
                a += W[i, j] * h[j]
            hn[i] = math.tanh(a)
        h, hn = hn, h
        loss += h[0] * h[0]
    return loss


def rnn_copied(x: Float64[np.ndarray, "T i"], W: Float64[np.ndarray, "h h"], U: Float64[np.ndarray, "h i"], b: Float64[np.ndarray, "h"]) -> float:
    """The same with scratch that is copied back."""
    T, k = x.shape
    H = len(b)
    h = np.zeros(H)
    a = np.empty(H)
    loss = 0.0
    for t in range(T):
        for i in range(H):
            a[i] = b[i]
            for j in range(k):
                a[i] += U[i, j] * x[t, j]
            for j in range(H):
                a[i] += W[i, j] * h[j]
        for i in range(H):
            h[i] = math.tanh(a[i])
        loss += np.sum(h * h)
    return loss


def kalman_matrix(z: Float64[np.ndarray, "T m"], F: Float64[np.ndarray, "d d"], H: Float64[np.ndarray, "m d"], q: float, r: float) -> float:
    """A Kalman filter with observations one after the other, scratch outside the loop."""
    T, m = z.shape
    d = F.shape[0]
    x = np.zeros(d)
    P = np.eye(d)
    xp = np.empty(d)
    FP = np.empty((d, d))
    ph = np.empty(d)
    ll = 0.0
    for t in range(T):
        for i in range(d):
            xp[i] = 0.0
            for j in range(d):
                xp[i] += F[i, j] * x[j]
        for i in range(d):
            for j in range(d):
                a = 0.0
                for k in range(d):
                    a += F[i, k] * P[k, j]
                FP[i, j] = a
        for i in range(d):
            for j in range(d):
                a = 0.0
                for k in range(d):
                    a += FP[i, k] * F[j, k]
                P[i, j] = a
            P[i, i] += q
        for o in range(m):
            s = r
            e = z[t, o]
            for i in range(d):
                ph[i] = 0.0
                for j in range(d):
                    ph[i] += P[i, j] * H[o, j]
                e -= H[o, i] * xp[i]
            for i in range(d):
                s += H[o, i] * ph[i]
            ll += math.log(s) + e * e / s
            for i in range(d):
                xp[i] += ph[i] / s * e
                for j in range(d):
                    P[i, j] -= ph[i] * ph[j] / s
        for i in range(d):
            x[i] = xp[i]
    return 0.5 * ll


def hawkes(times: Vec, mu: float, alpha: float, beta: float) -> float:
    """The likelihood of a self-exciting process."""
    a = 0.0
    ll = 0.0
    for k in range(len(times)):
        if k > 0:
            a = math.exp(-beta * (times[k] - times[k - 1])) * (1.0 + a)
        ll += math.log(mu + alpha * a) - alpha / beta * (1.0 - math.exp(-beta * (times[len(times) - 1] - times[k])))
    return ll - mu * times[len(times) - 1]


def newton_roots(a: Vec) -> float:
    """Kepler's equation for many anomalies, each with its own number of steps."""
    s = 0.0
    for i in range(len(a)):
        e = a[i]
        while True:
            d = (e - 0.3 * math.sin(e) - a[i]) / (1.0 - 0.3 * math.cos(e))
            e -= d
            if abs(d) < 1e-10:
                break
        s += math.cos(e)
    return s


def adaptive_decay(y0: Vec, k: float, tol: float) -> float:
    """Adaptive steps of Heun's method for one equation of each start."""
    total = 0.0
    for i in range(len(y0)):
        y = y0[i]
        t = 0.0
        h = 0.1
        while t < 1.0:
            if t + h > 1.0:
                h = 1.0 - t
            f0 = -k * y * y
            y1 = y + h * f0
            f1 = -k * y1 * y1
            y2 = y + 0.5 * h * (f0 + f1)
            err = abs(y2 - y1)
            if err < tol:
                t += h
                y = y2
                h *= 1.5
            else:
                h *= 0.5
        total += y
    return total


def biquads(x: Vec, c: Float64[np.ndarray, "k 5"]) -> float:
    """A cascade of filters of second order, states in an array."""
    k = c.shape[0]
    z = np.zeros((k, 2))
    s = 0.0
    for t in range(len(x)):
        v = x[t]
        for j in range(k):
            y = c[j, 0] * v + z[j, 0]
            z[j, 0] = c[j, 1] * v - c[j, 3] * y + z[j, 1]
            z[j, 1] = c[j, 2] * v - c[j, 4] * y
            v = y
        s += v * v
    return s
