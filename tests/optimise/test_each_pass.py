"""After each pass the program is well formed, has a linear form, and gives the same results as before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from linad_typecheck.ir.core import Program

from benchmarks import everyday
from linad.codegen import EmitOptions
from linad.codegen.passes import prepare
from linad.interpret import CoreError, run
from linad.optimise.pass_manager import check, not_linear
from linad.optimise.pass_manager import run as run_passes
from linad.optimise.phases import CHOOSING
from linad.pipeline import differentiate
from linad.pipeline import prepare as simplified

from ..codegen.programs import Maker
from ..codegen.test_random_programs import arguments
from ..examples_of import seeds
from ..parallel.roads import without_logs
from ..properties.roads import Whole, close, fresh
from ..properties.test_programs import MODULES, SINGLE, cases
from ..sources import Seeded
from ..strategies_scratch import scratch_nests

OPTIONS = {
    "hoisted": EmitOptions(),
    "every check": EmitOptions(checked="every"),
    "threads": EmitOptions(parallel=True),
    "strict": EmitOptions(fastmath=False),
}


class Same:
    """Is given the outcome of each pass; those that change the program must leave what it comes to."""

    def __init__(self, program: Program, args: Sequence[Any], tolerance: float) -> None:
        self.args, self.tolerance, self.seen = args, tolerance, program
        self.expected = self.results(program)
        self.linear = not_linear(program) is None  # not of every random program
        self.changed: set[str] = set()

    def results(self, program: Program) -> list[np.ndarray] | str:
        args = fresh(self.args)
        args += [2] * (len(program.main.params) - len(args))  # threads
        try:
            program = program.with_main(replace(program.main, body=without_logs(program.main.body)))
            results = run(program, args, in_place=True).results
        except CoreError as error:
            return error.kind
        return [*map(np.asarray, results), *map(np.asarray, args[: len(self.args)])]

    def __call__(self, name: str, program: Program) -> None:
        if program == self.seen:
            return
        self.seen = program
        self.changed.add(name)
        check(name, program, self.linear)
        found = self.results(program)
        if isinstance(found, str) or isinstance(self.expected, str):
            assert found in (self.expected, "retry"), f"after {name}: {found} instead of {self.expected}"
        else:
            close(found, self.expected, self.tolerance, f"after {name}")


def through(program: Program, args: Sequence[Any], tolerance: float, options: EmitOptions) -> set[str]:
    """Which passes of code generation change a program; after each it gives what it gave."""
    same = Same(program, args, tolerance)
    prepare(program, options, same)
    return same.changed


def held(whole: Whole, options: EmitOptions) -> set[str]:
    """The same of all passes, for a function and its gradient."""
    same = Same(whole.lowered, whole.values, whole.tolerance)
    ready = simplified(whole.lowered, same)
    run_passes(ready, CHOOSING, after=same)
    changed = same.changed | through(ready, whole.values, whole.tolerance, options)
    if isinstance(same.expected, str):  # an error, for which there is no cotangent
        return changed
    wrt = whole.active()
    derivative = differentiate(ready, wrt)
    args = whole.derivative_arguments(wrt)
    same = Same(derivative.stored, args, whole.tolerance)
    differentiate(ready, wrt, after=same)
    return changed | same.changed | through(derivative.simplified, args, whole.tolerance, options)


SMALL = everyday.arguments(0.001)


@pytest.mark.one_in(88)
@pytest.mark.parametrize(("name", "options"), [(n, o) for n in SMALL for o in OPTIONS])
def test_everyday_programs(name, options) -> None:
    held(Whole(everyday.function(name), SMALL[name]), OPTIONS[options])


@pytest.mark.one_in(48)
@pytest.mark.parametrize(("f", "args", "updates"), [*cases(MODULES)])
def test_programs(f, args, updates) -> None:
    held(Whole(f, args, updates, f.__name__ in SINGLE), OPTIONS["hoisted"])


@pytest.mark.one_in(80)
@pytest.mark.parametrize("seed", range(200))
def test_random_programs(seed) -> None:
    for options in OPTIONS.values():
        through(Maker(seed).program(), arguments(seed), 1e-9, options)


@pytest.mark.one_in(5)
@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(5))
def test_nests_over_scratch_arrays(seed) -> None:
    drawn = scratch_nests(Seeded(seed))
    held(Whole(drawn.load(), drawn.args), OPTIONS["hoisted"])
