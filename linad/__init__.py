"""Exact gradients of NumPy-style loop programs with in-place updates, compiled by Numba.

Names are imported at their first use, so that ``import linad`` is cheap: nothing here loads Numba before something is
compiled.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linad_typecheck.diagnostics import LinadError as LinadError
    from linad_typecheck.diagnostics import LinadWarning as LinadWarning
    from linad_typecheck.diagnostics import ZeroGradientWarning as ZeroGradientWarning

    from .api import grad as grad
    from .api import jvp as jvp
    from .api import value_and_grad as value_and_grad
    from .api import vjp as vjp
    from .checkpointing import checkpoint as checkpoint
    from .combinators import build as build
    from .combinators import fold as fold
    from .combinators import map as map
    from .combinators import reduce as reduce
    from .combinators import scanl as scanl
    from .combinators import scanr as scanr
    from .combinators import shift1l as shift1l
    from .combinators import shift1r as shift1r
    from .combinators import sum as sum
    from .boundary.workspace import release_memory as release_memory
    from .cost import cost as cost
    from .decorator import LinearGrad as LinearGrad
    from .decorator import linear_grad as linear_grad
    from .show import explain as explain
    from .show import show as show

__version__ = "0.1.0"

_HOMES = {
    "linear_grad": ".decorator",
    "LinearGrad": ".decorator",
    "grad": ".api",
    "value_and_grad": ".api",
    "vjp": ".api",
    "jvp": ".api",
    "checkpoint": ".checkpointing",
    **dict.fromkeys(("build", "fold", "map", "reduce", "scanl", "scanr", "shift1l", "shift1r", "sum"), ".combinators"),
    "release_memory": ".boundary.workspace",
    "show": ".show",
    "explain": ".show",
    "cost": ".cost",
    "LinadError": "linad_typecheck.diagnostics",
    "LinadWarning": "linad_typecheck.diagnostics",
    "ZeroGradientWarning": "linad_typecheck.diagnostics",
}

__all__ = [
    "LinadError",
    "LinadWarning",
    "LinearGrad",
    "ZeroGradientWarning",
    "build",
    "checkpoint",
    "cost",
    "explain",
    "fold",
    "grad",
    "jvp",
    "linear_grad",
    "map",
    "reduce",
    "release_memory",
    "scanl",
    "scanr",
    "shift1l",
    "shift1r",
    "show",
    "sum",
    "value_and_grad",
    "vjp",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home, __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
