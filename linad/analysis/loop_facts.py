"""What loops define and update, and how the ints they carry change: facts for the index checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from linad_typecheck.ir.core import (
    AddTo, Atom, Block, Const, Function, If, Let, Load, Loop, Stmt, Store, Var, outputs, walk,
)
from linad_typecheck.types import Array

from .accesses import Access, accesses, updates
from .affine import Ranges
from .logs import logs_of


def defined(s: Loop) -> set[str]:
    """The names that a loop defines."""
    return {s.index.name, *(c.name for c in s.carried)} | names_of(s.body)


def next_value(s: Loop, k: int, value: Callable[[Atom], Atom] = lambda a: a) -> Atom:
    """What a value that a loop carries is in the next iteration, if there is one: where the last result of a branch is
    whether there is, the arm is known that has been taken. ``value`` says which atoms are copies of which."""
    if not s.exits:
        return value(s.body.results[k])
    goes_on, *results = s.body.results
    return _taken(value(results[k]), value(goes_on), s.body, value)


def _taken(a: Atom, holds: Atom, b: Block, value: Callable[[Atom], Atom]) -> Atom:
    """What a value of a block comes from, where a bool of it holds."""
    for t in b.stmts:
        if not (isinstance(t, If) and a in t.outs):
            continue
        arms = [(t.then, value(t.cond) == holds), (t.orelse, False)]
        if holds in t.outs:
            flags = [value(arm.results[t.outs.index(holds)]) for arm in (t.then, t.orelse)]
            never = [isinstance(f, Const) and not f.value for f in flags]
            arms = [(t.then, never[1]), (t.orelse, never[0])]
        for arm, taken in arms:
            if taken:
                inner = value(arm.results[t.outs.index(holds)]) if holds in t.outs else holds
                return _taken(value(arm.results[t.outs.index(a)]), inner, arm, value)
    return a


def names_of(b: Block) -> set[str]:
    """The names that a block defines."""
    names: set[str] = set()
    for t in walk(b):
        names.update(v.name for v in outputs(t))
        if isinstance(t, Loop):
            names.update((t.index.name, *(c.name for c in t.carried)))
    return names


def at_innermost(f: Function, change: Callable[[Loop, frozenset[str]], list[Stmt]]) -> Function:
    """The function with statements in place of each loop that has no loop or branch in it; ``change`` is also told the
    names that the loops around define."""

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


def with_ranges(f: Function, change: Callable[[Loop, Ranges], list[Stmt]]) -> Function:
    """The function with statements in place of each loop, the inner ones first; ``change`` is also told what is known
    about the ints where its body begins, and the forms of those that the body makes."""
    r = Ranges(frozenset(logs_of(f)))

    def block(b: Block) -> Block:
        return replace(b, stmts=tuple(t for s in b.stmts for t in stmt(s)))

    def arm(cond: Atom, holds: bool, b: Block) -> Block:
        with r.scope():
            r.learn_test(cond, holds)
            return block(b)

    def stmt(s: Stmt) -> list[Stmt]:
        match s:
            case If(cond=cond, then=then, orelse=orelse):
                return [replace(s, then=arm(cond, True, then), orelse=arm(cond, False, orelse))]
            case Loop():
                with r.scope():
                    r.enter(s)
                    head = r.snapshot()
                    body = block(s.body)
                    r.restore(head)  # what a check in the body says does not hold for the statements before it
                    return change(replace(s, body=body), r)
        r.statement(s)
        return [s]

    return replace(f, body=block(f.body))


def is_counted(s: Loop, one_by_one: bool = False) -> bool:
    """Whether a loop runs over a range to its end, by a known step, and carries no arrays; ``one_by_one``: from an int
    to the next."""
    if (
        s.exits
        or s.stop is None
        or s.trips is not None
        or s.mark is not None
        or any(isinstance(c.type, Array) for c in s.carried)
    ):
        return False
    return isinstance(s.step, Const) and (abs(s.step.value) == 1 if one_by_one else s.step.value != 0)


def updated(s: Loop) -> set[str]:
    """The arrays that a loop may update."""
    return {a.name for t in walk(s.body) for a in updates(t)}


def outer_accesses(s: Loop) -> Iterator[tuple[Stmt, Access]]:
    """The statements of a loop that do something to cells of arrays that are made before it, with what they do."""
    made = defined(s)
    return ((t, a) for t in walk(s.body) for a in accesses(t) if a.array.name not in made)


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
