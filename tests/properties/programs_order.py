"""Errors in order, old values read after writes, exits with values, arrays exchanged in loops."""

# ruff: noqa
import math

import numpy as np


def err_order(x, k: int):
    s = 0.0
    for i in range(len(x)):
        s += x[i + k]
    if s > 0.0:
        raise ValueError("positive")
    return s


def err_order2(x, k: int):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i + k] = x[i] * x[i]
    if k == 1:
        raise ValueError("k")
    s = 0.0
    for i in range(len(x)):
        s += y[i] * x[i]
    return s


def err_zero(x, k: int):
    s = 0.0
    for i in range(len(x)):
        s += math.sin(x[i])
    j = 5 // k
    return s * x[j]


def undo_alias(x, steps: int):
    u = x.copy()
    v = np.zeros(len(x))
    for t in range(steps):
        for i in range(len(u)):
            v[i] = u[i] * u[i - 1]
        for i in range(len(u)):
            u[i] = u[i] + v[i] * v[i - 1]
        if t == 1:
            u, v = v, u
    return u, v


def while_swap(x):
    u, v = x.copy(), np.ones(len(x))
    k = 0
    while u[0] < 3.0 and k < 6:
        for i in range(len(x)):
            v[i] = 0.9 * u[i] + u[i - 1] * u[i]
        u, v = v, u
        k += 1
        if k == 4:
            continue
        u[0] += 0.1 * v[1] * v[1]
    return u


def copy_inside(x, steps: int):
    u = x.copy()
    s = 0.0
    for t in range(steps):
        old = u.copy()
        for i in range(len(u)):
            u[i] = old[i - 1] * old[i] + s
        s += u[0] * old[1]
    return s


def read_old_after_write(x):
    y = x.copy()
    for i in range(len(y)):
        a = y[i]
        y[i] = math.sin(a)
        b = y[i]
        y[i] = a * b
        y[i - 1] = y[i] * a + b * b
    return y


def two_loops_one_array(x, n: int):
    y = np.zeros(len(x))
    for k in range(n):
        for i in range(len(x)):
            y[i] += x[i] * x[i] * (k + y[i - 1])
        s = 0.0
        for i in range(len(x)):
            s += y[i] * y[i]
        for i in range(len(x)):
            y[i] /= 1.0 + s
    return y


def matrix_rows_swapped(A, w: float):
    B = A.copy()
    n, m = B.shape
    for i in range(n):
        for j in range(m):
            t = B[i, j]
            B[i, j] = B[n - 1 - i, j] * w
            B[n - 1 - i, j] = t * B[i, j]
    return B


def exit_value_used(x, lim: float):
    i = 0
    s = 1.0
    while s < lim:
        s *= 1.0 + x[i] * x[i]
        i += 1
        if i >= len(x):
            i = 0
            s += 0.5
    return s * x[i] + i


def inner_break_carry(x):
    s = 0.0
    last = 1.0
    for i in range(len(x)):
        for j in range(len(x)):
            if x[j] * last > 0.8:
                last = x[j] * x[i]
                break
            s += x[j] * last
        else:
            last *= 0.5 + x[i]
    return s + last


def ret_in_while(x, c: float):
    y = x.copy()
    k = 0
    while True:
        for i in range(len(y)):
            y[i] = y[i] * y[i - 1] + c
            if y[i] > 2.0 and k > 1:
                return y[i] * k, y
        k += 1
        if k > 4:
            return y[0], y


def param_mut_and_read(y, x):
    for i in range(len(y)):
        y[i] = y[i] * x[i]
    s = 0.0
    for i in range(len(y)):
        s += y[i] * y[i - 1]
        y[i] = s
    for i in range(len(y)):
        x[i] = y[i] * x[i]
    return s


def fill_then_accum(x, w: float):
    y = np.full(len(x), w)
    for t in range(3):
        for i in range(len(x)):
            y[i] *= x[i] + w
        z = y.copy()
        y.fill(z[0] * w)
        y[t] += z[t] * z[-1]
    return y


def int_from_float_store(x):
    p = np.zeros(4, dtype=np.int64)
    s = 0.0
    for i in range(len(x)):
        p[i % 4] = x[i] * 3.0
        s += x[p[i % 4] % len(x)] * x[i]
        p[i % 4] += 1
    return s


def bool_flag_logged(x):
    f = np.zeros(len(x), dtype=np.bool_)
    s = 1.0
    for t in range(3):
        for i in range(len(x)):
            if f[i] or s * x[i] > 0.5:
                s = s * x[i] + 0.3
                f[i] = not f[i]
            else:
                s = s + x[i] * s * s * 0.1
                f[i - 1] = x[i] > 0.0
    return s


