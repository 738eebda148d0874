"""Adjoints in scope of the backward walk, and what they are called."""

from __future__ import annotations

from dataclasses import dataclass, field

from linad_typecheck.core import (
    Atom,
    Var,
    base_name,
)


def bar_name(name: str) -> str:
    """The adjoint of ``x`` is called ``x_bar``, at every order."""
    return f"{base_name(name)}_bar"


@dataclass
class Bars:
    """Adjoints in scope of the backward walk: of float scalars by linear name, of arrays by the name of the array."""

    scalars: dict[str, Atom] = field(default_factory=dict)
    arrays: dict[str, Var] = field(default_factory=dict)

    def fork(self) -> Bars:
        return Bars(dict(self.scalars), dict(self.arrays))
