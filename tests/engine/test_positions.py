"""Prelude functions are lowered once for all calls with the same types, and each call has one with its own position."""

import numpy as np
import pytest
from linad_typecheck.engine import specialise
from linad_typecheck.ir.core import Call, Check, walk

from linad import linear_grad

from ..kit import load
from ..properties.roads import Whole

SETS = """\
def f(x, k):
    a, b = set(), set()
    for i in range(len(x)):
        a.add(k[i])
    for i in range(len(x)):
        b.add(k[i] % 3)
    s = 0.0
    for v in sorted(a - b):
        s += x[v % len(x)]
    return s
"""
ONE_SET = SETS.replace("        b.add(k[i] % 3)\n", "        s = 0.0\n")
ARGS = np.array([0.5, 1.5, -0.25]), np.array([1, 5, 7])


def calls(program):
    return [(f, s) for f in program.functions.values() for s in walk(f.body) if isinstance(s, Call)]


def test_each_call_is_of_a_function_with_its_position():
    program = Whole(load(SETS), ARGS).checked.program
    inside = [(f, s, program.functions[s.callee]) for f, s in calls(program)]
    assert {s.span.line for f, s, _ in inside if f is program.main} >= {4, 6, 8}
    for _, s, callee in inside:
        assert callee.span == s.span and {t.span for t in walk(callee.body)} == {s.span}
    assert not [n for n, f in program.functions.items() if n != f.name]


def test_calls_at_several_places_are_lowered_once(monkeypatch):
    lower, lowered = specialise.lower_function, []
    monkeypatch.setattr(specialise, "lower_function", lambda programs, spec: lowered.append(spec.name) or lower(programs, spec))
    assert Whole(load(ONE_SET), ARGS).checked.program is not None
    of_one = lowered.count("_add")
    lowered.clear()
    assert Whole(load(SETS), ARGS).checked.program is not None
    assert lowered.count("_add") == of_one > 0


@pytest.mark.parametrize(("change", "line"), [("a.add(k[i])", 4), ("b.add(k[i] % 3)", 6)])
def test_what_is_refused_is_told_of_its_own_call(change, line):
    whole = Whole(load(SETS.replace(change, change.replace("k[i]", "x"))), ARGS)
    assert {d.span.line for d in whole.checked.diagnostics if d.severity == "error"} == {line}


def test_errors_are_raised_for_their_own_call():
    """Of two calls that share a function, the second one's check has its line."""
    lines = lambda text, *args: {
        s.span.line for f in Whole(load(text), args).checked.program.functions.values() for s in walk(f.body) if isinstance(s, Check)
    }
    x = np.array([0.5, 1.0, 2.0])
    text = "import numpy as np\n\ndef f(x, v):\n    a = np.interp(v, x, x)\n    b = np.interp(v + 1.0, x, x)\n    return a * b\n"
    assert lines(text, x, 0.7) >= {4, 5}
    assert linear_grad(load(text), backend="interpret")(x, 0.7) == pytest.approx(load(text)(x, 0.7))
