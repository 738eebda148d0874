"""Members of enumerations: iterated over, and found by name and by value, also by one known only at run time."""

from pathlib import Path

import numpy as np
import pytest

from linad import LinadError, linear_grad

from ..kit import HEADER, load
from ..two_roads import checked, differences, program

CLASSES = """
import enum

class C(enum.Enum):
    A = 1
    B = 2
    ALIAS = 1

class S(enum.IntEnum):
    IDLE = 0
    RUN = 1
    STOP = 2
"""


@pytest.mark.parametrize(
    "body",
    [
        "return sum([c.value * x[k] for k, c in enumerate(C)]) + len(C) * x[0] + len(C.__members__)",
        "w = {c: c.value * 2.0 for c in C}\ns = 0.0\nfor v, c in zip(x, C):\n    s += v * w[c]\nreturn s",
        "return x[0] * (C['ALIAS'] is C.A) + x[1] * (C(2) is C.B) + x[2] * (C.B in list(C)) + (C.A in C)",
        "s = 0.0\nfor name in ('A', 'B'):\n    s += x[C[name].value]\nreturn s + max(S) * x[0]",
        "s, state = 0.0, S.IDLE\nfor v in x:\n    s += v * v if state == S.RUN else v\n    state = S((state + 1) % 3)\nreturn s + state",
        "s = 0.0\nfor k in range(2):\n    s += x[k] * (3.0 if C(k + 1) is C.B else 1.0)\nreturn s",
    ],
)  # fmt: skip
def test_members(body, tmp_path: Path):
    indented = body.replace("\n", "\n    ")
    plain = load(f"{HEADER}{CLASSES}\ndef f(x):\n    {indented}\n")
    f, x = linear_grad(plain, backend="interpret"), np.array([0.5, 1.5, 2.0])
    assert f(x) == pytest.approx(plain(x)) and np.allclose(f.grad(x), differences(plain, x), atol=1e-6)
    assert not [d for d in checked(tmp_path, program(CLASSES, body)).diagnostics if d.severity == "error"]


def test_members_that_do_not_exist():
    plain = load(f"{HEADER}{CLASSES}\ndef f(x, k):\n    return x[0] * (C(k) is C.A)\n")
    with pytest.raises(ValueError, match="3 is not a valid C"):
        linear_grad(plain, backend="interpret")(np.ones(2), 3)
    for body, error in (("C(3)", "ValueError"), ("C['Z']", "KeyError")):
        with pytest.raises(LinadError, match=f"a {error} in Python"):
            linear_grad(load(f"{HEADER}{CLASSES}\ndef f(x):\n    return x[{body}.value]\n"), backend="interpret")(np.ones(2))


def test_a_dict_of_members_is_described_by_their_names():
    with pytest.raises(LinadError, match="a dict of A has no key B"):
        linear_grad(load(f"{HEADER}{CLASSES}\ndef f(x):\n    return {{C.A: x[0]}}[C.B]\n"), backend="interpret")(np.ones(2))
    body = "if x[0] > 0.0:\n        d = {C.A: x}\n    else:\n        d = {C.B: 1.0}\n    return d[C.A][0]"
    with pytest.raises(LinadError, match=r"`d` is dict\(A: array"):
        linear_grad(load(f"{HEADER}{CLASSES}\ndef f(x):\n    {body}\n"), backend="interpret")(np.ones(2))
