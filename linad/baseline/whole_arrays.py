"""NumPy's whole-array functions on arrays whose cells carry derivatives.

Functions that move, join or sum cells are NumPy's own, applied to object arrays. Functions that select cells decide on
the plain numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .active import WHOLE, Active, ActiveArray, as_cells, map_cells, plain, plain_array

_MOVED = """append array_split atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_to column_stack concat
concatenate diag diagonal dstack expand_dims flip fliplr flipud hstack meshgrid moveaxis ravel repeat reshape roll rot90
split squeeze stack swapaxes take tile transpose tril triu vstack"""
_SUMMED = "cumprod cumsum dot einsum inner matmul outer prod sum tensordot trace vdot"
_LOOKED_AT = (
    "all allclose any argmax argmin argsort array_equal count_nonzero flatnonzero isclose nonzero searchsorted signbit"
)


def _objects(x: Any) -> Any:
    """Replace active arrays in an argument by NumPy object arrays."""
    if isinstance(x, ActiveArray):
        return x.cells
    if isinstance(x, (list, tuple)):
        return type(x)(map(_objects, x))
    return x


def _dtypes(x: Any) -> list[Any]:
    """The operands that determine a result's dtype; Python floats are weak."""
    if isinstance(x, (ActiveArray, np.ndarray)):
        return [x.dtype]
    if isinstance(x, (list, tuple)):
        return [d for item in x for d in _dtypes(item)]
    return [plain(x)] if isinstance(x, (Active, float, np.floating)) else []


def _actively(x: Any, dtype: np.dtype, kind: type[Active]) -> Any:
    """Convert a NumPy result on object arrays to active values of a dtype."""
    if isinstance(x, (list, tuple)):
        return tuple(_actively(item, dtype, kind) for item in x)
    out = ActiveArray(np.asarray(x, dtype=object), dtype, kind)
    if not isinstance(x, np.ndarray):
        return out._cell(x)
    return (
        out._like(x) if all(getattr(c, "dtype", None) == dtype for c in x.flat) else out._like(map_cells(out._cell, x))
    )


def _by_numpy(kind: type[Active], f: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        found = [d for a in (*args, *options.values()) for d in _dtypes(a)]
        if not carries((*args, *options.values())):
            return f(*args, **options)
        dtype = np.dtype(options.pop("dtype", None) or np.result_type(*found))
        return _actively(f(*map(_objects, args), **{k: _objects(v) for k, v in options.items()}), dtype, kind)

    return call


def carries(x: Any) -> bool:
    """Whether a value, or anything nested in lists and tuples, carries a derivative."""
    return any(map(carries, x)) if isinstance(x, (list, tuple)) else isinstance(x, (Active, ActiveArray))


def _plain(x: Any) -> Any:
    return type(x)(map(_plain, x)) if isinstance(x, (list, tuple)) else plain_array(x)


def _of_values(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **options: f(*map(_plain, args), **{k: _plain(v) for k, v in options.items()})


def _picked(kind: type[Active], f: Callable[..., Any], choose: Callable[..., Any]) -> Callable[..., Any]:
    """A function that selects a cell, the first among equals, overall or along an axis."""

    def call(a: Any, axis: int | None = None, keepdims: bool = False) -> Any:
        if not isinstance(a, ActiveArray):
            return f(a, axis=axis, keepdims=keepdims)
        if a.size == 0:
            f(a.values, axis=axis)  # raises NumPy's own error
        values = a.values
        if axis is None:
            cell = a.cells.flat[int(choose(values))]
            return a._like(as_cells(cell).reshape((1,) * a.ndim)) if keepdims else cell
        at = np.expand_dims(choose(values, axis=axis), axis)
        out = np.take_along_axis(a.cells, at, axis)
        out = out if keepdims else np.squeeze(out, axis)
        return a._like(out) if out.ndim else out[()]

    return call


def _sorted(a: Any, axis: int = -1) -> Any:
    return (
        a._like(np.take_along_axis(a.cells, np.argsort(a.values, axis=axis, kind="stable"), axis))
        if isinstance(a, ActiveArray)
        else np.sort(a, axis=axis)
    )


def _mean(total: Callable[..., Any], a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    if not isinstance(a, ActiveArray):
        return np.mean(a, axis=axis, keepdims=keepdims)
    return total(a, axis=axis, keepdims=keepdims) / _count(a, axis)


def _count(a: Any, axis: Any) -> int:
    return a.size if axis is None else int(np.prod([a.shape[k] for k in np.atleast_1d(axis)]))


def _var(total: Callable[..., Any], a: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    off = a - _mean(total, a, axis, True)
    return total(off * off, axis=axis, keepdims=keepdims) / (_count(a, axis) - ddof)


def _add_at(sign: int) -> Callable[..., None]:
    def at(a: Any, index: Any, value: Any) -> None:
        places = np.asarray(np.arange(a.size).reshape(a.shape)[_plain(index)])
        given = np.broadcast_to(as_cells(value), places.shape)
        cells = [np.unravel_index(k, a.shape) for k in places.flat]
        for k, v in zip(cells, given.flat, strict=True):
            a[k] = a[k] + v if sign > 0 else a[k] - v

    return at


@functools.cache
def shims(kind: type[Active]) -> dict[str, Callable[..., Any]]:
    """NumPy's functions that take or return whole arrays, by name."""
    summed = {name: _by_numpy(kind, getattr(np, name)) for name in f"{_MOVED} {_SUMMED}".split() if hasattr(np, name)}
    total = summed["sum"]
    lowest, highest = _picked(kind, np.min, np.argmin), _picked(kind, np.max, np.argmax)
    var = functools.partial(_var, total)
    return {
        **summed,
        **{name: _of_values(getattr(np, name)) for name in _LOOKED_AT.split()},
        "min": lowest,
        "amin": lowest,
        "max": highest,
        "amax": highest,
        "ptp": lambda a, axis=None: highest(a, axis) - lowest(a, axis),
        "sort": _sorted,
        "mean": functools.partial(_mean, total),
        "var": var,
        "std": lambda *args, **options: _root(kind, var(*args, **options)),
        "size": lambda a, axis=None: a.size if axis is None else a.shape[axis],
        "shape": np.shape,
        "ndim": np.ndim,
    }


def _root(kind: type[Active], x: Any) -> Any:
    return (
        x._like(map_cells(lambda c: kind.apply("sqrt", c), x.cells))
        if isinstance(x, ActiveArray)
        else kind.apply("sqrt", x)
    )


def method(a: ActiveArray, name: str) -> Callable[..., Any]:
    """An array method, implemented by the NumPy function of the same name."""
    if name.startswith("_") or name not in _METHODS:
        raise AttributeError(f"an array that carries derivatives has no {name}")
    function = shims(a.kind)[name]
    if name in ("reshape", "transpose"):
        return lambda *args: function(a, args[0] if len(args) == 1 else args or None)
    return functools.partial(function, a)


_METHODS = frozenset(
    "all any argmax argmin argsort cumprod cumsum diagonal dot max mean min nonzero prod ptp ravel repeat reshape "
    "squeeze std sum swapaxes take trace transpose var".split()
)
AT = {"add": _add_at(1), "sub": _add_at(-1)}


WHOLE |= {"method": method, "shims": shims}
