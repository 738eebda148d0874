"""Application of a transform to a checked function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
from linad_typecheck.diagnostics import LinadError
from linad_typecheck.engine.values import Transform

from .. import derive
from ..boundary.arguments import described
from ..boundary.errors import refusal
from ..checkpointing import RunAgain
from ..composed import composed
from ..eligible import plain_function
from ..function import CheckedFunction, decorated
from ..options import Options
from ..structures import leaves
from ..switches import switched_off
from ..transformed import NAME, once, public, transforms_of

P = ParamSpec("P")
R = TypeVar("R")
Argnums = int | str | Sequence[int | str]


class Transformed(Generic[P, R]):
    """A checked function under a transform, such as its Jacobian. Created by the functions of `linad.transforms`.

    Attributes
    ----------
    function : CheckedFunction
        The function that is transformed.
    transforms : tuple of Transform
        The transforms, innermost first.
    """

    def __init__(self, function: CheckedFunction[..., Any], transforms: tuple[Transform, ...]) -> None:
        functools.update_wrapper(self, function.py_func)
        vars(self).pop(NAME, None)
        del self.__wrapped__
        self.function = function
        self.transforms = transforms
        self.__name__ = f"{transforms[-1].kind}_{function.__name__}"
        self.__signature__ = inspect.signature(function.py_func).replace(return_annotation=inspect.Parameter.empty)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._at(self.function._arguments(args, kwargs))

    def _at(self, arguments: tuple[object, ...]) -> R:
        """The result for all arguments, in parameter order."""
        function = self.composed
        try:
            found = derive.call(function.specialisation(arguments), arguments)
            if derive.has_nan(x for x in leaves(found) if isinstance(x, float | np.ndarray | np.floating)):
                found = derive.call(function.specialisation(arguments), arguments, exact=True)
            return found
        except LinadError:
            self._require(arguments)
            raise

    def _require(self, arguments: Sequence[object]) -> None:
        """Raise an error, in terms of the function itself, for positions that have no derivative."""
        if self.transforms[0].kind == "vmap":  # the transformed function has other types
            return
        signature = self.function.specialisation(arguments).signature
        for transform in self.transforms:
            derive.wanted(signature, transform.positions)

    @property
    def composed(self) -> CheckedFunction[..., Any]:
        """This function as a checked function."""
        return once(self.function._transforms, (composed, self.transforms), lambda: composed(self))

    def __reduce__(self) -> tuple[object, ...]:
        return shared, (type(self), self.function, self.transforms)

    def __copy__(self) -> Transformed[P, R]:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Transformed[P, R]:
        return self

    def __dir__(self) -> list[str]:
        return public(object.__dir__(self))

    def __repr__(self) -> str:
        by = (t.in_axes if t.kind == "vmap" else t.argnums for t in self.transforms)
        return f"<{self.__name__} by {', '.join(map(str, by))}>"


T = TypeVar("T", bound=Transformed)


def shared(kind: type[T], function: CheckedFunction[..., Any], transforms: tuple[Transform, ...]) -> T:
    """The transformed function of a kind; one object per function and transforms."""
    return once(function._transforms, (kind, transforms), lambda: kind(function, transforms))


def checked(f: Callable[..., Any]) -> CheckedFunction[..., Any]:
    """The checked function for a plain one or a transformed one, the same for the same; a checked one as it is."""
    if isinstance(f, CheckedFunction):
        return f
    if isinstance(f, Transformed):
        return f.composed
    if isinstance(f, RunAgain):
        return checked(f.__wrapped__)
    plain = plain_function(f)
    options = Options(off=switched_off())
    return once(transforms_of(plain), checked, lambda: decorated(plain, options, {}, CheckedFunction))


def whose_parameters(f: Callable[..., Any]) -> CheckedFunction[..., Any]:
    """The checked function that defines the parameters: for a transformed function, the function underneath."""
    return f.function if isinstance(f, Transformed) else checked(f)


def all_arguments(f: Callable[..., Any], primals: Sequence[Any]) -> Sequence[Any]:
    """The arguments for the function returned by `checked`. For a transformed function, defaults are filled in."""
    return f.function._in_order(tuple(primals)) if isinstance(f, Transformed) else primals


def pair(function: CheckedFunction[..., Any], value: Any) -> tuple[Any, Any]:
    """The pair that a function returns under ``has_aux``.

    Raises
    ------
    LinadError
        If it is not a pair.
    """
    if isinstance(value, tuple | list) and len(value) == 2:
        return tuple(value)
    what = f"`{function.__name__}` returns {described(value)}; with `has_aux` it returns a pair"
    raise refusal("non-scalar-loss", what, help="return `(value, aux)`")


def numbers(function: CheckedFunction[..., Any], argnums: Any) -> int | tuple[int, ...]:
    """Resolve positions and names of parameters to positions.

    Raises
    ------
    TypeError
        If they are neither ints nor strings.
    LinadError
        If there is no parameter with such a name.
    """
    one = isinstance(argnums, int | str)
    try:
        given = (argnums,) if one else tuple(argnums)
    except TypeError:
        given = (None,)
    if not all(type(n) in (int, str) for n in given):
        raise TypeError(f"argnums: expected an int, the name of a parameter, or a sequence of them, got {argnums!r}")
    names = list(inspect.signature(function.py_func).parameters)
    for n in given:
        if isinstance(n, str) and n not in names:
            raise refusal("no-gradient", f"`{function.__name__}` has no parameter `{n}`; it has {', '.join(names)}")
    starred = [p.name for p in inspect.signature(function.py_func).parameters.values() if p.kind is p.VAR_POSITIONAL]
    if starred and (outside := [n for n in given if type(n) is int and not -len(names) <= n < len(names)]):
        told = f"`{function.__name__}` has no parameter number {outside[0]}: all of `*{starred[0]}` is one parameter"
        instead = f"differentiate by all of them, `argnums={starred[0]!r}`, or by a parameter of its own"
        raise refusal("no-gradient", told, help=instead)
    found = tuple(names.index(n) if isinstance(n, str) else n for n in given)
    return found[0] if one else found


def by_default(function: CheckedFunction[..., Any]) -> int | tuple[int, ...] | None:
    """The positions that methods differentiate by: those of the option ``wrt``, or None for all float parameters."""
    if function.options.wrt is None:
        return None
    wrt = function.options.wrt
    found = once(function._transforms, by_default, lambda: numbers(function, wrt))
    assert isinstance(found, tuple)
    return found[0] if len(found) == 1 else found
