"""Whether the adjoints of a loop's iterations may run in any order.

The adjoint of a sum passes through an iteration unchanged, and additions to cells commute. Everything else is ordered:
of two stores to one cell the last one takes the adjoint, and a factor of a carried value multiplies its adjoint.
"""

from __future__ import annotations

from collections.abc import Iterable

from linad_typecheck.ir.core import (
    AddArray,
    AddTo,
    Atom,
    Block,
    Dense,
    Fill,
    If,
    Let,
    Loop,
    Stmt,
    Store,
    Var,
    operands,
    outputs,
    walk,
)
from linad_typecheck.types import Scalar

from .activity import Facts


def order_free(s: Loop, facts: Facts) -> bool:
    """Whether the adjoints of iterations commute: carried values are sums, and no cell is stored to twice."""
    nexts = s.body.results[1:] if s.exits else s.body.results
    carried = [(k, c) for k, c in enumerate(s.carried) if facts.is_active(c)]
    return all(_is_sum(s, k, c, nexts, facts) for k, c in carried) and _cells_apart(s, facts)


# ------------------------------------------------------------------------------------------------------ carried values


def _is_sum(s: Loop, k: int, c: Var, nexts: tuple[Atom, ...], facts: Facts) -> bool:
    """Whether the next value of ``c`` is ``c`` plus something that does not depend on it."""
    chain = {c.name}

    def on(a: Atom) -> bool:
        return isinstance(a, Var) and isinstance(a.type, Scalar) and facts.value(a).name in chain

    def alone(results: Iterable[Atom], allowed: set[int]) -> bool:
        return not any(on(r) for j, r in enumerate(results) if j not in allowed)

    def block(b: Block) -> bool:
        return all(map(statement, b.stmts))

    def statement(t: Stmt) -> bool:
        match t:
            case Let(out=v, op="add", ins=(a, b)) if on(a) != on(b):
                chain.add(v.name)
                return True
            case Let(out=v, op="sub", ins=(a, b)) if on(a) and not on(b):
                chain.add(v.name)
                return True
            case If(then=then, orelse=orelse, outs=outs):
                if not (block(then) and block(orelse)):
                    return False
                both = {j for j, (a, b) in enumerate(zip(then.results, orelse.results, strict=True)) if on(a) and on(b)}
                chain.update(outs[j].name for j in both)
                return alone(then.results, both) and alone(orelse.results, both)
            case Loop(carried=inner, inits=inits, body=body, outs=outs):
                mine = {j for j, i in enumerate(inits) if on(i)}
                chain.update(inner[j].name for j in mine)
                if not block(body):
                    return False
                ends = body.results[1:] if t.exits else body.results
                chain.update(outs[j].name for j in mine)
                return all(on(ends[j]) for j in mine) and alone(ends, mine)
        used = any(on(a) for a in operands(t))
        return not used or not _passes_on(t, facts)

    return block(s.body) and isinstance(nexts[k], Var) and on(nexts[k]) and alone(nexts, {k})


def _passes_on(t: Stmt, facts: Facts) -> bool:
    """Whether a statement propagates an adjoint to its operands (`Dup` and `Read` only rename a value)."""
    match t:
        case Let():
            return facts.is_active(t.out)
        case Store(array=a) | AddTo(array=a) | Fill(array=a):
            return facts.is_active(a)
    return bool(outputs(t)) and type(t).__name__ == "Call"


# --------------------------------------------------------------------------------------------------------------- cells


def _cells_apart(s: Loop, facts: Facts) -> bool:
    """Whether every outer array with an adjoint is only added to, or is stored to only in cells of the iteration's own.
    """
    inside = {v.name for t in walk(s.body) for v in outputs(t)}
    inside |= {c.name for t in walk(s.body) if isinstance(t, Loop) for c in t.carried}
    touched: dict[str, list[Stmt]] = {}
    for t in walk(s.body):
        match t:
            case Store(array=a) | AddTo(array=a) | AddArray(array=a) | Fill(array=a):
                if a.name not in inside and facts.is_active(a):
                    touched.setdefault(facts.place(a), []).append(t)
            case Dense(updated=updated):
                for a in updated:
                    if a.name not in inside and facts.is_active(a):
                        touched.setdefault(facts.place(a), []).append(t)
    own = _own_indices(s, facts)

    def apart(writes: list[Stmt]) -> bool:
        if all(isinstance(t, AddTo | AddArray) or isinstance(t, Dense) and t.op == "gemm" for t in writes):
            return True
        if not all(isinstance(t, Store | AddTo) for t in writes):
            return False
        axes = [
            {(k, own.get(facts.value(i).name)) for k, i in enumerate(t.index) if isinstance(i, Var)} for t in writes
        ]
        return any(mine is not None for _, mine in set.intersection(*axes))

    return all(map(apart, touched.values()))


def _own_indices(s: Loop, facts: Facts) -> dict[str, str]:
    """Ints that differ from iteration to iteration: the loop's index, and what is a fixed distance from it; by name,
    the distance."""
    made = {v.name for t in walk(s.body) for v in outputs(t)}
    own = {s.index.name: ""}
    for t in s.body.stmts:
        match t:
            case Let(out=v, op="add", ins=(a, b)) | Let(out=v, op="add", ins=(b, a)) if (
                isinstance(a, Var) and a.name in own and not (isinstance(b, Var) and b.name in made | own.keys())
            ):
                own[v.name] = f"{own[a.name]}+{b}"
            case Let(out=v, op="sub", ins=(a, b)) if (
                isinstance(a, Var) and a.name in own and not (isinstance(b, Var) and b.name in made | own.keys())
            ):
                own[v.name] = f"{own[a.name]}-{b}"
    return own
