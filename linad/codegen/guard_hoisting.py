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

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import reduce

from linad_typecheck.ir.core import (
    RETRY, AddTo, Atom, Block, Check, Const, Dim, Function, If, Let, Load, Loop, Names, Program, Stmt, Store, Var,
    all_names, mentioned, names_in, outputs, walk,
)
from linad_typecheck.ir.rewrite import at_loops, freshen
from linad_typecheck.ops import OPS
from linad_typecheck.types import BOOL, I64, Array, is_float

from linad.analysis.accesses import updates
from linad.analysis.loop_body import needed
from linad.analysis.loop_facts import defined, scatters
from linad.analysis.reductions import is_reduction

from linad.optimise.ints import Maker, has_run

from .restart_safety import retries_after_writes

ZERO, ONE = Const(0, I64), Const(1, I64)
_IDLE = Let | Load | Dim | If | Loop


def hoist_guards(program: Program) -> Program:
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
    found = _Movable(f.body, names_in(f.body), set())
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

    def __init__(self, body: Block, inside: frozenset[str], known: set[str]) -> None:
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
        return [*_checked_once(s, moving, names), rest]
    if _needs_early_exit(moving):
        index = names.var("i", I64)
        alone = freshen(Block(tuple(moving)), names, {s.index.name: index})
        return [Loop(index, s.start, s.stop, s.step, (), (), alone, ()), rest]
    return [*_checked_together(s, moving, names), rest]


def _checked_once(s: Loop, moving: list[Stmt], names: Names) -> list[Stmt]:
    """Retry checks that are the same in all iterations, if there are any."""
    runs = has_run(s, names)
    return [runs, If(runs.out, freshen(Block(tuple(moving)), names, {}), Block(), (), s.span)]


def _checked_together(s: Loop, moving: list[Stmt], names: Names) -> list[Stmt]:
    """A loop that evaluates the retry checks of all iterations, and one check of the outcome."""
    if not any(s.index.name in mentioned(t) for t in moving):
        return _checked_once(s, moving, names)
    index, bad, last, ok = (names.var(n, t) for n, t in (("i", I64), ("bad", I64), ("bad", I64), ("ok", BOOL)))
    flagged = _flag(freshen(Block(tuple(moving)), names, {s.index.name: index}), bad, names, {})
    loop = Loop(index, s.start, s.stop, s.step, (bad,), (ZERO,), flagged, (last,))
    return [loop, Let(ok, "le", (ZERO, last), s.span), Check(ok, RETRY, "", ())]


def inspect_first(
    s: Loop,
    names: Names,
    written: Callable[[Var], bool],
    own: Callable[[Check], bool],
    relies: Callable[[Load], bool],
) -> tuple[list[Stmt], Loop] | None:
    """The loops that make the checks of a loop, and the loop without them; None if that could not be vectorised.

    A check of what is loaded by an index that is checked too is made in a later loop.

    Parameters
    ----------
    written
        Whether the loop may update an array.
    own
        Whether a check is one of an index that is no known function of the loop's index.
    relies
        Whether a load is in bounds only because of checks in the loop before it.
    """
    s = replace(s, body=replace(s.body, stmts=_without_wraps(s.body.stmts)))
    body = s.body.stmts
    checks = [t for t in body if isinstance(t, Check)]
    rest = [t for t in body if not isinstance(t, Check)]
    moving = needed(body, (), (t.cond for t in checks))
    made = {v.name: t for t in moving for v in outputs(t)}
    carried = {c.name for c in s.carried}
    if not checks or not all(own(t) or _of_floats(t.cond, made) for t in checks) or not _vectorised(s, rest):
        return None
    for t in moving:
        match t:
            case Load(array=a) if written(a) or a.name in carried:
                return None
            case Let(op=op) if OPS[op].expensive:
                return None
            case Let() | Load() | Dim() if not mentioned(t).keys() & carried:
                continue
        return None
    retries = {id(t): replace(t, error=RETRY, message="", args=()) for t in checks}
    if any(isinstance(t, Let) and is_float(t.ins[0].type) and t.out.type == I64 for t in moving):
        # conversions to int64 take one cell at a time, in a loop of their own too
        again = replace(s, body=replace(s.body, stmts=tuple(retries.get(id(t), t) for t in body)))
        return None if any(isinstance(t, Store | AddTo) for t in body) else ([], again)
    alone = replace(s, body=_without_idle(replace(s.body, stmts=tuple(rest))))
    first: list[Stmt] = []
    position = {id(t): k for k, t in enumerate(body)}
    while checks:
        safe = position[id(checks[0])]  # loads before this one rely on checks that have been made
        ready, keep = [], set[int]()
        for t in checks:
            own_needs = needed(body, (), (t.cond,))
            if not any(isinstance(u, Load) and relies(u) and position[id(u)] > safe for u in own_needs):
                ready.append(t)
                keep.update(map(id, (t, *own_needs)))
        first += _checked_together(s, [retries.get(id(t), t) for t in body if id(t) in keep], names)
        checks = [t for t in checks if t not in ready]
    return first, alone


