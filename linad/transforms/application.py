"""Application of a transform to a checked function."""

from __future__ import annotations

import functools
import inspect
import linecache
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
from linad_typecheck.diagnostics import LinadError
from linad_typecheck.engine.values import Transform

from .. import derive
from ..boundary.arguments import described
from ..boundary.entities import LIBRARIES, canonical
from ..boundary.errors import refusal
from ..boundary.usual_call import MISSED
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
        table = function._usual
        usual = table.get("value")
        try:
            found = MISSED if usual is None else usual(arguments)
            if found is MISSED:
                s = function.specialisation(arguments)
                found = derive.call(s, arguments)
                if not function._fixed:
                    table["value"] = derive.usual(s, "value", None)
            if derive.has_nan(x for x in leaves(found) if isinstance(x, float | np.ndarray | np.floating)):
                found = derive.call(function.specialisation(arguments), arguments, exact=True)
            return found
        except LinadError:
            self._require(arguments)
            raise
        except MemoryError:
            raise
        except Exception:
            self._raise_first(arguments)
            raise

    def _raise_first(self, arguments: tuple[object, ...]) -> None:
        """Raise what the function itself does, if anything (see `derive.raise_first`)."""
        if self.transforms[0].kind != "vmap":  # the function is of other types
            s = self.function.specialisation(arguments)
            derive.raise_first(s, derive.flat_values(s, arguments))

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

    @functools.cached_property
    def njit(self) -> Callable[P, R]:
        """The same for code that Numba compiles, as `LinearGrad.njit`."""
        from ..njit import derivative_njit

        return derivative_njit(self, self.composed)

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


def checked(f: Callable[..., Any], several: bool = False) -> CheckedFunction[..., Any]:
    """The checked function for a plain one or a transformed one, the same for the same; a checked one as it is. One of
    a library takes an argument, or any number of them with ``several``."""
    if isinstance(f, CheckedFunction):
        return f
    if isinstance(f, Transformed):
        return f.composed
    if isinstance(f, RunAgain):
        return checked(f.__wrapped__)
    plain = _of_library(f, several) or plain_function(f)
    options = Options(off=switched_off())
    return once(transforms_of(plain), checked, lambda: decorated(plain, options, {}, CheckedFunction))


def _of_library(f: Callable[..., Any], several: bool) -> FunctionType | None:
    """``lambda x: np.sum(x)`` for ``np.sum``, as inside checked functions; None for any other function."""
    home = getattr(f, "__module__", None) or "numpy"  # which ufuncs do not say
    dotted = canonical(f) if home.partition(".")[0].removeprefix("_") in LIBRARIES else None
    if dotted is None:
        return None
    import linad_typecheck.check  # noqa: F401 - enters what is known of libraries
    from linad_typecheck.registry import has_rule

    return _calling(f, dotted, several) if has_rule(dotted) else None


@functools.cache
def _calling(f: Callable[..., Any], dotted: str, several: bool) -> FunctionType:
    name, given = dotted.rpartition(".")[2], "*x" if several else "x"
    text = f"def {name}({given}):\n    return _{name}({given})\n"
    file = f"<linad {dotted}({given})>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {"__name__": __name__, f"_{name}": f}
    exec(compile(text, file, "exec", dont_inherit=True), space)
    return space[name]


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
