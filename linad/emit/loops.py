"""What loops define and update, and how the ints they carry change: facts for the index checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from linad_typecheck.core import (
    AddTo,
    Atom,
    Block,
    Call,
    Const,
    Function,
    If,
    Let,
    Load,
    Loop,
    Stmt,
    Store,
    Var,
    outputs,
    walk,
    writes,
)
from linad_typecheck.types import Array


def defined(s: Loop) -> set[str]:
    """The names that a loop defines."""
    names = {s.index.name, *(c.name for c in s.carried)}
    for t in walk(s.body):
        names.update(v.name for v in outputs(t))
        if isinstance(t, Loop):
            names.update((t.index.name, *(c.name for c in t.carried)))
    return names


def at_innermost(f: Function, change: Callable[[Loop, frozenset[str]], list[Stmt]]) -> Function:
    """The function with statements in place of each loop that has no loop or branch in it; ``change`` is also told the names that the
    loops around define."""

    def block(b: Block, inside: frozenset[str]) -> Block:
        out: list[Stmt] = []
        for s in b.stmts:
            match s:
                case If():
                    out.append(replace(s, then=block(s.then, inside), orelse=block(s.orelse, inside)))
                case Loop(body=body) if any(isinstance(t, Loop | If) for t in body.stmts):
                    out.append(replace(s, body=block(body, inside | defined(s))))
                case Loop():
                    out += change(s, inside)
                case _:
                    out.append(s)
        return Block(tuple(out), b.results)

    return replace(f, body=block(f.body, frozenset()))


def updated(s: Loop) -> set[str]:
    """The arrays that a loop may update."""
    names = {w.name for t in walk(s.body) for w in writes(t)}
    calls = [t for t in walk(s.body) if isinstance(t, Call)]
    return names | {a.name for t in calls for a in t.args if isinstance(a, Var) and isinstance(a.type, Array)}


def scatters(s: Loop) -> bool:
    """Whether a loop writes where loaded indices say: then it is not vectorised, and a check in it costs nothing."""
    loaded = {t.out.name for t in walk(s.body) if isinstance(t, Load) and t.out.type.dtype in ("i64", "i32")}
    for t in walk(s.body):
        if isinstance(t, Let) and any(isinstance(i, Var) and i.name in loaded for i in t.ins):
            loaded.add(t.out.name)
    return any(
        isinstance(i, Var) and i.name in loaded for t in walk(s.body) if isinstance(t, Store | AddTo) for i in t.index
    )


def definitions(b: Block) -> dict[str, Stmt]:
    return {v.name: t for t in walk(b) for v in outputs(t)}


def steps(a: Atom, c: Var, definitions: dict[str, Stmt]) -> set[int] | None:
    """The signs of what a loop body adds to a carried int; None where it does something else to it."""
    if not isinstance(a, Var):
        return None
    if a.name == c.name:
        return {0}
    match definitions.get(a.name):
        case Let(op="add", ins=(x, Const(value=k))) | Let(op="add", ins=(Const(value=k), x)) if abs(k) < 2**20:
            rest = steps(x, c, definitions)
            return None if rest is None else rest | {(k > 0) - (k < 0)}
        case Let(op="sub", ins=(x, Const(value=k))) if abs(k) < 2**20:
            rest = steps(x, c, definitions)
            return None if rest is None else rest | {(k < 0) - (k > 0)}
        case If(then=then, orelse=orelse, outs=outs):
            k = next(k for k, o in enumerate(outs) if o.name == a.name)
            first, second = (steps(b.results[k], c, definitions) for b in (then, orelse))
            return None if first is None or second is None else first | second
    return None
