"""Build, map, fold and scan arrays with functions: in plain Python as written here, in checked functions as loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .structures import parts, rebuilt

__all__ = ["build", "fold", "map", "reduce", "scanl", "scanr", "shift1l", "shift1r", "sum"]


def build(n: int, f: Callable[[int], Any]) -> Any:
    """The array of ``f(0), f(1), ..., f(n - 1)``.

    Parameters
    ----------
    n : int
        The length; at least 0.
    f : callable
        A function from an index to a scalar, to an array, which becomes a row, or to a tuple or record of these.

    Returns
    -------
    ndarray, shape (n, ...)
        If `f` returns tuples or records, a tuple or record of such arrays.

    Raises
    ------
    ValueError
        If `n` is negative; in a checked function also if it is 0 and `f` has several results.

    Examples
    --------
    >>> import linad
    >>> linad.build(4, lambda i: i * 0.5)
    array([0. , 0.5, 1. , 1.5])
    """
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    return _collected([f(i) for i in range(n)])


def map(f: Callable[..., Any], *arrays: np.ndarray) -> Any:
    """Apply ``f`` to the corresponding elements of one or more arrays.

    Parameters
    ----------
    f : callable
        A function from one element, or row, of each array to a scalar, an array, or a tuple or record of these.
    *arrays : ndarray, shape (n, ...)
        Arrays of equal length.

    Returns
    -------
    ndarray, shape (n, ...)
        If `f` has several results, as many arrays, in the structure of its result.

    Raises
    ------
    ValueError
        If the lengths differ; in a checked function also if there are no elements and `f` has several results.

    Examples
    --------
    >>> import linad
    >>> linad.map(lambda a, b: a * b, np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    array([3., 8.])
    """
    return _collected([f(*values) for values in zip(*arrays, strict=True)])


def reduce(op: Callable[[Any, Any], Any], init: Any, a: np.ndarray) -> Any:
    """Reduce an array from the left: ``op(...op(op(init, a[0]), a[1])..., a[-1])``.

    Parameters
    ----------
    op : callable
        A function from the result so far and an element to the next result, of the same type: `max`, `operator.mul`, a
        lambda.
    init : scalar or ndarray
        The result for no elements.
    a : ndarray, shape (n, ...)

    Returns
    -------
    scalar or ndarray

    Examples
    --------
    >>> import linad
    >>> linad.reduce(lambda p, v: p * v, 1.0, np.array([2.0, 3.0, 4.0])).item()
    24.0
    """
    for v in a:
        init = op(init, v)
    return init


def fold(f: Callable[..., Any], init: Any, *arrays: np.ndarray) -> Any:
    """Carry a state through arrays: ``state = f(state, a[i], b[i], ...)``.

    Parameters
    ----------
    f : callable
        A function from the state and one element, or row, of each array to the next state, of the same structure and
        shapes.
    init : scalar, ndarray, or a tuple or record of them
        The first state.
    *arrays : ndarray, shape (n, ...)
        Arrays of equal length.

    Returns
    -------
    state
        The last state.

    Raises
    ------
    ValueError
        If the lengths differ.

    Examples
    --------
    >>> import linad
    >>> linad.fold(lambda s, a, b: s + a * b, 0.0, np.array([1.0, 2.0]), np.array([3.0, 4.0])).item()
    11.0
    """
    for values in zip(*arrays, strict=True):
        init = f(init, *values)
    return init


def scanl(op: Callable[..., Any], init: Any, *arrays: np.ndarray) -> Any:
    """The states of `fold` after each element, from the left.

    Parameters
    ----------
    op, init, *arrays
        As for `fold`.

    Returns
    -------
    ndarray, shape (n, ...)
        The states. If states are arrays, they become rows; if they are tuples, named tuples or frozen dataclasses, the
        result is one of these with such arrays.

    Raises
    ------
    ValueError
        If the lengths differ, or a state has another shape than the first.

    Examples
    --------
    >>> import linad
    >>> linad.scanl(lambda p, v: p * v, 1.0, np.array([2.0, 3.0, 4.0]))
    array([ 2.,  6., 24.])
    """
    found, state = [], init
    for values in zip(*arrays, strict=True):
        state = op(state, *values)
        found.append(state)
    return _stacked(found, init)


def scanr(op: Callable[..., Any], init: Any, *arrays: np.ndarray) -> Any:
    """The states from each element to the right end: ``op(a[i], op(a[i + 1], ... op(a[-1], init)))``.

    Parameters
    ----------
    op : callable
        A function from one element of each array and, last, the state to their right to the state at this position.
    init, *arrays
        As for `fold`.

    Returns
    -------
    ndarray, shape (n, ...)
        As for `scanl`.

    Raises
    ------
    ValueError
        As for `scanl`.

    Examples
    --------
    >>> import linad
    >>> linad.scanr(lambda v, p: v * p, 1.0, np.array([2.0, 3.0, 4.0]))
    array([24., 12.,  4.])
    """
    found, state = [], init
    for values in zip(*(a[::-1] for a in arrays), strict=True):
        state = op(*values, state)
        found.append(state)
    return _stacked(found[::-1], init)


def _collected(found: list[Any]) -> Any:
    """The elements as an array; tuples and records part by part."""
    items = parts(found[0]) if found else None
    if items is None:
        return np.array(found)
    return rebuilt(found[0], [_collected([parts(v)[k] for v in found]) for k in range(len(items))])


def _stacked(states: list[Any], init: Any) -> Any:
    """The states stacked along a first axis, part by part."""
    items = parts(init)
    if items is not None:
        return rebuilt(init, [_stacked([parts(s)[k] for s in states], item) for k, item in enumerate(items)])
    shape = np.shape(init)
    if any(np.shape(s) != shape for s in states):
        raise ValueError(
            "the state of a scan keeps its shape: "
            f"{next(np.shape(s) for s in states if np.shape(s) != shape)} is not {shape}"
        )
    return np.array(states) if states or not shape else np.zeros((0, *shape), np.asarray(init).dtype)


def shift1l(a: np.ndarray, fill: Any = 0.0) -> np.ndarray:
    """The array shifted one place to the left.

    Parameters
    ----------
    a : ndarray, shape (n, ...)
    fill : scalar
        The new value at the end.

    Returns
    -------
    ndarray, shape (n, ...)

    Examples
    --------
    >>> import linad
    >>> linad.shift1l(np.array([1.0, 2.0, 3.0]), 9.0)
    array([2., 3., 9.])
    """
    b = np.empty_like(a)
    b[:-1] = a[1:]
    b[-1:] = fill
    return b


def shift1r(a: np.ndarray, fill: Any = 0.0) -> np.ndarray:
    """The array shifted one place to the right.

    Parameters
    ----------
    a : ndarray, shape (n, ...)
    fill : scalar
        The new value at the start.

    Returns
    -------
    ndarray, shape (n, ...)

    Examples
    --------
    >>> import linad
    >>> linad.shift1r(np.array([1.0, 2.0, 3.0]), 9.0)
    array([9., 1., 2.])
    """
    b = np.empty_like(a)
    b[1:] = a[:-1]
    b[:1] = fill
    return b


def sum(n: int, f: Callable[[int], Any]) -> Any:
    """The sum ``f(0) + f(1) + ... + f(n - 1)``.

    Parameters
    ----------
    n : int
        The number of terms.
    f : callable
        A function from an index to a scalar or an array.

    Returns
    -------
    scalar or ndarray

    Examples
    --------
    >>> import linad
    >>> linad.sum(4, lambda i: i * 0.5)
    3.0
    """
    total = 0
    for i in range(n):
        total = total + f(i)
    return total
