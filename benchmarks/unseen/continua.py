"""Fluids, fronts, sheets and light."""

import math

import numpy as np
from jaxtyping import Float64, Int64

Vec = Float64[np.ndarray, "n"]
Plate = Float64[np.ndarray, "n m"]


def lattice_boltzmann(rho0: Plate, omega: float, push: float, steps: int) -> float:
    """Nine velocities on a torus: collide, then stream into a second lattice."""
    n, m = rho0.shape
    cx = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
    cy = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
    w = np.array([4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36])
    f = np.zeros((9, n, m))
    for k in range(9):
        for i in range(n):
            for j in range(m):
                f[k, i, j] = w[k] * rho0[i, j]
    g = np.zeros((9, n, m))
    for t in range(steps):
        for i in range(n):
            for j in range(m):
                rho = 0.0
                ux = 0.0
                uy = 0.0
                for k in range(9):
                    rho += f[k, i, j]
                    ux += cx[k] * f[k, i, j]
                    uy += cy[k] * f[k, i, j]
                ux = ux / rho + push
                uy = uy / rho
                uu = ux * ux + uy * uy
                for k in range(9):
                    cu = cx[k] * ux + cy[k] * uy
                    feq = w[k] * rho * (1.0 + 3.0 * cu + 4.5 * cu * cu - 1.5 * uu)
                    g[k, (i + cx[k]) % n, (j + cy[k]) % m] = f[k, i, j] + omega * (feq - f[k, i, j])
        f, g = g, f
    s = 0.0
    for i in range(n):
        for j in range(m):
            s += (f[1, i, j] - f[3, i, j]) ** 2
    return s


def level_set(phi0: Plate, speed: Plate, dt: float, steps: int) -> float:
    """A front that moves outwards: upwind differences after Osher and Sethian."""
    n, m = phi0.shape
    phi = phi0.copy()
    for t in range(steps):
        new = phi.copy()
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a = max(phi[i, j] - phi[i - 1, j], 0.0)
                b = min(phi[i + 1, j] - phi[i, j], 0.0)
                c = max(phi[i, j] - phi[i, j - 1], 0.0)
                d = min(phi[i, j + 1] - phi[i, j], 0.0)
                new[i, j] = phi[i, j] - dt * speed[i, j] * math.sqrt(a * a + b * b + c * c + d * d + 1e-12)
        for i in range(n):
            new[i, 0] = new[i, 1]
            new[i, m - 1] = new[i, m - 2]
        for j in range(m):
            new[0, j] = new[1, j]
            new[n - 1, j] = new[n - 2, j]
        phi = new
    inside = 0.0
    for i in range(n):
        for j in range(m):
            inside += 1.0 / (1.0 + math.exp(8.0 * phi[i, j]))
    return inside / (n * m)


def optical_flow(a: Plate, b: Plate, alpha: float, sweeps: int) -> float:
    """Horn and Schunck's flow between two pictures, by Jacobi's method in array style."""
    n, m = a.shape
    ix = 0.25 * (a[:-1, 1:] - a[:-1, :-1] + a[1:, 1:] - a[1:, :-1] + b[:-1, 1:] - b[:-1, :-1] + b[1:, 1:] - b[1:, :-1])
    iy = 0.25 * (a[1:, :-1] - a[:-1, :-1] + a[1:, 1:] - a[:-1, 1:] + b[1:, :-1] - b[:-1, :-1] + b[1:, 1:] - b[:-1, 1:])
    it = 0.25 * (b[:-1, :-1] - a[:-1, :-1] + b[1:, :-1] - a[1:, :-1] + b[:-1, 1:] - a[:-1, 1:] + b[1:, 1:] - a[1:, 1:])
    u = np.zeros((n - 1, m - 1))
    v = np.zeros((n - 1, m - 1))
    for k in range(sweeps):
        ub = u.copy()
        vb = v.copy()
        ub[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        vb[1:-1, 1:-1] = 0.25 * (v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:])
        p = (ix * ub + iy * vb + it) / (alpha * alpha + ix * ix + iy * iy)
        u = ub - ix * p
        v = vb - iy * p
    return np.sum(u * u + v * v) / (n * m)


def kernel(q: float) -> float:
    if q < 1.0:
        return 1.0 - 1.5 * q * q + 0.75 * q * q * q
    if q < 2.0:
        return 0.25 * (2.0 - q) ** 3
    return 0.0


def kernel_slope(q: float) -> float:
    if q < 1.0:
        return -3.0 * q + 2.25 * q * q
    if q < 2.0:
        return -0.75 * (2.0 - q) ** 2
    return 0.0


