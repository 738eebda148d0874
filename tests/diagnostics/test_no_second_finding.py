"""A mistake is told once: nothing is found only because something else was."""

import random

import numpy as np
import pytest
from linad_typecheck.findings import check_source

from tests.two_roads import agree, program

HEAD = """\
import numpy as np
from jaxtyping import Float64
from linad import linear_grad
@linear_grad
def f(x: Float64[np.ndarray, "n"], a: float, k: int, n: int):
    u = x.copy()
    v = x * 2.0
    w = x + 1.0
    s = t = b = 1.0
"""


def codes(body: str, head: str = HEAD) -> list[str]:
    return [d.code for d in check_source(head + "".join(f"    {line}\n" for line in body.split("\n")), "program.py")]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("for i in range(3):\n    v = u\nu = v.copy()\nfor e in u:\n    if v.sum() > 1.0:\n        u = w\nreturn w[0]", "LIN103"),
        ("y = nothing_here\nfor e in y:\n    if e > 1.0:\n        u = w\nreturn w[0] + s", "LIN202"),
        ("for i in np.no_such(range(3)):\n    s += i\nreturn s", "LIN203"),
        ("for i in nothing_here(enumerate(x)):\n    s += i\nreturn s", "LIN202"),
        ("while nothing_here:\n    s = 2.0\n    break\nreturn s", "LIN202"),
        ("y = np.no_such(x)\nif y > 1.0:\n    r = y\nelse:\n    r = 0.0\nreturn r", "LIN203"),
    ],
)
def test_one_finding(body, code):
    assert codes(body) == [code]


UNTYPED = [
    "if d:\n    k, v = d.popitem()\n    x = x * v\nreturn x",
    "found = {}\nfor k in range(d):\n    found.setdefault(k, []).append(x[k])\nreturn found[0][0]",
    "found = {'a': 1.0}\nfor k in d:\n    found[k] = x\n    found.pop('b', None)\nreturn found['c']",
    "found = {}\nfound.update({'a': x})\nfound.update(d)\nfor v in found.values():\n    x = x + v\nreturn x * found['b']",
    "points = [0.0, 0.0]\nfor i in d:\n    points[i] += x\nreturn points[0][1]",
    "points = [None] * 4\npoints[0] = x\nreturn points[0][1] * d",
    "groups = [[] for _ in range(d)]\nfor k in range(d):\n    for j in range(3):\n        e = {'b': j}\n    groups[k].append(x[k])\nreturn groups[0][0] * e['b']",
]


@pytest.mark.parametrize("body", UNTYPED)
def test_what_may_have_changed_in_any_way_is_not_found_to_be_wrong(body):
    assert not codes(body, "from linad import linear_grad\n@linear_grad\ndef f(x, d):\n")


LOOPS = [
    "s, b = 0.0, 1.0\nfor i in range(k):\n    s = x[0]\n    if s > 1.0:\n        b = 2.0\n    else:\n        if k > 2:\n            continue\n    b = s + 1.0\nreturn b * x[1]",
    "b = 1.0\nfor i in range(k):\n    if i > 1:\n        if x[i] > 0.7:\n            b = x[i]\n        break\nr = b\nb = 2.0\nreturn r * b * x[0]",
    "s = t = 1.0\nwhile s < 5.3:\n    if s > 1.5:\n        s = x[1] + s\n    else:\n        t = s + x[0]\n    if k > 2:\n        s = s + x[0]\n    else:\n        break\ns = s + t\nreturn s * x[2]",
    "b = 0.0\nfor i in range(k):\n    for j in range(2):\n        if x[j] > 0.8:\n            break\n    else:\n        if i > 0:\n            continue\n        b = x[0]\n    b += x[i]\nreturn b",
]


@pytest.mark.parametrize("body", LOOPS)
@pytest.mark.parametrize("k", [1, 3])
def test_names_that_an_iteration_leaves_early_keep_their_values(tmp_path, body, k):
    agree(tmp_path, program("", body, "x: F1, k: int"), np.array([0.45, 1.1, 2.3]), k)


class Programs:
    """Programs of copies, aliases and exits, in which every name has a value from the start."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def text(self) -> str:
        return "\n".join([*self.block(0, False), "return s + t + b + u[0] + v[0] + w[0]"])

    def block(self, depth: int, loop: bool) -> list[str]:
        return [line for _ in range(self.draw.randint(1, 4)) for line in self.statement(depth, loop)]

    def inside(self, head: str, depth: int, loop: bool) -> list[str]:
        return [head, *(f"    {line}" for line in self.block(depth + 1, loop))]

    def statement(self, depth: int, loop: bool) -> list[str]:
        pick, number = self.draw.choice, self.draw.random()
        read = lambda: pick(["u[0]", "v[0]", "u.sum()", "w[1]", "a", "s", "(u @ v)", "t"])
        test = pick(["a > 0.0", "k > 2", f"{read()} > 1.0", f"{read()} > 1.0 and {read()} < 2.0"])
        if number < 0.25 and depth < 3:
            return [*self.inside(f"if {test}:", depth, loop), *(self.inside("else:", depth, loop) if number < 0.12 else ())]
        if number < 0.38 and depth < 2:
            return self.inside(pick(["for i in range(k):", "for i in range(3):", f"while {test}:", "for e in u:"]), depth, True)
        if number < 0.62:
            return [pick(["u = v", "v = u", "w = u", "w = v", "u, v = v, u", "u = w", "v = w", "u = x.copy()", "v = x * 2.0", "u = v.copy()"])]
        if number < 0.75:
            return [pick(["u[0] = 1.0", "v[1] += s", "w[0] = 2.0", "u += 1.0", "v *= 2.0"])]
        if number < 0.82 and loop:
            return [pick(["break", "continue"])]
        return [f"{pick('stb')} = {read()} + 1.0"]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(80))
def test_a_name_that_always_has_a_value_is_never_undefined(seed):
    """Whatever is wrong with the arrays."""
    body = Programs(seed).text()
    assert not {"LIN202", "LIN204", "LIN205", "LIN901"} & set(codes(body)), body
