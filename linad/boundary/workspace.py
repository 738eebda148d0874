"""Memory that compiled functions keep between calls, which avoids page faults in each call.

A call takes a set of workspaces out of its kernel's pool and puts it back when it returns, so threads, nested calls and
interleaved generators never share one. Results are never stored in workspaces; a large gradient is filled again if its
caller has dropped it. The total size of all pools is bounded.
"""

from __future__ import annotations

import os
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import prod
from sys import getrefcount

import numpy as np
from linad_typecheck.types import NUMPY_NAMES

from .memory import size_text, there_is

LIMIT = 256 * 2**20  # total bytes kept by all pools
MOST = 2**48  # cells; more than any machine has
LINE = 64  # bytes of a cache line: a vector that straddles two takes twice as long to access

DTYPES = {d: np.dtype(name).type for d, name in NUMPY_NAMES.items()}
Held = list[np.ndarray]
HINTED = LIMIT // 16  # maximum initial length, in cells, of a growing log

# By address, in a dict: listing its values is atomic, so no other thread, finaliser or signal handler can interfere.
# Iterating over a set could find its size changed.
_pools: dict[int, weakref.ref[Kept]] = {}
_growths = 0
_giving = threading.RLock()  # so that two calls returning at the same time do not both take the last space


def _after_fork() -> None:
    global _giving
    _giving = threading.RLock()


os.register_at_fork(after_in_child=_after_fork) if hasattr(os, "register_at_fork") else None


class Kept(ABC):
    """Memory that is kept between calls, and counted: by other threads too, as soon as this class is initialised."""

    def __init__(self) -> None:
        _pools[id(self)] = weakref.ref(self, lambda _, place=id(self), forget=_pools.pop: forget(place, None))

    @abstractmethod
    def clear(self) -> None:
        """Free what no call is using."""

    @abstractmethod
    def __len__(self) -> int:
        """The number of bytes."""


class Pool(Kept):
    """The workspaces of one compiled function that no call is using."""

    def __init__(self, dtypes: Sequence[str], logs: int = 0) -> None:
        self._dtypes = tuple(DTYPES[d] for d in dtypes)
        self._free: list[Held] = []
        self.hints = np.zeros(logs, np.int64)  # by element type and by log, the greatest lengths of growing logs
        self._since = 0  # number of enlarged sets when one was last taken
        super().__init__()

    def take(self) -> Held:
        """Take a set of workspaces for one call; they may be empty."""
        self._since = _growths
        try:
            return self._free.pop()  # atomic, so no other thread gets the same set
        except IndexError:
            return [np.empty(0, d) for d in self._dtypes]

    def enlarge(self, held: Held, needed: Sequence[int]) -> None:
        """Enlarge a set to the sizes that a call requests, with some reserve.

        Raises
        ------
        NoRoom
            If there is not enough memory.
        """
        sizes = [int(n) for n in needed]
        total = sum(n * np.dtype(d).itemsize for n, d in zip(sizes, self._dtypes, strict=True))
        short = [k for k, n in enumerate(sizes) if len(held[k]) < n]
        for k in short:
            held[k] = np.zeros(0, self._dtypes[k])  # release the old array first
        if max(sizes) >= MOST or not there_is(sum(sizes[k] * held[k].itemsize for k in short)):
            raise NoRoom(total)
        for k in short:
            held[k] = _cells(sizes[k], self._dtypes[k], total)

    def note(self, lengths: np.ndarray) -> None:
        """Record the final lengths of growing logs, so that the next call starts with these."""
        self.hints = np.minimum(np.maximum(lengths, self.hints), HINTED)

    def give(self, held: Held, grown: bool) -> None:
        """Return a set. It is kept only within the limit if it has just been enlarged, or if another set has been since
        it was taken."""
        global _growths
        # nothing has been enlarged meanwhile, so its space is still available
        if not grown and self._since == _growths:
            self._free.append(held)
            return
        with _giving:
            _growths += grown
            if kept() + _bytes(held) <= LIMIT:
                self._free.append(held)

    def clear(self) -> None:
        """Free the sets that no call is using."""
        self._free.clear()
        self.hints = np.zeros_like(self.hints)

    def __len__(self) -> int:
        return sum(map(_bytes, tuple(self._free)))


# Smallest array, in cells, that is kept to be filled again. For less memory there is rarely a page fault.
LARGE = 4096


class Refilled(Kept):
    """Large arrays that a function has made in its last calls, by position, to be filled again once nobody else has a
    reference to them: a caller who computes one gradient after another soon drops each."""

    def __init__(self) -> None:
        self._last: dict[int, np.ndarray] = {}
        super().__init__()

    def zeros(self, place: int, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """An array of zeros."""
        z = self.empty(place, shape, dtype)
        z.fill(0.0)
        return z

    def empty(self, place: int, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """An array that may hold anything."""
        z = self._last.pop(place, None)  # atomic, so no other thread gets the same array
        alone = z is not None and (getrefcount(z), getrefcount(z.base)) == ALONE
        if not (alone and z.shape == shape and z.dtype is dtype and z.flags.carray):  # its caller may have changed it
            z = _on_a_line(prod(shape), dtype).reshape(shape)
            if kept() + z.nbytes > LIMIT:
                return z
        self._last[place] = z
        return z

    def copy(self, place: int, a: np.ndarray) -> np.ndarray:
        """A copy of an array."""
        if a.size < LARGE:
            return a.copy()
        z = self.empty(place, a.shape, a.dtype)
        np.copyto(z, a)
        return z

    def clear(self) -> None:
        self._last.clear()

    def __len__(self) -> int:
        return _bytes(list(self._last.values()))


def _bytes(held: Held) -> int:
    return sum(w.nbytes for w in held)


def _all() -> list[Kept]:
    """All pools in use."""
    return [pool for found in list(_pools.values()) if (pool := found()) is not None]


def kept() -> int:
    """The bytes held by all pools."""
    return sum(map(len, _all()))


class NoRoom(MemoryError):
    """The workspaces of a call do not fit into memory. ``size``: their total size in bytes."""

    def __init__(self, size: int) -> None:
        super().__init__(f"all logs and other arrays of this function take {size_text(size)}")
        self.size = size


def _cells(n: int, dtype: type, total: int) -> np.ndarray:
    """Allocate ``n`` cells plus an eighth, or exactly ``n`` if there is no memory for more."""
    for more in (n // 8, 0):
        try:
            return _on_a_line(n + more, np.dtype(dtype))
        except MemoryError:
            continue
    raise NoRoom(total)


def _on_a_line(n: int, dtype: np.dtype) -> np.ndarray:
    """Allocate ``n`` cells, aligned to a cache line."""
    whole = np.empty(n + LINE // dtype.itemsize, dtype)
    start = -whole.__array_interface__["data"][0] % LINE // dtype.itemsize
    return whole[start : start + n]


def _references(kept: dict[int, np.ndarray], place: int) -> tuple[int, int]:
    """The numbers of references to an array that is taken out of a dict, and to the base of its views, as `Refilled`
    counts them."""
    z = kept.pop(place, None)
    return getrefcount(z), getrefcount(z.base)


ALONE = _references({0: _on_a_line(1, np.dtype(float)).reshape(1, 1)}, 0)  # nobody else has a reference


def release_memory() -> int:
    """Free the memory that compiled functions keep between calls: scratch arrays, and large gradients to fill again.

    Calls in progress keep theirs, and gradients that are in use stay as they are. At most 256 MiB are kept in total.

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
    for pool in _all():
        pool.clear()
    return before