def smoothed_particles(x0: Float64[np.ndarray, "n 2"], v0: Float64[np.ndarray, "n 2"], h: float, stiff: float, dt: float, steps: int) -> float:
    """Smoothed particle hydrodynamics over all pairs."""
    n = len(x0)
    x = x0.copy()
    v = v0.copy()
    rho = np.zeros(n)
    acc = np.zeros((n, 2))
    for t in range(steps):
        for i in range(n):
            rho[i] = 0.0
            for j in range(n):
                dx = x[i, 0] - x[j, 0]
                dy = x[i, 1] - x[j, 1]
                rho[i] += kernel(math.sqrt(dx * dx + dy * dy + 1e-12) / h)
        for i in range(n):
            acc[i, 0] = 0.0
            acc[i, 1] = -0.1
            for j in range(n):
                if j == i:
                    continue
                dx = x[i, 0] - x[j, 0]
                dy = x[i, 1] - x[j, 1]
                r = math.sqrt(dx * dx + dy * dy + 1e-12)
                p = stiff * (rho[i] - 1.0) / rho[i] ** 2 + stiff * (rho[j] - 1.0) / rho[j] ** 2
                f = p * kernel_slope(r / h) / (r * h)
                acc[i, 0] -= f * dx
                acc[i, 1] -= f * dy
        for i in range(n):
            for k in range(2):
                v[i, k] += dt * acc[i, k]
                x[i, k] += dt * v[i, k]
    e = 0.0
    for i in range(n):
        e += 0.5 * (v[i, 0] ** 2 + v[i, 1] ** 2) + 0.1 * x[i, 1]
    return e


def elastic_sheet(x: Float64[np.ndarray, "p 2"], rest: Float64[np.ndarray, "p 2"], triangles: Int64[np.ndarray, "t 3"], mu: float, lam: float) -> float:
    """The energy of linear triangles of a Neo-Hookean sheet."""
    e = 0.0
    for t in range(len(triangles)):
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        a = np.zeros((2, 2))
        b = np.zeros((2, 2))
        for d in range(2):
            a[d, 0] = rest[j, d] - rest[i, d]
            a[d, 1] = rest[k, d] - rest[i, d]
            b[d, 0] = x[j, d] - x[i, d]
            b[d, 1] = x[k, d] - x[i, d]
        det = a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
        inv = np.array([[a[1, 1] / det, -a[0, 1] / det], [-a[1, 0] / det, a[0, 0] / det]])
        F = np.zeros((2, 2))
        for p in range(2):
            for q in range(2):
                for r in range(2):
                    F[p, q] += b[p, r] * inv[r, q]
        J = F[0, 0] * F[1, 1] - F[0, 1] * F[1, 0]
        trace = 0.0
        for p in range(2):
            for q in range(2):
                trace += F[p, q] * F[p, q]
        lj = math.log(abs(J) + 1e-6)
        e += 0.5 * abs(det) * (0.5 * mu * (trace - 2.0 - 2.0 * lj) + 0.5 * lam * lj * lj)
    return e


def two_stream(tau: Vec, albedo: Vec, g: float, sun: float) -> float:
    """Light in a layered atmosphere: reflection and transmission of layers, added from above, then fluxes from below."""
    n = len(tau)
    refl = np.zeros(n)
    trans = np.zeros(n)
    source = np.zeros(n)
    direct = 1.0
    for i in range(n):
        a = albedo[i]
        g1 = 0.25 * (7.0 - a * (4.0 + 3.0 * g))
        g2 = -0.25 * (1.0 - a * (4.0 - 3.0 * g))
        k = math.sqrt(max(g1 * g1 - g2 * g2, 1e-10))
        e = math.exp(-2.0 * k * tau[i])
        d = k + g1 + (k - g1) * e
        refl[i] = g2 * (1.0 - e) / d
        trans[i] = 2.0 * k * math.exp(-k * tau[i]) / d
        source[i] = a * direct * (1.0 - math.exp(-tau[i] / sun)) * 0.5
        direct *= math.exp(-tau[i] / sun)
    up = np.zeros(n + 1)
    down = np.zeros(n + 1)
    r = np.zeros(n + 1)
    for i in range(n):
        m = 1.0 / (1.0 - r[i] * refl[i])
        r[i + 1] = refl[i] + trans[i] * trans[i] * r[i] * m
        down[i + 1] = source[i] + trans[i] * m * (down[i] + r[i] * source[i])
    up[n] = 0.2 * (down[n] + direct)
    for i in range(n - 1, -1, -1):
        up[i] = trans[i] * up[i + 1] / (1.0 - r[i] * refl[i]) + source[i] + refl[i] * down[i]
    heating = 0.0
    for i in range(n):
        heating += ((up[i + 1] - up[i]) - (down[i + 1] - down[i])) ** 2
    return heating + up[0]


def riemann(l: float, r: float) -> float:
    if l > r:
        return 0.5 * l * l if l + r > 0.0 else 0.5 * r * r
    if l > 0.0:
        return 0.5 * l * l
    if r < 0.0:
        return 0.5 * r * r
    return 0.0


