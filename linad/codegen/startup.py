"""The first import of Numba, which Ctrl-C must not end halfway."""

from __future__ import annotations

import importlib
import sys

from .interrupts import later

# With it come the modules of linad that register functions with Numba, and what Numba imports at the first call: here
# no fork can fall into it, after which the child would wait for ever for the lock of a half imported module.
NEEDED = ("numba", "numpy.ma", "linad.codegen.compile", "linad.codegen.vector_math")


def import_numba() -> None:
    """Import Numba whole: an import that Ctrl-C ends leaves parts behind, with which no later one succeeds, so it
    waits.

    Raises
    ------
    ImportError
        Where another import of Numba has been ended like that before.
    """
    if "numba.core" in sys.modules and "numba" not in sys.modules:
        raise ImportError(
            "an import of Numba was interrupted in this process, which leaves it half loaded: start Python again"
        )
    with later():
        for name in NEEDED:
            if name not in sys.modules:
                importlib.import_module(name)
