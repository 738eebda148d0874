"""For the tests of users: gradients against central differences, and Hypothesis strategies of arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .structures import leaves, map_leaves, parts, rebuilt

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from .decorator import LinearGrad

__all__ = ["check_grads", "float_arrays", "index_arrays", "tame_floats"]


@dataclass(frozen=True)
class _Cell:
    """One number of one argument: where it is, and its value there."""

    argument: int
    path: tuple[int, ...]  # into nested tuples
    index: tuple[int, ...]  # into the array


def _differentiable(f: Any, args: Sequence[Any]) -> list[int]:
    """Positions of the parameters that `grad` answers for."""
    plain = getattr(f, "py_func", f)
    parameters = list(inspect.signature(plain).parameters.values())
    wrt = getattr(getattr(f, "options", None), "wrt", None)
    if wrt is not None:
        wanted = {parameters[w].name if isinstance(w, int) else w for w in ([wrt] if isinstance(wrt, int | str) else wrt)}
        return [k for k, p in enumerate(parameters) if p.name in wanted]
    return [k for k, (p, a) in enumerate(zip(parameters, args)) if p.annotation in (float, "float") or _has_float(a)]


def _has_float(a: Any) -> bool:
    items = parts(a)
    if items is not None:
        return any(map(_has_float, items))
    return not isinstance(a, bool | int) and np.asarray(a).dtype.kind == "f"


def _cells(value: Any, argument: int, path: tuple[int, ...] = (), declared: bool = False) -> Iterator[_Cell]:
    items = parts(value)
    if items is not None:
        for k, v in enumerate(items):
            yield from _cells(v, argument, (*path, k), declared)
    elif declared or _has_float(value):
        for index in np.ndindex(np.shape(value)):
            yield _Cell(argument, path, index)


def _at(value: Any, cell: _Cell) -> Any:
    for k in cell.path:
        value = parts(value)[k]
    return value[cell.index] if isinstance(value, np.ndarray) else value


def _moved(value: Any, path: tuple[int, ...], index: tuple[int, ...], by: float) -> tuple[Any, float]:
    """A copy of an argument with one number moved, and by how much it really moved."""
    if path:
        items = list(parts(value))
        items[path[0]], really = _moved(items[path[0]], path[1:], index, by)
        return rebuilt(value, items), really
    if isinstance(value, np.ndarray):
        copy = value.copy()
        copy[index] += by
        return copy, float(copy[index]) - float(value[index])
    moved = value.dtype.type(value + by) if isinstance(value, np.floating) else float(value) + by
    return moved, float(moved) - float(value)


def _copied(args: Sequence[Any]) -> list[Any]:
    return [map_leaves(lambda x: x.copy() if isinstance(x, np.ndarray) else x, a) for a in args]


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 1,
    modes: Sequence[str] = ("fwd", "rev"),
    rtol: float | None = None,
    atol: float | None = None,
) -> None:
    """Compare the derivatives of a checked function with central differences, number by number.

    Parameters
    ----------
    f : LinearGrad
        A function decorated with `linad.linear_grad`, or a plain one, whose result is a float.
    args : sequence
        Positional arguments at which to check; stay away from kinks. They are not changed.
    order : int
        1: first derivatives; 2: second derivatives, too.
    modes : sequence of str
        ``"rev"``: reverse mode, against differences; ``"fwd"``: forward mode in one direction, against reverse mode. Of
        second derivatives, the product of the Hessian with one direction is compared with differences of the gradient:
        reverse over reverse, and forward over reverse.
    rtol, atol : float, optional
        Tolerances; by default 1e-5 and 1e-6, where f32 is involved 1e-2 and 1e-3.

    Raises
    ------
    AssertionError
        With the argument and index that are furthest off, and both numbers.
    ValueError
        For an order or a mode that does not exist, or where no argument is differentiable.

    Examples
    --------
    >>> import math
    >>> from linad import linear_grad
    >>> from linad.testing import check_grads
    >>> @linear_grad
    ... def damped(x: float, c: float) -> float:
    ...     return math.exp(-c * x) * math.sin(x)
    >>> check_grads(damped, (0.5, 2.0), order=2)
    """
    if order not in (1, 2):
        raise ValueError(f"derivatives of order 1 or 2 are checked, not of order {order}")
    unknown = [m for m in modes if m not in ("fwd", "rev")]
    if unknown:
        raise ValueError(f"there is no mode {unknown[0]!r} to check, only 'fwd' and 'rev'")
    from .transforms.application import checked

    f = f if hasattr(f, "value_and_grad") else checked(f)
    positions = _differentiable(f, args)
    if not positions:
        raise ValueError("none of the arguments is differentiable")
    value, gradient = f.value_and_grad(*_copied(args))
    plain_value = f(*_copied(args))
    if not np.array_equal(value, plain_value, equal_nan=True):
        _close("the value of value_and_grad", float(value), float(plain_value), rtol or 1e-9)
    single = any(_single(a) for a in args)
    rtol = rtol if rtol is not None else (1e-2 if single else 1e-5)
    atol = atol if atol is not None else (1e-3 if single else 1e-6)
    entries = dict(zip(positions, (gradient,) if len(positions) == 1 else gradient, strict=True))
    if "fwd" in modes:
        _check_direction(f, args, entries, max(rtol, 1e-9), atol)
    if "rev" in modes:
        _check_cells("derivative", f, f, args, entries, rtol, atol)
    if order == 2:
        _check_second(f, args, gradient, positions, modes, rtol, atol)


def _check_second(
    f: LinearGrad[..., Any],
    args: Sequence[Any],
    gradient: Any,
    positions: Sequence[int],
    modes: Sequence[str],
    rtol: float,
    atol: float,
) -> None:
    """Products of the Hessian with one direction against differences of the gradient along it."""
    from .transforms.hessian import gradient as of

    second = of(f).composed
    entries = dict(zip(positions, [gradient] if len(positions) == 1 else gradient, strict=True))
    direction = tuple(step for step, _ in _directions(entries, args).values())
    cotangent = direction[0] if len(positions) == 1 else direction

    def slope(*given: Any) -> float:
        return _dot(cotangent, f.grad(*given))

    products: dict[str, Any] = {}
    if "rev" in modes:
        every = iter(second.vjp(*_copied(args))[1](cotangent))
        products["reverse over reverse"] = [next(every) for _ in positions]
    if "fwd" in modes:
        tangents = dict(zip(positions, direction, strict=True))
        product = second.jvp(_copied(args), tuple(tangents.get(k) for k in range(len(args))))[1]
        products["forward over reverse"] = [product] if len(positions) == 1 else product
    for mode, found in products.items():
        entries = dict(zip(positions, found, strict=True))
        _check_cells(f"derivative of the gradient along a direction, {mode},", f, slope, args, entries, rtol, atol)


def _dot(a: Any, b: Any) -> float:
    items = parts(a)
    if items is not None:
        return sum(_dot(x, y) for x, y in zip(items, parts(b), strict=True))
    return 0.0 if b is None else float(np.sum(np.multiply(a, b)))


def _check_cells(
    what: str,
    f: LinearGrad[..., Any],
    function: Callable[..., Any],
    args: Sequence[Any],
    entries: dict[int, Any],
    rtol: float,
    atol: float,
) -> None:
    """Each number of a gradient of ``function``, which has the parameters of ``f``, against its central difference."""
    names = list(inspect.signature(getattr(f, "py_func", f)).parameters)
    worst: tuple[float, str] | None = None
    for position, entry in entries.items():
        for cell in _cells(args[position], position, declared=True):
            if _at(entry, cell) is None:  # of an int
                continue
            ours, theirs = float(_at(entry, cell)), _difference_quotient(function, args, cell)
            excess = abs(ours - theirs) - (atol + rtol * abs(theirs))
            if not excess <= 0 and not (np.isnan(ours) and np.isnan(theirs)):
                place = names[position] + "".join(f"[{k}]" for k in cell.path)
                place += f"[{', '.join(map(str, cell.index))}]" if cell.index else ""
                excess = np.inf if np.isnan(excess) else excess
                if worst is None or excess > worst[0]:
                    worst = excess, f"the {what} by {place} is {ours!r}, central differences give {theirs!r}"
    assert worst is None, worst[1]


def _directions(gradient: dict[int, Any], args: Sequence[Any]) -> dict[int, tuple[Any, float]]:
    """A direction for each entry of a gradient, of its structure, and the product of both."""
    steps = np.random.default_rng(0)

    def along(g: Any, x: Any) -> tuple[Any, float]:
        items = parts(g)
        if items is not None:
            pairs = [along(part, value) for part, value in zip(items, parts(x), strict=True)]
            return rebuilt(g, (step for step, _ in pairs)), sum(d for _, d in pairs)
        if g is None:
            return 0, 0.0
        step = steps.standard_normal(np.shape(g)).astype(np.asarray(g).dtype)
        return (step if np.ndim(g) or isinstance(x, np.ndarray) else float(step)), float(np.sum(step * g))

    return {k: along(g, args[k]) for k, g in gradient.items()}


def _check_direction(
    f: Callable[..., Any], args: Sequence[Any], gradient: dict[int, Any], rtol: float, atol: float
) -> None:
    """The tangent in one direction against the gradient times that direction."""
    steps_of = _directions(gradient, args)
    tangents = tuple(steps_of[k][0] if k in steps_of else None for k in range(len(args)))
    _, tangent = f.jvp(_copied(args), tangents)
    tangent = tangent[0] if isinstance(tangent, tuple) else tangent
    expected = sum(d for _, d in steps_of.values())
    if not np.isclose(tangent, expected, rtol=rtol, atol=atol, equal_nan=True):
        raise AssertionError(f"forward mode gives {float(tangent)!r} in a direction in which reverse mode gives {expected!r}")


def _close(what: str, a: float, b: float, rtol: float) -> None:
    assert np.isclose(a, b, rtol=rtol, equal_nan=True), f"{what} is {a!r}, a call gives {b!r}"


def _single(a: Any) -> bool:
    return any(getattr(leaf, "dtype", None) == np.float32 for leaf in leaves(a))


def _difference_quotient(f: Callable[..., Any], args: Sequence[Any], cell: _Cell) -> float:
    at = args[cell.argument]
    number = _at(at, cell)
    single = any(_single(a) for a in args)
    step = (float(np.finfo(np.float32 if single else np.float64).eps) ** (1 / 3)) * max(1.0, abs(float(number)))
    ends = []
    for by in (step, -step):
        moved, really = _moved(at, cell.path, cell.index, by)
        given = _copied(args)
        given[cell.argument] = moved
        ends.append((float(f(*given)), really))
    (up, forward), (down, back) = ends
    return (up - down) / (forward - back)


# ------------------------------------------------------------------------------------------------------ strategies


def tame_floats(low: float = -3.0, high: float = 3.0) -> SearchStrategy[float]:
    """Hypothesis: finite floats of moderate size, none so small that squares vanish.

    Parameters
    ----------
    low, high : float
        The bounds.

    Returns
    -------
    SearchStrategy
        Of floats; 0.0 in place of those below 1e-3.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(tame_floats(), lambda x: True)
    0.0
    """
    from hypothesis import strategies as st

    return st.floats(low, high, allow_nan=False).map(lambda x: 0.0 if abs(x) < 1e-3 else x)


def float_arrays(shape: int | tuple[int, ...], dtype: type = np.float64) -> SearchStrategy[np.ndarray]:
    """Hypothesis: arrays of `tame_floats`.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : type
        Of the cells.

    Returns
    -------
    SearchStrategy
        Of arrays.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(float_arrays(2), lambda x: True)
    array([0., 0.])
    """
    from hypothesis import strategies as st

    shape = (shape,) if isinstance(shape, int) else shape
    size = int(np.prod(shape))
    cells = st.lists(tame_floats(), min_size=size, max_size=size)
    return cells.map(lambda c: np.array(c, dtype).reshape(shape))


def index_arrays(length: int, size: int, negative: bool = True) -> SearchStrategy[np.ndarray]:
    """Hypothesis: arrays of valid indices.

    Parameters
    ----------
    length : int
        Of the array.
    size : int
        Of the axis that is indexed.
    negative : bool
        Whether indices from the end are among them.

    Returns
    -------
    SearchStrategy
        Of arrays of int64, shape (length,).

    Examples
    --------
    >>> from hypothesis import find
    >>> find(index_arrays(2, 5), lambda x: True)
    array([0, 0])
    """
    from hypothesis import strategies as st

    cell = st.integers(-size if negative else 0, size - 1)
    return st.lists(cell, min_size=length, max_size=length).map(lambda c: np.array(c, np.int64))
