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
from dataclasses import dataclass, field, replace

from linad_typecheck.ir.core import (
    RETRY, Atom, Block, Call, Check, Const, Dim, Function, If, Let, Load, Loop, Names, Program, Stmt, Var, all_names,
    operands, outputs, walk, writes,
)
from linad_typecheck.ir.rewrite import at_loops, freshen
from linad_typecheck.types import BOOL, I64, Array

from linad.analysis.loop_facts import defined, names_of

from .restart_safety import retries_after_writes

ZERO, ONE = Const(0, I64), Const(1, I64)


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


@dataclass
class _Movable:
    """The statements of an iteration that can execute in a preceding loop."""

    body: Block
    inside: set[str]
    known: set[str]
    made: dict[str, Stmt] = field(default_factory=dict)  # by the names that they define
    demands: list[Stmt] = field(default_factory=list)
    erring: bool = False  # whether a load may rely on an earlier check that does not move

    def __post_init__(self) -> None:
        self.updated = _written_types(self.body)
        for s in self.body.stmts:
            self.statement(s)

    def statement(self, s: Stmt) -> None:
        if self.moves(s):
            self.made |= {v.name: s for v in outputs(s)}
            self.known |= {v.name for v in outputs(s)}
            if _demands(s):
                self.demands.append(s)
        elif any(isinstance(t, Check) for t in _within(s)):
            self.erring = True

    def moves(self, s: Stmt) -> bool:
        own = set(self.known)
        for t in _within(s):
            match t:
                case Loop() if t.exits or t.stop is None or t.mark is not None:
                    return False
                case Loop():
                    own |= {t.index.name, *(c.name for c in t.carried)}
                case Load(array=a) if self.erring or a.name in self.inside or a.type.dtype in self.updated:
                    return False
                case Check(error=error) if error != RETRY:
                    return False
                case Let() | Load() | Dim() | If() | Check():
                    pass
                case _:
                    return False
            own |= {v.name for v in outputs(t)}
        mentioned = (a for t in _within(s) for a in (*operands(t), *_results(t)))
        if any(isinstance(a, Var) and a.name in self.inside and a.name not in own for a in mentioned):
            return False
        return not (_demands(s) and outputs(s)) and not any(isinstance(v.type, Array) for v in outputs(s))

    def needed(self) -> list[Stmt]:
        """The retry checks and the statements they depend on, in order."""
        wanted = {id(s) for s in self.demands}
        todo = [*self.demands]
        while todo:
            for t in _within(todo.pop()):
                for a in (*operands(t), *_results(t)):
                    if isinstance(a, Var) and (s := self.made.get(a.name)) is not None and id(s) not in wanted:
                        wanted.add(id(s))
                        todo.append(s)
        return [s for s in self.body.stmts if id(s) in wanted]


def _written_types(b: Block) -> set[str]:
    """The element types of arrays that a loop may update: an array may have several names, but only one type."""
    found = {w.type.dtype for t in walk(b) for w in writes(t)}
    lent = (
        a
        for t in walk(b)
        if isinstance(t, Call)
        for a in t.args
        if isinstance(a, Var) and isinstance(a.type, Array)
    )
    return found | {a.type.dtype for a in lent}


def _results(s: Stmt) -> tuple[Atom, ...]:
    match s:
        case If(then=then, orelse=orelse):
            return (*then.results, *orelse.results)
        case Loop(body=body):
            return body.results
    return ()


def _checks_before(s: Loop, names: Names) -> list[Stmt]:
    """The loop, preceded by the loops that make its retry checks, as far as these can move. They have no source
    position, so no remark mentions them."""
    if s.exits or s.stop is None or s.mark is not None or not isinstance(s.step, Const) or not s.step.value:
        return [s]
    found = _Movable(s.body, defined(s), {s.index.name})
    if not found.demands:
        return [s]
    needed = found.needed()
    moved = {id(t) for t in found.demands}
    rest = replace(s, body=_without_idle(Block(tuple(t for t in s.body.stmts if id(t) not in moved), s.body.results)))
    runs = names.var("runs", BOOL)
    ends = (s.start, s.stop) if s.step.value > 0 else (s.stop, s.start)
    if not any(
        isinstance(a, Var) and a == s.index for t in needed for u in _within(t) for a in (*operands(u), *_results(u))
    ):
        once = freshen(Block(tuple(needed)), names, {})
        return [Let(runs, "lt", ends, s.span), If(runs, once, Block(), (), s.span), rest]
    if _needs_early_exit(needed):
        index = names.var("i", I64)
        alone = freshen(Block(tuple(needed)), names, {s.index.name: index})
        return [Loop(index, s.start, s.stop, s.step, (), (), alone, ()), rest]
    index, fine, last, ok = (names.var(n, t) for n, t in (("i", I64), ("fine", I64), ("fine", I64), ("ok", BOOL)))
    flagged = _flag(freshen(Block(tuple(needed)), names, {s.index.name: index}), fine, names)
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
    used = {r.name for r in b.results if isinstance(r, Var)}
    kept: list[Stmt] = []
    for s in reversed(b.stmts):
        idle = outputs(s) and not any(v.name in used for v in outputs(s))
        if idle and all(isinstance(t, Let | Load | Dim | If | Loop) for t in _within(s)):
            continue
        used |= {a.name for t in _within(s) for a in (*operands(t), *_results(t)) if isinstance(a, Var)}
        kept.append(s)
    return Block(tuple(reversed(kept)), b.results)
