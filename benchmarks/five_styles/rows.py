"""Sums over observations, each a vector of 4 to 64 numbers."""

import math

import numpy as np
from jaxtyping import Float64, Int64

Data = Float64[np.ndarray, "n d"]
Centres = Float64[np.ndarray, "K d"]
Vec = Float64[np.ndarray, "d"]
Weights = Float64[np.ndarray, "K"]
Square = Float64[np.ndarray, "d d"]
Packed = Float64[np.ndarray, "p"]
Labels = Int64[np.ndarray, "n"]


# ---------------------------------------------------------------- spherical Gaussians


def mixture_loops(x: Data, w: Weights, mu: Centres) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        q = np.empty(len(w))
        for k in range(len(w)):
            s = 0.0
            for j in range(x.shape[1]):
                s += (x[i, j] - mu[k, j]) ** 2
            q[k] = w[k] - 0.5 * s
        m = q[0]
        for k in range(1, len(w)):
            m = max(m, q[k])
        z = 0.0
        for k in range(len(w)):
            z += math.exp(q[k] - m)
        total += m + math.log(z)
    return total


def mixture_outside(x: Data, w: Weights, mu: Centres) -> float:
    n, d = x.shape
    e = np.empty(d)
    q = np.empty(len(w))
    total = 0.0
    for i in range(n):
        for k in range(len(w)):
            for j in range(d):
                e[j] = x[i, j] - mu[k, j]
            q[k] = w[k]
            for j in range(d):
                q[k] -= 0.5 * e[j] * e[j]
        m = np.max(q)
        z = 0.0
        for k in range(len(w)):
            z += math.exp(q[k] - m)
        total += m + math.log(z)
    return total


def mixture_vectors(x: Data, w: Weights, mu: Centres) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        q = w - 0.5 * np.sum((x[i] - mu) ** 2, axis=1)
        m = np.max(q)
        total += m + np.log(np.sum(np.exp(q - m)))
    return total


def squared(a: Vec, b: Vec) -> float:
    s = 0.0
    for j in range(len(a)):
        s += (a[j] - b[j]) ** 2
    return s


def log_of_sum(q: Weights) -> float:
    m = np.max(q)
    z = 0.0
    for k in range(len(q)):
        z += math.exp(q[k] - m)
    return m + math.log(z)


def mixture_helpers(x: Data, w: Weights, mu: Centres) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        q = np.empty(len(w))
        for k in range(len(w)):
            q[k] = w[k] - 0.5 * squared(x[i], mu[k])
        total += log_of_sum(q)
    return total


def mixture_counters(x: Data, w: Weights, mu: Centres) -> float:
    q = np.empty(len(w))
    total = 0.0
    i = 0
    while i < x.shape[0]:
        k = 0
        for c in mu:
            s = 0.0
            j = 0
            for y in c:
                s += (x[i, j] - y) ** 2
                j += 1
            q[k] = w[k] - 0.5 * s
            k += 1
        total += log_of_sum(q)
        i += 1
    return total


# ---------------------------------------------------------------- a packed lower triangle


