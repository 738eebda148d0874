"""The adjoints a careful person writes with Numba; what they compute is said in c/*.c, which they mirror."""

from __future__ import annotations

import math

import numpy as np
from numba import njit, uint64

jit = njit(error_model="numpy", fastmath={"contract", "reassoc"})
LOG_TWO_PI = math.log(2.0 * 3.14159265359)


@jit
def gather(v, idx, w, v_bar, w_bar, s_bar):
    s = 0.0
    for k in range(len(idx)):
        j = uint64(idx[k])
        s += v[j] * w[k]
        w_bar[k] += v[j] * s_bar
        v_bar[j] += w[k] * s_bar
    return s


@jit
def gauss_seidel(u, c, sweeps, u_bar, c_bar):
    n = len(u)
    state = u.copy()
    log = np.empty((sweeps, n))
    for t in range(sweeps):
        for i in range(1, n - 1):
            residual = state[i - 1] - 2.0 * state[i] + state[i + 1]
            log[t, i] = residual
            state[i] += c * residual
    s = 0.0
    work = np.empty(n)
    for i in range(n):
        s += state[i] * state[i]
        work[i] = 2.0 * state[i]
    by_c = 0.0
    for back in range(sweeps):
        t = sweeps - 1 - back
        for step in range(2, n):
            i = uint64(n - step)
            e = work[i]
            ce = c * e
            by_c += e * log[t, i]
            work[i - uint64(1)] += ce
            work[i] = e - 2.0 * ce
            work[i + uint64(1)] += ce
    for i in range(n):
        u_bar[i] += work[i]
    c_bar[()] += by_c
    return s


@jit
def log_sum_exp(t, weight):
    largest = t[0]
    for j in range(1, len(t)):
        largest = max(largest, t[j])
    total = 0.0
    for j in range(len(t)):
        weight[j] = math.exp(t[j] - largest)
        total += weight[j]
    for j in range(len(t)):
        weight[j] /= total
    return largest + math.log(total)


@jit
def gmm(alphas, means, icf, x, gamma, m, constant, sign, alphas_bar, means_bar, icf_bar):
    k, d = means.shape
    n, p = x.shape[0], icf.shape[1]
    diagonal, diagonal_bar = np.empty((k, d)), np.zeros((k, d))
    shifted, scaled = np.empty((k, d)), np.empty((k, d))
    log_det, log_det_bar, t, weight = np.zeros(k), np.zeros(k), np.empty(k), np.empty(k)
    scaled_bar, shifted_bar = np.empty(d), np.empty(d)
    for j in range(k):
        for a in range(d):
            log_det[j] += icf[j, a]
            diagonal[j, a] = math.exp(icf[j, a])
    value = 0.0
    for i in range(n):
        for j in range(k):
            for a in range(d):
                shifted[j, a] = x[i, a] - means[j, a]
                scaled[j, a] = diagonal[j, a] * shifted[j, a]
            first = d
            for a in range(d):
                for b in range(d - a - 1):
                    scaled[j, uint64(a + 1 + b)] += icf[j, uint64(first + b)] * shifted[j, a]
                first += d - a - 1
            distance = 0.0
            for a in range(d):
                distance += scaled[j, a] * scaled[j, a]
            t[j] = alphas[j] + log_det[j] - 0.5 * distance
        value += log_sum_exp(t, weight)
        for j in range(k):
            alphas_bar[j] += weight[j]
            log_det_bar[j] += weight[j]
            for a in range(d):
                scaled_bar[a] = -weight[j] * scaled[j, a]
                shifted_bar[a] = diagonal[j, a] * scaled_bar[a]
                diagonal_bar[j, a] += shifted[j, a] * scaled_bar[a]
            first = d
            for a in range(d):
                total = 0.0
                for b in range(d - a - 1):
                    e = scaled_bar[uint64(a + 1 + b)]
                    icf_bar[j, uint64(first + b)] += shifted[j, a] * e
                    total += icf[j, uint64(first + b)] * e
                shifted_bar[a] += total
                first += d - a - 1
            for a in range(d):
                means_bar[j, a] -= shifted_bar[a]
    value -= n * log_sum_exp(alphas, weight) + 0.5 * n * d * LOG_TWO_PI
    wishart = -constant
    for j in range(k):
        squares = 0.0
        alphas_bar[j] -= n * weight[j]
        log_det_bar[j] -= sign * m
        for a in range(d):
            q = diagonal[j, a]
            squares += q * q
            icf_bar[j, a] += log_det_bar[j] + q * (diagonal_bar[j, a] + sign * gamma * gamma * q)
        for c in range(d, p):
            squares += icf[j, c] * icf[j, c]
            icf_bar[j, c] += sign * gamma * gamma * icf[j, c]
        wishart += 0.5 * gamma * gamma * squares - m * log_det[j]
    return value + sign * wishart
