"""Generators, iterators, `itertools`, starred targets: whole programs, which test_iterators.py runs on every road."""

# ruff: noqa
import itertools
import math
import operator
from itertools import (
    accumulate, chain, combinations, combinations_with_replacement, compress, count, cycle, dropwhile, filterfalse,
    groupby, islice, pairwise, permutations, product, repeat, starmap, takewhile, zip_longest,
)

import numpy as np


def squares(y):
    for v in y:
        yield v * v


def positive(y, c=2.0):
    for i in range(len(y)):
        if y[i] > 0:
            yield y[i] * c


def pairs(y, most=100.0):
    for i in range(len(y)):
        for j in range(i):
            yield i, j
        if y[i] > most:
            return


def newton(a):
    z = a
    while True:
        yield z
        z = 0.5 * (z + a / z)


def path(v):
    yield v
    for i in range(3):
        v = np.sin(v) + i
        yield v


def both(y):
    yield from squares(y)
    yield y[0]
    yield from squares(y[1:])


def leaves(t):
    if isinstance(t, tuple):
        for u in t:
            yield from leaves(u)
    else:
        yield t


def windows(y):
    i = 0
    while i + 1 < len(y):
        yield y[i : i + 2]
        i += 1


def nothing(y):
    return
    yield


def natural(y):
    k = 0
    while True:
        yield y[k % len(y)] * k
        k += 1


class Weights:
    def __init__(self, w):
        self.w = w

    def each(self, k):
        for v in self.w:
            yield v * k

    def __iter__(self):
        for v in self.w:
            yield v * 2


def total(values, c):
    s = 0.0
    for v in values:
        s = s + v * c
        if v > 3.3:
            return s
    return s


# -------------------------------------------------------------------------------------------------------- generators


def loops(x):
    def cubes(y):
        for v in y:
            yield v**3

    s = 0.0
    for a in cubes(x):
        s += a
    for a in positive(x):
        s *= a
    for v in path(x[0]):
        s += v**2
    for v in nothing(x):
        s += v
    return s


def endless(x):
    prev = 0.0
    for z in newton(x[1]):
        if abs(z - prev) < 1e-12:
            break
        prev = z
    for v in natural(x):
        if v > 9.0:
            return z * v
    return z


def left(x):
    s = 0.0
    for i, j in pairs(x):
        if i == 2:
            continue
        if i == 4 and j == 2:
            break
        s += x[i] * x[j] ** 2
    else:
        s += 100.0
    return s


def exhausted(x):
    s = 0.0
    for i, j in pairs(x, 2.5):
        if i == 2:
            continue
        if i == 4 and j == 2:
            break
        s += x[i] * x[j] ** 2
    else:
        s += 100.0 * x[0]
    return s


def returned(x):
    for i, j in pairs(x):
        if i * j > 5:
            return x[i] * x[j]
    return 0.0


def folds(x):
    vs = list(positive(x))
    s = max(positive(x)) * len(vs) + vs[1] + min(squares(x)) + sum([a * 2 for a in squares(x) if a > 1])
    s += x[0] * any(v > 5 for v in squares(x)) + x[1] * all(v > 0.3 for v in squares(x)) + any(squares(x))
    s += sum(x[i] * x[j] for i in count_to(len(x)) for j in count_to(i))
    return s + sum(squares(x)) + sum(sorted(squares(x)))


def count_to(n):
    for i in range(n):
        yield i


def chained(x):
    s = 0.0
    for k in both(x):
        if k > 8:
            continue
        s = s * 0.5 + k
    for v in leaves((x[0], (x[1], x[2]), ((x[3],), x[4]))):
        s = s * 0.5 + v**2
    return s


def methods(x):
    p = Weights(x)
    s = 0.0
    for v in p.each(3.0):
        s += v**2
    for v in p:
        s += v**3
    return s


def objects(x):
    c = 2.0
    g = (v * c for v in x if v > 0)
    h = squares(x)
    c = 5.0
    s = sum(g)
    for v in h:
        s += v
    return s + total(squares(x), x[0]) + total((v * c for v in x), 0.5)


