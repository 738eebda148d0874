"""States of 4 to 64 numbers that change in time."""

import math

import numpy as np
from jaxtyping import Float64, Int64

Vec = Float64[np.ndarray, "d"]
Square = Float64[np.ndarray, "d d"]
Series = Float64[np.ndarray, "T d"]
Emissions = Float64[np.ndarray, "d o"]
Seen = Int64[np.ndarray, "T"]
Table = Float64[np.ndarray, "V d"]
Times = Float64[np.ndarray, "T"]
Coefficients = Float64[np.ndarray, "m"]


def inner(a: Vec, b: Vec) -> float:
    s = 0.0
    for j in range(len(a)):
        s += a[j] * b[j]
    return s


# ---------------------------------------------------------------- a recurrent network


def recurrent_loops(x: Series, W: Square, b: Vec) -> float:
    T, d = x.shape
    h = np.zeros(d)
    total = 0.0
    for t in range(T):
        new = np.empty(d)
        for j in range(d):
            s = b[j] + x[t, j]
            for k in range(d):
                s += W[j, k] * h[k]
            new[j] = math.tanh(s)
        h = new
        total += h[0]
    return total


def recurrent_outside(x: Series, W: Square, b: Vec) -> float:
    T, d = x.shape
    h = np.zeros(d)
    new = np.zeros(d)
    total = 0.0
    for t in range(T):
        for j in range(d):
            new[j] = b[j] + x[t, j]
            for k in range(d):
                new[j] += W[j, k] * h[k]
            new[j] = math.tanh(new[j])
        for j in range(d):
            h[j] = new[j]
        total += h[0]
    return total


def recurrent_vectors(x: Series, W: Square, b: Vec) -> float:
    h = np.zeros(x.shape[1])
    total = 0.0
    for t in range(x.shape[0]):
        h = np.tanh(W @ h + b + x[t])
        total += h[0]
    return total


def unit(w: Vec, h: Vec, b: float) -> float:
    return math.tanh(inner(w, h) + b)


def cell(W: Square, h: Vec, b: Vec, x: Vec) -> Vec:
    new = np.empty(len(h))
    for j in range(len(h)):
        new[j] = unit(W[j], h, b[j] + x[j])
    return new


def recurrent_helpers(x: Series, W: Square, b: Vec) -> float:
    h = np.zeros(x.shape[1])
    total = 0.0
    for t in range(x.shape[0]):
        h = cell(W, h, b, x[t])
        total += h[0]
    return total


def recurrent_counters(x: Series, W: Square, b: Vec) -> float:
    d = x.shape[1]
    h = np.zeros(d)
    new = np.zeros(d)
    total = 0.0
    for row in x:
        j = 0
        for w in W:
            s = b[j] + row[j]
            k = 0
            for y in h:
                s += w[k] * y
                k += 1
            new[j] = math.tanh(s)
            j += 1
        h, new = new, h
        total += h[0]
    return total


# ---------------------------------------------------------------- a linear filter with a gain


def filter_loops(y: Times, A: Square, c: Vec, gain: Vec) -> float:
    d = len(c)
    h = np.zeros(d)
    total = 0.0
    for t in range(len(y)):
        new = np.empty(d)
        e = y[t]
        for j in range(d):
            s = 0.0
            for k in range(d):
                s += A[j, k] * h[k]
            new[j] = s
            e -= c[j] * s
        for j in range(d):
            new[j] += gain[j] * e
        h = new
        total += e * e
    return total


def filter_outside(y: Times, A: Square, c: Vec, gain: Vec) -> float:
    d = len(c)
    h = np.zeros(d)
    p = np.zeros(d)
    total = 0.0
    for t in range(len(y)):
        for j in range(d):
            p[j] = 0.0
            for k in range(d):
                p[j] += A[j, k] * h[k]
        e = y[t]
        for j in range(d):
            e -= c[j] * p[j]
        for j in range(d):
            h[j] = p[j] + gain[j] * e
        total += e * e
    return total


def filter_vectors(y: Times, A: Square, c: Vec, gain: Vec) -> float:
    h = np.zeros(len(c))
    total = 0.0
    for t in range(len(y)):
        p = A @ h
        e = y[t] - c @ p
        h = p + gain * e
        total += e * e
    return total


