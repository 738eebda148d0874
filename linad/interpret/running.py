"""Running a program on given arguments, to an outcome or the program's error."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from linad_typecheck.ir.core import Program
from linad_typecheck.types import Array, Scalar

from .counting import executions, words
from .machine import RECURSION_LIMIT, After, Machine, Record, typed
from .outcome import Outcome
from .scalars import DTYPES


def _entry_value(value: object, t: Scalar | Array, in_place: bool) -> object:
    if isinstance(t, Scalar):
        return typed(value, t)
    if in_place:
        return value
    return np.array(value, DTYPES[t.dtype], order="C", copy=True)


def run(
    program: Program,
    args: Sequence[object],
    *,
    function: str | None = None,
    limit: int | None = None,
    in_place: bool = False,
    after: Mapping[int, After] = MappingProxyType({}),
    record: Record | None = None,
) -> Outcome:
    """Run a function of a program.

    Parameters
    ----------
    program : Program
        In linear form or not: `Dup`, `Drop` and `Read` cost nothing.
    args : sequence
        One scalar or array per flat parameter. Arrays are copied, so the caller's stay unchanged.
    function : str, optional
        The function's name; by default the program's entry.
    limit : int, optional
        The largest number of statements to execute.
    in_place : bool
        Operate on the caller's arrays instead of copies; their types must match exactly.
    after : mapping, optional
        Callbacks by loop id. Each is called after an execution of its loop with the environment, the trip count and the
        cost of the execution.
    record : callable, optional
        Called with each array access in order, before it is made (`Event`). ``after`` is then ignored.

    Raises
    ------
    CoreError
        If the program raises an exception.
    StepLimit
        If the run exceeds ``limit``.
    CoreFault
        If the program violates the core's rules, i.e. a pass is wrong: an unchecked access out of range, a use after a
        drop.
    """
    name = function or program.entry
    f = program.functions[name]
    if len(args) != len(f.params):
        raise TypeError(f"{name} takes {len(f.params)} arguments, not {len(args)}")
    watched = bool(after) or record is not None
    machine = Machine(program, limit, after, record) if watched else _ready(program, limit)
    depth = sys.getrecursionlimit()
    with np.errstate(all="ignore"):
        values = [_entry_value(a, p.var.type, in_place) for a, p in zip(args, f.params)]
        try:
            sys.setrecursionlimit(max(depth, 20 * RECURSION_LIMIT + depth))
            results = machine.function(name)(values)
        finally:
            sys.setrecursionlimit(depth)
    arrays = {p.var.name: v for p, v in zip(f.params, values) if isinstance(p.var.type, Array)}
    counts, tallies = machine.totals(), machine.tallies
    outcome = Outcome(results, arrays, counts, machine.peak, machine.kept, executions(tallies), words(tallies))
    if not watched:
        _IDLE.append(machine)
    return outcome


# Machines of the most recent programs. Finite differences and tests run the same program many times, and compiling its
# closures takes longer than a short run. A machine is removed while it runs, since threads may run the same program.
_IDLE: deque[Machine] = deque(maxlen=4)


def _ready(program: Program, limit: int | None) -> Machine:
    for machine in tuple(_IDLE):
        if machine.program is program:
            try:
                _IDLE.remove(machine)
            except ValueError:  # another thread took it
                continue
            machine.start(limit)
            return machine
    return Machine(program, limit)
