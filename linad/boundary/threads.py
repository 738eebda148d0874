"""The number of threads that a call may use, and protection against aborts of the threading layer.

The threads are Numba's. One of its threading layers aborts the process if two Python threads start a parallel loop at
the same time, another one if a process starts one after a fork. Kernels with parallel loops therefore run one at a
time, each with all threads, and children of a process that has started threads run them serially.
"""

from __future__ import annotations

import os
import sys
import threading

running = threading.RLock()  # reentrant, because a signal handler or finaliser may call while another call is returning
_forked = False


def _after_fork() -> None:
    global running, _forked
    running = threading.RLock()
    _forked = _forked or getattr(sys.modules.get("numba.np.ufunc.parallel"), "_is_initialized", False)


os.register_at_fork(after_in_child=_after_fork) if hasattr(os, "register_at_fork") else None


def threads() -> int:
    """The number of chunks of a loop: the number of threads that Numba may use here."""
    if _forked:
        return 1
    import numba

    return numba.get_num_threads()