def predicted(A: Square, h: Vec) -> Vec:
    p = np.empty(len(h))
    for j in range(len(h)):
        p[j] = inner(A[j], h)
    return p


def filter_helpers(y: Times, A: Square, c: Vec, gain: Vec) -> float:
    h = np.zeros(len(c))
    total = 0.0
    for t in range(len(y)):
        h = predicted(A, h)
        e = y[t] - inner(c, h)
        for j in range(len(c)):
            h[j] += gain[j] * e
        total += e * e
    return total


def filter_counters(y: Times, A: Square, c: Vec, gain: Vec) -> float:
    d = len(c)
    h = np.zeros(d)
    p = np.zeros(d)
    total = 0.0
    for seen in y:
        e = seen
        j = 0
        for a in A:
            s = 0.0
            k = 0
            for b in h:
                s += a[k] * b
                k += 1
            p[j] = s
            e -= c[j] * s
            j += 1
        j = 0
        for g in gain:
            h[j] = p[j] + g * e
            j += 1
        total += e * e
    return total


# ---------------------------------------------------------------- hidden states


def hidden_loops(seen: Seen, A: Square, B: Emissions) -> float:
    d = A.shape[0]
    a = np.full(d, 1.0 / d)
    total = 0.0
    for t in range(len(seen)):
        new = np.empty(d)
        z = 0.0
        for j in range(d):
            s = 0.0
            for i in range(d):
                s += a[i] * A[i, j]
            new[j] = s * B[j, seen[t]]
            z += new[j]
        for j in range(d):
            new[j] /= z
        a = new
        total += math.log(z)
    return total


def hidden_outside(seen: Seen, A: Square, B: Emissions) -> float:
    d = A.shape[0]
    a = np.full(d, 1.0 / d)
    new = np.zeros(d)
    total = 0.0
    for t in range(len(seen)):
        for j in range(d):
            new[j] = 0.0
        for i in range(d):
            for j in range(d):
                new[j] += a[i] * A[i, j]
        z = 0.0
        for j in range(d):
            new[j] *= B[j, seen[t]]
            z += new[j]
        for j in range(d):
            a[j] = new[j] / z
        total += math.log(z)
    return total


def hidden_vectors(seen: Seen, A: Square, B: Emissions) -> float:
    d = A.shape[0]
    a = np.full(d, 1.0 / d)
    total = 0.0
    for t in range(len(seen)):
        a = (a @ A) * B[:, seen[t]]
        z = np.sum(a)
        a = a / z
        total += np.log(z)
    return total


def moved(a: Vec, A: Square) -> Vec:
    new = np.zeros(len(a))
    for i in range(len(a)):
        for j in range(len(a)):
            new[j] += a[i] * A[i, j]
    return new


def scaled(a: Vec, z: float) -> Vec:
    return a / z


def hidden_helpers(seen: Seen, A: Square, B: Emissions) -> float:
    d = A.shape[0]
    a = np.full(d, 1.0 / d)
    total = 0.0
    for t in range(len(seen)):
        a = moved(a, A) * B[:, seen[t]]
        z = np.sum(a)
        a = scaled(a, z)
        total += math.log(z)
    return total


def hidden_counters(seen: Seen, A: Square, B: Emissions) -> float:
    d = A.shape[0]
    a = np.full(d, 1.0 / d)
    new = np.zeros(d)
    total = 0.0
    for o in seen:
        z = 0.0
        j = 0
        while j < d:
            s = 0.0
            i = 0
            for p in a:
                s += p * A[i, j]
                i += 1
            new[j] = s * B[j, o]
            z += new[j]
            j += 1
        j = 0
        while j < d:
            a[j] = new[j] / z
            j += 1
        total += math.log(z)
    return total


# ---------------------------------------------------------------- competing species


def species_loops(x0: Vec, r: Vec, A: Square, dt: float, steps: int) -> float:
    d = len(x0)
    x = x0.copy()
    for t in range(steps):
        new = np.empty(d)
        for j in range(d):
            s = r[j]
            for k in range(d):
                s -= A[j, k] * x[k]
            new[j] = x[j] + dt * x[j] * s
        x = new
    total = 0.0
    for j in range(d):
        total += x[j] * x[j]
    return total


