"""A cache of the arrays that statements mention."""

from __future__ import annotations

from linad_typecheck.ir.core import Stmt, Var, mentioned


class Mentions:
    """The variables that statements mention, computed once per statement."""

    def __init__(self) -> None:
        # the statement is kept alive so that its id stays unique
        self._found: dict[int, tuple[Stmt, dict[str, Var]]] = {}

    def of(self, s: Stmt) -> dict[str, Var]:
        """The variables that a statement mentions, at any depth, by name."""
        found = self._found.get(id(s))
        if found is None:
            found = self._found[id(s)] = s, mentioned(s)
        return found[1]

    def touches(self, s: Stmt, array: Var) -> bool:
        return array.name in self.of(s)
