"""Water, snow, plankton, sand, cars, tides and fields: what is simulated out of doors."""

import math

import numpy as np
from jaxtyping import Float64

Vec = Float64[np.ndarray, "n"]
Plate = Float64[np.ndarray, "n m"]


def yee_cavity(ez0: Plate, eps: Plate, dt: float, steps: int) -> float:
    """Maxwell's equations in a cavity, on a staggered grid, in loops."""
    n, m = ez0.shape
    ez = ez0.copy()
    hx = np.zeros((n, m))
    hy = np.zeros((n, m))
    for _ in range(steps):
        for i in range(n):
            for j in range(m - 1):
                hx[i, j] -= dt * (ez[i, j + 1] - ez[i, j])
        for i in range(n - 1):
            for j in range(m):
                hy[i, j] += dt * (ez[i + 1, j] - ez[i, j])
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                ez[i, j] += dt / eps[i, j] * (hy[i, j] - hy[i - 1, j] - hx[i, j] + hx[i, j - 1])
    energy = 0.0
    for i in range(n):
        for j in range(m):
            energy += eps[i, j] * ez[i, j] ** 2 + hx[i, j] ** 2 + hy[i, j] ** 2
    return 0.5 * energy


def cahn_hilliard(c0: Plate, mobility: float, width: float, steps: int) -> float:
    """Two metals that separate, on a torus, by rolls."""
    c = c0.copy()
    for _ in range(steps):
        lap = np.roll(c, 1, 0) + np.roll(c, -1, 0) + np.roll(c, 1, 1) + np.roll(c, -1, 1) - 4.0 * c
        mu = c * c * c - c - width * lap
        flow = np.roll(mu, 1, 0) + np.roll(mu, -1, 0) + np.roll(mu, 1, 1) + np.roll(mu, -1, 1) - 4.0 * mu
        c = c + mobility * flow
    return np.mean((c * c - 1.0) ** 2)


def plankton_column(n0: Vec, p0: Vec, z0: Vec, light: float, mixing: float, steps: int) -> float:
    """Nutrients, plankton and what eats it, in a column of water that mixes."""
    n, p, z = n0.copy(), p0.copy(), z0.copy()
    depth = np.arange(len(n0)) * 0.05
    sun = light * np.exp(-depth)
    for _ in range(steps):
        grow = sun / (sun + 0.5) * n / (n + 0.3) * p
        graze = 0.6 * z * p * p / (p * p + 0.1)
        dn = 0.3 * graze + 0.05 * p + 0.05 * z - grow
        dp = grow - graze - 0.05 * p
        dz = 0.7 * graze - 0.05 * z
        n += 0.1 * dn
        p += 0.1 * dp
        z += 0.1 * dz
        n[1:-1] += mixing * (n[2:] - 2.0 * n[1:-1] + n[:-2])
        p[1:-1] += mixing * (p[2:] - 2.0 * p[1:-1] + p[:-2])
        z[1:-1] += mixing * (z[2:] - 2.0 * z[1:-1] + z[:-2])
    return np.sum(p) / len(p)


def snow_and_soil(rain: Vec, warm: Vec, field: float, beta: float, melt: float, fast: float, slow: float) -> float:
    """A catchment by buckets: snow, soil, two reservoirs."""
    snow = 0.0
    soil = 0.5 * field
    upper = 0.0
    lower = 10.0
    error = 0.0
    for t in range(len(rain)):
        water = rain[t]
        if warm[t] < 0.0:
            snow += water
            water = 0.0
        else:
            thaw = min(snow, melt * warm[t])
            snow -= thaw
            water += thaw
        through = water * (soil / field) ** beta
        soil = min(field, soil + water - through)
        soil -= min(soil, 0.1 * max(warm[t], 0.0) * soil / field)
        upper += through
        sinks = min(upper, 0.2)
        upper -= sinks
        lower += sinks
        q = fast * max(upper - 2.0, 0.0) + 0.1 * upper + slow * lower
        upper -= fast * max(upper - 2.0, 0.0) + 0.1 * upper
        lower -= slow * lower
        error += (q - 1.0) ** 2
    return error / len(rain)


def car_following(x0: Vec, v0: Vec, wish: float, gap: float, headway: float, steps: int) -> float:
    """The intelligent driver on a ring."""
    n = len(x0)
    x = x0.copy()
    v = v0.copy()
    a = np.empty(n)
    ring = 20.0 * n
    jerk = 0.0
    for _ in range(steps):
        for i in range(n):
            ahead = i + 1 if i < n - 1 else 0
            s = x[ahead] - x[i] - 4.0
            if s < 0.0:
                s += ring
            want = gap + max(0.0, v[i] * headway + v[i] * (v[i] - v[ahead]) / 3.4)
            a[i] = 1.4 * (1.0 - (v[i] / wish) ** 4 - (want / s) ** 2)
        for i in range(n):
            x[i] += 0.1 * v[i]
            v[i] = max(v[i] + 0.1 * a[i], 0.0)
            jerk += a[i] * a[i]
    return jerk / n


def tide_gauge(hours: Vec, levels: Vec, amplitude: Float64[np.ndarray, "k"], phase: Float64[np.ndarray, "k"], speed: Float64[np.ndarray, "k"]) -> float:
    """What harmonics leave of a record of levels."""
    total = 0.0
    for t in range(len(hours)):
        level = 0.0
        for k in range(len(speed)):
            level += amplitude[k] * math.cos(speed[k] * hours[t] - phase[k])
        total += (levels[t] - level) ** 2
    return total


