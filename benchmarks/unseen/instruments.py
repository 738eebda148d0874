"""Scanners, coils, spectra, tests, risks and curves: what is measured, and what is made of it."""

import math

import numpy as np
from jaxtyping import Float64, Int64

Vec = Float64[np.ndarray, "n"]


def spin_echo(t1: Vec, t2: Vec, offset: Vec, flip: float, pulses: int) -> float:
    """The signal of spins after a train of pulses: rotations of three numbers each."""
    real = 0.0
    imag = 0.0
    for i in range(len(t1)):
        m = np.array([0.0, 0.0, 1.0])
        e1 = math.exp(-0.05 / t1[i])
        e2 = math.exp(-0.05 / t2[i])
        for _ in range(pulses):
            c, s = math.cos(flip), math.sin(flip)
            m = np.array([m[0], c * m[1] + s * m[2], c * m[2] - s * m[1]])
            turn = offset[i] * 0.05
            c, s = math.cos(turn), math.sin(turn)
            m = np.array([e2 * (c * m[0] - s * m[1]), e2 * (s * m[0] + c * m[1]), 1.0 + e1 * (m[2] - 1.0)])
        real += m[0]
        imag += m[1]
    return real * real + imag * imag


def coil_field(coil: Float64[np.ndarray, "n 3"], points: Float64[np.ndarray, "m 3"], current: float) -> float:
    """Biot and Savart: the field of straight pieces of wire at some points, by vectors."""
    total = 0.0
    for p in points:
        b = np.zeros(3)
        for k in range(len(coil) - 1):
            piece = coil[k + 1] - coil[k]
            r = p - 0.5 * (coil[k + 1] + coil[k])
            b += current * np.cross(piece, r) / np.sum(r * r) ** 1.5
        total += np.sum(b * b)
    return total


def mass_spectrum(mass: Vec, counts: Vec, centre: Float64[np.ndarray, "k"], height: Float64[np.ndarray, "k"], width: Float64[np.ndarray, "k"]) -> float:
    """The likelihood of counts under peaks that overlap, all at once."""
    z = (mass[:, None] - centre[None, :]) / width[None, :]
    model = np.sum(height * np.exp(-0.5 * z * z), axis=1) + 0.1
    return np.sum(model - counts * np.log(model))


def item_responses(ability: Vec, hard: Float64[np.ndarray, "k"], sharp: Float64[np.ndarray, "k"], guess: Float64[np.ndarray, "k"], right: Int64[np.ndarray, "n k"]) -> float:
    """Who knows what: the likelihood of answers, with three parameters for each question."""
    total = 0.0
    for i in range(len(ability)):
        for j in range(len(hard)):
            p = guess[j] + (1.0 - guess[j]) / (1.0 + math.exp(-sharp[j] * (ability[i] - hard[j])))
            if right[i, j] == 1:
                total += math.log(p)
            else:
                total += math.log(1.0 - p)
    return total


def factorise(v: Float64[np.ndarray, "n m"], w0: Float64[np.ndarray, "n k"], h0: Float64[np.ndarray, "k m"], rounds: int) -> float:
    """A matrix as a product of two that are not negative, by multiplicative updates."""
    w, h = w0.copy(), h0.copy()
    for _ in range(rounds):
        h = h * (w.T @ v) / (w.T @ w @ h + 1e-9)
        w = w * (v @ h.T) / (w @ (h @ h.T) + 1e-9)
    return np.sum((v - w @ h) ** 2)


def transport_plan(a: Vec, b: Float64[np.ndarray, "m"], cost: Float64[np.ndarray, "n m"], blur: float, rounds: int) -> float:
    """Sinkhorn's scaling of rows and columns."""
    kernel = np.exp(-cost / blur)
    u = np.ones(len(a))
    v = np.ones(len(b))
    for _ in range(rounds):
        u = a / (kernel @ v)
        v = b / (kernel.T @ u)
    return np.sum(u[:, None] * kernel * v[None, :] * cost)


def smooth_picture(noisy: Float64[np.ndarray, "n m"], weight: float, rounds: int) -> float:
    """Total variation by steps down a smooth slope, in slices."""
    x = noisy.copy()
    for _ in range(rounds):
        dx = x[1:, :] - x[:-1, :]
        dy = x[:, 1:] - x[:, :-1]
        gx = dx / np.sqrt(dx * dx + 0.01)
        gy = dy / np.sqrt(dy * dy + 0.01)
        g = x - noisy
        g[:-1, :] -= weight * gx
        g[1:, :] += weight * gx
        g[:, :-1] -= weight * gy
        g[:, 1:] += weight * gy
        x -= 0.1 * g
    return np.sum((x - noisy) ** 2)


