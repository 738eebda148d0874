"""Exact gradients of NumPy-style loop programs with in-place updates, compiled by Numba.

Environment variables
---------------------
LINAD_CACHE
    ``0``, ``off``, ``no`` or ``false``: do not keep compiled code for the next process.
LINAD_CACHE_DIR
    The folder for compiled code, instead of the user's cache folder (``linad doctor`` prints it).
LINAD_CACHE_LIMIT
    The maximum number of bytes of compiled code, 512 MiB by default; the least recently used code is removed first.
LINAD_CACHE_SHARED
    A read-only folder that another user has filled with ``linad cache share``.
LINAD_CACHE_KEY
    The key of the digests in the shared folder, a secret of at least 32 characters.
LINAD_DISABLE
    A comma-separated list of optimisation passes that functions decorated from then on are compiled without.
LINAD_VERIFY
    ``1``: verify the program after each optimisation pass. Compilation takes several times as long.
LINAD_GUARD
    ``1``: compiled code checks each array access when it executes, whatever was proved about it; an access out of
    bounds is an internal error. For tests of linad itself. Code runs several times slower.
LINAD_FALLBACK
    ``error``: raise an error if generated code would be left to Numba's own compiler, which takes several times as
    long. Otherwise the logger ``linad`` issues a warning with the reason. The results are the same.
LINAD_PROGRESS
    ``0``, ``off``, ``no`` or ``false``: do not print a line on a terminal or in a notebook while a compilation takes
    more than a second. No line is printed in pipes, in worker processes, under pytest, or if ``CI`` is set.
LINAD_LSP_LOG
    The log level of ``linad lsp`` on stderr, such as ``DEBUG``; ``ERROR`` by default.
NO_COLOR
    If set to anything, ``linad check`` prints no colours.
NUMBA_NUM_THREADS, NUMBA_THREADING_LAYER
    Numba's settings: the number of threads for loops under ``parallel=True``, and the library that runs them.

Threads and the GIL
-------------------
Compiled code runs without the GIL, so calls of checked functions from several Python threads run concurrently; each
call has its own workspaces. Checking, differentiating and compiling hold the GIL and a lock: a second thread that calls
a function for the first time waits for the first one. The conversion of arguments and results holds the GIL, for some
microseconds per call.

Arrays are read while a call runs. As with any code that runs without the GIL, another thread must not write to them in
the meantime, and two calls must not add to the same buffers (`LinearGrad.vjp_into`, parameters named in ``updates``) at
the same time.

Functions with parallel loops (``parallel=True``) run one at a time, each with all threads. In a child process that was
forked after threads had been started, their loops run on one thread. Ctrl-C takes effect when compiled code returns.

Pickling
--------
A checked function at the top level of an importable module is pickled like a plain function, by the names of its module
and itself. A function of a script, a notebook or another function's body is pickled with its source, the values of the
names that it uses and of its closure, and the functions that it calls, both by `pickle` and by cloudpickle, which
joblib and others use. It computes the same numbers in a process without that script, and errors point at the same
lines. Later changes of those values remain local to the process. Bound methods, such as ``f.value_and_grad``, the
results of `grad` and `value_and_grad`, and pullbacks are pickled with their function. Processes that load it do not
compile anything that is in the cache on disk.

A plain function that no checked function calls is left to the pickling library: cloudpickle sends it without its
source, so `grad` cannot read it where its file is missing. Copies of a checked function are the function itself.

The cache on disk
-----------------
The code in the folder is executed, so the folder must be private to the user: linad creates it that way, and does not
use it if others may write to it. If the folder cannot be used (for this reason, or because it is read-only or full, or
there is no home directory), a `LinadWarning` says so once per process, and compiled code stays in memory. Damaged files
are rebuilt. ``docs/explanation/cache.md`` describes what is trusted. linad and functions that use it may be imported
from a zip file.

Functions compiled by Numba
---------------------------
A helper under ``@njit`` may be called like any other: its Python text is read, checked and differentiated with the
rest; what Numba compiled it to is not used. A checked function cannot be called from ``@njit`` code.
"""

# Names are imported at their first use, so that `import linad` is cheap: Numba is not loaded before something is
# compiled.

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linad_typecheck.diagnostics import LinadError as LinadError
    from linad_typecheck.diagnostics import LinadWarning as LinadWarning
    from linad_typecheck.diagnostics import ZeroGradientWarning as ZeroGradientWarning

    from . import testing as testing
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
    from .implementing import implements as implements
    from .show import explain as explain
    from .show import show as show
    from .transforms.compiled import rule as rule
    from .transforms.hessian import hessian as hessian
    from .transforms.hessian import hvp as hvp
    from .transforms.jacobian import jacfwd as jacfwd
    from .transforms.jacobian import jacobian as jacobian
    from .transforms.jacobian import jacrev as jacrev
    from .transforms.jacobian import value_and_jacobian as value_and_jacobian
    from .transforms.linearize import linearize as linearize
    from .transforms.linear_transpose import linear_transpose as linear_transpose
    from .transforms.stop_gradient import stop_gradient as stop_gradient
    from .transforms.vmap import vmap as vmap

__version__ = "0.1.0"

_HOMES = {
    "linear_grad": ".decorator",
    "LinearGrad": ".decorator",
    "implements": ".implementing",
    "grad": ".api",
    "value_and_grad": ".api",
    "vjp": ".api",
    "jvp": ".api",
    "jacfwd": ".transforms.jacobian",
    "jacrev": ".transforms.jacobian",
    "jacobian": ".transforms.jacobian",
    "value_and_jacobian": ".transforms.jacobian",
    "hessian": ".transforms.hessian",
    "hvp": ".transforms.hessian",
    "linearize": ".transforms.linearize",
    "linear_transpose": ".transforms.linear_transpose",
    "sparsity": ".transforms.sparse",
    "custom_jvp": ".transforms.custom",
    "custom_vjp": ".transforms.custom",
    "rule": ".transforms.compiled",
    "stop_gradient": ".transforms.stop_gradient",
    "vmap": ".transforms.vmap",
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

_MODULES = ("interop", "testing")

# Bound by `from linad import *`, without `map` and `sum`, which would shadow Python's own.
__all__ = [
    "LinadError",
    "LinadWarning",
    "LinearGrad",
    "ZeroGradientWarning",
    "build",
    "checkpoint",
    "cost",
    "custom_jvp",
    "custom_vjp",
    "explain",
    "fold",
    "grad",
    "hessian",
    "hvp",
    "implements",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linear_grad",
    "linear_transpose",
    "linearize",
    "reduce",
    "release_memory",
    "rule",
    "scanl",
    "scanr",
    "shift1l",
    "shift1r",
    "show",
    "sparsity",
    "stop_gradient",
    "value_and_grad",
    "value_and_jacobian",
    "vjp",
    "vmap",
]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home, __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *_HOMES, *_MODULES})
