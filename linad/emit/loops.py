"""What loops define and update, and how the ints they carry change: facts for the index checks."""

from __future__ import annotations

from linad_typecheck.core import (
    AddTo,
    Atom,
    Block,
    Call,
    Const,
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
