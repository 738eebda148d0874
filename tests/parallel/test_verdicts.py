"""Which loops may run on threads, and what keeps the others from it: each condition has a program that needs it."""

import numpy as np
import pytest

from ..kit import load
from ..properties.roads import Whole
from .roads import agree, verdicts

X, Y, IX = np.linspace(-1.0, 2.0, 9), np.linspace(0.5, 1.5, 9), np.array([2, 0, 1, 7, 7, 3, 0, 5, 8])
M = np.arange(18.0).reshape(6, 3) / 5

HEAD = """
import math
import numpy as np
from jaxtyping import Float64, Int64

def f(x: Float64[np.ndarray, "n"], y: Float64[np.ndarray, "n"], ix: Int64[np.ndarray, "n"], m: Float64[np.ndarray, "r c"], w: float):
"""


def whole(body: str, updates=()) -> Whole:
    text = HEAD + "\n".join(f"    {line}" for line in body.strip().splitlines()) + "\n"
    return Whole(load(text), (X.copy(), Y.copy(), IX, M.copy(), 0.75), updates)


ACCEPTED = {
    "its own cells": ("map", "for i in range(len(x)):\n    y[i] = w * x[i] ** 2\nreturn y[3]"),
    "backwards": ("map", "for i in range(len(x) - 1, -1, -1):\n    y[i] = w * x[i] + y[i]\nreturn y[3]"),
    "steps": ("map", "for i in range(1, len(x), 2):\n    y[i] = w * x[i - 1] * y[i]\nreturn y[3]"),
    "steps down": ("map", "for i in range(len(x) - 1, 0, -3):\n    y[i] = w * x[i - 1] * y[i]\nreturn y[3]"),
    "at a distance": ("map", "for i in range(len(x) - 2):\n    y[i + 2] = w * x[i] * y[i + 2]\nreturn y[3]"),
    "mirrored": ("map", "n = len(x)\nfor i in range(n):\n    y[n - 1 - i] += w * x[i]\nreturn y[3]"),
    "every second": ("map", "for i in range(4):\n    y[2 * i] += w * x[i]\nreturn y[4]"),
    "rows": ("map", "for i in range(len(m)):\n    for j in range(m.shape[1]):\n        m[i, j] = w * m[i, (j + 1) % 3]\nreturn m[2, 1]"),
    "columns": ("map", "for j in range(m.shape[1]):\n    for i in range(len(m)):\n        m[i, j] = w * m[5 - i, j]\nreturn m[2, 1]"),
    "added around": ("sum", "for i in range(1, len(x) - 1):\n    if x[i] > -0.5:\n        y[i - 1] += w * x[i]\n        y[i] -= x[i]\nreturn y[3]"),
    "rows around": ("map", "for i in range(len(m) - 1):\n    for j in range(m.shape[1]):\n        m[i, j] += w * x[i]\n        m[i + 1, j] += x[j]\nreturn m[2, 1]"),
    "a sum": ("sum", "t = 0.0\nfor i in range(len(x)):\n    t += x[i] * w\nreturn t"),
    "a difference": ("sum", "t = 1.0\nfor i in range(len(x)):\n    t = t - x[i] * w\nreturn t"),
    "a sum in arms": ("sum", "t = 0.0\nfor i in range(len(x)):\n    if x[i] > 0.0:\n        t += x[i] * w\n    else:\n        t -= w\nreturn t"),
    "a sum of sums": ("sum", "t = 0.0\nfor i in range(len(m)):\n    for j in range(m.shape[1]):\n        t += m[i, j] * w\nreturn t"),
    "an int sum": ("sum", "k = 0\nfor i in range(len(x)):\n    if x[i] > w:\n        k += i\nreturn x[k % 9]"),
    "scattered": ("sum", "for i in range(len(x)):\n    y[ix[i]] += w * x[i]\nreturn y[7]"),
    "scattered into a matrix": ("sum", "for i in range(len(x)):\n    m[ix[i] % 4, ix[i] % 3] += w * x[i]\nreturn m[1, 2]"),
    "its own buffer": ("sum", "s = 0.0\nfor i in range(len(x)):\n    t = np.zeros(3)\n    for j in range(3):\n        t[(i + j) % 3] += x[i] * w\n    s += t[0] * t[1]\nreturn s"),
    "its own copy": ("sum", "s = 0.0\nfor i in range(len(m)):\n    t = y.copy()\n    for j in range(5):\n        t[j + 1] = t[j] * w + m[i, 1]\n    s += t[4] * t[5]\nreturn s"),
    "a state in steps": ("sum", "s = 0.0\nfor i in range(len(m)):\n    u = y.copy()\n    for t in range(3):\n        old = u.copy()\n        for j in range(1, 5):\n            u[j] = old[j] + w * m[i, 1] * old[j - 1]\n    s += u[4]\nreturn s"),
    "a state made anew": ("sum", "s = 0.0\nfor i in range(len(m)):\n    u = y.copy()\n    for t in range(3):\n        new = u * w\n        for j in range(1, 5):\n            new[j] += m[i, 1] * u[j - 1]\n        u = new\n    s += u[4]\nreturn s"),
    "the last one": ("map", "t = 0.0\nfor i in range(len(x)):\n    t = x[i] * w\n    y[i] = t\nreturn t"),
    "while inside": ("map", "for i in range(len(x)):\n    t = x[i]\n    while t < 1.0:\n        t = t + 1.5 * w\n    y[i] = t\nreturn y[3]"),
}