def inside(x):
    s = 0.0
    for i in count_to(len(x)):
        for j in count_to(i):
            if j > 2:
                break
            s += x[i] * x[j]
        for v in squares(x[i:]):
            s += v
    return s


def updates(x):
    u = x.copy()
    for w in windows(u):
        w[1] += 0.5 * w[0]
    return (u**2).sum()


def renamed(i, s, x):
    c = 2.0

    def h(v):
        return v * c

    for v in x:
        i += 1
        c = c + 1
        s += h(v)
        yield s * i


def names(x):
    i, s, v, c, h = 0, 0.0, 3.0, 100.0, 1.0
    for t in renamed(i, s, x):
        s += t
        i += 2
        if i > 6:
            break
    seen = []

    def kept(y):
        for v in y:
            seen.append(v * c)
            yield v * c

    for t in kept(x):
        s += t + sum(seen)
        c = c * 0.5
    for i in range(3):
        g = (e * 2 for e in x if e > i)
    t = (squares(x), squares(x[1:]))
    return s + i + v + h + len(seen) + sum(t[0]) + sum(t[1])


def arrays(x):
    a = np.array([v for v in positive(x)])
    b = np.array(list(positive(x)))
    c = np.array([v * 2 for v in squares(x) if v > 1])
    d = np.fromiter((v * v for v in x), float)
    e = np.fromiter(natural(x), dtype=float, count=4)
    return (a * b).sum() + c.sum() + (d**2).sum() + e.sum()


def with_others(x):
    s = 0.0
    for i, v in enumerate(squares(x)):
        s += i * v
    for i, v in enumerate(squares(x), 1):
        s += i * v
    for v, w in zip(squares(x), x[1:]):
        s += v * w
    for w, v in zip(x[1:], squares(x)):
        s += v * w
    for w, v in zip(x[1:3], natural(x)):
        s += v * w
    for v in map(lambda t: t * 2, squares(x)):
        s += v
    for v in filter(lambda t: t > 2.0, squares(x)):
        s += v
    return s


# ---------------------------------------------------------------------------------------------------------- itertools


def products(x):
    s = 0.0
    for i, j in itertools.product(range(len(x)), range(len(x) - 1)):
        s += x[i] * x[j] ** 2 * (i - j)
    for i, j, k in product(range(len(x)), repeat=3):
        s += x[i] * x[j] * x[k] * (i + 2 * j)
    for a, b in product(x, x[1:]):
        if a > 2.9:
            break
        if b < 0:
            continue
        s += a * b * b
    else:
        s = 0.0
    u = x.copy()
    for a, b in product(u, u):
        s += a * b
        u[0] += 1.0
    return s + u[0]


def chosen(x):
    s = 0.0
    for i, j in combinations(range(len(x)), 2):
        s += np.sin(x[i] - x[j])
    for a, b, c in combinations(x, 3):
        s += a * b * c
    for a, b in combinations_with_replacement(x, 2):
        s += a * b
    for a, b in permutations(x, 2):
        s += a * b * b
    points = [v * v for v in x]
    s += sum((a - b) ** 2 for a, b in combinations(points, 2)) + max(a * b for a, b in combinations(x, 2))
    return s + len(list(combinations(range(len(x)), 2)))


def accumulated(x):
    s = 0.0
    for t in accumulate(x):
        s += t**2
    for t in accumulate(x, lambda a, b: 0.5 * a + b):
        s += t**2
    for t in accumulate(x, initial=1.0):
        s += t**3
    c = list(accumulate(x, operator.mul))
    return s + sum(c) + c[2] + (np.array(list(accumulate(x))) ** 2).sum()


def joined(x):
    s = 0.0
    for v in chain(x, [1.0, 2.0], x[2:]):
        if v > 2.9:
            continue
        s = 0.5 * s + v * v
    for v in chain.from_iterable((x, x[1:])):
        s += v**3
    return s + sum(chain(x, x))


