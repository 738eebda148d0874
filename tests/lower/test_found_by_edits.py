"""Programs that random edits of others led to (`tests/fuzz`): each was once accepted, or brought the checker down."""

import pytest
from linad_typecheck import check_source
from linad_typecheck.check import check
from linad_typecheck.ir.verify import verify
from linad_typecheck.source import SourceFile
from linad_typecheck.names.uses import decorated_functions

HEAD = """\
import numpy as np
from jaxtyping import Float64
from linad import linear_grad


def power(x: float, n: int) -> float:
    if n == 0:
        return 1.0
    return power(x, n - 1) * x


@linear_grad
def f(x: Float64[np.ndarray, "n"], n: int, w: float):
"""

PROGRAMS = {
    "read before the loop assigns it": (
        "for i in range(n):\n    r += x[i] * r\nreturn w",
        {"undefined"},
    ),
    "read before it is assigned, beside a recursive call": (
        "if w > 0.5:\n    for i in range(n):\n        r += power(x[i], 2) * r\nelse:\n    r = 1.0\nreturn w > 0.5",
        {"undefined"},
    ),
    "assigned from what was refused, and read behind the loop": (
        "for i in range(n):\n    s = open(x)\nreturn w * s",
        {"impure-call"},
    ),
    "an exception whose name is a variable": (
        "if n > 2:\n    KeyError = n * 2.0\nelif n == 2:\n    raise KeyError('two')\nreturn w",
        {"unsupported"},
    ),
    "nested functions that use each other": (
        "def g(v):\n    return w * h\nh = lambda v, k=2: g(v) + k\nreturn h(w) + g(1.0)",
        {"unsupported"},
    ),
    "a module as an argument": ("return np.clip(np, 0.0, 1.0) + w", {"wrong-type"}),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_refused(name):
    body, slugs = PROGRAMS[name]
    found = check_source(HEAD + "".join(f"    {line}\n" for line in body.split("\n")))
    assert {d.slug for d in found if d.severity == "error"} == slugs, found


def test_what_may_be_unset_behind_a_branch_that_raises():
    """The flag of a variable that a loop in the other branch may set is a result of the branch."""
    text = (
        "from linad import linear_grad\n\n\n@linear_grad\ndef f(n: int, w: float) -> float:\n    for j in range(n):\n"
        "        if w <= j:\n            w = w * i\n            raise ValueError(\"x\")\n"
        "        for i in range(j, n):\n            w = w * 2.0\n    return w\n"
    )
    (function,) = decorated_functions(SourceFile("f.py", text))
    assert verify(check(function, {}).program) == []
