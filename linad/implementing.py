"""`linad.implements`: define a library function that linad does not support, in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from linad_typecheck.names.scope import is_library

from .boundary.entities import canonical, underlying

F = TypeVar("F", bound=Callable[..., Any])

_registered: dict[str, Callable[..., Any]] = {}


def implements(library_function: Callable[..., Any] | str) -> Callable[[F], F]:
    """Define the meaning of a function of NumPy, SciPy or another library in checked functions, if linad does not
    support it.

    Checked functions that call the library function are then compiled as if they called yours, and its gradient follows
    from its source. Plain Python, and the checked function's ``py_func``, still call the library.

    Parameters
    ----------
    library_function : callable or str
        A library function, or its dotted name, such as ``"scipy.stats.moment"``.

    Returns
    -------
    callable
        A decorator for a module-level function, which returns it unchanged. The function is written like any helper of
        a checked function, with its parameters in the order and with the names and defaults that callers use. The ranks
        and dtypes of the arguments are known when it is compiled, and so are arguments that are None, strings or flags:
        an ``if`` on them is resolved then.

    Raises
    ------
    TypeError
        If the argument is not a library function.
    ValueError
        If linad already supports the function.

    Notes
    -----
    The definition applies to the whole process from then on; the last one counts. ``linad check`` and editors, which
    execute nothing, see it in the file being checked, and in project files imported by it. A process that receives a
    checked function needs the registration, too.

    Examples
    --------
    >>> import numpy as np
    >>> import linad
    >>> @linad.implements(np.trim_zeros)
    ... def trim_zeros(filt):
    ...     first, last = 0, len(filt)
    ...     while first < last and filt[first] == 0.0:
    ...         first += 1
    ...     while last > first and filt[last - 1] == 0.0:
    ...         last -= 1
    ...     return filt[first:last].copy()
    >>> @linad.linear_grad
    ... def energy(x):
    ...     return np.sum(np.trim_zeros(x) ** 2)
    >>> energy.grad(np.array([0.0, 1.0, 2.0, 0.0]))
    array([0., 2., 4., 0.])
    """
    import linad_typecheck.constructs  # noqa: F401 - enters all that has a meaning
    from linad_typecheck.registry import has_rule

    dotted = library_function if isinstance(library_function, str) else canonical(library_function)
    if dotted is None or "." not in dotted or not is_library(dotted):
        takes = "a function of a library or its dotted name"
        raise TypeError(f"linad.implements takes {takes}, and {library_function!r} is neither")
    if has_rule(dotted):
        raise ValueError(f"linad knows {dotted} already")

    def register(f: F) -> F:
        if underlying(f) is None:
            raise TypeError(f"linad.implements({dotted}) is for a function in Python, and {f!r} is none")
        _registered[dotted] = f
        return f

    return register


def registered(dotted: str) -> Callable[..., Any] | None:
    """The registered definition of a library function, or None."""
    return _registered.get(dotted)


def names() -> Iterator[str]:
    """The library functions with a registered definition."""
    return iter(_registered)