def cut(x):
    s = 0.0
    for v in islice(natural(x), 7):
        s += v * v
    for v in islice(x, 1, None, 2):
        s += v
    for v in islice(natural(x), 2, 9, 3):
        s += v * v
    for a, b in pairwise(x):
        s += (b - a) ** 2
    for a, b in pairwise(v * v for v in x):
        s += a * b
    return s + sum(islice(x, len(x) - 2))


def filled(x):
    s = 0.0
    for a, b in zip_longest(x, x[2:], fillvalue=0.5):
        s += a * b
    for a, b in zip_longest(x[3:], x, fillvalue=x[1]):
        s += a * b
    return s


def again(x):
    s, k = 0.0, 0
    for a, b in zip(x, cycle([1.0, 2.0])):
        s += a * b
    for a, b in zip(x, repeat(x[1])):
        s += a * b
    for v in repeat(x[0], 3):
        s *= v
    for v in cycle(x):
        k += 1
        if k > 12:
            break
        s += v * k
    for k, v in zip(count(1), x):
        s += k * v
    for t in count(x[0], x[1]):
        if t > 7:
            return s + t**2
    return s


def tested(x):
    s = 0.0
    for v in takewhile(lambda v: v > 0, x):
        s += v * v
    for v in dropwhile(lambda v: v > 0, x):
        s += v**3
    for v in filterfalse(lambda v: v > 0, x):
        s += v
    for v in compress(x, x > 1):
        s += v * 3
    return s + sum(starmap(lambda a, b: a * b, zip(x, x[1:])))


def grouped(x):
    s = 0.0
    for k, g in groupby(x, key=lambda v: v > 1.0):
        t = 0.0
        for v in g:
            t += v
        s += t**2 * (2 if k else 1)
    for k, g in groupby(x, lambda v: v > 1.0):
        xs = list(g)
        s += xs[0] * xs[-1] * len(xs)
    return s


def nested(x):
    s = 0.0
    for i, (a, b) in reversed(list(enumerate(zip(x, x[1:])))):
        s = s * 0.5 + i * a * b
    for (i, v), w in zip(enumerate(x), reversed(x)):
        s += i * v * w
    for i, (a, b) in enumerate(pairwise(x)):
        s += i * a * b
    s += sum(a * b for a, b in zip(accumulate(x), x)) + sum(list(map(lambda v: v * v, x)))
    return s + max(map(abs, x)) + sum(map(lambda a, b: a * b, x, x[::-1]))


# -------------------------------------------------------------------------------------------------------- as values


def add_up(x, places):
    s = 0.0
    for i in places:
        s += x[i] ** 2
    return s


def kept(x):
    r, p, e, m = range(1, len(x)), zip(x, x[1:]), enumerate(x), map(lambda v: v * v, x)
    s = 0.0
    for i in r:
        for j in r:
            s += x[i] * x[j]
    for a, b in p:
        s += a * b
    for i, a in e:
        s += i * a
    for v in m:
        s += v
    back = range(len(x) - 1, 0, -2) if x[0] > 0 else range(len(x))
    return s + len(r) + r[0] * x[0] + sum(r) + add_up(x, back) + add_up(x, range(len(x)))


def one_by_one(x):
    it = iter(x)
    a = next(it)
    s = 0.0
    for v in it:
        if v > 1.0:
            break
        s += v * a
    for v in it:
        s += v**2
    it, other = iter([v * v for v in x]), iter(x)
    for i in range(3):
        s += next(it) * i
    s += total(other, 2.0) + total(other, 3.0) ** 2
    s += next(it) + next((v for v in x if v > 2.5), 0.0) * next(squares(x))
    return s + x[next(i for i in range(9) if i > 2)]


def starred(x):
    a, *b = x
    first, *mid, last = [v * v for v in x]
    *c, d = (v for v in x if v > 0)
    e, f, g, h, i = squares(x)
    s = a * b[0] + sum(b) + len(b) + first * last + sum(mid) + d * sum(c) + e * f + g
    for v, *w in ((x[0], x[1], x[2]), (x[2], x[3], 1.0)):
        s += v * sum(w)
    for v, *w in (x, x[1:]):
        s += v * sum(w)
    i, j, k = range(3)
    return s + x[i] * x[j] * x[k]


