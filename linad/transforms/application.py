"""Application of a transform to a checked function."""

from __future__ import annotations

import functools
import inspect
import linecache
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType, MethodType
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
from linad_typecheck.diagnostics import LinadError
from linad_typecheck.engine.values import Transform

from .. import derive
from ..boundary.arguments import described
from ..boundary.entities import LIBRARIES, canonical, underlying
from ..boundary.errors import refusal
from ..boundary.objects import is_object
from ..boundary.fast_call import MISSED, NAN
from ..checkpointing import RunAgain
from ..composed import calling, composed
from ..eligible import plain_function
from ..function import CheckedFunction, decorated
from ..options import Options
from ..switches import switched_off
from ..transformed import NAME, once, public, transforms_of
from .linear import Linear, linear

P = ParamSpec("P")
R = TypeVar("R")
Argnums = int | str | Sequence[int | str]
Positions = int | str | tuple[int | str, ...]

_METHODS = 64  # methods of objects whose checked functions are kept, and with them the objects


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
        self._composed: tuple[object, CheckedFunction[..., Any]] | None = None
        self.__name__ = f"{transforms[-1].kind}_{function.__name__}"
        self.__signature__ = inspect.signature(function.py_func).replace(return_annotation=inspect.Parameter.empty)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        axes = self.transforms[-1].in_axes
        if isinstance(axes, tuple) and len(args) > len(axes):
            told = f"`{self.__name__}` is given {len(args)} arguments by position, and `in_axes` {len(axes)} entries"
            raise refusal("bad-call", told, help="write an entry for each, None for one that is not mapped over")
        return self._at(self.function._arguments(args, kwargs))

    def _at(self, arguments: tuple[object, ...]) -> R:
        """The result for all arguments, in parameter order."""
        try:
            function = self.composed
            fast = function._fast.get("exact")
            found = MISSED if fast is None else fast(arguments)
            if found is MISSED or found is NAN:
                nan = found is NAN
                s = function.specialisation(arguments)
                table = function._fast
                answer = functools.partial(derive.call, exact=True) if nan else derive.call_exactly
                found = function._with_shapes(arguments, lambda s: answer(s, arguments))
                if not function._by_value():
                    table["exact"] = derive.fast_call(s, "exact", nan=nan)
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
            if not by_some_of_many(self.function, transform):
                derive.wanted(signature, transform.positions)

    @property
    def composed(self) -> CheckedFunction[..., Any]:
        """This function as a checked function."""
        table = self.function._transforms
        if self._composed is None or self._composed[0] is not table:  # another one if the code has been replaced
            make = lambda: composed(self.function, self.transforms, self.__name__)
            self._composed = table, once(table, (composed, self.transforms), make)
        return self._composed[1]

    @functools.cached_property
    def njit(self) -> Callable[P, R]:
        """The same for code that Numba compiles, as `LinearGrad.njit`."""
        from ..njit import derivative_njit

        return derivative_njit(self, self.composed)

    def __linad_source__(self) -> tuple[FunctionType, tuple[str, ...], None]:
        return self.composed.py_func, (), None

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
    if (held := linear(f)) is not None:
        f = held.applied
    plain = _of_library(f, several) or _of_callable(f) or plain_function(f)
    options = Options(off=switched_off())
    return once(transforms_of(plain), checked, lambda: decorated(plain, options, {}, CheckedFunction))


def _of_library(f: Callable[..., Any], several: bool) -> FunctionType | None:
    """``lambda x: np.sum(x)`` for ``np.sum``, as inside checked functions; None for any other function."""
    called = f.func if isinstance(f, functools.partial) else f
    home = getattr(called, "__module__", None) or "numpy"  # which ufuncs do not say
    dotted = canonical(called) if home.partition(".")[0].removeprefix("_") in LIBRARIES else None
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


def _of_callable(f: Callable[..., Any]) -> FunctionType | None:
    """``lambda x: model.loss(x)`` for a partial application, a method of an object, or an object with `__call__`; None
    for any other function."""
    if underlying(f) is not None or hasattr(type(f), "__linad_calling__"):
        return None
    if not isinstance(f, functools.partial | MethodType):
        f = f.__call__ if is_object(f) and not isinstance(f, type) and callable(f) else None
    if isinstance(f, functools.partial):
        return once(vars(f), NAME, lambda: _Kept(_forwarding(f))).function
    return None if f is None else _of_method(f)


class _Kept:
    """The function for a partial application, which holds it; it is not pickled."""

    def __init__(self, function: FunctionType | None) -> None:
        self.function = function

    def __reduce__(self) -> tuple[object, ...]:
        return type(None), ()


@functools.lru_cache(_METHODS)
def _of_method(f: MethodType) -> FunctionType | None:
    return _forwarding(f)


def _forwarding(f: functools.partial[Any] | MethodType) -> FunctionType | None:
    called, args, by_name = (f.func, f.args, f.keywords) if isinstance(f, functools.partial) else (f, (), {})
    first = len(args)
    if isinstance(called, MethodType):
        if underlying(called.__self__) is not None:  # a method of linad's
            return None
        called, first = called.__func__, first + 1
    if (found := underlying(called)) is None:
        return None
    plain, parameters = found[0], inspect.signature(found[0]).parameters
    if any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):
        return None
    names = list(parameters)
    name = next(n for n in ("function", "_function", "_function_") if n not in names)
    own = plain.__name__ if plain.__name__.isidentifier() and plain.__name__ != name else "call"
    file = f"<linad {own} with given arguments>"
    named_from = min((k for k, n in enumerate(names) if n in by_name), default=None)
    without = {*names[:first], *by_name}
    return calling(plain, own, f"{name}(...)", file, {name: f}, named_from=named_from, without=without)


