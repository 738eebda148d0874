"""`grad`, `value_and_grad`, `vjp` and `jvp` as function transforms, with JAX's names, argument order and defaults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, TypeVarTuple, overload

import numpy as np
from linad_typecheck.signature import Leaf, RecordStructure, Signature, Structure
from linad_typecheck.types import Array

from . import derive
from .boundary.errors import refusal
from .boundary.results import float_leaves, restore
from .decorator import UpdatingGrad
from .function import CheckedFunction
from .specialise import Specialisation
from .structures import map_leaves
from .transforms.application import (
    Argnums, Transform, Transformed, along, at, by_some_of_many, checked, given_as, numbers, pair, shared,
)  # fmt: skip
from .transforms.linear import Linear, enter, linear, unused

P = ParamSpec("P")
R = TypeVar("R")
A = TypeVar("A")  # the first parameter
B = TypeVar("B")  # the second
Aux = TypeVar("Aux")  # the auxiliary result
Ts = TypeVarTuple("Ts")
Zero = Literal[0]
One = Literal[1]
Pullback = Callable[[Any], tuple[Any, ...]]


class Derivative(Transformed[P, R]):
    """A checked function differentiated once or several times. Created by `grad` and `value_and_grad`."""

    def __init__(self, function: CheckedFunction[..., Any], transforms: tuple[Transform, ...]) -> None:
        super().__init__(function, transforms)
        step = transforms[-1]
        self._plain = len(transforms) == 1 and not step.has_aux
        self._asked: derive.Asked = "both" if _with_value(step) else "gradient"
        self._by = step.positions, step.bare

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if self._plain:
            return self.function._answer(self._asked, args, kwargs, self._by)
        if self.function.options.updates and len(self.transforms) == 1:
            arguments = self.function._arguments(args, kwargs)
            return self.function._with_shapes(arguments, lambda s: _with_aux(s, self.transforms[0], arguments))
        return super().__call__(*args, **kwargs)

    def _require(self, arguments: Sequence[object]) -> None:
        super()._require(arguments)
        signature = self.function.specialisation(arguments).signature
        if self.transforms[0].has_aux:
            _require_pair(signature)
            return
        derive.require_scalar(signature)
        for want in (derive.wanted(signature, step.positions) for step in self.transforms[:-1]):
            if len(want.active) != 1 or not isinstance(want.params[0].structure, Leaf) or _array(want.active[0]):
                by = want.params[0].name
                told = f"the gradient of `{signature.name}` by `{by}` is not a scalar: it has no gradient"
                help = "use `linad.hessian(f)` or `linad.jacobian(linad.grad(f))`, or differentiate by a float"
                raise refusal("non-scalar-loss", told, help=f"{help} parameter")


def _with_value(step: Transform) -> bool:
    return step.kind == "value_and_grad"


@overload
def grad(f: Callable[Concatenate[A, P], Any], argnums: Zero = 0) -> Derivative[Concatenate[A, P], A]: ...
@overload
def grad(f: Callable[Concatenate[A, B, P], Any], argnums: One) -> Derivative[Concatenate[A, B, P], B]: ...
@overload
def grad(
    f: Callable[Concatenate[A, B, P], Any], argnums: tuple[Zero, One]
) -> Derivative[Concatenate[A, B, P], tuple[A, B]]: ...
@overload
def grad(
    f: Callable[Concatenate[A, P], tuple[Any, Aux]], argnums: Zero = 0, *, has_aux: Literal[True]
) -> Derivative[Concatenate[A, P], tuple[A, Aux]]: ...
@overload
def grad(
    f: Callable[P, Any], argnums: Argnums, has_aux: bool = False, holomorphic: bool = False
) -> Derivative[P, Any]: ...
@overload
def grad(
    f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, *, holomorphic: Literal[True]
) -> Derivative[P, Any]: ...


def grad(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Derivative[..., Any]:
    """Transform a scalar function into one that computes its gradient.

    Parameters
    ----------
    f : function
        A checked function, a plain one, or a result of `grad`.
    argnums : int, str, or sequence of them
        The positions, or names, of the parameters to differentiate by. A single one gives the bare gradient, a sequence
        gives a tuple. Of a function with ``*args``, ints are the positions of arguments in the call; the name is for
        all of them.
    has_aux : bool
        Whether `f` returns a pair of which only the first is differentiated; the result is then a pair, too.
    holomorphic : bool
        Whether `f` is a holomorphic function of complex numbers with a complex result; the gradient is then its complex
        derivative. This is trusted: it is the derivative along the real axis.

    Returns
    -------
    callable
        A function with the parameters of `f`. Gradients have the structure, shapes and dtypes of the arguments; with
        `has_aux` it returns ``(gradient, aux)``. It can be passed to `grad` again, and to `vjp` and `jvp`. There is one
        per function and arguments of `grad`: ``grad(f) is grad(f)``, so nothing is compiled twice.

    Raises
    ------
    LinadError
        If `f` is not accepted; at the first call, if it has no float result, or if none of the positions is that of a
        float parameter.
    TypeError
        If `argnums` are neither ints nor names.

    Examples
    --------
    >>> import linad
    >>> @linad.linear_grad
    ... def cube(x: float) -> float:
    ...     return x * x * x
    >>> linad.grad(cube)(2.0), linad.grad(linad.grad(cube))(2.0)
    (12.0, 12.0)
    """
    return _derivative(f, argnums, False, has_aux, holomorphic)


@overload
def value_and_grad(
    f: Callable[Concatenate[A, P], R], argnums: Zero = 0
) -> Derivative[Concatenate[A, P], tuple[R, A]]: ...
@overload
def value_and_grad(
    f: Callable[Concatenate[A, B, P], R], argnums: One
) -> Derivative[Concatenate[A, B, P], tuple[R, B]]: ...
@overload
def value_and_grad(
    f: Callable[Concatenate[A, B, P], R], argnums: tuple[Zero, One]
) -> Derivative[Concatenate[A, B, P], tuple[R, tuple[A, B]]]: ...
@overload
def value_and_grad(
    f: Callable[Concatenate[A, P], R], argnums: Zero = 0, *, has_aux: Literal[True]
) -> Derivative[Concatenate[A, P], tuple[R, A]]: ...
@overload
def value_and_grad(
    f: Callable[P, R], argnums: Argnums, has_aux: bool = False, holomorphic: bool = False
) -> Derivative[P, tuple[R, Any]]: ...
@overload
def value_and_grad(
    f: Callable[P, R], argnums: Argnums = 0, has_aux: bool = False, *, holomorphic: Literal[True]
) -> Derivative[P, tuple[R, Any]]: ...


def value_and_grad(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Derivative[..., Any]:
    """Transform a scalar function into one that computes its value and its gradient.

    Parameters
    ----------
    f, argnums, has_aux, holomorphic
        As for `grad`.

    Returns
    -------
    callable
        A function that returns ``(value, gradient)``, or ``((value, aux), gradient)`` with `has_aux`.

    Raises
    ------
    LinadError, TypeError
        As for `grad`.

    Examples
    --------
    >>> import linad
    >>> @linad.linear_grad
    ... def product(x: float, y: float) -> float:
    ...     return x * y
    >>> linad.value_and_grad(product, argnums=(0, 1))(2.0, 3.0)
    (6.0, (3.0, 2.0))
    """
    return _derivative(f, argnums, True, has_aux, holomorphic)


@overload
def vjp(f: UpdatingGrad[..., Any], *primals: Any) -> tuple[Any, Pullback]: ...
@overload
def vjp(
    f: Callable[[*Ts], tuple[R, Aux]], *primals: *Ts, has_aux: Literal[True]
) -> tuple[R, Callable[[R], tuple[Any, ...]], Aux]: ...
@overload
def vjp(f: Callable[[*Ts], R], *primals: *Ts) -> tuple[R, Callable[[R], tuple[Any, ...]]]: ...


def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """The value of a function and its pullback.

    Parameters
    ----------
    f : function
        A checked function, a plain one, or a result of `grad`.
    *primals
        The arguments of `f`.
    has_aux : bool
        Whether `f` returns a pair of which only the first is differentiated; the second is then returned as a third
        result.

    Returns
    -------
    value
        The result of `f`.
    pullback : callable
        A function from a cotangent, with the structure, shapes and dtypes of ``value``, to a tuple with one entry per
        differentiable parameter. It owns copies of the arguments and can be called repeatedly.

    Raises
    ------
    LinadError
        If `f` is not accepted, or has no float parameter.

    Examples
    --------
    >>> import linad
    >>> @linad.linear_grad
    ... def product(x: float, y: float) -> float:
    ...     return x * y
    >>> value, pullback = linad.vjp(product, 2.0, 3.0)
    >>> value, pullback(10.0)
    (6.0, (30.0, 20.0))
    """
    function, arguments = at(f, primals)
    value, pullback = derive.vjp(function, function.specialisation(arguments), arguments)
    if not has_aux:
        return value, pullback
    value, aux = pair(function, value)
    return value, PullbackOfFirst(pullback, map_leaves(_zero, aux)), aux


@dataclass(frozen=True)
class PullbackOfFirst:
    """The pullback of a function that returns a pair, with respect to the first item."""

    pullback: derive.Pullback
    zero: Any

    def __call__(self, cotangent: Any) -> tuple[Any, ...]:
        return self.pullback((cotangent, self.zero))


def _written(f: PullbackOfFirst) -> Linear:
    function = f.pullback.function
    text = "_linad.vjp(_function, ..., has_aux=True)[1]"
    return Linear(function, f.pullback.arguments, text, unused(("cotangent",), function))


enter(PullbackOfFirst, _written)


def _zero(leaf: Any) -> Any:
    return np.zeros_like(leaf) if isinstance(leaf, np.ndarray) else type(leaf)()


@overload
def jvp(f: UpdatingGrad[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]: ...
@overload
def jvp(
    f: Callable[..., tuple[R, Aux]], primals: Sequence[Any], tangents: Sequence[Any], has_aux: Literal[True]
) -> tuple[R, R, Aux]: ...
@overload
def jvp(f: Callable[[*Ts], R], primals: tuple[*Ts], tangents: Sequence[Any]) -> tuple[R, R]: ...
@overload
def jvp(f: Callable[..., R], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[R, R]: ...


def jvp(
    f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False
) -> tuple[Any, ...]:
    """The value of a function and its directional derivative, in forward mode.

    Parameters
    ----------
    f : function
        A checked function, a plain one, or a result of `grad`.
    primals : tuple
        The arguments of `f`.
    tangents : tuple
        One tangent per argument; None for an int argument, or for zero.
    has_aux : bool
        Whether `f` returns a pair of which only the first is differentiated; the second is then returned as a third
        result.

    Returns
    -------
    value
        The result of `f`.
    tangent
        The tangent of ``value``, with the same structure.

    Raises
    ------
    LinadError
        If `f` is not accepted.
    TypeError, ValueError
        If a tangent does not match its argument.

    Examples
    --------
    >>> import linad
    >>> @linad.linear_grad
    ... def product(x: float, y: float) -> float:
    ...     return x * y
    >>> linad.jvp(product, (2.0, 3.0), (1.0, 10.0))
    (6.0, 23.0)
    """
    primals = given_as("jvp", "primals", primals)
    function, arguments = at(f, primals)
    value, tangent = function._jvp(arguments, along(f, primals, tangents))
    if not has_aux:
        return value, tangent
    value, aux = pair(function, value)
    return value, tangent[0], aux


def _derivative(f: Callable[..., Any], argnums: Any, value: bool, has_aux: bool, holomorphic: bool) -> Any:
    kind, options = "value_and_grad" if value else "grad", (bool(has_aux), "auto", bool(holomorphic))
    if (held := linear(f)) is not None:
        return held.under(Transform(kind, numbers(held, argnums), *options))
    several = isinstance(f, Derivative) and _gives_tuple(f.transforms[-1])
    chained = isinstance(f, Derivative) and not (several and has_aux)
    function = f.function if chained else checked(f)
    step = Transform(kind, numbers(function, argnums), *options)
    if holomorphic or by_some_of_many(function, step):
        return shared(Transformed, checked(f), (step,))
    if not chained:
        return shared(Derivative, function, (step,))
    if several:
        raise refusal(
            "non-scalar-loss",
            f"`{f.__name__}` returns a tuple, and only a float scalar has a gradient",
            help="differentiate `grad` with one position",
        )
    if has_aux:
        raise refusal("non-scalar-loss", f"`{f.__name__}` returns no pair, so there is no `aux`")
    return shared(Derivative, function, (*f.transforms, step))


def _gives_tuple(step: Transform) -> bool:
    return _with_value(step) or step.has_aux or not step.bare


def _array(leaf: Leaf) -> bool:
    return isinstance(leaf.type, Array)


def _require_pair(signature: Signature) -> tuple[Structure, ...]:
    """The structure of the result, if it is a pair of a float and something else."""
    pair = signature.result
    if isinstance(pair, RecordStructure) and pair.tag.named_tuple:
        pair = pair.items
    if not isinstance(pair, tuple) or len(pair) != 2 or not derive.is_scalar_float(pair[0]):
        pairs = isinstance(pair, tuple) and len(pair) == 2
        found = f"{derive.shape_word(pair[0])} and something else" if pairs else derive.shape_word(pair)
        told = f"`{signature.name}` returns {found}; with `has_aux` it returns a float and something else"
        raise refusal("non-scalar-loss", told, help="return `(value, aux)`")
    return pair


def _with_aux(s: Specialisation, step: Transform, arguments: Sequence[object]) -> object:
    """The gradient of the first item of a pair, and the second item, of a function that updates arguments."""
    pair = _require_pair(s.signature)
    want = derive.wanted(s.signature, step.positions)
    values = derive.flat_values(s, arguments)
    _, results = derive.primal(s, values)
    seeds = [derive.one(pair[0])]
    for leaf in float_leaves(pair[1]):
        seeds.append(np.zeros_like(results[leaf.index]) if _array(leaf) else 0.0 * derive.one(leaf))
    buffers = derive.buffers_for(want, values)
    _, grads = derive.pull(s, want, derive.refreshed(s.signature, values), seeds, buffers, False, fresh=True)
    value, aux = restore(pair, results)
    found = derive.structured(want, grads)
    gradient = found[0] if step.bare else found
    return ((value, aux), gradient) if _with_value(step) else (gradient, aux)


__all__ = ["Derivative", "grad", "jvp", "value_and_grad", "vjp"]
