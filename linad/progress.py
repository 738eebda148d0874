"""A line on a terminal or in a notebook while a compilation takes long; it is removed afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from typing import TextIO

AFTER = 1.0  # seconds
UNWATCHED = {"CI", "PYTEST_VERSION", "PYTEST_CURRENT_TEST"}  # if one of these is set, nobody is watching the screen
_OFF = ("0", "off", "no", "false")
_PROCESS = os.getpid()
_SAVE, _RESTORE = "\0337", "\0338\033[J"  # save the cursor position; restore it and clear what follows


@contextlib.contextmanager
def compiling(what: str, kept: bool) -> Iterator[None]:
    """Say what is being compiled if it takes more than about a second.

    Nothing is printed where the line could not be removed again: in pipes and files, in worker processes, under pytest
    and in continuous integration, or if the environment has ``LINAD_PROGRESS=0``.
    """
    stream = sys.stderr
    notebook = type(stream).__module__.startswith("ipykernel.")
    if not _wanted() or not (notebook or _is_terminal(stream)):
        yield
        return
    text = f"linad: compiling {what} ({'once; cached for later runs' if kept else 'for this process only'}) ..."
    if notebook:
        line = _Line(stream, text, f"\r{' ' * len(text)}\r")
    else:  # a second row could not be removed
        line = _Line(stream, f"{_SAVE}{text[: shutil.get_terminal_size().columns - 1]}", _RESTORE)
    timer = threading.Timer(AFTER, line.show)
    timer.daemon = True
    with contextlib.suppress(RuntimeError):  # if no more threads can be started
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
        line.remove()


def _wanted() -> bool:
    if os.environ.get("LINAD_PROGRESS", "").lower() in _OFF:
        return False
    if not UNWATCHED.isdisjoint(os.environ):
        return False
    # if multiprocessing has not been imported, it has started no process
    processes = sys.modules.get("multiprocessing.process")
    worker = processes is not None and processes.current_process().name != "MainProcess"
    return not worker and os.getpid() == _PROCESS


def _is_terminal(stream: TextIO | None) -> bool:
    with contextlib.suppress(AttributeError, ValueError):  # no stream, or a closed one
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    return False


class _Line:
    """A line that is shown at most once, and not after it has been removed."""

    def __init__(self, stream: TextIO, written: str, removed: str) -> None:
        self._stream, self._written, self._removed = stream, written, removed
        self._lock, self._shown, self._over = threading.Lock(), False, False

    def show(self) -> None:
        with self._lock:
            if not self._over:
                self._shown = self._write(self._written)

    def remove(self) -> None:
        with self._lock:
            self._over = True
            if self._shown:
                self._write(self._removed)

    def _write(self, text: str) -> bool:
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()
            return True
        return False
