"""Random programs with lists, dicts and objects that have several names, are changed under them, in loops and by calls."""

from __future__ import annotations

from collections.abc import Iterator

from .sources import Source

HEAD = """
import numpy as np
from dataclasses import dataclass

@dataclass
class P:
    q: float
    v: np.ndarray
    h: list
    def bump(self, c):
        self.q = self.q * 0.5 + c
        return self.q
    def fill(self, c):
        self.h.append(c)
    def take(self, o):
        self.h = o.h
    def me(self):
        return self
    def twin(self):
        return P(self.q + 1.0, self.v, self.h)

def set_q(p, o, c):
    p.q = o.q + c
    o.q = o.q * 0.5

def put(h, c):
    h.append(c)
    h[0] = h[0] * 0.5 + c

def choose(p, o, first):
    return p if first else o

def swap(p, o):
    p.h, o.h = o.h, p.h
    return o

def renew(p, c):
    p = P(c, p.v * 1.0, p.h)
    p.q += 1.0
    p.h.append(c)
    return p

def f(x, c, n):
"""
START = """
p = P(c, x * 1.0, [c, 1.0])
o = P(c * 2.0, x * 2.0, [2.0, c])
r = p
h = [c, 0.5]
g = h
d = {"p": p, "h": h, "k": c}
e = d
ps = [p, o]
s = 0.0
"""
END = """
return (s + p.q + 2.0 * o.q + 3.0 * r.q + p.v[0] + o.v[1] * r.v[0] + sum(p.h) + 0.3 * sum(o.h) + 0.7 * sum(r.h) + 1.1 * sum(h)
        + 1.3 * sum(g) + d["p"].q + d["k"] * e["k"] + 0.9 * sum(d["h"]) + 1.7 * e["p"].q + 0.1 * ps[0].q + 0.2 * ps[1].q
        + len(h) + 10.0 * len(g) + 0.01 * len(d["h"]) + len(p.h) * 3.0 + len(o.h) * 5.0)
"""
OBJECTS = ("p", "o", "r", 'd["p"]', 'e["p"]', "ps[0]", "ps[1]")
LISTS = ("h", "g", "p.h", "o.h", "r.h", 'd["h"]', 'e["h"]', "ps[0].h")
DICTS = ("d", "e")
NUMBERS = ("c", "s", "p.q", "o.q", "r.q", "h[0]", "g[-1]", 'd["k"]', "x[0]", "p.h[0]", 'e["p"].q', "p.v[0]", "len(h) * 0.1")


def _number(source: Source) -> str:
    a, b = source.pick(NUMBERS), source.pick(NUMBERS)
    return source.pick((a, f"{a} * 0.5 + {b} * 0.25", f"{a} - 0.5 * {b}", f"np.sin({a})"))


def _simple(source: Source) -> str:
    obj, other, lst, dct, k = (source.pick(t) for t in (OBJECTS, OBJECTS, LISTS, DICTS, NUMBERS))
    target = source.pick(("p", "o", "r"))
    number = _number(source)
    return source.pick((
        f"{obj}.q = {number}", f"{obj}.q += {number}", f"{lst}.append({number})", f"{lst}[0] = {number}", f"{lst}[-1] += {number}",
        f'{dct}["k"] = {number}', f'{dct}["p"] = {obj}', f'{dct}["h"] = {lst}', f"{target} = {obj}", f"{target} = {obj}.twin()",
        f"{source.pick(('h', 'g'))} = {lst}", f"{source.pick(('d', 'e'))} = {dct}", f"{obj}.h = {lst}", f"s += {obj}.bump({k})",
        f"{obj}.fill({number})", f"{obj}.take({other})", f"set_q({obj}, {other}, {k})", f"put({lst}, {k})",
        f"{target} = choose({obj}, {other}, {k} > 0.5)", f"{target} = {obj} if {k} > 0.4 else {other}", f"{target} = swap({obj}, {other})",
        f"{target} = renew({obj}, {k})", f"s += {obj}.q * {number}", f"s += sum({lst})", f"{lst}.pop()", f"s += {lst}.pop(0)",
        f"{target} = P({number}, x * {k}, {lst})", f"{source.pick(('h', 'g'))} = {lst}.copy()", f"{obj}.v[0] = {number}",
        f"{obj}.v = {other}.v * 0.5", f"ps[{source.number(0, 1)}] = {obj}", f"{source.pick(('d', 'e'))} = dict({dct})", f"{target} = {obj}.me()",
        f"{source.pick(('h', 'g'))} = [{number}, {k}]", f"{lst} += [{number}]", f"p, o = {obj}, {other}",
    ))  # fmt: skip


def _block(source: Source, depth: int, most: int) -> Iterator[str]:
    for _ in range(source.number(1, most)):
        kind = source.number(0, 9) if depth else 0
        if kind < 6:
            yield _simple(source)
            continue
        head = source.pick((
            f"if {source.pick(NUMBERS)} > {source.pick(('0.3', '0.8', '1.5'))}:", "for i in range(n):", "for i in range(2):",
            f"for w in {source.pick(LISTS)}:", "for w in x:", "for z in ps:", f"if {source.pick(('p is o', 'n > 2', 'len(h) > 3'))}:",
        ))  # fmt: skip
        yield head
        if head.startswith("for z"):
            yield f"    z.q = z.q * 0.5 + {source.pick(NUMBERS)}"
        yield from (f"    {line}" for line in _block(source, depth - 1, 4))
        if head.startswith("if") and source.number(0, 1):
            yield "else:"
            yield from (f"    {line}" for line in _block(source, depth - 1, 3))


def program(source: Source) -> str:
    lines = [*START.strip().splitlines(), *_block(source, 2, 7), *END.strip().splitlines()]
    return HEAD + "".join(f"    {line}\n" for line in lines)
