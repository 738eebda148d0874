"""ADBench's hand tracking: the pose of a hand that brings a mesh to points which a depth camera has seen.

The 26 numbers of `theta` are the rotation of the whole hand (axis times angle), where it is, and four angles of each finger.
A hand has bones, each of which turns with its parent, and vertices, each of which follows all bones by its weights.
A point belongs to a vertex ("simple"), or to a place on a triangle of three vertices, given by two barycentric coordinates
that are fitted as well ("complicated").
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float64, Int32

from linad import linear_grad

Theta = Float64[np.ndarray, "26"]
Parents = Int32[np.ndarray, "bones"]
Transforms = Float64[np.ndarray, "bones 4 4"]
Vertices = Float64[np.ndarray, "vertices 3"]
Skin = Float64[np.ndarray, "vertices bones"]
Triangles = Int32[np.ndarray, "triangles 3"]
Chosen = Int32[np.ndarray, "n"]
Seen = Float64[np.ndarray, "n 3"]
Places = Float64[np.ndarray, "n 2"]


def posed(
    theta: Theta, parents: Parents, relatives: Transforms, inverses: Transforms, base: Vertices, skin: Skin
) -> Vertices:
    """The vertices of the hand in a pose, number by number."""
    bones = len(parents)
    absolute = np.empty((bones, 4, 4))
    transforms = np.empty((bones, 4, 4))
    for b in range(bones):
        x_angle = 0.0
        z_angle = 0.0
        finger = (b - 1) // 4
        joint = (b - 1) % 4
        if 0 < b and b < 21:
            if joint == 1:
                x_angle = theta[6 + 4 * finger]
                z_angle = theta[7 + 4 * finger]
            elif joint > 1:
                x_angle = theta[6 + 4 * finger + joint]
        turn = np.zeros((4, 4))
        turn[0, 0] = math.cos(z_angle)
        turn[0, 1] = -math.sin(z_angle) * math.cos(x_angle)
        turn[0, 2] = math.sin(z_angle) * math.sin(x_angle)
        turn[1, 0] = math.sin(z_angle)
        turn[1, 1] = math.cos(z_angle) * math.cos(x_angle)
        turn[1, 2] = -math.cos(z_angle) * math.sin(x_angle)
        turn[2, 1] = math.sin(x_angle)
        turn[2, 2] = math.cos(x_angle)
        turn[3, 3] = 1.0
        local = np.zeros((4, 4))
        for i in range(4):
            for j in range(4):
                for k in range(4):
                    local[i, j] += relatives[b, i, k] * turn[k, j]
        for i in range(4):
            for j in range(4):
                if parents[b] < 0:
                    absolute[b, i, j] = local[i, j]
                else:
                    entry = 0.0
                    for k in range(4):
                        entry += absolute[parents[b], i, k] * local[k, j]
                    absolute[b, i, j] = entry
        for i in range(4):
            for j in range(4):
                entry = 0.0
                for k in range(4):
                    entry += absolute[b, i, k] * inverses[b, k, j]
                transforms[b, i, j] = entry

    g = np.zeros((3, 3))
    angle = math.sqrt(theta[0] ** 2 + theta[1] ** 2 + theta[2] ** 2)
    if angle < 1e-4:
        for i in range(3):
            g[i, i] = 1.0
    else:
        x = theta[0] / angle
        y = theta[1] / angle
        z = theta[2] / angle
        s = math.sin(angle)
        c = math.cos(angle)
        g[0, 0] = x * x + (1.0 - x * x) * c
        g[0, 1] = x * y * (1.0 - c) - z * s
        g[0, 2] = x * z * (1.0 - c) + y * s
        g[1, 0] = x * y * (1.0 - c) + z * s
        g[1, 1] = y * y + (1.0 - y * y) * c
        g[1, 2] = y * z * (1.0 - c) - x * s
        g[2, 0] = x * z * (1.0 - c) - y * s
        g[2, 1] = z * y * (1.0 - c) + x * s
        g[2, 2] = z * z + (1.0 - z * z) * c

    vertices = np.empty((len(base), 3))
    for v in range(len(base)):
        p = np.zeros(3)
        for b in range(bones):
            for i in range(3):
                p[i] += skin[v, b] * (
                    transforms[b, i, 0] * base[v, 0]
                    + transforms[b, i, 1] * base[v, 1]
                    + transforms[b, i, 2] * base[v, 2]
                    + transforms[b, i, 3]
                )
        for i in range(3):
            vertices[v, i] = g[i, 0] * p[0] + g[i, 1] * p[1] + g[i, 2] * p[2] + theta[3 + i]
    return vertices


@linear_grad(wrt="theta")
def simple_loops(
    theta: Theta, parents: Parents, relatives: Transforms, inverses: Transforms, base: Vertices, skin: Skin,
    chosen: Chosen, points: Seen,
) -> float:  # fmt: skip
    """Half the squared distance between the points and their vertices."""
    vertices = posed(theta, parents, relatives, inverses, base, skin)
    total = 0.0
    for i in range(len(points)):
        for c in range(3):
            total += 0.5 * (points[i, c] - vertices[chosen[i], c]) ** 2
    return total


@linear_grad(wrt=("theta", "us"))
def complicated_loops(
    theta: Theta, us: Places, parents: Parents, relatives: Transforms, inverses: Transforms, base: Vertices, skin: Skin,
    triangles: Triangles, chosen: Chosen, points: Seen,
) -> float:  # fmt: skip
    """Half the squared distance between the points and their places on triangles."""
    vertices = posed(theta, parents, relatives, inverses, base, skin)
    total = 0.0
    for i in range(len(points)):
        t = chosen[i]
        for c in range(3):
            first = us[i, 0] * vertices[triangles[t, 0], c]
            second = us[i, 1] * vertices[triangles[t, 1], c]
            third = (1.0 - us[i, 0] - us[i, 1]) * vertices[triangles[t, 2], c]
            total += 0.5 * (points[i, c] - (first + second + third)) ** 2
    return total


def turned(x: float, z: float) -> Float64[np.ndarray, "4 4"]:
    """A rotation about the first axis by `x`, then about the last one by `z`."""
    turn_x = np.eye(4)
    turn_x[1:3, 1:3] = np.array([[np.cos(x), -np.sin(x)], [np.sin(x), np.cos(x)]])
    turn_z = np.eye(4)
    turn_z[:2, :2] = np.array([[np.cos(z), -np.sin(z)], [np.sin(z), np.cos(z)]])
    return turn_z @ turn_x


def rotation(r: Float64[np.ndarray, "3"]) -> Float64[np.ndarray, "3 3"]:
    """The rotation about an axis by an angle, the length of the axis."""
    angle = np.sqrt(np.sum(r**2))
    if angle < 1e-4:
        return np.eye(3)
    a = r / angle
    cross = np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
    return np.cos(angle) * np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * np.outer(a, a)


def posed_arrays(
    theta: Theta, parents: Parents, relatives: Transforms, inverses: Transforms, base: Vertices, skin: Skin
) -> Vertices:
    """The vertices of the hand in a pose, matrix by matrix."""
    bones = len(parents)
    absolute = np.empty((bones, 4, 4))
    blended = np.zeros((len(base), 3))
    for b in range(bones):
        finger = (b - 1) // 4
        joint = (b - 1) % 4
        local = relatives[b]
        if 0 < b < 21 and joint == 1:
            local = local @ turned(theta[6 + 4 * finger], theta[7 + 4 * finger])
        elif 0 < b < 21 and joint > 1:
            local = local @ turned(theta[6 + 4 * finger + joint], 0.0)
        if parents[b] < 0:
            absolute[b] = local
        else:
            absolute[b] = absolute[parents[b]] @ local
        transform = absolute[b] @ inverses[b]
        blended += skin[:, b, None] * (base @ transform[:3, :3].T + transform[:3, 3])
    return blended @ rotation(theta[:3]).T + theta[3:6]


@linear_grad(wrt="theta")
def simple_arrays(
    theta: Theta, parents: Parents, relatives: Transforms, inverses: Transforms, base: Vertices, skin: Skin,
    chosen: Chosen, points: Seen,
) -> float:  # fmt: skip
    """Half the squared distance between the points and their vertices."""
    vertices = posed_arrays(theta, parents, relatives, inverses, base, skin)
    return 0.5 * np.sum((points - vertices[chosen]) ** 2)


@linear_grad(wrt=("theta", "us"))
def complicated_arrays(
    theta: Theta, us: Places, parents: Parents, relatives: Transforms, inverses: Transforms, base: Vertices, skin: Skin,
    triangles: Triangles, chosen: Chosen, points: Seen,
) -> float:  # fmt: skip
    """Half the squared distance between the points and their places on triangles."""
    vertices = posed_arrays(theta, parents, relatives, inverses, base, skin)
    corners = vertices[triangles[chosen]]
    last = 1.0 - us[:, 0] - us[:, 1]
    places = us[:, 0, None] * corners[:, 0] + us[:, 1, None] * corners[:, 1] + last[:, None] * corners[:, 2]
    return 0.5 * np.sum((points - places) ** 2)
