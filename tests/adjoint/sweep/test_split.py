"""The linear part of a derivative, run apart from the primal on what that has logged, is what it is in one program."""

import numpy as np
import pytest
from linad_typecheck.ir.core import Program
from linad_typecheck.ir.text import parse_program
from linad_typecheck.types import Array, is_float

from linad.adjoint.errors import CannotSplit
from linad.interpret import run
from linad.pipeline import differentiate, inline_rules, prepare, split_linear, tangent
from tests.adjoint.gradients import arguments, cotangent, differentiable
from tests.adjoint.programs import PROGRAMS
from tests.adjoint.random_programs import random_program
from tests.examples_of import seeds
from tests.linalg import programs as dense_programs
from tests.linalg.running import Derivatives
from tests.linalg.running import arguments as matrices
from tests.well_formed import well_formed


def check(primal: Program, made: Program, args: list, value: bool = True) -> bool:
    """A derivative of ``primal`` in two random directions, in which only the linear part is run. Whether it came apart."""
    given = len(primal.main.params)
    results = len(primal.main.body.results) if value else 0
    try:
        record, replay = split_linear(inline_rules(made), given, results)
    except CannotSplit:
        return False
    well_formed("record", record)
    well_formed("replay", replay)
    first = run(record, args[:given])
    whole = run(made, args)
    for found, wanted in zip(first.results[:results], whole.results[:results], strict=True):
        np.testing.assert_array_equal(found, wanted)
    logs = first.results[results:]
    rng = np.random.default_rng(1)
    for _ in range(2):
        moved = [np.asarray(rng.uniform(-1.0, 1.0, np.shape(a)), np.asarray(a).dtype)[()] for a in args[given:]]
        found, wanted = run(replay, [*args[:given], *moved, *logs]), run(made, [*args[:given], *moved])
        close = {"rtol": 1e-9, "atol": 1e-11}
        if any(np.asarray(a).dtype == np.float32 for a in args):
            close = {"rtol": 1e-4, "atol": 1e-4}
        assert len(found.results) == len(wanted.results) - results
        for a, b in zip(found.results, wanted.results[results:], strict=True):
            np.testing.assert_allclose(a, b, **close)
        for p, q in zip(replay.main.params, made.main.params, strict=False):
            if isinstance(p.var.type, Array):
                np.testing.assert_allclose(found.params[p.var.name], wanted.params[q.var.name], **close)
    return True


def both(primal: Program, values: list, wrt: tuple[str, ...]) -> list[bool]:
    """The tangent of a prepared program, and its reverse. Whether each of them came apart."""
    made = tangent(primal, wrt)
    by_name = {p.var.name: v for p, v in zip(primal.main.params, values, strict=True)}
    moved = {p.like: by_name[p.like] for p in made.main.params if p.like}
    names = [n for n in by_name if n in wrt or n in moved]
    apart = [check(primal, made, [*values, *(by_name[n] for n in names)])]
    results = run(primal, values).results
    types = [r.type for r in primal.main.body.results]
    cotangents = [cotangent(r, k) for k, (r, t) in enumerate(zip(results, types, strict=True)) if is_float(t)]
    given = len(primal.main.params)
    adjoint = differentiate(primal, wrt).simplified
    buffers = [by_name[p.like] for p in adjoint.main.params[given + len(cotangents) :]]
    apart.append(check(primal, adjoint, [*values, *cotangents, *buffers]))
    return apart


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_corpus(name):
    program = prepare(parse_program(PROGRAMS[name]))
    apart = both(program, arguments(program, np.random.default_rng(1)), differentiable(program))
    updates = any(p.mode != "read" for p in program.main.params if isinstance(p.var.type, Array))
    recursive = len(program.functions) > 1
    assert all(apart) or updates or recursive


@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(12))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_programs(seed):
    program = prepare(random_program(seed, 22))
    both(program, arguments(program, np.random.default_rng(seed), 3), differentiable(program))


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", dense_programs.CASES)
def test_linear_algebra(name):
    args = matrices(name)
    d = Derivatives(name, args)
    both(d.program, args, d.wrt)
