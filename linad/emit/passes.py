"""What is done to a program before it is printed, from core to core."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from linad_typecheck.core import Function, Program

from linad.simplify.invariant import hoist_invariants

from .blocks import in_blocks
from .bounds import check_accesses
from .carry import carry_cells
from .columns import by_columns
from .distribute import distribute
from .exits import thread_exits
from .first import demands_first
from .fission import divide_chains
from .fresh import store_first
from .hoist import hoist_buffers
from .in_place import keep_one
from .late import copy_late
from .log_rows import begin_with_lines
from .jam import jam
from .neighbours import add_later, hand_on
from .parallel import Decision, parallelise
from .products import divide_less, multiply_last
from .rows import gather_rows
from .scatters import additions_behind
from .sizes import known_sizes
from .split import split_loops
from .sums import sum_in_registers
from .turns import stay, take_turns
from .unroll import write_out
from .waits import add_last

if TYPE_CHECKING:
    from .module import EmitOptions


def prepare(program: Program, options: EmitOptions) -> Program:
    """The program with its index checks written out, its exits in place, its buffers hoisted and its loops on threads."""
    hoist = options.checked == "hoisted"
    program = in_shape(program, hoist, options.fastmath and options.noalias, options.parallel)
    if hoist and options.noalias:
        program = demands_first(program)
    if options.parallel and options.noalias and hoist:
        program, _ = parallelise(program, options.fastmath)
    last = HANDING if options.fastmath and options.noalias else ()
    return Program(program.entry, {name: hoist_buffers(_all(last, f)) for name, f in program.functions.items()})


def decisions(program: Program, fastmath: bool) -> tuple[Decision, ...]:
    """Which loops of a program run on threads where that is asked for, and why others do not."""
    return parallelise(in_shape(program, True, fastmath, True), fastmath)[1]


Change = Callable[[Function], Function]

# where sums may be taken in another order, and arrays of different names share no memory
RESHAPING: tuple[Change, ...] = (
    split_loops,
    by_columns,
    sum_in_registers,
    divide_chains,
    additions_behind,
    gather_rows,
    distribute,
    in_blocks,
    carry_cells,
    add_last,
)


HANDING: tuple[Change, ...] = (keep_one, copy_late, store_first, jam, add_later, hand_on, divide_less, multiply_last, begin_with_lines)  # behind what asks whether iterations have an order


def _all(changes: tuple[Change, ...], f: Function) -> Function:
    for change in changes:
        f = change(f)
    return f


def in_shape(program: Program, hoist: bool, apart: bool, threads: bool = False) -> Program:
    """With ``apart``, its loops are reshaped, too; with ``threads``, so that those around others may be shared out."""

    def one(f: Function) -> Function:
        f = check_accesses(thread_exits(write_out(take_turns(stay(f) if threads else f)) if apart else f), hoist)
        f = hoist_invariants(known_sizes(f))
        return _all(RESHAPING if apart else (), f)

    return Program(program.entry, {name: one(f) for name, f in program.functions.items()})
