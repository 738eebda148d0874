"""Errors in order, old values read after writes, exits with values, arrays exchanged in loops."""

# ruff: noqa
import math

import numpy as np


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


def copy_inside(x, steps: int):
    u = x.copy()
    s = 0.0
    for t in range(steps):
        old = u.copy()
        for i in range(len(u)):
            u[i] = old[i - 1] * old[i] + s
        s += u[0] * old[1]
    return s


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


X = np.array([0.7, -0.4, 1.3, 0.9, -1.1])
P = np.abs(X)
rng = np.random.default_rng(1)
CASES = {
    "err_order2": [((P,k), ()) for k in (0,1,2)],
    "copy_inside": [((X,3), ())],
    "exit_value_used": [((X,9.0), ()),((X,0.5), ())],
    "inner_break_carry": [((X,), ()),((-X,), ())],
    "ret_in_while": [((X,0.3), ()),((X,0.9), ())],
    "fill_then_accum": [((X,0.7), ())],
    "int_from_float_store": [((X,), ())],
    "bool_flag_logged": [((X,), ())],
}
