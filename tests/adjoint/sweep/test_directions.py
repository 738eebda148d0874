"""Vector modes: a derivative in several directions at once is what it is in each of them."""

import numpy as np
import pytest
from linad_typecheck.ir.core import Program
from linad_typecheck.ir.text import parse_program
from linad_typecheck.types import Array, is_float

from linad.adjoint.sweep import directions as sweep
from linad.interpret import run
from linad.pipeline import differentiate, directions, prepare, tangent
from tests.adjoint.gradients import arguments, cotangent, differentiable
from tests.adjoint.programs import PROGRAMS
from tests.adjoint.random_programs import random_program
from tests.examples_of import seeds
from tests.linalg import programs as dense_programs
from tests.linalg.running import Derivatives
from tests.linalg.running import arguments as matrices
from tests.properties.roads import Whole
from tests.well_formed import well_formed

from . import recursive_programs

WIDTH = 3


def check(primal: Program, made: Program, args: list, value: bool = True) -> None:
    """A derivative of ``primal`` in three random directions; ``args`` are those in one of them."""
    given = len(primal.main.params)
    results = len(primal.main.body.results) if value else 0
    several = directions(made, given, results)
    well_formed("directions", several)
    rng = np.random.default_rng(1)
    stacked = [np.asarray(rng.uniform(-1.0, 1.0, (*np.shape(a), WIDTH)), np.asarray(a).dtype) for a in args[given:]]
    one = [run(made, [*args[:given], *(s[..., k] for s in stacked)]) for k in range(WIDTH)]
    found = run(several, [*args[:given], *stacked])
    assert len(found.results) == len(one[0].results)
    close = {"rtol": 1e-9, "atol": 1e-11}
    if any(np.asarray(a).dtype == np.float32 for a in stacked):
        close = {"rtol": 1e-4, "atol": 1e-4}
    for k, r in enumerate(found.results):
        expected = one[0].results[k] if k < results else np.stack([o.results[k] for o in one], axis=-1)
        np.testing.assert_allclose(r, expected, **close)
    for k, (p, q) in enumerate(zip(made.main.params, several.main.params, strict=True)):
        if isinstance(p.var.type, Array):
            cells = [o.params[p.var.name] for o in one]
            expected = cells[0] if k < given else np.stack(cells, axis=-1)
            np.testing.assert_allclose(found.params[q.var.name], expected, **close)


def both(primal: Program, values: list, wrt: tuple[str, ...]) -> None:
    """The tangent of a prepared program, and its reverse with and without the value."""
    made = tangent(primal, wrt)
    by_name = {p.var.name: v for p, v in zip(primal.main.params, values, strict=True)}
    moved = {p.like: by_name[p.like] for p in made.main.params if p.like}
    names = [n for n in by_name if n in wrt or n in moved]
    given = len(primal.main.params)
    assert len(made.main.params) == given + len(names)
    check(primal, made, [*values, *(by_name[n] for n in names)])
    results = run(primal, values).results
    types = [r.type for r in primal.main.body.results]
    cotangents = [cotangent(r, k) for k, (r, t) in enumerate(zip(results, types, strict=True)) if is_float(t)]
    for value in (True, False):
        adjoint = differentiate(primal, wrt, value).simplified
        buffers = [by_name[p.like] for p in adjoint.main.params[given + len(cotangents) :]]
        check(primal, adjoint, [*values, *cotangents, *buffers], value)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_corpus(name):
    program = prepare(parse_program(PROGRAMS[name]))
    both(program, arguments(program, np.random.default_rng(1)), differentiable(program))


@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(8))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_programs(seed):
    program = prepare(random_program(seed, 22))
    both(program, arguments(program, np.random.default_rng(seed), 3), differentiable(program))


@pytest.mark.parametrize("few", (sweep.FEW, 0))
@pytest.mark.one_in(24)
@pytest.mark.parametrize("name", dense_programs.CASES)
def test_linear_algebra(name, few, monkeypatch):
    """Products of small matrices, and with all products taken for large ones."""
    monkeypatch.setattr(sweep, "FEW", few)
    args = matrices(name)
    d = Derivatives(name, args)
    both(d.program, args, d.wrt)


def recursive():
    for name, given in recursive_programs.CASES.items():
        yield pytest.param(getattr(recursive_programs, name), *given[0], id=name)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("f,args,updates", [*recursive()])
def test_recursion(f, args, updates):
    whole = Whole(f, args, updates, f.__name__ == "single")
    both(whole.prepared, whole.values, tuple(whole.active()))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_of_several_directions(name):
    """What comes out is a program like any other: it is differentiated again, in several directions again."""
    program = prepare(parse_program(PROGRAMS[name]))
    values = arguments(program, np.random.default_rng(2), 3)
    wrt = differentiable(program)
    forward = tangent(program, wrt)
    made = directions(forward, len(values), len(program.main.body.results))
    by_name = {p.var.name: v for p, v in zip(program.main.params, values, strict=True)}
    dots = [np.stack([np.asarray(by_name[p.like])] * 2, axis=-1) for p in forward.main.params[len(values) :]]
    both(prepare(made), [*values, *dots], wrt)
