"""Guard hoisting: move checks that request the other build out of a loop that writes to arrays of the caller.

**Transformation.** Loop distribution of the checks: a preceding loop makes those of all iterations. In the same way
they move to the start of the function, past the statements before them (inspector-executor, as in Saltz, Mirchandaney
and Crowley, Run-time parallelization and scheduling of loops, 1991).

**Before.** ``for i { check (indptr[i+1] <= n) retry; for k in range(indptr[i], indptr[i+1]) { &x_bar[idx[k]] += e } }``
**After.** ``for i { check (indptr[i+1] <= n) retry }; for i { for k in range(indptr[i], indptr[i+1]) { ... } }``

**Legality.** A check moves with everything that it is computed from: ints, and loads from arrays of a type that the
loop does not write. A load moves only if no check with a user-visible error precedes it, because that check may be what
keeps its index in bounds. A check for an iteration that such an error would have prevented only costs time.

**Profitability.** Once earlier rows have been added to the caller's gradient, the other build cannot start again, and
each row would have to be checked separately.

**Needs.** Arrays with different names do not overlap (noalias); a failing check can request the other build (retry).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from linad_typecheck.ir.core import (
    RETRY, Atom, Block, Check, Const, Dim, Function, If, Let, Load, Loop, Names, Program, Stmt, all_names,
    mentioned, outputs, walk,
)
from linad_typecheck.ir.rewrite import at_loops, freshen
from linad_typecheck.types import BOOL, I64, Array

from linad.analysis.accesses import updates
from linad.analysis.loop_body import needed
from linad.analysis.loop_facts import defined, names_of

from linad.optimise.ints import has_run

from .restart_safety import retries_after_writes

ZERO, ONE = Const(0, I64), Const(1, I64)
_IDLE = Let | Load | Dim | If | Loop


def demands_first(program: Program) -> Program:
    """The program with all retry checks before any write to a caller's array; unchanged if that is not possible."""
    if not retries_after_writes(program):
        return program
    moved = replace(program, functions={name: _hoisted(f) for name, f in program.functions.items()})
    return program if retries_after_writes(moved) else moved


def _hoisted(f: Function) -> Function:
    names = Names(all_names(f))
    return _at_the_start(at_loops(f, lambda s: _checks_before(s, names)), names)


def _at_the_start(f: Function, names: Names) -> Function:
    """Move the retry checks of the function's own block to its start, as far as possible."""
    found = _Movable(f.body, names_of(f.body), set())
    if not found.demands:
        return f
    moved = {id(t) for t in found.demands}
    rest = tuple(t for t in f.body.stmts if id(t) not in moved)
    first = freshen(Block(tuple(found.needed())), names, {})
    return replace(f, body=_without_idle(Block((*first.stmts, *rest), f.body.results)))


def _demands(s: Stmt) -> bool:
    return any(isinstance(t, Check) and t.error == RETRY for t in _within(s))


def _within(s: Stmt) -> Iterable[Stmt]:
    return walk(Block((s,)))


class _Movable:
    """The statements of an iteration that can execute in a preceding loop."""

    def __init__(self, body: Block, inside: set[str], known: set[str]) -> None:
        self.body, self.inside, self.known = body, inside, known
        self.demands: list[Stmt] = []
        self.erring = False  # whether a load may rely on an earlier check that does not move
        # an array may have several names, but only one element type
        self.updated = {a.type.dtype for t in walk(body) for a in updates(t)}
        for s in body.stmts:
            if self.moves(s):
                self.known |= {v.name for v in outputs(s)}
                if _demands(s):
                    self.demands.append(s)
            elif any(isinstance(t, Check) for t in _within(s)):
                self.erring = True

    def moves(self, s: Stmt) -> bool:
        for t in _within(s):
            match t:
                case Loop() if t.exits or t.stop is None or t.mark is not None:
                    return False
                case Load(array=a) if self.erring or a.name in self.inside or a.type.dtype in self.updated:
                    return False
                case Check(error=error) if error != RETRY:
                    return False
                case Let() | Load() | Dim() | If() | Loop() | Check():
                    pass
                case _:
                    return False
        if mentioned(s).keys() & self.inside - self.known:
            return False
        return not (_demands(s) and outputs(s)) and not any(isinstance(v.type, Array) for v in outputs(s))

    def needed(self) -> list[Stmt]:
        """The retry checks and the statements they depend on, in order."""
        return needed(self.body.stmts, self.demands)


def _checks_before(s: Loop, names: Names) -> list[Stmt]:
    """The loop, preceded by the loops that make its retry checks, as far as these can move. They have no source
    position, so no remark mentions them."""
    if s.exits or s.stop is None or s.mark is not None or not isinstance(s.step, Const) or not s.step.value:
        return [s]
    found = _Movable(s.body, defined(s), {s.index.name})
    if not found.demands:
        return [s]
    moving = found.needed()
    moved = {id(t) for t in found.demands}
    rest = replace(s, body=_without_idle(Block(tuple(t for t in s.body.stmts if id(t) not in moved), s.body.results)))
    if not any(s.index.name in mentioned(t) for t in moving):
        once = freshen(Block(tuple(moving)), names, {})
        runs = has_run(s, names)
        return [runs, If(runs.out, once, Block(), (), s.span), rest]
    if _needs_early_exit(moving):
        index = names.var("i", I64)
        alone = freshen(Block(tuple(moving)), names, {s.index.name: index})
        return [Loop(index, s.start, s.stop, s.step, (), (), alone, ()), rest]
    index, fine, last, ok = (names.var(n, t) for n, t in (("i", I64), ("fine", I64), ("fine", I64), ("ok", BOOL)))
    flagged = _flag(freshen(Block(tuple(moving)), names, {s.index.name: index}), fine, names)
    loop = Loop(index, s.start, s.stop, s.step, (fine,), (ONE,), flagged, (last,))
    return [loop, Let(ok, "eq", (last, ONE), s.span), Check(ok, RETRY, "", ()), rest]


def _needs_early_exit(stmts: list[Stmt]) -> bool:
    """Whether a load may depend on an earlier retry check, so that a failing check must exit the loop immediately."""
    demanded = False
    for t in walk(Block(tuple(stmts))):
        demanded |= isinstance(t, Check)
        if demanded and isinstance(t, Load):
            return True
    return False


def _flag(b: Block, fine: Atom, names: Names) -> Block:
    """A block that yields 0 if one of its retry checks fails, and otherwise ``fine``."""
    out: list[Stmt] = []
    for s in b.stmts:
        match s:
            case Check(cond=cond):
                one, both = names.var("one", I64), names.var("fine", I64)
                out += [Let(one, "select", (cond, ONE, ZERO), s.span), Let(both, "bitand", (fine, one), s.span)]
                fine = both
            case If() if _demands(s):
                after = names.var("fine", I64)
                out.append(
                    replace(s, then=_flag(s.then, fine, names), orelse=_flag(s.orelse, fine, names), outs=(after,))
                )
                fine = after
            case Loop() if _demands(s):
                first, after = names.var("fine", I64), names.var("fine", I64)
                out.append(replace(s, carried=(first,), inits=(fine,), body=_flag(s.body, first, names), outs=(after,)))
                fine = after
            case _:
                out.append(s)
    return Block(tuple(out), (fine,))


def _without_idle(b: Block) -> Block:
    """The block without code that only the moved checks used."""
    alive = (s for s in b.stmts if not (outputs(s) and all(isinstance(t, _IDLE) for t in _within(s))))
    return replace(b, stmts=tuple(needed(b.stmts, alive, b.results)))
