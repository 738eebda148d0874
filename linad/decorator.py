"""`linear_grad`: from a plain function to an object that calls and differentiates it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, TypedDict, Unpack, overload

from linad_typecheck.diagnostics import LinadError

from .boundary.errors import for_users
from .eligible import plain_function, surroundings
from .function import CheckedFunction
from .options import Options
from .switches import switched_off
from .transformed import once
from .transforms.hessian import hvp
from .transforms.hessian import of_method as hvp_of_method
from .transforms.jacobian import of_method as jacobian_of_method

P = ParamSpec("P")
R = TypeVar("R")

A = TypeVar("A")
A_co = TypeVar("A_co", contravariant=True)


class LinearGrad(CheckedFunction[P, R]):
    """A checked function, which can be called and differentiated. Created by `linear_grad`.

    A call compiles the function for the types of its arguments, unless this has been done before, and runs the compiled
    function. The caller's arrays are read in place; only those of parameters in ``updates`` are written to.

    Attributes
    ----------
    py_func : function
        The plain Python function; it computes the same numbers.
    options : Options
        The options passed to `linear_grad`.

    Examples
    --------
    >>> import numpy as np
    >>> @linear_grad
    ... def energy(x, k: float) -> float:
    ...     return 0.5 * k * np.sum((x[1:] - x[:-1]) ** 2)
    >>> x = np.array([0.0, 1.0, 3.0])
    >>> print(energy(x, 2.0))
    5.0
    >>> energy.grad(x, 2.0)
    (array([-2., -2.,  4.]), 2.5)
    """

    def jacobian(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """The Jacobian. It can be passed to `scipy.optimize.least_squares` and `root` as ``jac``.

        Parameters
        ----------
        *args, **kwargs
            The arguments of the function.

        Returns
        -------
        jacobian
            One entry per differentiable parameter, bare if there is only one, as for `linad.jacobian`.

        Raises
        ------
        LinadError
            If the function has no float parameter or no float result, or updates an argument.
        TypeError, ValueError
            As for `grad`.

        Examples
        --------
        >>> import numpy as np
        >>> from scipy.optimize import least_squares
        >>> @linear_grad
        ... def residuals(x):
        ...     return np.array([10.0 * (x[1] - x[0] ** 2), x[0] * x[1] - 1.0])
        >>> residuals.jacobian(np.array([2.0, 1.0]))
        array([[-40.,  10.],
               [  1.,   2.]])
        >>> least_squares(residuals, [2.0, 2.0], jac=residuals.jacobian).x
        array([1., 1.])
        """
        return jacobian_of_method(self)(*args, **kwargs)

    def hvp(self, primals: Any, tangents: Any, *args: Any) -> Any:
        """The Hessian-vector product. It can be passed to `scipy.optimize.minimize` as ``hessp``.

        Parameters
        ----------
        primals : tuple, or ndarray
            The arguments of the function; an array stands for a tuple of one.
        tangents : tuple, or ndarray
            The vector: one part per argument, with the structure, dtype and shape of the argument; None for an int
            argument, or for zero.
        *args
            With arrays as `primals` and `tangents`: the other arguments of the function, which stay constant, as SciPy
            passes the ``args`` of `minimize`.

        Returns
        -------
        product
            One entry per differentiable parameter, bare if there is only one.

        Raises
        ------
        LinadError
            If the function does not return one float, or updates an argument.
        TypeError, ValueError
            If a tangent does not match its argument.

        Examples
        --------
        >>> import numpy as np
        >>> from scipy.optimize import minimize
        >>> @linear_grad
        ... def quartic(x):
        ...     return np.sum((x - 1.0) ** 4 + x**2)
        >>> quartic.hvp((np.zeros(2),), (np.array([1.0, 0.0]),))
        array([14.,  0.])
        >>> found = minimize(quartic.value_and_grad, np.zeros(2), jac=True, hessp=quartic.hvp, method="trust-ncg")
        >>> found.x.round(4)
        array([0.4102, 0.4102])
        """
        return hvp_of_method(self, primals, tangents, args) if args else hvp(self, primals, tangents)

    @property
    def njit(self) -> Callable[P, R]:
        """The function for code that Numba compiles: it may be called there, and passed on as an argument.

        It takes numbers, arrays, tuples and named tuples, by position, and gives what a call from Python gives, errors
        included. A call costs some 60 ns more than the function itself. Module constants are those of the time at which
        Numba compiles the calling code. Loops on threads (``parallel=True``) go through Python, and cost a call of it.

        Raises
        ------
        LinadError
            Where the function has parameters that take keywords only, or when Numba compiles a call: where the result
            is of a class that Numba has no type for, or an argument is one that the function is compiled for each value
            of.

        Notes
        -----
        Numba keeps no machine code of calling functions on disk: it would not see that the function has changed.

        Examples
        --------
        >>> import numba
        >>> import numpy as np
        >>> @linear_grad
        ... def energy(x, k: float):
        ...     return 0.5 * k * np.sum((x[1:] - x[:-1]) ** 2)
        >>> of_chain = energy.njit
        >>> @numba.njit
        ... def total(chains, k):
        ...     found = 0.0
        ...     for i in range(len(chains)):
        ...         found += of_chain(chains[i], k)
        ...     return found
        >>> total(np.array([[0.0, 1.0], [0.0, 2.0]]), 2.0)
        5.0
        """
        from .njit import njit

        return once(self._transforms, "njit", lambda: njit(self))

    @property
    def vjp_njit(self) -> Callable[..., tuple[R, tuple[Any, ...]]]:
        """The value and the gradients for code that Numba compiles: ``f.vjp_njit(cotangent, *args)``.

        The cotangent is of the structure of the result, 1.0 for the gradient of a scalar function. It returns what
        ``f.vjp(*args)`` gives and what its pullback makes of the cotangent: ``(value, gradients)``, where gradients are
        a tuple with one entry per differentiable parameter.

        Raises
        ------
        LinadError
            As `njit`, and where the function updates an argument.
        TypeError, ValueError
            Where the cotangent is not of the structure, dtypes and shapes of the result.

        Examples
        --------
        >>> import numba
        >>> import numpy as np
        >>> @linear_grad(wrt="x")
        ... def distance(x, target):
        ...     return np.sum((x - target) ** 2)
        >>> pulled = distance.vjp_njit
        >>> @numba.njit
        ... def descent(x, target):
        ...     for _ in range(100):
        ...         _, (x_bar,) = pulled(1.0, x, target)
        ...         x = x - 0.25 * x_bar
        ...     return x
        >>> descent(np.zeros(2), np.array([1.0, 2.0]))
        array([1., 2.])
        """
        from .njit import vjp_njit

        return once(self._transforms, "vjp_njit", lambda: vjp_njit(self))


class UpdatingGrad(LinearGrad[P, R]):
    """A checked function that updates arrays of its caller: the results of `vjp` and `jvp` include these arrays."""

    if TYPE_CHECKING:

        def vjp(self, *args: P.args, **kwargs: P.kwargs) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]: ...
        def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]: ...


class _Choices(TypedDict, total=False):
    wrt: str | int | Sequence[str | int] | None
    parallel: bool
    fastmath: bool
    cache: bool
    update: Literal["in-place", "pure"]
    boundscheck: bool
    backend: Literal["numba", "interpret"]
    strict: bool
    passes: Mapping[str, bool] | None


Names = str | Sequence[str]


@overload
def linear_grad(f: Callable[P, R], /, **options: Unpack[_Choices]) -> LinearGrad[P, R]: ...
@overload
def linear_grad(f: Callable[P, R], /, *, updates: Names, **options: Unpack[_Choices]) -> UpdatingGrad[P, R]: ...
@overload
def linear_grad(f: None = None, /, **options: Unpack[_Choices]) -> Callable[[Callable[P, R]], LinearGrad[P, R]]: ...
@overload
def linear_grad(
    f: None = None, /, *, updates: Names, **options: Unpack[_Choices]
) -> Callable[[Callable[P, R]], UpdatingGrad[P, R]]: ...


def linear_grad(
    f: Any = None,
    /,
    *,
    wrt: str | int | Sequence[str | int] | None = None,
    updates: str | Sequence[str] = (),
    parallel: bool = False,
    fastmath: bool = True,
    cache: bool = True,
    update: Literal["in-place", "pure"] = "in-place",
    boundscheck: bool = True,
    backend: Literal["numba", "interpret"] = "numba",
    strict: bool = False,
    passes: Mapping[str, bool] | None = None,
) -> Any:
    """Check, compile and differentiate a function of numbers and arrays. A decorator, with or without options.

    Parameters
    ----------
    f : function
        A plain function, an ``@njit`` function, or an already checked one, whose source is available. Its parameters
        are annotated as ``float``, ``int``, ``bool``, with jaxtyping (``Float64[np.ndarray, "n m"]``), as tuples and
        records of these, or not at all, in which case their types are determined at each call.
    wrt : str or int, or a sequence of them, optional
        The parameters to differentiate by, by name or position; by default all that contain floats. A single one gives
        bare gradients.
    updates : str or sequence of str, optional
        The parameters whose arrays the function updates in place, visible to the caller.
    parallel : bool
        Whether to run loops on threads if their iterations are independent or only accumulate sums, in the forward and
        reverse sweeps. The same number of threads gives bitwise identical results. `linad.explain` says which loops run
        on threads, and why others do not.
    fastmath : bool
        Whether sums may be reassociated, products contracted into fused operations, functions like exp evaluated for
        several elements at once (within 4 units in the last place), and divisions in derivatives replaced by products
        with a reciprocal; nan, inf and the sign of zero keep their meaning. False gives the rounding of the order in
        which the program is written, and of the C library.
    cache : bool
        Whether to keep compiled code on disk for the next process.
    update : {"in-place", "pure"}
        How adjoints of arrays are accumulated. "pure" copies the array at each step, and exists for comparison.
    boundscheck : bool
        Whether an index out of bounds raises IndexError. False makes it undefined behaviour, as in C.
    backend : {"numba", "interpret"}
        How programs run: compiled, or in the reference interpreter (slow, for tests).
    strict : bool
        Whether it is an error if an array is updated under one name and used under another. Otherwise a warning points
        at it: the program means what it means in plain Python, which may not be what was intended.
    passes : dict of str to bool
        Optimisation passes to disable, as in ``{"unroll_and_jam": False}``, to find the one responsible for a problem
        or to measure its effect (see ``docs/explanation/ablation.md``, also for the environment variables
        ``LINAD_DISABLE`` and ``LINAD_VERIFY``). The results are the same up to rounding.

    Returns
    -------
    LinearGrad
        The checked function, with ``.grad``, ``.value_and_grad``, ``.vjp``, ``.jvp`` and ``.vjp_into``. It is compiled
        at its first call.

    Raises
    ------
    LinadError
        At decoration, if the annotations determine the types of all parameters, otherwise at the first call; with the
        position of each error and what to write instead.

    Notes
    -----
    Compiled code does what Python does with the source of the function at decoration, and with the module's constants
    and helpers at each call: if one of these has changed, the function is checked and compiled again. Exceptions of the
    function (``IndexError``, ``ValueError``, ...) are raised as in Python, and name the line.

    Examples
    --------
    >>> import numpy as np
    >>> from jaxtyping import Float64
    >>> from linad import linear_grad
    >>> @linear_grad
    ... def loss(x: Float64[np.ndarray, "n"], w: float) -> float:
    ...     total = 0.0
    ...     for i in range(len(x)):
    ...         total += w * x[i] ** 2
    ...     return total
    >>> print(loss(np.array([1.0, 2.0]), 3.0))
    15.0
    >>> x_bar, w_bar = loss.grad(np.array([1.0, 2.0]), 3.0)
    >>> x_bar, w_bar
    (array([ 6., 12.]), 5.0)
    """
    chosen = _several(wrt), _several(updates) or ()
    options = Options(
        *chosen, fastmath, cache, update, boundscheck, backend, bool(parallel), bool(strict), switched_off(passes)
    )
    if f is not None:
        return _decorate(f, options, sys._getframe(1).f_locals)
    return lambda g: _decorate(g, options, sys._getframe(1).f_locals)


def _several(given: Any) -> tuple[Any, ...] | None:
    if given is None:
        return None
    if isinstance(given, (str, int)):
        return (given,)
    try:
        return tuple(given)
    except TypeError:
        raise TypeError(f"expected a parameter, by name or position, or a sequence of them, got {given!r}") from None


def _decorate(f: object, options: Options, local_names: Mapping[str, object]) -> LinearGrad[..., Any]:
    plain = plain_function(f)
    try:
        kind = UpdatingGrad if options.updates else LinearGrad
        return kind(plain, options, surroundings(plain, local_names))
    except LinadError as error:
        raise for_users(error, plain) from None