def species_outside(x0: Vec, r: Vec, A: Square, dt: float, steps: int) -> float:
    d = len(x0)
    x = x0.copy()
    rate = np.empty(d)
    for t in range(steps):
        for j in range(d):
            rate[j] = r[j]
            for k in range(d):
                rate[j] -= A[j, k] * x[k]
        for j in range(d):
            x[j] += dt * x[j] * rate[j]
    total = 0.0
    for j in range(d):
        total += x[j] * x[j]
    return total


def species_vectors(x0: Vec, r: Vec, A: Square, dt: float, steps: int) -> float:
    x = x0.copy()
    for t in range(steps):
        x = x + dt * x * (r - A @ x)
    return np.sum(x * x)


def growth(x: Vec, r: Vec, A: Square) -> Vec:
    rate = np.empty(len(x))
    for j in range(len(x)):
        rate[j] = x[j] * (r[j] - inner(A[j], x))
    return rate


def species_helpers(x0: Vec, r: Vec, A: Square, dt: float, steps: int) -> float:
    x = x0.copy()
    for t in range(steps):
        x = x + dt * growth(x, r, A)
    return inner(x, x)


def species_counters(x0: Vec, r: Vec, A: Square, dt: float, steps: int) -> float:
    x = x0.copy()
    rate = np.zeros(len(x))
    t = 0
    while t < steps:
        j = 0
        for a in A:
            s = r[j]
            k = 0
            for y in x:
                s -= a[k] * y
                k += 1
            rate[j] = s
            j += 1
        j = 0
        for s in rate:
            x[j] += dt * x[j] * s
            j += 1
        t += 1
    total = 0.0
    for y in x:
        total += y * y
    return total


# ---------------------------------------------------------------- coupled pendulums, by the midpoint rule


def pendulums_loops(x0: Vec, v0: Vec, k: float, dt: float, steps: int) -> float:
    d = len(x0)
    x, v = x0.copy(), v0.copy()
    for t in range(steps):
        xm, vm = np.empty(d), np.empty(d)
        for j in range(d):
            a = -math.sin(x[j])
            if j > 0:
                a += k * (x[j - 1] - x[j])
            if j < d - 1:
                a += k * (x[j + 1] - x[j])
            xm[j] = x[j] + 0.5 * dt * v[j]
            vm[j] = v[j] + 0.5 * dt * a
        xn, vn = np.empty(d), np.empty(d)
        for j in range(d):
            a = -math.sin(xm[j])
            if j > 0:
                a += k * (xm[j - 1] - xm[j])
            if j < d - 1:
                a += k * (xm[j + 1] - xm[j])
            xn[j] = x[j] + dt * vm[j]
            vn[j] = v[j] + dt * a
        x, v = xn, vn
    total = 0.0
    for j in range(d):
        total += x[j] * x[j]
    return total


def pendulums_outside(x0: Vec, v0: Vec, k: float, dt: float, steps: int) -> float:
    d = len(x0)
    x, v = x0.copy(), v0.copy()
    xm, vm = np.empty(d), np.empty(d)
    a = np.empty(d)
    for t in range(steps):
        for j in range(d):
            a[j] = -math.sin(x[j])
        for j in range(d - 1):
            f = k * (x[j + 1] - x[j])
            a[j] += f
            a[j + 1] -= f
        for j in range(d):
            xm[j] = x[j] + 0.5 * dt * v[j]
            vm[j] = v[j] + 0.5 * dt * a[j]
        for j in range(d):
            a[j] = -math.sin(xm[j])
        for j in range(d - 1):
            f = k * (xm[j + 1] - xm[j])
            a[j] += f
            a[j + 1] -= f
        for j in range(d):
            x[j] += dt * vm[j]
            v[j] += dt * a[j]
    total = 0.0
    for j in range(d):
        total += x[j] * x[j]
    return total


def pendulums_vectors(x0: Vec, v0: Vec, k: float, dt: float, steps: int) -> float:
    x, v = x0.copy(), v0.copy()
    for t in range(steps):
        a = -np.sin(x)
        f = k * np.diff(x)
        a[:-1] += f
        a[1:] -= f
        xm = x + 0.5 * dt * v
        vm = v + 0.5 * dt * a
        a = -np.sin(xm)
        f = k * np.diff(xm)
        a[:-1] += f
        a[1:] -= f
        x = x + dt * vm
        v = v + dt * a
    return np.sum(x * x)


