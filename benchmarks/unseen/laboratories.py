"""Programs of laboratories and observatories, written before anyone looked at how they run."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64, Int64

Vec = Float64[np.ndarray, "n"]
Plate = Float64[np.ndarray, "n m"]
Points = Float64[np.ndarray, "n 3"]
Times = Float64[np.ndarray, "t"]
Part = Float64[np.ndarray, "k"]
Counts = Int64[np.ndarray, "n s"]


def seismic_section(speed: Plate, wavelet: Times, seen: Float64[np.ndarray, "t m"], dt: float, damp: float) -> float:
    """Pressure in a section of the earth with damped edges, against what receivers at the surface have seen."""
    nz, nx = speed.shape
    before, now, after = np.zeros((nz, nx)), np.zeros((nz, nx)), np.zeros((nz, nx))
    misfit = 0.0
    for k in range(len(wavelet)):
        for i in range(1, nz - 1):
            for j in range(1, nx - 1):
                lap = now[i + 1, j] + now[i - 1, j] + now[i, j + 1] + now[i, j - 1] - 4.0 * now[i, j]
                edge = min(min(j, nx - 1 - j), nz - 1 - i)
                loss = damp * (5 - edge) if edge < 5 else 0.0
                after[i, j] = (2.0 - loss) * now[i, j] - (1.0 - loss) * before[i, j] + (speed[i, j] * dt) ** 2 * lap
        after[2, nx // 2] += wavelet[k]
        for j in range(nx):
            misfit += (after[1, j] - seen[k, j]) ** 2
        before, now, after = now, after, before
    return 0.5 * misfit


def reactor(
    logA: Vec,
    power: Vec,
    energy: Vec,
    left: Counts,
    right: Counts,
    start: Float64[np.ndarray, "s"],
    temperature: float,
    dt: float,
    steps: int,
) -> float:
    """Mass action in a reactor whose rates are modified Arrhenius laws, by the midpoint rule."""
    reactions, species = left.shape
    k = np.empty(reactions)
    c = start.copy()
    rate = np.zeros(species)
    mid = np.zeros(species)
    heat = 0.0
    T = temperature
    for n in range(steps):
        for r in range(reactions):
            k[r] = np.exp(logA[r] - energy[r] / T) * (T / 300.0) ** power[r]
        for stage in range(2):
            rate[:] = 0.0
            for r in range(reactions):
                flux = k[r]
                for s in range(species):
                    for _ in range(left[r, s]):
                        flux *= mid[s] if stage == 1 else c[s]
                for s in range(species):
                    rate[s] += (right[r, s] - left[r, s]) * flux
            if stage == 0:
                for s in range(species):
                    mid[s] = c[s] + 0.5 * dt * rate[s]
            else:
                for s in range(species):
                    c[s] += dt * rate[s]
        T += 0.1 * dt * rate[0]
        heat += T * dt
    return heat + np.sum(c**2)


def soil_column(
    head: Vec, alpha: float, n: float, conductivity: Vec, rain: Times, dz: float, dt: float, steps: int
) -> float:
    """Water in unsaturated soil with van Genuchten's curves."""
    h = head.copy()
    cells = len(h)
    flux = np.zeros(cells + 1)
    drained = 0.0
    for t in range(steps):
        k = np.zeros(cells)
        cap = np.zeros(cells)
        for i in range(cells):
            m = 1.0 - 1.0 / n
            if h[i] < 0.0:
                se = (1.0 + (-alpha * h[i]) ** n) ** (-m)
                k[i] = conductivity[i] * se**0.5 * (1.0 - (1.0 - se ** (1.0 / m)) ** m) ** 2
                cap[i] = 0.01 + se * (1.0 - se)
            else:
                k[i] = conductivity[i]
                cap[i] = 0.01
        flux[0] = rain[t]
        for i in range(1, cells):
            flux[i] = 0.5 * (k[i] + k[i - 1]) * (1.0 - (h[i] - h[i - 1]) / dz)
        flux[cells] = k[cells - 1]
        for i in range(cells):
            h[i] += dt / dz * (flux[i] - flux[i + 1]) / cap[i]
        drained += flux[cells] * dt
    return drained + np.sum(h) * 1e-3


def coating(index: Part, thick: Part, waves: Vec, target: Vec) -> float:
    """Reflection of a stack of thin films over wavelengths, by products of characteristic matrices."""
    total = 0.0
    for w in range(len(waves)):
        m00, m01, m10, m11 = 1.0 + 0j, 0j, 0j, 1.0 + 0j
        for l in range(len(thick)):
            phase = 2.0 * np.pi * index[l] * thick[l] / waves[w]
            c, s = np.cos(phase), np.sin(phase)
            a01, a10 = 1j * s / index[l], 1j * s * index[l]
            m00, m01, m10, m11 = m00 * c + m01 * a10, m00 * a01 + m01 * c, m10 * c + m11 * a10, m10 * a01 + m11 * c
        b, d = m00 + m01 * 1.5, m10 + m11 * 1.5
        r = (b - d) / (b + d)
        total += (abs(r) ** 2 - target[w]) ** 2
    return total


def weather_ring(x0: Vec, observed: Float64[np.ndarray, "t k"], forcing: float, dt: float) -> float:
    """Misfit of Lorenz's ring of forty variables with observations of every other, by Runge and Kutta."""
    n = len(x0)
    x = x0.copy()
    cost = 0.0

    def tendency(y):
        out = np.empty(n)
        for i in range(n):
            out[i] = (y[(i + 1) % n] - y[i - 2]) * y[i - 1] - y[i] + forcing
        return out

    for k in range(observed.shape[0]):
        k1 = tendency(x)
        k2 = tendency(x + 0.5 * dt * k1)
        k3 = tendency(x + 0.5 * dt * k2)
        k4 = tendency(x + dt * k3)
        x = x + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        cost += np.sum((x[::2] - observed[k]) ** 2)
    return cost


def rock_gravity(
    points: Points, corners: Float64[np.ndarray, "c 3"], density: Float64[np.ndarray, "c"], measured: Vec
) -> float:
    """Gravity of rods of rock at stations, with half-integer powers of distances."""
    total = 0.0
    for s in range(points.shape[0]):
        g = 0.0
        for c in range(corners.shape[0]):
            dx = points[s, 0] - corners[c, 0]
            dy = points[s, 1] - corners[c, 1]
            dz = points[s, 2] - corners[c, 2]
            g += density[c] * dz / (dx * dx + dy * dy + dz * dz) ** 1.5
        total += (g - measured[s]) ** 2
    return total
