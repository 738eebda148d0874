"""Numerical analysis, geometry and images."""

import math

import numpy as np
from jaxtyping import Float64

Vec = Float64[np.ndarray, "n"]
Image = Float64[np.ndarray, "n m"]


def spline_fit(x: Vec, y: Vec, at: Float64[np.ndarray, "q"]) -> float:
    """A natural cubic spline: second derivatives by Thomas' algorithm, then evaluation with a binary search."""
    n = len(x)
    m = np.zeros(n)
    c = np.zeros(n)
    for i in range(1, n - 1):
        h0 = x[i] - x[i - 1]
        h1 = x[i + 1] - x[i]
        d = 6.0 * ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0)
        w = 2.0 * (h0 + h1) - h0 * c[i - 1]
        c[i] = h1 / w
        m[i] = (d - h0 * m[i - 1]) / w
    for i in range(n - 2, 0, -1):
        m[i] -= c[i] * m[i + 1]
    s = 0.0
    for k in range(len(at)):
        low, high = 0, n - 1
        while high - low > 1:
            mid = (low + high) // 2
            if x[mid] > at[k]:
                high = mid
            else:
                low = mid
        h = x[high] - x[low]
        a = (x[high] - at[k]) / h
        b = 1.0 - a
        v = a * y[low] + b * y[high] + ((a * a * a - a) * m[low] + (b * b * b - b) * m[high]) * h * h / 6.0
        s += v * v
    return s


def ray_spheres(rays: Float64[np.ndarray, "r 3"], centre: Float64[np.ndarray, "s 3"], radius: Float64[np.ndarray, "s"], light: Float64[np.ndarray, "3"]) -> float:
    """Rays from the origin: the nearest of some spheres, and how much of a light it reflects."""
    total = 0.0
    for r in range(rays.shape[0]):
        norm = math.sqrt(rays[r, 0] ** 2 + rays[r, 1] ** 2 + rays[r, 2] ** 2)
        d0, d1, d2 = rays[r, 0] / norm, rays[r, 1] / norm, rays[r, 2] / norm
        nearest = 1e30
        hit = -1
        for s in range(len(radius)):
            b = d0 * centre[s, 0] + d1 * centre[s, 1] + d2 * centre[s, 2]
            q = centre[s, 0] ** 2 + centre[s, 1] ** 2 + centre[s, 2] ** 2 - radius[s] ** 2
            disc = b * b - q
            if disc <= 0.0:
                continue
            t = b - math.sqrt(disc)
            if t > 1e-6 and t < nearest:
                nearest = t
                hit = s
        if hit < 0:
            total += 0.1 * d2 * d2
            continue
        n0 = (nearest * d0 - centre[hit, 0]) / radius[hit]
        n1 = (nearest * d1 - centre[hit, 1]) / radius[hit]
        n2 = (nearest * d2 - centre[hit, 2]) / radius[hit]
        shade = n0 * light[0] + n1 * light[1] + n2 * light[2]
        total += max(shade, 0.0) + 0.05 * math.exp(-nearest)
    return total


def arm_reach(angles: Float64[np.ndarray, "p j"], lengths: Float64[np.ndarray, "j"], target: Float64[np.ndarray, "3"]) -> float:
    """Poses of a robot arm: a product of rotations in small matrices, each about another axis."""
    poses, joints = angles.shape
    cost = 0.0
    for p in range(poses):
        R = np.eye(3)
        x = np.zeros(3)
        for j in range(joints):
            c, s = math.cos(angles[p, j]), math.sin(angles[p, j])
            A = np.eye(3)
            if j % 3 == 0:
                A[0, 0], A[0, 1], A[1, 0], A[1, 1] = c, -s, s, c
            elif j % 3 == 1:
                A[1, 1], A[1, 2], A[2, 1], A[2, 2] = c, -s, s, c
            else:
                A[0, 0], A[0, 2], A[2, 0], A[2, 2] = c, s, -s, c
            R = R @ A
            x += lengths[j] * R[:, 0]
        e = x - target
        cost += np.sum(e * e)
        for j in range(1, joints):
            cost += 0.01 * (angles[p, j] - angles[p, j - 1]) ** 2
    return cost


