"""Small programs, each with something in it that a storage plan or a simplification could get wrong."""

# ruff: noqa
import math

import numpy as np


def index_overwritten_while_used(x, idx):
    p = idx.copy()
    s = 0.0
    for i in range(len(p)):
        k = p[i]
        s += x[k] * x[p[(i + 1) % len(p)]]
        p[(i + 1) % len(p)] = (p[i] + 1) % len(x)
        s *= 1.0 + 0.1 * x[p[i]]
    return s


def above(v, c):
    for e in v:
        if e > c:
            return True
    return False


def swap_in_one_arm(x, steps: int):
    u, v = x.copy(), np.ones_like(x)
    for t in range(steps):
        if u[0] > v[0]:
            u, v = v, u
            u[0] += 0.7 * v[1] * v[0]
        else:
            v[0] = v[0] * u[1] - u[0]
        u[1] *= v[-1]
    return u, v


def last_allocated(x, steps: int):
    best = np.zeros(len(x))
    top = -1e9
    for t in range(steps):
        trial = np.empty(len(x))
        s = 0.0
        for i in range(len(x)):
            trial[i] = x[i] * math.sin(t + x[i - 1])
            s += trial[i]
        if s > top:
            top = s
            best = trial
    for i in range(len(x)):
        best[i] *= top
    return best


def array_out_of_one_arm(x, w: float):
    if w > 0.5:
        u = np.zeros(3)
        for i in range(3):
            u[i] = w * x[i] ** 2
    elif w > 0.0:
        u = x.copy()
        u[0] *= w
    else:
        u = np.full(len(x), w)
    u[1] *= u[0]
    return u[0] + u[1] * w


def sizes_that_change(x, steps: int):
    u = np.ones(1)
    for t in range(steps):
        new = np.zeros(len(u) + 1)
        for i in range(len(u)):
            new[i] += u[i] * x[i % len(x)]
            new[i + 1] += u[i] * x[(i + t) % len(x)]
        u = new
    s = 0.0
    for e in u:
        s = s * 0.5 + e * e
    return s, len(u)


def triangular(x):
    n = len(x)
    s = 0.0
    for i in range(n):
        row = np.zeros(i + 1)
        for j in range(i + 1):
            row[j] = x[i] * x[j] + (row[j - 1] if j > 0 else 1.0)
        for j in range(i, -1, -1):
            s += math.tanh(row[j]) * row[i - j]
    return s


def break_after_update(x, limit: float):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] += y[i - 1] ** 2
        if y[i] > limit:
            y[i] = limit * y[i - 1]
            break
        y[i - 1] = y[i] * 0.5
    else:
        y[0] *= 3.0
    return y


def push_value(v, i, e):
    old = v[i]
    v[i] = e * old
    return old + e


def two_updated(u, v, k):
    for i in range(k, len(u)):
        u[i] += v[i] * v[i - 1]
        v[i] = u[i] * 0.3
    return u[k] - v[k]


def helper_updates_two(x):
    a, b = x.copy(), np.ones_like(x)
    s = 0.0
    for k in range(len(x)):
        s += two_updated(a, b, k)
        s -= two_updated(b, a, k) * 0.5
    return s + a[0] * b[-1]


def dot_of(a, b):
    s = 0.0
    for i in range(len(a)):
        s += a[i] * b[-1 - i]
    return s


def zero_trips(x, w: float):
    y = x.copy()
    s = w
    for i in range(len(x), 0):
        s *= y[i]
    for i in range(0, len(x), -1):
        y[i] = s
    for i in range(3, 3):
        for j in range(5):
            y[j] += s
    while s > 1e9:
        s *= y[0]
    return s * y[0]


def negative_steps(x):
    y = x.copy()
    for i in range(len(y) - 1, 0, -2):
        y[i - 1] += y[i] * y[i]
        for j in range(i, -1, -1):
            y[j] *= 1.0 + 0.1 * y[i - j]
    for i in range(len(y) - 2, -1, -3):
        y[i] -= y[i + 1] ** 2
    return y


