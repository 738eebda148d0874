"""The first import of Numba, which Ctrl-C must not end halfway."""

from __future__ import annotations

import importlib
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


def import_numba() -> None:
    """Import Numba whole: an import that Ctrl-C ends leaves parts behind, with which no later one succeeds, so it waits.

    Raises
    ------
    ImportError
        Where another import of Numba has been ended like that before.
    """
    if "numba" in sys.modules:
        return
    if "numba.core" in sys.modules:
        raise ImportError("an import of Numba was interrupted in this process, which leaves it half loaded: start Python again")
    with _later():
        importlib.import_module("numba")


@contextmanager
def _later() -> Iterator[None]:
    """Ctrl-C inside takes effect afterwards."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is None:
        yield
        return
    pressed: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGINT, lambda *given: pressed.append(given))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if pressed and callable(before):
            before(*pressed[0])
