"""What environment variables ask of the optimiser, without importing it."""

from __future__ import annotations

import os

OFF, VERIFY, GUARD = "LINAD_DISABLE", "LINAD_VERIFY", "LINAD_GUARD"


class BrokenByPass(Exception):
    """The pass of that name has made a program that breaks the rules of the core: a defect of the pass."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(f"the pass `{name}` has made a program that {what}")
        self.name = name


def verifying() -> bool:
    """Whether programs are verified after each pass."""
    return _on(VERIFY)


def guarded() -> bool:
    """Whether generated code tests each access to a cell when it is reached."""
    return _on(GUARD)


def _on(name: str) -> bool:
    return os.environ.get(name, "").lower() not in ("", "0", "false", "no", "off")


def disabled() -> tuple[str, ...]:
    """The names of passes that are to be left out: those with commas between them."""
    return tuple(name for name in map(str.strip, os.environ.get(OFF, "").split(",")) if name)
