"""The form of a row in the derivative table, and the builder of core operations that rules use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from linad_typecheck.ir.core import Atom, Const, Let, Names, Stmt, Var
from linad_typecheck.ops import OPS
from linad_typecheck.span import NOWHERE, Span
from linad_typecheck.types import BOOL, I64, Scalar, Type


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


@dataclass
class Builder:
    """Emits scalar operations, but none for identities. ``adjoint``: whether the results are adjoints."""

    names: Names
    stmts: list[Stmt] = field(default_factory=list)
    span: Span = NOWHERE
    hint: str = "t"
    adjoint: bool = False

    def const(self, value: float, type: Scalar) -> Const:
        return Const(type_of_value(value, type), type)

    def zero(self, like: Atom) -> Const:
        return self.const(0.0, like.type)

    def op(self, name: str, *ins: Atom, type: Type | None = None) -> Atom:
        result = {
            "bool": BOOL,
            "int": I64,
            "second": ins[1].type if len(ins) > 1 else None,
            "same": ins[0].type,
            "out": type,
        }
        out = Var(self.names.fresh(self.hint), type or result[OPS[name].result], self.adjoint)
        self.stmts.append(Let(out, name, ins, self.span))
        return out

    def add(self, a: Atom, b: Atom) -> Atom:
        return b if is_const(a, 0.0) else a if is_const(b, 0.0) else self.op("add", a, b)

    def sub(self, a: Atom, b: Atom) -> Atom:
        return a if is_const(b, 0.0) else self.op("sub", a, b)

    def mul(self, a: Atom, b: Atom) -> Atom:
        if is_const(a, 1.0):
            return b
        if is_const(b, 1.0):
            return a
        if is_const(a, -1.0):
            return self.neg(b)
        return self.neg(a) if is_const(b, -1.0) else self.op("mul", a, b)

    def div(self, a: Atom, b: Atom) -> Atom:
        return self.op("div", a, b)

    def zero_or(self, factor: Atom, product: Atom) -> Atom:
        """A product, or 0 if one of its factors is 0."""
        if isinstance(factor, Const):
            return self.zero(product) if factor.value == 0 else product
        return product if factor == product else self.op("zero_or", factor, product)

    def neg(self, a: Atom) -> Atom:
        return Const(-a.value, a.type) if isinstance(a, Const) else self.op("neg", a)


def type_of_value(value: float, type: Scalar) -> float | int:
    return float(value) if type.dtype in ("f64", "f32") else int(value)


def is_const(a: Atom, value: float) -> bool:
    return isinstance(a, Const) and a.value == value and not isinstance(a.value, bool)


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
        return self.b.const(value, self.out.type)

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
        partial = slope(p, p.b.const(1.0, seed.type))
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
