"""Jump threading: what follows a branch that decides it is moved into the branch, so that text has a ``break``.

**Transformation.** Jump threading (as in LLVM and GCC).

**Before.** ``go = if c { yield 0 } else { yield 1 }; if go { rest }``
**After.** ``if c { } else { rest }``

**Legality.** The arms give the int that guards the rest of the body as literals, as lowering does for ``break``,
``continue`` and ``return``. So the rest belongs to one arm, and what remains for the other is nothing, or the end
of the loop.

**Profitability.** Always in loops that are left early; of the rest at most `LARGEST_COPY` statements are written
twice.

**Needs.** Nothing: the results are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from linad_typecheck.ir.core import Atom, Block, Const, Function, If, Let, Loop, Names, Stmt, Var, all_names, walk
from linad_typecheck.ir.rewrite import freshen, rebuild
from linad_typecheck.types import BOOL

COMPARE = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": lambda a: not a,
}
LARGEST_COPY = 4  # statements that may occur once more in the text


def thread_exits(f: Function) -> Function:
    """The function with the rest of loop bodies moved into the branches that decide about it."""
    names = Names(all_names(f))

    def visit(b: Block) -> Block:
        out: list[Stmt] = []
        for s in b.stmts:
            match s:
                case Loop():
                    body = visit(s.body)
                    out.append(replace(s, body=_thread(body, names) if s.exits else body))
                case If():
                    out.append(replace(s, then=visit(s.then), orelse=visit(s.orelse)))
                case _:
                    out.append(s)
        return Block(tuple(out), b.results)

    return replace(f, body=visit(f.body))


def _thread(b: Block, names: Names) -> Block:
    """The body of a loop, its last deciding branch made its last statement."""
    for at, s in enumerate(b.stmts):
        if not isinstance(s, If) or at == len(b.stmts) - 1 or not _decides(s, b.stmts[at + 1 :]):
            continue
        rest = Block(b.stmts[at + 1 :], b.results)
        arms = [_continue(arm, s, rest, names) for arm in (s.then, s.orelse)]
        spare = sum(map(_size, arms)) - _size(s.then) - _size(s.orelse) - _size(rest)
        if spare > LARGEST_COPY:
            continue
        arms = [_thread(arm, names) for arm in arms]
        outs = tuple(names.var(r.name if isinstance(r, Var) else "go", r.type) for r in b.results)
        return Block((*b.stmts[:at], If(s.cond, *arms, outs, s.span)), outs)
    return b


def _decides(s: If, rest: tuple[Stmt, ...]) -> bool:
    """Whether an arm gives a literal that a later test looks at."""
    literal = {
        o.name
        for k, o in enumerate(s.outs)
        if o.type.dtype in ("i64", "i32", "bool") and any(isinstance(b.results[k], Const) for b in (s.then, s.orelse))
    }
    return any(
        (isinstance(t, Let) and t.op in COMPARE and any(isinstance(i, Var) and i.name in literal for i in t.ins))
        or (isinstance(t, If) and isinstance(t.cond, Var) and t.cond.name in literal)
        for t in rest
    )


def _continue(arm: Block, s: If, rest: Block, names: Names) -> Block:
    """An arm followed by the rest of the body, as far as the arm leaves any of it."""
    given = {o.name: r for o, r in zip(s.outs, arm.results, strict=True)}
    copy = freshen(rest, names, given)
    stmts, results = _fold(copy, {})
    return Block((*arm.stmts, *stmts), results)


def _fold(b: Block, known: Mapping[str, Atom]) -> tuple[tuple[Stmt, ...], tuple[Atom, ...]]:
    """A block with literal comparisons evaluated and the branches that they decide taken."""
    values = dict(known)

    def use(a: Atom) -> Atom:
        while isinstance(a, Var) and a.name in values:
            a = values[a.name]
        return a

    def inside(inner: Block) -> Block:
        return Block(*_fold(inner, values))

    out: list[Stmt] = []
    for s in b.stmts:
        match s:
            case Let(v, op, ins) if op in COMPARE and all(isinstance(use(i), Const) for i in ins):
                literals = [use(i).value for i in ins]  # type: ignore[union-attr]
                values[v.name] = Const(bool(COMPARE[op](*literals)), BOOL)
            case Let(v, "and" | "or" as op, ins) if any(isinstance(use(i), Const) for i in ins):
                first, second = map(use, ins)
                literal, other = (first, second) if isinstance(first, Const) else (second, first)
                values[v.name] = literal if literal.value == (op == "or") else other  # type: ignore[union-attr]
            case If() if isinstance(use(s.cond), Const):
                arm = s.then if use(s.cond).value else s.orelse  # type: ignore[union-attr]
                stmts, results = _fold(arm, values)
                out.extend(stmts)
                values.update(zip((o.name for o in s.outs), results, strict=True))
            case _:
                out.append(rebuild(s, use, block=inside))
    return tuple(out), tuple(map(use, b.results))


def _size(b: Block) -> int:
    return sum(1 for _ in walk(b))
