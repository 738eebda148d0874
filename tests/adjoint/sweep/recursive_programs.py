"""Recursive programs as people write them: over scalars, trees, tables, in place, by halves, through one another."""

# ruff: noqa
import math

import numpy as np


def power(x: float, n: int) -> float:
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    if n % 2 == 0:
        return half * half
    return half * half * x


def own_entry(x: float, n: int) -> float:
    if n <= 0:
        return x
    return own_entry(math.sin(x) + 0.5, n - 1) * x


def horner_from(c, k: int, x: float) -> float:
    if k == len(c):
        return 0.0
    return c[k] + x * horner_from(c, k + 1, x)


def polynomial(c, x: float):
    return horner_from(c, 0, x)


def haar(v, n: int):
    """In place: sums into the lower half, differences into the upper."""
    if n < 2:
        return
    half = n // 2
    t = np.zeros(n)
    for i in range(half):
        t[i] = (v[2 * i] + v[2 * i + 1]) * 0.5
        t[half + i] = (v[2 * i] - v[2 * i + 1]) * v[2 * i]
    for i in range(n):
        v[i] = t[i]
    haar(v, half)


def haar_transform(x):
    y = x.copy()
    haar(y, len(y))
    s = 0.0
    for k in range(len(y)):
        s += y[k] * y[k] * (k + 1)
    return s


def quick_sort(v, lo: int, hi: int):
    if lo >= hi:
        return
    pivot = v[hi]
    i = lo
    for j in range(lo, hi):
        if v[j] < pivot:
            v[i], v[j] = v[j], v[i]
            i += 1
    v[i], v[hi] = v[hi], v[i]
    quick_sort(v, lo, i - 1)
    quick_sort(v, i + 1, hi)


def sorted_in_place(x):
    quick_sort(x, 0, len(x) - 1)


def merge_sort(v, t, lo: int, hi: int):
    if hi - lo < 2:
        return
    mid = (lo + hi) // 2
    merge_sort(v, t, lo, mid)
    merge_sort(v, t, mid, hi)
    i, j = lo, mid
    for k in range(lo, hi):
        if j >= hi or (i < mid and v[i] <= v[j]):
            t[k] = v[i]
            i += 1
        else:
            t[k] = v[j]
            j += 1
    for k in range(lo, hi):
        v[k] = t[k] * 1.01


def merged(x):
    merge_sort(x, np.zeros(len(x)), 0, len(x))


def with_memo(n: int, x: float, memo, known) -> float:
    if n < 2:
        return x
    if known[n] == 1:
        return memo[n]
    r = with_memo(n - 1, x, memo, known) * x + math.sin(with_memo(n - 2, x, memo, known))
    memo[n] = r
    known[n] = 1
    return r


def memo_table(x: float):
    return with_memo(9, x, np.zeros(10), np.zeros(10, dtype=np.int64))


def is_even_sum(v, k: int, s: float) -> float:
    if k == len(v):
        return s
    return is_odd_sum(v, k + 1, s * v[k])


def is_odd_sum(v, k: int, s: float) -> float:
    if k == len(v):
        return s * s
    return is_even_sum(v, k + 1, s + math.sin(v[k]))


def mutual(v, w: float):
    return is_even_sum(v, 0, w) + is_odd_sum(v, 1, w)


def push_down(v, k: int, w: float):
    if k < len(v):
        v[k] += w * v[k - 1]
        push_up(v, k + 1, w * v[k])


def push_up(v, k: int, w: float):
    if k < len(v):
        v[k] *= w + v[0]
        push_down(v, k + 1, w)


def doubled(v, n: int):
    """Returns an array that it made, or the one that a deeper call made."""
    if n == 0:
        return v * 1.0
    t = doubled(v, n - 1)
    for i in range(len(t)):
        t[i] = t[i] * t[i] + v[i]
    return t


def returned_arrays(x):
    t = doubled(x, 3)
    s = 0.0
    for e in t:
        s += e * e
    return s


def fresh_part(v, lo: int, hi: int):
    """Sums of prefixes by halves; a new array at each level."""
    out = np.zeros(hi - lo)
    if hi - lo == 1:
        out[0] = v[lo] * v[lo]
        return out
    mid = (lo + hi) // 2
    a = fresh_part(v, lo, mid)
    b = fresh_part(v, mid, hi)
    for i in range(len(a)):
        out[i] = a[i]
    for i in range(len(b)):
        out[len(a) + i] = b[i] + a[len(a) - 1] * 0.5
    return out


def prefix_by_halves(x):
    return fresh_part(x, 0, len(x))


def recursion_in_a_loop(x, w: float):
    s = w
    for i in range(len(x)):
        s = s * power(x[i] + 0.1 * s, i + 1) + w
    return s


