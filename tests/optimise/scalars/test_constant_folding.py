"""What an arm of a branch computed is known in that arm of a later branch on the same condition, and nowhere else."""

import math

from linad_typecheck.findings import check_function
from linad_typecheck.ir.core import Let, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.source import SourceFile
from linad_typecheck.names.modules import StaticModule
from linad_typecheck.names.uses import decorated

from linad import pipeline
from linad.interpret import run
from linad.optimise.scalars.constant_folding import fold_constants

TEXT = """
import math
from linad import linear_grad

@linear_grad
def f(x: float, y: float) -> float:
    if x > 0.0:
        s = math.sin(x)
        t = s * y
    else:
        s = 0.5
        t = math.exp(x)
    u = t * t
    if {condition}:
        v = math.sin(x) + s
        w = math.exp(x)
    else:
        v = math.exp(x)
        w = math.sin(x)
    return u + v * w
"""


def prepared(condition: str):
    (function,) = decorated(StaticModule(SourceFile("f.py", TEXT.format(condition=condition))))
    return pipeline.prepare(check_function(function).program)


def counts(condition: str) -> tuple[int, int]:
    lets = [s.op for s in walk(prepared(condition).main.body) if isinstance(s, Let)]
    return lets.count("sin"), lets.count("exp")


def test_an_operation_is_shared_by_the_same_arms() -> None:
    assert counts("x > 0.0") == (2, 2)  # one of each arm of the first branch, and one of the arm where it was not taken


def test_nothing_is_shared_by_arms_of_other_conditions() -> None:
    assert counts("y > 0.0") == (3, 3)


def test_values_stay_the_same() -> None:
    for x, y in ((0.7, 2.0), (-0.7, 2.0), (0.7, -2.0)):
        s, t = (math.sin(x), math.sin(x) * y) if x > 0.0 else (0.5, math.exp(x))
        v, w = (math.sin(x) + s, math.exp(x)) if x > 0.0 else (math.exp(x), math.sin(x))
        assert run(prepared("x > 0.0"), (x, y)).results[0] == t * t + v * w


def test_terms_of_int_sums_cancel() -> None:
    text = "entry fn f(t: i64, d: i64) -> i64, i64, i64 {\n  a = sub t d\n  b = add a 1\n  e = add t 1\n  n = sub e b\n  o = sub b t\n  p = add o d\n  return n, p, b\n}\n"
    before = parse_program(text)
    after = before.with_main(fold_constants(before.main))
    assert [str(a) for a in after.main.body.results] == ["d", "1", "b"]
    for args in ((3, 5), (2**63 - 1, -(2**63)), (-(2**63), 2**63 - 1)):
        assert run(after, args).results == run(before, args).results
