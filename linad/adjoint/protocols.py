"""What the parts of differentiation use of one another: the sweeps, and the functions that implement calls.

Checkpointing, logs and calls are used by the sweeps and use them in turn; these protocols are what they know of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from linad_typecheck.ir.core import Atom, Block, Call, Loop, Names, Stmt, Var

from .bars import Bars
from .facts.activity import Facts
from .plan.model import Frame, Plan


class Sweep(Protocol):
    """The forward sweep, as in `sweep.forward_sweep.ForwardSweep`."""

    facts: Facts
    plan: Plan
    names: Names
    there: dict
    logs: dict
    address: dict[int, tuple[Atom, ...]]
    starts: dict[int, list[Stmt]]

    def at(self, a: Atom) -> Atom: ...

    def trips(self, s: Loop, out: list[Stmt]) -> Atom: ...

    def erased(self, s: Stmt, frame: Frame | None = None) -> tuple[Stmt, ...]: ...

    def without_effects(self, s: Loop, frame: Frame) -> tuple[Stmt, ...]: ...


class Walk(Protocol):
    """The reverse walk, as in `sweep.reverse.BackwardWalk`."""

    forward: Sweep
    names: Names

    def frame(self, frame: Frame, bars: Bars, primal: Iterable[Atom], wanted: Iterable[Var]) -> Block: ...

    def carried_bars(self, s: Loop, bars: Bars, active: list[int], reads: list[Var]) -> tuple[Atom, ...]: ...

    def take(self, v: Var, bars: Bars) -> Atom | None: ...

    def give(self, a: Atom, bar: Atom, bars: Bars) -> None: ...


class CallSweep(Protocol):
    """The two sweeps of calls, as in `sweep.recursion.CallStack`."""

    def forward(self, s: Call, sweep: Sweep) -> Call: ...

    def backward(self, s: Call, walk: Walk, bars: Bars, out: list[Stmt]) -> None: ...
