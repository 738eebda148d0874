"""Dense linear algebra in the two sweeps: which matrices are logged for the reverse, and where.

The reverse of a `Dense` statement reads whole matrices. A matrix that is unchanged and in scope in the reverse sweep is
read under its own name. Any other matrix is pushed on a tape of its frame after the statement, and popped before its
reverse. Reverses run in the opposite order, so positions match. If several statements of a block need the same
unchanged matrix, the last one logs it for all. Sizes are logged only if the reverse does not know them. Nothing is
factorised, multiplied or solved twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from linad_typecheck.ir.core import Alloc, Atom, Block, Const, Dense, Names, Reserve, Stmt, Var, base_name
from linad_typecheck.dense_ops import DENSE
from linad_typecheck.types import I64, Array

from ...derivatives.linalg import RULES
from ...derivatives.matrices import ZERO, Matrices
from ..facts.activity import Facts
from .bars import Bars
from ..errors import NoDerivative
from ..plan.model import Body, Frame, Plan

if TYPE_CHECKING:
    from .forward_sweep import ForwardSweep

KINDS = ("f64", "f32", "i64")


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


def dense_text(s: Dense, plan: Plan) -> str:
    """A description of how the reverse of a statement obtains the matrices that it needs."""
    needed = needed_arrays(s, plan.facts)
    again = [base_name(v.name) for v in needed if v.name in plan.dense[id(s)]]
    kept = [base_name(v.name) for v in saved(s, plan)]
    later = [base_name(v.name) for v in needed if (id(s), v.name) in plan.later]
    parts = [f"its reverse reads {' and '.join(again)} again"] if again else []
    parts += [f"keeps {' and '.join(kept)} on a tape, as often as it runs"] if kept else []
    parts += [f"needs {' and '.join(later)}, which a later operation keeps"] if later else []
    return f"{s.op}: {', '.join(parts) or 'its reverse needs none of them'}"


class Tapes:
    """The tapes of the frames of one function: a log per element type, and its current end."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.made: dict[tuple[int, str], Var] = {}
        self.popped: dict[tuple[int, str], Var] = {}  # by statement and matrix: the popped matrix

    def log(self, sweep: ForwardSweep, frame: Frame, kind: str) -> tuple[Var, Var, Const]:
        """The log of a frame for an element type, its cursors and the position of its cursor; created at the start of
        the frame."""
        start = sweep.starts[id(frame)]
        if (id(frame), "cursor") not in self.made:
            cursor = self.made[id(frame), "cursor"] = self.names.var("tape_end", Array("i64", 1))
            start.append(Alloc(cursor, (Const(len(KINDS), I64),), ZERO))
        if (id(frame), kind) not in self.made:
            log = self.made[id(frame), kind] = self.names.log(f"tape_{kind}", Array(kind, 1), "matrices")
            start.append(Alloc(log, (ZERO,), None, log="stack"))
        return self.made[id(frame), kind], self.made[id(frame), "cursor"], Const(KINDS.index(kind), I64)

    def push(self, sweep: ForwardSweep, frame: Frame, v: Var, s: Dense, out: list[Stmt]) -> None:
        m = Matrices(self.names, span=s.span)
        known = _known_shape(sweep, s, v)
        shape = known or m.dims(sweep.at(v))  # type: ignore[arg-type]
        array: Var = sweep.at(v)  # type: ignore[assignment]
        self.push_words(m, sweep, frame, v.type.dtype, shape, lambda *index: m.load(array, index))
        if known is None:
            self.push_words(m, sweep, frame, "i64", (Const(len(shape), I64),), shape)
        out += m.stmts

    def push_words(
        self,
        m: Matrices,
        sweep: ForwardSweep,
        frame: Frame,
        kind: str,
        shape: tuple[Atom, ...],
        words: Callable[..., Atom] | tuple[Atom, ...],
    ) -> None:
        log, cursor, place = self.log(sweep, frame, kind)
        base = m.load(cursor, (place,))
        end = m.op("add", base, m.count(shape))
        m.stmts.append(Reserve(log, end, m.span))
        if isinstance(words, tuple):
            for k, n in enumerate(words):
                m.store(log, (m.op("add", base, Const(k, I64)),), n)
        else:
            m.each(shape, lambda *index: m.store(log, (m.flat(base, index, shape),), words(*index)))
        m.store(cursor, (place,), end)

    def pop(self, sweep: ForwardSweep, frame: Frame, v: Var, s: Dense, out: list[Stmt]) -> Var:
        m = Matrices(self.names, span=s.span)
        shape = _known_shape(sweep, s, v)
        if shape is None:
            log, cursor, place = self.log(sweep, frame, "i64")
            base = m.op("sub", m.load(cursor, (place,)), Const(v.type.rank, I64))
            sizes = [m.load(log, (m.op("add", base, Const(k, I64)),)) for k in range(v.type.rank)]
            shape = tuple(m.op("max", n, ZERO) for n in sizes)
            m.store(cursor, (place,), base)
        log, cursor, place = self.log(sweep, frame, v.type.dtype)
        base = m.op("sub", m.load(cursor, (place,)), m.count(shape))
        again = self.names.like(v)
        m.stmts.append(Alloc(again, shape, None, s.span))
        m.each(shape, lambda *index: m.store(again, index, m.load(log, (m.flat(base, index, shape),))))
        m.store(cursor, (place,), base)
        out += m.stmts
        self.popped[id(s), v.name] = again
        return again


def _known_shape(sweep: ForwardSweep, s: Dense, v: Var) -> tuple[Atom, ...] | None:
    shape = sweep.plan.tape_sizes.get((id(s), v.name))
    return None if shape is None else tuple(map(sweep.at, shape))


def _frame_of(s: Dense, region: Frame | Body) -> Frame:
    if isinstance(region, Body) and region.stacked:
        raise NoDerivative("linear algebra on whole matrices in a recursive function", s.span)
    return region if isinstance(region, Frame) else region.frame


def saved(s: Dense, plan: Plan) -> list[Var]:
    """The matrices that are pushed on the tape."""
    return [
        v for v in needed_arrays(s, plan.facts) if v.name not in plan.dense[id(s)] and (id(s), v.name) not in plan.later
    ]


def forward(sweep: ForwardSweep, s: Dense, region: Frame | Body, out: list[Stmt]) -> None:
    """Emit the statement, and push what its reverse needs."""
    frame = _frame_of(s, region)
    out += sweep.erased(s, frame)
    for v in saved(s, sweep.plan):
        sweep.tapes.push(sweep, frame, v, s, out)


def backward(sweep: ForwardSweep, s: Dense, region: Frame | Body, bars: Bars, out: list[Stmt]) -> None:
    """The reverse of a statement."""
    frame, arrays = _frame_of(s, region), arrays_of(s)
    contents = {v.name: sweep.at(v) for v in arrays}
    for v in reversed(saved(s, sweep.plan)):
        contents[v.name] = sweep.tapes.pop(sweep, frame, v, s, out)
    for v in needed_arrays(s, sweep.facts):
        if (id(s), v.name) in sweep.plan.later:
            contents[v.name] = sweep.tapes.popped[sweep.plan.later[id(s), v.name], v.name]
    active = active_positions(s, sweep.facts)
    m = Matrices(sweep.names, span=s.span, hint="bar")

    def value(k: int) -> Var:
        return contents[arrays[k].name]  # type: ignore[return-value]

    def bar(k: int) -> Var | None:
        return bars.arrays[arrays[k].name] if k in active else None

    RULES[s.op].reverse(m, s, value, bar)
    out += m.stmts
