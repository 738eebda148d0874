"""Room for deep recursion: a sum of a thousand terms is a tree of that depth, over which the passes recurse."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

TERMS = 5_000  # recursion depth, at about three calls per term; it fits the stack of a thread

_lock = Lock()
_wanted: list[int] = []  # limits that are currently requested; the recursion limit is shared by all threads
_usual = 0


def _after_fork() -> None:
    global _lock
    _lock = Lock()  # another thread may have held it


os.register_at_fork(after_in_child=_after_fork) if hasattr(os, "register_at_fork") else None


@contextmanager
def deep(calls: int = TERMS) -> Iterator[None]:
    """A context in which the recursion limit is at least ``calls``."""
    global _usual
    with _lock:
        _usual = _usual if _wanted else sys.getrecursionlimit()
        _wanted.append(calls)
        sys.setrecursionlimit(max([_usual, *_wanted]))
    try:
        yield
    finally:
        with _lock:
            _wanted.remove(calls)
            sys.setrecursionlimit(max([_usual, *_wanted]))
