"""`linad.rule`: functions compiled elsewhere that checked functions can call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

from linad_typecheck.names.scope import Compiled

from ..boundary.errors import refusal
from ..compiled import CompiledFunction
from ..eligible import plain_function
from ..pickling import portable
from .custom import CustomJvp, CustomVjp, chosen

P = ParamSpec("P")
R = TypeVar("R")


class CompiledRule(CustomVjp[P, R], CustomJvp[P, R]):
    """The result of applying `rule` to a declaration."""

    _name = "rule"
    _kind = "vjp"
    _tangent: tuple[str, tuple[Any, ...]] | None = None  # the rule for forward mode, if there are two

    def __init__(self, target: object, fun: Callable[P, R], linear: Any = (), nondiff_argnums: Any = ()) -> None:
        plain = plain_function(fun)
        names = tuple(inspect.signature(plain).parameters)
        among = tuple(names[k] for k in chosen(plain, "linear", linear))
        self._function = CompiledFunction(target, plain, among)
        super().__init__(fun, nondiff_argnums)

    def _set(self, kind: str, functions: tuple[Any, ...]) -> None:
        """Set a rule. There may be two: a rule given for the other mode is kept."""
        before = self._kind, self._functions, self._tangent
        super()._set(kind, functions)
        main, tangent = before[:2], before[2]
        if kind == "vjp":
            self._tangent = main if main[0] != "vjp" and main[1] else tangent
        elif main[0] == "vjp" and main[1]:
            self._kind, self._functions = main
            self._tangent = kind, functions

    def __linad_rule__(self) -> tuple[tuple[tuple[str, tuple[Any, ...]], ...], tuple[int, ...]]:
        rules, nondiff = super().__linad_rule__()
        return (*rules, *(() if self._tangent is None else (self._tangent,))), nondiff

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._function(*args, **kwargs)

    def __linad_compiled__(self) -> Compiled:
        return Compiled(self._function.key, self._function.linear)

    def __repr__(self) -> str:
        return f"linad.rule({self._function.target!r})({self.__wrapped__!r})"

    def __reduce__(self) -> Any:
        made = super().__reduce__()
        if isinstance(made, str):
            return made
        if not self._function.is_numba:
            told = f"`{self.__name__}` stands for an address in this process, which means nothing in another one"
            raise refusal("unsupported", told, help="define it at the level of a module that the other process imports")
        new, args, state = made
        tangent = self._tangent and (self._tangent[0], tuple(map(portable, self._tangent[1])))
        return new, args, (self._function.target, self._function.linear, tangent, state)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        *own, state = state if len(state) == 4 else (None, state)
        super().__setstate__(state)
        if own[0] is not None:  # when unpickling
            target, linear, self._tangent = own
            self._function = CompiledFunction(target, self._plain, linear)


def rule(
    function: object,
    *,
    linear: int | str | Sequence[int | str] = (),
    nondiff_argnums: int | str | Sequence[int | str] = (),
) -> Callable[[Callable[P, R]], CompiledRule[P, R]]:
    """Declare a function that is compiled elsewhere, so that checked functions can call it, and give its derivative.

    Parameters
    ----------
    function : object
        A function under ``numba.njit``, or a C function: from `ctypes`, ``cffi`` or ``numba.cfunc``, or its address as
        an int. It must not change its arguments, and must return the same results for the same arguments.
    linear : int, str, or sequence of them
        Positions, or names, of float parameters in which it is jointly linear, as a function that computes a gradient
        is linear in the cotangent. linad cannot read the function, so this is trusted; `linad.testing.check_grads`
        tests it numerically.
    nondiff_argnums : int, str, or sequence of them
        As for `custom_vjp`.

    Returns
    -------
    callable
        A decorator for the declaration: a function whose annotations say what the compiled function takes and returns,
        numbers or arrays with their sizes. Its body, ``...``, is ignored. Sizes of results are named like those of
        arguments, or are int parameters. The decorated declaration is called like a function. Give it its derivative by
        ``f.defvjp(fwd, bwd)``, ``@f.defjvp`` or ``f.defjvps``, as for `custom_vjp` and `custom_jvp`. Both kinds may be
        given; each mode uses its own.

    Raises
    ------
    LinadError
        With the code `bad-rule` if ``function`` is not such a function, if the annotations are incomplete, or if a
        result differs from its annotation; with the code `no-gradient` if a derivative is taken that no rule provides.

    Notes
    -----
    A C function receives numbers by value and arrays by pointers to their first cells, in C order. It returns a number;
    an array, or several results, it writes through pointers that follow the arguments. It receives no sizes except
    those that are parameters of the declaration, and runs without the GIL, as Numba functions do.

    Machine code that calls such functions is not cached on disk.

    Examples
    --------
    >>> import math
    >>> import linad
    >>> import numba
    >>> @numba.njit
    ... def compiled_gamma(x):
    ...     return math.gamma(x)
    >>> @linad.rule(compiled_gamma)
    ... def gamma(x: float) -> float: ...
    >>> @gamma.defjvp
    ... def gamma_jvp(primals, tangents):
    ...     (x,), (x_dot,) = primals, tangents
    ...     y = gamma(x)
    ...     return y, y * scipy.special.digamma(x) * x_dot
    >>> import scipy.special
    >>> round(linad.grad(gamma)(3.0), 6)
    1.845569
    """

    def decorate(declaration: Callable[P, R]) -> CompiledRule[P, R]:
        return CompiledRule(function, declaration, linear, nondiff_argnums)

    return decorate
