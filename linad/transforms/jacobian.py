"""Jacobians: the derivatives of all results by all arguments, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, ParamSpec, TypeVar, overload

import numpy as np
from linad_typecheck.engine.values import CHEAPER
from linad_typecheck.signature import Leaf
from linad_typecheck.types import Array

from .. import derive
from ..boundary.errors import refusal
from ..boundary.results import float_leaves
from ..function import CheckedFunction
from ..specialise import Specialisation
from ..transformed import once
from .application import Argnums, Transform, Transformed, by, by_default, checked, numbers, shared
from .linear import linear
from .sparse import sparse_jacobian

P = ParamSpec("P")
R = TypeVar("R")
Aux = TypeVar("Aux")
Mode = Literal["auto", "fwd", "rev"]

MODES = ("auto", "fwd", "rev")
_PLAIN = frozenset((np.ndarray, float, int))


class Jacobian(Transformed[P, R]):
    """A Jacobian in the cheaper mode, chosen at each call; only that mode is compiled."""

    _last: tuple[object, Any] = None, None  # the last choice, with the kinds of arguments that it was made for

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        arguments = self.function._arguments(args, kwargs)
        if not _PLAIN.issuperset(map(type, arguments)):
            return self._chosen(arguments)._at(arguments)
        kinds = [_kind(v) for v in arguments]
        if self._last[0] != kinds:
            self._last = kinds, self._chosen(arguments)
        return self._last[1]._at(arguments)

    def _chosen(self, arguments: tuple[object, ...]) -> Transformed[..., R]:
        tall = self.function._with_shapes(arguments, lambda s: self._known_tall(s, derive.flat_values(s, arguments)))
        return shared(Transformed, self.function, (replace(self.transforms[0], mode="fwd" if tall else "rev"),))

    def _known_tall(self, s: Specialisation, values: Sequence[object]) -> bool:
        """`_tall`, computed once for sizes of the arguments."""
        sizes = tuple(v.shape if isinstance(v, np.ndarray) else v if isinstance(v, int) else None for v in values)
        key = "tall", self.transforms
        if s.known.get(key, (None,))[0] != sizes:  # if only results have changed size, the slower mode may be used
            s.known[key] = sizes, self._tall(s, values)
        return s.known[key][1]

    def _tall(self, s: Specialisation, values: Sequence[object]) -> bool:
        """Whether forward mode is cheaper."""
        result = s.signature.result
        if self.transforms[0].has_aux and isinstance(result, tuple):
            result = result[:1]
        outputs = float_leaves(result)
        sized = any(isinstance(leaf.type, Array) for leaf in outputs)
        inputs = _size(derive.asked(s, self.transforms[0].positions).active, values)
        return inputs <= CHEAPER * _size(outputs, derive.primal(s, values)[1] if sized else ())


def _kind(v: object) -> object:
    """What the sizes depend on."""
    return (v.shape, v.dtype) if isinstance(v, np.ndarray) else v if isinstance(v, int) else float


def _size(leaves: Sequence[Leaf], values: Sequence[object] | Mapping[int, object]) -> int:
    return sum(np.size(values[leaf.index]) if isinstance(leaf.type, Array) else 1 for leaf in leaves)


@overload
def jacfwd(
    f: Callable[P, tuple[Any, Aux]], argnums: Argnums = 0, *, has_aux: Literal[True], holomorphic: bool = False
) -> Transformed[P, tuple[Any, Aux]]: ...
@overload
def jacfwd(
    f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Transformed[P, Any]: ...


def jacfwd(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Transformed[..., Any]:
    """Transform a function into one that computes its Jacobian in forward mode, in all directions of the arguments.

    Parameters
    ----------
    f : function
        A checked function, a plain one, a method of an object, a partial application, or the result of another
        transform, including pullbacks and linearized functions.
    argnums : int, str, or sequence of them
        The positions, or names, of the parameters to differentiate by. A single one gives the bare Jacobian, a sequence
        gives a tuple.
    has_aux : bool
        Whether `f` returns a pair of which only the first is differentiated; the result is then ``(jacobian, aux)``.
    holomorphic : bool
        Whether `f` is a holomorphic function of complex numbers with complex results; the Jacobian is then complex.
        This is trusted: it consists of the derivatives along the real axis.

    Returns
    -------
    callable
        A function with the parameters of `f`. The Jacobian of an array by an array has the shape of the result followed
        by that of the argument; of a number by a number it is a number. If results or arguments are tuples or records,
        it has the structure of the result, with that of the argument at each place, and None for ints. Its dtype is
        that of the result. It is a compiled function that can be differentiated again.

    Raises
    ------
    LinadError
        If `f` is not accepted or updates an argument; at the first call, if it has no float result, or if a parameter
        to differentiate by is not a float.
    TypeError
        If `argnums` are neither ints nor names.

    Examples
    --------
    >>> import numpy as np
    >>> import linad
    >>> @linad.linear_grad
    ... def polar(p):
    ...     r, angle = p
    ...     return np.array([r * np.cos(angle), r * np.sin(angle)])
    >>> linad.jacfwd(polar)(np.array([2.0, np.pi / 6])).round(3)
    array([[ 0.866, -1.   ],
           [ 0.5  ,  1.732]])
    """
    return applied("jacfwd", f, argnums, has_aux, holomorphic=holomorphic)


@overload
def jacrev(
    f: Callable[P, tuple[Any, Aux]], argnums: Argnums = 0, *, has_aux: Literal[True], holomorphic: bool = False
) -> Transformed[P, tuple[Any, Aux]]: ...
@overload
def jacrev(
    f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Transformed[P, Any]: ...


def jacrev(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Transformed[..., Any]:
    """Transform a function into one that computes its Jacobian in reverse mode, for all cells of the results.

    Parameters
    ----------
    f, argnums, has_aux, holomorphic
        As for `jacfwd`.

    Returns
    -------
    callable
        As for `jacfwd`, but the dtype is that of the argument.

    Raises
    ------
    LinadError, TypeError
        As for `jacfwd`.

    Examples
    --------
    >>> import numpy as np
    >>> import linad
    >>> @linad.linear_grad
    ... def moments(x):
    ...     return np.sum(x), np.sum(x**2)
    >>> linad.jacrev(moments)(np.array([1.0, 2.0, 3.0]))
    (array([1., 1., 1.]), array([2., 4., 6.]))
    """
    return applied("jacrev", f, argnums, has_aux, holomorphic=holomorphic)


@overload
def jacobian(
    f: Callable[P, tuple[Any, Aux]], argnums: Argnums = 0, mode: Mode = "auto", *, has_aux: Literal[True]
) -> Transformed[P, tuple[Any, Aux]]: ...
@overload
def jacobian(
    f: Callable[P, Any], argnums: Argnums = 0, mode: Mode = "auto", sparsity: None = None, *, has_aux: bool = False
) -> Transformed[P, Any]: ...
@overload
def jacobian(f: Callable[P, Any], argnums: Argnums = 0, mode: Mode = "auto", *, sparsity: Any) -> Callable[P, Any]: ...


def jacobian(
    f: Callable[..., Any], argnums: Argnums = 0, mode: Mode = "auto", sparsity: Any = None, *, has_aux: bool = False
) -> Any:
    """Transform a function into one that computes its Jacobian.

    Parameters
    ----------
    f, argnums
        As for `jacfwd`.
    mode : {"auto", "fwd", "rev"}
        Forward mode takes one direction per number to differentiate by, reverse mode one per number in the results.
        ``"auto"`` takes forward mode if there are at most 1.5 times as many numbers to differentiate by as results,
        because a direction of reverse mode costs about 1.5 of forward mode.
    sparsity : True, sparse matrix or ndarray, optional
        If True, the pattern is computed by `linad.sparsity` at each call. A known pattern can be given instead; if it
        does not hold, a ValueError is raised. One direction serves all columns, or rows, of a colour, and one sweep
        handles up to 64 directions.
    has_aux : bool
        As for `jacfwd`; not with `sparsity`.

    Returns
    -------
    callable
        As for `jacrev`. With `sparsity` it returns a `scipy.sparse.csr_matrix` with a row for each number in the
        results and a column for each number to differentiate by; for several `argnums`, a tuple of them. The entries
        belong to the caller. The index arrays are read-only, shared by all matrices of one pattern: call `.copy()`
        before changing them in place, as `eliminate_zeros` and `resize` do. A sparse Jacobian cannot be differentiated
        again.

    Raises
    ------
    LinadError, TypeError
        As for `jacfwd`.
    ValueError
        If there is no such mode, or `sparsity` is combined with `has_aux`; at a call, if a given pattern does not match
        the arguments.

    Examples
    --------
    >>> import numpy as np
    >>> import linad
    >>> @linad.linear_grad
    ... def products(x, c: float):
    ...     return c * x[1:] * x[:-1]
    >>> linad.jacobian(products, argnums=("x", "c"))(np.array([1.0, 2.0, 3.0]), 10.0)
    (array([[20., 10.,  0.],
           [ 0., 30., 20.]]), array([2., 6.]))
    >>> found = linad.jacobian(products, sparsity=True)(np.array([1.0, 2.0, 3.0]), 10.0)
    >>> found.nnz, found.toarray()
    (4, array([[20., 10.,  0.],
           [ 0., 30., 20.]]))
    """
    if sparsity is None or sparsity is False:
        return applied("jacobian", f, argnums, has_aux, mode)
    if has_aux:
        raise ValueError("has_aux: with `sparsity` there is no function that returns something beside; leave one out")
    function, positions, held = by(f, argnums)
    sparse = sparse_jacobian(function, Transform("jacobian", positions, mode=_known(mode)), sparsity)
    return partial(sparse, *held) if held else sparse


@overload
def value_and_jacobian(
    f: Callable[P, tuple[R, Aux]], argnums: Argnums = 0, *, has_aux: Literal[True], mode: Mode = "auto"
) -> Transformed[P, tuple[tuple[R, Aux], Any]]: ...
@overload
def value_and_jacobian(
    f: Callable[P, R], argnums: Argnums = 0, has_aux: bool = False, mode: Mode = "auto"
) -> Transformed[P, tuple[R, Any]]: ...


def value_and_jacobian(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, mode: Mode = "auto"
) -> Transformed[..., Any]:
    """Transform a function into one that computes its value and its Jacobian.

    Parameters
    ----------
    f, argnums, has_aux
        As for `jacfwd`.
    mode
        As for `jacobian`.

    Returns
    -------
    callable
        A function that returns ``(value, jacobian)``, or ``((value, aux), jacobian)`` with `has_aux`.

    Raises
    ------
    LinadError, TypeError, ValueError
        As for `jacobian`.

    Examples
    --------
    >>> import numpy as np
    >>> import linad
    >>> @linad.linear_grad
    ... def squares(x):
    ...     return x**2
    >>> linad.value_and_jacobian(squares)(np.array([1.0, 3.0]))
    (array([1., 9.]), array([[2., 0.],
           [0., 6.]]))
    """
    return applied("value_and_jacobian", f, argnums, has_aux, mode)


def applied(
    kind: str,
    f: Callable[..., Any],
    argnums: Argnums,
    has_aux: bool = False,
    mode: str = "auto",
    holomorphic: bool = False,
) -> Any:
    """A function under a transform that gives a Jacobian or a Hessian."""
    held = linear(f)
    function = checked(f) if held is None else held
    transform = Transform(kind, numbers(function, argnums), bool(has_aux), _known(mode), bool(holomorphic))
    return of(function, transform) if held is None else held.under(_by_some(transform))


def _by_some(transform: Transform) -> Transform:
    if transform.argnums == ():
        raise refusal("bad-option", "`argnums` is empty: a Jacobian is by one parameter at least")
    return transform


def _known(mode: str) -> str:
    if mode not in MODES:
        raise ValueError(f"mode: expected {', '.join(map(repr, MODES[:-1]))} or {MODES[-1]!r}, got {mode!r}")
    return mode


def of_method(function: CheckedFunction[..., Any]) -> Transformed[..., Any]:
    """The Jacobian that `LinearGrad.jacobian` calls."""
    return once(function._transforms, of_method, lambda: of(function, Transform("jacobian", by_default(function))))


def of(function: CheckedFunction[..., Any], transform: Transform) -> Transformed[..., Any]:
    """A checked function under a Jacobian transform.

    Raises
    ------
    LinadError
        If it updates an argument, or if there is no parameter to differentiate by.
    """
    if function.options.updates:
        what = f"`{function.__name__}` updates an argument, and has no Jacobian"
        raise refusal("no-gradient", what, help="let it work on a copy and return that: `y = y.copy()`")
    _by_some(transform)
    choosing = transform.mode == "auto" and transform.kind in ("jacobian", "value_and_jacobian")
    return shared(Jacobian if choosing else Transformed, function, (transform,))