def godunov_burgers(u0: Vec, dt: float, steps: int) -> float:
    """Burgers' equation with Godunov's flux on a ring, van Leer's limiter in a helper."""
    n = len(u0)
    u = u0.copy()
    left = np.zeros(n)
    right = np.zeros(n)
    for t in range(steps):
        for i in range(n):
            a = u[i] - u[i - 1] if i > 0 else u[0] - u[n - 1]
            b = u[i + 1] - u[i] if i < n - 1 else u[0] - u[n - 1]
            s = van_leer(a, b)
            left[i] = u[i] - 0.5 * s
            right[i] = u[i] + 0.5 * s
        last = riemann(right[n - 1], left[0])
        before = last
        for i in range(n):
            after = riemann(right[i], left[i + 1]) if i < n - 1 else last
            u[i] = u[i] - dt * (after - before)
            before = after
    return np.sum(u * u)


def van_leer(a: float, b: float) -> float:
    if a * b <= 0.0:
        return 0.0
    return 2.0 * a * b / (a + b)


def alternating_directions(u0: Plate, r: float, steps: int) -> float:
    """Peaceman and Rachford's method: Thomas' algorithm along rows, then along columns."""
    n, m = u0.shape
    u = u0.copy()
    for t in range(steps):
        half = u.copy()
        for i in range(1, n - 1):
            c = np.zeros(m)
            d = np.zeros(m)
            for j in range(1, m - 1):
                rhs = u[i, j] + r * (u[i - 1, j] - 2.0 * u[i, j] + u[i + 1, j])
                den = 1.0 + 2.0 * r + r * c[j - 1]
                c[j] = -r / den
                d[j] = (rhs + r * d[j - 1]) / den
            for j in range(m - 2, 0, -1):
                half[i, j] = d[j] - c[j] * half[i, j + 1]
        for j in range(1, m - 1):
            c = np.zeros(n)
            d = np.zeros(n)
            for i in range(1, n - 1):
                rhs = half[i, j] + r * (half[i, j - 1] - 2.0 * half[i, j] + half[i, j + 1])
                den = 1.0 + 2.0 * r + r * c[i - 1]
                c[i] = -r / den
                d[i] = (rhs + r * d[i - 1]) / den
            for i in range(n - 2, 0, -1):
                u[i, j] = d[i] - c[i] * u[i + 1, j]
    s = 0.0
    for i in range(n):
        for j in range(m):
            s += u[i, j] * u[i, j]
    return s


def projections(image: Plate, angles: Float64[np.ndarray, "a"], measured: Float64[np.ndarray, "a d"]) -> float:
    """Tomography: line integrals with bilinear interpolation, and their misfit."""
    n, m = image.shape
    misfit = 0.0
    for a in range(len(angles)):
        c = math.cos(angles[a])
        s = math.sin(angles[a])
        for d in range(measured.shape[1]):
            off = d - 0.5 * measured.shape[1]
            total = 0.0
            for k in range(n):
                along = k - 0.5 * n
                y = 0.5 * n + off * c - along * s
                x = 0.5 * m + off * s + along * c
                i = int(math.floor(y))
                j = int(math.floor(x))
                if i < 0 or j < 0 or i >= n - 1 or j >= m - 1:
                    continue
                p = y - i
                q = x - j
                total += (1 - p) * (1 - q) * image[i, j] + (1 - p) * q * image[i, j + 1]
                total += p * (1 - q) * image[i + 1, j] + p * q * image[i + 1, j + 1]
            misfit += (total - measured[a, d]) ** 2
    return misfit


def minmod(a: float, b: float) -> float:
    if a * b <= 0.0:
        return 0.0
    return a if abs(a) < abs(b) else b


def dam_break(h0: Vec, q0: Vec, bed: Vec, dt: float, steps: int) -> float:
    """Shallow water on a line by Kurganov's central scheme with minmod slopes, a bed and dry cells."""
    n = len(h0)
    h, q = h0.copy(), q0.copy()
    fh, fq = np.zeros(n + 1), np.zeros(n + 1)
    for t in range(steps):
        for i in range(2, n - 1):
            hl = h[i - 1] + 0.5 * minmod(h[i - 1] - h[i - 2], h[i] - h[i - 1])
            hr = h[i] - 0.5 * minmod(h[i] - h[i - 1], h[i + 1] - h[i])
            ql = q[i - 1] + 0.5 * minmod(q[i - 1] - q[i - 2], q[i] - q[i - 1])
            qr = q[i] - 0.5 * minmod(q[i] - q[i - 1], q[i + 1] - q[i])
            hl, hr = max(hl, 1e-6), max(hr, 1e-6)
            ul, ur = ql / hl, qr / hr
            speed = max(abs(ul) + math.sqrt(9.81 * hl), abs(ur) + math.sqrt(9.81 * hr))
            fh[i] = 0.5 * (ql + qr) - 0.5 * speed * (hr - hl)
            fq[i] = 0.5 * (ql * ul + 4.905 * hl * hl + qr * ur + 4.905 * hr * hr) - 0.5 * speed * (qr - ql)
        for i in range(2, n - 2):
            h[i] -= dt * (fh[i + 1] - fh[i])
            q[i] -= dt * (fq[i + 1] - fq[i]) + dt * 9.81 * h[i] * 0.5 * (bed[i + 1] - bed[i - 1])
    return np.sum(h * h) + np.sum(q * q)
