"""The form of a row in the derivative table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from linad_typecheck.ir.build import Builder
from linad_typecheck.ir.core import Atom, Const, Var
from linad_typecheck.types import Type

_exact: ContextVar[bool] = ContextVar("exact zeros", default=False)


@contextmanager
def exact_zeros() -> Iterator[None]:
    """In this context, generated derivatives skip products with a zero adjoint or tangent, because the other factor may
    be infinite."""
    before = _exact.set(True)
    try:
        yield
    finally:
        _exact.reset(before)


@dataclass(frozen=True, slots=True)
class Point:
    """The point at which a partial derivative is taken: operands, result and the builder."""

    b: Builder
    ins: tuple[Atom, ...]
    out: Var
    rest: Atom | None = None  # if known, the factor such that the seed is the operand times this factor

    @property
    def x(self) -> Atom:
        return self.ins[0]

    @property
    def y(self) -> Atom:
        return self.ins[1]

    def c(self, value: float) -> Const:
        return self.b.const(value, self.out)

    def op(self, name: str, *ins: Atom, type: Type | None = None) -> Atom:
        return self.b.op(name, *ins, type=type)


# The derivative by one operand, as a linear map of one number: the seed is the adjoint of the result in reverse mode
# and the tangent of the operand in forward mode; a linear map of one number is its own transpose.
Slope = Callable[[Point, Atom], Atom]
Partial = Callable[[Point], Atom]


@dataclass(frozen=True, slots=True)
class Rule:
    """A slope per operand (None if no derivative flows). ``needs``: what each one reads, ``x`` and ``y`` for the first
    and second operand, ``o`` for the result."""

    slopes: tuple[Slope | None, ...]
    needs: tuple[str, ...]

    def apply(self, k: int, p: Point, seed: Atom) -> Atom:
        """Apply the slope by operand ``k`` to a seed.

        With `exact_zeros` the result is 0 if the seed or the partial derivative is 0, whatever the other one is. Both
        modes then agree, although they reach zeros and infinities in different orders.
        """
        slope = self.slopes[k]
        assert slope is not None
        if not (_exact.get() and self.needs[k]):
            return slope(p, seed)
        p = replace(p, rest=None)
        made = slope(p, seed)
        partial = slope(p, p.b.const(1.0, seed))
        return p.b.zero_or(seed, p.b.zero_or(partial, made))


def times(partial: Partial) -> Slope:
    """The slope that multiplies by a partial derivative."""
    return lambda p, seed: p.b.mul(partial(p), seed)


def over(divisor: Partial) -> Slope:
    """The slope that divides by a value."""
    return lambda p, seed: p.b.div(seed, divisor(p))


def minus(slope: Slope) -> Slope:
    return lambda p, seed: p.b.neg(slope(p, seed))


def same(p: Point, seed: Atom) -> Atom:
    """The slope of a partial derivative of 1."""
    return seed


def unary(needs: str, partial: Partial) -> Rule:
    return Rule((times(partial),), (needs,))


def square(p: Point, a: Atom) -> Atom:
    return p.op("mul", a, a)
