"""Lists that grow, dicts, objects, closures, recursion, searches over linked cells and trees."""

# ruff: noqa
import math
import numpy as np
import dataclasses
from dataclasses import dataclass
from typing import NamedTuple
import linad

rng = np.random.default_rng(1)
V = rng.normal(size=6)
W = rng.normal(size=6)
P = np.abs(rng.normal(size=6)) + 0.5
M = rng.normal(size=(4, 6))


# --- linked-cell list
def linked_cells(x, cutoff: float):
    n = len(x)
    ncell = 5
    head = -np.ones(ncell, dtype=np.int64)
    nxt = -np.ones(n, dtype=np.int64)
    for i in range(n):
        c = int((x[i] + 3.0) / 6.0 * ncell)
        c = min(max(c, 0), ncell - 1)
        nxt[i] = head[c]
        head[c] = i
    e = 0.0
    for c in range(ncell):
        i = head[c]
        while i >= 0:
            for d in (0, 1):
                if c + d < ncell:
                    j = head[c + d]
                    while j >= 0:
                        if (d == 0 and j < i) or d == 1:
                            r = abs(x[i] - x[j])
                            if r < cutoff:
                                e += (cutoff - r) ** 2
                        j = nxt[j]
            i = nxt[i]
    return e


# --- sparse assembly with growing lists
def assemble(k):
    rows, cols, vals = [], [], []
    n = len(k)
    for e in range(n - 1):
        for a in range(2):
            for b in range(2):
                rows.append(e + a)
                cols.append(e + b)
                vals.append(k[e] if a == b else -k[e])
    K = np.zeros((n, n))
    for r, c, v in zip(rows, cols, vals):
        K[r, c] += v
    K[0, 0] += 1.0
    u = np.linalg.solve(K + np.eye(n), np.ones(n))
    return u @ u


def queue_bfs(w):
    q = [0]
    vals = [1.0]
    k = 0
    while k < len(q):
        node = q[k]
        v = vals[k] * math.cos(w[node])
        k += 1
        for child in (2 * node + 1, 2 * node + 2):
            if child < len(w):
                q.append(child)
                vals.append(v)
    return sum(vals)


def merge_sorted(a, b):
    a, b = np.sort(a), np.sort(b)
    out = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    out += [v for v in a[i:]]
    out += [v for v in b[j:]]
    return sum((k + 1) * v * v for k, v in enumerate(out))


