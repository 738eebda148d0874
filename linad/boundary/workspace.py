"""Scratch memory that compiled functions keep between calls, so that a call does not pay for fresh pages again.

A call takes a set of workspaces out of its kernel's pool and puts it back when it returns: threads, nested calls and
generators that take turns never share one. Results are never in them. What all pools keep is bounded.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence

import numpy as np

LIMIT = 256 * 2**20  # bytes that all pools keep together
MOST = 2**48  # cells; more than any machine has

DTYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "bool": np.bool_}
Held = tuple[np.ndarray, ...]

_pools: weakref.WeakSet[Pool] = weakref.WeakSet()


class Pool:
    """The workspaces of one compiled function that no call is using."""

    def __init__(self, dtypes: Sequence[str]) -> None:
        self._dtypes = tuple(DTYPES[d] for d in dtypes)
        self._free: list[Held] = []
        _pools.add(self)

    def take(self) -> Held:
        """A set of workspaces for one call, perhaps empty ones."""
        try:
            return self._free.pop()  # one step, so no other thread gets the same
        except IndexError:
            return tuple(np.empty(0, d) for d in self._dtypes)

    def larger(self, held: Held, needed: Sequence[int]) -> Held:
        """Workspaces of the sizes a call asks for, a little more where they grow.

        Raises
        ------
        MemoryError
            Where there is not that much memory.
        """
        if max(needed) >= MOST:
            raise MemoryError("the arrays of this function do not fit into memory")
        sizes = [int(n) for n in needed]
        grown = zip(held, sizes, self._dtypes, strict=True)
        return tuple(w if len(w) >= n else np.empty(n + n // 8, d) for w, n, d in grown)

    def give(self, held: Held, grown: bool) -> None:
        """Take a set back; one that has just grown is kept only within the limit."""
        if not grown or kept() + _bytes(held) <= LIMIT:
            self._free.append(held)

    def clear(self) -> None:
        """Let go of what no call is using."""
        self._free.clear()

    def __len__(self) -> int:
        return sum(map(_bytes, tuple(self._free)))


def _bytes(held: Held) -> int:
    return sum(w.nbytes for w in held)


def kept() -> int:
    """The bytes that all pools keep now."""
    return sum(map(len, tuple(_pools)))


def release() -> None:
    """Give back the scratch memory that compiled functions keep between calls; calls that are running keep theirs."""
    for pool in tuple(_pools):
        pool.clear()
