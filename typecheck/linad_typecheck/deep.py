"""Room for calls: sums of a thousand terms are trees as deep, and the passes over them call themselves at each level.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

TERMS = 5_000  # calls inside each other, some three to a term; a thread's stack of a few megabytes has room for them

_lock = Lock()
_wanted: list[int] = []  # by those who are inside; the limit is one for all threads
_usual = 0


def _after_fork() -> None:
    global _lock
    _lock = Lock()  # another thread may have had it


os.register_at_fork(after_in_child=_after_fork) if hasattr(os, "register_at_fork") else None


@contextmanager
def deep(calls: int = TERMS) -> Iterator[None]:
    """Inside, Python lets so many calls be nested, if not more."""
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
