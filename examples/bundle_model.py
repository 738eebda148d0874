"""Bundle adjustment: where the cameras stood, what lenses they had, and where the points are, from pictures of the points.

A camera is a row of 11 numbers, as in the ADBench suite: rotation as axis times angle (3), position (3), focal length,
principal point (2) and radial distortion (2). Observation i is the place, in pixels, at which camera `obs[i, 0]` saw point
`obs[i, 1]`, with a weight of its own.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from jaxtyping import Float64, Int64

from linad import linear_grad

DATA = Path(__file__).parent / "data"

Triple = Float64[np.ndarray, "3"]
Camera = Float64[np.ndarray, "11"]
Cameras = Float64[np.ndarray, "n 11"]
Points = Float64[np.ndarray, "m 3"]
Weights = Float64[np.ndarray, "p"]
Pixels = Float64[np.ndarray, "p 2"]
Observed = Int64[np.ndarray, "p 2"]


def rotated(axis_angle: Triple, x: Triple) -> Triple:
    """`x` turned about an axis (Rodrigues); the length of the axis is the angle."""
    squared = axis_angle @ axis_angle
    if squared == 0.0:
        return x + np.cross(axis_angle, x)
    angle = math.sqrt(squared)
    axis = axis_angle / angle
    cosine = math.cos(angle)
    return x * cosine + np.cross(axis, x) * math.sin(angle) + axis * (axis @ x) * (1.0 - cosine)


def project(camera: Camera, point: Triple) -> Float64[np.ndarray, 2]:
    """The pixel at which a camera sees a point."""
    seen = rotated(camera[:3], point - camera[3:6])
    flat = seen[:2] / seen[2]
    radius = flat @ flat
    return flat * (1.0 + camera[9] * radius + camera[10] * radius**2) * camera[6] + camera[7:9]


@linear_grad(wrt=("cameras", "points", "weights"))
def residuals(cameras: Cameras, points: Points, weights: Weights, pixels: Pixels) -> Pixels:
    """Reprojection errors where row i has its own camera, point and weight.

    As no two rows share an input, one pullback gives a row of the Jacobian for every observation at once.
    """
    errors = np.empty_like(pixels)
    for i in range(len(pixels)):
        errors[i] = weights[i] * (project(cameras[i], points[i]) - pixels[i])
    return errors


@linear_grad(wrt=("cameras", "points", "weights"))
def half_square(cameras: Cameras, points: Points, weights: Weights, pixels: Pixels, obs: Observed) -> float:
    """Half the sum of all squares: reprojection errors, and ADBench's 1 - w^2, which keeps weights from shrinking."""
    total = 0.5 * np.sum((1.0 - weights**2) ** 2)
    for i in range(len(obs)):
        camera, point = obs[i]
        error = weights[i] * (project(cameras[camera], points[point]) - pixels[i])
        total += 0.5 * (error @ error)
    return total
