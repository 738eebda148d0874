"""Second derivatives: Hessians, and Hessian-vector products, by forward over reverse mode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, ParamSpec, TypeVar, overload

import numpy as np
from linad_typecheck.diagnostics import LinadError

from .. import derive
from ..boundary.arguments import described
from ..boundary.fast_call import MISSED, NAN
from ..function import CheckedFunction
from ..push import fast_call, given_of, jvp, try_fast
from .application import Argnums, Transform, Transformed, along, at, by_default, given_as, shared
from .jacobian import applied

P = ParamSpec("P")
Aux = TypeVar("Aux")


@overload
def hessian(
    f: Callable[P, tuple[Any, Aux]], argnums: Argnums = 0, *, has_aux: Literal[True], holomorphic: bool = False
) -> Transformed[P, tuple[Any, Aux]]: ...
@overload
def hessian(
    f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Transformed[P, Any]: ...


def hessian(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Transformed[..., Any]:
    """Transform a function into one that computes its matrix of second derivatives: ``jacfwd(jacrev(f))``.

    Parameters
    ----------
    f, argnums, has_aux, holomorphic
        As for `jacfwd`.

    Returns
    -------
    callable
        A function with the parameters of `f`. For one argument of shape ``s`` and a scalar function, it returns an
        array of shape ``s + s``; for several arguments, a tuple of tuples, indexed by the first and then by the second
        differentiation.

    Raises
    ------
    LinadError, TypeError
        As for `jacfwd`.

    Examples
    --------
    >>> import numpy as np
    >>> import linad
    >>> @linad.linear_grad
    ... def saddle(x):
    ...     return x[0] ** 2 * x[1]
    >>> linad.hessian(saddle)(np.array([1.0, 3.0]))
    array([[6., 2.],
           [2., 0.]])
    """
    return applied("hessian", f, argnums, has_aux, holomorphic=holomorphic)


def hvp(f: Callable[..., Any], primals: Any, tangents: Any) -> Any:
    """The product of the Hessian of a scalar function with a vector, computed without the Hessian: forward over reverse
    mode.

    Parameters
    ----------
    f : function
        As for `jacfwd`, with one float as its result.
    primals : tuple, or ndarray
        The arguments of `f`; an array stands for a tuple of one.
    tangents : tuple, or ndarray
        The vector: one part per argument, with the structure, dtype and shape of the argument; None for an int
        argument, or for zero.

    Returns
    -------
    product
        A value with the structure of ``f.grad(*primals)``: one entry per differentiable parameter, bare if there is
        only one.

    Raises
    ------
    LinadError
        If `f` is not accepted, updates an argument, or does not return one float.
    TypeError, ValueError
        If a tangent does not match its argument.

    Examples
    --------
    >>> import numpy as np
    >>> import linad
    >>> @linad.linear_grad
    ... def saddle(x):
    ...     return x[0] ** 2 * x[1]
    >>> linad.hvp(saddle, (np.array([1.0, 3.0]),), (np.array([1.0, 0.0]),))
    array([6., 2.])
    """
    primals, tangents = ((x,) if isinstance(x, np.ndarray) else x for x in (primals, tangents))
    function, arguments, moved = _in_order(f, primals, tangents)
    key, out = ("hvp", given_of(moved)), MISSED
    if function.py_func.__code__ is function._code:
        out = try_fast(function._fast, key, arguments, moved)
        if out is not MISSED and out is not NAN:
            return out
    derive.require_scalar(function.specialisation(arguments).signature)
    table = function._fast
    made = gradient(function)
    s = made.composed.specialisation(arguments)
    try:
        name = f"hvp of {function.__name__}"
        product = made.composed._with_shapes(
            arguments, lambda s: jvp(s, arguments, moved, False, name, exact=out is NAN)[1]
        )
    except (LinadError, MemoryError):
        raise
    except Exception:
        made._raise_first(arguments)
        raise
    if not (function._by_value() or made.composed._by_value()):
        table[key] = fast_call(s, key[1], value=False, nan=out is NAN)
    return product


def _in_order(f: Callable[..., Any], primals: Any, tangents: Any) -> tuple[CheckedFunction[..., Any], tuple, Any]:
    """The checked function, all of its arguments, and their tangents."""
    if isinstance(f, CheckedFunction) and primals.__class__ is tangents.__class__ is tuple:
        if len(primals) == len(tangents) == f._count and f.py_func.__code__ is f._code:  # the usual call
            return f, primals, tangents
    given = given_as("hvp", "primals", primals)
    return *at(f, given), along(f, given, tangents)


def of_method(f: CheckedFunction[..., Any], primals: Any, tangents: Any, args: Sequence[Any]) -> Any:
    """The product for a first argument and the others, which stay constant, as SciPy passes them."""
    if isinstance(primals, tuple | list):
        given = described(primals)
        told = f"the other arguments follow the first one, got {given} first: write all of them as one tuple"
        raise TypeError(f"{f.__name__}.hvp(): {told}")
    return hvp(f, (primals, *args), (tangents, *(None for _ in args)))


def gradient(function: CheckedFunction[..., Any]) -> Transformed[..., Any]:
    """The gradient as `LinearGrad.grad` computes it, as a function that can be differentiated."""
    return shared(Transformed, function, (Transform("grad", by_default(function)),))
