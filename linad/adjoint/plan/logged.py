"""Loops that log values under a plan. A marked loop that logs nothing needs no snapshots."""

from __future__ import annotations

from collections.abc import Iterator

from linad_typecheck.ir.core import Call, Dense, Loop, Stmt, walk

from .dense import logged_matrices
from .model import Plan


def logging_loops(plan: Plan) -> Iterator[Loop]:
    """The loops that log anything under a plan, including marked loops inside a logged loop."""
    for b in plan.bodies.values():
        whole = (t for t in walk(b.loop.body) if plan.facts.matters(t))
        if b.expanded or b.rows or b.logs or any(isinstance(t, Call) or _on_tape(t, plan) for t in whole):
            yield from (around.loop for around in b.path)
        yield from (around.loop for around in b.path[1:])


def _on_tape(s: Stmt, plan: Plan) -> bool:
    """Whether matrices are logged for the reverse of a statement."""
    return isinstance(s, Dense) and bool(logged_matrices(s, plan))
