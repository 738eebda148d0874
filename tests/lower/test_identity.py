"""Which dicts and objects are one, and may not be changed under either name, and which are known to be two."""

import numpy as np
import pytest

from ..properties.roads import Whole
from ..strategies import load

HEAD = """
import dataclasses
import math
import numpy as np

@dataclasses.dataclass
class P:
    q: float
    v: np.ndarray
    def kicked(self, c):
        return P(self.q, self.v * c)
    def perhaps(self, c):
        return self if c > 1.0 else P(self.q, self.v)

def copied(d):
    e = dict(d)
    e["q"] = e["q"] * 2.0
    return e

def twins(c):
    d = {"q": c}
    return d, d

def f(x, c: float, n: int):
"""
MADE = 'd = {"q": c, "v": x * 2.0}\n'
OBJECT = "p = P(c, x * 2.0)\n"
TWO = {
    "dict(d)": MADE + 'e = dict(d)\ne["q"] = 3.0\nd["q"] += c\nreturn d["q"] * e["q"]',
    "d.copy()": MADE + 'e = d.copy()\ne["q"] *= 3.0\nreturn d["q"] * e["q"]',
    "a copy shares its arrays": MADE + 'e = d.copy()\ne["v"] *= 3.0\ne["q"] = c * c\nreturn d["v"].sum() + e["q"]',
    "{**d}": MADE + 'e = {**d}\ne["q"] *= 3.0\nreturn d["q"] * e["q"]',
    "by a comprehension": MADE + 'e = {k: v for k, v in d.items()}\ne["q"] *= 3.0\nreturn d["q"] * e["q"]',
    "of a helper": MADE + 'e = copied(d)\nd["q"] += 1.0\ne["q"] += c\nreturn d["q"] * e["q"]',
    "of a method": OBJECT + "o = p.kicked(c)\no.q *= 3.0\np.q += c\nreturn o.q * p.q + o.v @ p.v",
    "of two calls": OBJECT + "o, r = p.kicked(c), p.kicked(c)\no.q *= 3.0\nreturn o.q * r.q",
    "in a loop": "p, o = P(c, x * 2.0), P(c, x * 2.0)\nfor i in range(n):\n    p.q -= 0.1 * math.sin(o.q)\n    o.q += p.q\nreturn p.q * o.q",
    "dicts in a loop": MADE + 'e = dict(d)\nfor i in range(n):\n    d["q"] -= e["q"]\n    e["q"] += d["q"] * c\nreturn d["q"] * e["q"]',
    "changed in an arm": MADE + 'e = d.copy()\nif c > 1.0:\n    d["q"] = 4.0 * c\ne["q"] += d["q"]\nreturn e["q"] * d["q"]',
    "of the caller": 'def g(d):\n    e = dict(d)\n    e["q"] *= c\n    return e["q"] * d["q"]\n' + MADE + "return g(d)",
}
PERHAPS_ONE = {
    "another name": MADE + 'e = d\ne["q"] = 3.0\nreturn d["q"] * e["q"]',
    "by a choice": MADE + 'e = d if c > 1.0 else dict(d)\ne["q"] = 3.0\nreturn d["q"] * e["q"]',
    "by a choice of objects": "p, o = P(c, x * 1.0), P(c, x * 1.0)\nr = p if c > 1.0 else o\nr.q = 4.0\nreturn p.q * o.q",
    "in an arm": MADE + 'e = dict(d)\nif c > 1.0:\n    e = d\ne["q"] = 3.0\nreturn d["q"] * e["q"]',
    "in an iteration": MADE + 'e = dict(d)\nfor i in range(n):\n    d["q"] += 1.0\n    e = d\nreturn d["q"] * e["q"]',
    "of the iteration before": MADE + 'e = dict(d)\nfor i in range(n):\n    e = d\n    d = {"q": c, "v": x * 1.0}\n    d["q"] += e["q"]\nreturn d["q"] * e["q"]',
    "by a method": OBJECT + "o = p.perhaps(c)\no.q = 3.0\nreturn o.q * p.q",
    "twice in what a call gives": 'd, e = twins(c)\ne["q"] = 3.0\nreturn e["q"] * d["q"]',
    "one inside another": 'd = {"q": {"r": c}}\ne = d.copy()\ng = e["q"]\ng["r"] = 3.0\nreturn d["q"]["r"] * g["r"]',
    "in a tuple": MADE + 't = (dict(d), d)\nd["q"] = 3.0\nreturn t[1]["q"] * c',
}


def whole(body: str, c: float) -> Whole:
    return Whole(load(HEAD + "".join(f"    {line}\n" for line in body.splitlines())), (np.array([0.5, -1.0]), c, 3))


@pytest.mark.parametrize("case", TWO)
def test_two(case):
    for c in (0.5, 1.5):
        whole(TWO[case], c).holds(thorough=False)


@pytest.mark.parametrize("case", PERHAPS_ONE)
def test_perhaps_one(case):
    (error,) = whole(PERHAPS_ONE[case], 1.5).errors
    assert "may be, too" in error


def test_an_array_in_a_dict_or_a_list_is_updated_where_it_is():
    body = MADE + 'xs = [x * 1.0, d["v"]]\nd["v"] -= xs[0]\nxs[1] *= c\nxs[0] += d["v"]\nreturn xs[0] @ xs[1]'
    whole(body, 0.5).holds(thorough=False)
