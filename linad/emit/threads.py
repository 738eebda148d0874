"""What generated modules with loops on threads need."""

from __future__ import annotations

from collections.abc import Callable

import numba
from numba import njit

numba.get_num_threads()  # starts them: machine code from the cache finds what runs them by name when it is loaded


def spreading() -> Callable:
    """The decorator of the function that runs the chunks of a loop on threads."""
    return njit(parallel=True, error_model="numpy", nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
