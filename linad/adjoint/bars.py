"""Adjoint variables in scope during the reverse walk, and their names."""

from __future__ import annotations

from dataclasses import dataclass, field

from linad_typecheck.ir.core import Atom, Names, Var, base_name


def bar_name(a: Atom) -> str:
    """The name of the adjoint of ``x``: ``x_bar`` at every order. The name is for readers only; `Var.adjoint` marks
    adjoints."""
    return f"{base_name(a.name)}_bar" if isinstance(a, Var) else "result_bar"


def bar_of(a: Atom, names: Names) -> Var:
    """A new variable for the adjoint of a value."""
    return Var(names.fresh(bar_name(a)), a.type, adjoint=True)


@dataclass
class Bars:
    """The adjoints in scope of the reverse walk: of float scalars by linear name, of arrays by the name of the array.
    """

    scalars: dict[str, Atom] = field(default_factory=dict)
    arrays: dict[str, Var] = field(default_factory=dict)

    def fork(self) -> Bars:
        return Bars(dict(self.scalars), dict(self.arrays))
