"""The transpose of a linear function: reverse mode where it does not matter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, TypeVarTuple

from linad_typecheck.linearity import departures
from linad_typecheck.messages.derivatives import NotLinear

from .. import derive
from ..boundary.errors import refusal
from ..function import CheckedFunction
from ..specialise import told_of
from .application import all_arguments, checked

R = TypeVar("R")
Ts = TypeVarTuple("Ts")


def linear_transpose(f: Callable[[*Ts], R], *primals: *Ts) -> Callable[[R], tuple[Any, ...]]:
    """The transpose of a linear function.

    Parameters
    ----------
    f : function
        A checked function, a plain one, or what another function of functions returned, linear in its float arguments
        taken together, of a decorated one in those of its option ``wrt``: it scales and adds what they hold, by
        factors that do not depend on them.
    *primals
        Arguments of the types and shapes that it is transposed for. Ints and the like are constants of it.

    Returns
    -------
    f_transposed : callable
        From a cotangent of the structure, shapes and dtypes of what `f` returns to a tuple with an entry for each
        differentiable parameter. It owns copies of the arguments and may be called again.

    Raises
    ------
    LinadError
        With the code `not-linear` and the first statement that is not linear; where `f` is not accepted, updates an
        argument or has no float parameter. What is linear for other reasons than its text shows is refused, too.

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
    function = checked(f)
    if function.options.updates:
        what = f"`{function.__name__}` updates an argument, and is not transposed"
        raise refusal("no-gradient", what, help="let it work on a copy and return that: `y = y.copy()`")
    arguments = function._in_order(tuple(all_arguments(f, primals)))
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
        raise told_of(s.record, (message.diagnostic(),))
    s.known[known] = True