def fibonacci_of_floats(w: float, n: int):
    a, b, c = w, w * w, 1.0
    for i in range(n):
        a, b, c = b, a + 0.1 * b * c, a
    return a * b + c


def shadowed_names(x, w: float):
    s = 0.0
    for i in range(len(x)):
        w = w * x[i]
        x0 = x[i]
        for i in range(3):
            x0 = x0 * w + i
        s += x0 + i
    len_ = w
    return s * len_


def overwritten_with_constant(x, w: float):
    y = x.copy()
    for i in range(len(y)):
        y[i] *= w
        y[i] = 2.0
    y[1] = w
    y.fill(1.0)
    return y[0] + y[1]


def old_and_new(x):
    y = x.copy()
    s = 0.0
    for i in range(1, len(y)):
        old = y[i]
        y[i] = y[i - 1] * old
        s += old * y[i]
        old = y[i - 1]
        y[i - 1] = s
        s *= old
    return s + y[0]


def copies_of_copies(x):
    a = x.copy()
    b = a.copy()
    a[0] = b[1] * 2.0
    c = a.copy()
    for i in range(len(x)):
        b[i] += c[i] * a[i]
        a[i] = b[i]
        c[-1] *= a[0]
    return dot_of(a, b) + c[-1] * c[0]


def nested_while(x, w: float):
    s, i = w, 0
    while i < len(x):
        t, k = x[i], 0
        while t < 3.0:
            t = t * 1.5 + 0.2 * w
            k += 1
            if k > 4:
                break
        else:
            s += t * 0.1
        s = s * 0.5 + t
        i += 1 + k % 2
    return s


def log_in_arms_of_arms(x):
    s = 1.0
    for i in range(len(x)):
        if x[i] > 0.0:
            t = s * x[i]
            if t > 1.0:
                for k in range(2):
                    s = s * 0.5 + t * math.sin(s)
            else:
                s = t * t + x[i - 1]
        elif i % 2 == 0:
            k = 0
            while s > -1.0 and k < 3:
                s -= 0.5 * s * s + 0.1
                k += 1
        s = math.tanh(s) + 0.1
    return s


def updates_that_nobody_reads(x, w: float):
    y = np.cos(x)
    m = np.outer(x, y)
    s = w * x[0]
    y[-1] += w
    m += m.T
    m[0] += x
    for i in range(len(x)):
        y[i] += s
        s = math.sin(s + x[i])
    y = np.zeros(2)
    y[0] += s
    return s


rng = np.random.default_rng(3)
U = lambda *shape: rng.uniform(0.3, 1.2, shape)
X = np.array([0.7, -0.4, 1.3, 0.9, -1.1])
IDX = np.array([3, 0, 1, 3, 2])
CASES = {
    "index_overwritten_while_used": [((X, IDX), ())],
    "swap_in_one_arm": [((X, 5), ()), ((-X, 0), ())],
    "last_allocated": [((X, 4), ()), ((X, 0), ())],
    "array_out_of_one_arm": [((X, w), ()) for w in (0.7, 0.2, -0.3)],
    "sizes_that_change": [((X, 5), ()), ((X, 0), ())],
    "triangular": [((X,), ()), ((X[:0],), ())],
    "break_after_update": [((X, l), ()) for l in (0.5, 1.0, 1e9)],
    "helper_updates_two": [((X,), ())],
    "zero_trips": [((X, 0.7), ())],
    "negative_steps": [((X,), ()), ((X[:1],), ())],
    "fibonacci_of_floats": [((0.7, 7), ()), ((0.7, 0), ())],
    "shadowed_names": [((X, 0.7), ())],
    "overwritten_with_constant": [((X, 0.7), ())],
    "old_and_new": [((X,), ())],
    "copies_of_copies": [((X,), ())],
    "nested_while": [((X, 0.7), ())],
    "log_in_arms_of_arms": [((X,), ()), ((-X,), ())],
    "updates_that_nobody_reads": [((X, 0.7), ())],
}
