"""Methods, properties, static and class methods, operators and class variables of records: against CPython and differences."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck import check_source

from ..arrays.near import gradient, parts
from ..prelude import HEADER
from ..properties.roads import Whole
from ..kit import load

CLASSES = '''
import dataclasses
from typing import ClassVar, NamedTuple


def tripled(a):
    return a * 3.0


@dataclasses.dataclass(frozen=True)
class Base:
    w: np.ndarray
    b: float = 1.0
    LIMIT = 2.5
    ORDER: ClassVar[int] = 2

    def __call__(self, x):
        return tripled(self.w * x + self.b)

    @property
    def size(self):
        return len(self.w)

    @staticmethod
    def square(t):
        return t * t

    @classmethod
    def of(cls, w):
        return cls(w, 2.0)

    def __add__(self, other):
        return type_free(self.w + other.w, self.b + other.b)

    def __rmul__(self, c):
        return Base(c * self.w, c * self.b)

    def scaled(self, by=2.0, *, plus=0.0):
        return dataclasses.replace(self, b=self.b * by + plus)

    def update(self, k, v):
        self.w[k] = v


def type_free(w, b):
    return Base(w, b)


@dataclasses.dataclass(frozen=True)
class Child(Base):
    c: float = 0.5

    @property
    def size(self):
        return 10.0 * self.c


class Point(NamedTuple):
    x: float
    y: float

    @property
    def norm(self):
        return math.hypot(self.x, self.y)

    def dot(self, other):
        return self.x * other.x + self.y * other.y

    def __sub__(self, other):
        return Point(self.x - other.x, self.y - other.y)


def weights():
    return [1.0, 2.0]


@dataclasses.dataclass
class Log:
    total: float = 0.0
    xs: list = dataclasses.field(default_factory=list)
    ys: list = dataclasses.field(default_factory=weights)
    by: dict = dataclasses.field(default_factory=dict)
    w: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(2))

    def push(self, v):
        self.xs.append(v)
        self.w[0] += v
        self.by["last"] = v
        return self
'''
X, Y = np.array([1.0, 2.0, 3.0]), np.array([0.5, -1.0, 2.0])
BODIES = {
    "call and property": "m = Base(x, y[0])\nreturn m(y) * m.size",
    "static, by class and instance": "m = Base(x, y[0])\nreturn Base.square(x) + m.square(y)",
    "class method": "m = Base.of(x)\nreturn m(y) + m.of(y).w",
    "keywords and defaults": "m = Base(x, y[0]).scaled(by=3.0).scaled(plus=y[1])\nreturn m.w * m.b",
    "operators": "m = Base(x) + Base(y) + 2.0 * Base(x, y[2])\nreturn m.w * m.b",
    "inherited and overridden": "m = Child(x, 2.0, y[0])\nreturn m(y) * m.size + Child.square(x)",
    "class variables": "m = Base(x)\nreturn x * m.LIMIT ** Base.ORDER",
    "an update through a method": "m = Base(x.copy())\nm.update(1, y[0])\nreturn m.w * y",
    "named tuples": "p = Point(x[0], x[1])\nq = Point(y[0], y[1])\nreturn p.dot(q) * (p - q).norm",
    "in a loop": "m = Base(x, 0.5)\nfor k in range(3):\n    m = m.scaled(plus=y[k])\nreturn m(y)",
    "made by factories": "a, b = Log(), Log(2.0)\na.push(x[0]).push(y[1])\nb.push(x[1])\nb.ys[0] = y[0]\n"
    "return np.sum(a.xs) * np.sum(b.xs) * a.w[0] * a.by['last'] + b.ys[0] * a.ys[0] + b.w[0] * len(a.xs) * b.total",
    "by the class": "m = Base(x, 0.5)\nreturn Base.scaled(m, 4.0).b * x",
}


def program(body: str):
    text = "".join(f"    {line}\n" for line in body.splitlines())
    return HEADER + CLASSES + "\n\ndef f(x, y):\n" + text


@pytest.mark.parametrize("name", BODIES)
def test_programs(name):
    f = load(program(BODIES[name]))
    whole = Whole(f, (X, Y))
    assert not whole.errors, whole.errors
    wanted, got = f(X.copy(), Y.copy()), whole.run(whole.prepared)[0]
    for a, b in zip(parts(wanted), parts(got), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-12)
    gradient(whole, f, (X, Y), name)


@pytest.mark.parametrize("name", BODIES)
def test_the_editor_finds_the_same_functions(name):
    text = program(BODIES[name]).replace("def f(x, y)", "@linear_grad\ndef f(x, y)")
    assert [d for d in check_source(text, "a.py") if d.severity == "error"] == []


def test_the_callers_arrays_are_still_the_callers():
    """A record made of a parameter by a method does not make that array one's own."""
    whole = Whole(load(program("m = Base(x).scaled()\nm.update(0, 1.0)\nreturn m.w * y")), (X, Y))
    assert any("LIN10" in e for e in whole.errors)
    Whole(load(program("u = x.copy()\nm = Base(u).scaled()\nm.w[0] = 1.0\nreturn u * y")), (X, Y)).holds()