def whose_parameters(f: Callable[..., Any]) -> CheckedFunction[..., Any]:
    """The checked function that defines the parameters: for a transformed function, the function underneath."""
    return f.function if isinstance(f, Transformed) else checked(f)


def at(f: Callable[..., Any], primals: Iterable[Any]) -> tuple[CheckedFunction[..., Any], tuple[Any, ...]]:
    """The checked function for `f`, and all of its arguments: those that `f` holds, the given ones, and defaults."""
    if (held := linear(f)) is not None:
        return held.program, held.program._in_order(held.given(tuple(primals)))
    function = checked(f)
    return function, whose_parameters(f)._in_order(tuple(primals))


def along(f: Callable[..., Any], primals: Sequence[Any], tangents: Any) -> Any:
    """The tangents of the arguments that `at` returns; None for those that are omitted or held."""
    if (held := linear(f)) is None:
        return whose_parameters(f)._alongside(tuple(primals), tangents)
    if not isinstance(tangents, tuple | list) or len(tangents) != len(held.names):
        return tangents
    return (*(None for _ in held.held), *tangents)


def by(f: Callable[..., Any], argnums: Any) -> tuple[CheckedFunction[..., Any], Positions, tuple[Any, ...]]:
    """The checked function for `f`, the positions of its parameters to differentiate by, and the arguments that `f`
    holds, which come first."""
    if (held := linear(f)) is None:
        function = checked(f)
        positions = numbers(function, argnums)
        if by_some_of_many(function, Transform("jacobian", positions)):
            name = starred(function)[0]
            told = f"the sparse Jacobian of `{function.__name__}` is by all of `*{name}` or by none"
            raise refusal("no-gradient", told, help=f"write `argnums={name!r}`, or a parameter for each")
        return function, positions, ()
    found, count = numbers(held, argnums), len(held.held)
    shifted = count + found if isinstance(found, int) else tuple(count + n for n in found)
    return held.program, shifted, held.held


def given_as(transform: str, what: str, values: Any) -> tuple[Any, ...]:
    """Arguments that a transform takes as a tuple."""
    if not isinstance(values, tuple | list):
        raise TypeError(f"{transform}: {what}: expected a tuple of arguments, got {described(values)}: write `(x,)`")
    return tuple(values)


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


def numbers(function: CheckedFunction[..., Any] | Linear, argnums: Any) -> Positions:
    """Resolve positions and names of parameters to positions, and to names from ``*args`` on (see `Transform`).

    Raises
    ------
    TypeError
        If they are neither ints nor strings.
    LinadError
        If there is no parameter with such a name.
    """
    one = isinstance(argnums, str) or _is_int(argnums)
    try:
        given = (argnums,) if one else tuple(argnums)
    except TypeError:
        given = (None,)
    if not all(isinstance(n, str) or _is_int(n) for n in given):
        raise TypeError(f"argnums: expected an int, the name of a parameter, or a sequence of them, got {argnums!r}")
    if isinstance(function, Linear):
        return _numbers_of_linear(function, given, one)
    names, named = list(inspect.signature(function.py_func).parameters), starred(function)
    for n in given:
        if isinstance(n, str) and n not in names:
            raise refusal("no-gradient", f"`{function.__name__}` has no parameter `{n}`; it has {', '.join(names)}")
    found = tuple(n if n in named else names.index(n) if isinstance(n, str) else int(n) for n in given)
    return found[0] if one else found


def starred(function: CheckedFunction[..., Any]) -> tuple[str, ...]:
    """The names of ``*args`` and of the parameters after it, which positions in a call do not denote."""
    parameters = [*inspect.signature(function.py_func).parameters.values()]
    first = next((k for k, p in enumerate(parameters) if p.kind is p.VAR_POSITIONAL), len(parameters))
    return tuple(p.name for p in parameters[first:])


def by_some_of_many(function: CheckedFunction[..., Any], transform: Transform) -> bool:
    """Whether some of the arguments that become ``*args`` are differentiated by."""
    late = starred(function)
    own = len(inspect.signature(function.py_func).parameters) - len(late)
    return bool(late) and any(isinstance(n, int) and not 0 <= n < own for n in transform.positions or ())


def _is_int(n: object) -> bool:
    return hasattr(type(n), "__index__") and not isinstance(n, bool | np.ndarray)


def _numbers_of_linear(f: Linear, given: tuple[Any, ...], one: bool) -> int | tuple[int, ...]:
    count = len(f.names)
    for n in given:
        if n not in f.names and not (_is_int(n) and -count <= n < count):
            raise refusal("no-gradient", f"{f!r} has no parameter {n!r}; it has {', '.join(f.names)}")
    found = tuple(f.names.index(n) if isinstance(n, str) else int(n) % count for n in given)
    return found[0] if one else found


def by_default(function: CheckedFunction[..., Any]) -> Positions | None:
    """The positions that methods differentiate by: those of the option ``wrt``, or None for all float parameters."""
    if function.options.wrt is None:
        return None
    names = list(inspect.signature(function.py_func).parameters)
    wrt = [names[w] if isinstance(w, int) and -len(names) <= w < len(names) else w for w in function.options.wrt]
    found = once(function._transforms, by_default, lambda: numbers(function, wrt))
    assert isinstance(found, tuple)
    return found[0] if len(found) == 1 else found
