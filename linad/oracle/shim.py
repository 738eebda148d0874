"""Scalars and arrays that behave like NumPy's with warnings disabled, and track whether they are weak.

This module alone implements the declared deviations from CPython (docs/reference/deviations.md) for the oracle. A weak
number is one that Python holds as `float` or `int`; a strong number comes from an array or a NumPy function.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..structures import parts, rebuilt


class Num:
    """A number: ``value`` is a NumPy scalar of f64, f32, i64 or i32; weak numbers are f64 or i64."""

    __slots__ = ("value", "weak")

    def __init__(self, value: Any, weak: bool) -> None:
        self.value, self.weak = value, weak

    @property
    def raw(self) -> Any:
        """The value to pass to NumPy so that its promotion sees whether the number is weak."""
        return self.value.item() if self.weak else self.value

    @property
    def dtype(self) -> np.dtype:
        return self.value.dtype

    @property
    def is_int(self) -> bool:
        return isinstance(self.value, np.integer)

    def __repr__(self) -> str:
        return repr(self.value.item())

    def __format__(self, spec: str) -> str:
        return format(self.value.item(), spec)

    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return bool(self.value != 0)

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __index__(self) -> int:
        if not self.is_int:
            raise TypeError(f"{self.dtype} cannot be an index")
        return int(self.value)

    def __neg__(self) -> Num:
        return Num(-self.value, self.weak)

    def __pos__(self) -> Num:
        return self

    def __abs__(self) -> Num:
        return Num(np.abs(self.value), self.weak)

    def __invert__(self) -> Num:
        return Num(~self.value, self.weak)

    def __round__(self, digits: Any = None) -> Any:
        if digits is None:
            whole = round(self.value.item())
            if not -(2**63) <= whole < 2**63:
                raise OverflowError(whole)
            return weak(whole)
        return Num(self.value.dtype.type(round(self.value, int(digits))), self.weak)


class Literal(Num):
    """A numeric literal of the source. The shim needs to recognise ``n ** -1`` with a literal exponent, which gives a
    float."""

    __slots__ = ()


def weak(value: float | int | bool) -> Any:
    """Convert a Python number to a weak shim value; ints wrap to 64 bits."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return Num(np.int64((value + 2**63) % 2**64 - 2**63), True)
    return Num(np.float64(value), True)


def wrap(value: Any) -> Any:
    """Convert a result of NumPy or Python to shim values."""
    match value:
        case Num() | Arr() | bool() | str() | None:
            return value
        case np.bool_():
            return bool(value)
        case np.generic():
            return Num(value, False)
        case float() | int():
            return weak(value)
        case np.ndarray():
            return Arr(value)
        case list():
            return [wrap(v) for v in value]
        case _:
            items = parts(value)
            return value if items is None else rebuilt(value, map(wrap, items))


def unwrap(value: Any) -> Any:
    """The inverse of `wrap`: weak numbers become Python's, strong ones NumPy's."""
    match value:
        case Num():
            return value.raw
        case Arr():
            return value.array
        case Cast():
            return value.type
        case Lifted():
            return value.function
        case slice():
            return slice(*(unwrap(v) for v in (value.start, value.stop, value.step)))
        case list():
            return [unwrap(v) for v in value]
        case _:
            items = parts(value)
            return value if items is None else rebuilt(value, map(unwrap, items))


def _both_weak(f: Callable, a: Num, b: Num) -> Any:
    return Num(f(a.value, b.value), True)


def _number(x: Any) -> Any:
    """Convert an operand to a `Num`; a bool counts as an int."""
    if isinstance(x, (bool, np.bool_)):
        return Num(np.int64(x), True)
    return wrap(x)


