"""Loop unswitching: a test whose answer is the same in all iterations of an innermost loop is made in front of it.

**Transformation.** Loop unswitching (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, chapter
5).

**Before.** ``for i in range(n) { if first { a } else { b }; c }``
**After.** ``if first { for i in range(n) { a; c } } else { for i in range(n) { b; c } }``

**Legality.** The condition is a value of outside the loop. Counted loops, which carry no arrays; the statements and
their order are the same.

**Profitability.** Loops of at most `LONG` statements, as there are two of them then. The compiler does it as well, but
after the passes that have to see straight loops: loops run upwards, neighbours are handed on and first additions
stored.

**Needs.** Nothing: the results are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from linad_typecheck.ir.core import Atom, Block, Function, If, Loop, Names, Stmt, Var, all_names, walk
from linad_typecheck.ir.rewrite import at_loops, freshen, substitute

from linad.analysis.loop_facts import defined, is_counted

LONG = 100


def unswitch(f: Function) -> Function:
    """The function whose innermost loops do not ask what stays the same."""
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
        body = _decided(s.body, cond, answer)
        [arm] = freshen(Block((replace(s, body=body),)), names, {}).stmts
        assert isinstance(arm, Loop)
        arms.append(Block((_unswitched(arm, names),), arm.outs))
    return If(cond, arms[0], arms[1], s.outs, s.span)


def _decided(b: Block, cond: Var, answer: bool) -> Block:
    """A block with one arm of each branch on a condition."""
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
