"""Logs of the reverse sweep in the interpreter: arrays whose accesses are checked and counted separately."""

from __future__ import annotations

import numpy as np

from .outcome import CoreFault


class Log(np.ndarray):
    """A log. ``seen`` marks the cells that have been stored to; it is None for slices."""

    kind: str
    seen: np.ndarray | None

    def store(self, where: tuple) -> bool:
        """Record a store and return whether the cell is new. In a log of cells, a second store to a cell is a fault."""
        if self.seen is None:
            return False
        new = not self.seen[where]
        if not new and self.kind == "cells":
            raise CoreFault(f"cell {where} of a log is stored to twice")
        self.seen[where] = True
        return new


def as_log(array: np.ndarray, kind: str, old: np.ndarray | None = None) -> np.ndarray:
    """View a new array as a log of a kind; ``old`` is the shorter log that it replaces, if any."""
    if kind == "no":
        return array
    log = array.view(Log)
    log.kind, log.seen = kind, None if kind == "slices" else np.zeros(array.shape, bool)
    if isinstance(old, Log) and old.seen is not None and log.seen is not None:
        log.seen[: old.size] = old.seen
    return log
