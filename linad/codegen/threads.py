"""Support for generated modules with parallel loops."""

from __future__ import annotations

from collections.abc import Callable

import numba
from numba import njit

from .numba_compat import require_attribute, require_symbols

numba.get_num_threads()  # starts them: machine code from the cache finds what runs them by name when it is loaded
require_symbols("numba_parallel_for", "get_num_threads", "set_num_threads")
require_attribute("numba.np.ufunc.parallel", "_is_initialized")  # by which `boundary.threads` knows after a fork


def spreading(chunk: Callable) -> Callable:
    """The decorator of the function that runs the chunks of a loop on threads, given the one that runs a chunk.

    Its text says what it does, and is what Numba compiles if needed. A kernel on the short path calls Numba's scheduler
    directly, as compiling such a loop takes Numba half a second.
    """

    def decorate(f: Callable) -> Callable:
        made = njit(parallel=True, error_model="numpy", nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(f)
        made.chunk = chunk
        return made

    return decorate
