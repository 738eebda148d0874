"""Whole programs of what the other writers leave out: arrays under several names, lists that grow, dicts, objects, structures,
functions of functions, custom rules, checkpoint marks, library functions, exceptions, mixed dtypes.

A program takes a few features (few, so that those it has meet often), each a row of `FEATURES`: what stands before the function,
what it begins with, what it may then state, and how its values are read. In a text, ``{float}``, ``{vector}`` and the like are
places for an expression or a name of that kind; a statement that ends in a colon opens a block.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from .prelude import HEADER
from .sources import Source
from .strategies import Program

_HOLE = re.compile(r"\{(\w+)\}")


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


@dataclass(frozen=True)
class Feature:
    """What a program with a feature has.

    Attributes
    ----------
    head
        Definitions at the level of the module.
    setup
        The first statements of the function.
    names
        By kind, the names that these bind.
    statements
        A line each; ``;`` stands between statements, ``:`` at the end opens a block. With ``|``: what stands before the
        block, the line that opens it, what it begins and what it ends with.
    values
        By kind, expressions.
    parameters
        Annotated parameters, each with a function of a generator of random numbers that gives an argument.
    """

    head: str = ""
    setup: str = ""
    names: dict[str, list[str]] = field(default_factory=dict)
    statements: list[str] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)
    parameters: dict[str, Callable[[np.random.Generator], Any]] = field(default_factory=dict)


# Kinds: float, index (of the n cells of a vector), vector (n cells), row (m cells), matrix (n times m), each an expression;
# own and square: the name of a vector or matrix that may be updated, under this name or another; number: the name of a float.
BASE = Feature(
    setup="n, m = A.shape\ns = 0.0\nu = x * 0.5\nB = A.copy()",
    names={"number": ["s"], "own": ["u"], "square": ["B"]},
    statements=_lines("""
        {number} += math.sin({float})
        {number} = math.tanh({float} - 0.5 * {number})
        {own}[{index}] = {float}
        {own}[{index}] += math.sin({float})
        {own}[{index}] *= math.cos({float})
        {square}[{index}, 0] += math.sin({float})
        {square}[{index}] *= 0.5
        {own} *= 0.75
        {own}[1:] += 0.25 * {own}[:-1]
        {own}[:] = np.sin({vector})
        for {newindex} in range(n):
        for {newindex} in range(1, n):
        for {newindex} in range(n - 1, -1, -1):
        for {newfloat} in {vector}:
        for {newindex}, {newfloat} in enumerate({vector}):
        for {newrow} in {matrix}:
        if {float} > {float}:
        if {index} % 2 == 0 and {float} < 0.5:
        {number} += total({vector})
        add_into({own}, {index}, math.sin({float}))
    """),
    values={
        "float": _lines("""
            0.5
            w
            SCALE
            x[{index}]
            {vector}[{index}]
            A[{index}, 0]
            {matrix}[{index}, -1]
            {number}
            math.sin({float})
            math.tanh({float} * {float})
            ({float} + 0.5 * {float})
            ({float} if {float} > 0.0 else {float})
            max({float}, {float})
            np.sum({vector})
            np.sum({row} * {row})
            {vector} @ {vector}
            np.maximum({float}, 0.25)
            (1.0 / (1.0 + {float} ** 2))
        """),
        "index": ["0", "-1", "n - 1", "KEYS[0] % n", "(n // 2)"],
        "vector": ["x", "x", "{own}", "{own}", "np.sin({vector})", "({vector} + {vector})", "({float} * {vector})", "{vector}[::-1]", "{matrix}[:, 0]"],
        "row": ["A[{index}]", "{square}[{index}]", "(A[0] * {float})", "A.sum(axis=0)"],
        "matrix": ["A", "{square}", "(A * 0.5)"],
        "number": ["s"],
    },
)

ALIASES = Feature(
    head='''
def shifted(v, c):
    v[1:] += c * v[:-1]
    return v


def both_updated(p, q, c):
    p[0] += c * q[-1]
    q[0] *= 0.5
    return p[-1]


def first_part(v):
    return v[: len(v)]
''',
    setup="v = u\nz = x.copy()\nr = z[::-1]\nrow = B[0]\ncol = B[:, -1]",
    names={"own": ["u", "v", "z", "r", "col"]},
    statements=_lines("""
        {own}[{index}] += math.sin({float})
        {own}[{index}] = {own}[{index}]
        {own}, {own} = {own}, {own}
        v = u
        r = z[::-1]
        row = B[{index}]
        row[0] += math.sin({float})
        row[:] = {row}
        col = B[:, 0]
        z[:] = {own}[::-1]
        t = first_part(u); t[{index}] *= 0.5
        v = shifted(u, 0.5)
        shifted({own}, math.sin({float}))
        shifted(B[{index}], 0.25)
        {number} += both_updated({own}, {own}, 0.5)
        {number} += both_updated(B[0], B[-1], math.sin({float}))
        {own}[{index}], {own}[{index}] = {own}[{index}], {own}[{index}]
        pair = (u, z); pair[0][{index}] += 0.5
        u[::2] *= 0.5; v[1::2] += math.sin({float})
        if {float} > 0.0:
        while {number} > 0.8: {number} *= 0.5
    """),
    values={"float": ["row[0]", "first_part({own})[{index}]", "np.dot({own}, {own})"], "row": ["row"]},
)

LISTS = Feature(
    head='''
def kept(v, limit):
    found = []
    for e in v:
        if e > limit:
            found.append(e * e)
    return found


def mean_of(items):
    t = 0.0
    for e in items:
        t += e
    return t / (1.0 + len(items))
''',
    setup="xs = []\nrows = []\nfixed = [w, 0.5, s]",
    statements=_lines("""
        xs.append(math.sin({float}))
        xs.append({float} * 0.5)
        rows.append({row} * 0.5)
        xs += [0.25, math.sin({float})]
        xs.extend(kept(x, 0.0))
        if len(xs) > 1: xs.pop()
        if len(xs) > 2: xs[0] = math.sin({float})
        if xs: {number} += math.sin(xs[-1])
        xs = [math.sin(e) for e in {vector} if e > 0.0]
        for e in xs: {number} += 0.1 * e
        for e in rows: {number} += math.sin(np.sum(e))
        while len(xs) > 3: {number} += 0.1 * xs.pop()
        fixed[{three}] = math.sin({float})
        fixed[0], fixed[1] = fixed[1], fixed[0]
        xs = []
        xs = list({vector})
        xs.reverse()
        ys = xs.copy(); ys.append(0.5); {number} += math.sin(sum(ys))
        {number} += math.sin(np.sum(np.array(xs)))
    """),
    values={
        "float": ["mean_of(xs)", "math.sin(sum(xs))", "0.1 * len(xs)", "fixed[{three}]", "0.1 * len(rows)", "mean_of(kept({vector}, 0.25))", "sum(fixed)"],
    },
)

DICTS = Feature(
    head='''
OPTIONS = {"rate": 0.5, "order": 2}


def applied(p, v):
    return p["gain"] * np.sum(v) + p.get("bias", 0.25)


def made(a, b):
    return {"a": a, "b": {"c": b}}
''',
    setup='d = {"gain": w, "bias": 0.5, "v": x * 2.0}',
    names={"own": ['d["v"]']},
    statements=_lines("""
        d["gain"] = math.sin({float})
        d["gain"] += 0.5 * math.sin({float})
        d["v"][{index}] += math.sin({float})
        d["v"] = np.sin({vector})
        d.update(bias=math.sin({float}))
        e = dict(d, bias=math.sin({float})); {number} += math.sin(applied(e, x))
        e = {{**d, "gain": 0.25}}; {number} += e["gain"] * e["bias"]
        for key in ("gain", "bias"): {number} += 0.5 * d[key]
        for key, value in {{"p": {float}, "q": {float}}}.items(): {number} += math.sin(value)
        q = made({float}, {float}); {number} += q["a"] * q["b"]["c"]
        if "bias" in d: {number} += d["bias"]
        g = d["v"]; g[{index}] *= 0.5
    """),
    values={"float": ['d["gain"]', 'd["bias"]', 'd["v"][{index}]', "applied(d, {vector})", 'OPTIONS["rate"]', "made({float}, 0.5)['b']['c']"]},
)

OBJECTS = Feature(
    head='''
class Accumulator:
    def __init__(self, start, scale=0.5):
        self.total = start
        self.scale = scale
        self.seen = 0

    def value(self):
        return math.tanh(self.total)

    @property
    def half(self):
        return 0.5 * self.total


@dataclasses.dataclass
class Particle:
    q: float
    v: float = 0.5

    def energy(self):
        return 0.5 * self.v * self.v + math.cos(self.q)
''',
    setup="acc = Accumulator(w)\np = Particle(s, w)",
    statements=_lines("""
        acc.total += acc.scale * math.sin({float}); acc.seen += 1
        acc.total = math.sin({float})
        acc.scale *= 0.5
        {number} += acc.value()
        p.q += 0.1 * p.v
        p.v = math.sin({float})
        p.v -= 0.1 * math.sin(p.q)
        p = Particle(math.sin({float}), v=p.v)
        {number} += 0.5 * p.energy()
        acc = Accumulator({float}, 0.25)
        o = Particle({float}); o.q *= 0.5; {number} += math.sin(o.q)
    """),
    values={"float": ["acc.total", "acc.half", "acc.value()", "p.q", "p.energy()", "0.1 * acc.seen", "Particle({float}).energy()"]},
)

STRUCTURES = Feature(
    head='''
class Point(NamedTuple):
    a: float
    v: np.ndarray

    def norm(self):
        return self.a * np.sum(self.v * self.v)


def moved(p, c):
    return p._replace(a=p.a * 0.5 + c)


def split(v):
    return np.sum(v), (v * 0.5, len(v))
''',
    setup="pt = Point(w, x * 0.25)\ntup = (w, (x * 2.0, 1))",
    names={"own": ["pt.v", "tup[1][0]"]},
    statements=_lines("""
        pt = moved(pt, math.sin({float}))
        pt = Point(math.sin({float}), {vector} * 0.5)
        pt.v[{index}] += math.sin({float})
        pt = pt._replace(v=np.sin(pt.v))
        a, (b, k) = split({vector}); {number} += math.sin(a) + b[{index}] * k
        tup = (math.sin({float}), (tup[1][0] * 0.5, 2))
        {number} += math.sin(pt.norm())
        for e, f in zip({vector}, {vector}): {number} += 0.1 * e * f
        c, *rest = (w, {float}, {float}); {number} += rest[0] * rest[1]
    """),
    values={"float": ["pt.a", "pt.v[{index}]", "tup[0]", "tup[1][0][{index}]", "split({vector})[0]", "math.sin(pt.norm())"]},
)

TRANSFORMS = Feature(
    head='''
def potential(q, k):
    return 0.5 * k * np.sum(q * q) + np.sum(np.cos(q))


def scalar(t):
    return math.sin(t) * t


def local(e, c):
    return np.tanh(e * c) + 0.5 * e


@linad.custom_vjp
def soft(t):
    return math.log(1.0 + math.exp(t))


def soft_forward(t):
    return soft(t), t


def soft_backward(t, bar):
    return (bar / (1.0 + math.exp(-t)),)


soft.defvjp(soft_forward, soft_backward)
''',
    statements=_lines("""
        {own}[:] -= 0.1 * linad.grad(potential)({vector}, {float})
        {number} += math.sin(linad.grad(scalar)({float}))
        {number} += math.sin(linad.grad(linad.grad(scalar))({float}))
        value, tangent = linad.jvp(scalar, ({float},), ({float},)); {number} += value * tangent
        h, hd = linad.jvp(linad.grad(lambda q: potential(q, 0.5)), ({vector},), ({vector},)); {number} += math.sin(h @ hd)
        value, slope = linad.value_and_grad(potential)({vector}, w); {number} += math.sin(value + slope[{index}])
        {own}[:] = linad.vmap(local, in_axes=(0, None))({vector}, math.sin({float}))
        {number} += math.sin(np.sum(linad.vmap(total)(A)))
        value, back = linad.vjp(local, {float}, {float}); a, b = back({float}); {number} += math.sin(a * b + value)
        {number} += math.sin(soft({float}))
        {number} += linad.grad(soft)({float})
        {number} += math.sin(np.sum(linad.jacobian(lambda q: np.sin(q) * q[0])({vector})))
    """),
    values={"float": ["soft(math.sin({float}))", "linad.grad(scalar)({float})"]},
)

MARKS = Feature(
    statements=_lines("""
        for {newindex} in linad.checkpoint(range(n), slots=2):
        for {newindex} in linad.checkpoint(range(n)):
        for {newindex} in linad.checkpoint(range(n), scheme='recompute'):
    """),
)

LIBRARY = Feature(
    statements=_lines("""
        {own}[:] = np.sort({vector})
        {own}[:] = np.cumsum({vector}) * 0.25
        {own}[:] = np.roll({vector}, 1)
        {own}[:] = np.where({vector} > 0.0, {vector}, 0.5 * {vector})
        {own}[:] = np.clip({vector}, -0.5, 0.5)
        {own}[:] = np.flip({vector})
        {number} += math.sin(np.mean({vector}))
        {number} += math.sin(np.linalg.norm({vector} + 3.0))
        {number} += 0.1 * np.argmax({vector})
        {number} += math.sin(np.trace(A.T @ {matrix}))
        {number} += math.sin(np.einsum("ij,ij->", A, {matrix}))
        {square}[:] = np.outer({vector}, {row})
        {number} += math.sin(np.max({vector}) - np.min({vector}))
        {own}[:] = np.linalg.solve(np.eye(n) * 3.0 + 0.1 * np.outer(np.sin({vector}), np.cos(x)), {vector})
        {number} += math.sin(np.prod(np.tanh({vector})))
        {number} += 0.5 * np.var({vector})
        {number} += math.sin(np.concatenate([{vector}, {vector}])[{index}])
        {number} += math.sin(np.interp({float}, np.arange(3.0), np.array([0.5, w, 0.25])))
        np.add.at({own}, np.array([0, -1]), math.sin({float}))
        {own}[np.array([0, -1])] = {float}
        {own}[{vector} > 0.25] *= 0.5
    """),
    values={
        "vector": ["np.abs({vector})", "np.maximum({vector}, {vector})", "(A @ {row})", "np.tanh({vector})", "{matrix}.sum(axis=1)", "np.diff(np.append({vector}, 0.5))"],
        "float": ["math.erf({float})", "np.dot({vector}, {vector})", "np.hypot({float}, 1.0)", "math.atan2({float}, 2.0)", "abs({float})", "np.arctan({float})"],
        "matrix": ["np.tanh({matrix})", "(A + {matrix})"],
    },
)

EXITS = Feature(
    head='''
def checked(e):
    if e > 50.0:
        raise ValueError("too large")
    return e * 0.5


def search(v, limit):
    for i in range(len(v)):
        if v[i] > limit:
            return i
    return 0


def power(a: float, k: int) -> float:
    if k == 0:
        return 1.0
    return math.sin(a) * power(a * 0.5, k - 1)
''',
    setup="k = 0",
    names={"index": ["k"]},
    statements=_lines("""
        if {float} > 0.9: {leave}
        if {float} > 100.0: raise ValueError('large')
        assert {float} < 1e6
        k = search({vector}, {float})
        if {float} > 2.5: {number} += x[n]
        late = {number} if {float} > 0.0 else 0.5; {number} = late
    """),
    values={"float": ["checked({float})", "power({float}, 3)", "x[search(x, {float})]"], "index": ["k", "search(x, 0.5)"]},
)

MIXED = Feature(
    setup="g = np.zeros(n, dtype=np.float32)\nidx = np.array([0, n - 1])\nticks = 0\nmask = x > 0.0",
    statements=_lines("""
        g[{index}] += math.sin({float})
        g[:] = np.sin({vector})
        {number} += float(g[{index}])
        ticks += 1
        ticks += idx[1] % 3
        {number} += 0.1 * ticks
        {number} += int({float} * 2.0) * 0.25
        idx[0] = (idx[0] + 1) % n
        {own}[idx] += 0.25
        if mask[{index}]: {number} += 0.5
        mask[{index}] = {float} > 0.0
        {number} += np.float32({float}) * 0.5
        {number} += round({float}) * 0.1
        {number} += math.sin(np.sum(g * g))
        {own}[:] = g
    """),
    values={"float": ["0.1 * ticks", "g[{index}]", "1", "2", "float(ticks % 2)"], "index": ["idx[0]", "(ticks % n)"]},
)

CLOSURES = Feature(
    setup="def inner(t):\n    return math.sin(t) * w + u[0]\ng1 = lambda t, c=0.5: c * t + SCALE",
    statements=_lines("""
        {number} += inner({float})
        {number} += g1({float}, c={float})
        h = lambda i: x[i] * w; {number} += h({index})
        {number} += sum(math.sin(e) for e in {vector})
        {own}[:] = np.array([math.sin(e) * w for e in {vector}])
        {number} += max(e * e for e in {vector})
        {own}[:] = linad.map(lambda e: math.sin(e) * w, {vector})
        {number} += linad.fold(lambda a, e: math.sin(a + e), {float}, {vector})
        {number} += math.sin(sum(a * b for a, b in zip({vector}, {vector})))
    """),
    values={"float": ["inner({float})", "g1({float})", "(lambda t: t * 0.5)({float})"]},
)

COUNTED = Feature(
    setup="j = 0\nleft = n",
    statements=_lines("""
        {newindex} = 0 | while {it} < n: | | {it} += 1
        {newindex} = n | while {it} > 0: | {it} -= 1 |
        {newindex} = -n | while {it} < 0: | | {it} += 1
        {newindex} = 0 | while {it} < n and {float} < 3.0: | | {it} += 1
        {newindex} = n - 1 | while {it} >= 0: | | {it} -= 2
        {newindex} = 0 | while True: | if {it} >= n: break | {it} += 1
        {newcount} = 0 | while {it} != n: | {it} += 1 |
        {newcount} = n | while {it}: | {it} -= 1 |
        {newcount} = n | while ({it} := {it} - 1) >= 0: | |
        for {newindex} in range(0, n, 2):
        for {newindex} in range({count}):
        for {newindex} in reversed(range(n)):
        | for {newindex} in range(n, 0, -1): | {it} -= 1 |
        for {newindex} in range({index}, n):
        | for {newindex} in range(n): | if {float} > 0.8: {loop} |
        | for {newindex} in range(n): | if {it} == 1: {loop} |
        for {newindex}, ({newfloat}, {newfloat}) in enumerate(zip({vector}, {vector})):
        for {newfloat}, {newindex} in zip({vector}, range(n)):
        if {float} > 0.9: {loop}
        j += 1
        j = (j + 2) % n
        left -= 1
        {number} += 0.1 * left
    """),
    values={"float": ["x[j]", "0.1 * j", "float(left)"], "index": ["(j % n)", "(left // 2)"]},
)

NARROW = Feature(
    head="""
