"""Defer signals whose handlers may raise, such as Ctrl-C, during code that an exception must not interrupt."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

HELD = ("SIGINT", "SIGTERM", "SIGALRM")  # sent by users, supervisors and time limits


@contextmanager
def held_back() -> Iterator[None]:
    """Defer handlers of these signals until the end of the block, in the main thread, where Python runs handlers.

    Compilation needs this: an exception in a callback of LLVM is lost, and one between updates of two of Numba's tables
    leaves them inconsistent, so that later compilations fail or crash.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with ExitStack() as held:
        for name in HELD:
            if hasattr(signal, name):
                held.enter_context(_held(getattr(signal, name)))
        yield


@contextmanager
def _held(number: int) -> Iterator[None]:
    before = signal.getsignal(number)
    if not callable(before):  # ignored, default, or handled outside Python
        yield
        return
    came: list[tuple[int, FrameType | None]] = []

    def note(*given) -> None:
        came.append(given)

    signal.signal(number, note)
    try:
        yield
    finally:
        if signal.getsignal(number) is note:
            signal.signal(number, before)
        if came:
            before(*came[0])
