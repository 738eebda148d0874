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


def unrolled_update(x):
    y = x.copy()
    for i in range(2):
        y[1:] -= 0.5 * y[:-1]
        for j in range(2):
            y[j] = y[j + 1] * y[-1 - j]
    return (y**2).sum()


# vmap / transforms
def norm_row(r, p: float):
    s = 0.0
    for v in r:
        s += abs(v) ** p
    return s ** (1 / p)


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


def scatter_alias(x, idx):
    y = x.copy()
    z = y[::2]
    np.add.at(y, idx, x[:4])
    z[idx % 4] += 1.0
    y[idx] *= 2.0
    return z @ z + y.sum()


I4 = np.array([0, 2, 2, 5])
CASES = dict(
    unrolled_update=(V,),
    vmapped_pair=(V, M),
    vmapped_out=(M,),
    vmapped_grad=(M, 3.0),
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
    scatter_alias=(V, I4),
)
