"""Names that loops bind below the place where they use them: what is known of such a name is found by lowering the body
again and again, and nothing that an earlier attempt has seen may be taken for true of another one."""

# fmt: off
import math

import numpy as np

import linad

X = np.array([0.5, 2.0, 3.0, 7.0])
Y = np.array([1.0, 1.5])
A = np.arange(12.0).reshape(4, 3) / 8 + 0.25
S = np.arange(9.0).reshape(3, 3) / 4 + 0.5
TABLE = np.array([0.5, -1.0, 2.0, 0.25])


def rows_of_map(a, m: int):
    r = linad.map(lambda row: row @ row, a)
    s = 0.0
    for i in range(m):
        s += a[i] @ a[i] * r[0]
    return s


def rows_written_after_map(a, m: int):
    r = linad.map(lambda row: row @ row, a)
    b = a * r[0]
    for i in range(m):
        b[i] = 2.0 + b[i]
    return b.sum()


def row_written_above(a, m: int):
    b = a * 2.0
    for t in range(m):
        if t > 0:
            b[i] = 0.5
        for i in b:
            i *= 1.5
        i = 2 + t
    return b.sum()


def shorter_by_one_written(x, m: int):
    s = 0.0
    for t in range(m):
        if t > 0:
            z = np.ones(k) * x[0]
            z[1:] += z[:-1]
            s += z @ z
        d = x[1:] - x[:-1]
        s += d @ d
        k = 3
    return s


def slice_of_one(x, y, m: int):
    s = 0.0
    for i in range(m):
        if i > 1:
            s += (y + x[:t][:i][:5]).sum()
        s += (y * x[i:i + 1]).sum()
        t = len(y)
    return s


def transposed_below(a, m: int):
    s = 0.0
    for t in range(m):
        if t > 0:
            v = w.ravel()
            s += v[1] * 2.0 + w[1, 0] * v[2]
        w = np.zeros((3, 3))
        s += w.sum()
        w = a.T * 2.0
    return s


def bound_late(x, m: int):
    s = 0.0
    for t in range(m):
        if t > 0:
            w[1] = 3.0 * s
            s += w @ x
        w = x * s + t
    return s


def int_then_float(x, m: int):
    s = 0.0
    k = 1
    for t in range(m):
        if t > 1:
            s += c * x[t % 4] + k
        c = t * 2
        k = k + c
        if t > 2:
            c = 0.5 * x[0]
    return s


def length_from_below(x, m: int):
    s = 0.0
    for t in range(m):
        if t > 0:
            z = x[:n] * 2.0
            s += z[1:].sum() - z[:-1].sum() + z[n - 1]
        n = len(x) - t
    return s


def row_from_below(a, m: int):
    s = 0.0
    b = a * 1.0
    for t in range(m):
        if t > 0:
            r[0] = s
            s += b[t - 1] @ r
        r = b[t]
        r[1] *= 2.0
    return s


def inner_loop(x, m: int):
    s = 0.0
    for t in range(m):
        for i in range(3):
            if t + i > 0:
                s += z[i] * q
            z = x * (i + 1.0)
            for j in range(i):
                z[j] = q * s if t > 0 else 1.0
            q = i
        q = q + 0.5
    return s


def while_from_below(x, m: int):
    s, t = 0.0, 0
    while t < m:
        while t > 0 and n > 0:
            s += x[n] * t
            n -= 1
        n = min(t, 3)
        t += 1
    return s


def function_from_below(x, m: int):
    s = 0.0
    for t in range(m):
        if t > 0:
            s += sum(f(i) for i in range(3))
        k = x[t % 4]
        f = lambda i: x[i] * k
        s += f(0)
    return s


def sums_from_below(x, m: int):
    s = 0.0
    for t in range(m):
        if t > 0:
            s += sum(x[i] * k for i in range(n)) + np.array([x[i] ** k for i in range(n)]) @ x[:n]
            s += linad.fold(lambda c, e: c * 0.5 + e * k, 0.0, x[:n])
        n = 1 + t
        k = 2
        if t > 1:
            k = 1.5
    return s


def power(v, k, n: int):
    return v if n == 0 else power(v * k, k, n - 1)


