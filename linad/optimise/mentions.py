"""Which statements do anything with an array: asked again and again, of statements that stay the same."""

from __future__ import annotations

from linad_typecheck.ir.core import Stmt, Var, mentioned


class Mentions:
    """What statements mention, found once for each."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Stmt, dict[str, Var]]] = {}  # with the statement, which keeps its identity taken
        self._inside: dict[int, dict[str, Var]] = {}  # of blocks, which the statements keep

    def of(self, s: Stmt) -> dict[str, Var]:
        """The variables that a statement mentions, at any depth, by name."""
        found = self._found.get(id(s))
        if found is None:
            found = self._found[id(s)] = s, mentioned(s, self._inside)
        return found[1]

    def touches(self, s: Stmt, array: Var) -> bool:
        return array.name in self.of(s)
