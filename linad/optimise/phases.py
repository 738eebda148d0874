"""The phases before and after differentiation, with their passes in execution order."""

from __future__ import annotations

from collections.abc import Iterable

from linad_typecheck.ir.core import Program

from .loops.induction_variables import close_inductions
from .loops.loop_counting import count_loops
from .loops.loop_fusion import fuse_loops
from .loops.loop_invariant_motion import hoist_invariants
from .loops.loop_unrolling import write_out_early
from .memory.adjoint_forwarding import take_over
from .memory.array_privatisation import privatise
from .memory.array_renaming import rename
from .memory.copy_elision import spare_zeros
from .pass_manager import After, Pass, Phase, run
from .scalars.check_elimination import drop_proved_checks
from .scalars.common_subexpressions import share_factorisations
from .scalars.comparison_naming import compare_in_entry
from .scalars.constant_folding import fold
from .scalars.dead_code_elimination import drop_dead
from .scalars.dead_store_elimination import store_sums
from .scalars.if_conversion import choose
from .scalars.select_sinking import sink_selects
from .scalars.size_naming import name_sizes

FIRST = Phase((Pass("size_naming", name_sizes),))  # before all other phases

# Each round enables the next; programs reach a fixed point after two or three.
SIMPLIFICATION = Phase(
    (
        Pass("constant_folding", fold),
        Pass("if_conversion", choose),
        Pass("loop_invariant_motion", hoist_invariants),
        Pass("induction_variables", close_inductions),
        Pass("loop_counting", count_loops),
        Pass("check_elimination", drop_proved_checks),
        Pass("loop_fusion", fuse_loops),
        Pass("dead_store_elimination", store_sums),
        Pass("copy_elision", spare_zeros),
        Pass("adjoint_forwarding", take_over),
        Pass("common_subexpressions", share_factorisations),
        Pass("dead_code_elimination", drop_dead),
    ),
    rounds=4,
)

# Before differentiation only. The storage plan need not save an array that is private to an iteration; a program that
# this phase changes is simplified again.
PRIVATISATION = Phase((Pass("array_privatisation", privatise),))
UNTAKEN = "it keeps nan and inf of the side that is not taken out of derivatives"
LAST = Phase((Pass("select_sinking", sink_selects, required=UNTAKEN),))

COMPARISONS = Phase((Pass("comparison_naming", compare_in_entry, level="program"),))
RENAMING = Phase((Pass("array_renaming", rename),))
UNROLLING = Phase((Pass("early_unrolling", write_out_early),))

# Alternative forms of a program, tried in order: each is differentiated instead if its derivative logs at least this
# many bytes less.
ALTERNATIVES = ((UNROLLING, 1), (RENAMING, 0), (COMPARISONS, 1))


def simplify(program: Program, after: After | None = None, off: Iterable[str] = ()) -> Program:
    """Simplify a program. ``after`` receives the result of every pass; passes named in ``off`` are skipped."""
    return run(program, SIMPLIFICATION, off=off, after=after)[0]
