"""What variables are called decides nothing: not the derivative, not the code that is generated."""

import inspect
from functools import cache

import pytest
from linad_typecheck.ir.text import parse_program

from linad.codegen import EmitOptions, passes
from linad.pipeline import differentiate

from ..renaming import WAYS, difference, renamed
from ..kit import load
from .roads import Whole
from .test_programs import MODULES


@cache
def text(module, way=None) -> str:
    found = inspect.getsource(module)
    return found if way is None else renamed(found, WAYS[way])


def cases():
    programs = [(m, name, args) for m in MODULES for name, [(args, updates), *_] in m.CASES.items() if not updates]
    for k, (m, name, args) in enumerate(programs):
        way = list(WAYS)[k // 5 % len(WAYS)]
        yield pytest.param(m, name, args, way, id=f"{name}-{way}")


@pytest.mark.one_in(20)
@pytest.mark.parametrize("module,name,args,way", [*cases()])
def test_names_decide_nothing(module, name, args, way):
    one, two = (Whole(load(t, name), args) for t in (text(module), text(module, way)))
    assert not difference(one.prepared, two.prepared)
    first, second = (differentiate(w.prepared, w.active()) for w in (one, two))
    for stage in ("linear", "stored", "simplified"):
        assert not difference(getattr(first, stage), getattr(second, stage)), stage
    for a, b in ((one.prepared, two.prepared), (first.simplified, second.simplified)):
        a, b = (passes.prepare(p, EmitOptions())[0] for p in (a, b))  # what is printed
        assert not difference(a, b)


def test_differences_are_seen():
    program = "entry fn f(x: f64, y: f64) -> f64 {\n  a = mul x y\n  b = add a x\n  return b\n}\n"
    one = parse_program(program)
    assert not difference(one, parse_program(program.replace("a", "c").replace("cdd", "add").replace("x", "z")))
    assert difference(one, parse_program(program.replace("add a x", "add a y")))
    assert difference(one, parse_program(program.replace("mul x y", "mul y x")))
    assert difference(one, parse_program(program.replace("add a x", "sub a x").replace("mul", "add")))
