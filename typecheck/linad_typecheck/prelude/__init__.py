"""Functions of NumPy and SciPy in plain Python: their text is what they mean to linad, and CPython runs it too.

The front end reads these modules as text and never imports them. A call lowers the body of the function where it
stands: ranks, dtypes, literals and defaults are known there, so that an ``if`` on them is decided, and its other arm is
not looked at. So a function of the prelude is written like one for NumPy, with these conventions:

- It is decorated with the dotted names that it stands for, as texts: a version of NumPy may lack one of them.
- A function whose branches and loops are known when it is compiled (``if a.ndim == 1``, ``for k in range(a.ndim)``, and
  ``if ...: raise``) is put in place of the call: its arguments stay array expressions, which are not stored unless they
  are read twice. Any other one is a function of its own.
- A function under `elementwise` is one of numbers, which is applied to arrays cell by cell: it computes in floats of
  64 bits.
- ``raise TypeError`` is for arguments that the function is not for. Where that is known from ranks, dtypes and
  literals, it is an error of the checker at the user's call. All other exceptions are raised when the function runs, as
  NumPy raises them.
- Names of comprehensions are not names of the function, too.
- ``literal(n)`` is an int ``n`` that has to be known, ``constant(v)`` a value that is no variable to derivatives.
- A function that calls the library function that it stands for means the rule of the engine, where there is one, which
is of
  arrays that the function has checked.
- The modules import ``math``, ``numpy as np`` and ``scipy.special as sp``; private functions of a module may be called
  in it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable)


def implements(*names: str) -> Callable[[F], F]:
    """Mark a function as the meaning of library functions, given by their dotted names.

    Parameters
    ----------
    *names : str
        Dotted names, such as ``"numpy.kron"``.

    Returns
    -------
    callable
        A decorator that gives the function back, with the names as ``__implements__``.

    Examples
    --------
    >>> @implements("numpy.fliplr")
    ... def fliplr(m):
    ...     return m[:, ::-1]
    >>> fliplr.__implements__
    ('numpy.fliplr',)
    """

    def mark(f: F) -> F:
        f.__implements__ = names  # type: ignore[attr-defined]
        return f

    return mark


def literal(value: int) -> int:
    """An int that has to be known when a function is compiled: one that is not is an error of the checker at the user's
    call.

    Parameters
    ----------
    value : int
        A number.

    Returns
    -------
    int
        The number.

    Examples
    --------
    >>> literal(3)
    3
    """
    return value


def constant(value: Any) -> Any:
    """A value through which no derivative passes: a root that is found by search, which a step of Newton's method
    then refines with derivatives. Two steps give derivatives up to the third order.

    Parameters
    ----------
    value : float or ndarray
        A number, or an array of them.

    Returns
    -------
    float or ndarray
        The same.

    Examples
    --------
    >>> constant(3.0)
    3.0
    """
    return value


def elementwise(*names: str) -> Callable[[F], F]:
    """Mark a function of numbers as the meaning of library functions that apply it cell by cell.

    Parameters
    ----------
    *names : str
        Dotted names, such as ``"scipy.special.beta"``.

    Returns
    -------
    callable
        A decorator that gives the function as one of arrays.

    Examples
    --------
    >>> import math
    >>> @elementwise("scipy.special.cosm1")
    ... def cosm1(x):
    ...     return -2.0 * math.sin(0.5 * x) ** 2
    >>> cosm1(0.0)
    -0.0
    """

    def mark(f: F) -> F:
        ints = [k for k, a in enumerate(inspect.signature(f).parameters.values()) if a.annotation in (int, "int")]

        @functools.wraps(f)
        def each(*args: Any) -> Any:
            import numpy as np

            if any(np.asarray(args[k]).dtype.kind == "f" for k in ints):
                raise TypeError(f"{f.__name__} is of an int here")
            kinds = [np.int64 if k in ints else np.float64 for k in range(len(args))]
            single = not ints and np.result_type(*args) == np.float32
            of_numbers = lambda *cells: f(*(kind(cell) for kind, cell in zip(kinds, cells, strict=True)))
            return np.vectorize(of_numbers, otypes=[np.float32 if single else np.float64])(*args)[()]

        each.__implements__ = names  # type: ignore[attr-defined]
        return each  # type: ignore[return-value]

    return mark
