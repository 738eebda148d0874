"""One line on a terminal or in a notebook while a compilation takes long, gone when it is over."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from typing import TextIO

AFTER = 1.0  # seconds
UNWATCHED = {"CI", "PYTEST_VERSION", "PYTEST_CURRENT_TEST"}  # where these are set, no one looks at the screen
_OFF = ("0", "off", "no", "false")
_PROCESS = os.getpid()
_SAVE, _RESTORE = "\0337", "\0338\033[J"  # the place of the cursor, and back to it, with nothing after it


@contextlib.contextmanager
def compiling(what: str, kept: bool) -> Iterator[None]:
    """Say what is compiled if it takes more than about a second.

    Nothing is said where no one would see it go: in pipes and files, in worker processes, under pytest and in
    continuous integration, and where the environment has ``LINAD_PROGRESS=0``.
    """
    stream = sys.stderr
    notebook = type(stream).__module__.startswith("ipykernel.")
    if not _wanted() or not (notebook or _is_terminal(stream)):
        yield
        return
    text = f"linad: compiling {what} ({'once; cached for later runs' if kept else 'for this process only'}) ..."
    if notebook:
        line = _Line(stream, text, f"\r{' ' * len(text)}\r")
    else:  # a second row could not be taken back
        line = _Line(stream, f"{_SAVE}{text[: shutil.get_terminal_size().columns - 1]}", _RESTORE)
    timer = threading.Timer(AFTER, line.show)
    timer.daemon = True
    with contextlib.suppress(RuntimeError):  # where there are no more threads
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
    processes = sys.modules.get("multiprocessing.process")  # not imported where it started no process
    worker = processes is not None and processes.current_process().name != "MainProcess"
    return not worker and os.getpid() == _PROCESS


def _is_terminal(stream: TextIO | None) -> bool:
    with contextlib.suppress(AttributeError, ValueError):  # no stream, or a closed one
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    return False


class _Line:
    """A line that is shown at most once, and not after it was removed."""

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
