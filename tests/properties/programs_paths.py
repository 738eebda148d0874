"""What is found out on one path is not taken for true on another: sizes that are tested in one arm, asked for in one arm,
or met later in a loop."""

# fmt: off
import numpy as np

import linad

X = np.array([0.5, 2.0, 3.0, 7.0])
A = np.arange(12.0).reshape(4, 3) / 8 + 0.25


def repeats_of_nothing(x, k: int, c: float):
    y = np.repeat(x[:0], k) if c > 0 and k > 0 else x
    return y.sum() + x[k]


def built_in_an_arm(x, k: int, c: float):
    s = 0.0
    if c > 0:
        s = linad.build(k, lambda i: x[i] * 2.0).sum()
    return s * x[k] + x[k]


def backwards_from_a_place(x, k: int, c: float):
    y = x[k::-1]
    s = 0.0
    if c > 0:
        s += y[0]
    return s + y.sum() + x[y.size - 1]


def whole_or_part(a, k: int, c: float):
    if c > 0:
        v = a[:, 0]
    else:
        v = a[1:, 0]
    return v.sum() * a.shape[0] + a[k, 1]


def part_or_whole(a, k: int, c: float):
    v = a[1:, k] if c > 0 else a[:, k]
    for i in range(a.shape[0] - 1):
        c += v[i]
    return c


ENDS = [((x, k, c), ()) for x in (X,) for k in (-1, 2, -5, 4) for c in (0.0, 1.0)]
ROWS = [((A, k, c), ()) for k in (-1, 2, -5) for c in (0.0, 1.0)]
CASES = {
    "repeats_of_nothing": ENDS,
    "built_in_an_arm": ENDS,
    "backwards_from_a_place": ENDS,
    "whole_or_part": ROWS,
    "part_or_whole": ROWS,
}
