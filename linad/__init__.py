"""Exact gradients of NumPy-style loop programs with in-place updates, compiled by Numba.

Environment variables
---------------------
LINAD_CACHE
    ``0``, ``off``, ``no`` or ``false``: compiled code is not kept for the next process.
LINAD_CACHE_DIR
    The folder of compiled code, in place of the user's cache folder (``linad doctor`` prints it).
LINAD_CACHE_LIMIT
    How many bytes of compiled code are kept, 512 MiB by default; the least recently used goes first.
LINAD_CACHE_SHARED
    A folder that another user has filled with ``linad cache share`` and that is only read.
LINAD_CACHE_KEY
    The key of the digests in it, a secret of 32 characters at least.
LINAD_DISABLE
    Names of optimisation passes with commas between them, which functions that are decorated then do without.
LINAD_VERIFY
    ``1``: the program is verified after each optimisation pass. Compiling takes several times as long.
LINAD_GUARD
    ``1``: compiled code tests each access to a cell when it is reached, whatever was proved of it; one that would leave
    its array is told as an internal error. For tests of linad itself. Code runs several times as long.
LINAD_FALLBACK
    ``error``: where generated code would be left to Numba's own compiler, which takes several times as long, there is
    an error. Otherwise the logger ``linad`` has a warning with the reason. The results are the same.
LINAD_PROGRESS
    ``0``, ``off``, ``no`` or ``false``: no line on a terminal or in a notebook while a compilation takes more than a
    second. There is none in pipes, in worker processes, under pytest and where ``CI`` is set.
LINAD_LSP_LOG
    The level of what ``linad lsp`` writes to stderr, such as ``DEBUG``; ``ERROR`` by default.
NO_COLOR
    Set to anything: ``linad check`` prints no colours.
NUMBA_NUM_THREADS, NUMBA_THREADING_LAYER
    Numba's: how many threads loops under ``parallel=True`` use, and which library runs them.

Threads and the GIL
-------------------
Compiled code runs without the GIL, so calls of checked functions from several Python threads run at the same time;
each call has workspaces of its own. Checking, differentiating and compiling hold the GIL and a lock: the second
thread that calls a function for the first time waits for the first one. The conversion of arguments and results holds
the GIL: some microseconds for each call.

Arrays are read while a call runs. As with any code that runs without the GIL, another thread must not write to them
in the meantime, and two calls must not add into the same buffers (`LinearGrad.vjp_into`, parameters named in
``updates``) at one time.

Functions with loops on threads (``parallel=True``) take turns: each of them uses all threads. In a child that was
forked after threads had been started their loops run on one thread. Ctrl-C takes effect when compiled code returns.

Pickling
--------
A checked function at the top level of a module that can be imported is pickled as plain functions are, by the name of
its module and its own. One of a script, a notebook or another function's body is pickled with its source, the values
of the names that it uses and of its closure, and the functions that it calls, by `pickle` as well as by cloudpickle,
which joblib and others use: it gives the same numbers in a process that has no such script, and errors point at the
same lines. Later changes of those values stay where they are made. Bound methods, such as ``f.value_and_grad``, what
`grad` and `value_and_grad` return, and pullbacks travel with their function. Processes that load it compile nothing
that is in the cache on disk.

A plain function that a checked one does not call is up to the pickle: cloudpickle sends it without its text, so
`grad` of it has nothing to read where its file is not. Copies of a checked function are the function itself.

The cache on disk
-----------------
What is in the folder is run, so it is the user's alone: made as such, and not used where others may write to it. Where
the folder cannot be used (that, read-only, full, no home), a `LinadWarning` says so once in a process, and compiled
code stays in memory. Damaged files are made anew. ``docs/explanation/cache.md`` says what is trusted. linad and
functions that use it may be imported from a zip.

Functions compiled by Numba
---------------------------
A helper under ``@njit`` may be called like any other: its Python text is read, checked and differentiated with the
rest; what Numba compiled it to is not used. In ``@njit`` code a checked function is called by its `njit`, and its
gradient by its `vjp_njit`.
"""

# Names are imported at their first use, so that `import linad` is cheap: nothing loads Numba before something is
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

# What `from linad import *` binds: not `map` and `sum`, which are Python's own names.
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
