"""Derivative programs, with logs and reversed loops: the generated text does what the reference interpreter does."""

import numpy as np
import pytest
from linad_typecheck.ir.text import parse_program
from linad_typecheck.types import Array

from linad.codegen import EmitOptions, emit
from linad.interpret import CoreError, run
from linad.pipeline import differentiate, prepare

from ..adjoint.gradients import arguments, differentiable, fresh
from ..adjoint.programs import PROGRAMS
from ..adjoint.random_programs import random_program
from .roads import NUMPY, Raised, call, machine, python, same


def roads(program, values, make):
    """Results and updated arguments by the interpreter and by generated code."""
    expected_args = fresh(values)
    try:
        expected = run(program, expected_args, in_place=True).results
    except CoreError as error:
        expected = error.kind
    compared = 0
    for options in (EmitOptions(checked="every"), EmitOptions(), EmitOptions(noalias=False)):
        g = emit(program, options)
        args = fresh(values)
        try:
            results = call(make(g), g, tuple(args))
        except Raised as error:
            results = error.args[0]
        if results is None and options.checked == "hoisted":
            continue
        if isinstance(expected, str) or isinstance(results, str):
            assert results == expected, g.source
        else:
            assert same(results, expected), g.source
        assert same(args, expected_args), g.source
        compared += 1
    return compared


def typed(program, rng, size):
    """Arguments of exactly the types of the parameters."""
    made = zip(program.main.params, arguments(program, rng, size), strict=True)
    return [np.asarray(v, NUMPY[p.var.type.dtype]) if isinstance(p.var.type, Array) else v for p, v in made]


def both(program, seed, size, make=python):
    program = prepare(program)
    derivative = differentiate(program, differentiable(program)).simplified
    rng = np.random.default_rng(seed)
    return sum(roads(p, typed(p, rng, size), make) for p in (program, derivative))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_corpus(name):
    if "f32" in PROGRAMS[name]:
        pytest.skip("CPython has no float32 arithmetic on floats")
    assert both(parse_program(PROGRAMS[name]), 1, 4) >= 2


@pytest.mark.one_in(6)
@pytest.mark.parametrize("first", range(0, 60, 10))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random(first):
    for seed in range(first, first + 10):
        assert both(random_program(seed, 22), seed, 3) >= 2


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", [2, 11])
def test_random_compiled(seed, tmp_path):
    assert both(random_program(seed, 22), seed, 3, lambda g: machine(g, tmp_path)) >= 2
