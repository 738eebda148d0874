"""Values of an iteration that are computed again: by which statements, and from what.

A value is the result of an operation, a cell that is loaded, a size; or a result of an `if` whose arms come to it by a
few of those. Of such an `if` only what leads to that one result is done again.
"""

from __future__ import annotations

from collections.abc import Iterator

from linad_typecheck.ir.core import Atom, Block, Dim, If, Let, Load, Stmt, Var, blocks, operands, outputs
from linad_typecheck.types import Scalar

from ..facts.activity import Facts

MOST = 8  # statements in the arms of an `if` that is done again


def parts(s: If, name: str, facts: Facts) -> tuple[Block, Block] | None:
    """What the arms of an `if` do to come to one of its results; None where that is not a few operations and loads."""
    (k,) = (k for k, v in enumerate(s.outs) if v.name == name)
    made = tuple(_leading_to(arm, arm.results[k], facts) for arm in blocks(s))
    inside = [t for arm in made for t in arm.stmts]
    few = len(inside) <= MOST and all(isinstance(t, Let | Load | Dim) for t in inside)
    return made if few and isinstance(s.outs[k].type, Scalar) else None  # type: ignore[return-value]


def sources(s: Stmt, name: str, facts: Facts) -> list[Atom]:
    """The scalars that a value is computed from by the statement that makes it; none where it is not computed again."""
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
    """The statements of an arm that a result is computed by, and that result."""
    result = facts.value(result)
    wanted = {result.name} if isinstance(result, Var) else set()

    def needed() -> Iterator[Stmt]:
        for t in reversed(arm.stmts):
            if any(v.name in wanted for v in outputs(t)):
                wanted.update(a.name for a in map(facts.value, operands(t)) if isinstance(a, Var))
                yield t

    return Block(tuple(needed())[::-1], (result,))