def recursion_from_below(x, m: int):
    s = 0.0
    for t in range(m):
        if t > 0:
            s += power(x * 1.0, k, n)[0]
        n = t
        k = t if t < 2 else s
    return s


def module_array_from_below(x, m: int):
    s = 0.0
    for t in range(m):
        if t > 0:
            s += w[0] * w[1:].sum() * x[t % 4]
        w = TABLE[t % 2:]
        s += TABLE @ x
    return s


def twice(v):
    return v * 2.0, v


def helper_from_below(x, m: int):
    s = 0.0
    for t in range(m):
        if t > 0:
            p, q = twice(w)
            s += p @ q[:n]
        w = x[:2]
        n = len(w)
        if t > 1:
            w = x[1:3] * s
    return s


def stays_alive(x, m: int):
    s = 0.0
    old = x * 0.5
    for t in range(m):
        if t > 0:
            s += old @ z
            z[0] = s
            old = z
        z = x * (t + 1.0)
        s += old[0]
    return s


def ended_early(x, m: int):
    s = 0.0
    for t in range(m):
        if t > 0:
            if z[k] > 5.0:
                break
            s += z[k] * x[0]
        z = x * (1.0 + t)
        for k in range(len(z)):
            if z[k] > 2.0:
                break
        else:
            k = 7
    return s


def shapes_from_below(a, m: int):
    s = 0.0
    for t in range(m):
        if t > 0:
            w = b.reshape(-1)
            s += w[1] * w[-1] + (w[1:] * w[:-1]).sum()
        b = a.T * 1.0
        b = b[1:]
        b = a[:2] if t % 2 else a[2:]
    return s


def columns_and_rows(a, m: int):
    s = 0.0
    for t in range(m):
        if t > 0:
            for row in b:
                s += row @ row * c.sum()
        b = a[:, 1:]
        c = a[t]
        if t > 1:
            b = a * 2.0
    return s


def backwards_or_array(a, m: int):
    s = 0.0
    for k in range(m):
        if k > 1:
            w = a + 1.0
        s += sum(row @ row for row in w)
        w = a[::-1]
    return s


def carried_on_as_an_array(x, m: int):
    s = 0.0
    for k in range(m):
        v = x[::-1]
    for k in range(m):
        v = v * 2.0
        s += v[0]
    return s


def chosen_part_that_was_never_taken(x, m: int):
    s = 0.0
    for k in range(m):
        if k > 0:
            w = v if s > 0 else x
            s += w[1]
        if k > 1:
            v = x[::-2]
    return s


CASES = {
    "rows_of_map": [((A, 6), ()), ((A, 4), ()), ((A, 0), ())],
    "rows_written_after_map": [((A, 5), ()), ((A, 4), ())],
    "row_written_above": [((A, 4), ()), ((A, 2), ())],
    "shorter_by_one_written": [((X, 3), ()), ((np.ones(9), 3), ())],
    "slice_of_one": [((X, Y, 3), ())],
    "transposed_below": [((S, 3), ())],
    "bound_late": [((X, 3), ()), ((X, 0), ())],
    "int_then_float": [((X, 5), ()), ((X, 2), ())],
    "length_from_below": [((X, 4), ()), ((X, 5), ()), ((X, 6), ())],
    "row_from_below": [((A, 4), ()), ((A, 5), ())],
    "inner_loop": [((X, 3), ())],
    "while_from_below": [((X, 6), ())],
    "function_from_below": [((X, 3), ())],
    "sums_from_below": [((X, 4), ()), ((X, 5), ())],
    "recursion_from_below": [((X, 4), ())],
    "module_array_from_below": [((X, 4), ())],
    "helper_from_below": [((X, 4), ())],
    "stays_alive": [((X, 4), ())],
    "ended_early": [((X, 3), ()), ((np.array([9.0, 1.0]), 3), ())],
    "shapes_from_below": [((A, 3), ())],
    "columns_and_rows": [((A, 3), ())],
    "backwards_or_array": [((A, 3), ())],
    "carried_on_as_an_array": [((X, m), ()) for m in (0, 2)],
    "chosen_part_that_was_never_taken": [((X, m), ()) for m in (1, 2, 5)],
}
