"""Whole programs of what the other writers leave out: arrays under several names, lists that grow, dicts, objects, structures,
functions of functions, custom rules, checkpoint marks, library functions, exceptions, mixed dtypes.

A program takes a few features (few, so that those it has meet often), each a row of `FEATURES`: what stands before the function,
what it begins with, what it may then state, and how its values are read. In a text, ``{float}``, ``{vector}`` and the like are
places for an expression or a name of that kind; a statement that ends in a colon opens a block.
"""

from __future__ import annotations

import re
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
        A line each; ``;`` stands between statements, ``:`` at the end opens a block.
    values
        By kind, expressions.
    """

    head: str = ""
    setup: str = ""
    names: dict[str, list[str]] = field(default_factory=dict)
    statements: list[str] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)


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
            1.0 / (1.0 + {float} ** 2)
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
}
IMPORTS = "import dataclasses\nfrom typing import NamedTuple\nimport linad\n"
PARAMS = 'x: Float64[np.ndarray, "n"], A: Float64[np.ndarray, "n m"], w: float'


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
        self.fresh = count()

    def line(self, text: str) -> None:
        self.lines += ["    " * self.depth + line for line in text.splitlines()]

    def filled(self, text: str, depth: int, bound: dict[str, list[str]]) -> str:
        def value(match: re.Match) -> str:
            kind = match[1]
            if kind.startswith("new"):
                name = f"{kind[3]}{next(self.fresh)}"
                bound.setdefault(kind[3:], []).append(name)
                return name
            if kind == "three":
                return str(self.number(0, 2))
            if kind == "leave":
                return f"return {self.result.format(self.filled('math.sin({float})', depth, {}))}"
            known = [*self.names.get(kind, ()), *bound.get(kind, ())] if kind not in ("own", "square", "number") else []
            leaves = [v for v in self.values.get(kind, ()) if "{" not in v] + known
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

    def statement(self) -> None:
        text = self.pick(self.own if self.number(0, 2) else self.statements)
        opens = text.endswith(":")
        if opens and self.depth > 3:
            return
        bound: dict[str, list[str]] = {}
        text = self.filled(text, 2, bound)
        if not opens:
            head, _, rest = text.partition("; ")
            for part in (head, *rest.split("; ")) if rest else (head,):
                self.line(part)
            return
        self.line(text)
        kept = {kind: list(names) for kind, names in self.names.items()}
        for kind, names in bound.items():
            self.names.setdefault(kind, []).extend(names) if kind in ("index", "row") else self.values["float"].extend(names)
        floats = len(self.values["float"]) - len(bound.get("float", ()))
        self.depth += 1
        self.body(3)
        self.depth -= 1
        del self.values["float"][floats:]
        self.names = kept
        if text.startswith("if") and self.number(0, 2) == 0:
            self.line("else:")
            self.depth += 1
            self.body(2)
            self.depth -= 1


def written_language(source: Source, size: int = 10) -> Program:
    """A program with arguments, from a source of choices."""
    chosen = list(dict.fromkeys(source.pick(list(FEATURES)) for _ in range(source.number(1, 4))))
    features = [FEATURES[name] for name in chosen]
    w = _Writer(source, features, size)
    for f in (BASE, *features):
        if f.setup:
            w.line(f.setup)
    while w.left > 0:
        w.left -= 1
        w.statement()
    for name in w.names["own"]:
        w.line(f"s += np.sum({name} * np.cos({name}))")
    w.line("s += np.sum(B * B)")
    w.line(f"return {w.result.format('s')}")
    n, m = source.pick([1, 2, 3, 3, 4]), source.number(1, 3)
    rng = np.random.default_rng(source.number(0, 2**16))
    args: tuple[Any, ...] = (rng.normal(size=n), rng.normal(size=(n, m)), float(rng.normal()))
    heads = "\n".join(f.head for f in features)
    text = f"{IMPORTS}{HEADER}\n{heads}\n\ndef f({PARAMS}):\n" + "\n".join(w.lines) + "\n"
    single = "mixed" in chosen
    return Program(text, args, single)
