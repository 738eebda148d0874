"""What an iteration has a part in, and what it touches: a program for each side of each condition.

In each of them the order of the iterations, or what one finds when it is run again, or what lies between it and its
reverse, matters in one way only; without the condition that sees it the gradient would be wrong, or the pass would fail.
All are held against the derivative in which everything is logged.
"""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.text import parse_program

from linad.pipeline import prepare
from tests.adjoint.log_words import words, words_of, words_twice
from tests.kit import functions

from .test_reversal_order import A, K, X

# -------------------------------------------------------------------- the carried value is not there when it runs again


# ----------------------------------------------------------------------------------------- names that are there no more


# ---------------------------------------------- a loop that runs once, beside its reverse, has its carried values there


def draws(x):
    seed = 12345
    s = 0.0
    for i in range(20):
        seed = (1103515245 * seed + 12345) % 2147483648
        s += np.sin(x[i % len(x)] * (seed / 2147483648))
    return s


def walks(x):
    seed = 7
    p = 2
    s = 0.0
    for i in range(20):
        seed = (1103 * seed + 12345) % 2147
        if seed % 2 == 0:
            p = (p + 1) % len(x)
        else:
            p = (p + len(x) - 1) % len(x)
        s += x[p] * x[p] * x[i % len(x)]
    return s


def until_it_is_enough(x):
    s = 0.0
    for i in range(len(x)):
        if s < 2.0:
            s += x[i] * x[i]
    return s


@pytest.mark.parametrize("f", [draws, walks, until_it_is_enough])
def test_nothing_is_logged(f) -> None:
    assert words(f, X) == 0


