"""The optimisation passes: pure functions from a core function to a core function, run in one order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from linad_typecheck.core import Function, Program

from .cells import merge_cells
from .choices import choose
from .dead import drop_dead
from .fold import fold
from .fuse import fuse_loops
from .induction import close_inductions
from .invariant import hoist_invariants
from .proved import drop_proved_checks
from .share import share_factorisations
from .taken_over import take_over
from .zeros import spare_zeros


@dataclass(frozen=True, slots=True)
class Pass:
    name: str
    run: Callable[[Function], Function]


PIPELINE: tuple[Pass, ...] = (
    Pass("fold", fold),
    Pass("choices", choose),
    Pass("invariant", hoist_invariants),
    Pass("induction", close_inductions),
    Pass("proved", drop_proved_checks),
    Pass("fuse", fuse_loops),
    Pass("cells", merge_cells),
    Pass("zeros", spare_zeros),
    Pass("taken over", take_over),
    Pass("share", share_factorisations),
    Pass("dead", drop_dead),
)

_ROUNDS = 4  # each round feeds the next; programs settle in two or three


def simplify(program: Program, after: Callable[[str, Program], None] | None = None) -> Program:
    """The program with the same meaning and less to do. ``after`` is told every pass's outcome (tests verify it)."""
    for _ in range(_ROUNDS):
        before = program
        for p in PIPELINE:
            program = replace(program, functions={k: p.run(f) for k, f in program.functions.items()})
            if after is not None:
                after(p.name, program)
        if program == before:
            break
    return program
