"""Programs in which objects, lists and dicts have several names and are changed under any of them."""

from __future__ import annotations

import random

import numpy as np

from ..sources import Source
from ..strategies import Program

BEFORE = """import numpy as np
from dataclasses import dataclass
@dataclass
class P:
    a: float
    b: float
class Q:
    def __init__(self, a, b):
        self.a = a
        self.b = b
    def bump(self, k):
        self.a = self.a * k + self.b
        return self
def mix(p, q):
    p.a = p.a + q.b * 0.5
    q.b = p.a * q.a
    return p
def same(p):
    return p
def push(xs, v):
    xs.append(v)
    return xs
def fresh(p):
    return P(p.b, p.a)


"""
BEGIN = """def f(x, n: int, c: bool):
    s = 0.0
    p = {cls}(x[0], 1.5)
    q = {cls}(x[1], x[2])
    xs = [x[3], 0.5]
    d = {{'k': x[0], 'o': p}}
"""
DEEP = 2  # loops and conditions inside each other


def written_objects(source: Source, least: int = 4, most: int = 10) -> Program:
    """A program of four to ten statements, or so many, some with others inside."""
    draw = random.Random(source.number(0, 2**30))
    text = _Writer(draw).program(draw.randint(least, most))
    values = np.array([round(draw.gauss(0.0, 1.0), 3) for _ in range(4)])
    return Program(text, (values, draw.randrange(4), draw.random() < 0.5))


class _Writer:
    def __init__(self, draw: random.Random) -> None:
        self.draw, self.lines, self.count = draw, [], 0
        self.cls = draw.choice("PQ")
        self.known = {"o": ["p", "q"], "l": ["xs"], "d": ["d"], "t": [], "i": []}

    def of(self, kind: str) -> str:
        return self.draw.choice(self.known[kind])

    def new(self, kind: str) -> str:
        """A name for a value of a kind, which is known once its statement has been written."""
        self.count += 1
        return f"{kind}{self.count}"

    def number(self) -> str:
        pick = self.draw.choice
        ways = [f"x[{self.draw.randrange(4)}]", f"{self.of('o')}.{pick('ab')}", f"{self.of('o')}.{pick('ab')}"]
        ways += [f"{self.of('l')}[{pick(['0', '-1'])}]", f"{self.of('d')}['k']"]
        ways += [f"x[{i}]" for i in self.known["i"]]
        if self.draw.random() < 0.2:
            return f"{self.number()} * {self.number()}"
        return pick(ways)

    def condition(self) -> str:
        return self.draw.choice(["c", "n > 1", f"{self.number()} > 0.1", *(f"{i} % 2 == 0" for i in self.known["i"])])

    def object(self) -> str:
        a, b = self.of("o"), self.of("o")
        ways = [a, a, f"{self.cls}({self.number()}, {self.number()})", f"same({a})", f"mix({a}, {b})"]
        ways += [f"{a} if {self.condition()} else {b}", f"{self.of('d')}['o']"]
        ways += [f"{t}[{self.draw.choice('01')}]" for t in self.known["t"]]
        ways += [f"{a}.bump({self.number()})"] * (self.cls == "Q")
        return self.draw.choice(ways)

    def list(self) -> str:
        a = self.of("l")
        return self.draw.choice([a, f"[{self.number()}]", f"{a}[:]", f"push({a}, {self.number()})"])

    def dict(self) -> str:
        made = f"{{'k': {self.number()}, 'o': {self.of('o')}}}"
        return self.draw.choice([self.of("d"), f"dict({self.of('d')})", made])

    def simple(self) -> tuple[str, str]:
        """A statement, and the name that it gives to something, if it is a new one."""
        pick, number, o = self.draw.choice, self.number(), self.of("o")
        values = {"o": self.object, "l": self.list, "d": self.dict, "t": lambda: f"({o}, {self.object()})"}
        kind = pick("oooltd")
        name = self.new(kind) if kind in "td" or self.draw.random() < 0.5 else self.of(kind)
        ways = [(f"{name} = {values[kind]()}", name)] * 4
        ways += [(f"{o}.{pick('ab')} {pick(['=', '+=', '*='])} {number}", "")] * 3
        ways += [(f"{self.of('l')}.append({number})", ""), (f"{self.of('l')}[{pick(['0', '-1'])}] += {number}", "")]
        ways += [(f"{self.of('d')}['k'] *= {number}", ""), (f"{self.of('d')}['o'].a = {number}", "")]
        ways += [(f"{self.of('d')}['o'] = {o}", ""), ("p, q = q, p", ""), (f"mix({o}, {self.of('o')})", "")]
        return pick([*ways, (f"s = s * 0.5 + {number}", "")])

    def statement(self, indent: str, depth: int) -> None:
        kind = self.draw.random() if depth < DEEP else 1.0
        if kind > 0.25:
            text, name = self.simple()
            self.lines.append(indent + text)
            if name and name not in self.known.get(name[0], ()) and name[-1].isdigit():
                self.known[name[0]].append(name)
            return
        before = {k: list(v) for k, v in self.known.items()}
        if kind < 0.12:
            i = self.new("i")
            self.lines.append(f"{indent}for {i} in range({self.draw.choice(['n', '2', '3'])}):")
            self.known["i"].append(i)
        else:
            self.lines.append(f"{indent}if {self.condition()}:")
        for _ in range(self.draw.randint(1, 4)):
            self.statement(indent + "    ", depth + 1)
        self.known = before

    def program(self, size: int) -> str:
        for _ in range(size):
            self.statement("    ", 0)
        terms = {"o": "{0}.a * {0}.b", "l": "sum({0}) * len({0})", "d": "{0}['k'] * {0}['o'].a"}
        terms["t"] = "{0}[0].a * {0}[1].b"
        total = " + ".join(terms[k].format(name) for k in terms for name in self.known[k])
        return f"{BEFORE}{BEGIN.format(cls=self.cls)}" + "\n".join(self.lines) + f"\n    return s + {total}\n"
