"""Restart safety: whether a program may request the checked build after it has written to an array of its caller.

If it cannot, nothing has to be restored before the other build runs, so it can add to the caller's buffers without
copies.
"""

from __future__ import annotations

from dataclasses import dataclass

from linad_typecheck.ir.core import (
    RETRY, AddArray, AddTo, Alloc, Block, Call, Check, Copy, Dense, Fill, Function, If, Loop, Program, Stmt, Store, Var,
    operands, outputs, walk,
)
from linad_typecheck.types import Array

from .effects import updated_args


def retries_after_writes(program: Program) -> bool:
    """Whether a write to an array parameter of the entry may precede a request for the checked build."""
    if not any(_demands(f) for f in program.functions.values()):
        return False
    order = _Order(program, _callers(program.main))
    order.block(program.main.body, False)
    return order.late


def _demands(f: Function) -> bool:
    return any(isinstance(s, Check) and s.error == RETRY for s in walk(f.body))


def _callers(f: Function) -> set[str]:
    """The names that may alias the caller's arrays: parameters, and names derived from them by loops, branches and
    calls."""
    found = {p.var.name for p in f.params if isinstance(p.var.type, Array)}

    def join(targets: tuple[Var, ...], *sources: tuple[object, ...]) -> bool:
        new = {
            t.name
            for one in sources
            for t, a in zip(targets, one, strict=True)
            if isinstance(a, Var) and a.name in found and t.name not in found
        }
        found.update(new)
        return bool(new)

    changed = True
    while changed:
        changed = False
        for s in walk(f.body):
            match s:
                case If():
                    changed |= join(s.outs, s.then.results, s.orelse.results)
                case Loop():
                    ends = s.body.results[1:] if s.exits else s.body.results
                    changed |= join(s.carried, s.inits, ends)
                    changed |= join(s.outs, s.carried, ends)
                case Alloc() | Copy():
                    pass
                case _:
                    arrays = [v.name for v in outputs(s) if isinstance(v.type, Array)]
                    if any(isinstance(a, Var) and a.name in found for a in operands(s)) and not found.issuperset(
                        arrays
                    ):
                        found.update(arrays)
                        changed = True
    return found


@dataclass
class _Order:
    """A walk in execution order."""

    program: Program
    callers: set[str]
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
            case Store(array=a) | AddTo(array=a) | Fill(array=a) | AddArray(array=a):
                return wrote or a.name in self.callers
            case Dense(updated=updated):
                return wrote or any(a.name in self.callers for a in updated)
            case If(then=then, orelse=orelse):
                first, second = self.block(then, wrote), self.block(orelse, wrote)
                return first or second
            case Loop(body=body):
                after = self.block(body, wrote)
                return after if after == wrote else self.block(body, after)
            case Call(callee=callee):
                f = self.program.functions[callee]
                wrote = wrote or any(n in self.callers for n in updated_args(s, f))
                self.late |= wrote and any(map(_demands, self.program.functions.values()))
        return wrote
