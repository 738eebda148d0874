"""Logs of a reverse sweep while they are interpreted: arrays whose accesses are counted apart, and checked."""

from __future__ import annotations

import numpy as np

from .outcome import CoreFault


class Log(np.ndarray):
    """A log. ``seen``: which cells have been stored to, of a log that must not do so twice."""

    kind: str
    seen: np.ndarray | None

    def store(self, where: tuple) -> None:
        """Note a store; each cell of a log of cells is stored to once."""
        if self.seen is not None:
            if self.seen[where]:
                raise CoreFault(f"cell {where} of a log is stored to twice")
            self.seen[where] = True


def as_log(array: np.ndarray, kind: str, old: np.ndarray | None = None) -> np.ndarray:
    """An array made by an allocation of a kind, perhaps in place of a shorter ``old`` one."""
    if kind == "no":
        return array
    log = array.view(Log)
    log.kind, log.seen = kind, np.zeros(array.shape, bool) if kind == "cells" else None
    if isinstance(old, Log) and old.seen is not None and log.seen is not None:
        log.seen[: old.size] = old.seen
    return log
