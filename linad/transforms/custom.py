"""Functions with user-defined derivatives: `custom_vjp` and `custom_jvp`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar, overload

from ..boundary.arguments import described
from ..boundary.entities import underlying
from ..boundary.errors import refusal
from ..composed import calling
from ..eligible import plain_function
from ..pickling import name_of, portable
from ..transformed import once, transforms_of

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])


class Custom(Generic[P, R]):
    """A function with a user-defined rule for its derivative. Plain Python code calls the function itself; checked
    functions can call it, and `linad.grad` and the other transforms accept it.

    Attributes
    ----------
    __wrapped__ : function
        The function.
    nondiff_argnums : tuple of int
        The positions of the parameters that the rule does not differentiate by.
    """

    _name = "custom_vjp"
    _kind = "vjp"

    def __init__(self, fun: Callable[P, R], nondiff_argnums: int | str | Sequence[int | str] = ()) -> None:
        plain = plain_function(fun)
        self.__setstate__((fun, plain, chosen(plain, "nondiff_argnums", nondiff_argnums), self._kind, ()))

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        fun, self._plain, self.nondiff_argnums, self._kind, self._functions = state
        functools.update_wrapper(self, self._plain)
        self.__wrapped__ = fun

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.__wrapped__(*args, **kwargs)

    def __linad_source__(self) -> object:
        return underlying(self._plain)

    def __linad_rule__(self) -> tuple[tuple[tuple[str, tuple[Any, ...]], ...], tuple[int, ...]]:
        return ((self._kind, self._functions),), self.nondiff_argnums

    def __linad_calling__(self) -> FunctionType:
        """A plain function whose body is a call of this one; it is what linad checks and differentiates."""

        def make() -> FunctionType:
            file = f"<linad {self._name} {self.__name__}{inspect.signature(self._plain)}>"
            params = inspect.signature(self._plain).parameters
            name = next(n for n in ("function", "_function", "_function_") if n not in params)
            own = self.__name__ if self.__name__.isidentifier() and self.__name__ not in (*params, name) else "call"
            return calling(self._plain, own, f"{name}(...)", file, {name: self})

        return once(transforms_of(self._plain), (Custom, id(self)), make)

    def _set(self, kind: str, functions: tuple[Any, ...]) -> None:
        for f in functions:
            if f is not None and underlying(f) is None:
                what = f"`{self.__name__}.{'def' + kind}` takes functions, got {described(f)}"
                raise refusal("bad-rule", what, help="give it plain functions of the module")
        self._kind, self._functions = kind, functions

    def __repr__(self) -> str:
        return f"linad.{self._name}({self.__wrapped__!r})"

    def __copy__(self) -> Custom[P, R]:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Custom[P, R]:
        return self

    def __reduce__(self) -> Any:
        if name_of(self) is not None:
            return self.__qualname__
        # passed as a state, because the functions of a rule may call the function that has the rule
        parts = (portable(self.__wrapped__), portable(self._plain), tuple(map(portable, self._functions)))
        return object.__new__, (type(self),), (*parts[:2], self.nondiff_argnums, self._kind, parts[2])


class CustomVjp(Custom[P, R]):
    """The result of `custom_vjp`."""

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Set the rule.

        Parameters
        ----------
        fwd : function
            A function with the parameters of the function itself. It returns the value and the residuals: whatever
            ``bwd`` needs, of any structure.
        bwd : function
            A function of the arguments in ``nondiff_argnums``, the residuals and the cotangent of the value. It returns
            a tuple with a gradient for each of the other arguments, of the same structure; None stands for zero.
        """
        self._set("vjp", (fwd, bwd))


class CustomJvp(Custom[P, R]):
    """The result of `custom_jvp`."""

    _name = "custom_jvp"
    _kind = "jvp"

    def defjvp(self, jvp: F) -> F:
        """Set the rule; can be used as a decorator.

        Parameters
        ----------
        jvp : function
            A function of the arguments in ``nondiff_argnums``, a tuple of the other arguments and a tuple of their
            tangents. It returns the value and its tangent.

        Returns
        -------
        function
            ``jvp`` itself.
        """
        self._set("jvp", (jvp,))
        return jvp

    def defjvps(self, *jvps: Callable[..., Any] | None) -> None:
        """Set the rule argument by argument.

        Parameters
        ----------
        *jvps : function or None
            For each argument, a function of its tangent, the value and all arguments, which returns its contribution to
            the tangent of the value; None if the contribution is zero.
        """
        if self.nondiff_argnums:
            raise refusal("bad-rule", "`defjvps` takes no `nondiff_argnums`", help="give the rule by `defjvp`")
        self._set("jvps", jvps)


