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
    module = max((m for m in sys.modules if name.startswith(f"{m}.")), key=len, default="")
    found: object = sys.modules.get(module, builtins)
    for part in name.removeprefix(f"{module}.").split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) and issubclass(found, Exception) else RuntimeError