def darcy(conductivity: Plate, wells: Plate, sweeps: int) -> float:
    """Heads of groundwater by Jacobi's method, with harmonic means between cells."""
    n, m = wells.shape
    h = np.zeros((n, m))
    east = 2.0 * conductivity[:, 1:] * conductivity[:, :-1] / (conductivity[:, 1:] + conductivity[:, :-1])
    south = 2.0 * conductivity[1:] * conductivity[:-1] / (conductivity[1:] + conductivity[:-1])
    for _ in range(sweeps):
        new = h.copy()
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                e, w = east[i, j], east[i, j - 1]
                s, t = south[i, j], south[i - 1, j]
                flow = e * h[i, j + 1] + w * h[i, j - 1] + s * h[i + 1, j] + t * h[i - 1, j]
                new[i, j] = (flow + wells[i, j]) / (e + w + s + t)
        h = new
    return np.sum(h * wells)


def sand_box(x0: Float64[np.ndarray, "n 2"], radius: Vec, stiff: float, dt: float, steps: int) -> float:
    """Discs that push each other where they overlap, and a floor."""
    n = len(radius)
    x = x0.copy()
    v = np.zeros((n, 2))
    for _ in range(steps):
        f = np.zeros((n, 2))
        for i in range(n):
            f[i, 1] -= 1.0
            if x[i, 1] < radius[i]:
                f[i, 1] += stiff * (radius[i] - x[i, 1])
            for j in range(i):
                dx = x[i, 0] - x[j, 0]
                dy = x[i, 1] - x[j, 1]
                r = math.sqrt(dx * dx + dy * dy)
                over = radius[i] + radius[j] - r
                if over > 0.0:
                    push = stiff * over / r
                    f[i, 0] += push * dx
                    f[i, 1] += push * dy
                    f[j, 0] -= push * dx
                    f[j, 1] -= push * dy
        v = 0.99 * v + dt * f
        x = x + dt * v
    return np.sum(x[:, 1])


def power_line(source: Vec, inductance: float, load: float, cells: int) -> float:
    """A transmission line with a load that is not linear: voltages and currents take turns."""
    v = np.zeros(cells)
    i = np.zeros(cells - 1)
    heat = 0.0
    for t in range(len(source)):
        v[0] = source[t]
        for k in range(cells - 1):
            i[k] += (v[k] - v[k + 1]) / inductance
        for k in range(1, cells - 1):
            v[k] += 0.4 * (i[k - 1] - i[k])
        last = v[cells - 1]
        drawn = last / load + 0.1 * last * last * last
        v[cells - 1] = last + 0.4 * (i[cells - 2] - drawn)
        heat += drawn * last
    return heat


def evaporation(warm: Vec, moist: Vec, wind: Vec, sun: Vec, albedo: float) -> float:
    """Penman's formula for each day, array by array."""
    es = 0.6108 * np.exp(17.27 * warm / (warm + 237.3))
    ea = es * moist
    slope = 4098.0 * es / (warm + 237.3) ** 2
    net = (1.0 - albedo) * sun - 4.9e-9 * (warm + 273.16) ** 4 * (0.34 - 0.14 * np.sqrt(ea)) * 0.7
    water = 0.408 * slope * net + 0.066 * 900.0 / (warm + 273.0) * wind * (es - ea)
    return np.sum(np.maximum(water / (slope + 0.066 * (1.0 + 0.34 * wind)), 0.0))


def red_and_black(f: Plate, omega: float, sweeps: int) -> float:
    """Poisson's equation by overrelaxation, the cells of a chessboard in two halves."""
    n, m = f.shape
    u = np.zeros((n, m))
    for _ in range(sweeps):
        for colour in range(2):
            for i in range(1, n - 1):
                for j in range(1 + (i + colour) % 2, m - 1, 2):
                    new = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] + f[i, j])
                    u[i, j] += omega * (new - u[i, j])
    return np.sum(u * f)


def neural_field(u0: Vec, weights: Float64[np.ndarray, "k"], gain: float, steps: int) -> float:
    """Activity on a line of neurons that excite their neighbours and inhibit those farther away."""
    n = len(u0)
    k = len(weights)
    u = u0.copy()
    for _ in range(steps):
        fire = 1.0 / (1.0 + np.exp(-gain * (u - 0.3)))
        drive = np.zeros(n)
        for i in range(n):
            for d in range(k):
                if i + d < n:
                    drive[i] += weights[d] * fire[i + d]
                if d > 0 and i - d >= 0:
                    drive[i] += weights[d] * fire[i - d]
        u = u + 0.1 * (drive - u)
    return np.sum(u * u)


def ship_waves(frames: Plate, speed: float, angles: int) -> float:
    """Michell's integral: the drag that a thin hull feels from its own waves."""
    n, m = frames.shape
    k0 = 9.81 / speed**2
    drag = 0.0
    for a in range(angles):
        theta = (a + 0.5) * 0.5 * math.pi / angles
        sec = 1.0 / math.cos(theta)
        p = 0.0
        q = 0.0
        for i in range(n):
            x = i * 0.1
            c = math.cos(k0 * sec * x)
            s = math.sin(k0 * sec * x)
            row = 0.0
            for j in range(m):
                row += frames[i, j] * math.exp(-k0 * sec * sec * 0.05 * j)
            p += c * row
            q += s * row
        drag += (p * p + q * q) * sec**3
    return drag / angles
