"""Python's collector of cyclic garbage pauses while a program is checked or compiled.

Both make many objects and little garbage before they end; collections would take a tenth of their time.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
_pauses = 0  # of all threads, which share the collector
_usual = False


def _after_fork() -> None:
    global _lock, _pauses
    _lock = Lock()  # another thread may have held it, or have been in a pause
    if _pauses and _usual:
        gc.enable()
    _pauses = 0


os.register_at_fork(after_in_child=_after_fork) if hasattr(os, "register_at_fork") else None


@contextmanager
def uncollected() -> Iterator[None]:
    """A context in which no cyclic garbage is collected."""
    global _pauses, _usual
    with _lock:
        _usual = _usual if _pauses else gc.isenabled()
        _pauses += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _pauses = max(_pauses - 1, 0)
            if _usual and not _pauses:
                gc.enable()