PROGRAMS = functions(
    """\
def total(v, k):
    if k < 0: return 0.0
    return v[k] + total(v, k - 1)
def doubled(v, k):
    if k < 0: return 0.0
    v[k] = 2.0 * v[k]
    return doubled(v, k - 1)
def draws(x):
    seed = 12345
    s = 0.0
    for i in range(20):
        seed = (1103515245 * seed + 12345) % 2147483648
        s += np.sin(x[i % len(x)] * (seed / 2147483648))
    return s
def doubles(x):
    s = 0.0
    for i in range(len(x)): s = s + s + x[i] * x[i]
    return s
def taken_from_itself(x):  # The sum is subtracted as well.
    s = 0.0
    for i in range(len(x)): s = (s - s) + x[i] * x[i]
    return s
def adds_itself_in_an_arm(x):
    s = 0.0
    r = 0.0
    for i in range(len(x)):
        t = 0.0
        if x[i] > 1.0:
            t = s
            r += x[i] * x[i]
        s = s + t + x[i] * x[i]
    return s + r
def begins_anew_in_an_arm(x):  # A sum of one arm.
    s = 0.0
    r = 0.0
    for i in range(len(x)):
        if x[i] > 0.8:
            s = x[i] * x[i]
            r += x[i] * s
        else: s = s + x[i] * x[i]
    return s + r
def begins_anew_in_a_loop(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i % 2): s = x[i] * x[j]
        s = s + x[i] * x[i]
    return s
def leaves_a_loop_twice(x):
    s = 0.0
    for i in range(len(x)):
        t = 0.0
        for j in range(i):
            s = s + x[j] * x[i]
            t = s
        s = s + t
    return s
def grows_by_half(x):
    s = 0.0
    for i in range(len(x)): s = s + 0.5 * s + x[i] * x[i]
    return s
def the_last_square(x):
    s = 0.0
    for i in range(len(x)): s = x[i] * x[i]
    return s
def both_are_the_sum(x):  # One sum that goes on under two names.
    s = 0.0
    t = 1.0
    for i in range(len(x)):
        u = s + t
        s = u
        t = u + x[i] * x[i]
    return s * 2.0 + t
def fills_all(x):  # The last iteration takes the adjoints of all cells.
    v = np.zeros(len(x))
    for i in range(len(x)): v[:] = x[i] * x[i]
    return v[0] + v[1]
def stores_at_distances_that_it_reads(x, idx):
    v = np.zeros(2 * len(x))
    for i in range(len(x)): v[i + idx[i] % 4] = x[i] * x[i]
    s = 0.0
    for i in range(len(x)): s += v[i] * i + v[len(x) + i]
    return s
def through_a_cell(x, idx):
    s = 0.0
    for i in range(len(x)):
        t = np.zeros(3)
        t[idx[i] % 3] = s
        s += t[idx[i - 1] % 3] * x[i] * t[idx[i - 1] % 3] + x[i] * x[i]
    return s * s
def through_a_table(x, idx):
    s = 0.0
    k = 1
    for i in range(len(x)):
        s += x[i] * x[i] * idx[k]
        k = (2 * k + 1) % len(x)
    return s * s
def through_a_place(x, idx):  # What is carried says where an iteration puts something.
    s = 0.0
    k = 1
    for i in range(len(x)):
        t = np.zeros(5)
        t[k] = 2.0
        s += x[i] * x[i] * t[idx[i]]
        k = (2 * k + 1) % len(x)
    return s * s
def through_a_fill(x, idx):
    s = 0.0
    for i in range(len(x)):
        t = np.zeros(5)
        t[:] = s
        t[idx[i]] = 2.0
        s += x[i] * t[idx[i - 1]] * t[idx[i - 1]] + x[i] * x[i]
    return s * s
def through_a_copy(x, idx):
    s = 0.0
    for i in range(len(x)):
        t = np.zeros(3)
        t[idx[i] % 3] = s
        u = t.copy()
        u[idx[i - 2] % 3] = 1.0
        s += u[idx[i - 1] % 3] * x[i] * u[idx[i - 1] % 3] + x[i] * x[i] + t[0]
    return s * s
def through_an_arm(x, idx):
    s = 0.0
    r = 0.0
    for i in range(len(x)):
        e = 1.0
        if x[i] > 0.8:
            e = s
            r += x[i] * x[i]
        s += e * x[i] * e + x[i] * x[i]
    return s * s + r
# The sum decides by which number the square is multiplied, of which no derivative is taken.
def counted_in_an_arm(x, idx):
    s = 0.0
    for i in range(len(x)):
        k = 1
        if s > 2.0:
            for j in range(idx[i]): k += idx[j]
        s += x[i] * x[i] * k
    return s * s
def counted_in_a_loop(x, idx):
    s = 0.0
    k = 1
    for i in range(len(x)):
        m = 0
        for j in range(k): m += idx[j]
        s += x[i] * x[i] * m
        k = (2 * k + 1) % len(x)
    return s * s
def counted_until(x, idx):
    s = 0.0
    for i in range(len(x)):
        m = 0
        while True:
            m += 1 + idx[i]
            if m * 0.7 >= s: break
        s += x[i] * x[i] * m + x[i]
    return s * s
def sized_by_what_it_counts(x, idx):
    s = 0.0
    k = 3
    for i in range(len(x)):
        t = np.zeros(k)
        t[idx[i] % 3] = 2.0
        s += t[idx[i - 1] % 3] * x[i] * x[i]
        k = (2 * k) % 5 + 3
    return s * s
def copied_and_returned(x):
    v = np.zeros(len(x))
    for i in range(len(x)): v[i] = x[i] * x[i]
    w = v.copy()
    w[0] = 3.0 * x[0]
    return v, w
def given_to_a_call(x):
    v = np.zeros(len(x))
    for i in range(len(x)): v[i] = x[i] * x[i]
    return total(v, 4), v
def updated_by_a_call(x):
    v = np.zeros(len(x))
    for i in range(len(x)): v[i] = x[i] * x[i]
    doubled(v, 3)
    return v
def given_to_a_product(x, a):
    v = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for j in range(len(x)): v[i, j] = x[i] * x[j]
    return a @ v, v
# An arm asks for the size of an array that goes by another name when its reverse comes.
def moved_and_measured(x, k=2):
    u = np.zeros(len(x))
    for _ in range(k): u = np.zeros(len(u) + 1)
    s = 0.0
    for m in range(len(x)):
        if x[m] > 1.0: s += x[m] * x[m] * len(u)
    for _ in range(k): u = np.zeros(len(u) + 1)
    return s * len(u)
def lost_and_measured(x):  # An arm asks for the size of an array of an iteration that is over when its reverse comes.
    s = 1.0
    for i in range(3):
        u = np.zeros(len(x))
        for _ in range(i): u = np.zeros(len(u) + 1)
        e = 0.0
        for m in range(len(x)):
            if x[m] > 1.0: e += x[m] * x[m] * len(u)
        s = s * np.cos(e)
    return s
# The arm could run when its reverse comes, but its array goes by another name then.
def read_in_an_arm_and_renamed(x, c=1):
    u = x.copy()
    v = np.ones(len(x))
    s = 0.0
    if c > 0:
        for i in range(len(x)): s += u[i] * u[i]
    if x[1] > 0.9: w = u
    else: w = v
    return s + w[0]
def read_in_an_arm_and_exchanged(x, c=1):
    u = x.copy()
    v = np.ones(len(x))
    s = 0.0
    if c > 0:
        for i in range(len(x)): s += u[i] * u[i]
    for _ in range(c): u, v = v, u
    return s + u[0]
# The generator goes on: its state after the first loop is needed before the reverse of that loop.
def draws_twice(x):
    seed = 12345
    s = 0.0
    for i in range(len(x)):
        seed = (1103515245 * seed + 12345) % 2147483648
        s += np.sin(x[i] * (seed / 2147483648))
    for i in range(len(x)):
        seed = (1103515245 * seed + 12345) % 2147483648
        s += np.cos(x[i] * (seed / 2147483648))
    return s
def needed_draws(x):  # The sum is, so iterations would run again, without the state.
    return draws(x) * draws(x)
""",
    x=X, idx=K, a=A,
)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("f, args", PROGRAMS.values(), ids=PROGRAMS)
def test_the_gradient_is_that_of_the_tape(f, args) -> None:
    words(f, *args)


