"""Exception classes by the names that checks of the core have for them."""

from __future__ import annotations

import builtins
import sys

import numpy as np


def exception_named(name: str) -> type[Exception]:
    """A builtin exception class, NumPy's ``LinAlgError``, or a class of a module; RuntimeError if there is no such
    class."""
    if name == "LinAlgError":
        return np.linalg.LinAlgError
    parts = name.split(".")
    modules = (k for k in range(len(parts) - 1, 0, -1) if ".".join(parts[:k]) in sys.modules)
    count = next(modules, 0)
    found: object = sys.modules[".".join(parts[:count])] if count else builtins
    for part in parts[count:]:
        found = getattr(found, part, None)
    return found if isinstance(found, type) and issubclass(found, Exception) else RuntimeError
