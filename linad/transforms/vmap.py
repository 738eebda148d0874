"""Vectorisation over batches: apply a function along axes of its arguments, in one compiled loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from linad_typecheck.engine.values import Axes, Transform

from .. import derive
from ..boundary.arguments import described
from ..boundary.errors import refusal
from ..composed import linear_batch
from ..transformed import once
from .application import Transformed, checked, shared
from .linearize import Pushforward


def vmap(
    f: Callable[..., Any],
    in_axes: int | None | Sequence[Any] = 0,
    out_axes: int | Sequence[Any] = 0,
) -> Transformed[..., Any]:
    """Vectorise a function over a batch: apply `f` along an axis of its arguments and stack the results.

    Parameters
    ----------
    f : function
        A checked function, a plain one, or the result of another transform, including pullbacks and linearized
        functions. It only reads its arguments.
    in_axes : int, None, or tuple of them
        The axis of the arguments to map over, counted from the end if negative; None for an argument that is the same
        throughout. A tuple has an entry for each positional parameter, which may be a tuple again for an argument that
        is a tuple or record. Keyword-only parameters are mapped over axis 0.
    out_axes : int, or tuple of ints
        The batch axis of the results; a tuple has an entry for each of several results.

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
        has no such axis.
    TypeError
        If the axes are not ints.
    ValueError
        At a call, if the axes that are mapped over together have different sizes.

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
    if isinstance(f, derive.Pullback | Pushforward):
        return _of_linear(f, in_axes, out_axes)
    if getattr(f, "is_linear_batch", False):
        what = "what `vmap` gives for a pullback or a linearized function is not mapped again"
        raise refusal("unsupported", what, help="reshape the leading axes of the cotangents or tangents to one")
    function = checked(f, several=True)
    if function.options.updates:
        what = f"`{function.__name__}` updates an argument, and is not mapped"
        raise refusal("unsupported", what, help="let it work on a copy and return that: `y = y.copy()`")
    return shared(Transformed, function, (_transform(in_axes, out_axes),))


def _transform(in_axes: Any, out_axes: Any) -> Transform:
    axes = _axes(in_axes, "in_axes", (int, type(None)))
    if axes is None or isinstance(axes, tuple) and not any(isinstance(a, int) for a in _flat(axes)):
        raise refusal("bad-option", "`in_axes` maps over no argument", help="give one of them the axis to map over")
    return Transform("vmap", in_axes=axes, out_axes=_axes(out_axes, "out_axes", (int,)))


def _of_linear(f: derive.Pullback | Pushforward, in_axes: Any, out_axes: Any) -> Callable[..., Any]:
    """Of the linear functions that `vjp` and `linearize` give: their primal runs once, in each call."""
    step = _transform(in_axes, out_axes)
    if isinstance(f, Pushforward) and f.first:
        what = f"`{f.function.__name__}` was linearized with `has_aux`, and is not mapped"
        raise refusal("unsupported", what, help="linearize the function that returns the first of the pair")
    if isinstance(f, derive.Pullback):
        arguments, count, text = f.arguments, 1, "_function.vjp(...)[1]"
    else:
        arguments, count = f.primals, len(f.primals)
        text = "_linad.linearize(_function, ...)[1]"
    key = (_of_linear, text, step, count)
    batch = once(f.function._transforms, key, lambda: linear_batch(f.function, text, step, count))

    def call(*linear: Any) -> Any:
        if len(linear) != count:
            raise TypeError(f"vmap of {f!r}: expected {count} arguments, got {len(linear)}")
        return batch(*linear, *arguments)

    call.is_linear_batch = True  # type: ignore[attr-defined]
    return call


def _axes(given: Any, option: str, kinds: tuple[type, ...]) -> Axes:
    """Check an axis option: ints in nested tuples."""
    if isinstance(given, tuple | list):
        return tuple(_axes(a, option, kinds) for a in given)
    if hasattr(given, "__index__") and not isinstance(given, bool):
        return int(given.__index__())
    if type(given) not in kinds:
        told = "an int, None, or a tuple of them" if type(None) in kinds else "an int or a tuple of ints"
        raise TypeError(f"{option}: expected {told}, got {described(given)}")
    return given


def _flat(axes: tuple[Axes, ...]) -> list[Axes]:
    return [a for x in axes for a in (_flat(x) if isinstance(x, tuple) else [x])]
