"""Reverse mode by operator overloading onto a tape: flat buffers that hold two parents and two weights per entry.

The reverse sweep is one compiled loop over the buffers, from the last entry to the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Self

import numpy as np

from .active import Active
from .rules import Number, Partials
from .structure import arguments, bare, collect, lift, pairs, run, strip, unit_cotangent

CONSTANT = -1


class Tape:
    """Entries in order of evaluation; entry k has parents ``parents[k]`` with weights ``weights[k]``."""

    def __init__(self, capacity: int = 1024) -> None:
        self.length = 0
        self.parents = np.full((capacity, 2), CONSTANT, dtype=np.int64)
        self.weights = np.zeros((capacity, 2))

    def push(self, parents: Sequence[int] = (), weights: Sequence[float] = ()) -> int:
        """Append an entry and return its index."""
        k = self.length
        if k == len(self.parents):
            self._double()
        for side, (parent, weight) in enumerate(zip(parents, weights, strict=True)):
            self.parents[k, side] = parent
            self.weights[k, side] = weight
        self.length = k + 1
        return k

    def _double(self) -> None:
        self.parents = np.concatenate([self.parents, np.full_like(self.parents, CONSTANT)])
        self.weights = np.concatenate([self.weights, np.zeros_like(self.weights)])

    def sweep(self, adjoints: np.ndarray) -> None:
        """Accumulate the adjoints of all entries, given those of the results."""
        compiled_sweep()(self.parents, self.weights, self.length, adjoints)


@cache
def compiled_sweep() -> Callable[..., None]:
    import numba

    @numba.njit
    def sweep(parents, weights, length, adjoints):
        for k in range(length - 1, -1, -1):
            a = adjoints[k]
            if a != 0.0:
                for side in range(2):
                    p = parents[k, side]
                    if p >= 0:
                        adjoints[p] += weights[k, side] * a

    return sweep


class Var(Active):
    """A value and the index of its tape entry; `on` creates the class for one tape."""

    __slots__ = ("index",)
    tape: Tape

    def __init__(self, value: Number, index: int = CONSTANT) -> None:
        self.value = value
        self.index = index

    @classmethod
    def on(cls, tape: Tape) -> type[Var]:
        return type("Var", (cls,), {"__slots__": (), "tape": tape})

    @classmethod
    def constant(cls, value: Number) -> Self:
        return cls(value)

    @classmethod
    def variable(cls, value: Number) -> Self:
        return cls(value, cls.tape.push())

    @classmethod
    def record(cls, value: Number, inputs: tuple[object, ...], partials: Partials) -> Self:
        kept = [
            (x.index, float(p))
            for x, p in zip(inputs, partials, strict=True)
            if isinstance(x, Var) and x.index != CONSTANT and p is not None
        ]
        return cls(value, cls.tape.push(*zip(*kept, strict=True)) if kept else CONSTANT)


def _trace(f: Callable[..., Any], args: tuple[Any, ...], updates: Sequence[str]) -> tuple[Tape, int, Any]:
    """Run the function on variables; returns the tape, the number of variables (its first entries), and the result."""
    tape = Tape()
    kind = Var.on(tape)
    lifted = lift(args, kind, kind.variable)
    variables = tape.length
    return tape, variables, run(f, lifted, kind, updates)


def _pull(tape: Tape, variables: int, result: Any, cotangent: Any) -> np.ndarray:
    adjoints = np.zeros(tape.length)
    for var, c in pairs(result, cotangent):
        if var.index != CONSTANT:  # type: ignore[attr-defined]
            adjoints[var.index] += c  # type: ignore[attr-defined]
    tape.sweep(adjoints)
    return adjoints[:variables]


def vjp(f: Callable[..., Any], args: Sequence[Any], cotangent: Any, updates: Sequence[str] = ()) -> tuple[Any, tuple]:
    """Value and gradients of ``<cotangent, f(args)>``, one entry per differentiable parameter.

    With ``updates``, the value is ``(result, *final contents of those parameters)`` and the cotangent has the same
    structure.
    """
    args = arguments(f, args)
    tape, variables, result = _trace(f, args, updates)
    return strip(result), collect(args, iter(_pull(tape, variables, result, cotangent)))


def value_and_gradient(f: Callable[..., Any], args: Sequence[Any]) -> tuple[Any, Any]:
    """Value and gradient of a function whose result is a single float."""
    args = arguments(f, args)
    tape, variables, result = _trace(f, args, ())
    value = strip(result)
    return value, bare(collect(args, iter(_pull(tape, variables, result, unit_cotangent(value)))))


def gradient(f: Callable[..., Any], args: Sequence[Any]) -> Any:
    """The gradient: one entry per differentiable parameter, unpacked if there is only one."""
    return value_and_gradient(f, args)[1]