def _binary(f: Callable[[Any, Any], Any]) -> tuple[Callable, Callable]:
    def apply(a: Any, b: Any) -> Any:
        literal = isinstance(b, Literal)
        a, b = _number(a), _number(b)
        if not (isinstance(a, Num) and isinstance(b, Num)):
            return NotImplemented
        if f is operator.pow and a.is_int and a.weak and literal and b.value < 0:
            return _both_weak(f, Num(np.float64(a.value), True), b)
        if a.is_int and b.is_int and f in (operator.floordiv, operator.mod) and b.value == 0:
            raise ZeroDivisionError("integer division or modulo by zero")
        if f is operator.pow and a.is_int and b.is_int and b.value < 0:
            raise ValueError("Integers to negative integer powers are not allowed.")
        if a.weak and b.weak:
            return _both_weak(f, a, b)
        return wrap(f(a.raw, b.raw))

    return apply, lambda a, b: apply(b, a)


def _compare(f: Callable[[Any, Any], Any]) -> Callable:
    def apply(a: Any, b: Any) -> Any:
        a, b = _number(a), _number(b)
        if not (isinstance(a, Num) and isinstance(b, Num)):
            return NotImplemented
        return bool(f(a.value, b.value) if a.weak and b.weak else f(a.raw, b.raw))

    return apply


_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor")
_FUNCTIONS = {name: getattr(operator, f"{name}_" if name in ("and", "or") else name) for name in _BINARY}
for _name, _f in _FUNCTIONS.items():
    _apply, _swapped = _binary(_f)
    setattr(Num, f"__{_name}__", _apply)
    setattr(Num, f"__r{_name}__", _swapped)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Num, f"__{_name}__", _compare(getattr(operator, _name)))


class Arr:
    """An array whose elements are strong numbers. Like NumPy's arrays, it shares memory with its views."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __getitem__(self, key: Any) -> Any:
        return wrap(self.array[unwrap(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.array[unwrap(key)] = unwrap(value)

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self.array)))

    def __bool__(self) -> bool:
        return bool(self.array)

    def __float__(self) -> float:
        return float(self.array)

    def __int__(self) -> int:
        return int(self.array)

    def __index__(self) -> int:
        return self.array.__index__()

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.array, name)
        return lifted(value) if callable(value) and not isinstance(value, np.generic) else wrap(value)

    def __repr__(self) -> str:
        return repr(self.array)


def _array_binary(f: Callable[[Any, Any], Any]) -> tuple[Callable, Callable]:
    return lambda a, b: wrap(f(unwrap(a), unwrap(b))), lambda a, b: wrap(f(unwrap(b), unwrap(a)))


for _name, _f in {**_FUNCTIONS, "matmul": operator.matmul}.items():
    _apply, _swapped = _array_binary(_f)
    setattr(Arr, f"__{_name}__", _apply)
    setattr(Arr, f"__r{_name}__", _swapped)


def _in_place(f: Callable[[Any, Any], Any]) -> Callable:
    def apply(a: Arr, b: Any) -> Arr:
        f(a.array, unwrap(b))
        return a

    return apply


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Arr, f"__{_name}__", _array_binary(getattr(operator, _name))[0])
for _name in ("neg", "pos", "abs", "invert"):
    setattr(Arr, f"__{_name}__", lambda a, f=getattr(operator, _name): wrap(f(a.array)))
Arr.__hash__ = None  # type: ignore[assignment]


for _name in _BINARY:
    setattr(Arr, f"__i{_name}__", _in_place(getattr(operator, f"i{_name}")))


class Lifted:
    """A NumPy function on shim values. Its attributes, e.g. ``np.add.at``, are lifted too."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *args: Any, **options: Any) -> Any:
        return wrap(self.function(*map(unwrap, args), **{k: unwrap(v) for k, v in options.items()}))

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.function, name)
        return Lifted(value) if callable(value) else value


lifted = Lifted


class Cast:
    """``float``, ``np.float32`` and so on: a conversion when called, a type when passed as ``dtype``."""

    def __init__(self, type: type, convert: Callable[..., Any] | None = None) -> None:
        self.type = type
        self.convert = convert or (lambda x=0: wrap(type(unwrap(x))))

    def __call__(self, *args: Any) -> Any:
        return self.convert(*args)
