"""`linad.implements`: what a library function means that linad lacks, in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from linad_typecheck.names.scope import is_library

from .boundary.entities import canonical, underlying

F = TypeVar("F", bound=Callable[..., Any])

_registered: dict[str, Callable[..., Any]] = {}


def implements(library_function: Callable[..., Any] | str) -> Callable[[F], F]:
    """Say what a function of NumPy, SciPy or another library means in checked functions, where linad does not know it.

    Checked functions that call the library function are then compiled as if they called yours, and its gradient follows
    from its text. Plain Python, and the checked function's ``py_func``, go on calling the library.

    Parameters
    ----------
    library_function : callable or str
        A function of a library, or its dotted name, such as ``"scipy.signal.detrend"``.

    Returns
    -------
    callable
        A decorator for a function at the level of a module, which gives it back unchanged. The function is written as
        any helper of a checked one: with its parameters in the order and with the names and defaults that callers use.
        Ranks and dtypes of the arguments are known when it is compiled, and so are None, texts and flags among them:
        an ``if`` on them is decided then.

    Raises
    ------
    TypeError
        Where the argument is no function of a library.
    ValueError
        Where linad knows the function already.

    Notes
    -----
    It holds in the whole process from then on; the last one counts. ``linad check`` and editors, which run nothing,
    see it where it is in the file that is checked, or in a file of the project that this one imports. A process that a
    checked function is sent to needs the registration, too.

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
    """What a library function was said to mean."""
    return _registered.get(dotted)


def names() -> Iterator[str]:
    """The library functions that something was said about."""
    return iter(_registered)
