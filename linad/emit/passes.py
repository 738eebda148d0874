"""What is done to a program before it is printed, from core to core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linad_typecheck.core import Program

from .bounds import check_accesses
from .sites import Sites

if TYPE_CHECKING:
    from .module import EmitOptions


def prepare(program: Program, options: EmitOptions, sites: Sites) -> Program:
    """The program with its index checks written out and its buffers hoisted."""
    functions = {
        name: check_accesses(f, hoist=options.checked == "hoisted", indexed=sites.indexed)
        for name, f in program.functions.items()
    }
    return Program(program.entry, functions)
