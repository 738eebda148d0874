"""Programs of audio, geodesy, chemistry, finance, astronomy, epidemiology, optics and statistics."""

import math

import numpy as np
from jaxtyping import Float64, Int64

Vec = Float64[np.ndarray, "n"]
Table = Float64[np.ndarray, "n m"]


def reverberation(x: Vec, gains: Float64[np.ndarray, "c"], delays: Int64[np.ndarray, "c"], damp: float) -> float:
    """Comb filters side by side with damped feedback in ring buffers, then an all-pass filter: the energy of the end."""
    n, combs = len(x), len(gains)
    longest = 0
    for c in range(combs):
        longest = max(longest, delays[c])
    lines = np.zeros((combs, longest))
    low = np.zeros(combs)
    through = np.zeros(37)
    energy = 0.0
    for t in range(n):
        y = 0.0
        for c in range(combs):
            at = t % delays[c]
            out = lines[c, at]
            low[c] = (1.0 - damp) * out + damp * low[c]
            lines[c, at] = x[t] + gains[c] * low[c]
            y += out
        place = t % 37
        held = through[place]
        z = held - 0.5 * y
        through[place] = y + 0.5 * z
        if t > n // 2:
            energy += z * z
    return energy


def station_network(
    xy: Float64[np.ndarray, "n 2"], start: Int64[np.ndarray, "m"], end: Int64[np.ndarray, "m"],
    distance: Float64[np.ndarray, "m"], bearing: Float64[np.ndarray, "m"], turn: Vec,
) -> float:  # fmt: skip
    """Distances and bearings between stations, each with its own unknown turn; robust in the distances."""
    d = xy[end] - xy[start]
    found = np.sqrt(d[:, 0] ** 2 + d[:, 1] ** 2)
    angle = np.arctan2(d[:, 0], d[:, 1]) - turn[start] - bearing
    angle = angle - 2.0 * np.pi * np.round(angle / (2.0 * np.pi))
    off = (found - distance) / 0.1
    return np.sum(np.log(1.0 + off**2)) + np.sum((angle / 0.01) ** 2)


def titration(added: Vec, pk: Float64[np.ndarray, "k"], strength: float, volume: float, seen: Vec) -> float:
    """The acidity of a mixture of weak acids for each volume of base, by Newton's method for the balance of charges."""
    k = len(pk)
    chi = 0.0
    h = 1e-3
    for i in range(len(added)):
        total = volume + added[i]
        base = 0.1 * added[i] / total
        acid = strength * volume / total / k
        x = math.log(h)
        for step in range(12):
            h = math.exp(x)
            f = h + base - 1e-14 / h
            slope = h + 1e-14 / h
            for j in range(k):
                ka = 10.0 ** (-pk[j])
                share = ka / (ka + h)
                f -= acid * share
                slope += acid * share * (1.0 - share)
            move = f / slope
            x -= max(-2.0, min(2.0, move))
            if abs(move) < 1e-10:
                break
        h = math.exp(x)
        r = seen[i] + x / math.log(10.0)
        chi += r * r
    return chi


def swap_curve(rates: Vec, spreads: Vec, times: Float64[np.ndarray, "p"], flows: Float64[np.ndarray, "p"]) -> float:
    """Discount factors from par rates, one after the other, and the price of payments between them by log-linear steps."""
    n = len(rates)
    factors = np.empty(n + 1)
    factors[0] = 1.0
    annuity = 0.0
    for i in range(n):
        factors[i + 1] = (1.0 - rates[i] * annuity) / (1.0 + rates[i])
        annuity += factors[i + 1]
    price = 0.0
    for p in range(len(times)):
        k = int(times[p])
        if k >= n:
            k = n - 1
        w = times[p] - k
        y = (1.0 - w) * math.log(factors[k]) + w * math.log(factors[k + 1])
        price += flows[p] * math.exp(y - spreads[k] * times[p])
    return price


def transits(t: Vec, flux: Vec, radius: float, speed: float, nearest: float, dark: Float64[np.ndarray, "2"], rings: int) -> float:
    """A planet before a star that is darker at its edge: the light hidden from rings, and the misfit."""
    whole = 1.0 - dark[0] / 3.0 - dark[1] / 6.0
    chi = 0.0
    for i in range(len(t)):
        z = math.sqrt((speed * t[i]) ** 2 + nearest**2)
        hidden = 0.0
        if z < 1.0 + radius:
            for k in range(rings):
                r = (k + 0.5) / rings
                if z + r <= radius:
                    share = 1.0
                elif abs(z - r) >= radius:
                    share = 0.0
                else:
                    share = math.acos((z * z + r * r - radius * radius) / (2.0 * z * r)) / math.pi
                mu = math.sqrt(1.0 - r * r)
                hidden += share * (1.0 - dark[0] * (1.0 - mu) - dark[1] * (1.0 - mu) ** 2) * 2.0 * r / rings
        e = flux[i] - (1.0 - hidden / whole)
        chi += e * e
    return 1e4 * chi


def vaccinated_waves(
    contacts: Float64[np.ndarray, "a a"], people: Float64[np.ndarray, "a"], doses: Float64[np.ndarray, "d a"],
    beta: float, leave: float, heal: float, seen: Float64[np.ndarray, "d"],
) -> float:  # fmt: skip
    """Ages by stages of an infection, in NumPy style: what each day brings, against what was reported."""
    s = 0.99 * people
    stages = np.zeros((4, len(people)))
    stages[0] = 0.01 * people
    fit = 0.0
    for day in range(len(seen)):
        force = beta * (contacts @ (stages[2:].sum(axis=0) / people))
        new = s * (1.0 - np.exp(-force))
        given = np.minimum(doses[day], s - new)
        s = s - new - given
        out = np.stack((leave * stages[0], leave * stages[1], heal * stages[2], heal * stages[3]))
        stages = stages - out
        stages[0] += new
        stages[1:] += out[:3]
        fit += (np.log(1.0 + out[1].sum()) - seen[day]) ** 2
    return fit


def fringes(picture: Table, slope: Float64[np.ndarray, "2"], terms: Float64[np.ndarray, "k"]) -> float:
    """A wavefront of polynomials on a disc, its interference with a tilted plane, and the contrast left over."""
    n, m = picture.shape
    y = np.linspace(-1.0, 1.0, n)[:, None]
    x = np.linspace(-1.0, 1.0, m)[None, :]
    r2 = x**2 + y**2
    front = terms[0] * (2.0 * r2 - 1.0) + terms[1] * (x**2 - y**2) + terms[2] * 2.0 * x * y
    front = front + terms[3] * (3.0 * r2 - 2.0) * x + terms[4] * (3.0 * r2 - 2.0) * y + terms[5] * (6.0 * r2**2 - 6.0 * r2 + 1.0)
    light = 0.5 * (1.0 + np.cos(2.0 * np.pi * (front - slope[0] * x - slope[1] * y)))
    inside = np.where(r2 <= 1.0, light - picture, 0.0)
    return np.sum(inside**2) / (n * m) + 0.01 * np.mean((inside[1:] - inside[:-1]) ** 2)


def rank_likelihood(u: Vec, group: Int64[np.ndarray, "n"], finish: Int64[np.ndarray, "n"], slow: Float64[np.ndarray, "g"]) -> float:
    """Races in which the places of all are known: from the last to the first, a sum of what is left in each."""
    left = slow.copy()
    ll = 0.0
    for k in range(len(finish) - 1, -1, -1):
        i = finish[k]
        g = group[i]
        left[g] += math.exp(u[i])
        ll += u[i] - math.log(left[g])
    return ll
