"""Short loops, arms that are flattened, additions that are merged, batches and derivatives inside, shared updates."""

# ruff: noqa
import math
import numpy as np
import linad

rng = np.random.default_rng(4)
V = rng.normal(size=7)
W = rng.normal(size=7)
M = rng.normal(size=(6, 3))
T = rng.normal(size=(3, 3))
N = rng.normal(size=(8, 8))


# short constant loops: early unrolling
def rot3(p, a: float):
    R = np.eye(3)
    c, s = math.cos(a), math.sin(a)
    R[0, 0] = c
    R[0, 1] = -s
    R[1, 0] = s
    R[1, 1] = c
    out = np.zeros_like(p)
    for k in range(len(p)):
        for i in range(3):
            for j in range(3):
                out[k, i] += R[i, j] * p[k, j]
    return (out**3).sum()


def det3(A):
    s = 0.0
    for i in range(3):
        for j in range(3):
            for k in range(3):
                if i != j and j != k and i != k:
                    sign = 1.0 if (j - i) % 3 == 1 else -1.0
                    s += sign * A[0, i] * A[1, j] * A[2, k]
    return s


def unrolled_break(x, lim: float):
    t = 0.0
    for i in range(4):
        if x[i] > lim:
            break
        t += x[i] ** 2
    else:
        t *= 2.0
    return t + i


def unrolled_continue(x):
    t = 1.0
    for i in range(5):
        if x[i] < 0:
            continue
        t *= 1 + x[i]
        for j in range(2):
            if j == i:
                continue
            t += x[j] * x[i]
    return t


def unrolled_state(x):
    st = np.zeros(3)
    for i in range(3):
        for j in range(3):
            st[(i + j) % 3] += x[i] * x[j + 1]
            st[j] *= 0.9
    return st @ st


def unrolled_ret(x):
    for i in range(3):
        if x[i] > 0.3:
            return x[i] * i
    return x.sum()


def unrolled_update(x):
    y = x.copy()
    for i in range(2):
        y[1:] -= 0.5 * y[:-1]
        for j in range(2):
            y[j] = y[j + 1] * y[-1 - j]
    return (y**2).sum()


def reversed_small(x):
    s = 0.0
    for i in range(3, -1, -1):
        s = s * x[0] + x[i]
    return s


# branch flattening and addition merging
def leaky(x, a: float):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            s += x[i] * a
        else:
            s -= x[i] * x[i]
    return s


def huber(x, y, d: float):
    s = 0.0
    for i in range(len(x)):
        r = x[i] - y[i]
        if abs(r) <= d:
            s += 0.5 * r * r
        elif r > 0:
            s += d * (r - 0.5 * d)
        else:
            s -= d * (r + 0.5 * d)
    return s


def both_arms(x, w):
    y = np.zeros(len(x))
    z = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > w[i]:
            y[i] = x[i] * w[i]
            z[i] += y[i]
        else:
            y[i] = w[i]
            z[i] -= x[i]
            z[0] += 1.0 * w[i]
    return (y * z).sum()


def arms_div(x):
    s = 0.0
    for i in range(len(x)):
        if abs(x[i]) > 1e-3:
            s += 1.0 / x[i]
        else:
            s += 1.0
    return s


def arms_sqrt(x):
    s = 0.0
    for v in x:
        if v > 0.0:
            s += math.sqrt(v)
        elif v < -1.0:
            s += math.log(-v)
    return s


def arms_index(x, k: int):
    s = 0.0
    for i in range(len(x)):
        if i + k < len(x):
            s += x[i] * x[i + k]
        if i >= k:
            s -= x[i - k] * x[i]
    return s


def adds_merge(x):
    y = np.zeros(len(x) + 2)
    for i in range(len(x)):
        y[i] += x[i] * x[i]
        y[i + 1] += 2.0 * x[i]
        y[i] += math.sin(x[i])
        y[i + 2] -= x[i]
        y[i] *= 0.5
        y[i] += x[i]
    return (y * y).sum()


