"""Linear Gaussian state-space models and the Kalman filter, with the matrices of the textbook and `@`.

    state         x[t+1] = F x[t] + process noise of covariance Q
    measurement   y[t]   = H x[t] + measurement noise of covariance R

The filter carries mean and covariance of the state from one measurement to the next. The density of each measurement, given
those before, is a by-product: their product is the likelihood of whatever F, H, Q and R are made of.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from linad import linear_grad

State = Float64[np.ndarray, "n"]
Square = Float64[np.ndarray, "n n"]
Series = Float64[np.ndarray, "steps m"]


class Model(NamedTuple):
    """The matrices of a state-space model, and what is known before the first measurement."""

    F: Square
    H: Float64[np.ndarray, "m n"]
    Q: Square
    R: Float64[np.ndarray, "m m"]
    mean: State
    covariance: Square


def log_likelihood(model: Model, y: Series) -> float:
    """Logarithm of the density of all measurements."""
    F, H, Q, R, x, P = model
    total = 0.0
    for measured in y:
        S = H @ P @ H.T + R
        surprise = measured - H @ x
        weighted = np.linalg.solve(S, surprise)
        total -= 0.5 * (surprise @ weighted + np.linalg.slogdet(S)[1] + len(surprise) * np.log(2.0 * np.pi))
        x = F @ (x + P @ H.T @ weighted)
        P = F @ (P - P @ H.T @ np.linalg.solve(S, H @ P)) @ F.T + Q
    return total


class Walk(NamedTuple):
    """A level that wanders, measured with noise: logarithms of both variances."""

    log_level: float
    log_noise: float


@linear_grad(wrt="theta")
def local_level(theta: Walk, y: Series) -> float:
    """Log-likelihood of Harvey's local level model, with next to nothing known about the first level."""
    one = np.eye(1)
    model = Model(one, one, np.exp(theta.log_level) * one, np.exp(theta.log_noise) * one, np.zeros(1), 1e7 * one)
    return log_likelihood(model, y)


class Swing(NamedTuple):
    """A body on a damped spring in the plane, pushed at random: what is to be found out."""

    log_stiffness: float
    log_damping: float
    turn: float
    log_push: float
    log_noise: float


def swing(theta: Swing, dt: float) -> Model:
    """The matrices: position, velocity, position, velocity; the two directions are coupled by a sideways force."""
    k, c, w = np.exp(theta.log_stiffness), np.exp(theta.log_damping), theta.turn
    rates = np.array([[0.0, 1.0, 0.0, 0.0], [-k, -c, 0.0, -w], [0.0, 0.0, 0.0, 1.0], [0.0, w, -k, -c]])
    F = np.eye(4)
    term = np.eye(4)
    for order in range(1, 9):                       # the exponential of `rates * dt`, by its series
        term = term @ rates * (dt / order)
        F += term
    kick = np.exp(theta.log_push) * np.array([[dt**3 / 3.0, dt**2 / 2.0], [dt**2 / 2.0, dt]])
    Q = np.zeros((4, 4))
    Q[:2, :2] = kick
    Q[2:, 2:] = kick
    H = np.zeros((2, 4))
    H[0, 0] = 1.0
    H[1, 2] = 1.0
    return Model(F, H, Q, np.exp(theta.log_noise) * np.eye(2), np.zeros(4), 4.0 * np.eye(4))


@linear_grad(wrt="theta")
def swing_likelihood(theta: Swing, y: Series, dt: float) -> float:
    """Log-likelihood of noisy positions of the body."""
    return log_likelihood(swing(theta, dt), y)
