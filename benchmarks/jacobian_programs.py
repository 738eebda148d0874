"""The programs of `benchmarks.jacobians`: ADBench's hand and bundle adjustment as loops, and functions with few results."""

from __future__ import annotations

import math

import numpy as np


def turned(axis):
    """The rotation by an axis whose length is the angle."""
    angle = math.sqrt(axis[0] ** 2 + axis[1] ** 2 + axis[2] ** 2)
    if angle < 1e-4:
        return np.eye(3)
    x, y, z = axis / angle
    s, c = math.sin(angle), math.cos(angle)
    d = 1.0 - c
    return np.array([
        [c + d * x * x, d * x * y - s * z, d * x * z + s * y],
        [d * x * y + s * z, c + d * y * y, d * y * z - s * x],
        [d * x * z - s * y, d * y * z + s * x, c + d * z * z],
    ])


def bent(x, z):
    """A turn of a bone about two axes, as a matrix for homogeneous coordinates."""
    cx, sx, cz, sz = math.cos(x), math.sin(x), math.cos(z), math.sin(z)
    rows = [[cz, -sz * cx, sz * sx, 0.0], [sz, cz * cx, -cz * sx, 0.0], [0.0, sx, cx, 0.0], [0.0, 0.0, 0.0, 1.0]]
    return np.array(rows)


def vertices(theta, parents, relatives, inverses, base, weights):
    """Where the vertices of the hand are: each is moved by all bones, by its weights."""
    bones, count = len(parents), len(base)
    absolutes = np.empty((bones, 4, 4))
    t = np.empty((bones, 4, 4))
    for b in range(bones):
        x, z = 0.0, 0.0
        finger, s = (b - 1) // 4, (b - 1) % 4
        if b > 0 and b < 21:
            if s == 1:
                x, z = theta[6 + 4 * finger], theta[7 + 4 * finger]
            elif s > 1:
                x = theta[6 + 4 * finger + s]
        moved = relatives[b] @ bent(x, z)
        absolutes[b] = moved if parents[b] < 0 else absolutes[parents[b]] @ moved
        t[b] = absolutes[b] @ inverses[b]
    g = turned(theta[:3])
    placed = np.empty((count, 3))
    for v in range(count):
        q0 = q1 = q2 = 0.0
        p0, p1, p2 = base[v]
        for b in range(bones):
            w = weights[v, b]
            q0 += w * (t[b, 0, 0] * p0 + t[b, 0, 1] * p1 + t[b, 0, 2] * p2 + t[b, 0, 3])
            q1 += w * (t[b, 1, 0] * p0 + t[b, 1, 1] * p1 + t[b, 1, 2] * p2 + t[b, 1, 3])
            q2 += w * (t[b, 2, 0] * p0 + t[b, 2, 1] * p1 + t[b, 2, 2] * p2 + t[b, 2, 3])
        for r in range(3):
            placed[v, r] = g[r, 0] * q0 + g[r, 1] * q1 + g[r, 2] * q2 + theta[3 + r]
    return placed


def hand_simple(theta, parents, relatives, inverses, base, weights, correspondences, points):
    placed = vertices(theta, parents, relatives, inverses, base, weights)
    errors = np.empty(points.shape)
    for i in range(len(points)):
        for r in range(3):
            errors[i, r] = points[i, r] - placed[correspondences[i], r]
    return errors


def hand_complicated(theta, us, parents, relatives, inverses, base, weights, correspondences, points, triangles):
    placed = vertices(theta, parents, relatives, inverses, base, weights)
    errors = np.empty(points.shape)
    for i in range(len(points)):
        a, b, c = triangles[correspondences[i]]
        u, v = us[i]
        for r in range(3):
            errors[i, r] = points[i, r] - (u * placed[a, r] + v * placed[b, r] + (1.0 - u - v) * placed[c, r])
    return errors


def residuals(cams, points, weights, pixels, obs):
    """Reprojection errors, and 1 - w^2."""
    p = len(obs)
    errors, of_weights = np.empty((p, 2)), np.empty(p)
    for i in range(p):
        c, q = cams[obs[i, 0]], points[obs[i, 1]]
        dx, dy, dz = q[0] - c[3], q[1] - c[4], q[2] - c[5]
        squared = c[0] * c[0] + c[1] * c[1] + c[2] * c[2]
        if squared == 0.0:
            x = dx + c[1] * dz - c[2] * dy
            y = dy + c[2] * dx - c[0] * dz
            z = dz + c[0] * dy - c[1] * dx
        else:
            angle = math.sqrt(squared)
            ax, ay, az = c[0] / angle, c[1] / angle, c[2] / angle
            co, si = math.cos(angle), math.sin(angle)
            along = (ax * dx + ay * dy + az * dz) * (1.0 - co)
            x = dx * co + (ay * dz - az * dy) * si + ax * along
            y = dy * co + (az * dx - ax * dz) * si + ay * along
            z = dz * co + (ax * dy - ay * dx) * si + az * along
        u, v = x / z, y / z
        r = u * u + v * v
        w = weights[i]
        lens = 1.0 + c[9] * r + c[10] * r * r
        errors[i, 0] = w * (u * lens * c[6] + c[7] - pixels[i, 0])
        errors[i, 1] = w * (v * lens * c[6] + c[8] - pixels[i, 1])
        of_weights[i] = 1.0 - w * w
    return errors, of_weights


def network(x, w1, b1, w2, b2):
    return np.tanh(w2 @ np.tanh(w1 @ x + b1) + b2)


def wave(c, u, steps: int):
    """Every eighth cell of a string after some steps."""
    u = u.copy()
    v = np.zeros(len(u))
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            v[i] += c[i] * (u[i + 1] - 2.0 * u[i] + u[i - 1])
        for i in range(1, len(u) - 1):
            u[i] += v[i]
    return u[::8].copy()


def reactions(p, steps: int):
    """Eight species in a ring after some steps of Euler's method."""
    y = np.array([1.0, 0.5, 0.25, 0.1, 0.2, 0.3, 0.4, 0.8])
    for _ in range(steps):
        d = np.empty(8)
        for i in range(8):
            d[i] = p[i] * y[(i + 1) % 8] - p[8 + i] * y[i] ** 2
        y = y + 0.01 * d
    return y
