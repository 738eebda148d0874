"""Programs of further sciences, written before anyone looked at how they run."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float64, Int64

Vec = Float64[np.ndarray, "n"]
Table = Float64[np.ndarray, "n m"]


def traffic(density: Vec, capacity: Vec, speed: float, jam: float, steps: int) -> float:
    """Cell transmission on a ring road: what a cell sends and what the next one can take; the total delay."""
    n = len(density)
    rho = density.copy()
    flow = np.empty(n)
    delay = 0.0
    for _ in range(steps):
        for i in range(n):
            after = (i + 1) % n
            send = min(speed * rho[i], capacity[i])
            take = min(capacity[after], 0.5 * speed * (jam - rho[after]))
            flow[i] = min(send, take)
        for i in range(n):
            rho[i] += 0.4 * (flow[i - 1] - flow[i])
            delay += rho[i] - flow[i] / speed
    return delay


def ice_sheet(bed: Vec, accumulation: Vec, softness: float, steps: int) -> float:
    """Shallow ice: a diffusivity from thickness and slope on a staggered grid, thickness that stays positive."""
    n = len(bed)
    h = np.full(n, 0.5)
    flux = np.zeros(n + 1)
    for _ in range(steps):
        for i in range(1, n):
            slope = (h[i] + bed[i]) - (h[i - 1] + bed[i - 1])
            thick = 0.5 * (h[i] + h[i - 1])
            flux[i] = -softness * thick**5 * slope * slope * slope
        for i in range(n):
            h[i] = max(h[i] + accumulation[i] - 0.1 * (flux[i + 1] - flux[i]), 0.0)
    return float(np.sum(h * h))


def plucked_string(noise: Vec, pick: Float64[np.ndarray, "d"], loss: float, blend: float) -> float:
    """A string as a ring buffer with a low-pass filter, excited by a pluck; the energy of its decay."""
    d = len(pick)
    ring = pick.copy()
    at = 0
    energy = 0.0
    for t in range(len(noise)):
        after = at + 1 if at + 1 < d else 0
        out = loss * ((1.0 - blend) * ring[at] + blend * ring[after]) + 0.01 * noise[t]
        energy += ring[at] * ring[at]
        ring[at] = out
        at = after
    return energy


def thin_film(index: Float64[np.ndarray, "k"], thickness: Float64[np.ndarray, "k"], waves: Vec, wanted: Vec) -> float:
    """The reflectance of a stack of layers by products of two by two complex matrices, written out."""
    miss = 0.0
    for i in range(len(waves)):
        ar, ai, br, bi = 1.0, 0.0, 0.0, 0.0
        cr, ci, dr, di = 0.0, 0.0, 1.0, 0.0
        for k in range(len(index)):
            phase = 2.0 * math.pi * index[k] * thickness[k] / waves[i]
            co, si = math.cos(phase), math.sin(phase)
            down, up = si / index[k], si * index[k]
            ar, ai, br, bi = ar * co - bi * up, ai * co + br * up, br * co - ai * down, bi * co + ar * down
            cr, ci, dr, di = cr * co - di * up, ci * co + dr * up, dr * co - ci * down, di * co + cr * down
        top = (ar + 1.5 * br - cr - 1.5 * dr) ** 2 + (ai + 1.5 * bi - ci - 1.5 * di) ** 2
        low = (ar + 1.5 * br + cr + 1.5 * dr) ** 2 + (ai + 1.5 * bi + ci + 1.5 * di) ** 2
        miss += (top / low - wanted[i]) ** 2
    return miss


def inside_parses(unary: Float64[np.ndarray, "n s"], rules: Float64[np.ndarray, "s s s"]) -> float:
    """The probability of a sentence under a grammar, by the inside algorithm over spans."""
    n, s = unary.shape
    chart = np.zeros((n, n, s))
    for i in range(n):
        chart[i, i] = unary[i]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            for k in range(i, j):
                for b in range(s):
                    left = chart[i, k, b]
                    for c in range(s):
                        both = left * chart[k + 1, j, c]
                        for a in range(s):
                            chart[i, j, a] += rules[b, c, a] * both
    return math.log(chart[0, n - 1, 0])


def ratings(first: Int64[np.ndarray, "g"], second: Int64[np.ndarray, "g"], won: Float64[np.ndarray, "g"], skill: Vec, k: float) -> float:
    """Ratings updated after each game; the log-loss of the predictions before it."""
    r = skill.copy()
    loss = 0.0
    for t in range(len(won)):
        a, b = first[t], second[t]
        p = 1.0 / (1.0 + math.exp(r[b] - r[a]))
        loss -= won[t] * math.log(p) + (1.0 - won[t]) * math.log(1.0 - p)
        r[a] += k * (won[t] - p)
        r[b] -= k * (won[t] - p)
    return loss


def river_routing(below: Int64[np.ndarray, "n"], length: Vec, inflow: Float64[np.ndarray, "T n"], k: float, x: float) -> float:
    """Floods routed down a tree of reaches by Muskingum's method, reaches in order from the sources."""
    n = len(below)
    before = np.zeros(n)
    out = np.zeros(n)
    peak = 0.0
    for t in range(inflow.shape[0]):
        coming = inflow[t].copy()
        for i in range(n):
            store = k * length[i]
            c0 = (0.5 - store * x) / (store * (1.0 - x) + 0.5)
            c1 = (0.5 + store * x) / (store * (1.0 - x) + 0.5)
            c2 = 1.0 - c0 - c1
            out[i] = c0 * coming[i] + c1 * before[i] + c2 * out[i]
            before[i] = coming[i]
            if below[i] >= 0:
                coming[below[i]] += out[i]
        peak += out[n - 1] ** 4
    return peak