def adds_alias(x, idx):
    y = np.zeros(len(x))
    for i in range(len(idx)):
        y[idx[i]] += x[i]
        y[i] += x[idx[i]] * y[idx[i]]
        y[idx[i]] += 0.5 * y[i]
    return (y * y).sum()


def adds_branch_alias(x, idx):
    y = x.copy()
    for i in range(len(idx)):
        j = idx[i]
        if y[j] > 0:
            y[j] += y[i]
            y[i] += 0.1
        else:
            y[i] += y[j] * 2
            y[j] -= 0.2
    return y @ y


def clip_loop(x, lo: float, hi: float):
    s = 0.0
    for v in x:
        c = v
        if c < lo:
            c = lo
        if c > hi:
            c = hi
        s += c * v
    return s


def max_pool(A):
    h, w = A.shape
    out = np.zeros((h // 2, w // 2))
    for i in range(h // 2):
        for j in range(w // 2):
            m = A[2 * i, 2 * j]
            for a in range(2):
                for b in range(2):
                    if A[2 * i + a, 2 * j + b] > m:
                        m = A[2 * i + a, 2 * j + b]
            out[i, j] = m
    return (out**2).sum()


# vmap / transforms
def norm_row(r, p: float):
    s = 0.0
    for v in r:
        s += abs(v) ** p
    return s ** (1 / p)


def vmapped(A, p: float):
    return np.sum(linad.vmap(norm_row, in_axes=(0, None))(A, p) ** 2)


def vmapped_cols(A, p: float):
    return np.sum(linad.vmap(norm_row, in_axes=(1, None))(A, p))


def pair_fn(a, b):
    return a * b.sum(), np.cumsum(b) * a


def vmapped_pair(x, A):
    u, v = linad.vmap(pair_fn)(x[:6], A)
    return (u * u).sum() + (v**3).sum()


def vmapped_out(A):
    B = linad.vmap(lambda r: np.sin(r) * r[0], out_axes=1)(A)
    B[0] *= 2.0
    return (B * A.T).sum()


def vmapped_grad(A, p: float):
    g = linad.vmap(linad.grad(norm_row), in_axes=(0, None))(A, p)
    return (g * g * A).sum()


def vmapped_updates(A):
    def work(r):
        q = r.copy()
        for i in range(1, len(q)):
            q[i] += 0.5 * q[i - 1]
        return q[-1]

    return (linad.vmap(work)(A) ** 2).sum()


def nested_vmap(x, y):
    K = linad.vmap(linad.vmap(lambda a, b: math.exp(-((a - b) ** 2)), in_axes=(None, 0)), in_axes=(0, None))(x, y)
    return (K * np.outer(x, y)).sum()


def energy(q):
    return 0.25 * np.sum(q**4) + q[0] * q[1]


def newton_step(q0):
    q = q0[:3].copy()
    for _ in range(2):
        g = linad.grad(energy)(q)
        H = linad.hessian(energy)(q)
        q = q - np.linalg.solve(H + 3 * np.eye(3), g)
    return q @ q


def lin_inside(q):
    value, lin = linad.linearize(energy, q)
    return value * lin(np.ones(len(q))) + lin(q)


def hvp_inside(q):
    return linad.hvp(energy, (q,), (np.sin(q),)) @ q


def vjp_inside(q, w: float):
    f = lambda a, b: np.sin(a) * b
    out, back = linad.vjp(f, q, w)
    ga, gb = back(out)
    ga2, gb2 = back(np.ones(len(q)))
    return ga @ ga2 + gb * gb2


def grad_of_loop(q, n: int):
    s = 0.0
    for k in range(n):
        s += linad.grad(lambda t: math.sin(t * k) * t)(q[k])
    return s


def jac_inside(q):
    J = linad.jacobian(lambda a: np.array([a[0] * a[1], math.sin(a[2]), a @ a]))(q)
    return (J**2).sum()


def grad_updates_copy(q):
    def work(a):
        b = a.copy()
        b[1:] *= b[:-1]
        b *= b[0]
        return b.sum()

    g = linad.grad(work)(q)
    g *= 0.5
    g[0] += 1.0
    return g @ q


# shared updates
def window_sum(x):
    y = x.copy()
    w = y[1:4]
    v = w[::-1]
    w += v
    v[0] *= y[2]
    y[3] -= w[0]
    return (y**2).sum() + v @ w


def diag_alias(A):
    B = A.copy()
    f = B.ravel()
    f[::9] += 1.0
    B[2] *= f[3]
    r = f.reshape(4, 16)
    r[1] -= B[0].sum()
    return (B**2).sum() + r[3, 3]


def two_names_loop(x, n: int):
    a = x.copy()
    b = a
    for i in range(n):
        b[i] += a[i + 1]
        a = a
        a[i + 1] *= b[i]
    return a @ b


def swap_views(x):
    y = x.copy()
    lo, hi = y[:3], y[3:6]
    for _ in range(3):
        lo += 0.5 * hi
        lo, hi = hi, lo
    return (y**2 * np.arange(7)).sum()


def helper_ret(v):
    v[0] += 1.0
    return v[1:]


def chain_ret(x):
    y = x.copy()
    t = helper_ret(helper_ret(helper_ret(y)))
    t *= 2.0
    return (y * np.arange(7)).sum()


def same_twice(u, v):
    u += v
    v *= 2.0
    return u @ v


def passed_twice(x):
    y = x.copy()
    r = same_twice(y, y)
    s = same_twice(y[1:], y[:-1])
    return r + s + y.sum()


def transposed(A):
    B = A.copy()
    C = B.T
    for i in range(3):
        C[i] += B[i]
        B[i, i] *= C[i, 0]
    return (B * np.arange(64.0).reshape(8, 8)).sum()


def row_iter_update(A):
    B = A.copy()
    prev = B[-1]
    for r in B:
        r += 0.5 * prev
        prev = r
    return (B**2).sum()


def scatter_alias(x, idx):
    y = x.copy()
    z = y[::2]
    np.add.at(y, idx, x[:4])
    z[idx % 4] += 1.0
    y[idx] *= 2.0
    return z @ z + y.sum()


I4 = np.array([0, 2, 2, 5])
CASES = dict(
    rot3=(M, 0.3),
    det3=(T,),
    unrolled_break=[(V, 5.0), (V, -0.5), (V, 0.4)],
    unrolled_continue=(V,),
    unrolled_state=(V,),
    unrolled_ret=[(V,), (-abs(V),)],
    unrolled_update=(V,),
    reversed_small=(V,),
    leaky=(V, 0.3),
    huber=(V, W, 0.5),
    both_arms=(V, W),
    arms_div=(np.array([0.5, 0.0, -2.0]),),
    arms_sqrt=(np.array([0.5, -0.5, -2.0, 0.0]),),
    arms_index=[(V, 2), (V, 0), (V, 9)],
    adds_merge=(V,),
    adds_alias=(V, I4),
    adds_branch_alias=(V, I4),
    clip_loop=(V, -0.4, 0.6),
    max_pool=(N,),
    vmapped=(M, 2.5),
    vmapped_cols=(M, 3.0),
    vmapped_pair=(V, M),
    vmapped_out=(M,),
    vmapped_grad=(M, 3.0),
    vmapped_updates=(M,),
    nested_vmap=(V, W[:3]),
    newton_step=(V,),
    lin_inside=(V,),
    hvp_inside=(V,),
    vjp_inside=(V, 0.7),
    grad_of_loop=(V, 3),
    jac_inside=(V,),
    grad_updates_copy=(V,),
    window_sum=(V,),
    diag_alias=(N,),
    two_names_loop=(V, 5),
    swap_views=(V,),
    chain_ret=(V,),
    passed_twice=(V,),
    transposed=(N,),
    row_iter_update=(M,),
    scatter_alias=(V, I4),
)
