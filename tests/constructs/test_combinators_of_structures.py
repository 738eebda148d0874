"""`linad.scanl` and `scanr` with tuples, records and arrays as state, over several arrays: against plain Python and differences."""

from __future__ import annotations

import numpy as np
import pytest

import linad

from ..prelude import HEADER
from ..properties.roads import Whole
from ..kit import load
from ..arrays.near import gradient, parts

X, Y, A = np.array([0.5, -1.0, 2.0, 1.5]), np.array([1.0, 0.3, -0.7, 2.0]), np.arange(12.0).reshape(4, 3) / 7 - 0.5
RECORDS = '''
import dataclasses
from typing import NamedTuple


class State(NamedTuple):
    level: float
    seen: np.ndarray


@dataclasses.dataclass(frozen=True)
class Pair:
    a: float
    b: float
'''
PROGRAMS = {
    "a tuple": "return linad.scanl(lambda s, v: (s[0] * v, s[1] + v * s[0]), (1.0, 0.0), x)",
    "from the right": "p, q = linad.scanr(lambda v, s: (s[0] * v, s[1] + v), (1.0, 0.0), x)\nreturn p * q",
    "an array": "return linad.scanl(lambda s, v: s * v + y, np.ones(4), x)",
    "rows, from an array of the caller": "return linad.scanl(lambda s, r: s * 0.5 + np.sin(r), z[0], z)",
    "a matrix": "return linad.scanl(lambda m, v: m @ m * v + np.eye(2), np.ones((2, 2)) * y[0], x)",
    "several arrays": "return linad.scanl(lambda s, v, w: s * v + w, y[1], x, y)",
    "several arrays from the right": "return linad.scanr(lambda v, w, s: s * v + w, y[1], x, y)",
    "a named tuple": "s = linad.scanl(lambda s, v: State(s.level * v, s.seen * v + s.level), State(1.0, y), x)\nreturn s.level[:, None] * s.seen",
    "a dataclass": "s = linad.scanr(lambda v, s: Pair(s.a * v, s.b + s.a), Pair(1.0, y[0]), x)\nreturn s.a * s.b",
    "nested": "return linad.scanl(lambda s, v: (s[0] + v, (s[1][0] * v, s[1][1] * v)), (0, (1.0, y)), x)",
    "nothing": "return linad.scanl(lambda s, v: (s[0] + v, s[1] * v), (0.0, y), x[:0])",
    "widening": "return linad.scanl(lambda s, v: (s[0] + v, s[1] + 1), (0, 0), x)",
    "map, several results": "p, q = linad.map(lambda u, v: (u * v, u + v), x, y)\nreturn p * q",
    "map, a record of results": "s = linad.map(lambda v: Pair(v * v, np.sin(v)), x)\nreturn s.a * s.b",
    "map, rows among the results": "p, (q, r) = linad.map(lambda r: (r @ r, (r / 2, r[0])), z)\nreturn p[:, None] * q * r[:, None]",
    "map, of no elements": "p, q = linad.map(lambda v: (v, v), x[:0])\nreturn p",
    "build, several results": "p, q = linad.build(3, lambda i: (x[i] ** 2, x[i] * y))\nreturn p @ q",
    "reduce, several results": "return linad.reduce(lambda s, v: (max(s[0], v), s[1] + v), (x[0], 0.0), x)",
    "fold, a record": "s = linad.fold(lambda s, v: State(s.level * 0.9 + v, s.seen * v), State(0.0, y), x)\nreturn s.level * s.seen",
    "fold, several arrays": "return linad.fold(lambda s, v, r: (s[0] * v, s[1] + r * s[0]), (1.0, np.zeros(3)), x, z)",
    "an index that branches": "return linad.scanl(lambda s, v: (s[0] * v if v > 0 else s[0], s[1] + v), (1.0, 0.0), x)",
    "single precision": "return linad.scanl(lambda s, v: s * v, np.ones(2, dtype=np.float32), x.astype(np.float32))",
    "a shape that changes": "return linad.scanl(lambda s, v: np.concatenate((s, s)), np.ones(1), x)",
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    body = "".join(f"    {line}\n" for line in PROGRAMS[name].splitlines())
    f = load(HEADER + "import linad\n" + RECORDS + "\n\ndef f(x, y, z):\n" + body)
    whole = Whole(f, (X, Y, A))
    assert not whole.errors, whole.errors
    try:
        wanted = f(X.copy(), Y.copy(), A.copy())
    except ValueError as error:
        expected = "keeps its shape" if "keeps" in str(error) else "one row at least"
        with pytest.raises(Exception, match=expected):
            whole.run(whole.prepared)
        return
    got = whole.run(whole.prepared)[0]
    for a, b in zip(parts(wanted), parts(got), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(b, a, rtol=1e-6 if a.dtype == np.float32 else 1e-12)
    if name != "single precision":
        gradient(whole, f, (X, Y, A), name)


@pytest.mark.parametrize("op", ["lambda s, v: v", "lambda s, v: (s[0], s[1], v)", "lambda s, v: (s[0], s)"])
def test_a_state_keeps_its_structure(op):
    whole = Whole(load(HEADER + f"import linad\n\n\ndef f(x):\n    return linad.scanl({op}, (1.0, 0.0), x)\n"), (X,))
    assert len(whole.errors) == 1 and "scan" in whole.errors[0]


def test_in_plain_python():
    a, b = linad.scanl(lambda s, v: (s[0] + v, s[1] * v), (0.0, np.ones(2)), np.array([2.0, 3.0]))
    assert a.tolist() == [2.0, 5.0] and b.tolist() == [[2.0, 2.0], [6.0, 6.0]]