# ----------------------------------------------------------------- in derivatives of derivatives, and in no program of a user


def through_a_sum(x, idx):
    """The adjoint of `t` is added to that of `u` as a whole."""
    s = 0.0
    r = 0.0
    for i in range(len(x)):
        u = np.zeros(3)
        u[idx[i] % 3] = x[i] * x[i]
        t = u.copy()
        t[idx[i - 1] % 3] = 1.0
        s = 0.5 * s + t[idx[i - 2] % 3]
        r += u[0]
    return s, r


def added_last(x):
    """The adjoint of `w` is added to that of `x` after a loop that adds to it."""
    w = x.copy()
    s = 0.0
    for i in range(len(x)):
        s += w[i] * w[i]
    w[0] = s
    return s * w[0] * w[1]


@pytest.mark.parametrize("f, args", [(through_a_sum, (X, np.array([3, 2, 0, 2, 0]))), (added_last, (X,))])
def test_the_second_derivative_is_that_of_the_tape(f, args) -> None:
    words_twice(f, *args)


ENDS_BY_WHAT_IS_CARRIED = """
entry fn f(x: read f64[:], idx: read i64[:]) -> f64 {
  n = dim &x 0
  for i in range(n) carry (s: f64 = 0.0, k: i64 = 1) -> (s.2, k.2) {
    for j in range(n) exits carry (m: i64 = 0) -> (m.2) {
      idx_i = load &idx [j]
      m.1 = add m idx_i
      again = lt j k
      yield again, m.1
    }
    x_i = load &x [i]
    t = mul x_i x_i
    t.1: f64 = cast m.2
    t.2 = mul t t.1
    s.1 = add s t.2
    t.3 = mul 2 k
    t.4 = add t.3 1
    k.1 = mod t.4 5
    yield s.1, k.1
  }
  r = mul s.2 s.2
  return r
}
"""
GROWS_AND_IS_MEASURED = """
entry fn f(x: read f64[:], idx: read i64[:]) -> f64 {
  n = dim &x 0
  g = alloc f64 [0] log stack
  for i in range(n) carry (s: f64 = 0.0) -> (s.2) {
    k = add i 1
    reserve &g k
    &g[i] = 1.0
    e = load &x [i]
    t = mul e e
    s.1 = add s t
    yield s.1
  }
  m = dim &g 0
  y: f64 = cast m
  e.1 = load &x [0]
  r = mul y e.1
  r.1 = add r s.2
  return r.1
}
"""


@pytest.mark.parametrize("text", [ENDS_BY_WHAT_IS_CARRIED, GROWS_AND_IS_MEASURED], ids=["ends", "grows"])
def test_the_derivative_of_a_core_program_is_that_of_the_tape(text) -> None:
    words_of(prepare(parse_program(text)), [X, K])
