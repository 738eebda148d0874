"""Recursive programs as people write them: over scalars, trees, tables, in place, by halves, through one another."""

# ruff: noqa
import math

import numpy as np


def fib(n: int, a: float, b: float) -> float:
    if n == 0:
        return a
    if n == 1:
        return b
    return fib(n - 1, a, b) * 0.5 + math.sin(fib(n - 2, a, b))


def scalar_tree(a: float, b: float):
    return fib(6, a, b)


def power(x: float, n: int) -> float:
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    if n % 2 == 0:
        return half * half
    return half * half * x


def powers(x: float, n: int):
    return power(x, n) + power(x * 0.5, n + 3)


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


def node(v, i: int, w: float) -> float:
    if i >= len(v):
        return w
    left = node(v, 2 * i + 1, w)
    right = node(v, 2 * i + 2, w * v[i])
    return math.tanh(left * v[i] + right)


def heap_tree(v, w: float):
    return node(v, 0, w)


def linked(next_, v, i: int, w: float) -> float:
    if i < 0:
        return w
    return v[i] * linked(next_, v, next_[i], w + v[i])


def linked_list(v, w: float):
    order = np.array([2, 3, 1, -1])
    return linked(order, v, 0, w)


def halves(x, lo: int, hi: int) -> float:
    if hi - lo == 1:
        return x[lo] * x[lo]
    mid = (lo + hi) // 2
    a = halves(x, lo, mid)
    b = halves(x, mid, hi)
    return a * b + math.sin(a)


def products_by_halves(x):
    return halves(x, 0, len(x))


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


def butterfly(re, im, start: int, n: int, stride: int, tr, ti):
    """A transform of Fourier's kind by decimation in time, in place, with scratch arrays."""
    if n == 1:
        return
    half = n // 2
    butterfly(re, im, start, half, stride * 2, tr, ti)
    butterfly(re, im, start + stride, half, stride * 2, tr, ti)
    for k in range(half):
        a = 6.283185307179586 * k / n
        c, s = math.cos(a), -math.sin(a)
        p = start + 2 * k * stride
        q = p + stride
        xr = c * re[q] - s * im[q]
        xi = c * im[q] + s * re[q]
        tr[k] = re[p] + xr
        ti[k] = im[p] + xi
        tr[k + half] = re[p] - xr
        ti[k + half] = im[p] - xi
    for k in range(n):
        re[start + k * stride] = tr[k]
        im[start + k * stride] = ti[k]


def fourier(x, y):
    re, im = x.copy(), y.copy()
    n = len(x)
    butterfly(re, im, 0, n, 1, np.zeros(n), np.zeros(n))
    s = 0.0
    for k in range(n):
        s += (re[k] * re[k] + im[k]) * (1.0 + 0.3 * k)
    return s


def fourier_in_place(x, y):
    n = len(x)
    butterfly(x, y, 0, n, 1, np.zeros(n), np.zeros(n))


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


def sorted_weights(x):
    y = x.copy()
    quick_sort(y, 0, len(y) - 1)
    s = 0.0
    for k in range(len(y)):
        s += y[k] ** (k + 1)
    return s


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


def mutual_in_place(x, w: float):
    push_down(x, 1, w)


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


def returned_whole(x):
    return doubled(x, 2)


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


def loop_in_recursion(v, k: int, w: float) -> float:
    if k == 0:
        return w
    s = w
    for i in range(k):
        s = s * v[i] + math.sin(s)
    i = 0
    while i < k and s > 0.1:
        s = s * 0.7
        i += 1
    return loop_in_recursion(v, k - 1, s) + s


def loops_in_recursion(x, w: float):
    return loop_in_recursion(x, len(x), w)


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


def same_array_twice(u, v, k: int) -> float:
    if k < 0:
        return 1.0
    return u[k] * same_array_twice(v, u, k - 1) + v[k]


def twice(x):
    return same_array_twice(x, x, len(x) - 1)


def in_branch(x, w: float):
    if w > 0.5:
        r = power(w, 3)
        for i in range(len(x)):
            r += power(x[i], 2) * r
    else:
        r = horner_from(x, 0, w)
    return r * w


def swap_ends(u, v, n: int):
    """Renames its arrays as it goes, and gives one back."""
    t = u * 0.5
    for k in range(n):
        t, v2 = v * 1.0, t
        t[0] = t[0] * v2[1] + k
    if n > 0:
        return swap_ends(t, v, n - 1)
    return t


def renamed(x):
    return swap_ends(x, x, 2)


U = ("x",)
X4 = np.array([0.7, 0.4, 0.9, 0.2])
X5 = np.array([0.7, -0.4, 1.3, 0.25, 0.6])
X8 = np.array([0.7, -0.4, 1.3, 0.25, 0.6, -0.9, 0.35, 0.8])

CASES = {
    "scalar_tree": [((0.3, 0.8), ())],
    "powers": [((0.9, 5), ()), ((1.2, 0), ())],
    "own_entry": [((0.4, 4), ()), ((0.4, 0), ())],
    "polynomial": [((X5, 0.6), ()), ((np.zeros(0), 0.6), ())],
    "heap_tree": [((X5, 0.6), ())],
    "linked_list": [((X4, 0.6), ())],
    "products_by_halves": [((X5,), ())],
    "haar_transform": [((X8,), ())],
    "fourier": [((X4, X4[::-1].copy()), ())],
    "fourier_in_place": [((X4, X4[::-1].copy()), ("x", "y"))],
    "sorted_weights": [((X5,), ())],
    "sorted_in_place": [((X5,), U)],
    "merged": [((X5,), U)],
    "memo_table": [((0.7,), ())],
    "mutual": [((X5, 0.4), ())],
    "mutual_in_place": [((X5, 0.4), U)],
    "returned_arrays": [((X4,), ())],
    "returned_whole": [((X4,), ())],
    "prefix_by_halves": [((X5,), ())],
    "recursion_in_a_loop": [((X4, 0.4), ())],
    "loops_in_recursion": [((X4, 0.4), ()), ((X4, 0.57), ())],
    "early_returns": [((X4 * 0.98, 0.4), ()), ((X5, 1.4), ())],
    "nested_call": [((0.4,), ())],
    "grid": [((0.4,), ())],
    "counted": [((0.4,), ())],
    "pairs": [((X5, 0.4), ())],
    "unused_result": [((X5, 0.4), ())],
    "single": [((np.float32(0.8),), ())],
    "some_parameters": [((0.8,), ())],
    "written_after": [((X4, 0.8), ())],
    "twice": [((X4,), ())],
    "in_branch": [((X4, 0.8), ()), ((X4, 0.3), ())],
    "renamed": [((X4,), ())],
}
