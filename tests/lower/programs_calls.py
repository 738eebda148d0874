"""Plain Python programs of scalars and with calls: helpers, closures, recursion; run by test_against_python.py."""

# ruff: noqa
import math

import numpy as np

WEIGHTS = np.array([0.5, 1.5, 2.5])


def polynomial(x):
    return 3 * x**2 - x / 2 + 1


def integers(n, m):
    return n // m, n % m, n * m - n, -n, abs(n), n**2, n & m, n | m, n ^ m, n << 2, n >> 1, ~n


def mixed(n, x):
    s = 0
    s += x
    t = n
    if x > 0:
        t = x * 2
    return s, t, n / 2, n + True, x // 2.0, x % 3.0


def comparisons(x, y):
    return x < y, x <= y < 2 * y, x == y or x > 3, not x, x != y and y > 1, 0.0 < x < y < 10.0


def ternary(x, y):
    a = x if x > y else y
    b = math.sqrt(x) if x > 0 else -1.0
    return a, b, (x if x else y)


def builtin_functions(x, y, n):
    return abs(x), min(x, y), max(x, y, 1), float(n), int(x), bool(n), round(x), pow(x, 2), divmod(n, 3), min((x, y))


def math_functions(x):
    return (
        math.sin(x), math.cos(x), math.tan(x), math.exp(x), math.log(x), math.sqrt(x), math.atan2(x, 2.0), math.hypot(x, 1.0),
        math.floor(x), math.ceil(x), math.trunc(x), math.pi * x, math.log(x, 2.0), math.erf(x), math.isnan(x), math.fabs(-x),
    )


def numpy_functions(x, y):
    return (
        np.sin(x), np.exp(x), np.log1p(x), np.maximum(x, y), np.minimum(x, y), np.where(x > y, x, y), np.clip(x, 0.0, 1.0),
        np.arctan2(x, y), np.sqrt(x), np.square(x), np.abs(-x), np.floor(x), np.sign(x), np.float32(x) * 2, np.power(x, y),
    )


def helper_read(u, i):
    return u[i] + u[-1]


def helper_update(u, i, by=1.0):
    u[i] += by


def helper_step(u):
    v = np.zeros_like(u)
    for i in range(len(u)):
        v[i] = u[i] * 2 + 1
    return v


def helper_pass(u):
    u[0] = 5.0
    return u


def helpers(x):
    y = x.copy()
    helper_update(y, 0)
    helper_update(y, i=-1, by=2.5)
    s = 0.0
    for i in range(len(y)):
        s += helper_read(y, i)
    y = helper_pass(y)
    z = helper_step(y)
    return s, y, z


def closure(x, a):
    def scaled(v):
        return a * v

    f = lambda v, w=2: scaled(v) + w
    a = a + 1
    return f(x) + scaled(1.0) + f(x, w=3)


def apply(f, x, n):
    for _ in range(n):
        x = f(x)
    return x


def math_cube(v):
    return v * v * v


def fact(n, x):
    if n <= 0:
        return 1.0
    return x * fact(n - 1, x)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    if n == 0:
        return False
    return even(n - 1)


def recursion(n, x):
    return fact(n, x), even(n)


def ternary_fact(n, x):
    return x if n == 0 else x * ternary_fact(n - 1, x)


def doubled(n, x):
    r = x if n == 0 else summed(n - 1, x)
    return r * 2


def summed(n, x):
    if n > 0:
        t = doubled(n - 1, x)
        s = 0.0
        for i in range(n):
            s += t
        return s
    return x


def weighted(n, x):
    if n == 0:
        return x * 1.0
    return WEIGHTS[n] * weighted(n - 1, x)


def more_recursion(n, x):
    return ternary_fact(n, x), doubled(n, x), weighted(2, x)


def recursive_update(a, k):
    if k < len(a):
        a[k] = a[k - 1] * 2 if k > 0 else 1.0
        recursive_update(a, k + 1)


def pair_of(x):
    return x * 2, x + 1


def order(x, k):
    y = x.copy()
    y[k] += bump_first(y)
    y[0], y[1] = y[1], y[0]
    return y


def bump_first(a):
    a[0] += 10.0
    return a[0]


def rebound_by_inner_functions(x, c):
    total, count = 0.0, 0
    best = None
    acc: float
    acc = 0.0

    def see(v):
        nonlocal total, count, best
        total += v * v
        count += 1
        if best is None or v > best:
            best = v

        def twice():
            nonlocal acc, count
            acc = acc * c + count
            count += 1

        twice()
        twice()
        return total

    def scaled(v):
        nonlocal c
        c = c * v + 1.0
        return c

    s = 0.0
    for v in x:
        s += see(v) + scaled(v)
        if v > 1.0:
            total *= 0.5
    return total + s * count + best * acc + sum([see(c) + c for c in (1.0, 2.0)]) + sum(total for total in (1.0, c))


def rebound_by_recursion(x):
    state = np.zeros(2)
    depth = 0

    def walk(lo, hi):
        nonlocal state, depth
        depth += 1
        if hi - lo == 1:
            state = np.sin(state) + x[lo]
            return x[lo]
        mid = (lo + hi) // 2
        return walk(lo, mid) * walk(mid, hi)

    return walk(0, len(x)) + state[0] * depth


def none_default(x, scale=None):
    if scale is None:
        return x
    return x * scale


def uses_none(x):
    return none_default(x) + none_default(x, 2.0)