def sharpened(blurred: Vec, spread: Float64[np.ndarray, "k"], rounds: int) -> float:
    """Richardson and Lucy: what was there before it was blurred, in loops."""
    n = len(blurred)
    k = len(spread)
    x = np.ones(n)
    ratio = np.empty(n)
    for _ in range(rounds):
        for i in range(n - k + 1):
            s = 0.0
            for j in range(k):
                s += spread[j] * x[i + j]
            ratio[i] = blurred[i] / s
        for i in range(k - 1, n - k + 1):
            s = 0.0
            for j in range(k):
                s += spread[j] * ratio[i - j]
            x[i] *= s
    return np.sum(x * x)


def defaults(chance: Vec, loading: Vec, factors: Float64[np.ndarray, "f"], attach: int) -> float:
    """Losses of a portfolio: the number of defaults, given a factor, firm by firm."""
    n = len(chance)
    loss = 0.0
    for f in factors:
        p = np.zeros(n + 1)
        p[0] = 1.0
        for i in range(n):
            z = (chance[i] - loading[i] * f) / math.sqrt(1.0 - loading[i] ** 2)
            q = 0.5 * math.erfc(-z / math.sqrt(2.0))
            for k in range(i + 1, 0, -1):
                p[k] = p[k] * (1.0 - q) + p[k - 1] * q
            p[0] *= 1.0 - q
        for k in range(attach, n + 1):
            loss += p[k] * (k - attach)
    return loss / len(factors)


def bezier_lengths(points: Float64[np.ndarray, "c p 2"], samples: int) -> float:
    """The lengths of curves by de Casteljau's triangle."""
    total = 0.0
    n = points.shape[1]
    for c in range(points.shape[0]):
        x0, y0 = points[c, 0, 0], points[c, 0, 1]
        for s in range(1, samples + 1):
            t = s / samples
            q = points[c].copy()
            for level in range(1, n):
                for i in range(n - level):
                    for d in range(2):
                        q[i, d] = (1.0 - t) * q[i, d] + t * q[i + 1, d]
            total += math.sqrt((q[0, 0] - x0) ** 2 + (q[0, 1] - y0) ** 2)
            x0, y0 = q[0, 0], q[0, 1]
    return total


def bessel_sum(x: Vec, order: int) -> float:
    """Bessel functions by Miller's recurrence downwards, normalised by their sum."""
    total = 0.0
    for i in range(len(x)):
        above = 0.0
        here = 1e-30
        even = 0.0
        wanted = 0.0
        for k in range(30, 0, -1):
            below = 2.0 * k / x[i] * here - above
            above = here
            here = below
            if k - 1 == order:
                wanted = here
            if k % 2 == 1:
                even += here if k == 1 else 2.0 * here
        total += (wanted / even) ** 2
    return total


def pendulum_periods(angle: Vec, length: float) -> float:
    """Periods by the mean of arithmetic and geometric means, until they meet."""
    total = 0.0
    for i in range(len(angle)):
        a = 1.0
        g = math.cos(0.5 * angle[i])
        while abs(a - g) > 1e-12:
            a, g = 0.5 * (a + g), math.sqrt(a * g)
        total += 2.0 * math.pi / a * math.sqrt(length / 9.81)
    return total


def shared_information(x: Vec, y: Vec, bins: int, width: float) -> float:
    """How much one picture says about another: a histogram of pairs with soft bins."""
    joint = np.zeros((bins, bins))
    for i in range(len(x)):
        a = x[i] * (bins - 1) * width
        b = y[i] * (bins - 1) * width
        ia = min(int(a), bins - 2)
        ib = min(int(b), bins - 2)
        fa = a - ia
        fb = b - ib
        joint[ia, ib] += (1.0 - fa) * (1.0 - fb)
        joint[ia + 1, ib] += fa * (1.0 - fb)
        joint[ia, ib + 1] += (1.0 - fa) * fb
        joint[ia + 1, ib + 1] += fa * fb
    joint /= len(x)
    px = np.sum(joint, axis=1)
    py = np.sum(joint, axis=0)
    info = 0.0
    for a in range(bins):
        for b in range(bins):
            if joint[a, b] > 0.0:
                info += joint[a, b] * math.log(joint[a, b] / (px[a] * py[b]))
    return info