def guarded(y, log):
    try:
        for v in y:
            yield v
    finally:
        log.append(1.0)


def kept_endless(x):
    numbers, signs, log, s = count(2, 3), cycle([1.0, -1.0, 3.0]), [], 0.0
    same = numbers
    for v in guarded(x, log):
        s += next(numbers) * v * next(signs)
        if v > 1.0:
            s += next(same)
    for a, b in zip(signs, x):
        s += a * b
    nothing = cycle(x[:0])
    return s + next(numbers) + sum(islice(signs, 4)) + next(nothing, 2.0) + len(log)


def transposed(x):
    points = []
    for i in range(len(x)):
        points.append((x[i], i * 1.0, x[i] ** 2))
    s = 0.0
    for column in zip(*points):
        s += sum(column) ** 2
    xs, _, zs = zip(*points)
    us, vs = zip(*[(x[0], 1.0), (x[1], x[2])])
    return s + sum(xs) * zs[0] + us[1] * vs[1]


def mixed(x):
    s = 0.0
    for c, v in zip("ab", x):
        s += v * v if c == "a" else v
    for v, c in zip(x, ("lo", "hi", "lo", "hi", "lo", "no", "no")):
        s += v * (2 if c == "lo" else 3)
    for g, v in zip((np.sin, np.cos, np.exp), x):
        s += g(v)
    weights = {"a": 1.0, "b": 2.0}
    for (k, w), v in zip(weights.items(), x):
        s += w * v * (1 if k == "a" else x[0])
    return s


# ------------------------------------------------------------------------------------------------- one of two objects


class Total:
    def __init__(self):
        self.s = 0.0

    def add(self, v):
        self.s += v


def one_of_two(x):
    low, mid, high = [], [], []
    for v in x:
        (low if v < 0.5 else mid if v < 1.8 else high).append(v * v)
    a, b = x.copy(), x.copy()
    d, e = {"s": 0.0}, {"s": 1.0}
    p, q = Total(), Total()
    for i in range(len(x)):
        (a if x[i] < 0.5 else b)[i] = x[i] ** 2
        (a if x[i] > 0.5 else b)[i] += x[0]
        (d if x[i] < 0.5 else e)["s"] += x[i] * x[i]
        (p if x[i] < 0.5 else q).add(x[i])
        (p if x[i] < 0.5 else q).s += 1.0
    s = 0.0
    for k in range(3):
        v = (low if k % 2 else high).pop() if k < 2 else 1.0
        s += v * (k + 1)
    return s + sum(low) + sum(mid) ** 2 + sum(high) ** 3 + a.sum() + (b**2).sum() + d["s"] * e["s"] + p.s * q.s


def sums_of_arrays(x):
    m = np.outer(x, x) + 1.0
    n = len(x)
    whole = sum(r**2 for r in m) / sum(x**2) + sum(k * x for k in range(n)) + sum([r * 2.0 for r in m])
    parts = sum((r[:2] * r[2] for r in m[1:]), m[0][:2]) + sum(r.sum() * r for r in m)[1:3]
    below = sum(sum(m[i] * m[j] for j in range(i + 1)) for i in range(n))
    power = sum(m**k / math.factorial(k) for k in range(4))
    own = sum(np.outer(r, x) for r in m)
    own[0, 0] = 5.0
    return (whole @ below) + parts.prod() + power.sum() + (own * own).sum()


def butterflies(a):
    n = len(a)
    if n == 1:
        return [a[0]]
    e, o = butterflies(a[::2]), butterflies(a[1::2])
    t = [np.exp(-2j * np.pi * k / n) * o[k] for k in range(n // 2)]
    return [e[k] + t[k] for k in range(n // 2)] + [e[k] - t[k] for k in range(n // 2)]


def transformed(x):
    return sum(abs(v) ** 3 for v in butterflies(x[:4].astype(complex)))
