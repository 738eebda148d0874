"""The constructs that people try first: each is refused by its name, at its place, with the way to write it instead."""

from __future__ import annotations

import pytest
from linad_typecheck import check_source

HEAD = """import math, random
import numpy as np
from linad import linear_grad
from jaxtyping import Float64
Vec = Float64[np.ndarray, 'n']
Mat = Float64[np.ndarray, 'n m']
TABLE = {}
@linear_grad
def f(x: Vec, M: Mat, w: float):
"""

# what is written: the line, a word of the message, a word of the way out
REFUSED = {
    "return np.unstack(x)[0]": (1, "`np.unstack`", "index"),
    "return np.fft.hfft(x)[0]": (1, "`np.fft.hfft`", "`np.fft.fft`"),
    "return np.outer(x, x).tolist()[0]": (1, "a list of lists", "list(a)"),
    "return np.random.normal()": (1, "`np.random.normal`", "draw the numbers outside"),
    "return random.random()": (1, "`random.random`", "draw the numbers outside"),
    "print(w := 2.0)\nreturn w": (1, "`print`", "outside"),
    "return 'a'": (1, "str", "return floats"),
    "class A:\n    pass\nreturn w": (1, "a class", "functions"),
    "try:\n    s = 1.0 / w\nfinally:\n    return 2.0": (1, "`try`", "`if`"),
    "yield w": (1, "`yield`", "array"),
    "async def g():\n    pass\nreturn w": (1, "async", "plain"),
    "d = []\nd.union(w)\nreturn w": (2, "`.union` of a list", "np.array"),
    "return TABLE['a']": (1, "has no key 'a'", ""),
    "global TABLE\nTABLE = w\nreturn w": (1, "`global`", "parameter"),
    "def g():\n    nonlocal v\n    v = 1.0\nv = w\ng()\nreturn v": (2, "`nonlocal`", "bind it first"),
    "with open('f') as h:\n    pass\nreturn w": (1, "`with`", "around"),
    "from tools import *\nreturn w": (1, "import", "top of the file"),
    "return w if x is x else 0.0": (1, "`is`", "=="),
    "return w if isinstance(w, TABLE[0]) else 0.0": (1, "`isinstance`", "names that are written out"),
    "return np.max(w * 1j)": (1, "`np.max` of complex numbers", "`z.real`"),
    "return w if x else 0.0": (1, "condition", "np.any"),
    "x.a = 1.0\nreturn w": (1, "`.a`", "new name"),
    "for i in range(w):\n    pass\nreturn w": (1, "range", "int"),
    "return eval('w')": (1, "`eval`", "write the expression out"),
    "return np.eye(3, dtype=str)[0, 0]": (1, "dtype", ""),
    "return np.linspace(0, 1, 2.5)[0]": (1, "int", "int(...)"),
    "return round(x[0], int(w))": (1, "digits", "literal"),
    "s = 0\nfor v in x:\n    s += v\nreturn s // 2": (4, "`s` starts as an int", "0.0"),
    "s = 0\nif w > 1.0:\n    s = w\nreturn s % 2": (4, "`s` starts as an int", "0.0"),
}


@pytest.mark.parametrize("body", REFUSED)
def test_refused_by_name_with_a_way_out(body):
    line, word, way = REFUSED[body]
    found = check_source(HEAD + "".join(f"    {text}\n" for text in body.split("\n")), "program.py")
    first = found[0]
    assert first.span.line - HEAD.count("\n") == line
    assert word in first.message
    assert any(way in fix.message for fix in first.fixes) or not way
    assert first.slug in ("unsupported", "wrong-type", "wrong-rank", "type-changes", "impure-call", "captured-global")


def test_a_mistyped_method_names_what_is_near():
    (first,) = check_source(HEAD + "    return x.reshap(2, 2)[0, 0]\n", "program.py")
    assert first.slug == "unsupported" and first.fixes[0].message == "write `.reshape`" and first.fixes[0].edits
