"""The log-posterior of a Gaussian mixture, as a physicist or statistician would type it: loops, indices, updates in place.

The parameters of component j are `alphas[j]` (its weight before normalisation), `means[j]` (its centre) and `icf[j]`
(the lower triangular factor Q of its inverse covariance: first the logarithms of the diagonal, then the rest column by
column). This is the parametrisation of the ADBench suite of gradient benchmarks, whose data and reference values are in
`data/`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float64

from linad import linear_grad

DATA = Path(__file__).parent / "data"
LOG_TWO_PI = math.log(2.0 * 3.14159265359)      # ADBench's truncated pi, kept so that values agree to the last digits

Weights = Float64[np.ndarray, "k"]
Centres = Float64[np.ndarray, "k d"]
Factors = Float64[np.ndarray, "k p"]
Points = Float64[np.ndarray, "n d"]


def log_sum_exp(t: Weights) -> float:
    """log(sum(exp(t))), with the largest term taken out first so that nothing overflows."""
    largest = t[0]
    for j in range(1, len(t)):
        largest = max(largest, t[j])
    total = 0.0
    for j in range(len(t)):
        total += math.exp(t[j] - largest)
    return largest + math.log(total)


@linear_grad(wrt=("alphas", "means", "icf"))
def gmm_objective(
    alphas: Weights, means: Centres, icf: Factors, x: Points, gamma: float, m: int, constant: float, sign: float
) -> float:
    """Log-likelihood of the points plus `sign` times ADBench's Wishart term.

    With `sign=-1` this is the logarithm of the posterior density, the one to maximise. ADBench adds the term instead of
    subtracting it, so its reference values are met with `sign=+1`.
    """
    k = means.shape[0]
    d = means.shape[1]
    n = x.shape[0]
    diagonal = np.empty((k, d))
    log_det = np.zeros(k)
    for j in range(k):
        for a in range(d):
            diagonal[j, a] = math.exp(icf[j, a])
            log_det[j] += icf[j, a]

    likelihood = 0.0
    for i in range(n):
        t = np.empty(k)
        for j in range(k):
            xc = np.empty(d)
            y = np.empty(d)
            for a in range(d):
                xc[a] = x[i, a] - means[j, a]
                y[a] = diagonal[j, a] * xc[a]
            for a in range(d):
                column = d + a * (2 * d - a - 1) // 2 - a - 1
                for b in range(a + 1, d):
                    y[b] += icf[j, column + b] * xc[a]
            distance = 0.0
            for a in range(d):
                distance += y[a] ** 2
            t[j] = alphas[j] + log_det[j] - 0.5 * distance
        likelihood += log_sum_exp(t)

    wishart = -constant
    for j in range(k):
        squares = 0.0
        for a in range(d):
            squares += diagonal[j, a] ** 2
        for c in range(d, icf.shape[1]):
            squares += icf[j, c] ** 2
        wishart += 0.5 * gamma**2 * squares - m * log_det[j]
    return likelihood - 0.5 * n * d * LOG_TWO_PI - n * log_sum_exp(alphas) + sign * wishart


def wishart_constant(d: int, k: int, gamma: float, m: int) -> float:
    """The part of the Wishart term that depends on no parameter of the mixture."""
    p = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(3.14159265359)
    for t in range(1, d + 1):
        log_gamma += math.lgamma(0.5 * (p + 1 - t))
    return k * (p * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gamma)


@dataclass(frozen=True)
class Problem:
    """A mixture to fit: where to start, the points, and the strength of the prior."""

    name: str
    alphas: np.ndarray
    means: np.ndarray
    icf: np.ndarray
    x: np.ndarray
    gamma: float
    m: int

    @property
    def start(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.alphas, self.means, self.icf

    @property
    def size(self) -> int:
        return sum(part.size for part in self.start)

    def rest(self, sign: float) -> tuple:
        """The arguments of `gmm_objective` that are not fitted."""
        k, d = self.means.shape
        return self.x, self.gamma, self.m, wishart_constant(d, k, self.gamma, self.m), sign

    def pack(self, parts: tuple[np.ndarray, ...]) -> np.ndarray:
        return np.concatenate([part.ravel() for part in parts])

    def unpack(self, flat: np.ndarray) -> tuple[np.ndarray, ...]:
        ends = np.cumsum([part.size for part in self.start])[:-1]
        return tuple(p.reshape(s.shape) for p, s in zip(np.split(flat, ends), self.start))


def adbench(name: str) -> Problem:
    """One of the ADBench problems in `data/`."""
    with np.load(DATA / f"{name}.npz") as z:
        return Problem(name, z["alphas"], z["means"], z["icf"], z["x"], float(z["gamma"]), int(z["m"]))


def adbench_reference(name: str) -> tuple[float, tuple[np.ndarray, ...]]:
    """Value and gradient that ADBench's own hand-written program gives for the problem."""
    with np.load(DATA / f"{name}.ref.npz") as z:
        return float(z["f"]), (z["g_alphas"], z["g_means"], z["g_icf"])


def pinwheel(arms: int = 5, per_arm: int = 240, per_fit: int = 3, seed: int = 3) -> Problem:
    """Points along bent arms: a mixture has to turn and stretch its components to follow them."""
    rng = np.random.default_rng(seed)
    along = rng.uniform(0.25, 2.0, (arms, per_arm))
    across = 0.11 * rng.standard_normal((arms, per_arm))
    angle = 2.0 * np.pi * np.arange(arms)[:, None] / arms + 0.5 * along
    x = np.stack([along * np.cos(angle) - across * np.sin(angle), along * np.sin(angle) + across * np.cos(angle)], -1)
    x = 1.5 * x.reshape(-1, 2)
    k = per_fit * arms
    chosen = [int(rng.integers(len(x)))]
    for _ in range(k - 1):                      # each start far from the ones before
        squares = ((x[:, None, :] - x[chosen]) ** 2).sum(-1).min(1)
        chosen.append(int(rng.choice(len(x), p=squares / squares.sum())))
    return Problem("pinwheel", np.zeros(k), x[chosen], np.tile([1.0, 1.0, 0.0], (k, 1)), x, 0.1, 0)