def dim_of_moved(x, k: int):
    u = np.ones(2)
    s = 0.0
    for t in range(k):
        n = len(u)
        if t % 2 == 0:
            new = np.zeros(n + 1)
            for i in range(n):
                new[i] = u[i] * x[i % len(x)]
            u = new
        for i in range(len(u)):
            s += u[i] * u[i] * x[t % len(x)]
            u[i] += s * 0.1
    return s


def args_alias_reader(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
        y[i] = s
    return s


def cumulative_in_place(y):
    for i in range(1, len(y)):
        y[i] += y[i - 1]
    for i in range(1, len(y)):
        y[i] *= y[i - 1]
    for i in range(len(y) - 1):
        y[i] = y[i + 1] / (1.0 + y[i] * y[i])


def nothing_float(x, k: int):
    return k * 2


def const_array(x):
    u = np.ones(3)
    return u


def same_index_twice(x, idx):
    y = x.copy()
    for i in range(len(idx)):
        y[idx[i]] += y[idx[i]] * y[idx[i]]
        y[idx[i]] -= y[idx[0]]
    return y


def deep(x):
    s = 1.0
    for i in range(len(x)):
        a = x[i] * s
        for j in range(i):
            b = a * x[j]
            for k in range(j + 1):
                if b > 0.1:
                    s += b * x[k] * a
                    a = math.sin(s)
                else:
                    b = b * b + x[k]
            s = s / (1.0 + b * b)
    return s


def lam(x, w: float):
    g = lambda a, b: a * b + w
    def h(v, i):
        v[i] = g(v[i], v[i - 1])
    y = x.copy()
    for i in range(len(y)):
        h(y, i)
        w = w * y[i]
    return g(y[0], w)


def minmax_chain(x):
    lo, hi = x[0], x[0]
    for e in x:
        lo = min(lo, e)
        hi = max(hi, e)
    return (hi - lo) * hi


def trip_dep(x, n: int):
    m = n
    s = 1.0
    for i in range(m):
        m = i
        for j in range(m, n):
            s = s * x[j] + m
    return s


def while_int_float(x):
    k, s = 0, x[0]
    while k < 10:
        k += 1 + int(s > 0.0)
        s = s * x[k % len(x)] - 0.1 * k
    return s


def self_assign(x):
    y = x.copy()
    for i in range(len(y)):
        y[i] = y[i]
        y[i] *= y[i]
        y[i] /= y[i]
        y[i] -= y[i - 1] / y[i]
    return y


def neg_idx_store(x, k: int):
    y = x.copy()
    y[k] = y[-k] * y[k]
    y[-1] *= y[k - 1]
    for i in range(-3, 2):
        y[i] *= 1.0 + y[i + 1]
    return y


X = np.array([0.7, -0.4, 1.3, 0.9, -1.1])
P = np.abs(X)
rng = np.random.default_rng(1)
CASES = {
    "err_order": [((P,k), ()) for k in (0,1)],
    "err_order2": [((P,k), ()) for k in (0,1,2)],
    "err_zero": [((P,k), ()) for k in (0,1,2)],
    "undo_alias": [((X,4), ()),((X,1), ())],
    "while_swap": [((X,), ()),((-X,), ())],
    "copy_inside": [((X,3), ())],
    "read_old_after_write": [((X,), ())],
    "two_loops_one_array": [((X,3), ())],
    "matrix_rows_swapped": [((rng.normal(size=(3,2)),0.7), ())],
    "exit_value_used": [((X,9.0), ()),((X,0.5), ())],
    "inner_break_carry": [((X,), ()),((-X,), ())],
    "ret_in_while": [((X,0.3), ()),((X,0.9), ())],
    "param_mut_and_read": [((X,P.copy()),("y","x"))],
    "fill_then_accum": [((X,0.7), ())],
    "int_from_float_store": [((X,), ())],
    "bool_flag_logged": [((X,), ())],
    "dim_of_moved": [((X,4), ())],
    "args_alias_reader": [((X,P),("y",))],
    "cumulative_in_place": [((X,),("y",))],
    "nothing_float": [((X,2), ())],
    "const_array": [((X,), ())],
    "same_index_twice": [((X,np.array([1,1,0,4])), ())],
    "deep": [((X,), ()),((P,), ())],
    "lam": [((X,0.6), ())],
    "minmax_chain": [((X,), ()),((np.ones(3),), ())],
    "trip_dep": [((P,4), ())],
    "while_int_float": [((X,), ())],
    "self_assign": [((P,), ())],
    "neg_idx_store": [((X,2), ()),((X,-3), ()),((X,0), ()),((X,7), ())],
}
