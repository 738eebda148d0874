"""Forward mode: the undecorated function runs on dual numbers.

A number with tangent 0 contributes nothing, even if the partial derivative is infinite, so a variable that is held
fixed behaves like a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from ..structures import leaves, map_leaves, parts
from .active import Active, ActiveArray
from .rules import Number, Partials
from .structure import arguments, bare, collect, is_float, lift, pairs, run, strip, unit_cotangent


class Dual(Active):
    """A dual number: a value and its tangent."""

    __slots__ = ("tangent",)

    def __init__(self, value: Number, tangent: float = 0.0) -> None:
        self.value = value
        self.tangent = tangent

    @classmethod
    def constant(cls, value: Number) -> Self:
        return cls(value)

    @classmethod
    def record(cls, value: Number, inputs: tuple[object, ...], partials: Partials) -> Self:
        tangent = 0.0
        for x, p in zip(inputs, partials, strict=True):
            if isinstance(x, Dual) and p is not None and x.tangent != 0.0:
                tangent += float(p) * x.tangent
        return cls(value, tangent)


def _flat(x: Any) -> Iterator[float]:
    """The floats of a structure in order; None and ints contribute none."""
    for leaf in leaves(x):
        if is_float(leaf):
            yield from map(float, np.ravel(leaf))


def _tangent_of(result: Any) -> Any:
    def leaf(v: Any) -> Any:
        if isinstance(v, ActiveArray):
            out = np.zeros(v.shape, v.dtype)
            for i in np.ndindex(v.shape):
                out[i] = v.cells[i].tangent
            return out
        if isinstance(v, Dual):
            return type(v.value)(v.tangent)
        return type(v)(0.0) if is_float(v) else None

    return map_leaves(leaf, result)


def _run(f: Callable[..., Any], args: tuple[Any, ...], tangents: Iterator[float], updates: Sequence[str]) -> Any:
    return run(f, lift(args, Dual, lambda v: Dual(v, next(tangents))), Dual, updates)


def _matched(primal: Any, tangent: Any) -> Iterator[float]:
    """The tangents in the order of the primal's float leaves; None means zeros."""
    items = parts(primal)
    if items is not None:
        for p, t in zip(items, (None,) * len(items) if tangent is None else parts(tangent) or (), strict=True):
            yield from _matched(p, t)
    elif is_float(primal):
        if tangent is not None and np.shape(tangent) != np.shape(primal):
            raise ValueError(f"the tangent has shape {np.shape(tangent)}, its primal {np.shape(primal)}")
        yield from [0.0] * np.size(primal) if tangent is None else map(float, np.ravel(tangent))


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], updates: Sequence[str] = ()) -> Any:
    """Value and tangent of the result.

    Parameters
    ----------
    f : callable
        A plain or a checked function.
    primals, tangents : sequence
        One entry per parameter; the tangent of an int is None.
    updates : sequence of str
        Parameters whose final contents are part of the result.

    Returns
    -------
    value, tangent
    """
    args = arguments(f, primals)
    result = _run(f, args, _matched(tuple(args), tuple(tangents)), updates)
    return strip(result), _tangent_of(result)


def vjp(f: Callable[..., Any], args: Sequence[Any], cotangent: Any, updates: Sequence[str] = ()) -> tuple[Any, tuple]:
    """Value and gradients of ``<cotangent, f(args)>``, with one run per number in the arguments."""
    args = arguments(f, args)
    size = len(list(_flat(args)))
    value = strip(_run(f, args, iter([0.0] * size), updates))
    gradient = []
    for k in range(size):
        result = _run(f, args, iter([float(j == k) for j in range(size)]), updates)
        gradient.append(sum(d.tangent * c for d, c in pairs(result, cotangent) if c != 0.0))
    return value, collect(args, iter(gradient))


def value_and_gradient(f: Callable[..., Any], args: Sequence[Any], updates: Sequence[str] = ()) -> tuple[Any, Any]:
    """Value and gradient of a function whose result is a single float; updates of its arguments are ignored."""
    value = strip(run(f, lift(arguments(f, args), Dual, Dual), Dual))
    return value, bare(vjp(f, args, unit_cotangent(value))[1])


def gradient(f: Callable[..., Any], args: Sequence[Any]) -> Any:
    """The gradient: one entry per differentiable parameter, bare if there is only one."""
    return value_and_gradient(f, args)[1]
