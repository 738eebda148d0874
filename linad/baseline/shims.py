"""``math``, ``numpy`` and builtins for values that carry derivatives; a table per module maps names to primitives."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from linad_typecheck.ops import OPS

from . import whole_arrays
from .active import Active, ActiveArray, as_cells, map_cells, plain
from .rules import evaluate

Shims = dict[str, Any]

MATH: dict[str, str] = {**{op.math: op.name for op in OPS.values() if op.math}, "fmod": "fmod", "pow": "pow"}

NUMPY: dict[str, str] = {
    **{name: op.name for op in OPS.values() for name in op.numpy},
    **{name: name for name in ("fmod", "minimum", "maximum", "fmin", "fmax")},
    "negative": "neg",
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "floor_divide": "floordiv",
    "mod": "mod",
    "remainder": "mod",
    "power": "pow",
    "pow": "pow",
}


def _apply(kind: type[Active], op: str, *ins: Any) -> Any:
    """Apply a primitive; the result is active if an operand is, else a plain number."""
    return kind.apply(op, *ins) if any(isinstance(x, Active) for x in ins) else evaluate(op, *ins)[0]


def _to_float(x: Any) -> Any:
    return x.cast(float) if isinstance(x, Active) else float(x)


def math_shims(kind: type[Active]) -> Shims:
    """The functions of ``math``: they compute in double precision for all operands and return a Python float."""

    def scalar(op: str) -> Callable[..., Any]:
        return lambda *ins: _apply(kind, op, *map(_to_float, ins))

    def log(x: Any, base: Any = None) -> Any:
        top = _apply(kind, "log", _to_float(x))
        return top if base is None else _apply(kind, "div", top, _apply(kind, "log", _to_float(base)))

    def test(ufunc: np.ufunc) -> Callable[[Any], bool]:
        return lambda x: bool(ufunc(plain(x)))

    def whole(ufunc: np.ufunc) -> Callable[[Any], int]:
        return lambda x: int(ufunc(plain(x)))

    return {
        **{name: scalar(op) for name, op in MATH.items()},
        "log": log,
        **{name: test(getattr(np, name)) for name in ("isnan", "isinf", "isfinite")},
        **{name: whole(getattr(np, name)) for name in ("floor", "ceil", "trunc")},
        "degrees": lambda x: _to_float(x) * (180.0 / np.pi),
        "radians": lambda x: _to_float(x) * (np.pi / 180.0),
    }


class Cast:
    """``float`` or a NumPy float type: converts when called, and denotes the type when passed as ``dtype=``."""

    def __init__(self, type: type) -> None:
        self.type = type

    def __call__(self, x: Any = 0.0) -> Any:
        return x.cast(self.type) if isinstance(x, Active) else self.type(x)

    def __instancecheck__(self, x: Any) -> bool:
        return isinstance(plain(x), self.type)


def real_dtype(dtype: Any) -> Any:
    return dtype.type if isinstance(dtype, Cast) else dtype


def numpy_shims(kind: type[Active]) -> Shims:
    return {
        **{name: _ufunc(kind, op) for name, op in NUMPY.items()},
        "square": _ufunc(kind, "mul", lambda x: (x, x)),
        "positive": lambda x: +x,
        "reciprocal": _ufunc(kind, "div", lambda x: (1.0, x)),
        **{name: _test(getattr(np, name)) for name in ("isnan", "isinf", "isfinite")},
        **_constructors(kind),
        **whole_arrays.shims(kind),
        "float64": Cast(np.float64),
        "float32": Cast(np.float32),
        "where": functools.partial(_where, kind),
        "clip": functools.partial(_clip, kind),
    }


def _clip(kind: type[Active], x: Any, low: Any = None, high: Any = None) -> Any:
    x = x if low is None else _ufunc(kind, "maximum")(x, low)
    return x if high is None else _ufunc(kind, "minimum")(x, high)


def _is_array(x: Any) -> bool:
    return isinstance(x, (ActiveArray, np.ndarray, list, tuple))


def _ufunc(kind: type[Active], op: str, operands: Callable[..., tuple] | None = None) -> Callable[..., Any]:
    """An elementwise function; weak scalars alone give an f64, as they do in NumPy."""

    def call(*given: Any) -> Any:
        ins = operands(*given) if operands else given
        if any(map(_is_array, ins)):
            parts = np.broadcast_arrays(*map(as_cells, ins))
            cells = np.empty(parts[0].shape, dtype=object)
            cells.flat = [kind.apply(op, *cell) for cell in zip(*(p.flat for p in parts), strict=True)]
            return ActiveArray(cells, _common_dtype(cells, ins), kind)
        if not any(isinstance(plain(x), np.number) for x in ins):
            ins = tuple(x.cast(np.float64) if isinstance(x, Active) else np.float64(x) for x in ins)
        return _apply(kind, op, *ins)

    if op in whole_arrays.AT:
        call.at = whole_arrays.AT[op]
    return call


def _common_dtype(cells: np.ndarray, ins: tuple[Any, ...]) -> np.dtype:
    if cells.size:
        return np.result_type(cells.flat[0].value)
    return np.result_type(*(x.dtype for x in ins if hasattr(x, "dtype")))


def _test(ufunc: np.ufunc) -> Callable[[Any], Any]:
    return lambda x: ufunc(x.values) if isinstance(x, ActiveArray) else ufunc(plain(x))


def _where(kind: type[Active], condition: Any, x: Any, y: Any) -> Any:
    if not any(map(_is_array, (condition, x, y))):
        if not any(isinstance(v, (Active, float, np.floating)) for v in (x, y)):
            return x if condition else y
        type_ = np.result_type(plain(x), plain(y)).type
        chosen = kind.apply("select", bool(condition), x, y)
        return chosen.cast(type_)
    c, a, b = np.broadcast_arrays(*map(as_cells, (condition, x, y)))
    cells = np.empty(c.shape, dtype=object)
    cells.flat = [_where(kind, *cell) for cell in zip(c.flat, a.flat, b.flat, strict=True)]
    if cells.size and not isinstance(cells.flat[0], Active):
        return np.array(cells.tolist())
    return ActiveArray(cells, _common_dtype(cells, (x, y)), kind)


def _constructors(kind: type[Active]) -> Shims:
    def wrap(values: np.ndarray) -> Any:
        return ActiveArray.constant(values, kind) if values.dtype.kind == "f" else values

    def filled(value: Any) -> Callable[..., Any]:
        def make(shape: Any, dtype: Any = float) -> Any:
            values = np.zeros(shape, real_dtype(dtype))
            values[...] = value if values.dtype.kind == "f" else 0 if np.isnan(value) else value
            return wrap(values)

        return make

    def full(shape: Any, value: Any, dtype: Any = None) -> Any:
        guess = np.asarray(plain(value)).dtype if dtype is None else real_dtype(dtype)
        out = wrap(np.zeros(shape, guess))
        out[...] = value
        return out

    def like(make: Callable[..., Any]) -> Callable[..., Any]:
        return lambda a, *value, dtype=None: make(np.shape(as_cells(a)), *value, dtype=dtype or a.dtype)

    def array(x: Any, dtype: Any = None) -> Any:
        if isinstance(x, np.ndarray) or (_is_array(x) and not any(isinstance(c, Active) for c in as_cells(x).flat)):
            return wrap(np.array(x, dtype=real_dtype(dtype)))
        cells = as_cells(x)
        type_ = (
            np.result_type(*(np.asarray(plain(c)).dtype for c in cells.flat)) if dtype is None else real_dtype(dtype)
        )
        out = wrap(np.zeros(cells.shape, type_))
        for i in np.ndindex(cells.shape):
            out[i] = cells[i]
        return out

    def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True) -> Any:
        if not whole_arrays.carries((start, stop)):
            return wrap(np.linspace(start, stop, num, endpoint))
        steps = wrap(np.arange(num).astype(float))
        return steps * ((stop - start) / (max(num - 1, 1) if endpoint else num)) + start

    plain_makers = {"zeros": filled(0.0), "ones": filled(1.0), "empty": filled(np.nan), "full": full}
    return {
        **plain_makers,
        **{f"{name}_like": like(make) for name, make in plain_makers.items()},
        "array": array,
        "asarray": lambda x, dtype=None: x if isinstance(x, ActiveArray) and dtype is None else array(x, dtype),
        "copy": lambda a: a.copy(),
        "linspace": linspace,
        **{name: _real_made(getattr(np, name), wrap) for name in ("arange", "eye", "identity")},
    }


def _real_made(make: Callable[..., np.ndarray], wrap: Callable[[np.ndarray], Any]) -> Callable[..., Any]:
    return lambda *args, dtype=None: wrap(make(*map(plain, args), dtype=real_dtype(dtype)))


def builtin_shims(kind: type[Active]) -> Shims:
    def extreme(op: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **keywords: Any) -> Any:
            values = args if len(args) > 1 else tuple(args[0])
            if "key" in keywords or not any(isinstance(v, Active) for v in values):
                return real(values, **keywords)
            return functools.reduce(lambda a, b: kind.apply(op, a, b), values)

        return call

    return {"min": extreme("min", builtins.min), "max": extreme("max", builtins.max), "float": Cast(float)}


__all__ = ["MATH", "NUMPY", "builtin_shims", "map_cells", "math_shims", "numpy_shims"]
