"""The transpose of a linear function: reverse mode, whose result does not depend on the point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, TypeVarTuple

from linad_typecheck.linearity import departures
from linad_typecheck.messages.derivatives import NotLinear

from .. import derive
from ..boundary.errors import refusal
from ..function import CheckedFunction
from ..specialise import checker_error
from .application import at

R = TypeVar("R")
Ts = TypeVarTuple("Ts")


def linear_transpose(f: Callable[[*Ts], R], *primals: *Ts) -> Callable[[R], tuple[Any, ...]]:
    """The transpose of a linear function.

    Parameters
    ----------
    f : function
        A checked function, a plain one, or the result of another transform. It must be linear in its float arguments
        taken together (for a decorated function, in those of its option ``wrt``): it may scale and add their values, by
        factors that do not depend on them.
    *primals
        Arguments with the types and shapes to transpose for. Ints and the like are constants of the transpose.

    Returns
    -------
    f_transposed : callable
        A function from a cotangent, with the structure, shapes and dtypes of the result of `f`, to a tuple with an
        entry for each differentiable parameter. It owns copies of the arguments and can be called repeatedly.

    Raises
    ------
    LinadError
        With the code `not-linear` and the first statement that is not linear; also if `f` is not accepted, updates an
        argument or has no float parameter. A function that is linear for reasons that its source does not show is not
        accepted either.

    Examples
    --------
    >>> import numpy as np
    >>> import linad
    >>> def differences(x):
    ...     return x[1:] - x[:-1]
    >>> transposed = linad.linear_transpose(differences, np.zeros(3))
    >>> transposed(np.array([1.0, 10.0]))
    (array([-1., -9., 10.]),)
    """
    function, arguments = at(f, primals)
    if function.options.updates:
        what = f"`{function.__name__}` updates an argument, and is not transposed"
        raise refusal("no-gradient", what, help="let it work on a copy and return that: `y = y.copy()`")
    _require_linear(function, arguments)
    return derive.vjp(function, function.specialisation(arguments), arguments)[1]


def _require_linear(function: CheckedFunction[..., Any], arguments: tuple[object, ...]) -> None:
    s = function.specialisation(arguments)
    known = ("linear", function.options.wrt)
    if known in s.known:
        return
    program = s.lowered(())
    wanted = derive.asked(s, function.options.wrt).leaves
    for d in departures(program.functions, program.derivatives, program.entry, wanted)[:1]:
        span = d.span if d.span.line else program.main.span
        message = NotLinear(span, f"`{function.__name__}`", "its float arguments", d.why)
        raise checker_error(s.record, (message.diagnostic(),))
    s.known[known] = True
