"""Random core programs in their purely functional form: same results, updates and errors, interpreted and compiled."""

import numpy as np
import pytest
from linad_typecheck.ir.core import Program
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.baseline.pure import purify
from linad.codegen import EmitOptions, emit
from linad.interpret import CoreError, Outcome, run
from linad.pipeline import linear
from tests.codegen.programs import Maker
from tests.codegen.roads import Raised, call, machine, python
from tests.codegen.test_random_programs import arguments

from .test_pure import BY_HAND, updates


def linear_programs(seeds: range) -> list[tuple[int, Program]]:
    """The random programs that the linear checker accepts."""
    made = []
    for seed in seeds:
        program = Maker(seed).program()
        try:
            linear(program)
        except Exception:  # noqa: BLE001 - whatever makes it unfit
            continue
        made.append((seed, program))
    return made


def outcome(program: Program, args) -> Outcome | tuple[str, str]:
    try:
        return run(program, args)
    except CoreError as error:
        return error.kind, str(error)


def copies(args):
    return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("block", range(4))
def test_interpreted(block):
    finished = 0
    for seed, program in linear_programs(range(block * 50, block * 50 + 50)):
        pure = purify(program)
        assert verify(pure) == [] and updates(pure) == []
        linear(pure)
        expected, got = (outcome(p, arguments(seed)) for p in (program, pure))
        if not isinstance(expected, Outcome):
            assert got == expected
            continue
        finished += 1
        for x, y in zip(expected.results, got.results, strict=True):
            np.testing.assert_array_equal(x, y)
        for p in program.main.params:
            if p.mode in ("mut", "acc"):
                np.testing.assert_array_equal(expected.params[p.var.name], got.params[p.var.name])
    assert finished > 10


@pytest.mark.one_in(3)
@pytest.mark.parametrize("first", range(300, 360, 20))
def test_generated_text(first):
    finished = 0
    for seed, program in linear_programs(range(first, first + 20)):
        generated = emit(purify(program), EmitOptions(checked="every"))
        args = copies(arguments(seed))
        expected = outcome(program, args)
        try:
            got = call(python(generated), generated, args)
        except Raised:
            assert not isinstance(expected, Outcome)
            continue
        finished += 1
        for x, y in zip(expected.results, got, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12)
        for p, after in zip(program.main.params, args, strict=True):
            if p.mode == "mut":
                np.testing.assert_allclose(expected.params[p.var.name], after, rtol=1e-12)
    assert finished > 3


@pytest.mark.parametrize("name", ["exchange", "recursive", "last"])
def test_compiled(name, tmp_path):
    text, args = BY_HAND[name]
    program = parse_program(text)
    generated = emit(purify(program), EmitOptions(checked="every", fastmath=False, cache=False))
    mine = copies(args)
    got = call(machine(generated, tmp_path), generated, mine)
    expected = run(program, args)
    for x, y in zip(expected.results, got, strict=True):
        np.testing.assert_array_equal(x, y)
    for p, after in zip(program.main.params, mine, strict=True):
        if p.mode in ("mut", "acc"):
            np.testing.assert_array_equal(expected.params[p.var.name], after)