def search(v, k: int, w: float) -> float:
    """Early returns out of a loop, with calls inside it."""
    for i in range(k, len(v)):
        if v[i] > 0.9:
            return v[i] * w
        w = w + 0.1 * search(v, i + 2, w * v[i])
        if w > 3.0:
            return w * w
    return w


def early_returns(x, w: float):
    return search(x, 0, w)


def ackermann_like(m: int, n: int, x: float) -> float:
    if m == 0:
        return x + 0.1 * n
    if n == 0:
        return ackermann_like(m - 1, 1, x * 0.9)
    return ackermann_like(m - 1, n - 1, ackermann_like(m, n - 1, math.sin(x)))


def nested_call(x: float):
    return ackermann_like(2, 2, x)


def grid_fill(a, i: int, j: int, w: float):
    if i >= a.shape[0] or j >= a.shape[1]:
        return
    a[i, j] = a[i, j] * w + 1.0
    grid_fill(a, i + 1, j, w * a[i, j])
    grid_fill(a, i, j + 1, a[i, j])


def grid(w: float):
    a = np.ones((3, 2))
    grid_fill(a, 0, 0, w)
    s = 0.0
    for i in range(3):
        for j in range(2):
            s += a[i, j] * (i + 2 * j + 1)
    return s


def counter(n: int, seen, x: float) -> float:
    """Ints and bools are saved as well: what the flow depends on changes behind it."""
    seen[0] += 1
    if n == 0:
        return x
    flag = seen[0] % 2 == 0
    r = counter(n - 1, seen, x * 1.1)
    if flag:
        r = r * x + seen[0]
    else:
        r = math.sin(r)
    return r


def counted(x: float):
    return counter(5, np.zeros(1, dtype=np.int64), x)


def two_results(v, lo: int, hi: int):
    if hi - lo == 1:
        return v[lo], v[lo] * v[lo]
    mid = (lo + hi) // 2
    a, b = two_results(v, lo, mid)
    c, d = two_results(v, mid, hi)
    return a * d, b + c


def pairs(x, w: float):
    a, b = two_results(x, 0, len(x))
    return a * w, b


def unused_result(x, w: float):
    a, b = two_results(x, 0, len(x))
    return b * w


def single_power(x: np.float32, n: int) -> np.float32:
    if n == 0:
        return np.float32(1.0)
    return x * single_power(x, n - 1)


def single(x: np.float32):
    return single_power(x, 4)


def partly_active(x: float, y: float, n: int) -> float:
    if n == 0:
        return y
    return partly_active(2.0, y * x, n - 1) + x


def some_parameters(x: float):
    return partly_active(x, 3.0, 4) + partly_active(1.5, x, 3)


def written_after(x, w: float):
    """The array that calls read is written between them and afterwards."""
    y = x.copy()
    a = horner_from(y, 0, w)
    y[1] = a * y[0]
    b = horner_from(y, 1, w)
    y[0] = 7.0
    return a * b + y[1] + y[0]


def in_branch(x, w: float):
    if w > 0.5:
        r = power(w, 3)
        for i in range(len(x)):
            r += power(x[i], 2) * r
    else:
        r = horner_from(x, 0, w)
    return r * w


U = ("x",)
X4 = np.array([0.7, 0.4, 0.9, 0.2])
X5 = np.array([0.7, -0.4, 1.3, 0.25, 0.6])
X8 = np.array([0.7, -0.4, 1.3, 0.25, 0.6, -0.9, 0.35, 0.8])

CASES = {
    "own_entry": [((0.4, 4), ()), ((0.4, 0), ())],
    "polynomial": [((X5, 0.6), ()), ((np.zeros(0), 0.6), ())],
    "haar_transform": [((X8,), ())],
    "sorted_in_place": [((X5,), U)],
    "merged": [((X5,), U)],
    "memo_table": [((0.7,), ())],
    "mutual": [((X5, 0.4), ())],
    "returned_arrays": [((X4,), ())],
    "prefix_by_halves": [((X5,), ())],
    "recursion_in_a_loop": [((X4, 0.4), ())],
    "early_returns": [((X4 * 0.98, 0.4), ()), ((X5, 1.4), ())],
    "nested_call": [((0.4,), ())],
    "grid": [((0.4,), ())],
    "counted": [((0.4,), ())],
    "pairs": [((X5, 0.4), ())],
    "unused_result": [((X5, 0.4), ())],
    "single": [((np.float32(0.8),), ())],
    "some_parameters": [((0.8,), ())],
    "written_after": [((X4, 0.8), ())],
    "in_branch": [((X4, 0.8), ()), ((X4, 0.3), ())],
}