def _without_wraps(body: Iterable[Stmt]) -> tuple[Stmt, ...]:
    """The statements without the tests for negative indices that are checked: few programs mean the end of an array by
    such an index, unless it is computed by a subtraction."""
    body = tuple(body)
    made = {t.out.name: t for t in body if isinstance(t, Let)}
    ranges = (_index_range(t.cond, made) for t in body if isinstance(t, Check))
    checked = {r[0].name for r in ranges if r is not None and isinstance(r[0], Var)}

    def backwards(a: Atom) -> bool:
        t = made.get(a.name) if isinstance(a, Var) else None
        return t is not None and (t.op == "sub" or any(isinstance(x, Const) and x.value < 0 for x in t.ins))

    return tuple(
        Let(t.out, "cast", t.ins[:1], t.span)
        if isinstance(t, Let) and t.op == "wrap" and t.out.name in checked and not backwards(t.ins[0])
        else t
        for t in body
    )


def _index_range(cond: Atom, made: Mapping[str, Stmt]) -> tuple[Atom, Atom] | None:
    """``j`` and ``n`` if a condition is ``0 <= j < n``."""
    match made.get(cond.name) if isinstance(cond, Var) else None:
        case Let(op="and", ins=(Var() as a, Var() as b)):
            match made.get(a.name), made.get(b.name):
                case Let(op="le", ins=(zero, j)), Let(op="lt", ins=(k, n)) if zero == ZERO and j == k:
                    return j, n
    return None


def _of_floats(a: Atom, made: Mapping[str, Stmt]) -> bool:
    """Whether a condition is made of comparisons of floats."""
    t = made.get(a.name) if isinstance(a, Var) else None
    return isinstance(t, Let) and all(is_float(x.type) or _of_floats(x, made) for x in t.ins)


def _vectorised(s: Loop, body: list[Stmt]) -> bool:
    """Whether a loop without checks can be vectorised: it only adds up, and stores at indices of its own."""
    return (
        all(isinstance(t, Let | Load | Dim | Store | AddTo) for t in body)
        and all(is_float(c.type) and is_reduction(s, k, ("add", "sub")) for k, c in enumerate(s.carried))
        and not scatters(replace(s, body=Block(tuple(body))))
    )


def _needs_early_exit(stmts: list[Stmt]) -> bool:
    """Whether a load may depend on an earlier retry check, so that a failing check must exit the loop immediately."""
    demanded = False
    for t in walk(Block(tuple(stmts))):
        demanded |= isinstance(t, Check)
        if demanded and isinstance(t, Load):
            return True
    return False


def _flag(b: Block, bad: Atom, names: Names, made: dict[str, Let]) -> Block:
    """A block that yields a negative int if one of its retry checks fails, and otherwise ``bad``. The checks are
    combined before they are added to ``bad``: as a single ``or`` it is a reduction that LLVM vectorises. ``made``: the
    definitions before the block."""
    m = Maker(names)
    made = made | {t.out.name: t for t in b.stmts if isinstance(t, Let)}
    conds: list[Atom] = []
    for s in b.stmts:
        if isinstance(s, Check):
            conds.append(s.cond)
        elif not _demands(s):
            m.out.append(s)
        else:
            bad, conds, after = _combined(conds, bad, made, m), [], names.var("bad", I64)
            if isinstance(s, If):
                then, orelse = _flag(s.then, bad, names, made), _flag(s.orelse, bad, names, made)
                m.out.append(replace(s, then=then, orelse=orelse, outs=(after,)))
            elif isinstance(s, Loop):
                first = names.var("bad", I64)
                body = _flag(s.body, first, names, made)
                m.out.append(replace(s, carried=(first,), inits=(bad,), body=body, outs=(after,)))
            bad = after
    last = _combined(conds, bad, made, m)
    return Block(tuple(m.out), (last,))


def _combined(conds: list[Atom], bad: Atom, made: Mapping[str, Let], m: Maker) -> Atom:
    """``bad``, or a negative int if one of the conditions is false. Of ``0 <= j < n``, where ``n`` is the size of an
    array, one of ``j`` and ``n - 1 - j`` is then negative."""
    words: list[Atom] = []
    others: list[Atom] = []
    for c in conds:
        if (found := _index_range(c, made)) is None:
            others.append(c)
        else:
            j, n = found
            words += [j, m.let("sub", m.let("sub", n, ONE), j)]
    if others:
        words.append(m.let("select", reduce(lambda a, b: m.let("and", a, b), others), ZERO, Const(-1, I64)))
    return m.let("bitor", bad, reduce(lambda a, b: m.let("bitor", a, b), words)) if words else bad


def _without_idle(b: Block) -> Block:
    """The block without code that only the moved checks used."""
    alive = (s for s in b.stmts if not (outputs(s) and all(isinstance(t, _IDLE) for t in _within(s))))
    return replace(b, stmts=tuple(needed(b.stmts, alive, b.results)))
