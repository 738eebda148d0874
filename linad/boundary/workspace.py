"""Scratch memory that compiled functions keep between calls, so that a call does not pay for fresh pages again.

A call takes a set of workspaces out of its kernel's pool and puts it back when it returns: threads, nested calls and
generators that take turns never share one. Results are never in them. What all pools keep is bounded.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence

import numpy as np

LIMIT = 256 * 2**20  # bytes that all pools keep together
MOST = 2**48  # cells; more than any machine has

DTYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "bool": np.bool_}
Held = tuple[np.ndarray, ...]

_pools: weakref.WeakSet[Pool] = weakref.WeakSet()
_growths = 0
_giving = threading.Lock()  # so that two calls that return at one time do not both take the last room


class Pool:
    """The workspaces of one compiled function that no call is using."""

    def __init__(self, dtypes: Sequence[str]) -> None:
        self._dtypes = tuple(DTYPES[d] for d in dtypes)
        self._free: list[Held] = []
        self._since = 0  # how many sets had grown when one was last taken
        _pools.add(self)

    def take(self) -> Held:
        """A set of workspaces for one call, perhaps empty ones."""
        self._since = _growths
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
            raise MemoryError("the arrays of this function do not fit into memory: they have more cells than an address can name")
        sizes = [int(n) for n in needed]
        grown = zip(held, sizes, self._dtypes, strict=True)
        return tuple(w if len(w) >= n else _cells(n, d) for w, n, d in grown)

    def give(self, held: Held, grown: bool) -> None:
        """Take a set back; one that has just grown, or that another has taken the room of, is kept only within the limit."""
        global _growths
        if not grown and self._since == _growths:  # its room is still free: nothing has grown meanwhile
            self._free.append(held)
            return
        with _giving:
            _growths += grown
            if kept() + _bytes(held) <= LIMIT:
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


def _cells(n: int, dtype: type) -> np.ndarray:
    """That many cells and an eighth more, or exactly as many where there is no room for more."""
    try:
        return np.empty(n + n // 8, dtype)
    except MemoryError:
        pass
    try:
        return np.empty(n, dtype)
    except MemoryError:
        size = n * np.dtype(dtype).itemsize / 2**30
        text = f"the logs and other arrays of this function take {size:.1f} GiB, which there is no memory for; "
        text += "mark its longest loop with `linad.checkpoint` to keep snapshots instead"
        raise MemoryError(text) from None


def release_memory() -> int:
    """Give back the scratch memory that compiled functions keep between calls.

    Calls that are running keep theirs. What is kept never exceeds `LIMIT` bytes, 256 MiB.

    Returns
    -------
    int
        The bytes that were kept.

    Examples
    --------
    >>> import linad
    >>> linad.release_memory() >= 0
    True
    """
    before = kept()
    for pool in tuple(_pools):
        pool.clear()
    return before