def triangle_loops(x: Data, L: Packed) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        for r in range(x.shape[1]):
            a = 0.0
            for j in range(r + 1):
                a += L[r * (r + 1) // 2 + j] * x[i, j]
            total += math.log(1.0 + a * a)
    return total


def triangle_outside(x: Data, L: Packed) -> float:
    n, d = x.shape
    y = np.empty(d)
    total = 0.0
    for i in range(n):
        for r in range(d):
            y[r] = 0.0
            for j in range(r + 1):
                y[r] += L[r * (r + 1) // 2 + j] * x[i, j]
        for r in range(d):
            total += math.log(1.0 + y[r] * y[r])
    return total


def triangle_vectors(x: Data, L: Packed) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        for r in range(x.shape[1]):
            at = r * (r + 1) // 2
            a = np.dot(L[at : at + r + 1], x[i, : r + 1])
            total += np.log(1.0 + a * a)
    return total


def product_with_row(L: Packed, x: Vec, r: int) -> float:
    a = 0.0
    for j in range(r + 1):
        a += L[r * (r + 1) // 2 + j] * x[j]
    return a


def triangle_helpers(x: Data, L: Packed) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        for r in range(x.shape[1]):
            total += math.log(1.0 + product_with_row(L, x[i], r) ** 2)
    return total


def triangle_counters(x: Data, L: Packed) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        c = 0
        for r in range(x.shape[1]):
            a = 0.0
            for j in range(r + 1):
                a += L[c] * x[i, j]
                c += 1
            total += math.log(1.0 + a * a)
    return total


# ---------------------------------------------------------------- softmax regression


def softmax_loops(x: Data, W: Centres, y: Labels) -> float:
    K = W.shape[0]
    loss = 0.0
    for i in range(x.shape[0]):
        z = np.empty(K)
        for k in range(K):
            s = 0.0
            for j in range(x.shape[1]):
                s += W[k, j] * x[i, j]
            z[k] = s
        m = z[0]
        for k in range(1, K):
            m = max(m, z[k])
        t = 0.0
        for k in range(K):
            t += math.exp(z[k] - m)
        loss += m + math.log(t) - z[y[i]]
    return loss


def softmax_outside(x: Data, W: Centres, y: Labels) -> float:
    z = np.zeros(W.shape[0])
    p = np.zeros(W.shape[0])
    loss = 0.0
    for i in range(x.shape[0]):
        for k in range(len(z)):
            z[k] = 0.0
            for j in range(x.shape[1]):
                z[k] += W[k, j] * x[i, j]
        m = np.max(z)
        for k in range(len(z)):
            p[k] = math.exp(z[k] - m)
        loss += m + math.log(np.sum(p)) - z[y[i]]
    return loss


def softmax_vectors(x: Data, W: Centres, y: Labels) -> float:
    loss = 0.0
    for i in range(x.shape[0]):
        z = W @ x[i]
        m = np.max(z)
        loss += m + np.log(np.sum(np.exp(z - m))) - z[y[i]]
    return loss


def scores(W: Centres, x: Vec) -> Weights:
    z = np.empty(W.shape[0])
    for k in range(W.shape[0]):
        s = 0.0
        for j in range(len(x)):
            s += W[k, j] * x[j]
        z[k] = s
    return z


def softmax_helpers(x: Data, W: Centres, y: Labels) -> float:
    loss = 0.0
    for i in range(x.shape[0]):
        z = scores(W, x[i])
        loss += log_of_sum(z) - z[y[i]]
    return loss


def softmax_counters(x: Data, W: Centres, y: Labels) -> float:
    z = np.empty(W.shape[0])
    loss = 0.0
    i = 0
    for row in x:
        k = 0
        for weights in W:
            s = 0.0
            j = 0
            while j < len(row):
                s += weights[j] * row[j]
                j += 1
            z[k] = s
            k += 1
        loss += log_of_sum(z) - z[y[i]]
        i += 1
    return loss


# ---------------------------------------------------------------- a layer and a sum of its tanh


def layer_loops(x: Data, W: Centres, v: Weights) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        out = 0.0
        for k in range(W.shape[0]):
            s = 0.0
            for j in range(x.shape[1]):
                s += W[k, j] * x[i, j]
            out += v[k] * math.tanh(s)
        total += out * out
    return total


def layer_outside(x: Data, W: Centres, v: Weights) -> float:
    h = np.empty(W.shape[0])
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(W.shape[0]):
            s = 0.0
            for j in range(x.shape[1]):
                s += W[k, j] * x[i, j]
            h[k] = math.tanh(s)
        out = 0.0
        for k in range(W.shape[0]):
            out += v[k] * h[k]
        total += out * out
    return total


def layer_vectors(x: Data, W: Centres, v: Weights) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        out = np.dot(v, np.tanh(W @ x[i]))
        total += out * out
    return total


def neuron(w: Vec, x: Vec) -> float:
    s = 0.0
    for j in range(len(x)):
        s += w[j] * x[j]
    return math.tanh(s)


def layer_helpers(x: Data, W: Centres, v: Weights) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        out = 0.0
        for k in range(W.shape[0]):
            out += v[k] * neuron(W[k], x[i])
        total += out * out
    return total


def layer_counters(x: Data, W: Centres, v: Weights) -> float:
    total = 0.0
    i = 0
    while i < x.shape[0]:
        out = 0.0
        k = 0
        while k < W.shape[0]:
            s = 0.0
            j = 0
            while j < x.shape[1]:
                s += W[k, j] * x[i, j]
                j += 1
            out += v[k] * math.tanh(s)
            k += 1
        total += out * out
        i += 1
    return total


# ---------------------------------------------------------------- attention of each row to some keys


def attention_loops(x: Data, keys: Centres, values: Centres) -> float:
    K, d = keys.shape
    total = 0.0
    for i in range(x.shape[0]):
        a = np.empty(K)
        z = 0.0
        for k in range(K):
            s = 0.0
            for j in range(d):
                s += x[i, j] * keys[k, j]
            a[k] = math.exp(s / math.sqrt(d))
            z += a[k]
        for j in range(d):
            o = 0.0
            for k in range(K):
                o += a[k] * values[k, j]
            total += (o / z) ** 2
    return total


def attention_outside(x: Data, keys: Centres, values: Centres) -> float:
    K, d = keys.shape
    a = np.empty(K)
    o = np.empty(d)
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(K):
            a[k] = 0.0
            for j in range(d):
                a[k] += x[i, j] * keys[k, j]
            a[k] = math.exp(a[k] / math.sqrt(d))
        z = np.sum(a)
        for j in range(d):
            o[j] = 0.0
        for k in range(K):
            for j in range(d):
                o[j] += a[k] / z * values[k, j]
        for j in range(d):
            total += o[j] ** 2
    return total


def attention_vectors(x: Data, keys: Centres, values: Centres) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        a = np.exp(keys @ x[i] / math.sqrt(x.shape[1]))
        o = (a / np.sum(a)) @ values
        total += np.sum(o * o)
    return total


def inner(a: Vec, b: Vec) -> float:
    s = 0.0
    for j in range(len(a)):
        s += a[j] * b[j]
    return s


def attention_helpers(x: Data, keys: Centres, values: Centres) -> float:
    K, d = keys.shape
    total = 0.0
    for i in range(x.shape[0]):
        o = np.zeros(d)
        z = 0.0
        for k in range(K):
            a = math.exp(inner(x[i], keys[k]) / math.sqrt(d))
            z += a
            for j in range(d):
                o[j] += a * values[k, j]
        total += inner(o, o) / (z * z)
    return total


def attention_counters(x: Data, keys: Centres, values: Centres) -> float:
    K, d = keys.shape
    a = np.empty(K)
    total = 0.0
    for row in x:
        k = 0
        z = 0.0
        for key in keys:
            s = 0.0
            j = 0
            for y in key:
                s += row[j] * y
                j += 1
            a[k] = math.exp(s / math.sqrt(d))
            z += a[k]
            k += 1
        j = 0
        while j < d:
            o = 0.0
            k = 0
            for weight in a:
                o += weight * values[k, j]
                k += 1
            total += (o / z) ** 2
            j += 1
    return total


# ---------------------------------------------------------------- a factorisation machine


def machine_loops(x: Data, w: Vec, V: Centres) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        y = 0.0
        for j in range(x.shape[1]):
            y += w[j] * x[i, j]
        for k in range(V.shape[0]):
            s, q = 0.0, 0.0
            for j in range(x.shape[1]):
                t = V[k, j] * x[i, j]
                s += t
                q += t * t
            y += 0.5 * (s * s - q)
        total += math.log(1.0 + math.exp(-y))
    return total


def machine_outside(x: Data, w: Vec, V: Centres) -> float:
    t = np.empty(x.shape[1])
    total = 0.0
    for i in range(x.shape[0]):
        y = 0.0
        for j in range(x.shape[1]):
            y += w[j] * x[i, j]
        for k in range(V.shape[0]):
            for j in range(x.shape[1]):
                t[j] = V[k, j] * x[i, j]
            s = np.sum(t)
            q = 0.0
            for j in range(x.shape[1]):
                q += t[j] * t[j]
            y += 0.5 * (s * s - q)
        total += math.log(1.0 + math.exp(-y))
    return total


def machine_vectors(x: Data, w: Vec, V: Centres) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        t = V * x[i]
        s = np.sum(t, axis=1)
        y = w @ x[i] + 0.5 * (np.sum(s * s) - np.sum(t * t))
        total += np.log(1.0 + np.exp(-y))
    return total


def interaction(v: Vec, x: Vec) -> float:
    s, q = 0.0, 0.0
    for j in range(len(x)):
        t = v[j] * x[j]
        s += t
        q += t * t
    return 0.5 * (s * s - q)


def machine_helpers(x: Data, w: Vec, V: Centres) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        y = inner(w, x[i])
        for k in range(V.shape[0]):
            y += interaction(V[k], x[i])
        total += math.log(1.0 + math.exp(-y))
    return total


def machine_counters(x: Data, w: Vec, V: Centres) -> float:
    total = 0.0
    for row in x:
        y = 0.0
        j = 0
        for a in row:
            y += w[j] * a
            j += 1
        for v in V:
            s, q = 0.0, 0.0
            j = 0
            for a in row:
                t = v[j] * a
                s += t
                q += t * t
                j += 1
            y += 0.5 * (s * s - q)
        total += math.log(1.0 + math.exp(-y))
    return total


# ---------------------------------------------------------------- distances by a matrix


def form_loops(x: Data, mu: Vec, P: Square) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        q = 0.0
        for j in range(x.shape[1]):
            s = 0.0
            for k in range(x.shape[1]):
                s += P[j, k] * (x[i, k] - mu[k])
            q += (x[i, j] - mu[j]) * s
        total += math.sqrt(1.0 + q * q)
    return total


def form_outside(x: Data, mu: Vec, P: Square) -> float:
    d = x.shape[1]
    e = np.zeros(d)
    y = np.zeros(d)
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(d):
            e[j] = x[i, j] - mu[j]
            y[j] = 0.0
        for j in range(d):
            for k in range(d):
                y[j] += P[j, k] * e[k]
        q = 0.0
        for j in range(d):
            q += e[j] * y[j]
        total += math.sqrt(1.0 + q * q)
    return total


def form_vectors(x: Data, mu: Vec, P: Square) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        e = x[i] - mu
        q = e @ P @ e
        total += np.sqrt(1.0 + q * q)
    return total


def form_of(e: Vec, P: Square) -> float:
    q = 0.0
    for j in range(len(e)):
        q += e[j] * inner(P[j], e)
    return q


def form_helpers(x: Data, mu: Vec, P: Square) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        q = form_of(x[i] - mu, P)
        total += math.sqrt(1.0 + q * q)
    return total


def form_counters(x: Data, mu: Vec, P: Square) -> float:
    e = np.empty(x.shape[1])
    total = 0.0
    for row in x:
        j = 0
        for m in mu:
            e[j] = row[j] - m
            j += 1
        q = 0.0
        j = 0
        for p in P:
            s = 0.0
            k = 0
            for y in e:
                s += p[k] * y
                k += 1
            q += e[j] * s
            j += 1
        total += math.sqrt(1.0 + q * q)
    return total


# ---------------------------------------------------------------- cosines with some directions


def cosine_loops(x: Data, mu: Centres) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(mu.shape[0]):
            s, a, b = 0.0, 0.0, 0.0
            for j in range(x.shape[1]):
                s += x[i, j] * mu[k, j]
                a += x[i, j] * x[i, j]
                b += mu[k, j] * mu[k, j]
            total += (s / math.sqrt(a * b)) ** 2
    return total


def cosine_outside(x: Data, mu: Centres) -> float:
    d = x.shape[1]
    u = np.empty(d)
    v = np.empty(d)
    total = 0.0
    for i in range(x.shape[0]):
        a = 0.0
        for j in range(d):
            a += x[i, j] * x[i, j]
        for j in range(d):
            u[j] = x[i, j] / math.sqrt(a)
        for k in range(mu.shape[0]):
            b = 0.0
            for j in range(d):
                v[j] = mu[k, j]
                b += v[j] * v[j]
            s = 0.0
            for j in range(d):
                s += u[j] * v[j]
            total += (s / math.sqrt(b)) ** 2
    return total


def cosine_vectors(x: Data, mu: Centres) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(mu.shape[0]):
            s = np.dot(x[i], mu[k]) / np.sqrt(np.sum(x[i] ** 2) * np.sum(mu[k] ** 2))
            total += s * s
    return total


def cosine(a: Vec, b: Vec) -> float:
    return inner(a, b) / math.sqrt(inner(a, a) * inner(b, b))


def cosine_helpers(x: Data, mu: Centres) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(mu.shape[0]):
            total += cosine(x[i], mu[k]) ** 2
    return total


def cosine_counters(x: Data, mu: Centres) -> float:
    total = 0.0
    for row in x:
        for c in mu:
            s, a, b = 0.0, 0.0, 0.0
            j = 0
            for y in row:
                s += y * c[j]
                a += y * y
                b += c[j] * c[j]
                j += 1
            total += (s / math.sqrt(a * b)) ** 2
    return total


# ---------------------------------------------------------------- forward substitution for each row


def substitution_loops(x: Data, C: Square) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        z = np.empty(x.shape[1])
        for j in range(x.shape[1]):
            s = x[i, j]
            for k in range(j):
                s -= C[j, k] * z[k]
            z[j] = s / C[j, j]
            total += z[j] * z[j]
    return total


def substitution_outside(x: Data, C: Square) -> float:
    d = x.shape[1]
    z = np.empty(d)
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(d):
            z[j] = x[i, j]
            for k in range(j):
                z[j] -= C[j, k] * z[k]
            z[j] /= C[j, j]
        for j in range(d):
            total += z[j] * z[j]
    return total


def substitution_vectors(x: Data, C: Square) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        z = np.empty(x.shape[1])
        for j in range(x.shape[1]):
            z[j] = (x[i, j] - np.dot(C[j, :j], z[:j])) / C[j, j]
        total += z @ z
    return total


def solved(C: Square, b: Vec) -> Vec:
    z = np.empty(len(b))
    for j in range(len(b)):
        s = b[j]
        for k in range(j):
            s -= C[j, k] * z[k]
        z[j] = s / C[j, j]
    return z


def substitution_helpers(x: Data, C: Square) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        z = solved(C, x[i])
        total += inner(z, z)
    return total


def substitution_counters(x: Data, C: Square) -> float:
    z = np.empty(x.shape[1])
    total = 0.0
    for row in x:
        j = 0
        for b in row:
            s = b
            k = 0
            while k < j:
                s -= C[j, k] * z[k]
                k += 1
            z[j] = s / C[j, j]
            total += z[j] * z[j]
            j += 1
    return total


# ---------------------------------------------------------------- away from a direction, and to length one


def normals_loops(x: Data, u: Vec) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        c = 0.0
        for j in range(x.shape[1]):
            c += x[i, j] * u[j]
        a, b = 0.0, 0.0
        for j in range(x.shape[1]):
            y = x[i, j] - c * u[j]
            a += y * y
            b += y * y * y
        total += b / (a * math.sqrt(a))
    return total


def normals_outside(x: Data, u: Vec) -> float:
    d = x.shape[1]
    y = np.empty(d)
    total = 0.0
    for i in range(x.shape[0]):
        c = 0.0
        for j in range(d):
            c += x[i, j] * u[j]
        a = 0.0
        for j in range(d):
            y[j] = x[i, j] - c * u[j]
            a += y[j] * y[j]
        for j in range(d):
            y[j] /= math.sqrt(a)
        for j in range(d):
            total += y[j] * y[j] * y[j]
    return total


def normals_vectors(x: Data, u: Vec) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i] - np.dot(x[i], u) * u
        y = y / np.sqrt(np.sum(y * y))
        total += np.sum(y * y * y)
    return total


def away(x: Vec, u: Vec) -> Vec:
    c = inner(x, u)
    y = np.empty(len(x))
    for j in range(len(x)):
        y[j] = x[j] - c * u[j]
    return y


def cubes(y: Vec, by: float) -> float:
    s = 0.0
    for j in range(len(y)):
        s += (y[j] / by) ** 3
    return s


def normals_helpers(x: Data, u: Vec) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        y = away(x[i], u)
        total += cubes(y, math.sqrt(inner(y, y)))
    return total


def normals_counters(x: Data, u: Vec) -> float:
    y = np.empty(x.shape[1])
    total = 0.0
    for row in x:
        c = 0.0
        j = 0
        for a in row:
            c += a * u[j]
            j += 1
        s = 0.0
        j = 0
        for a in row:
            y[j] = a - c * u[j]
            s += y[j] * y[j]
            j += 1
        j = 0
        while j < len(y):
            total += (y[j] / math.sqrt(s)) ** 3
            j += 1
    return total
