"""Scalars and arrays that replace floats while the user's undecorated function runs.

A back end is a subclass of `Active` whose `record` handles a result and its partial derivatives. The operators,
comparisons and arrays are shared by all back ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

from .rules import Number, Partials, evaluate


class Active:
    """A float that carries derivative information; ``value`` is a Python float if it is weak, otherwise a NumPy scalar.
    """

    __slots__ = ("value",)
    __array_ufunc__ = None  # NumPy scalars and arrays on the left defer to this class
    value: Number

    @classmethod
    def constant(cls, value: Number) -> Self:
        raise TypeError(cls)

    @classmethod
    def record(cls, value: Number, inputs: tuple[object, ...], partials: Partials) -> Self:
        """Record the result of a primitive. Inputs that are plain numbers and partials that are None contribute
        nothing."""
        raise TypeError(cls)

    @classmethod
    def apply(cls, op: str, *inputs: object) -> Self:
        value, partials = evaluate(op, *(plain(x) for x in inputs))
        return cls.record(value, inputs, partials)

    def cast(self, kind: Callable[[Number], Number]) -> Self:
        """The same value in another precision; the derivative passes through."""
        return type(self).record(kind(self.value), (self,), (1.0,))

    def __stop_gradient__(self) -> Number:
        return self.value

    def _binary(self, op: str, other: object) -> Any:
        if isinstance(other, np.ndarray):
            return ActiveArray.constant(other, type(self))._broadcast(op, self, swapped=True)
        return self.apply(op, self, other) if is_number(other) else NotImplemented

    def _swapped(self, op: str, other: object) -> Any:
        if isinstance(other, np.ndarray):
            return ActiveArray.constant(other, type(self))._broadcast(op, self)
        return self.apply(op, other, self) if is_number(other) else NotImplemented

    def __add__(self, other):
        return self._binary("add", other)

    def __radd__(self, other):
        return self._swapped("add", other)

    def __sub__(self, other):
        return self._binary("sub", other)

    def __rsub__(self, other):
        return self._swapped("sub", other)

    def __mul__(self, other):
        return self._binary("mul", other)

    def __rmul__(self, other):
        return self._swapped("mul", other)

    def __truediv__(self, other):
        return self._binary("div", other)

    def __rtruediv__(self, other):
        return self._swapped("div", other)

    def __floordiv__(self, other):
        return self._binary("floordiv", other)

    def __rfloordiv__(self, other):
        return self._swapped("floordiv", other)

    def __mod__(self, other):
        return self._binary("mod", other)

    def __rmod__(self, other):
        return self._swapped("mod", other)

    def __divmod__(self, other):
        return self // other, self % other

    def __pow__(self, other):
        whole = isinstance(other, (int, np.integer)) and not isinstance(other, bool)
        return self._binary("powi" if whole else "pow", other)

    def __rpow__(self, other):
        return self._swapped("pow", other)

    def __neg__(self):
        return self.apply("neg", self)

    def __pos__(self):
        return self

    def __abs__(self):
        return self.apply("abs", self)

    def __lt__(self, other):
        return compare(np.less, self, other)

    def __le__(self, other):
        return compare(np.less_equal, self, other)

    def __gt__(self, other):
        return compare(np.greater, self, other)

    def __ge__(self, other):
        return compare(np.greater_equal, self, other)

    def __eq__(self, other):
        return compare(np.equal, self, other)

    def __ne__(self, other):
        return compare(np.not_equal, self, other)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __trunc__(self) -> int:
        return int(self.value)

    def __floor__(self) -> int:
        return int(np.floor(self.value))

    def __ceil__(self) -> int:
        return int(np.ceil(self.value))

    def __round__(self, digits: int | None = None):
        return int(np.rint(self.value)) if digits is None else round(float(self.value), digits)

    def __float__(self) -> float:
        raise TypeError("a value that carries a derivative is used where only a plain float can go")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value!r})"

    @property
    def dtype(self) -> np.dtype:
        return np.result_type(self.value)

    def item(self):
        return self.cast(float)


def is_number(x: object) -> bool:
    return isinstance(x, (Active, int, float, np.number, np.bool_))


def plain(x: object) -> Any:
    """The plain number of a value."""
    return x.value if isinstance(x, Active) else x


def compare(how: np.ufunc, x: object, y: object) -> Any:
    if isinstance(y, ActiveArray):
        return NotImplemented
    y = plain(y)
    out = how(plain(x), y)
    return out if isinstance(out, np.ndarray) else bool(out)


WHOLE: dict[str, Callable[..., Any]] = {}  # NumPy's functions on active arrays; filled by `whole_arrays`


class ActiveArray:
    """A float array whose cells are `Active`. Like a NumPy array, it shares its cells with its views."""

    __slots__ = ("cells", "dtype", "kind")
    __array_ufunc__ = None

    def __init__(self, cells: np.ndarray, dtype: np.dtype, kind: type[Active]) -> None:
        self.cells = cells
        self.dtype = np.dtype(dtype)
        self.kind = kind

    @classmethod
    def constant(cls, values: np.ndarray, kind: type[Active]) -> Self:
        """Make an array of constants; ints become float64, as in NumPy's arithmetic."""
        values = np.asarray(values)
        if values.dtype.kind != "f":
            values = values.astype(np.float64)
        cells = np.empty(values.shape, dtype=object)
        for i in np.ndindex(values.shape):
            cells[i] = kind.constant(values[i])
        return cls(cells, values.dtype, kind)

    def __stop_gradient__(self) -> Self:
        return self.constant(self.values, self.kind)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.cells.shape

    @property
    def size(self) -> int:
        return self.cells.size

    @property
    def ndim(self) -> int:
        return self.cells.ndim

    @property
    def T(self) -> Self:
        return self._like(self.cells.T)

    @property
    def values(self) -> np.ndarray:
        """The cells' plain numbers."""
        out = np.empty(self.shape, dtype=self.dtype)
        for i in np.ndindex(self.shape):
            out[i] = self.cells[i].value
        return out

    def _like(self, cells: np.ndarray) -> Self:
        return type(self)(cells, self.dtype, self.kind)

    def _cell(self, value: object) -> Active:
        """Convert a number to a cell in this array's precision."""
        if not isinstance(value, Active):
            return self.kind.constant(self.dtype.type(value))
        return value if type(value.value) is self.dtype.type else value.cast(self.dtype.type)

    def _cells(self, value: object) -> Any:
        """Convert a value to what can be stored at an index: a cell, or an array of cells."""
        if isinstance(value, ActiveArray):
            return map_cells(self._cell, value.cells)
        if isinstance(value, (np.ndarray, list, tuple)):
            return map_cells(self._cell, as_cells(value))
        return self._cell(value)

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        got = self.cells[index]
        return self._like(got) if isinstance(got, np.ndarray) else got

    def __setitem__(self, index: Any, value: object) -> None:
        cells = self._cells(value)
        if isinstance(cells, np.ndarray) and np.shares_memory(cells, self.cells):
            cells = cells.copy()
        self.cells[index] = cells

    def copy(self) -> Self:
        return self._like(self.cells.copy())

    def fill(self, value: object) -> None:
        self.cells[...] = self._cell(value)

    def flatten(self) -> Self:
        return self._like(self.cells.flatten())

    def item(self, *index: int) -> Active:
        return self.cells.item(*index)

    def __getattr__(self, name: str) -> Any:
        return WHOLE["method"](self, name)

    def astype(self, dtype: Any) -> Any:
        dtype = np.dtype(getattr(dtype, "type", dtype))
        if dtype.kind != "f":
            return self.values.astype(dtype)
        return type(self)(map_cells(lambda c: c.cast(dtype.type), self.cells), dtype, self.kind)

    def _broadcast(self, op: str, other: object, swapped: bool = False) -> Self:
        a, b = np.broadcast_arrays(self.cells, as_cells(other))
        pairs = zip(b.flat, a.flat, strict=True) if swapped else zip(a.flat, b.flat, strict=True)
        out = np.empty(a.shape, dtype=object)
        out.flat = [self.kind.apply(op, x, y) for x, y in pairs]
        dtype = np.result_type(out.flat[0].value) if out.size else np.result_type(self.dtype, _kind_of(other))
        return type(self)(out, dtype, self.kind)

    def _operate(self, op: str, other: object, swapped: bool = False) -> Any:
        if not (is_number(other) or isinstance(other, (ActiveArray, np.ndarray))):
            return NotImplemented
        return self._broadcast(op, other, swapped)

    def _update(self, op: str, other: object) -> Self:
        self[...] = self._broadcast(op, other)
        return self

    def __neg__(self):
        return self._like(map_cells(lambda c: -c, self.cells))

    def __pos__(self):
        return self.copy()

    def __abs__(self):
        return self._like(map_cells(abs, self.cells))

    def __matmul__(self, other):
        return self._multiplied(self, other)

    def __rmatmul__(self, other):
        return self._multiplied(other, self)

    def _multiplied(self, a: Any, b: Any) -> Any:
        return WHOLE["shims"](self.kind)["matmul"](a, b)

    def __pow__(self, other):
        return self._operate("powi" if _whole_numbers(other) else "pow", other)

    def __rpow__(self, other):
        return self._operate("pow", other, swapped=True)

    def __ipow__(self, other):
        return self._update("powi" if _whole_numbers(other) else "pow", other)

    def __array__(self, *args: Any, **options: Any) -> np.ndarray:
        raise TypeError("an array that carries derivatives is used where only a plain one can go")

    def __bool__(self) -> bool:
        return bool(self.values)

    def __int__(self) -> int:
        return int(self.values)

    def __repr__(self) -> str:
        return f"ActiveArray({self.values!r})"


