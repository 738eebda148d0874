"""The passes that prepare a core program for code generation, in execution order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from linad_typecheck.ir.core import Program

from linad.optimise.loops.branch_flattening import flatten_branches
from linad.optimise.loops.critical_path_reassociation import add_last
from linad.optimise.loops.index_set_splitting import split_loops
from linad.optimise.loops.loop_carried_forwarding import carry_cells
from linad.optimise.loops.loop_distribution import distribute
from linad.optimise.loops.loop_invariant_motion import hoist_invariants
from linad.optimise.loops.loop_peeling import peel_loops
from linad.optimise.loops.loop_unrolling import write_out
from linad.optimise.loops.loop_unswitching import unswitch
from linad.optimise.loops.product_reassociation import multiply_last
from linad.optimise.loops.recurrence_distribution import divide_chains
from linad.optimise.loops.register_rotation import add_later, hand_on
from linad.optimise.loops.register_tiling import tile
from linad.optimise.loops.scalar_promotion import sum_in_registers
from linad.optimise.loops.scatter_buffering import in_blocks
from linad.optimise.loops.scatter_distribution import additions_behind
from linad.optimise.loops.stencil_gather import gather_rows
from linad.optimise.loops.unroll_and_jam import jam
from linad.optimise.memory.addition_merging import merge_additions
from linad.optimise.memory.allocation_hoisting import hoist_buffers
from linad.optimise.memory.buffer_merging import keep_one
from linad.optimise.memory.copy_sinking import copy_late
from linad.optimise.memory.double_buffering import stay, take_turns
from linad.optimise.memory.first_write_promotion import store_first
from linad.optimise.memory.layout_transposition import by_columns
from linad.optimise.memory.rotation_gather import gather_rotations
from linad.optimise.memory.snapshot_coalescing import coalesce_snapshots
from linad.optimise.scalars.dead_code_elimination import drop_dead
from linad.optimise.pass_manager import After, Fact, Pass, Phase, Remarks, run
from linad.optimise.environment import guarded
from linad.optimise.phases import COMPARISONS, FIRST, LAST, PRIVATISATION, RENAMING, SIMPLIFICATION, UNROLLING
from linad.optimise.scalars.constant_folding import fold

from .bounds_checks import check_accesses
from .guard_hoisting import demands_first
from .guards import guarded_accesses
from .parallel import spread_loops

if TYPE_CHECKING:
    from .module import EmitOptions

FREE: tuple[Fact, ...] = ("fastmath", "noalias")
CHECKS = "it writes out the tests that keep accesses inside arrays"

RESHAPING: tuple[Pass, ...] = (
    Pass("buffer_pinning", stay, (*FREE, "threads")),
    Pass("double_buffering", take_turns, FREE),
    Pass("loop_unrolling", write_out, FREE),
    Pass("index_checks", check_accesses, told=("retry", "noalias"), required=CHECKS),
    Pass("dead_code_elimination", drop_dead),  # arrays of which only the size was needed, for these checks
    Pass("constant_folding", fold),
    Pass("loop_invariant_motion", hoist_invariants),
    Pass("loop_unswitching", unswitch),
    Pass("rotation_gather", gather_rotations, FREE),
    Pass("loop_peeling", peel_loops, FREE),
    Pass("index_set_splitting", split_loops, FREE),
    Pass("branch_flattening", flatten_branches, FREE),
    Pass("addition_merging", merge_additions, FREE),
    Pass("layout_transposition", by_columns, FREE),
    Pass("scalar_promotion", sum_in_registers, FREE),
    Pass("recurrence_distribution", divide_chains, FREE),
    Pass("scatter_distribution", additions_behind, FREE),
    Pass("stencil_gather", gather_rows, FREE),
    Pass("loop_distribution", distribute, FREE),
    Pass("scatter_buffering", in_blocks, FREE),
    Pass("loop_carried_forwarding", carry_cells, FREE),
    Pass("critical_path_reassociation", add_last, FREE),
)

THREADS: tuple[Pass, ...] = (
    Pass("guard_hoisting", demands_first, ("noalias", "retry"), level="program"),
    Pass("parallelisation", spread_loops, ("noalias", "retry", "threads"), told=("fastmath",), level="program"),
)

# After `parallelisation`, because some of these passes make loops sequential.
ORDERING: tuple[Pass, ...] = (
    Pass("buffer_merging", keep_one, FREE),
    Pass("copy_sinking", copy_late, FREE),
    Pass("first_write_promotion", store_first, FREE),
    Pass("unroll_and_jam", jam, FREE),
    Pass("register_tiling", tile, FREE),
    Pass("accumulation_rotation", add_later, FREE),
    Pass("register_rotation", hand_on, FREE),
    Pass("product_reassociation", multiply_last, FREE),
    Pass("snapshot_coalescing", coalesce_snapshots, FREE),
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
    }
    return (fact for fact, known in holds.items() if known)


def all_passes() -> dict[str, Pass]:
    """Every pass by name, in the order of their first execution."""
    phases = (FIRST, SIMPLIFICATION, PRIVATISATION, LAST, UNROLLING, RENAMING, COMPARISONS, LOOPS)
    return {p.name: p for phase in phases for p in phase.passes}
