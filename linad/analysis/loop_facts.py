"""Facts about loops: names they define, arrays they update, and increments of carried ints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from linad_typecheck.ir.core import (
    AddTo, Atom, Block, Const, Function, If, Let, Load, Loop, Stmt, Store, Var, blocks, names_in,
    outputs, walk,
)
from linad_typecheck.ir.rewrite import in_blocks, with_statements
from linad_typecheck.types import Array

from .accesses import Access, accesses, updates
from .affine import Ranges
from .logs import logs_of


def ranges_of(f: Function, resized: Iterable[str] = ()) -> Ranges:
    """What is known about ints where a function starts: gradients have the sizes of their parameters. ``resized``:
    arrays that change their size."""
    r = Ranges(frozenset(logs_of(f)) | frozenset(resized))
    params = {p.var.name: p.var for p in f.params}
    for p in f.params:
        if p.like in params and isinstance(p.var.type, Array) and p.var.name not in r.logs:
            r.dims |= {(p.var.name, axis): r.dim(params[p.like], axis) for axis in range(p.var.type.rank)}
    return r


def defined(s: Loop) -> set[str]:
    """The names that a loop defines."""
    return {s.index.name, *(c.name for c in s.carried)} | names_in(s.body)


def nest_of(s: Loop) -> list[Loop]:
    """The chain of loops that each contain a single loop."""
    inner = [t for t in s.body.stmts if isinstance(t, Loop)]
    return [s, *nest_of(inner[0])] if len(inner) == 1 else [s]


def next_value(s: Loop, k: int, value: Callable[[Atom], Atom] = lambda a: a) -> Atom:
    """The value of a carried variable in the next iteration, if there is one.

    If it is the result of a branch that also decides whether the loop continues, the arm that continues is known.
    ``value``: maps copies to the atom they copy.
    """
    if not s.exits:
        return value(s.body.results[k])
    goes_on, *results = s.body.results
    return _taken(value(results[k]), value(goes_on), s.body, value)


def _taken(a: Atom, holds: Atom, b: Block, value: Callable[[Atom], Atom]) -> Atom:
    """Resolve a result of a branch to the result of the arm that was taken, given that the bool ``holds`` is true."""
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


def at_innermost(f: Function, change: Callable[[Loop], list[Stmt]]) -> Function:
    """Rewrite each loop that contains no loop or branch and has the same range in every iteration of enclosing loops,
    so that scratch arrays for its iterations keep their size."""

    def block(b: Block, inside: frozenset[str]) -> Block:
        return replace(b, stmts=tuple(t for s in b.stmts for t in stmt(s, inside)))

    def stmt(s: Stmt, inside: frozenset[str]) -> list[Stmt]:
        if isinstance(s, Loop) and not any(isinstance(t, Loop | If) for t in s.body.stmts):
            return [s] if any(isinstance(a, Var) and a.name in inside for a in (s.start, s.stop)) else change(s)
        return [in_blocks(s, lambda b: block(b, inside | defined(s) if isinstance(s, Loop) else inside))]

    return replace(f, body=block(f.body, frozenset()))


def with_ranges(
    f: Function, change: Callable[[Loop, Ranges], list[Stmt]], concerns: Callable[[Loop], bool] | None = None
) -> Function:
    """Rewrite each loop, innermost first. ``change`` also receives the facts about ints at the start of its body (those
    that hold even if it does not run are ``outside``), and the forms of ints computed in the body. ``concerns``: a
    cheap test that fails for loops that would stay as they are: nests of these are passed over."""
    left = set() if concerns is None else _passed_over(f.body, concerns)
    if concerns is not None and all(id(s) in left for s in f.body.stmts if isinstance(s, Loop | If)):
        return f
    r = ranges_of(f)

    def block(b: Block) -> Block:
        return with_statements(b, (t for s in b.stmts for t in stmt(s)))

    def stmt(s: Stmt) -> list[Stmt]:
        match s:
            case If() | Loop() if id(s) in left:
                return [s]
            case If():
                made = iter([block(arm) for arm in r.arms(s)])
                return [in_blocks(s, lambda _: next(made))]
            case Loop():
                with r.scope():
                    outside = r.snapshot()
                    r.enter(s)
                    head = r.snapshot()
                    body = block(s.body)
                    r.restore(head)  # what a check in the body implies does not hold for the statements before it
                    r.outside = outside
                    return change(s if body is s.body else replace(s, body=body), r)
        r.statement(s)
        return [s]

    return replace(f, body=block(f.body))


def _passed_over(block: Block, concerns: Callable[[Loop], bool]) -> set[int]:
    """The ids of the loops and branches without a loop that is concerned."""
    left: set[int] = set()
    for s in block.stmts:
        if not isinstance(s, Loop | If):
            continue
        for b in blocks(s):
            left |= _passed_over(b, concerns)
        inside = (t for b in blocks(s) for t in b.stmts if isinstance(t, Loop | If))
        if isinstance(s, Loop) and concerns(s):
            # `change` asks for the forms of the ints in arms
            left -= {id(t) for t in walk(s.body) if isinstance(t, If)}
        elif all(id(t) in left for t in inside):
            left.add(id(s))
    return left


def carrying_only(s: Loop, kept: Iterable[int]) -> Loop:
    """The loop with only some of its carried values."""
    kept = tuple(kept)
    carried, inits, nexts, outs = (tuple(xs[k] for k in kept) for xs in (s.carried, s.inits, s.nexts, s.outs))
    results = (*s.body.results[: len(s.body.results) - len(s.nexts)], *nexts)
    return replace(s, carried=carried, inits=inits, outs=outs, body=replace(s.body, results=results))


def is_counted(s: Loop, one_by_one: bool = False) -> bool:
    """Whether a loop runs over a range to its end with a constant step and carries no arrays. ``one_by_one``: the step
    is 1 or -1."""
    if (
        s.exits
        or s.stop is None
        or s.trips is not None
        or s.mark is not None
        or any(isinstance(c.type, Array) for c in s.carried)
    ):
        return False
    return isinstance(s.step, Const) and (abs(s.step.value) == 1 if one_by_one else s.step.value != 0)


def is_plain(s: Loop) -> bool:
    """Whether a loop has step 1 or -1 and contains only scalar operations and unchecked accesses."""
    plain = all(isinstance(t, Let) or isinstance(t, Load | Store | AddTo) and not t.checked for t in s.body.stmts)
    return plain and is_counted(s, one_by_one=True)


def updated(s: Loop) -> set[str]:
    """The arrays that a loop may update."""
    return {a.name for t in walk(s.body) for a in updates(t)}


def outer_accesses(s: Loop) -> Iterator[tuple[Stmt, Access]]:
    """The accesses in a loop to arrays defined before it, each with its statement."""
    made = defined(s)
    return ((t, a) for t in walk(s.body) for a in accesses(t) if a.array.name not in made)


def scatters(s: Loop) -> bool:
    """Whether a loop writes at loaded indices: it is then not vectorised, and a check in it costs nothing."""
    loaded = {t.out.name for t in walk(s.body) if isinstance(t, Load)}
    for t in walk(s.body):
        if isinstance(t, Let) and any(isinstance(i, Var) and i.name in loaded for i in t.ins):
            loaded.add(t.out.name)
    return any(
        isinstance(i, Var) and i.name in loaded for t in walk(s.body) if isinstance(t, Store | AddTo) for i in t.index
    )


def definitions(b: Block) -> dict[str, Stmt]:
    return {v.name: t for t in walk(b) for v in outputs(t)}


def steps(a: Atom, c: Var, definitions: dict[str, Stmt]) -> set[int] | None:
    """The signs of the increments of a carried int in a loop body; None if it is updated in any other way."""
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
