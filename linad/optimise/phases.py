"""The phases before and after differentiation, with their passes in execution order."""

from __future__ import annotations

from collections.abc import Iterable

from linad_typecheck.ir.core import Program

from .loops.find_last_reduction import find_last
from .loops.induction_variables import close_inductions
from .loops.loop_coalescing import coalesce_loops
from .loops.loop_counting import count_loops
from .loops.loop_fusion import fuse_loops
from .loops.loop_invariant_motion import hoist_invariants
from .loops.loop_unrolling import unroll_early
from .memory.adjoint_forwarding import forward_adjoints
from .memory.array_privatisation import privatise_arrays
from .memory.array_renaming import rename_arrays
from .memory.copy_expansion import expand_copies
from .memory.copy_elision import elide_copies
from .memory.invariant_reads import move_invariant_reads
from .pass_manager import After, Pass, Phase, run
from .scalars.check_elimination import eliminate_checks
from .scalars.common_subexpressions import share_factorisations
from .scalars.comparison_naming import compare_in_entry
from .scalars.constant_folding import fold_constants
from .scalars.dead_code_elimination import eliminate_dead_code
from .scalars.dead_store_elimination import eliminate_dead_stores
from .scalars.if_conversion import convert_ifs
from .scalars.scalar_replacement import replace_small_arrays
from .scalars.select_sinking import sink_selects
from .scalars.size_naming import name_sizes

FIRST = Phase((Pass("size_naming", name_sizes),))  # before all other phases

# Each round enables the next; programs reach a fixed point after two or three.
SIMPLIFICATION = Phase(
    (
        Pass("constant_folding", fold_constants),
        Pass("if_conversion", convert_ifs),
        Pass("loop_invariant_motion", hoist_invariants),
        Pass("induction_variables", close_inductions),
        Pass("loop_counting", count_loops),
        Pass("check_elimination", eliminate_checks),
        Pass("loop_coalescing", coalesce_loops),
        Pass("loop_fusion", fuse_loops),
        Pass("dead_store_elimination", eliminate_dead_stores),
        Pass("copy_elision", elide_copies),
        Pass("adjoint_forwarding", forward_adjoints),
        Pass("scalar_replacement", replace_small_arrays),
        Pass("common_subexpressions", share_factorisations),
        Pass("dead_code_elimination", eliminate_dead_code),
    ),
    rounds=4,
)

# Before differentiation only. The storage plan need not save an array that is private to an iteration; a program that
# this phase changes is simplified again.
PRIVATISATION = Phase((Pass("array_privatisation", privatise_arrays),))
UNTAKEN = "it keeps nan and inf of the side that is not taken out of derivatives"
LAST = Phase((Pass("select_sinking", sink_selects, required=UNTAKEN),))

# Before differentiation in reverse only: the value of a choice costs another iteration.
CHOOSING = Phase((Pass("find_last_reduction", find_last),))

COMPARISONS = Phase((Pass("comparison_naming", compare_in_entry, level="program"),))
READING = Phase((Pass("invariant_reads", move_invariant_reads),))
EXPANSION = Phase((Pass("copy_expansion", expand_copies),))
RENAMING = Phase((Pass("array_renaming", rename_arrays),))
UNROLLING = Phase((Pass("early_unrolling", unroll_early),))

# Alternative forms of a program, tried in order: each is differentiated instead if its derivative logs at least this
# many bytes less.
ALTERNATIVES = ((UNROLLING, 1), (EXPANSION, 1), (RENAMING, 0), (READING, 1), (COMPARISONS, 1))


def simplify(program: Program, after: After | None = None, off: Iterable[str] = ()) -> Program:
    """Simplify a program. ``after`` receives the result of every pass; passes named in ``off`` are skipped."""
    return run(program, SIMPLIFICATION, off=off, after=after)[0]
