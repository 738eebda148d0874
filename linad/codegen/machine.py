"""What code is compiled by and for. To be imported after `startup.import_numba`."""

from __future__ import annotations

from functools import cache

import llvmlite
import llvmlite.binding as llvm
import numba

from . import compile as compile
from .numba_compat import config
from .vector_math import choice as choice


@cache
def target() -> tuple[str, ...]:
    """The compiler that code is compiled by and the processor it is compiled for."""
    name = config.CPU_NAME or llvm.get_host_cpu_name()
    features = config.CPU_FEATURES if config.CPU_FEATURES is not None else llvm.get_host_cpu_features().flatten()
    return (numba.__version__, llvmlite.__version__, str(name), str(features))