REFUSED = {
    "the cell before": ("y", "for i in range(1, len(x)):\n    y[i] = y[i - 1] * w\nreturn y[3]"),
    "the cell after": ("y", "for i in range(len(x) - 1):\n    y[i] = y[i + 1] * w\nreturn y[3]"),
    "two distances": ("y", "for i in range(len(x) - 1):\n    y[i] = x[i]\n    y[i + 1] = w\nreturn y[3]"),
    "one cell": ("y", "for i in range(len(x)):\n    y[0] = x[i] * w\nreturn y[0]"),
    "stored where loaded indices say": ("y", "for i in range(len(x)):\n    y[ix[i]] = x[i] * w\nreturn y[3]"),
    "added to and read": ("y", "for i in range(len(x)):\n    y[ix[i]] += x[i] * y[0]\nreturn y[3]"),
    "the other axis": ("m", "for i in range(len(m)):\n    for j in range(m.shape[1]):\n        m[j, j] = w * m[j, i % 3]\nreturn m[2, 1]"),
    "different axes": ("m", "for i in range(3):\n    for j in range(3):\n        m[i, j] = w * m[j, i]\nreturn m[2, 1]"),
    "a ring": ("y", "for i in range(len(x)):\n    y[i % 5] = w * x[i]\nreturn y[3]"),
    "a product": ("t", "t = 1.0\nfor i in range(len(x)):\n    t = t * x[i] + w\nreturn t"),
    "a sum that is looked at": ("t", "t = 0.0\nfor i in range(len(x)):\n    t += x[i]\n    y[i] = t\nreturn y[3]"),
    "a sum that decides": ("t", "t = 0.0\nfor i in range(len(x)):\n    if t < 2.0:\n        t += x[i] * x[i]\nreturn t"),
    "a difference the other way": ("t", "t = 0.0\nfor i in range(len(x)):\n    t = x[i] - t\nreturn t"),
    "a sum with itself": ("t", "t = w\nfor i in range(len(x)):\n    t = t + t\nreturn t"),
    "the value before": ("p", "p, s = 0.0, 0.0\nfor i in range(len(x)):\n    s += x[i] * p\n    p = x[i]\nreturn s"),
    "a break": ("end", "s = 0.0\nfor i in range(len(x)):\n    if x[i] > w:\n        break\n    s += x[i]\nreturn s"),
    "a while loop": ("how often", "s = 0.0\nwhile s < 5.0:\n    s += w\nreturn s"),
    "swapped names": ("name", "u, v = x.copy(), y.copy()\nfor i in range(5):\n    u[i] += w\n    u, v = v, u\nreturn u[0] * v[1]"),
    "sizes that differ": ("t", "s = 0.0\nfor i in range(len(x)):\n    t = np.zeros(i + 1)\n    t[i] = x[i]\n    s += t[i // 2] + t[i]\nreturn s"),
}


def outermost(w: Whole):
    return verdicts(w.prepared)[0].verdict


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name):
    kind, body = ACCEPTED[name]
    updates = ("y", "m")
    w = whole(body, updates)
    assert outermost(w).kind == kind, outermost(w).reason
    assert agree(w.prepared, w.values) > 0
    wrt = w.active()
    agree(w.derivative(wrt, True, after=False).simplified, w.derivative_arguments(wrt))


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    what, body = REFUSED[name]
    found = outermost(whole(body, ("y", "m")))
    assert found.kind == "sequential"
    assert what in found.reason.replace("(", " ").split() or what in found.reason, found.reason


def test_the_order_of_terms_is_kept_where_it_is_asked_for():
    for name in ("a sum", "scattered"):
        w = whole(ACCEPTED[name][1], ("y", "m"))
        found = verdicts(w.prepared, fastmath=False)[0].verdict
        assert found.kind == "sequential" and "fastmath=False" in found.reason
    for name in ("an int sum", "its own cells"):
        w = whole(ACCEPTED[name][1], ("y", "m"))
        assert verdicts(w.prepared, fastmath=False)[0].verdict.kind != "sequential"


def test_the_inner_loop_of_a_sequential_one():
    w = whole("for t in range(4):\n    for i in range(len(x)):\n        y[i] = y[i] * w + x[i] * y[i]\n    w = w * y[0]\nreturn y[3]", ("y",))
    assert [d.verdict.kind for d in verdicts(w.prepared)] == ["sequential", "map"]
    assert agree(w.prepared, w.values) > 0


@pytest.mark.parametrize("body, span", [("y[i] += w\n    y[i - 1] += x[i]\n    y[i + 1] += w", 2), ("y[i] += w\n    y[i + 1] += w", 1), ("y[i * 2 % 9] += w", None)])
def test_how_near(body, span):
    # the `if` keeps the loop in one piece
    found = outermost(whole(f"for i in range(1, 7):\n    {body}\n    if w > 9.0:\n        y[i] += w\nreturn y[3]", ("y",)))
    assert (found.span if found.near else None) == span
    assert bool(found.added) == (span is None)
