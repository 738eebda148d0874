"""Restart safety: whether a program may request the checked build after it has written to an array of its caller.

If it cannot, nothing has to be restored before the other build runs, so it can add to the caller's buffers without
copies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from linad_typecheck.ir.core import RETRY, Block, Call, Check, Function, If, Loop, Program, Stmt, Var, walk
from linad_typecheck.linear.uses import modes_of
from linad_typecheck.types import Array

from linad.analysis.accesses import updates
from linad.analysis.alias import alias_groups


def retries_after_writes(program: Program) -> bool:
    """Whether a write to an array parameter of the entry may precede a request for the checked build."""
    if not any(_demands(f) for f in program.functions.values()):
        return False
    group, arrays = (
        alias_groups(program.main),
        (p.var for p in program.main.params if isinstance(p.var.type, Array) and p.mode != "out"),
    )
    callers = {group(a.name) for a in arrays}
    order = _Order(program, lambda a: group(a.name) in callers)
    order.block(program.main.body, False)
    return order.late


def _demands(f: Function) -> bool:
    return any(isinstance(s, Check) and s.error == RETRY for s in walk(f.body))


@dataclass
class _Order:
    """A walk in execution order."""

    program: Program
    is_callers: Callable[[Var], bool]  # whether an array may be one of the caller
    late: bool = False

    def block(self, b: Block, wrote: bool) -> bool:
        """Whether a caller's array may have been written at the end of the block; ``wrote``: at its start."""
        for s in b.stmts:
            wrote = self.statement(s, wrote)
        return wrote

    def statement(self, s: Stmt, wrote: bool) -> bool:
        match s:
            case Check(error=error):
                self.late |= wrote and error == RETRY
            case If(then=then, orelse=orelse):
                first, second = self.block(then, wrote), self.block(orelse, wrote)
                return first or second
            case Loop(body=body):
                after = self.block(body, wrote)
                return after if after == wrote else self.block(body, after)
        wrote = wrote or any(map(self.is_callers, updates(s, modes_of(self.program.functions))))
        if isinstance(s, Call):
            self.late |= wrote and any(map(_demands, self.program.functions.values()))
        return wrote
