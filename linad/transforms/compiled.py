"""`linad.rule`: functions that are compiled elsewhere, for checked functions to call."""

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
    """What `rule` gives."""

    _name = "rule"
    _kind = "vjp"
    _tangent: tuple[str, tuple[Any, ...]] | None = None  # the rule for forward mode, where it is one of two

    def __init__(
        self, target: object, fun: Callable[P, R], linear: Any = (), nondiff_argnums: Any = ()
    ) -> None:
        plain = plain_function(fun)
        names = tuple(inspect.signature(plain).parameters)
        among = tuple(names[k] for k in chosen(plain, "linear", linear))
        self._function = CompiledFunction(target, plain, among)
        super().__init__(fun, nondiff_argnums)

    def _set(self, kind: str, functions: tuple[Any, ...]) -> None:
        """There may be two: what was given for the other mode stays."""
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
        if own[0] is not None:  # of a pickle
            target, linear, self._tangent = own
            self._function = CompiledFunction(target, self._plain, linear)


def rule(
    function: object,
    *,
    linear: int | str | Sequence[int | str] = (),
    nondiff_argnums: int | str | Sequence[int | str] = (),
) -> Callable[[Callable[P, R]], CompiledRule[P, R]]:
    """Declare a function that is compiled elsewhere, so that checked functions may call it, and give its derivative.

    Parameters
    ----------
    function : object
        A function under ``numba.njit``, or a C function: one of `ctypes`, of ``cffi``, of ``numba.cfunc``, or its
        address as an int. It must not change its arguments, and give the same for the same.
    linear : int, str, or sequence of them
        Positions, or names, of float parameters that it is linear in, all of them together, as the function that
        computes a gradient is in the cotangent. This is declared, for nothing here can read the function;
        `linad.testing.check_grads` tests it with numbers.
    nondiff_argnums : int, str, or sequence of them
        As for `custom_vjp`.

    Returns
    -------
    callable
        A decorator for the declaration: a function whose annotations say what the compiled one takes and returns,
        numbers or arrays with their sizes. Its body, ``...``, does not count. Sizes of results are named as those of
        arguments, or are int parameters. What the decorator gives is called like a function; give it its derivative by
        ``f.defvjp(fwd, bwd)``, ``@f.defjvp`` or ``f.defjvps``, as for `custom_vjp` and `custom_jvp`; both kinds may be
        given, and each mode takes its own.

    Raises
    ------
    LinadError
        With the code `bad-rule`, where the argument is no such function; where the annotations do not say all of this
        or what is returned is something else than they say; `no-gradient` where a derivative is taken that no rule
        gives.

    Notes
    -----
    A C function gets numbers by value and arrays by pointers to their first cells, in the order of C. It returns a
    number; an array, or several results, it writes through pointers that come after the arguments. It gets no sizes but
    those that the declaration has as parameters, and runs without Python's lock, as functions of Numba do.

    Machine code that calls such functions is not kept on disk.

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
