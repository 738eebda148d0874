"""The passes that prepare a core program for code generation, in execution order."""

from __future__ import annotations

from collections.abc import Iterator

from linad_typecheck.ir.core import Program

from linad.optimise.loops.accumulation_rotation import rotate_accumulations
from linad.optimise.loops.branch_flattening import flatten_branches
from linad.optimise.loops.call_distribution import distribute_calls
from linad.optimise.loops.critical_path_reassociation import reassociate_sums
from linad.optimise.loops.index_set_splitting import split_loops
from linad.optimise.loops.loop_carried_forwarding import forward_loop_carried
from linad.optimise.loops.loop_distribution import distribute_loops
from linad.optimise.loops.loop_invariant_motion import hoist_invariants
from linad.optimise.loops.loop_peeling import peel_loops
from linad.optimise.loops.loop_unrolling import unroll
from linad.optimise.loops.loop_unswitching import unswitch
from linad.optimise.loops.product_reassociation import reassociate_products
from linad.optimise.loops.recurrence_distribution import distribute_recurrences
from linad.optimise.loops.scalar_promotion import promote_scalars
from linad.optimise.loops.scatter_buffering import buffer_scatters
from linad.optimise.loops.stencil_gather import gather_stencils
from linad.optimise.loops.unroll_and_jam import unroll_and_jam
from linad.optimise.memory.addition_merging import merge_additions
from linad.optimise.memory.allocation_hoisting import hoist_buffers
from linad.optimise.memory.buffer_merging import merge_buffers
from linad.optimise.memory.copy_sinking import sink_copies
from linad.optimise.memory.double_buffering import double_buffer, pin_buffers
from linad.optimise.memory.first_write_promotion import promote_first_writes
from linad.optimise.memory.layout_transposition import choose_layouts
from linad.optimise.memory.rotation_gather import gather_rotations
from linad.optimise.memory.snapshot_coalescing import coalesce_snapshots
from linad.optimise.scalars.dead_code_elimination import eliminate_dead_code
from linad.optimise.pass_manager import After, Fact, Pass, Phase, Remarks, run
from linad.optimise.environment import guarded
from linad.optimise.phases import (
    CHOOSING, COMPARISONS, EXPANSION, FIRST, LAST, PRIVATISATION, READING, RENAMING, SIMPLIFICATION, UNROLLING,
)
from linad.optimise.scalars.constant_folding import fold_constants
from linad.optimise.scalars.dead_store_elimination import eliminate_dead_fills, eliminate_dead_stores
from linad.optimise.scalars.reciprocal_sharing import share_reciprocals

from .bounds_checks import check_accesses
from .guard_hoisting import hoist_guards
from .guards import guarded_accesses
from .options import EmitOptions
from .parallel import spread_loops

FREE: tuple[Fact, ...] = ("fastmath", "noalias")
CHECKS = "it writes out the tests that keep accesses inside arrays"

RESHAPING: tuple[Pass, ...] = (
    Pass("buffer_pinning", pin_buffers, (*FREE, "threads")),
    Pass("double_buffering", double_buffer, FREE),
    Pass("loop_unrolling", unroll, FREE),
    Pass("index_checks", check_accesses, told=("retry", "noalias"), required=CHECKS),
    Pass("dead_code_elimination", eliminate_dead_code),  # arrays of which only the size was needed, for these checks
    Pass("constant_folding", fold_constants),
    Pass("dead_store_elimination", eliminate_dead_stores),  # indices that may no longer be negative
    Pass("dead_fill_elimination", eliminate_dead_fills),
    Pass("reciprocal_sharing", share_reciprocals, ("fastmath", "again")),
    Pass("loop_invariant_motion", hoist_invariants),
    Pass("loop_unswitching", unswitch),
    Pass("rotation_gather", gather_rotations, FREE),
    Pass("loop_peeling", peel_loops, FREE),
    Pass("index_set_splitting", split_loops, FREE),
    Pass("branch_flattening", flatten_branches, FREE),
    Pass("addition_merging", merge_additions, FREE),
    Pass("layout_transposition", choose_layouts, FREE),
    Pass("scalar_promotion", promote_scalars, FREE),
    Pass("recurrence_distribution", distribute_recurrences, FREE),
    Pass("stencil_gather", gather_stencils, FREE),
    Pass("loop_distribution", distribute_loops, FREE),
    Pass("scatter_buffering", buffer_scatters, FREE),
    Pass("loop_carried_forwarding", forward_loop_carried, FREE),
    Pass("critical_path_reassociation", reassociate_sums, FREE),
)

THREADS: tuple[Pass, ...] = (
    Pass("guard_hoisting", hoist_guards, ("noalias", "retry"), level="program"),
    Pass("parallelisation", spread_loops, ("noalias", "retry", "threads"), told=("fastmath",), level="program"),
)

# After `parallelisation`, because some of these passes make loops sequential.
ORDERING: tuple[Pass, ...] = (
    Pass("buffer_merging", merge_buffers, FREE),
    Pass("copy_sinking", sink_copies, FREE),
    Pass("first_write_promotion", promote_first_writes, FREE),
    Pass("call_distribution", distribute_calls, FREE),
    Pass("unroll_and_jam", unroll_and_jam, FREE),
    Pass("accumulation_rotation", rotate_accumulations, FREE),
    Pass("product_reassociation", reassociate_products, FREE),
    Pass("snapshot_coalescing", coalesce_snapshots, FREE),
    Pass("loop_invariant_motion", hoist_invariants),  # the sizes of buffers that these passes make
    Pass("allocation_hoisting", hoist_buffers),
)

LOOPS = Phase((*RESHAPING, *THREADS, *ORDERING))


def prepare(program: Program, options: EmitOptions, after: After | None = None) -> tuple[Program, Remarks]:
    """The program with explicit index checks, restructured loops and hoisted buffers, and the remarks of the passes."""
    made, remarks = run(program, LOOPS, facts(options), options.off, after)
    return guarded_accesses(made) if guarded() else made, remarks


def facts(options: EmitOptions) -> Iterator[Fact]:
    """The facts that passes may rely on in code generated with these options."""
    holds: dict[Fact, bool] = {
        "fastmath": options.fastmath,
        "noalias": options.noalias,
        "retry": options.checked == "hoisted",
        "threads": options.parallel,
        "again": not options.exact,
    }
    return (fact for fact, known in holds.items() if known)


def all_passes() -> dict[str, Pass]:
    """Every pass by name, in the order of their first execution."""
    phases = (
        FIRST, SIMPLIFICATION, PRIVATISATION, LAST, CHOOSING, UNROLLING, EXPANSION, RENAMING, READING, COMPARISONS,
        LOOPS,
    )  # fmt: skip
    return {p.name: p for phase in phases for p in phase.passes}
