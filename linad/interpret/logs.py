"""Logs of a reverse sweep during interpretation: arrays whose accesses are counted separately and checked."""

from __future__ import annotations

import numpy as np

from .outcome import CoreFault


class Log(np.ndarray):
    """A log. ``seen``: which cells have been stored to; None for slices."""

    kind: str
    seen: np.ndarray | None

    def store(self, where: tuple) -> bool:
        """Record a store; returns whether the cell is new. Each cell of a log of cells is stored to once."""
        if self.seen is None:
            return False
        new = not self.seen[where]
        if not new and self.kind == "cells":
            raise CoreFault(f"cell {where} of a log is stored to twice")
        self.seen[where] = True
        return new


def as_log(array: np.ndarray, kind: str, old: np.ndarray | None = None) -> np.ndarray:
    """An array created by an allocation of a kind, possibly to replace a shorter one, ``old``."""
    if kind == "no":
        return array
    log = array.view(Log)
    log.kind, log.seen = kind, None if kind == "slices" else np.zeros(array.shape, bool)
    if isinstance(old, Log) and old.seen is not None and log.seen is not None:
        log.seen[: old.size] = old.seen
    return log