SIGNS = np.array([1, -1, 100, -128], dtype=np.int8)
COUNTS = np.array([0, 200, 255], dtype=np.uint8)


def widened(v):
    t = 0
    for e in v:
        t += e
    return t
""",
    setup="bs = SIGNS.copy()\nhs = COUNTS.copy()\nqs = np.arange(4, dtype=np.int16)\nt8 = zs[0]\nbig = np.zeros(3, dtype=np.uint64)",
    statements=_lines("""
        bs[{three}] += 1
        bs[{three}] = bs[{three}] + bs[{three}]
        bs[{three}] *= 2
        bs //= 3
        bs[:] = -bs
        hs[{three}] += 1
        hs[{three}] = hs[{three}] - hs[{three}]
        hs[{three}] = zs[{three}]
        hs >>= 1
        hs[:] = ~hs
        hs ^= COUNTS
        qs[{three}] = bs[{three}] * 300
        qs += bs
        big[{three}] += hs[{three}]
        big[{three}] = big[{three}] * 3 + 1
        t8 = zs[{three}]
        t8 = t8 + hs[{three}]
        t8 = np.uint8(7)
        {number} += 0.01 * t8
        {number} += 0.01 * (hs[{three}] - hs[{three}])
        {number} += 0.01 * (bs[{three}] * bs[{three}])
        {number} += 0.01 * np.sum(bs) + 0.01 * np.sum(hs)
        {number} += 0.01 * widened(hs)
        {number} += 0.01 * float(widened(bs))
        {number} += 0.001 * (int(hs[{three}]) - int(bs[{three}]))
        {number} += 0.01 * np.int16(bs[{three}]) * np.int16(3)
        {number} += 0.01 * (np.uint32(hs[{three}]) << 3)
        {number} += 0.01 * (hs[{three}] >> 1) + 0.01 * (bs[{three}] >> 1)
        {number} += 0.01 * np.max(hs) - 0.01 * np.min(bs)
        {number} += 0.01 * (bs[{three}] // (bs[{three}]|1)) + 0.01 * (bs[{three}] % 3)
        {number} += np.mean(hs) * 0.01 + 0.01 * np.mean(bs)
        {number} += 0.01 * (np.uint8(250) + np.uint8(hs[{three}]))
        {number} += (hs * 0.5)[{three}] * 0.01 + (bs + hs)[{three}] * 0.01
        {number} += 0.01 * np.cumsum(bs)[{three}] + 0.01 * np.prod(qs[1:])
        {number} += 0.01 * abs(bs[{three}]) - 0.01 * -bs[{three}]
        {number} += 0.01 * big[{three}]
        {number} += 0.01 * np.dot(qs, qs)
        {number} += 0.01 * hs.astype(np.int64)[{three}] - 0.01 * qs.astype(np.int8)[{three}]
        {own}[{index}] = bs[{three}] * 0.01
        if hs[{three}] > bs[{three}]:
        if bs[{three}] < 0:
        for {newcount} in range(hs[1] % 4):
        for e8 in zs: {number} += 0.01 * e8
    """),
    values={
        "float": ["0.01 * bs[{three}]", "0.01 * hs[{three}]", "0.01 * t8", "zs[{three}] * w", "float(qs[{three}])", "0.01 * np.sum(zs)"],
        "index": ["(hs[{three}] % n)", "(qs[1] % n)"],
    },
    parameters={
        "zs: UInt8[np.ndarray, 'k']": lambda rng: rng.integers(0, 256, 3).astype(np.uint8),
    },
)

DEEP = Feature(
    setup="V = T.copy()\na0, a1, a2, a3, a4 = T.shape",
    statements=_lines("""
        V[0] *= 0.5
        V[..., 0] += {float}
        V[{two}, 0, {two}, 0, 0] += math.sin({float})
        V[{two}, ..., 0] *= {float}
        V[:, 0] = T[:, 0] * w
        V[:] = np.sin(T)
        V += T
        V = np.tanh(T) * {float}
        V = T.transpose(0, 1, 2, 3, 4).copy()
        V = np.flip(T, 2).copy()
        {number} += math.sin(np.sum(V))
        {number} += math.sin(np.sum(T[0] * V[-1]))
        {number} += math.sin(np.sum(T.sum(axis=(0, 2)) * V.sum(axis=(0, 2))))
        {number} += math.sin(np.sum(np.swapaxes(T, 0, 4)[0]))
        {number} += math.sin(np.sum(np.moveaxis(V, 0, -1)[0] * 0.5))
        {number} += math.sin(np.sum(T[:, None] * V[:, None]))
        {number} += math.sin(np.sum(np.stack([T, V])[1] * T))
        {number} += math.sin(np.sum(V.reshape(-1)) * T.reshape(-1)[0])
        {number} += math.sin(np.sum(T[..., None, None, None] * 0.5))
        {number} += math.sin(np.mean(V, axis=3).sum())
        {number} += math.sin(np.einsum("abcde,abcde->", T, V))
        {number} += math.sin(np.sum(np.einsum("abcde->ace", V)))
        {number} += math.sin(np.max(V) - np.min(T, axis=(1, 2, 3)).sum())
        {number} += math.sin(np.concatenate([V, T], axis=2).sum())
        {number} += math.sin(np.sum(V.sum(axis=1, keepdims=True) * T[:, :1]))
        {number} += math.sin(np.sum(np.where(T > 0.0, V, T)))
        {number} += math.sin(V[0, 0].T.sum() + V.mean())
        for e4 in V: {number} += math.sin(np.sum(e4 * e4))
        | for {newcount} in range(a2): | {number} += T[0, 0, {it}, 0, 0] * V[0, 0, {it}, 0, 0] |
        R = V[{two}]; R[0] += {float}
        R = V[:, 0]; R *= 0.5
        {number} += 0.1 * (a0 + a1 * a2) + 0.1 * V.ndim
    """),
    values={"float": ["T[{two}, 0, 0, 0, -1]", "V[0, 0, {two}, 0, 0]", "np.sum(V[0, 0, 0])"], "matrix": []},
    parameters={"T: Float64[np.ndarray, 'a0 a1 a2 a3 a4']": lambda rng: rng.normal(size=tuple(rng.integers(1, 3, 5)))},
)

SINGLE = Feature(
    setup="g = np.zeros(n, dtype=np.float32)\nc32 = np.float32(w)\nG = A.astype(np.float32)",
    statements=_lines("""
        g[{index}] = fs[0] * {float}
        g += fs[0]
        g *= 0.5
        g[:] = np.sin(g) + fs[0]
        c32 = c32 * np.float32(0.5)
        c32 = fs[{two}]
        c32 = np.sin(c32)
        {number} += c32
        {number} += float(c32 * 2)
        {number} += c32 * {float}
        {number} += math.sin(np.sum(g))
        {number} += np.sum(fs * fs)
        {number} += (fs * 2)[{two}] + (fs / 3)[{two}]
        {number} += (fs * np.arange(2))[{two}]
        {number} += np.dot(fs, fs) * 0.5
        {number} += math.sin(np.mean(fs)) + np.max(fs)
        {number} += np.float64(fs[{two}]) ** 2
        {number} += (c32 if {float} > 0.0 else np.float32(0.5))
        {number} += max(c32, np.float32(0.1))
        {number} += np.sum(G @ np.ones(m, dtype=np.float32))
        {number} += np.sum(np.sin(G) * A)
        G[{index}, 0] = math.sin({float})
        G *= np.float32(0.5)
        {own}[:] = g * {float}
        {own}[{index}] += fs[{two}]
        ft = fs.copy(); ft[0] += {float}; {number} += ft[0]
        e64 = fs.astype(np.float64); e64[0] *= w; {number} += e64[0]
        if c32 > 0.5:
        for e32 in fs: {number} += e32 * w
    """),
    values={"float": ["c32", "fs[{two}]", "g[{index}]", "np.float32({float})", "float(c32)", "G[{index}, 0]"], "vector": ["g"]},
    parameters={"fs: Float32[np.ndarray, 'q']": lambda rng: rng.normal(size=2).astype(np.float32)},
)

ATTEMPTS = Feature(
    head="""
def risky(e, limit):
    if e > limit:
        raise ValueError("too large")
    return e * 0.5


def divided(k: int, j: int) -> int:
    return k // j


class Own(ValueError):
    pass
""",
    setup="k = n - 1\ndv = 0",
    statements=[
        "try:\n    dv = 3 // k\nexcept ZeroDivisionError:\n    dv = 7",
        "try:\n    t = x[{index}]\nexcept IndexError:\n    t = 0.5\ns += math.sin(t)",
        "assert k >= 0, 'negative'",
        "assert {float} < 100.0, f'too large {{k!r}}'",
        "if {float} > 1.5: raise Own('own')",
        "if k > 2: raise ZeroDivisionError",
        "if {float} > 1.8: raise RuntimeError('a') from None",
        "{number} += 0.1 * divided(7, k)",
        "{number} += 0.1 * (5 % k)",
        "{number} += x[k + {three}]",
        "k -= 1",
        "k = {index}",
        "dv = divided(n, k - 1)",
        "{number} = {number} / dv",
        "{number} += {float} ** -1",
        "{number} += 2 ** k",
        "{own}[k] += {float}",
        "{own}[1:] = x[: n - {two}]",
        "{number} += risky({float}, 1.0)",
        "{number} += A[k, {three}]",
        "{number} += np.max({vector}[k:])",
        "u = np.zeros(k + 1)",
        "a, b = {vector}; {number} += a * b",
        "{number} += int({float} * 1e19) * 1e-19",
    ],
    values={"float": ["0.1 * dv", "risky({float}, 2.0)", "x[k]"], "index": ["k", "(k + 1)", "dv"]},
)

TEXTS = Feature(
    head="""
def measured(v, how="sum"):
    if how == "sum":
        return np.sum(v)
    elif how in ("mean", "average"):
        return np.mean(v)
    elif how.startswith("max"):
        return np.max(v)
    raise ValueError(f"unknown {how}")


def chosen(t, kind):
    match kind:
        case "sin":
            return math.sin(t)
        case "cos" | "cosine":
            return math.cos(t)
        case _:
            return t


TABLE_OF = {"sin": math.sin, "cos": math.cos}
ORDER = ("sin", "cos", "none")
""",
    setup='mode = "sum"',
    statements=_lines("""
        {number} += math.sin(measured({vector}))
        {number} += math.sin(measured({vector}, how="mean"))
        {number} += measured({vector}, mode)
        {number} += measured({vector}, "max" + "imum")
        mode = "mean"
        other = "max_" + mode; {number} += measured({vector}, other)
        for kind in ORDER: {number} += chosen({float}, kind)
        for kind in ("sum", "mean"): {number} += 0.5 * measured({vector}, kind)
        for name, fn in TABLE_OF.items(): {number} += fn({float})
        {number} += TABLE_OF["sin"]({float})
        {number} += chosen({float}, "cosine")
        {number} += 0.1 * len(mode)
        if mode == "sum": {number} *= 0.5
        if mode.upper() == "SUM" or "x" in mode: {number} += {float}
        label = f"{{mode!s}}_{{3!r}}"; {number} += 0.1 * (label == "sum_3")
        {number} += getattr(np, "sin")({float})
        {number} += {{"sum": 1.0, "mean": w}}.get(mode, 0.25)
        other = mode.replace("s", "t"); {number} += 0.1 * other.count("t")
    """),
    values={"float": ['measured({vector}, "mean")', 'chosen({float}, "sin")', "0.1 * len(ORDER)"]},
)

INSIDE = Feature(
    head="""
@numba.njit
def fast(t, c):
    return np.sin(t) * c


@linad.linear_grad
def smooth_sum(v, c: float):
    t = 0.0
    for i in range(len(v)):
        t += math.sin(v[i] * c)
    return t


def row_norm(r, c=0.5):
    return np.sum(r * r) * c


def pair_of(e, c):
    return e * c, math.sin(e)
""",
    statements=_lines("""
        {number} += fast({float}, w)
        {number} += smooth_sum({vector}, {float})
        {number} += smooth_sum.grad({vector}, {float})[1]
        {number} += math.sin(np.sum(linad.vmap(row_norm)({matrix})))
        {number} += math.sin(np.sum(linad.vmap(row_norm, in_axes=1)(A)))
        {number} += math.sin(np.sum(linad.vmap(lambda e: math.sin(e) * w)({vector})))
        p, q = linad.vmap(pair_of, in_axes=(0, None))({vector}, {float}); {number} += np.sum(p * q)
        {own}[:] = linad.vmap(fast, in_axes=(0, None))({vector}, {float})
        {own}[:] = linad.vmap(linad.grad(lambda e: math.sin(e) * e))({vector})
        y, lin = linad.linearize(lambda v: np.sin(v) * w, {vector}); {own}[:] = lin({vector})
        y, lin = linad.linearize(lambda t: math.sin(t) * t, {float}); {number} += lin({float}) + lin(w)
        y, lin = linad.linearize(smooth_sum, x, w); {number} += lin({vector}, 0.5)
        {number} += math.sin(np.sum(linad.jacfwd(lambda v: np.sin(v) * v[0])({vector})))
        {number} += math.sin(np.sum(linad.hessian(lambda v: np.sum(np.sin(v) * v))({vector})))
        {number} += math.sin(np.sum(linad.scanl(lambda a, e: math.sin(a + e), {float}, {vector})))
        {number} += math.sin(np.sum(linad.build(n, lambda i: x[i] * w)))
        {number} += linad.grad(lambda t: smooth_sum(x, t))({float})
    """),
    values={"float": ["fast({float}, 0.5)", "smooth_sum({vector}, 0.5)", "row_norm({row})"], "vector": ["fast({vector}, w)"]},
)

LIBRARY_TOO = Feature(
    statements=_lines("""
        {number} += math.sin(np.median({vector}))
        {number} += math.sin(np.std({vector} * np.arange(1.0, n + 1.0)))
        {number} += math.sin(np.percentile({vector}, 30.0))
        {number} += math.sin(np.quantile({vector}, 0.4))
        {number} += math.sin(np.trapezoid({vector}, dx=0.5))
        {number} += math.sin(np.average({vector}, weights=np.exp({vector})))
        {number} += np.sum(np.cumprod(np.tanh({vector})))
        {own}[:] = np.gradient(np.append({vector}, 0.5))[:-1]
        {own}[:] = np.convolve({vector}, np.array([0.5, w, 0.25]), mode="same")[:n]
        {own}[:] = np.take({vector}, KEYS % n)[0]
        {own}[:] = np.select([{vector} > 0.5, {vector} > 0.0], [{vector} * 2.0, {vector}], 0.25)
        {own}[:] = np.piecewise({vector}, [{vector} > 0.0], [lambda t: t * t, lambda t: -t])
        {own}[:] = np.searchsorted(np.array([-0.5, 0.0, 0.5]), {vector}) * 0.1
        {own}[:] = {vector}[np.argsort({vector})]
        {own}[:] = np.repeat({vector}, 2)[::2]
        {own}[:] = np.tile({vector}, 2)[:n]
        {own}[:] = np.nan_to_num({vector}) + np.sign({vector})
        {own}[:] = np.logaddexp({vector}, {float})
        {own}[:] = np.floor({vector}) + np.mod({vector}, 0.75)
        {square}[:] = np.cumsum({matrix}, axis=1) * 0.5
        {square}[:] = np.roll({matrix}, 1, axis=0)
        {square}[:] = np.broadcast_to({row}, (n, m)) * w
        {square}[:] = np.kron({matrix}, np.ones((1, 1)))
        {square}[:] = np.tril({matrix}) if n > 1 else np.triu(A)
        {number} += math.sin(np.linalg.det(np.eye(n) * 3.0 + 0.1 * np.outer({vector}, x)))
        {number} += math.sin(np.sum(np.linalg.inv(np.eye(n) * 3.0 + 0.1 * np.outer(np.sin({vector}), np.sin(x)))))
        {number} += math.sin(np.sum(np.tensordot(A, {matrix}.T, 1)))
        {number} += math.sin(np.sum(np.meshgrid({vector}, x)[0]))
        {number} += math.sin(np.sum(np.pad({vector}, 1)))
        {number} += math.sin(np.sum(np.delete({vector}, 0)) + np.sum(np.insert({vector}, 0, w)))
        {number} += math.sin(np.polyval({vector}, 0.5) + np.vander({vector}, 3).sum())
        {number} += 0.1 * np.count_nonzero({vector} > 0.1) + 0.1 * np.sum(np.isfinite({vector}))
        {number} += 0.5 if np.any({vector} > 0.5) else 0.25 * np.all({vector} < 1.0)
        {number} += 0.5 if np.allclose({vector}, x) else w
        {number} += math.sin(np.nansum({vector}) + np.nanmax({vector}) + np.ptp({vector}))
        {number} += math.sin(np.sum(np.diag({vector}) @ {matrix}) + np.sum(np.diagonal({matrix})))
        {number} += math.sin(np.sum(np.split({vector}, [1])[0]) + np.sum(np.array_split({vector}, 2)[0]))
        {number} += math.sin(np.sum(np.unique(np.round({vector}, 1))))
        {number} += math.sin(np.sum(np.bincount(KEYS, minlength=4) * 0.1))
        {number} += math.sin(np.sum(np.histogram({vector}, bins=3, range=(-1.0, 1.0))[0] * 0.1))
        {number} += math.sin(np.sum(np.fft.fftfreq(4)) + np.sum(np.linspace(0.0, {float}, 4)) + np.sum(np.geomspace(1.0, 2.0, 3)))
    """),
    values={
        "float": ["np.sinc({float})", "np.heaviside({float}, 0.5)", "np.cbrt({float})", "np.log1p({float} * {float})", "math.gamma(1.5)", "np.arctan2({float}, 1.0)", "np.exp2({float})", "math.copysign({float}, w)", "math.fmod({float}, 0.7)"],
        "vector": ["np.square({vector})", "np.minimum({vector}, {float})", "np.fmax({vector}, x)", "np.full(n, {float})", "np.zeros_like({vector})", "np.reciprocal({vector} + 3.0)", "np.flip({vector})"],
    },
)

NESTED = Feature(
    head="""
@dataclasses.dataclass
class Cell:
    v: float
    w: np.ndarray

    def grow(self, k):
        self.v = self.v * k
        self.w[0] += self.v
        return self


@dataclasses.dataclass(frozen=True)
class Pair:
    a: float
    b: tuple

    def __add__(self, o):
        return Pair(self.a + o.a, self.b)

    def __mul__(self, k):
        return Pair(self.a * k, self.b)

    def __getitem__(self, i):
        return self.b[i]

    def __len__(self):
        return len(self.b)


def renewed(c, k):
    return Cell(c.v * k, c.w * k)


def stepped(cells, k):
    for c in cells:
        c.v += k
    return cells[0]
""",
    setup="ca = Cell(w, x * 0.5)\ncb = ca\ncells = [ca, Cell(0.5, x.copy())]\npr = Pair(w, (1.5, s))\nbox = {'c': ca, 'l': [w, 0.5], 'v': u}",
    names={"own": ["ca.w", "cb.w", "box['v']", "cells[1].w"]},
    statements=_lines("""
        ca.v += {float}
        cb.v *= {float}
        cb = ca
        ca = renewed(cb, {float})
        cb = Cell({float}, ca.w)
        ca, cb = cb, ca
        cells[0].v += 0.5
        cells[{two}].w[0] = {float}
        cells.append(cb)
        cells.append(Cell({float}, x * w))
        for c in cells: {number} += math.sin(c.v)
        for c in cells: c.v *= 0.5
        {number} += stepped(cells, w).v
        {number} += ca.grow(0.5).v
        {number} += cells[-1].v * np.sum(cells[-1].w)
        pr = pr + Pair({float}, (w, s))
        pr = pr * {float}
        {number} += pr.a * pr[0] + 0.1 * len(pr)
        box['l'].append({float})
        box['l'][0] = {float}
        box['c'].v += {float}
        box['c'] = cb
        {number} += sum(box['l']) * box['c'].v
        last = box['l'][-1]; {number} += last
        ca.w = {vector} * 0.5
        cc = ca if {float} > 0.0 else cb; {number} += cc.v
        cc = dataclasses.replace(ca, v={float}); {number} += cc.v
        rest = cells[1:]; {number} += 0.1 * len(rest)
        ws = [c.v for c in cells]; {number} += math.sin(sum(ws))
        t = (ca, cb); t[0].v += {float}
    """),
    values={"float": ["ca.v", "cb.v", "cells[0].v", "pr.a", "pr[0]", "box['l'][0]", "box['c'].v", "ca.w[{index}]"]},
)

GROWING = Feature(
    head="""
def pushed(items, e):
    items.append(e)
    return items


def spread(items):
    return max(items) - min(items) if items else 0.5
""",
    setup="xs = [w, 0.5]\nys = [e * 0.5 for e in x]\nrows = [x * 0.5]\nks = [0]\npairs = [(w, 0)]",
    statements=_lines("""
        xs.insert(0, {float})
        if len(ys) > 1: {number} += ys.pop(0)
        if ys: {number} += ys.pop({index})
        if len(xs) > 1: xs.pop(0)
        xs.reverse()
        ys.reverse()
        xs.sort()
        ys.sort()
        ys = sorted(ys)
        ys = sorted({vector}, reverse=True)
        ys = ys[1:] + [{float}]
        ys = ys[::-1]
        ys = ys[:2]
        zs = ys[-2:]; zs.append(0.5); {number} += math.sin(sum(zs))
        zs = ys; zs.append({float})
        zs = xs + ys; {number} += math.sin(sum(zs)) * len(zs)
        zs = [{float}] * n; zs[{index}] = 0.5; {number} += sum(zs)
        zs = [0.5, {float}] * 2; {number} += zs[{three}]
        ys.extend(e * w for e in {vector})
        ys.extend([e for e in xs if e > 0.0])
        ys.extend({vector})
        ys += [{float}] * {count}
        xs.clear()
        ys.clear(); ys.append({float})
        pushed(ys, {float})
        xs = pushed(ys, {float})
        {number} += math.sin(spread(ys)) + spread(xs)
        rows.append({vector} * 0.5)
        rows[-1][0] += {float}
        rows[0] = {vector} + 1.0
        if len(rows) > 1: last = rows.pop(); {number} += last[0]
        rows.insert(0, x * w)
        rows.reverse()
        {number} += math.sin(np.sum(np.array(rows)))
        {number} += math.sin(np.sum(np.stack(rows)[0]))
        {number} += math.sin(sum(r @ r for r in rows))
        ks.append(len(ks) % n)
        ks += [0]
        {number} += x[ks[-1]] + sum(ks) * 0.1
        {number} += np.sum(x[ks]) * 0.5
        ks = [k for k in range(n) if k % 2 == 0]
        pairs.append(({float}, len(pairs)))
        for e, k in pairs: {number} += e * k
        pairs[-1] = ({float}, 1)
        a, b = pairs[-1]; {number} += a * b
        {number} += ys[-1] if ys else w
        {number} += 0.1 * len(ys) + (0.5 if ys else 0.25)
        ys[{index} % len(ys)] *= 0.5
        if len(ys) > 1: ys[0], ys[-1] = ys[-1], ys[0]
        for k in range(len(ys)): ys[k] += 0.25
        for k, e in enumerate(ys): {number} += k * e
        for a, b in zip(ys, ys[1:]): {number} += a * b
        for a, b in zip(xs, rows): {number} += a * b[0]
        while ys and {number} < 3.0: {number} += 1.0 + ys.pop() ** 2
        while len(xs) < 4: xs.append({float})
        if {float} > 0.0: xs = [0.5, {float}]
        if {float} > 0.0: ys = []
    """),
    values={"float": ["sum(xs)", "ys[0]", "ys[-1]", "spread(ys)", "0.1 * len(xs)", "max(xs, default=w)", "float(ks[0])", "pairs[0][0]", "rows[0][{index}]"]},
)

COMPREHENDED = Feature(
    head="""
NAMES = ("a", "b", "c")


def squares(v):
    return [e * e for e in v]
""",
    statements=_lines("""
        {number} += sum(e * f for e in {vector} for f in {row})
        {number} += sum(e for e in {vector} if e > 0.0 if e < 1.5)
        {number} += sum([x[i] * x[j] for i in range(n) for j in range(i)])
        {number} += sum((e for e in {vector}), w)
        {number} += np.sum(sum((r * w for r in {matrix}), np.zeros(m)))
        {number} += 0.5 if any(e > 0.7 for e in {vector}) else 0.25
        {number} += 0.5 if all(e < 0.7 for e in {vector} if e > 0.0) else 0.25
        {number} += 0.5 if any([e > 0.7 for e in {vector}]) else w
        {number} += 0.5 if any(c == "b" for c in NAMES) and all(t > 0.0 for t in ({float}, w)) else w
        {number} += min((e for e in {vector} if e > 0.0), default={float})
        {number} += max([e * e for e in {vector}]) - min(e + w for e in {vector})
        {number} += max(x[i] * i for i in range(n))
        {own}[:] = np.array([x[i] * w for i in range(n)])
        {number} += np.sum(np.array([e * w for e in {vector} if e > 0.0]))
        {number} += np.sum(np.array([x[i] * r for i in range(n) for r in {row}]))
        {number} += np.sum(np.array([r * w for r in {matrix}]))
        {number} += np.sum(np.array([[e * i for e in {row}] for i in range(n)]))
        {number} += np.sum(np.array([x * i for i in range({count})] + [x]))
        {square}[:] = np.array([r * {float} for r in {matrix}])
        {square}[:] = np.stack([r + w for r in {matrix}])
        {number} += np.prod(np.array([k * w for k in (1, 2, {float})]))
        {number} += len([e for e in {vector} if e > 0.0]) * 0.1
        {number} += [e * w for e in {vector}][{index}]
        {number} += sum(squares({vector})) + squares({vector})[-1]
        {number} += [y for y in (w, {float}, 0.5)][{three}]
        {number} += sum(v for v in {{c: k * w for k, c in enumerate(NAMES)}}.values())
        {number} += {{c: e for c, e in zip(NAMES, (w, {float}, 0.5))}}["b"]
        {number} += sum(map(math.sin, {vector}))
        {number} += sum(map(lambda e, f: e * f, {vector}, {vector}))
        {number} += sum(e * e for e in reversed({vector}))
        {number} += sum(i * e for i, e in enumerate({vector}, 1))
        {number} += sum(a * b * i for i, (a, b) in enumerate(zip({vector}, {vector})))
        {number} += sum(t := e * w for e in {vector}) if n > 100 else w
    """),
)

ITERATED = Feature(
    statements=_lines("""
        for i, j in np.ndindex(n, m): {number} += A[i, j] * {float}
        for i, j in np.ndindex(A.shape): {square}[i, j] *= 0.5
        for (i, j), e in np.ndenumerate({matrix}): {number} += e * (i - j)
        for i in map(lambda k: k * k % n, range(n)): {number} += x[i]
        for e in map(math.sin, {vector}): {number} += e
        for e in reversed({vector}): {number} = 0.5 * {number} + e
        for i in reversed(range(0, n, 2)): {number} = 0.5 * {number} + x[i]
        for i, e in enumerate({vector}, start=1): {number} += i * e
        for i, e in enumerate((w, {float}, 0.25)): {number} += i * e
        for i, r in enumerate({matrix}): {number} += i * np.sum(r)
        for i, e in zip(range(1, n), {vector}): {number} += i * e
        for i, e in zip(range(n, 0, -1), {vector}): {number} += i * e
        for e, f, g in zip({vector}, {vector}, x): {number} += e * f * g
        for e, f in zip({vector}, (w, {float}, 0.5)): {number} += e * f
        for e, f in zip({vector}, {vector}, strict=True): {number} += e * f
        for c in "abc": {number} += 0.5 if c == "b" else w
        for k, c in enumerate("ab"): {number} += k * {float}
        for t in (w, {float}), (0.5, 0.25): {number} += t[0] * t[1]
        for f in (math.sin, math.cos, lambda t: t * w): {number} += f({float})
        for k, v in {{"a": w, "b": {float}}}.items(): {number} += v if k == "a" else 2.0 * v
        for k in {{"a": w, "b": 0.5}}: {number} += 0.5 if k == "a" else w
        for r in A.T: {number} += np.sum(r * r)
        for r in {matrix}[::-1]: {number} = 0.5 * {number} + r[0]
        for e in {vector}[1:]: {number} = 0.5 * {number} + e
        for e in {matrix}.flat: {number} = 0.5 * {number} + e
        for e in {matrix}.ravel(): {number} = 0.5 * {number} + e
        for k in KEYS: {number} += x[k % n]
        for lo, hi in ((0, 1), (0, n)): {number} += np.sum(x[lo:hi]) * {float}
        for k in (0, n - 1): {own}[k] += {float}
        for sl in (slice(None), slice(1, None)): {number} += np.sum(x[sl])
        for d in (-1, 1): {number} += np.roll({vector}, d)[0] * d
        for ax in (0, 1): {number} += np.sum({matrix}.sum(axis=ax) ** 2)
        for name in ("sin", "cos"): {number} += getattr(np, name)({float})
    """),
)

DICTS_TOO = Feature(
    head="""
KNOWN = {"low": 0.5, "high": 1.5}


def with_default(options, key="low"):
    return options.get(key, 0.25) + options["high"]


def extended(options, v):
    options["more"] = v
    return options
""",
    setup='opts = {"low": w, "high": 0.5}\nnested = {"in": {"a": w}, "l": [0.5, w], "t": (1.0, s)}\nby = {0: w, 1: 0.5, (0, 1): s}',
    statements=_lines("""
        opts["low"] += {float}
        opts["new"] = {float}
        opts.setdefault("new", {float})
        opts.setdefault("low", {float})
        {number} += opts.setdefault("new", 0.5)
        {number} += opts.pop("new", w)
        opts.update(low={float})
        opts.update({{"high": {float}, "low": 0.25}})
        opts = {{**KNOWN, "low": {float}}}
        opts = dict(KNOWN, low={float})
        opts = dict(low={float}, high=w)
        opts = dict([("low", {float}), ("high", w)])
        e = opts.copy(); e["low"] = {float}; {number} += opts["low"] + e["low"]
        e = opts; e["low"] *= {float}
        {number} += sum(opts.values()) + 0.1 * len(opts)
        {number} += sum(v * v for v in opts.values()) + max(opts.values())
        for k, v in opts.items(): {number} += v if k == "low" else 0.5 * v
        for k in opts: {number} += opts[k]
        for k in list(opts): opts[k] = opts[k] * 0.5
        {number} += with_default(opts) + with_default(KNOWN, "none")
        {number} += extended(opts, {float})["more"]
        {number} += opts["more"] if "more" in opts else w
        nested["in"]["a"] += {float}
        nested["in"] = {{"a": {float}}}
        inner = nested["in"]; inner["a"] *= 0.5
        nested["l"].append({float})
        {number} += sum(nested["l"]) + nested["t"][1] + nested["in"]["a"]
        {number} += by[0] + by[1] * by[0, 1]
        by[1] = {float}
        {number} += by.get(2, {float})
        a, b = opts["low"], opts["high"]; opts["low"], opts["high"] = b, a
        if {float} > 0.0: opts["low"] = {float}
        if {float} > 0.0: opts = {{"low": {float}, "high": w}}
        f1 = {{"s": math.sin, "c": math.cos}}; {number} += f1["s"]({float})
    """),
    values={"float": ['opts["low"]', 'opts.get("high", 0.5)', 'KNOWN["high"]', 'nested["in"]["a"]', "by[0]", 'nested["l"][0]']},
)

STEPS = Feature(
    head="""
def stepped(v, c):
    new = np.empty_like(v)
    new[0] = v[0]
    new[-1] = v[-1] * c
    for i in range(1, len(v) - 1):
        new[i] = v[i] + c * (v[i + 1] - 2.0 * v[i] + v[i - 1])
    return new
""",
    setup="P = np.outer(np.append(x, w), np.append(x, 0.5))\nQ = np.zeros_like(P)\nold = u.copy()\nnew = np.zeros(n)\nsums = np.zeros(n + 1)",
    names={"own": ["u", "old", "new"]},
    statements=_lines("""
        old = u.copy(); u[1:-1] = old[1:-1] + 0.1 * (old[2:] - 2.0 * old[1:-1] + old[:-2])
        old[:] = u; u[1:] = u[1:] - w * (old[1:] - old[:-1])
        | for {newcount} in range(3): | old = u.copy(); u[1:-1] += 0.1 * (old[2:] - old[:-2]) * {float} |
        | for {newcount} in range(n): | old = u.copy(); u[{index}] = math.sin(old[{index}]) * {float} |
        | for {newcount} in range(2): | u, new = new, u; u[1:] = 0.5 * new[:-1] |
        | for {newcount} in range(3): | u = stepped(u, {float}) |
        | for {newcount} in range(2): | new = stepped(u, w); u, new = new, u |
        | for {newindex} in range(1, n): | old = u.copy(); u[{it}] = old[{it} - 1] * w + u[{it}] |
        | for {newindex} in range(1, n): | sums[{it} + 1] = sums[{it}] * w + x[{it}] |
        | for {newindex} in range(n): | new[:] = 0.0; new[{it}] += {float}; u += new |
        | for {newindex} in range(n): | new = np.zeros(n); new[{it}:] = x[{it}:] * w; u += new * new |
        | for {newindex} in range(n): | sums[:] = 0.0; sums[{it}] = x[{it}]; {number} += np.sum(np.sin(sums)) |
        for i in range(1, n): u[i] = u[i - 1] * w + old[i] * x[i]
        for i in range(n - 1): u[i], u[i + 1] = u[i + 1] * w, u[i]
        for i in range(n): u[i] = math.sin(u[n - 1 - i]) * w
        for i in range(n): u[KEYS[i % 4] % n] += x[i] * u[i]
        for i in range(n): old[i] = u[i]; u[i] *= {float}; {number} += old[i] * u[i]
        for i in range(1, n): P[i, 1:] += P[i - 1, 1:] * w
        for i in range(n): P[i, :] = P[i + 1, :] * w + P[i, :]
        for i in range(1, n + 1): P[i, i] = P[i - 1, i - 1] * w + P[i, 0]
        P[1:-1, 1:-1] += 0.1 * (P[2:, 1:-1] + P[:-2, 1:-1] - 2.0 * P[1:-1, 1:-1])
        Q = P.copy(); P[1:, :] = 0.5 * (Q[1:, :] + Q[:-1, :])
        P, Q = Q, P
        Q[:] = P.T
        Q += P * {float}
        P[{index}] = Q[{index}] * w
        {number} += math.sin(np.sum(P * Q) + sums[-1])
        {number} += P[{index}, 0] * w
        t = u; u = old; old = t
        if {float} > 0.0: u, old = old, u
        while np.sum(u * u) > 2.0: u *= 0.5
    """),
    values={"float": ["P[{index}, -1]", "sums[{index}]", "old[{index}]", "np.sum(new)", "u[-1]"], "vector": ["P[1:, 0]", "sums[1:]", "stepped(u, 0.5)"]},
)

REARRANGED = Feature(
    statements=_lines("""
        {number} += math.sin(np.sum(np.expand_dims({vector}, 0) * np.expand_dims({vector}, 1)))
        {number} += math.sin(np.sum(np.squeeze({vector}[None, :, None]) * w))
        {number} += math.sin(np.sum(np.moveaxis({matrix}[None], 0, -1) * w) + np.ndim({matrix}) + np.size({matrix}, 1))
        {number} += math.sin(np.sum(np.broadcast_to({vector}, (2, n)) * w))
        {number} += math.sin(np.sum(np.broadcast_arrays({vector}, x)[0]))
        {number} += np.take({vector}, {index}) + np.sum(np.take({matrix}, [0], axis=1))
        {number} += math.sin(np.sum(np.take_along_axis({matrix}, np.argsort({matrix}, axis=1), axis=1)[:, 0]))
        {number} += A[np.unravel_index({index} % n, A.shape)] if n * m > 0 else w
        {number} += A.ravel()[np.ravel_multi_index((0, m - 1), (n, m))]
        np.copyto({own}, {vector})
        {own}[:] = np.ascontiguousarray({vector}[::-1])
        {number} += math.sin(np.sum(A[np.ix_([0, -1], [0])]))
        {number} += math.sin(np.sum(np.pad({matrix}, ((1, 0), (0, 2)))))
        {number} += math.sin(np.sum(np.pad({vector}, 2, mode="edge")) + np.pad({vector}, (1, 0), mode="reflect")[0])
        {number} += math.sin(np.sum(np.pad({vector}, 1, constant_values=w)))
        {number} += math.sin(np.sum(np.block([[A, A], [A, A * w]])))
        {number} += math.sin(np.sum(np.insert({vector}, 1, [w, 0.5])) + np.append({vector}, [w])[-1])
        {number} += math.sin(np.sum(np.hstack([{vector}, x])) + np.vstack([{vector}, x])[0, -1] + np.dstack([A, A])[0, 0, 1])
        {number} += math.sin(np.sum(np.column_stack([{vector}, x])) + np.concatenate((A, A), axis=1)[0, -1])
        {number} += math.sin(np.sum(np.mgrid[0:2, 0:3][0] * w) + np.indices((2, n))[1].sum())
        {number} += math.sin(np.sum(np.fromfunction(lambda i, j: i * w + j, (n, 2))))
        {number} += math.sin(np.sum({matrix}.reshape(-1)) + {matrix}.reshape((m, n))[0, 0] + {matrix}.reshape(1, -1)[0, -1])
        {number} += math.sin(np.sum({matrix}.T.reshape(-1) * {float}) + {matrix}.T[0, -1])
        {number} += math.sin(np.sum(np.rot90({matrix})[0]) + np.fliplr({matrix})[0, 0] + np.flipud({matrix})[0, 0])
        {number} += math.sin(np.sum(np.tril({matrix}, -1)) + np.trace({matrix}) + np.sum(np.triu({matrix}, k=1)))
        {number} += math.sin(np.max({matrix}, axis=0)[0] + np.argmax({matrix}, axis=1)[0] * w)
        {number} += math.sin(np.sum({matrix}.cumsum(axis=0)[-1]) + np.sum(np.diff({matrix}, axis=0)))
        {number} += math.sin(np.einsum("ij,kj->ik", A, {matrix})[0, -1] + np.einsum("i,j->ij", {vector}, x)[0, 0])
        {number} += math.sin(np.einsum("ij->j", {matrix})[0] + np.einsum("ii", A @ A.T) + np.einsum("i,i,i", x, x, {vector}))
        {number} += math.sin(np.sum(np.matmul(A.T, {matrix})) + np.vecdot({vector}, x) if n > 100 else np.sum(A.T @ {matrix}))
        {number} += math.sin(np.sum(np.kron({vector}, np.array([1.0, w]))) + np.sum(np.cross(np.array([w, 0.5, s]), np.array([1.0, 2.0, w]))))
        {number} += math.sin(np.sum({vector}[np.arange(n)[::-1]]) + np.sum({matrix}[:, [0, 0]]) + np.sum({matrix}[[0, -1], [0, 0]]))
        {number} += math.sin(np.sum({matrix}[np.array([0, -1])]) + np.sum({matrix}[{matrix} > 0.1]))
        {square}[{matrix} > 0.0] *= 0.5
        {square}[:, 0] += {float}
        {square}[..., -1] = {vector}
        {square}[[0, -1]] += 0.5
        {square}[np.arange(n), 0] = {vector}
        {square}[{index}, :] = {row}
        {square}.T[0] *= {float}
        {square}.reshape(-1)[0] = {float}
        {square}[::2, ::-1] += {float}
        np.fill_diagonal({square}, {float})
        {own}.fill({float})
        {own}.sort()
        np.subtract.at({own}, [0, -1], {float})
        {number} += np.add.reduce({vector}) + np.multiply.accumulate({vector})[-1] + np.add.outer({vector}, x)[0, 0]
    """),
)

HASHED = Feature(
    head="""
import collections


def noted(table, k, e):
    if k in table:
        return table[k]
    table[k] = e * 0.5
    return table[k]


def memo(table, k, e):
    if k < 2:
        return e * k
    if k not in table:
        table[k] = memo(table, k - 1, e) + 0.5 * memo(table, k - 2, e)
    return table[k]
""",
    setup="found, e2, seen, tally = {}, collections.defaultdict(float), set(), collections.Counter()\nkk = 1",
    statements=_lines("""
        found[{key}] = {float}
        found[{key}] = found.get({key}, w) + 0.5 * {float}
        e2[{key}] += {float}
        pairs = {{({key}, 1): {float}}}; pairs[kk, 1] = {float}; {number} += math.sin(sum(pairs.values()))
        seen.add({key})
        seen.discard({key})
        tally[{key}] += 1
        kk = {key}
        if {key} in found: {number} += math.sin(found[kk] if kk in found else w)
        if {key} in seen: {number} += {float}
        {number} += math.sin(found.pop({key}, {float}))
        {number} += math.sin(found.setdefault({key}, {float}))
        {number} += math.sin(noted(found, {key}, {float}))
        {number} += math.sin(memo({{}}, 4, {float}))
        {number} += math.sin(sum(e2.values()) + sum(found.values())) + 0.1 * len(found) + 0.1 * len(seen)
        for k, v in found.items(): {number} = 0.5 * {number} + k * math.sin(v)
        for k in list(found): found[k] *= 0.5
        for k in sorted(seen): {number} = 0.5 * {number} + k
        for {newindex} in range(n):
        if {key} not in found:
        before = found.get({key}); {number} += w if before is None else math.sin(before)
        if found: k, v = found.popitem(); {number} += k * math.sin(v)
        if kk in found: del found[kk]
        found = {{k: v * 0.5 for k, v in found.items() if v > -1.0}}
        other = dict(found); other[{key}] = 0.25; {number} += math.sin(sum(other.values()))
        sets = [{{i % 3 for i in range(n)}}]; {number} += len(sets[0] | seen) - len(sets[0] & seen) + len(sets[0] - seen)
        seen = {{k * 2 for k in range(n)}}
        groups = collections.defaultdict(list) | for {newindex} in range(n): | groups[{key}].append(x[{it}]) | {number} += len(groups)
        {number} += math.sin(sum(tally.values())) + tally[kk]
    """),
    values={"key": ["{index}", "kk", "({index} + 3 * kk)", "len(found)", "KEYS[0]", "2"], "float": ["e2[kk]", "found.get(kk, w)", "float(len(seen))", "0.1 * tally[2]"]},
)

QUEUED = Feature(
    head="""
import bisect
import heapq
from collections import deque


def cheapest(costs):
    heap, total = [], 0.0
    for k, e in enumerate(costs):
        heapq.heappush(heap, (e * e, k))
    while heap:
        e, k = heapq.heappop(heap)
        total = 0.5 * total + e * k
    return total
""",
    setup="q = deque([w, 0.5], maxlen=4)\nheap = [(w, 0)]\nordered = [w]\nA2 = [[w, 0.5], [0.25]]\nlast = deque()",
    statements=_lines("""
        q.append({float})
        q.appendleft({float})
        if q: {number} += q.pop()
        if q: {number} += q.popleft()
        q.rotate({two})
        q.extend({vector})
        {number} += math.sin(sum(q) + len(q))
        if q: q[0] = {float}
        if len(q) > 1: q[-1] += {float}
        for v in q: {number} = 0.5 * {number} + v
        for v in list(q): q.append(v * 0.5)
        heapq.heappush(heap, ({float}, len(heap)))
        if heap: v, k = heapq.heappop(heap); {number} += v * k
        {number} += heapq.heappushpop(heap, ({float}, 1))[0]
        {number} += math.sin(cheapest({vector}))
        {number} += heapq.nsmallest(1, {vector})[0] + max(heap, default=(w, 0))[0] if n > 100 else w
        bisect.insort(ordered, {float})
        {number} += bisect.bisect_left(ordered, {float})
        ordered.sort(key=lambda v: -abs(v))
        {number} += min(ordered, key=lambda v: abs(v - w)) + max((v, k) for k, v in enumerate(ordered))[1]
        {number} += math.sin(math.prod(ordered))
        del ordered[0]; ordered.append({float})
        A2[{two}].append({float})
        A2[{two}][0] = {float}
        A2[0][0] *= 0.5
        A2.append([{float} for _ in range(n)])
        row = A2[{two}]; row[0] += {float}
        A2[0], A2[1] = A2[1], A2[0]
        for row in A2: {number} = 0.5 * {number} + sum(row)
        {number} += math.sin(sum(sum(row) * k for k, row in enumerate(A2)))
        T = [[A[i, j] for i in range(n)] for j in range(m)]; T[0][0] = {float}; {number} += math.sin(sum(map(sum, T)))
        last.append({vector} * 0.5)
        if last: v = last.popleft(); {number} += math.sin(np.sum(v))
        for {newindex} in range(n):
        if len(q) > 2:
        it = iter(ordered); {number} += next(it) * math.sin(sum(it))
        it = iter(x) | while (v := next(it, None)) is not None: | {number} = 0.5 * {number} + v | pass
    """),
    values={"float": ["ordered[0]", "A2[0][0]", "sum(A2[1])", "(q[-1] if q else w)", "(heap[0][0] if heap else 0.5)"]},
)

FEATURES = {
    "aliases": ALIASES,
    "lists": LISTS,
    "dicts": DICTS,
    "objects": OBJECTS,
    "structures": STRUCTURES,
    "transforms": TRANSFORMS,
    "marks": MARKS,
    "library": LIBRARY,
    "exits": EXITS,
    "mixed": MIXED,
    "closures": CLOSURES,
    "counted": COUNTED,
    "narrow": NARROW,
    "deep": DEEP,
    "single": SINGLE,
    "attempts": ATTEMPTS,
    "texts": TEXTS,
    "inside": INSIDE,
    "more of the library": LIBRARY_TOO,
    "nested": NESTED,
    "growing": GROWING,
    "comprehended": COMPREHENDED,
    "iterated": ITERATED,
    "more of dicts": DICTS_TOO,
    "steps": STEPS,
    "rearranged": REARRANGED,
    "hashed": HASHED,
    "queued": QUEUED,
}
IMPORTS = "import dataclasses\nfrom typing import NamedTuple\nimport linad\nimport numba\nfrom jaxtyping import UInt8\n"
PARAMS = 'x: Float64[np.ndarray, "n"], A: Float64[np.ndarray, "n m"], w: float'


_PART = re.compile(r"(?:^|(?<=\s))\|(?=\s|$)")
_LEAVES = {"for": ["break", "continue"], "while": ["break"]}  # behind a `continue` a counter would not move
_CHOICES = {"two": ["0", "1"], "three": ["0", "1", "2"], "count": ["0", "1", "2", "n", "n - 1"]}


class _Writer:
    def __init__(self, source: Source, features: list[Feature], size: int) -> None:
        self.pick, self.number, self.left = source.pick, source.number, size
        self.result = self.pick(["{}", "{}", "({}, u.copy())", "(({}, n), B.copy())"])  # what is returned, around a float
        self.statements = [s for f in (BASE, *features) for s in f.statements]
        self.own = [s for f in features for s in f.statements] or self.statements
        self.values: dict[str, list[str]] = {}
        self.names: dict[str, list[str]] = {}
        for f in (BASE, *features):
            for into, given in ((self.values, f.values), (self.names, f.names)):
                for kind, texts in given.items():
                    into.setdefault(kind, []).extend(texts)
        self.lines: list[str] = []
        self.depth = 1
        self.leaves = ["pass"]  # what may leave the innermost loop
        self.it = ""  # the last new name
        self.fresh = count()

    def line(self, text: str) -> None:
        self.lines += ["    " * self.depth + line for line in text.splitlines()]

    def filled(self, text: str, depth: int, bound: dict[str, list[str]]) -> str:
        def value(match: re.Match) -> str:
            kind = match[1]
            if kind.startswith("new"):
                name = f"{kind[3]}{next(self.fresh)}"
                bound.setdefault(kind[3:], []).append(name)
                self.it = name
                return name
            if kind == "it":
                return self.it
            if kind in _CHOICES:
                return self.pick(_CHOICES[kind])
            if kind == "loop":
                return self.pick(self.leaves)
            if kind == "leave":
                return f"return {self.result.format(self.filled('math.sin({float})', depth, {}))}"
            known = [*self.names.get(kind, ()), *bound.get(kind, ())] if kind not in ("own", "square", "number") else []
            leaves = [v for v in self.values.get(kind, ()) if "{" not in v or "{t" in v] + known
            if kind in ("own", "square", "number"):
                return self.pick(self.names[kind])
            chosen = self.pick(self.values[kind] + known if depth else leaves or self.values[kind])
            return self.filled(chosen, depth - 1 if depth else 0, {})

        return _HOLE.sub(value, text).replace("{{", "{").replace("}}", "}")

    def body(self, most: int) -> None:
        before = len(self.lines)
        for _ in range(self.number(1, most)):
            if self.left > 0:
                self.left -= 1
                self.statement()
        if len(self.lines) == before:
            self.line("pass")

    def simple(self, text: str) -> None:
        for part in text.split("; ") if text else ():
            self.line(part)

    def statement(self) -> None:
        text = self.pick(self.own if self.number(0, 2) else self.statements)
        parts = [part.strip() for part in _PART.split(text)]
        before, text, first, last = parts if len(parts) == 4 else ("", text, "", "")
        opens = text.endswith(":")
        if opens and self.depth > 3:
            return
        bound: dict[str, list[str]] = {}
        before, text = (self.filled(part, 2, bound) for part in (before, text))
        self.simple(before)
        self.simple(text)
        if not opens:
            return
        first, last = (self.filled(part, 2, bound) for part in (first, last))
        kept, floats = {kind: list(names) for kind, names in self.names.items()}, len(self.values["float"])
        for kind, names in bound.items():
            self.names.setdefault(kind, []).extend(names) if kind in ("index", "row") else self.values["float"].extend(names)
        leaves = self.leaves
        self.leaves = next((v for k, v in _LEAVES.items() if text.startswith(k)), leaves)
        self.depth += 1
        self.simple(first)
        self.body(3)
        self.simple(last)
        self.depth, self.leaves = self.depth - 1, leaves
        del self.values["float"][floats:]
        self.names = kept
        if text.startswith("if") and self.number(0, 2) == 0:
            self.line("else:")
            self.depth += 1
            self.body(2)
            self.depth -= 1


def written_language(source: Source, size: int = 10, common: Source | None = None) -> Program:
    """A program with arguments, from a source of choices; ``common``: that of its features."""
    of = common or source
    chosen = list(dict.fromkeys(of.pick(list(FEATURES)) for _ in range(of.number(1, 4 if size > 4 else 2))))
    features = [FEATURES[name] for name in chosen]
    w = _Writer(source, features, size)
    while w.left > 0:
        w.left -= 1
        w.statement()
    used = "\n".join(w.lines)
    before = [line for f in (BASE, *features) for line in f.setup.splitlines()]
    after = [f"s += np.sum({name} * np.cos({name}))" for name in w.names["own"] if size > 4 or name in used]
    after += ["s += np.sum(B * B)"] if size > 4 or "B" in used else []
    after += [f"return {w.result.format('s')}"]
    if source.number(0, 2):
        before = _needed(before, "\n".join((used, *after)))
    n, m = source.pick([1, 2, 3, 3, 4]), source.number(1, 3)
    rng = np.random.default_rng(source.number(0, 2**16))
    args: tuple[Any, ...] = (rng.normal(size=n), rng.normal(size=(n, m)), float(rng.normal()))
    args += tuple(made(rng) for f in features for made in f.parameters.values())
    parameters = ", ".join((PARAMS, *(p for f in features for p in f.parameters)))
    heads = "\n".join(f.head for f in features)
    body = "\n".join((*(f"    {line}" for line in before), *w.lines, *(f"    {line}" for line in after)))
    text = f"{IMPORTS}{HEADER}\n{heads}\n\ndef f({parameters}):\n{body}\n"
    return Program(text, args, not {"mixed", "single", "narrow"}.isdisjoint(chosen))


def _needed(lines: list[str], after: str) -> list[str]:
    """Of the statements before a text those whose names it uses."""
    kept: list[str] = []
    for line in reversed(lines):
        names = re.findall(r"\w+", line.partition(" = ")[0]) if line[0] != " " and " = " in line else []
        if not names or any(re.search(rf"\b{name}\b", after) for name in names):
            kept.insert(0, line)
            after = f"{line}\n{after}"
    return kept
