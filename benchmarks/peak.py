"""The most memory that one call adds to a process, above what it holds before.

Linux keeps the highest resident size of a process and forgets it when asked to, so a call is measured without the compiling and
warming up that came before it. Elsewhere the highest size since the process began has to do.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Callable
from pathlib import Path

_STATUS = Path("/proc/self/status")
_FORGET = Path("/proc/self/clear_refs")


def added(call: Callable[[], object]) -> float:
    """The megabytes by which a call raises the resident size at its highest; what it returns included."""
    gc.collect()
    _give_back()
    exact = _forget()
    before = _resident("VmRSS:" if exact else "VmHWM:")
    result = call()
    after = _resident("VmHWM:")
    del result
    return max(after - before, 0) / 2**20


def _give_back() -> None:
    """Let the C library return what it holds free, or the call would be counted as needing less."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def _forget() -> bool:
    """Make the highest size the present one; whether that was possible."""
    try:
        _FORGET.write_text("5")
    except OSError:
        return False
    return True


def _resident(row: str) -> int:
    """Bytes: now (``VmRSS:``) or at most so far (``VmHWM:``)."""
    with contextlib.suppress(OSError):
        for line in _STATUS.read_text().splitlines():
            name, *rest = line.split()
            if name == row:
                return 1024 * int(rest[0])
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most
