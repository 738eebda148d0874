"""Checked functions: calls and first derivatives. `linear_grad` turns them into the objects that users see, with the
methods of the transforms."""

from __future__ import annotations

import copyreg
import dataclasses
import functools
import inspect
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, overload

import numpy as np
from linad_typecheck.diagnostics import Diagnostic, LinadError
from linad_typecheck.signature import ArgType, Leaf, RecordStructure, Signature, Structure

from . import derive, push, specialise
from .boundary.arguments import argument_type, static, unknown_keyword, with_ones
from .boundary.errors import for_users, refusal
from .boundary.live import NotYet
from .boundary.fast_call import MISSED, NAN, FastCall
from .boundary.kernel import has_one, joins_rows, needs_shapes
from .eligible import check_options, check_updates, is_method, plain_function, surroundings
from .options import Options
from .pickling import name_of, portable
from .specialise import Specialisation
from .structures import leaves
from .transformed import NAME, public

P = ParamSpec("P")
R = TypeVar("R")

A = TypeVar("A")
A_co = TypeVar("A_co", contravariant=True)

_JOINING = {"concatenate", "hstack"}  # functions that take arrays of several lengths
_KEPT = 8  # specialisations per argument types: alternating constants do not cause recompilation
# classes that determine the type of an argument, for arrays together with dtype and rank; a bool is specialised by
# value
_DECIDING = frozenset({np.ndarray, float, int, *(c for c in np.sctypeDict.values() if issubclass(c, np.number))})


class _OfTwo(Protocol):
    """For type checkers: a function of two arguments, which may be ints without a gradient."""

    def __call__(self, a: Any, b: Any, /) -> Any: ...


class _OfOne(Protocol[A_co]):
    """For type checkers: a function of one argument, whose gradient has the same type."""

    def __call__(self, a: A_co, /) -> Any: ...


