"""Lowering means what the text means: the core, interpreted, against CPython on the same text."""

from hypothesis import given
from linad.oracle import attempt, difference, run
from linad_typecheck.ir.text import parse_program, print_program
from linad_typecheck.ir.verify import verify

from ..examples_of import quick
from ..kit import load
from ..strategies import programs
from .roads import checked, errors, interpreted

QUICK = quick(30)


@given(programs())
@QUICK
def test_generated_programs_mean_what_they_say(program):
    f = program.load()
    c = checked(f)
    assert errors(c) == []
    assert verify(c.program) == []
    core = print_program(c.program)
    assert print_program(parse_program(core)) == core
    expected = attempt(lambda: run(f, program.args))
    got = attempt(lambda: interpreted(c, program.args))
    assert difference(expected, got, rtol=1e-4 if program.single else 1e-9, atol=1e-5 if program.single else 1e-12) is None


CONTINUE_LAST = """\
def f(n: int, w: float) -> float:
    for i in range(n):
        if i % 2 == 1:
            continue
        if w > 10.0:
            return 1.0
    return w
"""


def test_a_loop_whose_last_iteration_continues_has_not_returned():
    f = load(CONTINUE_LAST)
    c = checked(f)
    assert [interpreted(c, (n, w)) for n, w in ((2, 3.0), (3, 3.0), (2, 11.0), (0, 11.0))] == [3.0, 3.0, 1.0, 11.0]
