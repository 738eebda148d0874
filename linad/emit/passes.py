"""What is done to a program before it is printed, from core to core."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from linad_typecheck.core import Function, Program

from linad.simplify.invariant import hoist_invariants

from .bounds import check_accesses
from .exits import thread_exits
from .hoist import hoist_buffers
from .parallel import parallelise
from .sites import Sites
from .sizes import known_sizes

if TYPE_CHECKING:
    from .module import EmitOptions


def prepare(program: Program, options: EmitOptions, sites: Sites) -> Program:
    """The program with its index checks written out, its exits in place and its buffers hoisted."""

    def one(f: Function) -> Function:
        f = thread_exits(f)
        f = check_accesses(f, hoist=options.checked == "hoisted", indexed=sites.indexed)
        return hoist_invariants(known_sizes(f, sites.indexed))

    program = Program(program.entry, {name: one(f) for name, f in program.functions.items()})
    if options.parallel and options.noalias and options.checked == "hoisted":
        program, _ = parallelise(program, options.fastmath)
    return replace(program, functions={name: hoist_buffers(f) for name, f in program.functions.items()})
