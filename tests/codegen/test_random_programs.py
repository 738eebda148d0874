"""Random programs give the same results, updates and errors on every road."""

import numpy as np
import pytest
from linad_typecheck.ir.verify import verify

from linad.codegen import EmitOptions, emit

from .programs import Maker
from .roads import Raised, call, interpret, machine, python, same


def arguments(seed: int):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 6))
    arrays = (rng.normal(size=m), rng.normal(size=m), rng.integers(-m, m, m))
    return (*arrays, float(rng.normal()), int(rng.integers(0, m + 1)))


def outcome(run, args):
    """What a run gives: results and updated argument, or the error."""
    args = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)
    try:
        results = run(args)
    except Raised as error:
        return error.args, args[1]
    return None if results is None else (*results, args[1])


def agree(a, b) -> bool:
    if a[0].__class__ is tuple or b[0].__class__ is tuple:
        return a[0] == b[0] and np.allclose(a[1], b[1], equal_nan=True)
    return same(a, b)


def compare(seed: int, roads, **options) -> tuple[str, str]:
    """What was met at last, and the source with all checks."""
    program = Maker(seed).program()
    assert not verify(program)
    met = "retry"
    every, hoisted = (emit(program, EmitOptions(checked=c, **options)) for c in ("every", "hoisted"))
    for make in roads:
        first, second = make(every), make(hoisted)
        for k in range(3):
            args = arguments(seed * 3 + k)
            expected = outcome(lambda a: interpret(program, a), args)
            got = outcome(lambda a: call(first, every, a), args)
            assert agree(got, expected), (seed, k, got, expected, every.source)
            quick = outcome(lambda a: call(second, hoisted, a), args)
            if quick is not None:
                assert agree(quick, expected), (seed, k, quick, expected, hoisted.source)
                met = "error" if expected[0].__class__ is tuple else "result"
    return met, every.source


@pytest.mark.one_in(6)
@pytest.mark.parametrize("block", range(6))
def test_in_plain_python(block):
    met = [compare(seed, [python])[0] for seed in range(block * 40, block * 40 + 40)]
    assert met.count("result") > 5  # the programs do something
    assert "error" in met


@pytest.mark.parametrize("seed", [3, 8, 21])
def test_compiled(seed, tmp_path):
    compare(seed, [lambda g: machine(g, tmp_path)])
