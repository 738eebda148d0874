"""Plain Python programs that lowering must give the same meaning as CPython; run by test_against_python.py."""

# ruff: noqa
import math

import numpy as np

SCALE = 2.5
TABLE = (1.0, 2.0, 4.0)
WEIGHTS = np.array([0.5, 1.5, 2.5])


def sum_loop(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
    return total


def iterate_array(x):
    s = 0.0
    for v in x:
        s = s + v * s + v
    return s


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


def index_after_loop(n):
    i = -5
    for i in range(n):
        pass
    return i


def undefined_after_loop(n):
    for i in range(n):
        last = i * 2
    return last


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


def module_array(x):
    s = 0.0
    for i in range(len(WEIGHTS)):
        s += WEIGHTS[i] * x[i]
    return s


def while_loop(a):
    x = a
    k = 0
    while abs(x * x - a) > 1e-12 and k < 100:
        x = 0.5 * (x + a / x)
        k += 1
    return x, k


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


def while_else(n, m):
    k = 0
    while k < n:
        if k == m:
            found = 1
            break
        k += 1
    else:
        found = 0
    return found, k


def for_else(x, limit):
    for i in range(len(x)):
        if x[i] > limit:
            where = i
            break
    else:
        where = -1
    return where


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


def negative_indices(x):
    return x[-1] + 2 * x[-2] + x[len(x) - 1]


def variable_index(x, i):
    return x[i]


def out_of_range(x, i):
    x = x.copy()
    x[i] = 1.0
    x[i] += 3.0
    return x[0]


def matrix(a):
    n, m = a.shape
    s = 0.0
    for i in range(n):
        for j in range(m):
            s += a[i, j] * (i + 1) / (j + 1)
    return s + a[-1, -1] + a.size + a.ndim + len(a)


def matmul(a, b):
    n, k = a.shape
    m = b.shape[1]
    c = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            for l in range(k):
                c[i, j] += a[i, l] * b[l, j]
    return c


def in_place(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] = y[i] * y[i - 1]
        y[i] -= 1.0
        y[i] *= 1.5
        y[i] /= 2
    return y


def integer_cells(k):
    a = np.zeros(3, dtype=np.int64)
    a[0] = k
    a[1] += k * 2
    a[2] -= 1
    a[1] //= 2
    return a


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


def bool_cells(n):
    a = np.zeros(n, dtype=np.bool_)
    for i in range(0, n, 2):
        a[i] = True
    c = 0
    for i in range(n):
        if a[i]:
            c += 1
    return a, c


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


def swap(x, steps):
    u = x.copy()
    v = np.zeros_like(u)
    for t in range(steps):
        for i in range(len(u)):
            v[i] = 0.5 * u[i] + 0.5 * u[i - 1]
        u, v = v, u
    return u


def swap_in_branch(x, steps):
    u = x.copy()
    v = np.ones_like(x)
    for t in range(steps):
        if t % 3 == 1:
            u, v = v, u
        u[0] += v[1]
    return u, v


def rebind(x, steps):
    u = x.copy()
    for t in range(steps):
        new = np.zeros(len(u))
        for i in range(len(u)):
            new[i] = u[i] * 1.1 + t
        u = new
    return u


def last_array(x, steps):
    best = np.zeros_like(x)
    for t in range(steps):
        trial = x.copy()
        trial[0] = t
        if t % 2:
            best = trial
    return best


def tuples(x, y):
    p = (x, (y, 2))
    a, (b, c) = p
    q = (a, b)
    a, b = b, a
    t = q + (c,)
    return a, b, t[1], t[-1], len(t), p


def carried_tuple(n):
    pair = (0, 1)
    for _ in range(n):
        pair = (pair[1], pair[0] + pair[1])
    return pair


def walrus(x):
    if (y := x * 2) > 3:
        return y
    return y - x


def short_circuit(x, i):
    if i < len(x) and x[i] > 0:
        return x[i]
    if i >= len(x) or x[i] < -1:
        return -7.0
    return 0.0


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


def zero_division(n, m):
    return n // m + n % m


def zero_step(n, k):
    s = 0
    for i in range(0, n, k):
        s += i
    return s


def negative_size(n):
    return len(np.zeros(n))


def nothing(x):
    x * 2


def bounds_fixed(n):
    s = 0
    for i in range(n):
        n = n - 1
        i = i * 2
        s += i
    return s, n


def widening(n):
    s = 0
    for i in range(n):
        s = s / 2 + i
    return s


def shadowed(x):
    len = 3.0
    return x * len


def power_by_float(x, y):
    return x**y, x**-2, 2**x, x**0.5, 10**-3 * x


def int_to_a_negative_power(n: int, x):
    return (n - 1) ** -2 * x, 2**-1 + (n + 1) ** -3, (n % 2) ** -1


def loop_alias(x):
    u = x.copy()
    w = u
    w[0] = 3.0
    w[1] += 1.0
    return w


def multi_assign(x):
    a = b = x * 2
    c: float = a + b
    return c


def deep_nest(a):
    s = 0.0
    for i in range(a.shape[0]):
        row = 0.0
        for j in range(a.shape[1]):
            if a[i, j] < 0:
                continue
            row += a[i, j]
            if row > 5:
                break
        else:
            row *= 2
        s += row
    return s
