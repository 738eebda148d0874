"""NumPy and SciPy functions in plain Python. Their text is their definition for linad, and CPython can run it too.

The front end parses these modules and never imports them. A call lowers the body of the function with the ranks,
dtypes, literals and defaults of the call, so an ``if`` on them is decided at compile time and its dead arm is not
lowered. A function of the prelude is written like any NumPy function, with these conventions:

- Its decorator lists the dotted names that it implements, as strings, because a version of NumPy may lack one of them.
- If all its branches and loops are known at compile time (``if a.ndim == 1``, ``for k in range(a.ndim)``, and
  ``if ...: raise``), it is inlined. Its arguments then stay delayed expressions, which are stored only if they are
  read twice. Any other function becomes a helper.
- A function under `updates` changes a list or an object that it is given, as `heapq.heappush` does.
- A helper under `linear` is not differentiated: its tangent is the helper itself, and its transpose is given.
- A function under `elementwise` takes numbers, computes in float64, and is applied to arrays elementwise.
- ``raise TypeError`` rejects unsupported arguments. If ranks, dtypes and literals decide it, it is an error of the
  checker at the user's call. Other exceptions are raised at run time, as NumPy raises them.
- A variable of a comprehension must not also be a variable of the function.
- ``literal(n)`` is an int ``n`` that has to be known at compile time, and ``known(n)`` says whether it is.
  ``constant(v)`` has no derivative,
  ``slope_of(f)`` is the derivative of a function of one number, ``jacobian_of(f)`` that of a function of an array, and
  ``pair(re, im)`` a complex number. ``parameter_count(f)`` is known at compile time.
  ``code_of(key)`` is an int in place of a text.
  ``taken(xs, k)`` is the item of a list whose place is given to another one.
  Names that begin with ``%complex`` define a function for complex arguments.
- If a function calls the library function that it implements, it calls the engine's rule for it, if there is one. The
  function has then checked the arguments.
- A function with a `yield` is inlined in the loops over its calls. ``pool(x)`` are the items of an iterable.
- The modules import ``math``, ``numpy as np`` and parts of SciPy under the names of `library.definitions.LIBRARIES`.
  They may call their own private functions.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable)


def implements(*names: str) -> Callable[[F], F]:
    """Mark a function as the implementation of library functions, given by their dotted names.

    Parameters
    ----------
    *names : str
        Dotted names, such as ``"numpy.kron"``.

    Returns
    -------
    callable
        A decorator that returns the function, with the names as ``__implements__``.

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


def updates(*names: str) -> Callable[[F], F]:
    """Mark a function that changes a list or an object which it is given. It is always a helper, not inlined.

    Parameters
    ----------
    *names : str
        Dotted names of the library functions that it implements, if any.

    Returns
    -------
    callable
        A decorator that returns the function, with the names as ``__implements__``.

    Examples
    --------
    >>> @updates()
    ... def put(xs, v):
    ...     xs.append(v)
    >>> put.__implements__
    ()
    """
    return implements(*names)


def linear(transpose: Callable) -> Callable[[F], F]:
    """Mark a helper that is linear in its arrays, together, and has no derivative with respect to numbers.

    Parameters
    ----------
    transpose : callable
        The transpose, with the same parameters: its arrays are the cotangents of the results, in order.

    Returns
    -------
    callable
        A decorator that returns the function.

    Examples
    --------
    >>> def _turned_back(x, y, k):
    ...     return _turned(x, y, -k)
    >>> @linear(_turned_back)
    ... def _turned(x, y, k):
    ...     return x * np.cos(k) - y * np.sin(k), x * np.sin(k) + y * np.cos(k)
    """
    return implements()


