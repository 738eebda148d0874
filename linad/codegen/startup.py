"""The first import of Numba, during which Ctrl-C is deferred."""

from __future__ import annotations

import importlib
import sys

from .interrupts import held_back

# Includes the modules of linad that register functions with Numba, and what Numba imports at the first call. A fork
# during a later import would leave the child waiting forever for the lock of a partially imported module.
NEEDED = ("numba", "numpy.ma", "linad.codegen.compile", "linad.codegen.vector_math")


def import_numba() -> None:
    """Import Numba completely. An interrupted import would leave parts registered, and later imports would fail.

    Raises
    ------
    ImportError
        If an earlier import of Numba was interrupted.
    """
    if "numba.core" in sys.modules and "numba" not in sys.modules:
        raise ImportError(
            "an import of Numba was interrupted in this process, which leaves it half loaded: start Python again"
        )
    with held_back():
        for name in NEEDED:
            if name not in sys.modules:
                importlib.import_module(name)