def pulled(x: Vec, k: float) -> Vec:
    d = len(x)
    a = np.empty(d)
    for j in range(d):
        left = x[j - 1] if j > 0 else x[j]
        right = x[j + 1] if j < d - 1 else x[j]
        a[j] = k * (left + right - 2.0 * x[j]) - math.sin(x[j])
    return a


def pendulums_helpers(x0: Vec, v0: Vec, k: float, dt: float, steps: int) -> float:
    x, v = x0.copy(), v0.copy()
    for t in range(steps):
        xm = x + 0.5 * dt * v
        vm = v + 0.5 * dt * pulled(x, k)
        x = x + dt * vm
        v = v + dt * pulled(xm, k)
    return inner(x, x)


def pendulums_counters(x0: Vec, v0: Vec, k: float, dt: float, steps: int) -> float:
    d = len(x0)
    x, v = x0.copy(), v0.copy()
    xm, a = np.zeros(d), np.zeros(d)
    t = 0
    while t < steps:
        j = 0
        for y in x:
            a[j] = -math.sin(y)
            j += 1
        j = 1
        while j < d:
            f = k * (x[j] - x[j - 1])
            a[j - 1] += f
            a[j] -= f
            j += 1
        j = 0
        for y in x:
            xm[j] = y + 0.5 * dt * v[j]
            j += 1
        j = 0
        for b in a:
            x[j] += dt * (v[j] + 0.5 * dt * b)
            j += 1
        j = 0
        for y in xm:
            a[j] = -math.sin(y)
            j += 1
        j = 1
        while j < d:
            f = k * (xm[j] - xm[j - 1])
            a[j - 1] += f
            a[j] -= f
            j += 1
        j = 0
        for b in a:
            v[j] += dt * b
            j += 1
        t += 1
    total = 0.0
    for y in x:
        total += y * y
    return total


# ---------------------------------------------------------------- a portfolio that drifts


def portfolio_loops(returns: Series, w0: Vec, cost: float) -> float:
    d = len(w0)
    w = w0.copy()
    wealth = 0.0
    for t in range(returns.shape[0]):
        z = 0.0
        new = np.empty(d)
        for j in range(d):
            new[j] = w[j] * (1.0 + returns[t, j])
            z += new[j]
        drift = 0.0
        for j in range(d):
            new[j] = new[j] / z
            drift += (new[j] - w0[j]) ** 2
        for j in range(d):
            new[j] += 0.1 * (w0[j] - new[j])
        w = new
        wealth += math.log(z) - cost * drift
    return wealth


def portfolio_outside(returns: Series, w0: Vec, cost: float) -> float:
    d = len(w0)
    w = w0.copy()
    g = np.empty(d)
    wealth = 0.0
    for t in range(returns.shape[0]):
        for j in range(d):
            g[j] = w[j] * (1.0 + returns[t, j])
        z = 0.0
        for j in range(d):
            z += g[j]
        drift = 0.0
        for j in range(d):
            w[j] = g[j] / z
            drift += (w[j] - w0[j]) ** 2
            w[j] += 0.1 * (w0[j] - w[j])
        wealth += math.log(z) - cost * drift
    return wealth


def portfolio_vectors(returns: Series, w0: Vec, cost: float) -> float:
    w = w0.copy()
    wealth = 0.0
    for t in range(returns.shape[0]):
        w = w * (1.0 + returns[t])
        z = np.sum(w)
        w = w / z
        wealth += np.log(z) - cost * np.sum((w - w0) ** 2)
        w = w + 0.1 * (w0 - w)
    return wealth


def drifted(w: Vec, r: Vec) -> Vec:
    new = np.empty(len(w))
    for j in range(len(w)):
        new[j] = w[j] * (1.0 + r[j])
    return new


def apart(a: Vec, b: Vec) -> float:
    s = 0.0
    for j in range(len(a)):
        s += (a[j] - b[j]) ** 2
    return s