def battery(current: Vec, charge: Float64[np.ndarray, "k"], volts: Float64[np.ndarray, "k"], r0: float, r1: float, c1: float, capacity: float) -> float:
    """A cell as a source, two resistors and a capacitor, with a table of voltages."""
    soc = 0.9
    relax = 0.0
    error = 0.0
    for t in range(len(current)):
        soc -= current[t] / capacity
        relax += (current[t] / c1 - relax / (r1 * c1))
        v = np.interp(soc, charge, volts) - r0 * current[t] - relax
        error += (v - 3.7) ** 2
    return error / len(current)


def loud_bands(frames: Float64[np.ndarray, "f n"], window: Vec, bank: Float64[np.ndarray, "b k"]) -> float:
    """Logarithms of what passes a bank of filters, of frames that are windowed."""
    total = 0.0
    for x in frames:
        spectrum = np.fft.rfft(x * window)
        power = np.abs(spectrum) ** 2
        total += np.sum(np.log(bank @ power + 1e-6))
    return total


def food_web(x0: Vec, grow: Vec, eats: Float64[np.ndarray, "n n"], dt: float, steps: int) -> float:
    """Species that eat each other, by the midpoint rule."""
    x = x0.copy()
    for _ in range(steps):
        mid = x + 0.5 * dt * x * (grow + eats @ x)
        x = x + dt * mid * (grow + eats @ mid)
    return np.sum(np.log(x))


def star(index: float, step: float, shells: int) -> float:
    """Lane and Emden: a ball of gas from its centre outwards, and its mass."""
    theta = 1.0
    slope = 0.0
    xi = 1e-3
    mass = 0.0
    for _ in range(shells):
        k1 = slope
        l1 = -(max(theta, 0.0) ** index) - 2.0 / xi * slope
        half = xi + 0.5 * step
        k2 = slope + 0.5 * step * l1
        l2 = -(max(theta + 0.5 * step * k1, 0.0) ** index) - 2.0 / half * k2
        theta += step * k2
        slope += step * l2
        xi += step
        mass += max(theta, 0.0) ** index * xi * xi * step
    return mass


def hidden_units(v: Float64[np.ndarray, "s n"], w: Float64[np.ndarray, "n k"], b: Vec, c: Float64[np.ndarray, "k"]) -> float:
    """The free energy of a restricted Boltzmann machine, sample by sample, on vectors."""
    energy = 0.0
    for x in v:
        z = c + x @ w
        energy -= np.dot(b, x) + np.sum(np.log(1.0 + np.exp(z)))
    return energy / len(v)


def cable(v0: Vec, conduct: Vec, reversal: float, axial: float, steps: int) -> float:
    """A nerve in compartments with currents of sodium that open with the voltage, in loops."""
    n = len(v0)
    v = v0.copy()
    gate = np.full(n, 0.1)
    dv = np.zeros(n)
    for _ in range(steps):
        for i in range(n):
            flow = 0.0
            if i > 0:
                flow += axial * (v[i - 1] - v[i])
            if i < n - 1:
                flow += axial * (v[i + 1] - v[i])
            dv[i] = flow + conduct[i] * gate[i] * (reversal - v[i]) - 0.1 * v[i]
        for i in range(n):
            open_ = 1.0 / (1.0 + math.exp(-(v[i] - 0.5) / 0.2))
            gate[i] += 0.1 * (open_ - gate[i])
            v[i] += 0.1 * dv[i]
    return np.sum(v * v)


def echo_image(traces: Float64[np.ndarray, "e t"], places: Float64[np.ndarray, "e"], xs: Float64[np.ndarray, "p"], depth: float, speed: float) -> float:
    """Delay and sum: the brightness of points from what sensors heard."""
    bright = 0.0
    for p in range(len(xs)):
        s = 0.0
        for e in range(len(places)):
            d = math.sqrt((xs[p] - places[e]) ** 2 + depth * depth)
            t = (d + depth) / speed
            k = int(t)
            w = t - k
            if k + 1 < traces.shape[1]:
                s += (1.0 - w) * traces[e, k] + w * traces[e, k + 1]
        bright += s * s
    return bright
