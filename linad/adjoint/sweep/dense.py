"""Dense linear algebra in the two sweeps.

The matrices that the plan logs are pushed on logs of their frame after the statement, and popped before its reverse.
Reverses run in the opposite order, so positions match. Nothing is factorised, multiplied or solved twice.
"""

from __future__ import annotations

from linad_typecheck.ir.build import Builder
from linad_typecheck.ir.core import Atom, Dense, Stmt, Var

from ...derivatives.linalg import RULES
from ...derivatives.matrices import Matrices
from ..errors import NoDerivative
from ..growing_logs import GrowingLogs
from ..plan.dense import active_positions, arrays_of, logged_matrices, needed_arrays
from ..plan.model import Body, Frame
from ..protocols import Sweep
from ..bars import Bars


class MatrixLogs:
    """The logs of the matrices of each frame of a function."""

    def __init__(self, sweep: Sweep) -> None:
        self.sweep = sweep
        self.made: dict[int, GrowingLogs] = {}  # by id of a frame
        self.popped: dict[tuple[int, str], Var] = {}  # by statement and matrix

    def of(self, frame: Frame) -> GrowingLogs:
        """The logs of a frame, which are created at its start."""
        if id(frame) not in self.made:
            self.made[id(frame)] = GrowingLogs(self.sweep.names, (), self.sweep.starts[id(frame)], "matrices")
        return self.made[id(frame)]

    def push(self, frame: Frame, v: Var, s: Dense, out: list[Stmt]) -> None:
        b = Builder(self.sweep.names, out, s.span)
        self.of(frame).push_array(b, self.sweep.at(v), self._known_shape(s, v))  # type: ignore[arg-type]

    def pop(self, frame: Frame, v: Var, s: Dense, out: list[Stmt]) -> Var:
        b = Builder(self.sweep.names, out, s.span)
        found = self.popped[id(s), v.name] = self.of(frame).pop_array(b, v, self._known_shape(s, v))
        return found

    def _known_shape(self, s: Dense, v: Var) -> tuple[Atom, ...] | None:
        shape = self.sweep.plan.tape_sizes.get((id(s), v.name))
        return None if shape is None else tuple(map(self.sweep.at, shape))


def _frame_of(s: Dense, region: Frame | Body) -> Frame:
    if isinstance(region, Body) and region.stacked:
        raise NoDerivative("linear algebra on whole matrices in a recursive function", s.span)
    return region if isinstance(region, Frame) else region.frame


def forward(sweep: Sweep, s: Dense, region: Frame | Body, out: list[Stmt]) -> None:
    """Emit the statement, and push what its reverse needs."""
    frame = _frame_of(s, region)
    out += sweep.erased(s, frame)
    for v in logged_matrices(s, sweep.plan):
        sweep.matrix_logs.push(frame, v, s, out)


def backward(sweep: Sweep, s: Dense, region: Frame | Body, bars: Bars, out: list[Stmt]) -> None:
    """The reverse of a statement."""
    frame, arrays = _frame_of(s, region), arrays_of(s)
    contents = {v.name: sweep.at(v) for v in arrays}
    for v in reversed(logged_matrices(s, sweep.plan)):
        contents[v.name] = sweep.matrix_logs.pop(frame, v, s, out)
    for v in needed_arrays(s, sweep.facts):
        if (id(s), v.name) in sweep.plan.later:
            contents[v.name] = sweep.matrix_logs.popped[sweep.plan.later[id(s), v.name], v.name]
    active = active_positions(s, sweep.facts)
    m = Matrices(sweep.names, span=s.span, array_hint="bar")

    def value(k: int) -> Var:
        return contents[arrays[k].name]  # type: ignore[return-value]

    def bar(k: int) -> Var | None:
        return bars.arrays[arrays[k].name] if k in active else None

    RULES[s.op].reverse(m, s, value, bar)
    out += m.stmts
