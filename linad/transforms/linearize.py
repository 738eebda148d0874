"""Linearisation: the value of a function and its derivative at a point, as a linear function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, TypeVarTuple, overload

import numpy as np

from .. import push
from ..boundary.errors import refusal
from ..function import CheckedFunction
from ..structures import map_leaves
from .application import along, at, pair, whose_parameters
from .linear import Linear, enter, linear, unused

R = TypeVar("R")
Aux = TypeVar("Aux")
Ts = TypeVarTuple("Ts")


@dataclass(frozen=True, repr=False, eq=False)
class Pushforward:
    """The function from tangents of the arguments to the tangent of the result, at copies of the arguments.

    ``logs``: the values that the primal run has logged for the linear part; None if the linear part runs together with
    the primal.
    """

    function: CheckedFunction[..., Any]
    primals: tuple[Any, ...]
    given: tuple[Any, ...]  # those given by the caller, without defaults
    of: CheckedFunction[..., Any] | Linear  # whose arguments they are
    logs: tuple[np.ndarray, ...] | None = None
    first: bool = False  # differentiate only the first item of the pair that the function returns

    def __call__(self, *tangents: Any) -> Any:
        count = len(self.given)
        if len(tangents) != count:
            raise TypeError(f"{self.function.__name__}(): expected {count} tangents, got {len(tangents)}")
        every = along(self.of, self.given, tangents)
        s = self.function.specialisation(self.primals)
        found = None if self.logs is None else push.replayed(s, self.primals, every, self.logs)
        (tangent,) = found or push.jvp(s, self.primals, every, value=False)[1:]
        return tangent[0] if self.first else tangent

    def __repr__(self) -> str:
        return f"<linearized {self.function.__name__}>"


def _written(f: Pushforward) -> Linear:
    """A linearized function, whose parameters are the tangents of the given arguments."""
    if isinstance(f.of, Linear):
        own = f.of.names
    else:
        every = f.of._parameters.parameters.values()
        many = (f"{p.name}_{k}" for p in every if p.kind is p.VAR_POSITIONAL for k in range(len(f.given)))
        own = (*(p.name for p in every if p.kind is not p.VAR_POSITIONAL), *many)
    names = unused(tuple(f"{n}_dot" for n in own[: len(f.given)]), f.function)
    every = along(f.of, f.given, names)
    text = f"_linad.linearize(_function, ...{', has_aux=True' if f.first else ''})[1]"
    if every != names:
        text = f"(lambda {', '.join(names)}: {text}({', '.join(map(_argument, every))}))"
    return Linear(f.function, f.primals, text, names)


def _argument(tangent: Any) -> str:
    """A tangent as written in a call."""
    return f"({''.join(f'{_argument(t)}, ' for t in tangent)})" if isinstance(tangent, tuple) else str(tangent)


enter(Pushforward, _written)


@overload
def linearize(
    f: Callable[[*Ts], tuple[R, Aux]], *primals: *Ts, has_aux: Literal[True]
) -> tuple[R, Callable[..., R], Aux]: ...
@overload
def linearize(f: Callable[[*Ts], R], *primals: *Ts) -> tuple[R, Callable[..., R]]: ...


def linearize(f: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """The value of a function and its derivative at that point, as a linear function of tangents.

    Parameters
    ----------
    f : function
        As for `jacfwd`.
    *primals
        The arguments of `f`.
    has_aux : bool
        Whether `f` returns a pair of which only the first is differentiated; the second is then returned as a third
        result.

    Returns
    -------
    value
        The result of `f`.
    f_jvp : callable
        A function from tangents, one per argument and None for an int argument or for zero, to the tangent of
        ``value``. It owns copies of the arguments and can be called repeatedly: the function itself runs only once,
        here.

    Raises
    ------
    LinadError
        If `f` is not accepted, updates an argument, or, with `has_aux`, does not return a pair.

    Notes
    -----
    The single run logs the partial derivatives of everything that is computed, and a call of ``f_jvp`` reads them: as
    many numbers as a gradient without a storage plan would log. If there is not enough memory for them, if a function
    is recursive, or if a linearized function is called inside a checked one, each call runs the function again.

    Examples
    --------
    >>> import linad
    >>> @linad.linear_grad
    ... def product(x: float, y: float) -> float:
    ...     return x * y
    >>> value, f_jvp = linad.linearize(product, 2.0, 3.0)
    >>> value, f_jvp(1.0, 0.0), f_jvp(0.0, 1.0)
    (6.0, 3.0, 2.0)
    """
    function, arguments = at(f, primals)
    if function.options.updates:
        what = f"`{function.__name__}` updates an argument, and is not linearized"
        raise refusal("no-gradient", what, help="use `jvp`")
    kept = tuple(map_leaves(lambda x: x.copy() if isinstance(x, np.ndarray) else x, a) for a in arguments)
    s = function.specialisation(kept)
    value, logs = push.recorded(s, kept)
    of = linear(f) or whose_parameters(f)
    if not has_aux:
        return value, Pushforward(function, kept, primals, of, logs)
    value, aux = pair(function, value)
    return value, Pushforward(function, kept, primals, of, logs, first=True), aux
