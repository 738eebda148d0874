"""Support for generated modules with parallel loops."""

from __future__ import annotations

from collections.abc import Callable

import numba
from numba import njit

from .numba_compat import require_attribute, require_symbols

numba.get_num_threads()  # this starts the threads; cached machine code looks up the scheduler by name when it is loaded
require_symbols("numba_parallel_for", "get_num_threads", "set_num_threads")
require_attribute("numba.np.ufunc.parallel", "_is_initialized")  # `boundary.threads` uses this after a fork


def spreading(chunk: Callable) -> Callable:
    """The decorator of the function that runs the chunks of a loop on threads; ``chunk`` is the function that runs one.

    Its source says what it does, and is what Numba compiles if needed. A kernel on the short pipeline calls Numba's
    scheduler directly, because compiling such a loop takes Numba half a second.
    """

    def decorate(f: Callable) -> Callable:
        made = njit(parallel=True, error_model="numpy", nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(f)
        made.chunk = chunk
        return made

    return decorate
