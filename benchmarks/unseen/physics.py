"""Fields in three dimensions, rates, particles and orbits."""

import math

import numpy as np
from jaxtyping import Float64

Vec = Float64[np.ndarray, "n"]
Plate = Float64[np.ndarray, "n m"]
Box = Float64[np.ndarray, "n m k"]


def diffusion_box(u0: Box, d: Vec, steps: int) -> float:
    """Diffusion in a box, its coefficient by layers, two buffers that are swapped."""
    n, m, l = u0.shape
    u = u0.copy()
    new = u0.copy()
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                for k in range(1, l - 1):
                    lap = u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k]
                    lap += u[i, j, k - 1] + u[i, j, k + 1] - 6.0 * u[i, j, k]
                    new[i, j, k] = u[i, j, k] + d[i] * lap
        u, new = new, u
    s = 0.0
    for i in range(n):
        for j in range(m):
            for k in range(l):
                s += u[i, j, k] ** 2
    return s


def wave_plate(c: Plate, source: Float64[np.ndarray, "T"], damping: float) -> float:
    """A driven membrane with damping near its border; the energy that a row of sensors sees."""
    n, m = c.shape
    p0 = np.zeros((n, m))
    p1 = np.zeros((n, m))
    heard = 0.0
    for t in range(len(source)):
        p2 = np.zeros((n, m))
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                lap = p1[i - 1, j] + p1[i + 1, j] + p1[i, j - 1] + p1[i, j + 1] - 4.0 * p1[i, j]
                edge = min(i, n - 1 - i, j, m - 1 - j)
                g = damping * (3 - edge) if edge < 3 else 0.0
                p2[i, j] = ((2.0 - g) * p1[i, j] - (1.0 - g) * p0[i, j]) + c[i, j] * c[i, j] * lap
        p2[n // 2, m // 2] += source[t]
        for j in range(m):
            heard += p2[2, j] * p2[2, j]
        p0 = p1
        p1 = p2
    return heard


def lorenz_rates(x: float, y: float, z: float, sigma: float, rho: float, beta: float) -> tuple[float, float, float]:
    return sigma * (y - x), x * (rho - z) - y, x * y - beta * z


def lorenz_ensemble(start: Float64[np.ndarray, "n 3"], sigma: float, rho: float, beta: float, dt: float, steps: int) -> float:
    """Many trajectories by Runge and Kutta's method, the state in three scalars."""
    total = 0.0
    for i in range(start.shape[0]):
        x, y, z = start[i, 0], start[i, 1], start[i, 2]
        for t in range(steps):
            a1, b1, c1 = lorenz_rates(x, y, z, sigma, rho, beta)
            a2, b2, c2 = lorenz_rates(x + 0.5 * dt * a1, y + 0.5 * dt * b1, z + 0.5 * dt * c1, sigma, rho, beta)
            a3, b3, c3 = lorenz_rates(x + 0.5 * dt * a2, y + 0.5 * dt * b2, z + 0.5 * dt * c2, sigma, rho, beta)
            a4, b4, c4 = lorenz_rates(x + dt * a3, y + dt * b3, z + dt * c3, sigma, rho, beta)
            x += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
            y += dt / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4)
            z += dt / 6.0 * (c1 + 2.0 * c2 + 2.0 * c3 + c4)
        total += x * x + y * y + z * z
    return total / start.shape[0]


def stiff_kinetics(k: Float64[np.ndarray, "3"], y0: Float64[np.ndarray, "3"], dt: float, steps: int) -> float:
    """Robertson's reactions by implicit Euler steps: Newton's method until it converges, a system of three by elimination."""
    y = y0.copy()
    total = 0.0
    for t in range(steps):
        old = y.copy()
        for it in range(20):
            r1 = k[0] * y[0]
            r2 = k[1] * y[1] * y[1]
            r3 = k[2] * y[1] * y[2]
            f = np.array([
                y[0] - old[0] - dt * (-r1 + r3),
                y[1] - old[1] - dt * (r1 - r3 - r2),
                y[2] - old[2] - dt * r2,
            ])
            J = np.array([
                [1.0 + dt * k[0], -dt * k[2] * y[2], -dt * k[2] * y[1]],
                [-dt * k[0], 1.0 + dt * (k[2] * y[2] + 2.0 * k[1] * y[1]), dt * k[2] * y[1]],
                [0.0, -2.0 * dt * k[1] * y[1], 1.0],
            ])
            for p in range(3):
                for i in range(p + 1, 3):
                    q = J[i, p] / J[p, p]
                    for j in range(p, 3):
                        J[i, j] -= q * J[p, j]
                    f[i] -= q * f[p]
            for i in range(2, -1, -1):
                for j in range(i + 1, 3):
                    f[i] -= J[i, j] * f[j]
                f[i] /= J[i, i]
            worst = 0.0
            for i in range(3):
                y[i] -= f[i]
                worst = max(worst, abs(f[i]))
            if worst < 1e-12:
                break
        total += y[1] * 1e4 + y[2]
    return total


def particle_mesh(x0: Vec, v0: Vec, charge: float, cells: int, steps: int) -> float:
    """Particles in cells on a ring: charge is deposited in two cells, the field is a running sum, forces are interpolated."""
    n = len(x0)
    x = x0.copy()
    v = v0.copy()
    rho = np.zeros(cells)
    field = np.zeros(cells)
    for t in range(steps):
        for c in range(cells):
            rho[c] = -float(n) / cells
        for i in range(n):
            c = int(x[i]) % cells
            f = x[i] - math.floor(x[i])
            rho[c] += 1.0 - f
            rho[(c + 1) % cells] += f
        s = 0.0
        mean = 0.0
        for c in range(cells):
            s += charge * rho[c]
            field[c] = s
            mean += s / cells
        for i in range(n):
            c = int(x[i]) % cells
            f = x[i] - math.floor(x[i])
            force = (1.0 - f) * field[c] + f * field[(c + 1) % cells] - mean
            v[i] += 0.1 * force
            x[i] = (x[i] + 0.1 * v[i]) % cells
    e = 0.0
    for i in range(n):
        e += 0.5 * v[i] * v[i]
    return e


def nbody_vectors(pos0: Float64[np.ndarray, "n 3"], vel0: Float64[np.ndarray, "n 3"], mass: Vec, dt: float, steps: int) -> float:
    """Leapfrog with vectors of three in NumPy style."""
    n = pos0.shape[0]
    pos = pos0.copy()
    vel = vel0.copy()
    for t in range(steps):
        acc = np.zeros((n, 3))
        for i in range(n):
            for j in range(i + 1, n):
                d = pos[j] - pos[i]
                r2 = np.dot(d, d) + 0.01
                w = 1.0 / (r2 * math.sqrt(r2))
                acc[i] += mass[j] * w * d
                acc[j] -= mass[i] * w * d
        vel = vel + dt * acc
        pos = pos + dt * vel
    e = 0.0
    for i in range(n):
        e += 0.5 * mass[i] * np.sum(vel[i] * vel[i])
    return e