def ldl_solve(A: Float64[np.ndarray, "n n"], b: Vec) -> float:
    """A symmetric system by its factors without square roots, in the lower triangle of a copy."""
    n = len(b)
    L = A.copy()
    d = np.empty(n)
    for j in range(n):
        s = L[j, j]
        for k in range(j):
            s -= L[j, k] * L[j, k] * d[k]
        d[j] = s
        for i in range(j + 1, n):
            s = L[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k] * d[k]
            L[i, j] = s / d[j]
    y = b.copy()
    for i in range(n):
        for k in range(i):
            y[i] -= L[i, k] * y[k]
    for i in range(n):
        y[i] /= d[i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            y[i] -= L[k, i] * y[k]
    det = 0.0
    for i in range(n):
        det += math.log(d[i])
    return np.dot(b, y) + det


def gram_schmidt(A: Image, b: Vec) -> float:
    """Least squares by the modified Gram-Schmidt process, columns in place."""
    n, m = A.shape
    Q = A.copy()
    r = b.copy()
    c = np.zeros(m)
    for k in range(m):
        s = 0.0
        for i in range(n):
            s += Q[i, k] * Q[i, k]
        s = math.sqrt(s)
        for i in range(n):
            Q[i, k] /= s
        for j in range(k + 1, m):
            t = 0.0
            for i in range(n):
                t += Q[i, k] * Q[i, j]
            for i in range(n):
                Q[i, j] -= t * Q[i, k]
        for i in range(n):
            c[k] += Q[i, k] * r[i]
        for i in range(n):
            r[i] -= c[k] * Q[i, k]
    return np.sum(r * r) + 0.01 * np.sum(c * c)


def clenshaw(a: Vec, x: Float64[np.ndarray, "q"]) -> float:
    """A series of Chebyshev polynomials at many points."""
    s = 0.0
    for q in range(len(x)):
        b1, b2 = 0.0, 0.0
        for k in range(len(a) - 1, 0, -1):
            b1, b2 = a[k] + 2.0 * x[q] * b1 - b2, b1
        v = a[0] + x[q] * b1 - b2
        s += v * v
    return s


def density(x, at, bandwidth):
    """The logarithm of a kernel density, without annotations."""
    s = 0.0
    for q in range(len(at)):
        p = 0.0
        for i in range(len(x)):
            u = (at[q] - x[i]) / bandwidth
            if abs(u) < 4.0:
                p += math.exp(-0.5 * u * u)
        s += math.log(p / (len(x) * bandwidth) + 1e-12)
    return s


def bilateral(img: Image, space: float, tone: float, reach: int) -> float:
    """A filter that keeps edges; pixels beyond the border are those at the border."""
    n, m = img.shape
    out = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            total = 0.0
            weight = 0.0
            for di in range(-reach, reach + 1):
                for dj in range(-reach, reach + 1):
                    a = min(max(i + di, 0), n - 1)
                    b = min(max(j + dj, 0), m - 1)
                    d = img[a, b] - img[i, j]
                    w = math.exp(-(di * di + dj * dj) / (2.0 * space * space) - d * d / (2.0 * tone * tone))
                    total += w * img[a, b]
                    weight += w
            out[i, j] = total / weight
    s = 0.0
    for i in range(n):
        for j in range(1, m):
            s += abs(out[i, j] - out[i, j - 1])
    return s


def thresholded_edges(img: Image, gain: float) -> float:
    """Sobel's operator, a soft threshold and pooling by maxima of four, in array style where it is easy."""
    n, m = img.shape
    gx = img[:-2, 2:] - img[:-2, :-2] + 2.0 * (img[1:-1, 2:] - img[1:-1, :-2]) + img[2:, 2:] - img[2:, :-2]
    gy = img[2:, :-2] - img[:-2, :-2] + 2.0 * (img[2:, 1:-1] - img[:-2, 1:-1]) + img[2:, 2:] - img[:-2, 2:]
    e = np.sqrt(gx * gx + gy * gy + 1e-6)
    e = 1.0 / (1.0 + np.exp(-gain * (e - 1.0)))
    s = 0.0
    for i in range(0, n - 3, 2):
        for j in range(0, m - 3, 2):
            s += max(max(e[i, j], e[i, j + 1]), max(e[i + 1, j], e[i + 1, j + 1]))
    return s


def lu_by_hand(a: Float64[np.ndarray, "n n"], b: Vec) -> float:
    """Doolittle's elimination with partial pivoting, log determinant and a solution."""
    n = len(b)
    lu = a.copy()
    x = b.copy()
    logdet = 0.0
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(lu[i, k]) > abs(lu[p, k]):
                p = i
        if p != k:
            for j in range(n):
                t = lu[k, j]
                lu[k, j] = lu[p, j]
                lu[p, j] = t
            t = x[k]
            x[k] = x[p]
            x[p] = t
        logdet += math.log(abs(lu[k, k]))
        for i in range(k + 1, n):
            w = lu[i, k] / lu[k, k]
            lu[i, k] = w
            for j in range(k + 1, n):
                lu[i, j] -= w * lu[k, j]
            x[i] -= w * x[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= lu[i, j] * x[j]
        x[i] /= lu[i, i]
    return logdet + np.sum(x * x)


def volume_samples(v: Float64[np.ndarray, "a b c"], p: Float64[np.ndarray, "q 3"]) -> float:
    """Tri-linear interpolation in a volume, squared."""
    a, b, c = v.shape
    s = 0.0
    for k in range(len(p)):
        x = min(max(p[k, 0], 0.0), 0.999) * (a - 1)
        y = min(max(p[k, 1], 0.0), 0.999) * (b - 1)
        z = min(max(p[k, 2], 0.0), 0.999) * (c - 1)
        i, j, l = int(x), int(y), int(z)
        fx, fy, fz = x - i, y - j, z - l
        t = 0.0
        for di in range(2):
            wx = fx if di == 1 else 1.0 - fx
            for dj in range(2):
                wy = fy if dj == 1 else 1.0 - fy
                for dl in range(2):
                    wz = fz if dl == 1 else 1.0 - fz
                    t += wx * wy * wz * v[i + di, j + dj, l + dl]
        s += t * t
    return s / len(p)
