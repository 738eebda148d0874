"""Programs about tuples, named tuples and frozen dataclasses, as a user writes them."""

import collections
import dataclasses
import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Float32, Float64, Int64

Pair = collections.namedtuple("Pair", "a b")
Scaled = collections.namedtuple("Scaled", ["x", "by"], defaults=(3.0,))
Weights = NamedTuple("Weights", [("w", Float64[np.ndarray, "n"]), ("b", float)])


class Layer(NamedTuple):
    """One layer."""

    w: Float64[np.ndarray, "n"]
    b: float
    gain: float = 0.5

    def norm(self):
        return self.b


@dataclass(frozen=True)
class Model:
    first: Layer
    second: Layer
    steps: int = 2
    rates: tuple[float, float] = (0.25, 2.0)


@dataclass(frozen=True, slots=True)
class State:
    x: Float64[np.ndarray, "n"]
    t: float
    k: int = 0


@dataclass(frozen=True, kw_only=True)
class Options:
    scale: float
    on: bool = True
    shift: float = field(default=0.5)


@dataclass(frozen=True)
class Wide(State):
    extra: float = 1.5


class Single(NamedTuple):
    v: Float32[np.ndarray, "n"]
    s: np.float32


class Steep(Layer):
    """A layer with methods of its own."""

    __slots__ = ()
    factor = 2.0

    def norm(self):
        return self.b * self.factor

    @property
    def half(self):
        return self.w * 0.5


class Ray(collections.namedtuple("Ray", "start way")):
    def at(self, t):
        return self.start + t * self.way


class Loose(NamedTuple):
    x: Float[np.ndarray, "n"]
    y: np.ndarray
    c: float


START = Pair(0.5, 2)
HOME = Options(scale=1.25)


def reads(p: Layer, x: Float64[np.ndarray, "n"]) -> float:
    total = p.b
    for i in range(len(p.w)):
        total += p.w[i] * x[i] * p.gain
    return total


def nested(m: Model, c: float) -> float:
    total = m.rates[0] * c
    for i in range(m.steps):
        total += m.first.w[i] * m.second.w[-1 - i] + m.second.b * m.rates[1]
    return total + m.first.gain


def unannotated(p, q):
    return p.a * q.x[p.b] + q.t


def makes(a: float, n: int):
    u = np.zeros(n)
    s = State(u, a)
    for i in range(n):
        s.x[i] = a * i + s.t
    return s


def makes_nested(a: float, b: float) -> Model:
    w = np.empty(2)
    w[0] = a
    w[1] = a * b
    return Model(Layer(w, b), Layer(w.copy(), a, gain=b), rates=(a, b))


def carried_by_while(c: float) -> float:
    s = State(np.zeros(3), 1.0)
    while s.t < 20.0:
        s.x[s.k % 3] += s.t * c
        s = dataclasses.replace(s, t=s.t * 2.0 + c * c, k=s.k + 1)
    return s.x[0] * s.x[1] + s.t


def fields_swapped(c: float, n: int) -> float:
    u, v = np.zeros(2), np.zeros(2)
    p = Pair(u, v)
    for i in range(n):
        p.a[i % 2] += c * (i + 1)
        p = Pair(p.b, p.a)
    return p.a[0] + 10.0 * p.a[1] + 100.0 * p.b[0] + 1000.0 * p.b[1]


def replaced(p: Layer, c: float):
    q = p._replace(b=c * p.b, w=p.w.copy())
    q.w[0] = c
    return q


def replaced_on_one_path(o: Options, c: float) -> float:
    if o.on:
        o = dataclasses.replace(o, scale=o.scale * c)
    else:
        o = Options(scale=c, shift=o.shift)
    return o.scale + o.shift * c


def tower(s: Pair, k: int) -> Pair:
    if k <= 0:
        return s
    t = tower(Pair(s.a * s.b, s.b + 1.0), k - 1)
    return Pair(math.sin(t.a), t.b * 0.5)


