"""Support for `scipy.optimize`: functions of structures as functions of one vector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from linad_typecheck.signature import Leaf, RecordStructure

from .. import derive
from ..boundary.arguments import described
from ..boundary.errors import refusal
from ..boundary.results import float_leaves, restore
from ..function import CheckedFunction
from ..structures import parts
from ..transforms.application import checked
from ..transforms.hessian import hvp
from ..transforms.jacobian import of_method

__all__ = ["Flat", "flat"]


class Flat:
    """A function of one vector: the floats of some arguments of a checked function, concatenated. Created by `flat`.

    A call returns the value: a float, or all floats of the result in one vector.

    Attributes
    ----------
    function : CheckedFunction
    x0 : ndarray of float64, shape (n,)
        The original arguments, as such a vector.
    """

    __linad_instead__ = (
        "call its methods `grad`, `jacobian`, `hessian` and `hvp`, or transform the function of structures"
    )

    def __init__(self, function: CheckedFunction[..., Any], arguments: Sequence[Any]) -> None:
        self.function = function
        s = function.specialisation(arguments)
        if s.signature.updates:
            what = f"`{function.__name__}` updates an argument, and a solver calls it again and again"
            raise refusal("no-gradient", what, help="let it work on a copy: `y = y.copy()`")
        self._arguments = tuple(arguments)
        self._values = [v.copy() if isinstance(v, np.ndarray) else v for v in derive.flat_values(s, arguments)]
        self._signature = s.signature
        self._want = derive.asked(s, function.options.wrt)
        self._positions = [[p.name for p in s.signature.params].index(p.name) for p in self._want.params]
        self._leaves = [leaf for p in self._want.params for leaf in float_leaves(p.structure)]
        self._shapes = [np.shape(self._values[leaf.index]) for leaf in self._leaves]
        self.x0 = self._joined([self._values[leaf.index] for leaf in self._leaves])
        self.__name__ = f"flat_{function.__name__}"
        self.__doc__ = function.__doc__

    @staticmethod
    def _joined(values: Sequence[Any]) -> np.ndarray:
        return np.concatenate([np.ravel(np.asarray(v, np.float64)) for v in values]) if values else np.zeros(0)

    def arguments(self, x: Any) -> tuple[Any, ...]:
        """The arguments that a vector represents, including those that are not differentiated by.

        Parameters
        ----------
        x : ndarray, shape (n,)

        Returns
        -------
        tuple
            One for each parameter of the function.

        Raises
        ------
        ValueError
            If the vector has another shape.
        """
        x = np.asarray(x, np.float64)
        if x.shape != self.x0.shape:
            raise ValueError(
                f"{self.__name__}(): expected a vector of shape {self.x0.shape}, got one of shape {x.shape}"
            )
        values, at = list(self._values), 0
        for leaf, shape in zip(self._leaves, self._shapes, strict=True):
            size = int(np.prod(shape))
            part = x[at : at + size].reshape(shape)
            old = values[leaf.index]
            values[leaf.index] = part.astype(old.dtype) if isinstance(old, np.ndarray) else type(old)(part)
            at += size
        found = list(self._arguments)
        for k, p in zip(self._positions, self._want.params, strict=True):
            found[k] = restore(p.structure, values)
        return tuple(found)

    def __call__(self, x: Any) -> Any:
        return self._result(self.function(*self.arguments(x)))

    def _result(self, value: Any) -> Any:
        result = self._signature.result
        if isinstance(result, Leaf) and not isinstance(value, np.ndarray):
            return float(value)
        return self._joined(_floats(result, value))

    def value_and_grad(self, x: Any) -> tuple[float, np.ndarray]:
        """The value and the gradient, for `scipy.optimize.minimize` with ``jac=True``."""
        value, grads = self.function.value_and_grad(*self.arguments(x))
        return float(value), self._gradient(grads)

    def grad(self, x: Any) -> np.ndarray:
        """The gradient, shape (n,)."""
        return self._gradient(self.function.grad(*self.arguments(x)))

    def _gradient(self, grads: Any) -> np.ndarray:
        every = (grads,) if len(self._want.params) == 1 else grads
        return self._joined(
            [g for p, part in zip(self._want.params, every, strict=True) for g in _floats(p.structure, part)]
        )

    def jacobian(self, x: Any) -> np.ndarray:
        """The Jacobian, shape (m, n), for `least_squares` and `root`."""
        found = of_method(self.function)(*self.arguments(x))
        rows = []
        for j in _floats(self._signature.result, found, whole=True):
            every = (j,) if len(self._want.params) == 1 else j
            columns = [c for p, part in zip(self._want.params, every, strict=True) for c in _floats(p.structure, part)]
            sizes = [int(np.prod(shape)) for shape in self._shapes]
            blocks = [np.asarray(c, np.float64) for c in columns]
            count = int(np.prod(blocks[0].shape[: blocks[0].ndim - len(self._shapes[0])]))
            rows.append(np.concatenate([b.reshape(count, n) for b, n in zip(blocks, sizes, strict=True)], axis=1))
        return np.concatenate(rows, axis=0)

    def hvp(self, x: Any, p: Any) -> np.ndarray:
        """The product of the Hessian with a vector, shape (n,), for `minimize` as ``hessp``."""
        arguments, direction = self.arguments(x), self.arguments(p)
        tangents = [direction[k] if k in self._positions else None for k in range(len(arguments))]
        for k, q in zip(self._positions, self._want.params, strict=True):
            tangents[k] = _only_floats(q.structure, tangents[k])
        return self._gradient(hvp(self.function, arguments, tuple(tangents)))

    def hessian(self, x: Any) -> np.ndarray:
        """The Hessian, shape (n, n), for `minimize` as ``hess``, by a product for each column."""
        return np.array([self.hvp(x, e) for e in np.eye(self.x0.size)]).reshape(self.x0.size, self.x0.size)

    def __repr__(self) -> str:
        return f"<{self.function.__name__} of a vector of {self.x0.size} numbers>"


def _floats(structure: Any, value: Any, whole: bool = False) -> list[Any]:
    """The float parts of a value, in order; with ``whole``, whatever is in their places."""
    if isinstance(structure, (tuple, RecordStructure)) and float_leaves(structure):
        inside = value if whole and isinstance(value, tuple) else parts(value)
        return [x for part, v in zip(structure, inside, strict=True) for x in _floats(part, v, whole)]
    return [value] if float_leaves(structure) else []


def _only_floats(structure: Any, value: Any) -> Any:
    """A tangent, with None for ints."""
    if isinstance(structure, (tuple, RecordStructure)):
        values = {leaf.index: v for leaf, v in zip(float_leaves(structure), _floats(structure, value), strict=True)}
        return restore(structure, values)
    return value if float_leaves(structure) else None


def flat(f: Callable[..., Any], *args: Any) -> Flat:
    """A function of structures as a function of one vector, as required by the solvers of `scipy.optimize`.

    Parameters
    ----------
    f : function
        A checked function or a plain one.
    *args
        Arguments for all of its parameters: the starting point and the data. The arguments that it is differentiated by
        (all that contain floats, or those of the option ``wrt``) become one vector; the others stay constant.

    Returns
    -------
    Flat
        A function with ``x0``, the starting point as a vector; ``arguments(x)``, the inverse conversion; and
        ``value_and_grad``, ``grad``, ``jacobian``, ``hessian`` and ``hvp`` of vectors.

    Raises
    ------
    LinadError
        If `f` is not accepted, updates an argument, or has no float parameter.

    Examples
    --------
    >>> import numpy as np
    >>> from typing import NamedTuple
    >>> from scipy.optimize import minimize
    >>> import linad
    >>> class Line(NamedTuple):
    ...     slope: float
    ...     offset: np.ndarray
    >>> @linad.linear_grad(wrt="line")
    ... def misfit(line, x, y):
    ...     return np.sum((line.slope * x + line.offset - y) ** 2) + np.sum(line.offset[1:] - line.offset[:-1]) ** 2
    >>> x = np.array([0.0, 1.0])
    >>> f = linad.interop.scipy.flat(misfit, Line(0.0, np.zeros(2)), x, 3.0 * x + 1.0)
    >>> found = minimize(f.value_and_grad, f.x0, jac=True, hessp=f.hvp, method="trust-ncg", tol=1e-9)
    >>> bool(f(found.x) < 1e-12)
    True
    >>> line, _, _ = f.arguments(found.x)
    >>> type(line).__name__, line.offset.shape
    ('Line', (2,))
    """
    function = checked(f)
    if not isinstance(function, CheckedFunction):
        raise TypeError(f"flat: expected a function, got {described(f)}")
    return Flat(function, function._arguments(args, {}))
