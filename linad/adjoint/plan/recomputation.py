"""Recomputation of values of an iteration: the statements and operands needed.

Results of operations, loaded cells, sizes, and results of an `if` whose arms compute them with a few of these can be
recomputed. Of such an `if`, only the computation of the requested result is repeated.
"""

from __future__ import annotations

from collections.abc import Iterator

from linad_typecheck.ir.core import Atom, Block, Dim, If, Let, Load, Stmt, Var, blocks, operands, outputs
from linad_typecheck.types import Scalar

from ..facts.activity import Facts

MOST = 8  # statements in the arms of an `if` that is repeated


def parts(s: If, name: str, facts: Facts) -> tuple[Block, Block] | None:
    """The statements by which the arms of an `if` compute one of its results; None unless these are few operations and
    loads."""
    (k,) = (k for k, v in enumerate(s.outs) if v.name == name)
    made = tuple(_leading_to(arm, arm.results[k], facts) for arm in blocks(s))
    inside = [t for arm in made for t in arm.stmts]
    few = len(inside) <= MOST and all(isinstance(t, Let | Load | Dim) for t in inside)
    return made if few and isinstance(s.outs[k].type, Scalar) else None  # type: ignore[return-value]


def sources(s: Stmt, name: str, facts: Facts) -> list[Atom]:
    """The scalars from which a statement computes a value; empty if it is not recomputed."""
    match s:
        case Let() | Load():
            return _scalars(operands(s), facts)
        case If() if (made := parts(s, name, facts)) is not None:
            own = {v.name for arm in made for t in arm.stmts for v in outputs(t)}
            used = (a for arm in made for a in (*arm.results, *(a for t in arm.stmts for a in operands(t))))
            return [a for a in _scalars((s.cond, *used), facts) if not (isinstance(a, Var) and a.name in own)]
    return []


def _scalars(atoms, facts: Facts) -> list[Atom]:
    return [a for a in map(facts.value, atoms) if isinstance(a.type, Scalar)]


def _leading_to(arm: Block, result: Atom, facts: Facts) -> Block:
    """The statements of an arm that a result depends on, and that result."""
    result = facts.value(result)
    wanted = {result.name} if isinstance(result, Var) else set()

    def needed() -> Iterator[Stmt]:
        for t in reversed(arm.stmts):
            if any(v.name in wanted for v in outputs(t)):
                wanted.update(a.name for a in map(facts.value, operands(t)) if isinstance(a, Var))
                yield t

    return Block(tuple(needed())[::-1], (result,))