def _install() -> None:
    """Define the cell-by-cell arithmetic and comparison operators of arrays."""
    names = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floordiv", "mod": "mod"}
    for method, op in names.items():
        setattr(ActiveArray, f"__{method}__", lambda self, other, op=op: self._operate(op, other))
        setattr(ActiveArray, f"__r{method}__", lambda self, other, op=op: self._operate(op, other, swapped=True))
        setattr(ActiveArray, f"__i{method}__", lambda self, other, op=op: self._update(op, other))
    how = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
    for method, ufunc in (*how.items(), ("eq", np.equal), ("ne", np.not_equal)):
        setattr(ActiveArray, f"__{method}__", lambda self, other, u=ufunc: u(self.values, plain_array(other)))


_install()


def _whole_numbers(x: object) -> bool:
    kind = getattr(getattr(x, "dtype", None), "kind", "i" if type(x) is int else "f")
    return kind == "i"


def _kind_of(x: object) -> Any:
    """An operand's contribution to the dtype of an empty result."""
    return x.dtype if isinstance(x, (ActiveArray, np.ndarray)) else plain(x)


def map_cells(f: Callable[[Any], Any], cells: np.ndarray) -> np.ndarray:
    out = np.empty(cells.shape, dtype=object)
    out.flat = [f(c) for c in cells.flat]
    return out


def as_cells(x: object) -> np.ndarray:
    """The cells of an array, a list, a tuple or a scalar, as an object array."""
    if isinstance(x, ActiveArray):
        return x.cells
    if isinstance(x, np.ndarray):
        out = np.empty(x.shape, dtype=object)
        for i in np.ndindex(x.shape):
            out[i] = x[i]
        return out
    if isinstance(x, (list, tuple)):
        parts = [as_cells(p) for p in x]
        return np.stack(parts) if parts else np.empty(0, dtype=object)
    out = np.empty((), dtype=object)
    out[()] = x
    return out


def plain_array(x: object) -> Any:
    return x.values if isinstance(x, ActiveArray) else plain(x)
