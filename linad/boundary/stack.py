"""Stack limits of the current thread, so that deep recursion ends in RecursionError instead of a crash."""

from __future__ import annotations

import ctypes
import sys
import threading

_RESERVE = 128 * 1024  # bytes below the floor for code without checks: allocation, library functions, the error itself
_of_thread = threading.local()


def floor() -> int:
    """The lowest address at which a recursive function may start; 0 if the system does not report it."""
    try:
        return _of_thread.floor
    except AttributeError:
        low, size = _bounds()
        _of_thread.floor = low + min(_RESERVE, size // 2)
        return _of_thread.floor


def _bounds() -> tuple[int, int]:
    """The lowest address of this thread's stack, and its size; zeros if unknown."""
    ask = _ASK.get(sys.platform)
    if ask is None:
        return 0, 0
    try:
        return ask()
    except (AttributeError, OSError):
        return 0, 0


def _linux() -> tuple[int, int]:
    libc = ctypes.CDLL(None)
    attributes = ctypes.create_string_buffer(256)  # larger than any pthread_attr_t
    low, size = ctypes.c_void_p(), ctypes.c_size_t()
    libc.pthread_self.restype = ctypes.c_void_p
    if libc.pthread_getattr_np(ctypes.c_void_p(libc.pthread_self()), attributes) != 0:
        return 0, 0
    found = libc.pthread_attr_getstack(attributes, ctypes.byref(low), ctypes.byref(size))
    libc.pthread_attr_destroy(attributes)
    return (low.value or 0, size.value) if found == 0 else (0, 0)


def _macos() -> tuple[int, int]:
    libc = ctypes.CDLL(None)
    libc.pthread_self.restype = libc.pthread_get_stackaddr_np.restype = ctypes.c_void_p
    libc.pthread_get_stacksize_np.restype = ctypes.c_size_t
    me = ctypes.c_void_p(libc.pthread_self())
    size = libc.pthread_get_stacksize_np(me)
    return libc.pthread_get_stackaddr_np(me) - size, size


def _windows() -> tuple[int, int]:
    low, high = ctypes.c_size_t(), ctypes.c_size_t()
    kernel32 = ctypes.windll.kernel32  # type: ignore[attr-defined]
    kernel32.GetCurrentThreadStackLimits(ctypes.byref(low), ctypes.byref(high))
    return low.value, high.value - low.value


_ASK = {"linux": _linux, "darwin": _macos, "win32": _windows}
