"""ADBench's Gaussian mixture in three styles; `gmm_model` has the parametrisation, and the first of them.

`loops` allocates its scratch vectors where it uses them; `outside` allocates them once and walks through the triangle
of each factor with a counter, as one does in C; `arrays` treats all points at once.
"""

from __future__ import annotations

import math

import numpy as np
from gmm_model import LOG_TWO_PI, Centres, Factors, Points, Weights, gmm_objective, log_sum_exp
from scipy.special import logsumexp

from linad import linear_grad

loops = gmm_objective


@linear_grad(wrt=("alphas", "means", "icf"))
def outside(
    alphas: Weights, means: Centres, icf: Factors, x: Points, gamma: float, m: int, constant: float, sign: float
) -> float:
    """The log-likelihood and the Wishart term, with scratch vectors that every component fills again."""
    n, d = x.shape
    k = len(alphas)
    xc = np.empty(d)
    y = np.empty(d)
    t = np.empty(k)
    diagonal = np.exp(icf[:, :d])
    log_det = np.sum(icf[:, :d], axis=1)
    total = 0.0
    for i in range(n):
        for j in range(k):
            for a in range(d):
                xc[a] = x[i, a] - means[j, a]
                y[a] = diagonal[j, a] * xc[a]
            c = d
            for a in range(d):
                for b in range(a + 1, d):
                    y[b] += icf[j, c] * xc[a]
                    c += 1
            squares = 0.0
            for a in range(d):
                squares += y[a] * y[a]
            t[j] = alphas[j] + log_det[j] - 0.5 * squares
        total += log_sum_exp(t)
    wishart = -constant
    for j in range(k):
        squares = 0.0
        for a in range(d):
            squares += diagonal[j, a] * diagonal[j, a]
        for c in range(d, icf.shape[1]):
            squares += icf[j, c] * icf[j, c]
        wishart += 0.5 * gamma * gamma * squares - m * log_det[j]
    return total - 0.5 * n * d * LOG_TWO_PI - n * log_sum_exp(alphas) + sign * wishart


@linear_grad(wrt=("alphas", "means", "icf"))
def arrays(
    alphas: Weights, means: Centres, icf: Factors, x: Points, gamma: float, m: int, constant: float, sign: float
) -> float:
    """The same, one component at a time for all points."""
    n, d = x.shape
    k = len(alphas)
    diagonal = np.exp(icf[:, :d])
    log_det = np.sum(icf[:, :d], axis=1)
    columns, rows = np.triu_indices(d, 1)
    t = np.empty((n, k))
    for j in range(k):
        q = np.diag(diagonal[j])
        q[rows, columns] = icf[j, d:]
        y = (x - means[j]) @ q.T
        t[:, j] = alphas[j] + log_det[j] - 0.5 * np.sum(y**2, axis=1)
    likelihood = np.sum(logsumexp(t, axis=1)) - n * logsumexp(alphas)
    squares = np.sum(diagonal**2) + np.sum(icf[:, d:] ** 2)
    wishart = 0.5 * gamma**2 * squares - m * np.sum(log_det) - constant
    return likelihood - 0.5 * n * d * math.log(2.0 * 3.14159265359) + sign * wishart
