"""Affine forms of dimensions: sums of integer multiples of unknown sizes, in normal form.

Two sizes are *equal* if their normal forms are equal, *unequal* if these differ by a constant, and otherwise unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ..frozen import frozen

Relation = Literal["equal", "unequal", "unknown"]


@frozen(slots=True)
class Affine:
    """``const + sum(coeff * atom)``. ``terms`` are sorted by atom and have no zero coefficient.

    Values are built with `constant`, `atom` and arithmetic, which preserve the normal form, so ``==`` is equality of
    polynomials.
    """

    const: int = 0
    terms: tuple[tuple[str, int], ...] = ()

    def __add__(self, other: Affine | int) -> Affine:
        if isinstance(other, int):
            return Affine(self.const + other, self.terms)
        return self.plus(other, 1)

    __radd__ = __add__

    def __neg__(self) -> Affine:
        return self * -1

    def __sub__(self, other: Affine | int) -> Affine:
        return Affine(self.const - other, self.terms) if isinstance(other, int) else self.plus(other, -1)

    def plus(self, other: Affine, factor: int) -> Affine:
        """``self + factor * other``."""
        const = self.const + factor * other.const
        if not other.terms or not factor:
            return Affine(const, self.terms)
        total = dict(self.terms)
        for name, coeff in other.terms:
            total[name] = total.get(name, 0) + factor * coeff
        return Affine(const, tuple(sorted([term for term in total.items() if term[1]])))

    def __rsub__(self, other: int) -> Affine:
        return -self + other

    def __mul__(self, factor: int) -> Affine:
        return Affine(self.const * factor, tuple([(name, coeff * factor) for name, coeff in self.terms if factor]))

    __rmul__ = __mul__

    @property
    def value(self) -> int | None:
        """The value, if there is no unknown."""
        return None if self.terms else self.const

    @property
    def atoms(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.terms)

    def substitute(self, values: Mapping[str, Affine | int]) -> Affine:
        """The sum with atoms replaced simultaneously. Atoms that are not in ``values`` remain."""
        total = constant(self.const)
        for name, coeff in self.terms:
            value = values.get(name)
            total = total + (atom(name) if value is None else value) * coeff
        return total

    def __str__(self) -> str:
        # positive terms first: `n-1`, not `-1+n`
        ordered = sorted(self.terms, key=lambda term: term[1] < 0)
        text = ""
        for name, coeff in ordered:
            size = name if abs(coeff) == 1 else f"{abs(coeff)}*{name}"
            text += ("-" if coeff < 0 else "+" if text else "") + size
        if not text:
            return str(self.const)
        return text + (f"{self.const:+d}" if self.const else "")


def constant(value: int) -> Affine:
    """The constant ``value``."""
    return Affine(int(value))


def atom(name: str) -> Affine:
    """The unknown size ``name``."""
    return Affine(0, ((name, 1),))


def difference(a: Affine, b: Affine) -> int | None:
    """``a - b`` if it is a constant, otherwise None."""
    return (a - b).value


def compare(a: Affine, b: Affine) -> Relation:
    """Whether two sizes are equal for all values of the unknowns, for none, or for some."""
    match difference(a, b):
        case None:
            return "unknown"
        case 0:
            return "equal"
        case _:
            return "unequal"


def multiply(a: Affine, b: Affine) -> Affine | None:
    """The product, if one of the factors is a constant."""
    if a.value is not None:
        return b * a.value
    return None if b.value is None else a * b.value