def history(x0: float, n: int):
    xs = [x0]
    for _ in range(n):
        xs.append(xs[-1] - 0.1 * math.sin(xs[-1]) + 0.05 * xs[len(xs) // 2])
    return np.array(xs).mean() + xs[0] * xs[-1]


def list_alias(x0: float):
    xs = [x0, 2.0]
    ys = xs
    ys.append(x0 * 3)
    return sum(xs)


def list_of_lists(x, n: int):
    table = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            table[i][j] = x[i] * x[j + 1]
    return sum(sum(r) for r in table)


def list_repeat_alias(x):
    table = [[0.0] * 3] * 3
    table[0][1] = x[0]
    return table[2][1] * x[1]


def rows_list(x, n: int):
    rows = []
    for k in range(n):
        r = x * k
        r[0] += 1.0
        rows.append(r)
        r[1] = 5.0
    total = 0.0
    for r in rows:
        total += (r * r).sum()
    return total


def rows_list_scratch(x, n: int):
    rows = []
    tmp = np.zeros(len(x))
    for k in range(n):
        tmp[:] = x * k
        rows.append(tmp)
    return sum((r * r).sum() for r in rows)


def rows_list_scratch_copy(x, n: int):
    rows = []
    tmp = np.zeros(len(x))
    for k in range(n):
        tmp[:] = x * k
        rows.append(tmp.copy())
    return sum((r * r).sum() for r in rows) + tmp[0]


def list_item_update(x, n: int):
    rows = []
    for k in range(n):
        rows.append(x * k)
    rows[0][1] += 3.0
    rows[-1] = x
    return sum((r * r).sum() for r in rows)


# --- dict records
def dict_state(x, dt: float, n: int):
    s = {"q": x.copy(), "p": np.zeros(len(x)), "t": 0.0}
    for _ in range(n):
        s["p"] -= dt * s["q"]
        s["q"] += dt * s["p"]
        s["t"] += dt
    return (s["q"] ** 2).sum() + s["t"]


def dict_copy_changed(a: float):
    d = {"a": a, "b": 2.0}
    e = dict(d)
    e["a"] = 3.0 * a
    d["b"] = a * a
    return d["a"] * e["a"] + d["b"] * e["b"]


def dict_copy_method(a: float):
    d = {"a": a, "b": 2.0}
    e = d.copy()
    e["a"] *= 3.0
    return d["a"] * e["a"]


def dict_shallow(x):
    d = {"a": x.copy()}
    e = dict(d)
    e["a"][0] = 3.0
    return (d["a"] ** 2).sum()


def dict_from_pairs(x):
    d = {k: x[i] for i, k in enumerate(("u", "v", "w"))}
    d["u"] += d["v"] * d["w"]
    return sum(v * v for v in d.values())


def dict_update(a: float):
    d = {"a": a}
    d.update(b=a * 2, c=3.0)
    d.update({"a": a * a})
    return d["a"] * d["b"] * d["c"]


def dict_setdefault(a: float):
    d = {"a": a}
    z = d.setdefault("b", 2.0 * a)
    y = d.setdefault("a", 7.0)
    return z * y * d["b"] + d.pop("a")


# --- classes
@dataclass
class Cfg:
    a: float
    b: np.ndarray

    def __post_init__(self):
        self.a = self.a * 2


@dataclass
class Box:
    lo: float
    hi: float = 1.0

    def width(self):
        return self.hi - self.lo

    def grown(self, by):
        return Box(self.lo - by, self.hi + by)


def bisect_box(a: float):
    b = Box(0.0, a + 3.0)
    for _ in range(20):
        m = 0.5 * (b.lo + b.hi)
        if m * m < a:
            b.lo = m
        else:
            b.hi = m
    return b.width() * 1e3 + b.grown(a).width()


def box_in_list(a: float):
    bs = [Box(a * k, 3.0) for k in range(3)]
    t = 0.0
    for b in bs:
        t += b.width()
    return t * a


# --- closures
def closure_late_binding(x):
    fs = [lambda t: t * x[k] for k in range(3)]
    return sum(f(2.0) for f in fs)


def compose(f, g):
    return lambda t: f(g(t))


def composed(a: float):
    h = compose(math.sin, lambda t: t * t)
    return h(a) + compose(h, h)(a)


def fft(re, im):
    n = len(re)
    if n == 1:
        return re, im
    er, ei = fft(re[::2], im[::2])
    orr, oi = fft(re[1::2], im[1::2])
    a, b = np.empty(n), np.empty(n)
    for k in range(n // 2):
        c, s = math.cos(-2 * math.pi * k / n), math.sin(-2 * math.pi * k / n)
        tr, ti = c * orr[k] - s * oi[k], c * oi[k] + s * orr[k]
        a[k], b[k] = er[k] + tr, ei[k] + ti
        a[k + n // 2], b[k + n // 2] = er[k] - tr, ei[k] - ti
    return a, b


def fft_power(x):
    re, im = fft(x * 1.0, np.zeros(len(x)))
    return np.sum((re**2 + im**2) ** 2)


CASES = {
    "linked_cells": (V, 1.0),
    "assemble": (P,),
    "queue_bfs": (V,),
    "merge_sorted": (V, W),
    "history": [(0.4, 6), (0.4, 0)],
    "list_alias": (0.3,),
    "list_of_lists": (V, 3),
    "list_repeat_alias": (V,),
    "rows_list": (V, 3),
    "rows_list_scratch": (V, 3),
    "rows_list_scratch_copy": (V, 3),
    "list_item_update": (V, 3),
    "dict_state": (V, 0.1, 5),
    "dict_copy_changed": (0.7,),
    "dict_copy_method": (0.7,),
    "dict_shallow": (V,),
    "dict_from_pairs": (V,),
    "dict_update": (0.7,),
    "dict_setdefault": (0.6,),
    "bisect_box": (2.0,),
    "box_in_list": (0.4,),
    "closure_late_binding": (V,),
    "composed": (0.6,),
    "fft_power": (rng.normal(size=8),),
}
