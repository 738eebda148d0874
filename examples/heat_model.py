"""Heat flow through a plate of unknown conductivity: what an experimenter would type with NumPy slices.

The plate is insulated and divided into square cells of side 1. Its conductivity is positive, so its logarithm is what is
looked for. Heat crosses the wall between two cells in proportion to the conductivity of the wall (the mean of its two
sides) and to the difference of the temperatures; whatever leaves one cell enters its neighbour. Time goes forward by the
explicit Euler rule.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64

from linad import linear_grad

Field = Float64[np.ndarray, "ny nx"]
Fields = Float64[np.ndarray, "experiments ny nx"]


def conduct(u: Field, kx: Float64[np.ndarray, "ny nx-1"], ky: Float64[np.ndarray, "ny-1 nx"], dt: float) -> None:
    """One time step, in place: what flows out of a cell flows into its neighbour."""
    right = dt * kx * (u[:, :-1] - u[:, 1:])
    down = dt * ky * (u[:-1, :] - u[1:, :])
    u[:, :-1] -= right
    u[:, 1:] += right
    u[:-1, :] -= down
    u[1:, :] += down


@linear_grad(wrt="log_k")
def misfit(log_k: Field, heated: Fields, seen: Fields, dt: float, steps: int, noise: float, smoothness: float) -> float:
    """Half the squared residuals of the final temperatures in units of the noise, plus a penalty on rough fields."""
    k = np.exp(log_k)
    kx = 0.5 * (k[:, :-1] + k[:, 1:])
    ky = 0.5 * (k[:-1, :] + k[1:, :])
    total = 0.0
    for start, end in zip(heated, seen):
        u = start.copy()
        for _ in range(steps):
            conduct(u, kx, ky, dt)
        total += 0.5 * np.sum(((u - end) / noise) ** 2)
    rough = np.sum((log_k[1:] - log_k[:-1]) ** 2) + np.sum((log_k[:, 1:] - log_k[:, :-1]) ** 2)
    return total + 0.5 * smoothness * rough
