"""Reductions: carried values that each iteration combines with another value."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from linad_typecheck.ir.core import Atom, Block, If, Let, Load, Loop, Stmt, Var, operands, outputs
from linad_typecheck.types import Scalar, is_float
from .loop_facts import carrying_only


def is_reduction(
    s: Loop,
    k: int,
    ops: tuple[str, ...],
    known_as: Callable[[Var], str] = lambda v: v.name,
    ignored: Callable[[Stmt], bool] = lambda t: False,
) -> bool:
    """Whether a carried value is used only to be combined with other values by one of ``ops`` on the way to its next
    value.

    ``known_as`` maps copies of a value to one name. Statements for which ``ignored`` holds are skipped.
    """
    chain = {s.carried[k].name}

    def on(a: Atom) -> bool:
        return isinstance(a, Var) and isinstance(a.type, Scalar) and known_as(a) in chain

    def alone(results: Iterable[Atom], allowed: set[int]) -> bool:
        return not any(on(r) for j, r in enumerate(results) if j not in allowed)

    def block(b: Block) -> bool:
        return all(map(statement, b.stmts))

    def statement(t: Stmt) -> bool:
        match t:
            case Let(out=v, op=op, ins=(a, b)) if op in ops and (
                on(a) and not on(b) or op != "sub" and on(b) and not on(a)
            ):
                chain.add(v.name)
                return True
            case If(cond=c, then=then, orelse=orelse, outs=outs):
                if on(c) or not (block(then) and block(orelse)):
                    return False
                both = {j for j, (a, b) in enumerate(zip(then.results, orelse.results, strict=True)) if on(a) and on(b)}
                chain.update(outs[j].name for j in both)
                return alone(then.results, both) and alone(orelse.results, both)
            case Loop(carried=inner, inits=inits, body=body, outs=outs):
                mine = {j for j, i in enumerate(inits) if on(i)}
                if any(on(a) for a in (t.start, t.stop, t.step) if a is not None):
                    return False
                chain.update(inner[j].name for j in mine)
                if not block(body) or (t.exits and on(body.results[0])):
                    return False
                ends = t.nexts
                chain.update(outs[j].name for j in mine)
                return all(on(ends[j]) for j in mine) and alone(ends, mine)
        return ignored(t) or not any(on(a) for a in operands(t))

    at = k + int(s.exits)
    return block(s.body) and on(s.body.results[at]) and alone(s.body.results, {at})


def made_of(s: Loop) -> list[set[int]]:
    """For each carried value, the carried values that its next value depends on."""
    of = {c.name: {k} for k, c in enumerate(s.carried)}
    for t in s.body.stmts:
        if isinstance(t, Let | Load):
            of[t.out.name] = set().union(*(of.get(a.name, ()) for a in operands(t) if isinstance(a, Var)))
        else:
            of.update((v.name, set(range(len(s.carried)))) for v in outputs(t))
    return [of.get(r.name, set()) if isinstance(r, Var) else set() for r in s.nexts]


def without_handed_on(s: Loop) -> Loop:
    """The loop without the carried floats that do not depend on themselves, directly or indirectly: they are values
    from a few iterations ago."""
    made = made_of(s)

    def comes_back(k: int) -> bool:
        reached = made[k]
        while not (further := set().union(*(made[j] for j in reached))) <= reached:
            reached = reached | further
        return k in reached

    return carrying_only(s, (k for k, c in enumerate(s.carried) if not is_float(c.type) or comes_back(k)))
