"""The two functions that implement the derivative of a call: of which call, and what they take, return and log."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from linad_typecheck.ir.core import Call, Function, outputs

from ..growing_logs import kind_of
from ..plan.model import Body, Plan


@dataclass(frozen=True, slots=True)
class Key:
    """A kind of call of a function.

    Attributes
    ----------
    active
        Positions of the parameters through which the derivative flows.
    kept
        Positions of arrays borrowed for reading that are unchanged when the reverse runs.
    unused
        For a function with a rule: positions of float results through which no derivative flows.
    """

    callee: str
    active: tuple[int, ...]
    kept: tuple[int, ...]
    unused: tuple[int, ...] = ()


@dataclass(eq=False)
class Pair:
    """The planned pair of functions that implements the derivative of a call.

    Attributes
    ----------
    forward, reverse
        Their names.
    primal
        The function in linear form, with names for the sizes that the reverse may need.
    seeds
        Positions of the results whose cotangents the reverse takes.
    lent
        Positions of the borrowed arrays whose adjoints the reverse updates.
    given
        Positions of the parameters whose adjoints the reverse returns: scalars and owned arrays.
    kinds
        The element types that a call may push.
    """

    key: Key
    forward: str
    reverse: str
    primal: Function
    plan: Plan
    body: Body
    seeds: tuple[int, ...]
    lent: tuple[int, ...]
    given: tuple[int, ...]
    calls: tuple[Key, ...]
    kinds: tuple[str, ...] = field(default=())

    def own_kinds(self) -> set[str]:
        """The element types that the function itself pushes."""
        found: set[str] = set()
        bodies = [b for b in self.plan.bodies.values() if b.stacked]
        facts = self.plan.facts
        types = {p.var.name: p.var.type for p in self.primal.params}
        types |= {c.name: c.type for b in bodies for c in b.loop.carried}
        types |= {v.name: v.type for s in facts.definition.values() for v in outputs(s)}
        for b in bodies:
            found |= {kind_of(types[n]) for n, how in b.source.items() if how == "logged"}  # type: ignore[arg-type]
        return found


class CallPair(Protocol):
    """A pair of a function without a rule (`Pair`) or with one (`custom.RulePair`)."""

    key: Key
    forward: str
    reverse: str
    seeds: tuple[int, ...]
    lent: tuple[int, ...]
    given: tuple[int, ...]
    kinds: tuple[str, ...]


class Pairs(Protocol):
    """The pairs that a derivative needs, as in `calls.Calls`."""

    def of(self, s: Call, plan: Plan) -> CallPair: ...