class CheckedFunction(Generic[P, R]):
    """A function of the language with its first derivatives. `linad.LinearGrad`, which users see, adds the methods
    based on these."""

    def __init__(self, py_func: Callable[P, R], options: Options, surroundings: Mapping[str, object]) -> None:
        self._take(py_func, options, surroundings)
        check_options(py_func, options, tuple(self._parameters.parameters))
        try:
            first = specialise.specialise(py_func, options, {}, surroundings, early=True)
        except NotYet:
            return
        self._adopt(first)

    def _take(self, py_func: FunctionType, options: Options, surroundings: Mapping[str, object]) -> None:
        functools.update_wrapper(self, py_func)
        vars(self).pop(NAME, None)
        self.py_func = py_func
        self.options = options
        self._surroundings = surroundings
        self._begin()

    def _begin(self) -> None:
        """Reset everything that depends on the code of the function: its parameters, types and specialisations."""
        self._code = self.py_func.__code__
        self._note_parameters()
        self._missing: tuple[str, ...] | None = None
        # parameters annotated as numbers, with the accepted classes
        self._noted: tuple[tuple[int, str, tuple[type, ...]], ...] = ()
        self._fixed: frozenset[str] = frozenset()  # parameters that are specialised by value
        # parameters that are specialised by which axes of their arrays have one cell
        self._stretched: frozenset[str] = frozenset()
        self._known: dict[object, list[Specialisation]] = {}
        self._forget_kinds()
        self._transforms: dict[object, Any] = {}  # the results of `grad` and other transforms of the function

    def _note_parameters(self) -> None:
        self._parameters = inspect.signature(self.py_func, follow_wrapped=False)
        self._defaults = _defaults(self.py_func)
        every = self._parameters.parameters.values()
        by_position = all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in every)
        self._count = len(every) if by_position else -1  # the number of parameters, if all are positional

    # ---------------------------------------------------------------------------------------------- calls

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._answer("value", args, kwargs)

    @overload
    def grad(self: _OfTwo, *args: P.args, **kwargs: P.kwargs) -> Any: ...
    @overload
    def grad(self: _OfOne[A], *args: P.args, **kwargs: P.kwargs) -> A: ...
    @overload
    def grad(self, *args: P.args, **kwargs: P.kwargs) -> Any: ...

    def grad(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """The gradient of the scalar result.

        Parameters
        ----------
        *args, **kwargs
            The arguments of the function.

        Returns
        -------
        gradient
            One entry per differentiable parameter, with the structure of the argument; bare if there is only one.
            Arrays are new and have the shape and dtype of the argument; None stands for the ints in a structure. For a
            parameter annotated ``float`` it is a float, whether the argument was a float, an int or an array of rank 0,
            which is taken as the number it contains. Without an annotation, an array of rank 0 stays an array, and so
            is its gradient.

        Raises
        ------
        LinadError
            If the function does not return one float, or has no float parameter.
        TypeError
            If an argument does not have its annotated type.
        ValueError
            If sizes contradict each other.

        Examples
        --------
        >>> @linear_grad
        ... def area(width: float, height: float) -> float:
        ...     return width * height
        >>> area.grad(2.0, 3.0)
        (3.0, 2.0)
        """
        return self._answer("gradient", args, kwargs)

    @overload
    def value_and_grad(self: _OfTwo, *args: P.args, **kwargs: P.kwargs) -> tuple[R, Any]: ...
    @overload
    def value_and_grad(self: _OfOne[A], *args: P.args, **kwargs: P.kwargs) -> tuple[R, A]: ...
    @overload
    def value_and_grad(self, *args: P.args, **kwargs: P.kwargs) -> tuple[R, Any]: ...

    def value_and_grad(self, *args: P.args, **kwargs: P.kwargs) -> tuple[R, Any]:
        """The value and the gradient in one run. It can be passed to `scipy.optimize.minimize` with ``jac=True``.

        Parameters
        ----------
        *args, **kwargs
            The arguments of the function.

        Returns
        -------
        value : float
            The result of the function.
        gradient
            As for `grad`.

        Raises
        ------
        LinadError, TypeError, ValueError
            As for `grad`.

        Examples
        --------
        >>> import numpy as np
        >>> from scipy.optimize import minimize
        >>> @linear_grad
        ... def bowl(x):
        ...     return np.sum((x - 1.0) ** 2)
        >>> value, gradient = bowl.value_and_grad(np.zeros(2))
        >>> print(value, gradient)
        2.0 [-2. -2.]
        >>> minimize(bowl.value_and_grad, np.zeros(2), jac=True).x
        array([1., 1.])
        """
        return self._answer("both", args, kwargs)

    @overload
    def vjp(self: _OfTwo, *args: P.args, **kwargs: P.kwargs) -> tuple[R, Callable[[R], tuple[Any, ...]]]: ...
    @overload
    def vjp(self: _OfOne[A], *args: P.args, **kwargs: P.kwargs) -> tuple[R, Callable[[R], tuple[A]]]: ...
    @overload
    def vjp(self, *args: P.args, **kwargs: P.kwargs) -> tuple[R, Callable[[R], tuple[Any, ...]]]: ...

    def vjp(self, *args: P.args, **kwargs: P.kwargs) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        """The value and the pullback, for functions with any float results.

        Parameters
        ----------
        *args, **kwargs
            The arguments of the function.

        Returns
        -------
        value
            The result of the function. With declared updates, ``(returned, y_final, ...)``, without the first item if
            the function returns None. The caller's arrays are not modified.
        pullback : callable
            A function from a cotangent, with the structure, shapes and dtypes of ``value``, to a tuple with one entry
            per differentiable parameter, as for `grad`, but never bare. It owns copies of the arguments and can be
            called repeatedly.

        Raises
        ------
        LinadError
            If the function has no float parameter or no float result.

        Examples
        --------
        >>> import numpy as np
        >>> @linear_grad
        ... def scaled(x, c: float):
        ...     return c * x
        >>> value, pullback = scaled.vjp(np.array([1.0, 2.0]), 3.0)
        >>> value, pullback(np.array([1.0, 0.0]))
        (array([3., 6.]), (array([3., 0.]), 1.0))
        """
        arguments = self._arguments(args, kwargs)
        return self._with_shapes(arguments, lambda s: derive.vjp(self, s, arguments))

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[R, R]:
        """The value and its directional derivative, in one forward sweep.

        Parameters
        ----------
        primals : tuple
            The arguments, in parameter order, including keyword-only ones; none after ``*args``.
        tangents : tuple
            One tangent per argument, with its structure, dtype and shape; None for an argument without floats, or for
            zero. The tangent of an omitted argument is None.

        Returns
        -------
        value
            As for `vjp`.
        tangent
            The tangent of ``value``, with the same structure, and None for its int parts.

        Raises
        ------
        TypeError
            If a tangent does not have the structure or dtype of its argument.
        ValueError
            If it has another shape.

        Examples
        --------
        >>> @linear_grad
        ... def product(x: float, y: float) -> float:
        ...     return x * y
        >>> product.jvp((2.0, 3.0), (1.0, 0.0))
        (6.0, 3.0)
        """
        given = tuple(primals)
        return self._jvp(self._in_order(given), self._alongside(given, tangents))

    def _jvp(self, arguments: tuple[object, ...], tangents: Any) -> Any:
        """The same for all arguments and their tangents, defaults included."""
        key, out = ("jvp", push.given_of(tangents)), MISSED
        if self.py_func.__code__ is self._code:
            try:
                out = push.try_fast(self._fast, key, arguments, tangents)
            except ValueError as error:
                out = self._missed(error)
            if out is not MISSED and out is not NAN:
                return out
        s = self.specialisation(arguments)
        table = self._fast  # that of this specialisation: the first one clears it
        found = self._with_shapes(arguments, lambda s: push.jvp(s, arguments, tangents, exact=out is NAN))
        if not self._by_value():
            table[key] = push.fast_call(s, key[1], value=True, nan=out is NAN)
        return found

    def vjp_into(self, cotangent: object, *args: Any, into: object, **kwargs: Any) -> Any:
        """Add the gradients to buffers that the caller owns.

        Parameters
        ----------
        cotangent
            The cotangent of the result, with its structure, or None if there is no result. The cotangents of updated
            arrays are in ``into``.
        *args, **kwargs
            The arguments of the function.
        into : tuple of ndarray, or ndarray
            A buffer per differentiable parameter, bare if there is only one: an array of the argument's dtype and
            shape, of rank 0 for a scalar. For a parameter that is only read, the gradient is added to the buffer. For
            an updated parameter, it holds the cotangent of the final value before the call, and that of the initial
            value after it.

        Returns
        -------
        value
            As for `vjp`.

        Raises
        ------
        TypeError, ValueError
            If a buffer has another structure, dtype or shape than its argument, or shares memory with an argument or
            another buffer. No buffer has been written in this case.

        Notes
        -----
        After any other exception, such as an `IndexError` in the function or a KeyboardInterrupt, buffers may contain
        partial sums: zero or restore them before using them again. Arguments are unchanged.

        Examples
        --------
        >>> import numpy as np
        >>> @linear_grad
        ... def squares(x):
        ...     return x @ x
        >>> total = np.zeros(2)
        >>> for k in range(3):
        ...     value = squares.vjp_into(1.0, np.array([1.0, 2.0]) * k, into=total)
        >>> print(value, total)
        20.0 [ 6. 12.]
        """
        arguments = self._arguments(args, kwargs)
        fast = self._fast.get("into")
        out, ones = MISSED, any(map(_has_ones, arguments))
        if fast is not None and not ones:
            out = fast(arguments, cotangent, into)
        if out is MISSED:
            kept = [(b, b.copy()) for b in leaves(into) if type(b) is np.ndarray] if ones else []

            def answer(s: Specialisation) -> object:
                try:
                    return derive.vjp_into(s, cotangent, arguments, into, self.options.wrt)
                except ValueError as error:
                    if needs_shapes(error) is not None:  # the call is answered again
                        for buffer, before in kept:
                            buffer[...] = before
                    raise

            table = self._fast
            out = self._with_shapes(arguments, answer)
            if not self._by_value():
                table["into"] = derive.fast_call(self.specialisation(arguments), "into", self.options.wrt)
        return out

    def warmup(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Compile the function and its gradient for arguments like these, without running it.

        Parameters
        ----------
        *args, **kwargs
            Arguments with the types, and the short last axes, of later calls.

        Examples
        --------
        >>> @linear_grad
        ... def half(x: float) -> float:
        ...     return 0.5 * x
        >>> half.warmup(1.0)
        """
        arguments = self._arguments(args, kwargs)
        derive.prepare(self.specialisation(arguments), arguments, self.options.wrt)

    def _answer(
        self,
        asked: derive.Asked,
        args: Sequence[object],
        kwargs: Mapping[str, object],
        by: tuple[derive.By, bool] | None = None,
    ) -> Any:
        """Answer a call. Uses the fast path of the most recent specialisation if the arguments qualify.

        ``by``: the parameters to differentiate by, and whether a single gradient is returned bare; by default as
        methods do.
        """
        key = asked if by is None else (asked, by)
        out, fast = MISSED, self._fast.get(key)
        if fast is not None and not kwargs and self.py_func.__code__ is self._code and len(args) == self._count:
            try:
                out = fast(args)
            except ValueError as error:
                out = self._missed(error)
            if out is not MISSED and out is not NAN:
                return out
        arguments = self._arguments(args, kwargs)
        s = self.specialisation(arguments)
        table = self._fast
        wrt, bare = (self.options.wrt, True) if by is None else by
        answer = lambda s: derive.answer(s, arguments, asked, wrt, exact=out is NAN, bare=bare)
        try:
            found = self._with_shapes(arguments, answer)
        except LinadError as error:
            raise for_users(error, self.py_func) from None
        if not self._by_value():
            table[key] = derive.fast_call(s, asked, wrt, bare, out is NAN)
        return found

    def _missed(self, error: ValueError) -> object:
        """What the fast path gives where shapes may matter: the call is answered again, with known shapes."""
        if self.options.updates or needs_shapes(error) is None:  # the caller's arrays may have been updated
            raise error
        return MISSED

    def _with_shapes(self, arguments: Sequence[object], answer: Callable[[Specialisation], A]) -> A:
        """Answer a call; if that fails because the shapes of the arguments, or ints that sizes depend on, are not known
        when it is compiled, specialise the function for them, from then on."""
        s = self.specialisation(arguments)
        while True:
            try:
                return answer(s)
            except ValueError as error:
                self._missed(error)
                what, before = needs_shapes(error), (self._stretched, self._fixed, self._missing)
                if what == "lengths" or not self._decide(what, has_one(error), arguments):
                    joins = joins_rows(error) and not _JOINING.isdisjoint(self.py_func.__code__.co_names)
                    if what == "lengths" or joins:
                        return self._with_lengths(arguments, answer, error)
                    raise
                try:
                    s = self.specialisation(arguments)
                except LinadError:
                    self._stretched, self._fixed, self._missing = before
                    self._forget_kinds()
                    raise error from None

    def _decide(self, what: str | None, one: bool, arguments: Sequence[object]) -> bool:
        """From here on, specialise the function for more of these arguments. Returns False if nothing is left that
        would tell ``what``, as `needs_shapes` calls it. ``one``: as in `has_one`."""
        values = dict(zip(self._parameters.parameters, arguments))
        ones = {n for n in self._missing if _has_ones(values[n])} - self._stretched
        sizes = (np.ndarray, int) if what == "all" else (int,) if one else ()
        if what == "ones" and ones:
            self._stretched |= ones
        elif fixed := {n for n, v in values.items() if type(v) in sizes} - self._fixed:
            self._fix(fixed)
        else:
            return False
        self._forget_kinds()
        return True

    def _with_lengths(self, arguments: Sequence[object], answer: Callable[[Specialisation], A], error: ValueError) -> A:
        """Answer a call that has met arrays of several lengths in a list; from then on they may have them."""
        if self.options.lengths:
            raise error
        before = self.options, self._known
        self.options, self._known = dataclasses.replace(self.options, lengths=True), {}
        self._forget_kinds()
        try:
            self.specialisation(arguments)
        except LinadError:
            self.options, self._known = before
            self._forget_kinds()
            raise error from None
        return self._with_shapes(arguments, answer)

    # ---------------------------------------------------------------------------------------------- types

    def _by_value(self) -> bool:
        """Whether the classes of arguments, their dtypes and ranks do not select the specialisation."""
        return bool(self._fixed or self._stretched)

    def _arguments(self, args: Sequence[object], kwargs: Mapping[str, object]) -> tuple[object, ...]:
        if self.py_func.__code__ is not self._code:  # replaced, for example by IPython's `%autoreload`
            self._begin()
        if not kwargs and len(args) == self._count:
            return tuple(args)
        now = _defaults(self.py_func)
        # Python evaluates the defaults at each call
        if len(now) != len(self._defaults) or any(map(operator.is_not, now, self._defaults)):
            self._note_parameters()
        try:
            bound = self._parameters.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(
                f"{self.__name__}(): {unknown_keyword(kwargs, self._parameters.parameters) or error}"
            ) from None
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def _in_order(self, given: tuple[object, ...]) -> tuple[object, ...]:
        """All arguments, given in parameter order, including keyword-only ones."""
        if len(given) == self._count:
            return self._arguments(given, {})
        args, kwargs = self._by_kind(given)
        return self._arguments(args, kwargs)

    def _alongside(self, given: tuple[object, ...], tangents: object) -> object:
        """The tangents of all arguments, from those of the given ones; None for an omitted argument."""
        if not isinstance(tangents, tuple | list) or len(tangents) != len(given) or len(given) == self._count:
            return tangents
        args, kwargs = self._by_kind(tuple(tangents))
        found = self._parameters.bind_partial(*args, **kwargs).arguments
        every = ((found.get(n), p.kind is p.VAR_POSITIONAL) for n, p in self._parameters.parameters.items())
        return tuple(None if several and t is not None and all(x is None for x in t) else t for t, several in every)

    def _by_kind(self, given: tuple[object, ...]) -> tuple[tuple[object, ...], dict[str, object]]:
        """Split arguments in parameter order into positional and keyword arguments."""
        every = self._parameters.parameters.values()
        keywords = [p.name for p in every if p.kind is p.KEYWORD_ONLY]
        count = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in every)
        if len(given) > count + len(keywords) or any(p.kind is p.VAR_POSITIONAL for p in every):
            count = len(given)  # too many: binding them reports the error
        return given[:count], dict(zip(keywords, given[count:]))

    def specialisation(self, arguments: Sequence[object]) -> Specialisation:
        """The checked function for the types of these arguments, and for the current state of its module.

        Parameters
        ----------
        arguments : sequence
            One per parameter, defaults included.

        Returns
        -------
        Specialisation
            The object that calls use. It is not part of the public interface.
        """
        found = self._find(arguments)
        if found is not None:
            return found
        with specialise.lock:
            try:
                return self._find(arguments) or self._make(arguments)
            except LinadError as error:
                raise for_users(error, self.py_func) from None

    def _forget_kinds(self) -> None:
        """Clear the lookup tables by argument class. The dicts are replaced, so that a concurrent call writes to the
        old ones."""
        self._by_kinds: dict[object, list[Specialisation]] = {}
        self._fast: dict[object, FastCall | None] = {}

    def _find(self, arguments: Sequence[object]) -> Specialisation | None:
        if self._missing is None:
            return None
        by_kinds = self._by_kinds
        # a list comprehension is faster than a generator
        kinds = tuple([(v.dtype, v.ndim) if v.__class__ is np.ndarray else v.__class__ for v in arguments])
        found = by_kinds.get(kinds)
        if found is None:
            found = self._known_for(arguments)
            if not self._by_value() and _DECIDING.issuperset(map(type, arguments)):
                by_kinds[kinds] = found
        for s in found:
            if s.complete and s.record.holds():
                return s
        return None

    def _known_for(self, arguments: Sequence[object]) -> Sequence[Specialisation]:
        """The specialisations for the types of these arguments, most recent first."""
        more = [
            n
            for k, n, kinds in self._noted
            if arguments[k].__class__ not in kinds and isinstance(arguments[k], np.ndarray) and arguments[k].ndim
        ]
        if more:
            self._decided_by_calls(more)
            return ()
        return self._known.get(self._types(arguments), ())

    def _decided_by_calls(self, names: Sequence[str]) -> None:
        """From here on, determine the types of these parameters at each call: they receive arrays, although annotated
        as numbers."""
        with specialise.lock:
            self._noted = tuple(row for row in self._noted if row[1] not in names)
            self._missing = tuple(n for n in self._parameters.parameters if n in (self._missing or ()) or n in names)
            self._forget_kinds()

    def _types(self, arguments: Sequence[object]) -> tuple[object, ...]:
        if not self._missing:
            return ()
        values = dict(zip(self._parameters.parameters, arguments))
        return tuple(self._type(n, values[n]) for n in self._missing)

    def _type(self, name: str, value: object) -> object:
        """The type of an argument. A bool is an option: the function is specialised for its value."""
        if type(value) is bool or (name in self._fixed and type(value) is int):
            return static(value)
        found = argument_type(value, f"{self.__name__}(): argument `{name}`")
        if isinstance(found, ArgType) and isinstance(value, np.ndarray):
            if name in self._fixed:
                return dataclasses.replace(found, sizes=value.shape)
        return with_ones(found, value) if name in self._stretched else found

    def _make(self, arguments: Sequence[object]) -> Specialisation:
        if self._missing is None or not self._missing:
            made = specialise.specialise(self.py_func, self.options, {}, self._surroundings)
            self._adopt(made)
            if made.complete and not self._missing:
                return made
        try:
            made = self._made(arguments)
        except LinadError as error:
            return self._made_for_values(arguments, error)
        if not made.front.fixed or self._fixed.issuperset(made.front.fixed):
            return made
        self._fix(made.front.fixed)
        return self._make(arguments)

    def _fix(self, names: Iterable[str]) -> None:
        """From here on the function is compiled for each value of these parameters, or shape of these arrays."""
        self._fixed |= frozenset(names)
        self._missing = tuple(n for n in self._parameters.parameters if n in (self._missing or ()) or n in self._fixed)
        self._forget_kinds()

    def _made_for_values(self, arguments: Sequence[object], error: LinadError) -> Specialisation:
        """What is refused where its ints are not known may be accepted where they are, or the shapes of its arrays:
        they may decide types, or how many items there are. If it is refused then, too, the first refusal counts."""
        before = self._fixed, self._missing
        for kind in (int, np.ndarray):
            known = self._fixed
            self._fix(n for n, v in zip(self._parameters.parameters, arguments) if type(v) is kind)
            try:
                if self._fixed != known and (made := self._made(arguments)).complete:
                    return made
            except LinadError:
                continue
        self._fixed, self._missing = before
        self._forget_kinds()
        raise error

    def _made(self, arguments: Sequence[object]) -> Specialisation:
        types = self._types(arguments)
        binding = dict(zip(self._missing, types))
        made = specialise.specialise(self.py_func, self.options, binding, self._surroundings)
        if not made.complete and not self._fixed.issuperset(made.front.fixed):
            return made
        if not made.complete:
            names = ", ".join(f"`{n}`" for n in made.front.missing) or "its result"
            raise refusal(
                "bad-call",
                f"`{self.__name__}`: the type of {names} does not follow from the arguments",
                help="annotate it; in a recursive function, return the base case from a branch of its own",
            )
        self._keep(types, made)
        return made

    def _adopt(self, made: Specialisation) -> None:
        """Adopt what the annotations alone determine."""
        bare = {n for n, p in self._parameters.parameters.items() if p.annotation is inspect.Parameter.empty}
        self._missing = tuple(n for n in self._parameters.parameters if n in bare or n in made.front.missing)
        notes = (
            (k, n, p.annotation)
            for k, (n, p) in enumerate(self._parameters.parameters.items())
            if n not in self._missing
        )
        self._noted = tuple(
            (k, n, _NUMBERS[note]) for k, n, note in notes if isinstance(note, type | str) and note in _NUMBERS
        )
        self._fixed |= frozenset(made.front.fixed)
        self._forget_kinds()
        if made.complete and not self._missing:
            derive.wanted(made.signature, self.options.wrt) if self.options.wrt is not None else None
            self._keep((), made)

    def _keep(self, types: tuple[object, ...], made: Specialisation) -> None:
        check_updates(made.signature)
        self._known[types] = [made, *self._known.get(types, ())][:_KEPT]
        self._forget_kinds()

    @property
    def signature(self) -> Signature | None:
        """The structure of parameters and result, as most recently specialised; None before types are known.

        `types` describes the same in words.
        """
        latest = [kept[0] for kept in self._known.values() if kept]
        return latest[-1].signature if latest else None

    @property
    def types(self) -> dict[str, str]:
        """The types of the parameters and, as ``return``, of the result, as most recently specialised.

        Empty before types are known.

        Examples
        --------
        >>> @linear_grad
        ... def shifted(x: float, k: int) -> float:
        ...     return x + k
        >>> shifted.types
        {'x': 'float', 'k': 'int', 'return': 'float'}
        """
        found = self.signature
        if found is None:
            return {}
        return {p.name: _type_text(p.structure) for p in found.params} | {"return": _type_text(found.result)}

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The warnings and notes reported by the checker.

        Each has ``code``, ``slug``, ``severity``, ``message`` and ``span``.
        """
        return tuple(dict.fromkeys(d for kept in self._known.values() for d in kept[0].front.diagnostics))

    # ---------------------------------------------------------------------------------------------- being a function

    def __linad_source__(self) -> tuple[FunctionType, tuple[str, ...], tuple[str | int, ...] | None]:
        return self.py_func, self.options.updates, self.options.wrt

    def __dir__(self) -> list[str]:
        return public(object.__dir__(self))

    def __repr__(self) -> str:
        return f"<linear_grad {self.__qualname__}{self._parameters}>"

    def __get__(self, instance: object, owner: type | None = None) -> CheckedFunction[P, R]:
        if instance is not None:
            raise is_method(self.py_func)
        return self

    def __copy__(self) -> CheckedFunction[P, R]:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> CheckedFunction[P, R]:
        return self

    def __reduce__(self) -> str | tuple[object, ...]:
        surroundings = {name: portable(value) for name, value in self._surroundings.items()}
        return name_of(self) or (
            copyreg.__newobj__,
            (type(self),),
            (portable(self.py_func), self.options, surroundings),
        )

    def __setstate__(self, state: tuple[FunctionType, Options, Mapping[str, object]]) -> None:
        self._take(*state)  # checked at the first call: names it uses may refer back to it and not exist yet


def _type_text(structure: Structure) -> str:
    if structure is None:
        return "None"
    if isinstance(structure, Leaf):
        weak = {"f64": "float", "i64": "int", "bool": "bool"}
        return weak.get(structure.type.dtype, str(structure.type)) if structure.weak else str(structure.type)
    if isinstance(structure, RecordStructure):
        fields = zip(structure.tag.fields, structure.items)
        return f"{structure.tag.name}({', '.join(f'{n}: {_type_text(s)}' for n, s in fields)})"
    return f"({', '.join(map(_type_text, structure))})"


_FLOATS, _INTS = (float, int, bool, np.float64), (int, bool, np.int64)
_NUMBERS: Mapping[object, tuple[type, ...]] = {float: _FLOATS, "float": _FLOATS, int: _INTS, "int": _INTS}


def _has_ones(value: object) -> bool:
    """Whether an array in an argument has an axis with one cell."""
    if type(value) is np.ndarray:
        return 1 in value.shape
    if type(value) in (float, int, bool, str):
        return False
    return any(type(v) is np.ndarray and 1 in v.shape for v in leaves(value))


def _defaults(f: FunctionType) -> tuple[object, ...]:
    return (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values())


F = TypeVar("F", bound=CheckedFunction)


def decorated(f: object, options: Options, local_names: Mapping[str, object], kind: type[F]) -> F:
    """The checked function of a plain one, with the names that are local where it is decorated.

    Raises
    ------
    LinadError
        If it is not a function, or has errors that can be found from its annotations.
    """
    plain = plain_function(f)
    try:
        return kind(plain, options, surroundings(plain, local_names))
    except LinadError as error:
        raise for_users(error, plain) from None