def chosen(f: FunctionType, option: str, given: Any) -> tuple[int, ...]:
    """The positions of the parameters that an option names."""
    names = list(inspect.signature(f).parameters)
    found = []
    for which in (given,) if isinstance(given, int | str) else tuple(given):
        if which not in names and not (type(which) is int and -len(names) <= which < len(names)):
            told = f"there is no parameter {which!r}; it has {', '.join(names) or 'none'}"
            raise refusal("bad-rule", f"`{option}` of `{f.__name__}`: {told}")
        found.append(names.index(which) if isinstance(which, str) else which % len(names))
    return tuple(sorted(set(found)))


@overload
def custom_vjp(fun: Callable[P, R], nondiff_argnums: int | str | Sequence[int | str] = ()) -> CustomVjp[P, R]: ...
@overload
def custom_vjp(
    fun: None = None, nondiff_argnums: int | str | Sequence[int | str] = ()
) -> Callable[[Callable[P, R]], CustomVjp[P, R]]: ...


def custom_vjp(fun: Any = None, nondiff_argnums: int | str | Sequence[int | str] = ()) -> Any:
    """Give a function a custom gradient, by a forward and a backward function. A decorator with the same signature as
    JAX's.

    Parameters
    ----------
    fun : function
        A plain function that only reads its arguments.
    nondiff_argnums : int, str, or sequence of them
        Positions, or names, of parameters that the rule does not differentiate by, such as functions and options. They
        are the first arguments of the backward function; differentiating by them raises an error.

    Returns
    -------
    CustomVjp
        The function. Set its rule by ``f.defvjp(fwd, bwd)``: ``fwd`` has the parameters of ``f`` and returns the value
        and residuals of any structure; ``bwd(residuals, cotangent)`` returns a tuple with one gradient per argument,
        None for zero.

    Raises
    ------
    LinadError
        When a checked function that calls it is checked, because the functions of the rule are written in the same
        language: with the code `bad-rule` if they take or return something that does not fit. With `not-linear` if
        forward mode is needed and ``bwd`` is not linear in the cotangent.

    Notes
    -----
    Both functions can be differentiated again, so the function has derivatives of all orders. In forward mode, where
    JAX raises an error, the tangent is computed by the transpose of ``bwd``, which is exact if ``bwd`` is linear. If it
    is not, because it clips the cotangent, say, the function has derivatives in reverse mode only.

    Examples
    --------
    The gradient of the logarithm of a sum of exponentials that neither overflows nor divides by zero:

    >>> import numpy as np
    >>> import linad
    >>> @linad.custom_vjp
    ... def log1pexp(x: float) -> float:
    ...     return np.log1p(np.exp(x))
    >>> def forward(x):
    ...     return log1pexp(x), x
    >>> def backward(x, y_bar):
    ...     return (y_bar * (1.0 - 1.0 / (1.0 + np.exp(x))),)
    >>> log1pexp.defvjp(forward, backward)
    >>> linad.grad(log1pexp)(1000.0)
    1.0
    """
    return CustomVjp(fun, nondiff_argnums) if fun is not None else lambda f: CustomVjp(f, nondiff_argnums)


@overload
def custom_jvp(fun: Callable[P, R], nondiff_argnums: int | str | Sequence[int | str] = ()) -> CustomJvp[P, R]: ...
@overload
def custom_jvp(
    fun: None = None, nondiff_argnums: int | str | Sequence[int | str] = ()
) -> Callable[[Callable[P, R]], CustomJvp[P, R]]: ...


def custom_jvp(fun: Any = None, nondiff_argnums: int | str | Sequence[int | str] = ()) -> Any:
    """Give a function custom tangents. A decorator with the same signature as JAX's.

    Parameters
    ----------
    fun, nondiff_argnums
        As for `custom_vjp`.

    Returns
    -------
    CustomJvp
        The function. Set its rule by ``@f.defjvp`` on a function of ``(primals, tangents)``, two tuples, that returns
        the value and its tangent; or by ``f.defjvps(f0, f1, ...)``, with a function of its tangent, the value and all
        arguments for each argument.

    Raises
    ------
    LinadError
        As for `custom_vjp`; with the code `not-linear` if the tangent is not linear in the tangents.

    Notes
    -----
    In reverse mode the gradient is computed by the transpose of the rule.

    Examples
    --------
    >>> import numpy as np
    >>> import linad
    >>> @linad.custom_jvp
    ... def sinc(x: float) -> float:
    ...     return 1.0 if x == 0.0 else np.sin(x) / x
    >>> @sinc.defjvp
    ... def sinc_jvp(primals, tangents):
    ...     (x,), (x_dot,) = primals, tangents
    ...     y = sinc(x)
    ...     return y, x_dot * (0.0 if x == 0.0 else (np.cos(x) - y) / x)
    >>> linad.grad(sinc)(0.0)
    0.0
    """
    return CustomJvp(fun, nondiff_argnums) if fun is not None else lambda f: CustomJvp(f, nondiff_argnums)