def spike_train(stimulus: Vec, spikes: Int64[np.ndarray, "n"], filter: Float64[np.ndarray, "k"], history: Float64[np.ndarray, "h"], base: float) -> float:
    """A neuron's Poisson likelihood, with filters of the stimulus and of its own past."""
    k, h = len(filter), len(history)
    ll = 0.0
    for t in range(max(k, h), len(stimulus)):
        drive = base
        for j in range(k):
            drive += filter[j] * stimulus[t - j]
        for j in range(h):
            if spikes[t - 1 - j] > 0:
                drive += history[j] * spikes[t - 1 - j]
        rate = math.exp(drive) if drive < 3.0 else 20.0 * (drive - 2.0)
        ll += spikes[t] * math.log(rate) - rate
    return ll


def structure_factors(pos: Float64[np.ndarray, "n 3"], weight: Vec, hkl: Float64[np.ndarray, "m 3"], seen: Float64[np.ndarray, "m"], b: float) -> float:
    """Amplitudes of diffraction with a temperature factor, in array style."""
    phase = 2.0 * np.pi * (hkl @ pos.T)
    damp = np.exp(-b * np.sum(hkl * hkl, axis=1))
    real = damp * (np.cos(phase) @ weight)
    imag = damp * (np.sin(phase) @ weight)
    return float(np.sum((np.sqrt(real * real + imag * imag + 1e-9) - seen) ** 2))


def doses(times: Float64[np.ndarray, "d"], amounts: Float64[np.ndarray, "d"], seen_at: Vec, seen: Vec, absorption: float, removal: float, volume: float) -> float:
    """Concentrations of a drug after several doses, one compartment with absorption."""
    sse = 0.0
    for i in range(len(seen_at)):
        c = 0.0
        for j in range(len(times)):
            if times[j] > seen_at[i]:
                break
            age = seen_at[i] - times[j]
            c += amounts[j] * absorption / (volume * (absorption - removal)) * (math.exp(-removal * age) - math.exp(-absorption * age))
        sse += (math.log(c + 0.01) - seen[i]) ** 2
    return sse


def projection_matrix(size: Vec, growth: Float64[np.ndarray, "3"], survival: Float64[np.ndarray, "2"], seeds: float, years: int) -> float:
    """An integral projection model: a kernel of growth, survival and reproduction, applied year after year."""
    n = len(size)
    step = size[1] - size[0]
    kernel = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            mean = growth[0] + growth[1] * size[j]
            z = (size[i] - mean) / growth[2]
            s = 1.0 / (1.0 + math.exp(-survival[0] - survival[1] * size[j]))
            kernel[i, j] = step * (s * math.exp(-0.5 * z * z) / growth[2] + seeds * math.exp(-size[i]) * size[j])
    people = np.ones(n)
    grown = 0.0
    for _ in range(years):
        people = kernel @ people
        total = np.sum(people)
        grown += math.log(total / n)
        people = people * (n / total)
    return grown


def pose_graph(start: Int64[np.ndarray, "e"], end: Int64[np.ndarray, "e"], moved: Float64[np.ndarray, "e 3"], pose: Float64[np.ndarray, "n 3"], trust: float) -> float:
    """Residuals of a planar pose graph with a robust loss."""
    total = 0.0
    for e in range(len(start)):
        i, j = start[e], end[e]
        c, s = math.cos(pose[i, 2]), math.sin(pose[i, 2])
        dx, dy = pose[j, 0] - pose[i, 0], pose[j, 1] - pose[i, 1]
        rx = c * dx + s * dy - moved[e, 0]
        ry = c * dy - s * dx - moved[e, 1]
        turn = pose[j, 2] - pose[i, 2] - moved[e, 2]
        ra = math.atan2(math.sin(turn), math.cos(turn))
        r2 = rx * rx + ry * ry + trust * ra * ra
        total += r2 if r2 < 1.0 else 2.0 * math.sqrt(r2) - 1.0
    return total
