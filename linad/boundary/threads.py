"""How many threads a call may use, and what keeps the process alive while it does.

The threads are Numba's. Of what it has to run them on, one kind aborts the process when two Python threads start a loop
at one time, and another when a process starts one after a fork. So kernels with parallel loops run one at a time, each
with all threads, and in a child of a process that has started threads they run without.
"""

from __future__ import annotations

import os
import sys
import threading

running = threading.RLock()  # a signal or a finaliser may call from where a call is just returning
_forked = False


def _after_fork() -> None:
    global running, _forked
    running = threading.RLock()
    _forked = _forked or getattr(sys.modules.get("numba.np.ufunc.parallel"), "_is_initialized", False)


os.register_at_fork(after_in_child=_after_fork) if hasattr(os, "register_at_fork") else None


def threads() -> int:
    """How many chunks a loop is cut into: as many as Numba may use threads here."""
    if _forked:
        return 1
    import numba

    return numba.get_num_threads()
