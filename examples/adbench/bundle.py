"""ADBench's bundle adjustment in three styles; `bundle_model` has what a camera is, and the one with a 3-vector at a time.

`loops` writes out every coordinate, `vectors` is a loop over observations in 3-vectors, `arrays` treats all observations at
once. Each gives half the sum of all squares; `residuals` gives the reprojection errors themselves.
"""

from __future__ import annotations

import math

import numpy as np
from bundle_model import Cameras, Observed, Pixels, Points, Weights, half_square, project
from jaxtyping import Float64

from linad import linear_grad

vectors = half_square


@linear_grad(wrt=("cameras", "points", "weights"))
def residuals(cameras: Cameras, points: Points, weights: Weights, pixels: Pixels, obs: Observed) -> Pixels:
    """The weighted reprojection error of each observation."""
    errors = np.empty_like(pixels)
    for i in range(len(obs)):
        errors[i] = weights[i] * (project(cameras[obs[i, 0]], points[obs[i, 1]]) - pixels[i])
    return errors


@linear_grad(wrt=("cameras", "points", "weights"))
def loops(cameras: Cameras, points: Points, weights: Weights, pixels: Pixels, obs: Observed) -> float:
    """Half the sum of all squares, coordinate by coordinate."""
    total = 0.0
    for i in range(len(weights)):
        total += 0.5 * (1.0 - weights[i] ** 2) ** 2
        c = obs[i, 0]
        p = obs[i, 1]
        rx = cameras[c, 0]
        ry = cameras[c, 1]
        rz = cameras[c, 2]
        dx = points[p, 0] - cameras[c, 3]
        dy = points[p, 1] - cameras[c, 4]
        dz = points[p, 2] - cameras[c, 5]
        squared = rx * rx + ry * ry + rz * rz
        if squared == 0.0:
            x = dx + ry * dz - rz * dy
            y = dy + rz * dx - rx * dz
            z = dz + rx * dy - ry * dx
        else:
            angle = math.sqrt(squared)
            ax = rx / angle
            ay = ry / angle
            az = rz / angle
            cosine = math.cos(angle)
            sine = math.sin(angle)
            along = (ax * dx + ay * dy + az * dz) * (1.0 - cosine)
            x = dx * cosine + (ay * dz - az * dy) * sine + ax * along
            y = dy * cosine + (az * dx - ax * dz) * sine + ay * along
            z = dz * cosine + (ax * dy - ay * dx) * sine + az * along
        u = x / z
        v = y / z
        r = u * u + v * v
        scale = cameras[c, 6] * (1.0 + cameras[c, 9] * r + cameras[c, 10] * r * r)
        eu = weights[i] * (u * scale + cameras[c, 7] - pixels[i, 0])
        ev = weights[i] * (v * scale + cameras[c, 8] - pixels[i, 1])
        total += 0.5 * (eu * eu + ev * ev)
    return total


def rotated(r: Float64[np.ndarray, "p 3"], x: Float64[np.ndarray, "p 3"]) -> Float64[np.ndarray, "p 3"]:
    """The rows of `x` turned about the rows of `r`, of which none is zero."""
    angle = np.sqrt(np.sum(r**2, axis=1))[:, None]
    axis = r / angle
    along = np.sum(axis * x, axis=1)[:, None]
    return x * np.cos(angle) + np.cross(axis, x) * np.sin(angle) + axis * along * (1.0 - np.cos(angle))


@linear_grad(wrt=("cameras", "points", "weights"))
def arrays(cameras: Cameras, points: Points, weights: Weights, pixels: Pixels, obs: Observed) -> float:
    """Half the sum of all squares, all observations at once."""
    camera = cameras[obs[:, 0]]
    point = points[obs[:, 1]]
    seen = rotated(camera[:, :3], point - camera[:, 3:6])
    flat = seen[:, :2] / seen[:, 2:3]
    r = np.sum(flat**2, axis=1)
    scale = camera[:, 6] * (1.0 + camera[:, 9] * r + camera[:, 10] * r**2)
    errors = weights[:, None] * (flat * scale[:, None] + camera[:, 7:9] - pixels)
    return 0.5 * (np.sum(errors**2) + np.sum((1.0 - weights**2) ** 2))
