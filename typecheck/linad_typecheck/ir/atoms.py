"""Atoms of the core (variables and literals), and fresh names for variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Literal

from ..frozen import frozen
from ..types import I64, Scalar, Type


Saves = Literal["", "values", "arrays", "snapshots", "matrices", "calls"]


@frozen(slots=True)
class Var:
    """A named value. ``name`` is unique in its function: the user's name, with a suffix ``.k`` where it is bound again.

    ``adjoint``: differentiation introduced it, as an adjoint or an intermediate value of one, and no user statement
    updates it. Only for such variables may passes reorder sums and ignore the signs of zeros. The flag, not the name,
    identifies them: users may have variables called ``x_bar``.

    ``saves``: what a log saves for the reverse sweep: the values of a scalar or the arrays of each iteration, snapshots
    of a checkpointed loop, operands of linear algebra, or what calls need. Error messages name it.
    """

    name: str
    type: Type
    adjoint: bool = field(default=False, compare=False)
    saves: Saves = field(default="", compare=False)

    def __str__(self) -> str:
        return self.name


@frozen(slots=True)
class Const:
    """A literal scalar."""

    value: float | int | bool
    type: Scalar

    def __str__(self) -> str:
        return repr(self.value)

    def __eq__(self, other: object) -> bool:  # 0.0 and -0.0 differ, nan equals itself, 1 and True differ
        if other.__class__ is not Const or self.type.dtype != other.type.dtype:
            return False
        return self.value is other.value or repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash((repr(self.value), self.type))


Atom = Var | Const


def base_name(name: str) -> str:
    """The user's name of an SSA name: ``total`` for ``total.3``."""
    return name.partition(".")[0]


class Names:
    """A supply of fresh SSA names for one function. No name is issued twice, even if the statements that used it are
    discarded."""

    def __init__(self, taken: Iterator[str] | set[str] | tuple[str, ...] = ()) -> None:
        self._next: dict[str, int] = {}
        self._taken = set(taken)

    def fresh(self, hint: str) -> str:
        base = hint.partition(".")[0] if "." in hint else hint
        k = self._next.get(base, 0)
        name = f"{base}.{k}" if k else base
        taken = self._taken
        while name in taken:
            k += 1
            name = f"{base}.{k}"
        self._next[base] = k + 1
        taken.add(name)
        return name

    def var(self, hint: str, type: Type = I64) -> Var:
        return Var(self.fresh(hint), type)

    def log(self, hint: str, type: Type, saves: Saves) -> Var:
        """A fresh array that saves something for the reverse sweep."""
        return Var(self.fresh(hint), type, saves=saves)

    def like(self, v: Var, hint: str = "") -> Var:
        """A fresh variable in place of another one: of its type and role."""
        return Var(self.fresh(hint or v.name), v.type, v.adjoint, v.saves)