def recursive(a: float, b: float, k: int) -> float:
    t = tower(Pair(a, b), k)
    return t.a + t.b


def tuple_of_records(ps: tuple[Layer, Layer], x: Float64[np.ndarray, "n"]) -> float:
    total = 0.0
    for p in ps:
        for i in range(len(x)):
            total += p.w[i] * x[i] + p.b
    return total


def unpacked(p: Pair, q: Layer) -> float:
    a, b = p
    w, bias, gain = q
    total = 0.0
    for e in w:
        total += e * gain
    return a * b + total + bias * q[2] + len(p)


def in_zip(p: Pair) -> float:
    total = 0.0
    for k, (x, y) in enumerate(zip(p, (2.0, 3.0))):
        total += x * y + k
    return total


def empty_fields(m: Weights) -> float:
    total = m.b
    for e in m.w:
        total += e
    return total * m.b


def single(p: Single):
    total = p.s
    for e in p.v:
        total += e * e
    return Single(p.v.copy(), total)


def defaults(a: float, scale: float = 2.0, pair: tuple[float, int] = (0.5, 3), *, options: Options = HOME) -> float:
    return helper(a, b=scale) + helper(pair[0]) * pair[1] + options.scale * a


def helper(a, /, b=1.5, *, c=START):
    return a * b + c.a * c.b


def constants(c: float) -> float:
    return START.a * c + HOME.scale * HOME.shift + Scaled(c).by


def inherits(w: Wide) -> float:
    return w.extra * w.t + w.x[w.k]


def derives(p: Steep) -> float:
    w, b, gain = p
    ray = Ray(p.norm(), gain)._replace(way=b * gain)
    known = isinstance(p, Layer) and isinstance(ray, tuple)
    return ray.at(p.half[0] + w[1]) + ray[0] if known else 0.0


def makes_derived(w: Float64[np.ndarray, "n"], t: float):
    return Steep(w * t, t), Ray(t, w + t)


def loose(p: Loose) -> float:
    return p.x[0] * p.c + p.y[0, 0]


def early_return(p: Pair, n: int) -> Pair:
    for i in range(n):
        if p.a > 4.0:
            return p
        p = p._replace(a=p.a * p.b)
    return Pair(p.b, p.a)


def chosen(p: Pair, c: float) -> float:
    q = p if c > 0.0 else Pair(c, p.a)
    return q.a * q.b + (p.a if p.b > c else q.b)


def exchanged_at_a_break(c: float, n: int) -> float:
    p = Pair(np.full(2, c), np.full(2, 2.0 * c))
    for i in range(n):
        p.a[0] += i
        if p.a[0] > 3.0:
            p = Pair(p.b, p.a)
            break
    return p.a[0] + 10.0 * p.b[0]


def exchanged_in_the_inner_loop(c: float, n: int) -> float:
    p = Scaled(Pair(np.full(2, c), np.full(2, 2.0)), c)
    k = 0
    for i in range(n):
        for j in range(i):
            p = Scaled(Pair(p.x.b, p.x.a), p.by * 1.5)
            p.x.a[j % 2] += p.by
        k += 1
        p = p._replace(by=p.by + k)
    return p.x.a[0] * p.x.b[1] + p.x.a[1] + p.by


def nested_steady(m: Model, n: int) -> float:
    s = (m, 1.0)
    while s[1] < n:
        s = (dataclasses.replace(s[0], steps=s[0].steps + 1), s[1] * 2.0 + s[0].first.w[0] ** 2)
    return s[1] * s[0].steps + s[0].second.w[1]


def rebound_beside(c: float, n: int) -> float:
    u = np.full(2, c)
    p = Pair(np.full(2, 2.0), c)
    for i in range(n):
        p.a[1] *= u[0]
        u = p.a * 0.5
        p = p._replace(b=u[1])
    return u[0] + u[1] + p.a[1] + p.b