def portfolio_helpers(returns: Series, w0: Vec, cost: float) -> float:
    w = w0.copy()
    wealth = 0.0
    for t in range(returns.shape[0]):
        w = drifted(w, returns[t])
        z = np.sum(w)
        w /= z
        wealth += math.log(z) - cost * apart(w, w0)
        for j in range(len(w)):
            w[j] += 0.1 * (w0[j] - w[j])
    return wealth


def portfolio_counters(returns: Series, w0: Vec, cost: float) -> float:
    w = w0.copy()
    wealth = 0.0
    for row in returns:
        z = 0.0
        j = 0
        for r in row:
            w[j] *= 1.0 + r
            z += w[j]
            j += 1
        drift = 0.0
        j = 0
        for y in w0:
            w[j] /= z
            drift += (w[j] - y) ** 2
            w[j] += 0.1 * (y - w[j])
            j += 1
        wealth += math.log(z) - cost * drift
    return wealth


# ---------------------------------------------------------------- rods that cool


def rods_loops(x: Series, k: Vec, steps: int) -> float:
    n, d = x.shape
    total = 0.0
    for i in range(n):
        u = x[i].copy()
        for t in range(steps):
            new = np.empty(d)
            new[0], new[d - 1] = u[0], u[d - 1]
            for j in range(1, d - 1):
                new[j] = u[j] + k[j] * (u[j - 1] - 2.0 * u[j] + u[j + 1])
            u = new
        for j in range(d):
            total += u[j] * u[j]
    return total


def rods_outside(x: Series, k: Vec, steps: int) -> float:
    n, d = x.shape
    u = np.empty(d)
    new = np.empty(d)
    total = 0.0
    for i in range(n):
        for j in range(d):
            u[j] = x[i, j]
            new[j] = x[i, j]
        for t in range(steps):
            for j in range(1, d - 1):
                new[j] = u[j] + k[j] * (u[j - 1] - 2.0 * u[j] + u[j + 1])
            for j in range(1, d - 1):
                u[j] = new[j]
        for j in range(d):
            total += u[j] * u[j]
    return total


def rods_vectors(x: Series, k: Vec, steps: int) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        u = x[i].copy()
        for t in range(steps):
            u[1:-1] = u[1:-1] + k[1:-1] * (u[:-2] - 2.0 * u[1:-1] + u[2:])
        total += u @ u
    return total


def cooled(u: Vec, k: Vec) -> Vec:
    new = u.copy()
    for j in range(1, len(u) - 1):
        new[j] += k[j] * (u[j - 1] - 2.0 * u[j] + u[j + 1])
    return new


def rods_helpers(x: Series, k: Vec, steps: int) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        u = x[i].copy()
        for t in range(steps):
            u = cooled(u, k)
        total += inner(u, u)
    return total


def rods_counters(x: Series, k: Vec, steps: int) -> float:
    d = x.shape[1]
    total = 0.0
    for row in x:
        u = row.copy()
        t = 0
        while t < steps:
            left = u[0]
            j = 1
            while j < d - 1:
                here = u[j]
                u[j] = here + k[j] * (left - 2.0 * here + u[j + 1])
                left = here
                j += 1
            t += 1
        for y in u:
            total += y * y
    return total


# ---------------------------------------------------------------- a series through a window


def window_loops(y: Times, c: Vec) -> float:
    d = len(c)
    total = 0.0
    for t in range(d - 1, len(y)):
        s = 0.0
        for j in range(d):
            s += c[j] * y[t - j]
        total += math.tanh(s) ** 2
    return total


def window_outside(y: Times, c: Vec) -> float:
    d = len(c)
    recent = np.empty(d)
    total = 0.0
    for t in range(d - 1, len(y)):
        for j in range(d):
            recent[j] = y[t - j]
        s = 0.0
        for j in range(d):
            s += c[j] * recent[j]
        total += math.tanh(s) ** 2
    return total


def window_vectors(y: Times, c: Vec) -> float:
    d = len(c)
    turned = c[::-1]
    total = 0.0
    for t in range(d - 1, len(y)):
        total += np.tanh(np.dot(turned, y[t - d + 1 : t + 1])) ** 2
    return total


def through(y: Times, c: Vec, t: int) -> float:
    s = 0.0
    for j in range(len(c)):
        s += c[j] * y[t - j]
    return math.tanh(s)


