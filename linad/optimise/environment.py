"""Environment variables that control the optimiser; importing this module does not import the optimiser."""

from __future__ import annotations

import os

OFF, VERIFY, GUARD = "LINAD_DISABLE", "LINAD_VERIFY", "LINAD_GUARD"


class BrokenByPass(Exception):
    """The named pass has produced a program that violates the rules of the core: a bug in the pass."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(f"the pass `{name}` has made a program that {what}")
        self.name = name


def verifying() -> bool:
    """Whether programs are verified after each pass."""
    return _on(VERIFY)


def guarded() -> bool:
    """Whether generated code checks each array access when it executes."""
    return _on(GUARD)


def _on(name: str) -> bool:
    return os.environ.get(name, "").lower() not in ("", "0", "false", "no", "off")


def disabled() -> tuple[str, ...]:
    """The names of disabled passes: a comma-separated list."""
    return tuple(name for name in map(str.strip, os.environ.get(OFF, "").split(",")) if name)