def literal(value: int) -> int:
    """An int that has to be known at compile time. Otherwise the checker reports an error at the user's call.

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


def known(value: int) -> bool:
    """Whether an int is known at compile time.

    Parameters
    ----------
    value : int
        A number.

    Returns
    -------
    bool
        True in CPython.

    Examples
    --------
    >>> known(3)
    True
    """
    return True


def pool(iterable: Any) -> Any:
    """A sequence with the items of an iterable, which later updates of it do not change.

    Parameters
    ----------
    iterable : iterable
        The items.

    Returns
    -------
    sequence
        The items.

    Examples
    --------
    >>> pool(k * k for k in range(3))
    (0, 1, 4)
    """
    return tuple(iterable)


def constant(value: Any) -> Any:
    """A value without a derivative, such as a root found by iteration. Newton steps from it have the derivatives of the
    root: two of them up to the third order.

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


def slope_of(f: Callable[[float], float]) -> Callable[[float], float]:
    """The derivative of a function of one number: an exact one, except for this approximation in CPython.

    Parameters
    ----------
    f : callable
        Function of a float that returns one.

    Returns
    -------
    callable
        Its derivative.

    Examples
    --------
    >>> round(slope_of(lambda t: t * t)(3.0), 6)
    6.0
    """
    step = 6e-6
    return lambda x: (f(x + step * (1.0 + abs(x))) - f(x - step * (1.0 + abs(x)))) / (2.0 * step * (1.0 + abs(x)))


def jacobian_of(f: Callable) -> Callable:
    """The derivative of a function from an array to an array: an exact one, except for this approximation in CPython.

    Parameters
    ----------
    f : callable
        Function of an array ``(n,)`` that returns one of any shape.

    Returns
    -------
    callable
        Its derivative, whose last axis is that of the argument.

    Examples
    --------
    >>> import numpy as np
    >>> jacobian_of(lambda t: t * t)(np.array([1.0, 2.0])).round(6)
    array([[2., 0.],
           [0., 4.]])
    """
    import numpy as np

    def jacobian(x: Any) -> Any:
        steps = np.diag(6e-6 * (1.0 + np.abs(x)))
        return np.stack([(f(x + h) - f(x - h)) / (2.0 * h.max()) for h in steps], axis=-1)

    return jacobian


def parameter_count(f: Callable) -> int:
    """The number of parameters of a function, if none of them has a default.

    Parameters
    ----------
    f : callable
        The function.

    Returns
    -------
    int
        The number.

    Examples
    --------
    >>> parameter_count(lambda x, a, b: a * x + b)
    3
    """
    return len(inspect.signature(f).parameters)


def pair(real: Any, imag: Any) -> Any:
    """The complex number, or array, with these real and imaginary parts.

    Parameters
    ----------
    real, imag : float or ndarray
        The parts.

    Returns
    -------
    complex or ndarray
        The number, or an array of the shape that the parts broadcast to.

    Examples
    --------
    >>> pair(1.0, 2.0)
    (1+2j)
    """
    if isinstance(real, float) and isinstance(imag, float):
        return complex(real, imag)
    import numpy as np

    both = np.empty(np.broadcast(real, imag).shape, np.result_type(real, imag, np.complex64))
    both.real, both.imag = real, imag
    return both[()]


def elementwise(*names: str) -> Callable[[F], F]:
    """Mark a function of numbers as the implementation of library functions that apply it elementwise.

    Parameters
    ----------
    *names : str
        Dotted names, such as ``"scipy.special.beta"``.

    Returns
    -------
    callable
        A decorator that returns the function applied to arrays elementwise.

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


def code_of(key: Any) -> int:
    """The int that stands for a key of a dict: a text, a member of an enumeration, or a tuple; an int itself.

    Parameters
    ----------
    key : int, str, Enum or tuple
        The key.

    Returns
    -------
    int
        A number that is the same for equal keys.

    Examples
    --------
    >>> code_of(3)
    3
    """
    if isinstance(key, tuple):
        return functools.reduce(lambda h, part: h * 31 + code_of(part), key, 0)
    return key if isinstance(key, int) else hash(key)


def taken(items: list, k: int) -> Any:
    """The item ``k`` of a list, whose place is given to another one.

    Parameters
    ----------
    items : list
        The list.
    k : int
        A position, from 0 on.

    Returns
    -------
    Any
        The item.

    Examples
    --------
    >>> taken([1.0, 2.0], 1)
    2.0
    """
    return items[k]
