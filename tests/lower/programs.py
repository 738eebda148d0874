"""Plain Python programs that lowering must give the same meaning as CPython; run by test_against_python.py."""

# ruff: noqa
import math

import numpy as np

SCALE = 2.5
TABLE = (1.0, 2.0, 4.0)
WEIGHTS = np.array([0.5, 1.5, 2.5])


def enumerate_zip(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        s += i * a * b
    for k, a in enumerate(x, 3):
        s -= k * a
    for a, j in zip(x, range(10, 0, -2)):
        s += a * j
    for j in reversed(range(2, 9, 3)):
        s = s * 0.5 + j
    for a in reversed(x):
        s = s * 0.5 + a
    return s


def ranges(n):
    s = 0
    for i in range(n):
        s += i
    for i in range(2, n):
        s = s * 2 + i
    for i in range(n, -1, -1):
        s = s - i * s + 1
    for i in range(0, n, 3):
        s += i * i
    return s, i


def undefined_after_if(x):
    if x > 0:
        y = x * 2
    return y + 1


def unrolled(x):
    s = 0.0
    for a in TABLE:
        s += a * x
    for i, (a, b) in enumerate(((1, x), (2, 3.0))):
        s += i * a * b
    return s * SCALE


def while_break(n):
    steps = 0
    while True:
        if n == 1:
            break
        if n % 2 == 0:
            n = n // 2
            steps += 1
            continue
        n = 3 * n + 1
        steps += 1
    else:
        steps = -1
    return steps


def early_return(x, limit):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        if s > limit:
            return s, i
    return s, -1


def nested_return(x, limit):
    for i in range(len(x)):
        for j in range(i):
            if x[i] * x[j] > limit:
                return x[i] + 10 * x[j]
            if x[j] < 0:
                break
        else:
            if i > 2:
                continue
        if i == 4:
            return -1.0
    return 0.0


def return_array(x, flag):
    u = np.zeros(len(x))
    for i in range(len(x)):
        u[i] = 2 * x[i]
        if flag and x[i] > 1:
            return u
    v = np.ones_like(x)
    return v


def if_chain(x):
    if x < -1:
        return -1.0
    elif x < 1:
        if x < 0:
            y = x * x
        else:
            y = x + 1
        y *= 2
    else:
        y = 5.0
        if x > 10:
            return y
        y += x
    return y * 3


def mixed_exits(x, n):
    s = 0.0
    for i in range(n):
        if i % 2:
            if x > i:
                continue
            s += 1
        else:
            if s > 20:
                break
            s += x
        s += 0.5
    return s


def matrix(a):
    n, m = a.shape
    s = 0.0
    for i in range(n):
        for j in range(m):
            s += a[i, j] * (i + 1) / (j + 1)
    return s + a[-1, -1] + a.size + a.ndim + len(a)


def float_into_int(x):
    a = np.zeros(2, np.int64)
    a[0] = x
    a[1] += x
    return a


def float32_cells(x):
    a = np.zeros(2, dtype=np.float32)
    a[0] = x
    a[1] += x * 2
    s = 0.0
    for v in a:
        s += v
    return a, s, a[0] * 3.0, a[0] * np.float64(3.0)


def constructors(n, x):
    a = np.full(n, x)
    b = np.full((2, n), 1.5)
    c = np.array([x, 2.0, 3])
    d = np.array([[1, 2], [3, 4]])
    e = np.full_like(a, 7.0)
    f = np.ones((n, 2), dtype=np.float32)
    g = np.array([x, x * 2], dtype=np.float32)
    a[0] += 1
    return a, b, c, d, e, f, g, np.copy(a)


def fill_method(n, x):
    a = np.zeros(n)
    a.fill(x)
    return a


def rank0(x):
    a = np.array(x)
    a[()] = a[()] * 2
    return a[()]


def tuples(x, y):
    p = (x, (y, 2))
    a, (b, c) = p
    q = (a, b)
    a, b = b, a
    t = q + (c,)
    return a, b, t[1], t[-1], len(t), p


def walrus(x):
    if (y := x * 2) > 3:
        return y
    return y - x


def raising(x):
    if x < 0:
        raise ValueError("negative")
    assert x < 100, "too large"
    if x == 3:
        raise RuntimeError
    return math.sqrt(x)


def raise_else(n):
    if n > 2:
        y = n * 2.0
    elif n == 2:
        raise KeyError("two")
    else:
        y = 1.0
    return y


def power_by_float(x, y):
    return x**y, x**-2, 2**x, x**0.5, 10**-3 * x


def int_to_a_negative_power(n: int, x):
    return (n - 1) ** -2 * x, 2**-1 + (n + 1) ** -3, (n % 2) ** -1


def multi_assign(x):
    a = b = x * 2
    c: float = a + b
    return c


