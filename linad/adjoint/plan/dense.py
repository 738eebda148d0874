"""Dense linear algebra in a storage plan: which matrices the reverse of a statement reads, and which ones are logged.

The reverse of a `Dense` statement reads whole matrices. A matrix that is unchanged and in scope in the reverse sweep is
read under its own name. Any other matrix is logged after the statement. If several statements of a block need the same
unchanged matrix, the last one logs it for all. Sizes are logged only if the reverse does not know them.
"""

from __future__ import annotations

from collections.abc import Callable

from linad_typecheck.ir.core import Atom, Block, Dense, Var, base_name
from linad_typecheck.dense_ops import DENSE

from ...derivatives.linalg import RULES
from ..facts.activity import Facts
from .model import Frame, Plan


def arrays_of(s: Dense) -> tuple[Var, ...]:
    """All arrays of a statement, in the order in which rules number positions."""
    return (*s.updated, *s.read)


def active_positions(s: Dense, facts: Facts) -> frozenset[int]:
    """The positions through which a derivative flows: active arrays in which the operation is differentiable."""
    op, first = DENSE[s.op], len(s.updated)
    sources = {first + j for positions in op.diff.values() for j in positions}
    found = {k for k in (*op.diff, *sources) if facts.is_active(arrays_of(s)[k])}
    return frozenset(found)


def needed_arrays(s: Dense, facts: Facts) -> tuple[Var, ...]:
    """The matrices that the reverse of a statement reads."""
    positions = RULES[s.op].needs(active_positions(s, facts))
    return tuple(dict.fromkeys(arrays_of(s)[k] for k in positions))


def readable(s: Dense, plan: Plan, stable: Callable[[Var, int], bool]) -> frozenset[str]:
    """The matrices that have the same contents after a statement and at its reverse."""
    if plan.log_everything:
        return frozenset()
    at = plan.facts.end[id(s)]
    return frozenset(v.name for v in needed_arrays(s, plan.facts) if stable(v, at))


def tape_sizes(s: Dense, plan: Plan, frame: Frame) -> dict[tuple[int, str], tuple[Atom, ...]]:
    """The sizes that the reverse knows, by statement and matrix that it may log."""
    shapes = {} if plan.log_everything else {v.name: plan.sizes.get(v.name) for v in needed_arrays(s, plan.facts)}
    return {
        (id(s), n): shape
        for n, shape in shapes.items()
        if shape is not None and all(plan.in_frame(a, frame) for a in shape)
    }


def sizes_asked(s: Dense, plan: Plan) -> list[Atom]:
    """The matrix sizes that the reverse of a statement may need; all known sizes if the plan does not include the
    statement."""
    asked = (v.name for v in needed_arrays(s, plan.facts))
    planned = id(s) in plan.dense
    return [a for n in asked for a in (plan.tape_sizes.get((id(s), n), ()) if planned else plan.sizes.get(n, ()))]


def kept_later(block: Block, plan: Plan) -> dict[tuple[int, str], int]:
    """By statement and matrix that it would log: a later statement of the block that logs the same matrix and is
    reversed earlier."""
    facts = plan.facts
    found: dict[tuple[int, str], int] = {}
    if plan.log_everything:
        return found
    behind: dict[str, Dense] = {}
    for s in reversed(block.stmts):
        if not isinstance(s, Dense) or id(s) not in plan.dense:
            continue
        for v in needed_arrays(s, facts):
            if v.name in plan.dense[id(s)]:
                continue
            later = behind.get(v.name)
            if later is not None and not facts.written(v, facts.position[id(s)], facts.position[id(later)]):
                found[id(s), v.name] = id(later)
            else:
                behind[v.name] = s
    return found


def logged_matrices(s: Dense, plan: Plan) -> list[Var]:
    """The matrices that are logged at a statement."""
    return [
        v for v in needed_arrays(s, plan.facts) if v.name not in plan.dense[id(s)] and (id(s), v.name) not in plan.later
    ]


def dense_text(s: Dense, plan: Plan) -> str:
    """A description of how the reverse of a statement obtains the matrices that it needs."""
    needed = needed_arrays(s, plan.facts)
    again = [base_name(v.name) for v in needed if v.name in plan.dense[id(s)]]
    kept = [base_name(v.name) for v in logged_matrices(s, plan)]
    later = [base_name(v.name) for v in needed if (id(s), v.name) in plan.later]
    parts = [f"its reverse reads {' and '.join(again)} again"] if again else []
    parts += [f"keeps {' and '.join(kept)} on a tape, as often as it runs"] if kept else []
    parts += [f"needs {' and '.join(later)}, which a later operation keeps"] if later else []
    return f"{s.op}: {', '.join(parts) or 'its reverse needs none of them'}"
