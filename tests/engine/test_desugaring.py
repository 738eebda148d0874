"""`with` statements on context managers of the user, and `finally` on each path out of a body."""

import numpy as np
import pytest

from linad import LinadError, linear_grad

from ..kit import HEADER, load
from ..two_roads import differences

MANAGERS = """
from contextlib import contextmanager, nullcontext, suppress

class Depth:
    def __init__(self): self.n, self.total = 0, 0.0
    def __enter__(self):
        self.n += 1
        return self
    def __exit__(self, *error):
        self.total += self.n
        self.n -= 1

class Ends(Depth):
    def __exit__(self, kind, error, trace): return self.n > 0

@contextmanager
def scaled(box, by):
    old = box[0]
    box[0] = old * by
    try:
        yield old
    finally:
        box[0] = old

@contextmanager
def twice():
    yield 1.0
    yield 2.0

def left(d, v):
    with d as e:
        if v < 1.0:
            return e.n * v
        for k in range(3):
            if k > 1:
                return k * v + e.n
    return d.total

def cleaned(log, v):
    try:
        if v < 1.0:
            return v * len(log)
        return 2.0 * v
    finally:
        log.append(v)
"""


@pytest.mark.parametrize(
    "body",
    [
        "d, s = Depth(), 0.0\nfor v in x:\n    with d:\n        if v < 1.0:\n            continue\n        s += v * d.n\n"
        "        for k in range(3):\n            if k == 1:\n                break\n        if v > 1.7:\n            break\n    s += 5.0 * v\nreturn s * d.total",
        "d = Depth()\nreturn sum([left(d, v) for v in x]) + d.total * x[0] + d.n",
        "a, b, s = Depth(), Depth(), 0.0\nfor v in x:\n    with a as p, b as q:\n        with a:\n            s += v * a.n * q.n\nreturn s * a.total * b.total",
        "box, s = np.ones(1), 0.0\nfor v in x:\n    with scaled(box, v) as old, nullcontext(2.0) as c:\n        s += box[0] * old * c\n    s += box[0]\nreturn s",
        "s = 0.0\nfor i in range(5):\n    with suppress(IndexError):\n        s += x[i]\nreturn s",
        "log = []\nreturn sum([cleaned(log, v) for v in x]) * sum(log)",
        "n, s = 0, 0.0\nfor v in x:\n    try:\n        if v < 1.0:\n            continue\n        s += v\n        if v > 1.7:\n            break\n"
        "    finally:\n        n += 1\n    s += 10.0 * v\nreturn s * n",
    ],
)  # fmt: skip
def test_what_ends_each_path(body):
    indented = body.replace("\n", "\n    ")
    plain = load(f"{HEADER}{MANAGERS}\ndef f(x):\n    {indented}\n")
    f, x = linear_grad(plain, backend="interpret"), np.array([0.5, 1.5, 2.0])
    assert f(x) == pytest.approx(plain(x)) and np.allclose(f.grad(x), differences(plain, x), atol=1e-6)


@pytest.mark.parametrize(
    "body",
    [
        "with Ends():\n    s = x[0]\nreturn s",
        "with twice() as w:\n    s = w * x[0]\nreturn s",
        "s = 0.0\nd = Depth()\ntry:\n    with d:\n        s += x[9]\nexcept IndexError:\n    s += d.total\nreturn s",
    ],
)  # fmt: skip
def test_managers_that_may_end_an_exception_are_refused(body):
    indented = body.replace("\n", "\n    ")
    with pytest.raises(LinadError, match="`with` cannot be used"):
        linear_grad(load(f"{HEADER}{MANAGERS}\ndef f(x):\n    {indented}\n"), backend="interpret")(np.ones(3))