def window_helpers(y: Times, c: Vec) -> float:
    total = 0.0
    for t in range(len(c) - 1, len(y)):
        total += through(y, c, t) ** 2
    return total


def window_counters(y: Times, c: Vec) -> float:
    total = 0.0
    t = len(c) - 1
    while t < len(y):
        s = 0.0
        at = t
        for a in c:
            s += a * y[at]
            at -= 1
        total += math.tanh(s) ** 2
        t += 1
    return total


# ---------------------------------------------------------------- a polynomial at many places


def horner_loops(y: Times, c: Vec) -> float:
    total = 0.0
    for t in range(len(y)):
        p = 0.0
        for j in range(len(c) - 1, -1, -1):
            p = p * y[t] + c[j]
        total += p * p
    return total


def horner_outside(y: Times, c: Vec) -> float:
    powers = np.empty(len(c))
    total = 0.0
    for t in range(len(y)):
        powers[0] = 1.0
        for j in range(1, len(c)):
            powers[j] = powers[j - 1] * y[t]
        p = 0.0
        for j in range(len(c)):
            p += c[j] * powers[j]
        total += p * p
    return total


def horner_vectors(y: Times, c: Vec) -> float:
    powers = np.arange(len(c))
    total = 0.0
    for t in range(len(y)):
        p = np.sum(c * y[t] ** powers)
        total += p * p
    return total


def polynomial(c: Vec, x: float) -> float:
    p = 0.0
    for j in range(len(c) - 1, -1, -1):
        p = p * x + c[j]
    return p


def horner_helpers(y: Times, c: Vec) -> float:
    total = 0.0
    for t in range(len(y)):
        total += polynomial(c, y[t]) ** 2
    return total


def horner_counters(y: Times, c: Vec) -> float:
    total = 0.0
    for x in y:
        p = 0.0
        j = len(c)
        while j > 0:
            j -= 1
            p = p * x + c[j]
        total += p * p
    return total


# ---------------------------------------------------------------- words by their vectors


def words_loops(seen: Seen, E: Table, v: Vec, size: int) -> float:
    d = E.shape[1]
    loss = 0.0
    for i in range(len(seen) // size):
        s = 0.0
        for j in range(d):
            m = 0.0
            for k in range(size):
                m += E[seen[i * size + k], j]
            s += v[j] * math.tanh(m / size)
        loss += math.log(1.0 + math.exp(-s))
    return loss


def words_outside(seen: Seen, E: Table, v: Vec, size: int) -> float:
    d = E.shape[1]
    m = np.empty(d)
    loss = 0.0
    for i in range(len(seen) // size):
        for j in range(d):
            m[j] = 0.0
        for k in range(size):
            for j in range(d):
                m[j] += E[seen[i * size + k], j]
        s = 0.0
        for j in range(d):
            s += v[j] * math.tanh(m[j] / size)
        loss += math.log(1.0 + math.exp(-s))
    return loss


def words_vectors(seen: Seen, E: Table, v: Vec, size: int) -> float:
    loss = 0.0
    for i in range(len(seen) // size):
        m = np.mean(E[seen[i * size : (i + 1) * size]], axis=0)
        loss += np.log(1.0 + np.exp(-(v @ np.tanh(m))))
    return loss


def mean_of(seen: Seen, E: Table, first: int, size: int) -> Vec:
    m = np.zeros(E.shape[1])
    for k in range(first, first + size):
        for j in range(len(m)):
            m[j] += E[seen[k], j] / size
    return m


def words_helpers(seen: Seen, E: Table, v: Vec, size: int) -> float:
    loss = 0.0
    for i in range(len(seen) // size):
        m = mean_of(seen, E, i * size, size)
        loss += math.log(1.0 + math.exp(-inner(v, np.tanh(m))))
    return loss


def words_counters(seen: Seen, E: Table, v: Vec, size: int) -> float:
    d = E.shape[1]
    m = np.empty(d)
    loss = 0.0
    at = 0
    while at + size <= len(seen):
        for j in range(d):
            m[j] = 0.0
        for k in range(size):
            for j in range(d):
                m[j] += E[seen[at], j]
            at += 1
        s = 0.0
        for j in range(d):
            s += v[j] * math.tanh(m[j] / size)
        loss += math.log(1.0 + math.exp(-s))
    return loss
