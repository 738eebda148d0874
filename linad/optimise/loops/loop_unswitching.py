"""Loop unswitching: move a loop-invariant test out of an innermost loop.

**Transformation.** Loop unswitching (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, chapter
5).

**Before.** ``for i in range(n) { if first { a } else { b }; c }``
**After.** ``if first { for i in range(n) { a; c } } else { for i in range(n) { b; c } }``

**Legality.** The condition is defined outside the loop. Counted loops that carry no arrays; the order of statements is
unchanged.

**Profitability.** Loops of at most `LONG` statements, because the body is duplicated. LLVM unswitches loops as well,
but after the passes that need straight-line loop bodies: loop reversal, register rotation and first-write promotion.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from linad_typecheck.ir.core import Atom, Block, Function, If, Loop, Names, Stmt, Var, all_names, walk
from linad_typecheck.ir.rewrite import at_loops, freshen, substitute

from linad.analysis.loop_facts import defined, is_counted

LONG = 100


def unswitch(f: Function) -> Function:
    """Unswitch innermost loops on loop-invariant conditions."""
    names = Names(all_names(f))

    def parts(s: Loop) -> list[Stmt]:
        inner = list(walk(s.body))
        if not is_counted(s) or len(inner) > LONG or any(isinstance(t, Loop) for t in inner):
            return [s]
        return [_unswitched(s, names)]

    return at_loops(f, parts)


def _unswitched(s: Loop, names: Names) -> Stmt:
    made = defined(s)
    cond = next(
        (t.cond for t in s.body.stmts if isinstance(t, If) and isinstance(t.cond, Var) and t.cond.name not in made),
        None,
    )
    if cond is None:
        return s
    arms = []
    for answer in (True, False):
        body = _with_arm_taken(s.body, cond, answer)
        [arm] = freshen(Block((replace(s, body=body),)), names, {}).stmts
        assert isinstance(arm, Loop)
        arms.append(Block((_unswitched(arm, names),), arm.outs))
    return If(cond, arms[0], arms[1], s.outs, s.span)


def _with_arm_taken(b: Block, cond: Var, answer: bool) -> Block:
    """A block with each branch on a condition replaced by the arm taken."""
    same: dict[str, Atom] = {}

    def stmts() -> Iterator[Stmt]:
        for t in b.stmts:
            [t] = substitute(Block((t,)), same).stmts
            if isinstance(t, If) and t.cond == cond:
                arm = t.then if answer else t.orelse
                yield from arm.stmts
                same.update((v.name, r) for v, r in zip(t.outs, arm.results, strict=True))
            else:
                yield t

    found = tuple(stmts())
    return Block(found, tuple(same.get(r.name, r) if isinstance(r, Var) else r for r in b.results))
