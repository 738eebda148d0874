"""The first import of Numba, during which Ctrl-C is held back."""

from __future__ import annotations

import importlib
import sys

from .interrupts import later

# With it come the modules of linad that register functions with Numba, and what Numba imports at the first call: here
# no fork can fall into it, after which the child would wait for ever for the lock of a half imported module.
NEEDED = ("numba", "numpy.ma", "linad.codegen.compile", "linad.codegen.vector_math")


def import_numba() -> None:
    """Import Numba completely. An interrupted import would leave parts registered, and no later import would succeed.

    Raises
    ------
    ImportError
        If an earlier import of Numba was interrupted.
    """
    if "numba.core" in sys.modules and "numba" not in sys.modules:
        raise ImportError(
            "an import of Numba was interrupted in this process, which leaves it half loaded: start Python again"
        )
    with later():
        for name in NEEDED:
            if name not in sys.modules:
                importlib.import_module(name)
