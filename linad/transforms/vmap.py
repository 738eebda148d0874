"""Vectorisation over batches: apply a function along axes of its arguments, in one compiled loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from linad_typecheck.engine.values import Axes, AxesByKey, Transform

from ..boundary.arguments import described
from ..boundary.errors import refusal
from ..structures import parts
from .application import Transformed, checked, shared
from .linear import linear


def vmap(
    f: Callable[..., Any],
    in_axes: int | None | Sequence[Any] = 0,
    out_axes: int | None | Sequence[Any] = 0,
    axis_size: int | None = None,
) -> Transformed[..., Any]:
    """Vectorise a function over a batch: apply `f` along an axis of its arguments and stack the results.

    Parameters
    ----------
    f : function
        As for `jacfwd`. It only reads its arguments.
    in_axes : int, None, or tuple of them
        The axis of the arguments to map over, counted from the end if negative; None for an argument that is the same
        throughout. A tuple has an entry for each positional argument, which may be a tuple, record or dict again for
        an argument that is one. Arguments given by name are mapped over axis 0.
    out_axes : int, None, or tuple or dict of them
        The batch axis of the results; a tuple has an entry for each of several results, a dict for each key. None for a
        result that depends on no mapped argument: it is returned once, without a batch axis.
    axis_size : int, optional
        The size of the batch. It is needed only if no argument is mapped.

    Returns
    -------
    callable
        A function with the parameters of `f`. If `f` returns a number, it returns an array with one cell per batch
        element; if an array, an array with one more axis; if a tuple or record, a tuple or record of these. It is a
        single compiled function with a loop over the batch, which can be differentiated, and mapped again.

    Raises
    ------
    LinadError
        If `f` is not accepted or updates an argument, or if nothing is mapped; at a call, if an argument or a result
        has no such axis, or if a result has None for it and differs along the batch.
    TypeError
        If the axes are not ints.
    ValueError
        If `axis_size` is negative; at a call, if the axes that are mapped over together have different sizes.

    Notes
    -----
    It has JAX's arguments and defaults. A number given for a parameter with a default is not mapped, so defaults can be
    left out. An error raised for one batch element is raised for the batch.

    Examples
    --------
    >>> import numpy as np
    >>> import linad
    >>> @linad.linear_grad
    ... def distance(p, q):
    ...     return np.sqrt(np.sum((p - q) ** 2))
    >>> points = np.array([[3.0, 4.0], [6.0, 8.0]])
    >>> linad.vmap(distance, in_axes=(0, None))(points, np.zeros(2))
    array([ 5., 10.])
    >>> linad.vmap(linad.grad(distance), in_axes=(0, None))(points, np.zeros(2))
    array([[0.6, 0.8],
           [0.6, 0.8]])
    """
    if (held := linear(f)) is not None:
        step = _transform(in_axes, out_axes, axis_size)
        return held.under(step)  # type: ignore[return-value] - called in the same way
    function = checked(f, several=True)
    if function.options.updates:
        what = f"`{function.__name__}` updates an argument, and is not mapped"
        raise refusal("unsupported", what, help="let it work on a copy and return that: `y = y.copy()`")
    return shared(Transformed, function, (_transform(in_axes, out_axes, axis_size),))


def _transform(in_axes: Any, out_axes: Any, axis_size: Any) -> Transform:
    axes = _axes(in_axes, "in_axes")
    if axis_size is not None and (type(axis_size) is bool or not hasattr(axis_size, "__index__")):
        raise TypeError(f"axis_size: expected an int, got {described(axis_size)}")
    if axis_size is not None and axis_size < 0:
        raise ValueError(f"axis_size: {axis_size} is negative")
    if axis_size is None and not any(isinstance(a, int) for a in _flat(axes)):
        told = "give one of them the axis to map over, or give `axis_size`"
        raise refusal("bad-option", "`in_axes` maps over no argument", help=told)
    size = None if axis_size is None else int(axis_size)
    return Transform("vmap", in_axes=axes, out_axes=_axes(out_axes, "out_axes"), axis_size=size)


def _axes(given: Any, option: str) -> Axes:
    """Check an axis option: ints and None in nested tuples, records and dicts."""
    if isinstance(given, dict) and all(isinstance(key, str) for key in given):
        return AxesByKey(tuple(given), tuple(_axes(a, option) for a in given.values()))
    if (items := parts(given)) is not None and not isinstance(given, dict):
        return tuple(_axes(a, option) for a in items)
    if hasattr(given, "__index__") and not isinstance(given, bool):
        return int(given.__index__())
    if given is not None:
        raise TypeError(f"{option}: expected an int, None, or a tuple or dict of them, got {described(given)}")
    return None


def _flat(axes: Axes) -> list[Axes]:
    items = axes.axes if isinstance(axes, AxesByKey) else axes if isinstance(axes, tuple) else None
    return [axes] if items is None else [a for x in items for a in _flat(x)]
