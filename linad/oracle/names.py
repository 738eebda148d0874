"""The oracle's replacements for ``math``, ``numpy`` and the builtins."""

from __future__ import annotations

import builtins
import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from linad_typecheck.ops import OPS, Op

from .shim import Arr, Cast, Num, lifted, unwrap, weak, wrap

_TESTS = ("isnan", "isinf", "isfinite")


def _float_function(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function of `math`: computes in double precision for all operands, with IEEE results, and returns a weak float.
    """
    return lambda *args: Num(np.float64(f(*(np.float64(unwrap(a)) for a in args))), True)


def _ieee(f: Callable[[float], float], pole: float = math.nan) -> Callable[[Any], float]:
    def apply(x: Any) -> float:
        try:
            return f(float(x))
        except OverflowError:
            return math.inf
        except ValueError:
            return pole

    return apply


def _gamma(x: float) -> float:
    if abs(x) < 1e-300:  # its pole and arguments for which it overflows
        return math.copysign(math.inf, x)
    return math.gamma(x)


def _remainder(x: Any, y: Any) -> Any:
    return math.remainder(x, y) if math.isfinite(x) and y != 0 and y == y else math.nan


def _to_int(f: Callable[..., int]) -> Callable[..., Any]:
    """A conversion of a number to an int that raises OverflowError if the result needs more than 64 bits."""

    def convert(x: Any = 0, *digits: Any) -> Any:
        value = f(unwrap(x), *map(unwrap, digits))
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise OverflowError(value)
        return wrap(value)

    return convert


def _log(x: Any, base: Any = None) -> Num:
    top = np.log(np.float64(unwrap(x)))
    return Num(top if base is None else top / np.log(np.float64(unwrap(base))), True)


def _counted(f: Callable[..., int]) -> Callable[..., Num]:
    """A counting function that raises OverflowError if the count does not fit 64 bits, as compiled code does."""

    def call(*args: Any) -> Num:
        count = f(*map(unwrap, args))
        if count >= 2**63:
            raise OverflowError(count)
        return weak(count)

    return call


class _Library:
    """A module with some names replaced; its other functions are lifted, and its numbers are weak."""

    def __init__(self, module: Any, names: dict[str, Any]) -> None:
        self._module, self._names = module, names

    def __getattr__(self, name: str) -> Any:
        if name in self._names:
            return self._names[name]
        value = getattr(self._module, name)
        if isinstance(value, type) and issubclass(value, np.generic):
            return Cast(value)
        if isinstance(value, type(np)):
            return _Library(value, {})
        return lifted(value) if callable(value) and not isinstance(value, type) else wrap(value)


def library(module: Any) -> Any:
    """A module with its functions lifted to shim values."""
    return _Library(module, {})


def _of_floats(op: Op) -> Callable[..., Any]:
    """A function of `math` implemented by its NumPy counterpart."""
    f = getattr(np, op.numpy[0])
    return _float_function((lambda *xs: functools.reduce(f, xs, np.float64(0.0))) if op.variadic else f)


MATH = _Library(
    math,
    {
        **{n: _float_function(getattr(np, n)) for n in ("fmod", "degrees", "radians")},
        **{op.math: _of_floats(op) for op in OPS.values() if op.math and op.numpy},
        **{n: _counted(getattr(math, n)) for n in ("comb", "perm", "factorial")},
        "pow": _float_function(np.power),
        "erf": _float_function(_ieee(math.erf)),
        "erfc": _float_function(_ieee(math.erfc)),
        "gamma": _float_function(_ieee(_gamma)),
        "remainder": _float_function(_remainder),
        "ldexp": lambda x, k: Num(np.ldexp(np.float64(unwrap(x)), int(k)), True),
        **{n: _to_int(getattr(math, n)) for n in ("floor", "ceil", "trunc")},
        "lgamma": _float_function(_ieee(math.lgamma, math.inf)),
        "log": _log,
        **{n: lambda x, f=getattr(np, n): bool(f(unwrap(x))) for n in _TESTS},
    },
)


def _where(condition: Any, x: Any, y: Any) -> Any:
    """`np.where`. If all operands are scalars, NumPy returns an array of rank 0; the scalar in it is returned instead.
    """
    chosen = np.where(unwrap(condition), unwrap(x), unwrap(y))
    return wrap(chosen[()] if chosen.ndim == 0 else chosen)


NUMPY = _Library(np, {"where": _where})


class Range:
    """`range` with items that wrap to 64 bits."""

    def __init__(self, *bounds: Any) -> None:
        self.range = builtins.range(*map(builtins.int, bounds)) if all(map(_is_int, bounds)) else _no_range(bounds)

    def __iter__(self) -> Iterator[Any]:
        return map(weak, self.range)

    def __reversed__(self) -> Iterator[Any]:
        return map(weak, builtins.reversed(self.range))

    def __len__(self) -> int:
        return builtins.len(self.range)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            bounds = (None if b is None else builtins.int(b) for b in (k.start, k.stop, k.step))
            part = self.range[slice(*bounds)]
            return Range(part.start, part.stop, part.step)
        return weak(self.range[k])

    def __contains__(self, v: Any) -> bool:
        return builtins.int(v) in self.range if _is_int(v) else any(v == k for k in self)


def _is_int(x: Any) -> bool:
    return isinstance(x, (builtins.int, np.integer)) or (isinstance(x, Num) and x.is_int)


def _no_range(bounds: tuple[Any, ...]) -> builtins.range:
    raise TypeError(f"range of {bounds}")


def _extremum(better: Callable[[Any, Any], bool]) -> Callable[..., Any]:
    """Python's `min` or `max`, converted to the common type of all candidates."""

    def choose(*args: Any, **keywords: Any) -> Any:
        items = [wrap(a) for a in (args if builtins.len(args) > 1 else args[0])]
        if not items and "default" in keywords:
            return wrap(keywords["default"])
        if "key" in keywords:
            keys = [wrap(keywords["key"](i)) for i in items]
            places = builtins.range(builtins.len(items))
            return items[functools.reduce(lambda a, b: b if better(keys[b], keys[a]) else a, places)]
        if not items:
            raise ValueError("min() or max() of nothing")
        best = items[0]
        for item in items[1:]:
            best = item if better(item, best) else best
        if not all(isinstance(i, Num) for i in items):
            return best
        kind = np.result_type(*(i.raw for i in items))
        every_weak = all(i.weak for i in items)
        return Num((np.float64 if every_weak and kind.kind == "f" else kind.type)(best.value), every_weak)

    return choose


def _sum(items: Any, start: Any = 0) -> Any:
    total = wrap(start)
    for item in items:
        total = total + item
    return total


BUILTINS: dict[str, Any] = {
    "range": Range,
    "len": lambda a: weak(builtins.len(a)),
    "float": Cast(float, lambda x=0.0: Num(np.float64(unwrap(x)), True)),
    "int": Cast(int, _to_int(builtins.int)),
    "bool": Cast(bool, lambda x=False: builtins.bool(x)),
    "min": _extremum(lambda item, best: item < best),
    "max": _extremum(lambda item, best: item > best),
    "sum": _sum,
    "pow": lambda a, b: wrap(a) ** wrap(b),
    "divmod": lambda a, b: (wrap(a) // wrap(b), wrap(a) % wrap(b)),
    "enumerate": lambda items, start=0: ((weak(builtins.int(start) + k), v) for k, v in builtins.enumerate(items)),
}

__all__ = ["BUILTINS", "MATH", "NUMPY", "Arr", "library"]
