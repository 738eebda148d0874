"""Functions compiled elsewhere and declared by `linad.rule`, and their calls from Python."""

from __future__ import annotations

import ctypes
import inspect
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from types import FunctionType
from typing import Any

import numpy as np
from linad_typecheck.engine.compiled import Declaration, Declared, declaration
from linad_typecheck.infer.affine import Affine
from linad_typecheck.messages import Message
from linad_typecheck.types import NUMPY_NAMES

from .boundary.arguments import described
from .boundary.errors import refusal
from .boundary.live import Record
from .interpret.functions import FUNCTIONS

_testing: ContextVar[bool] = ContextVar("linear parameters are tested", default=False)


@contextmanager
def tested() -> Iterator[None]:
    """In this context, each call by the reference interpreter tests that a function is linear in its declared
    parameters."""
    token = _testing.set(True)
    try:
        yield
    finally:
        _testing.reset(token)


class CompiledFunction:
    """A compiled function and its declaration.

    Attributes
    ----------
    target : object
        The Numba function, or an object with the address of the C function.
    plain : function
        Its declaration, a Python function that is never executed.
    """

    def __init__(self, target: object, plain: FunctionType, linear: tuple[str, ...]) -> None:
        self.target, self.plain, self.linear = target, plain, linear
        self.is_numba = _is_numba(target)
        self.address = None if self.is_numba else _address(target)
        self.key = f"{''.join(c for c in plain.__name__ if c.isalnum() or c == '_')}_{secrets.token_hex(8)}"
        self.caller: object = None  # a compiled caller, once a kernel needs it: see `runtime.compiled`
        FUNCTIONS[self.key] = self

    @cached_property
    def declared(self) -> Declaration:
        """What its annotations declare.

        Raises
        ------
        LinadError
            If they are incomplete.
        """
        found = declaration(Record(self.plain).entry())
        if isinstance(found, Message):
            d = found.diagnostic()
            raise refusal(d.slug, d.message, d.span, "".join(fix.message for fix in d.fixes))
        self._compare(found)
        return found

    @property
    def c_types(self) -> list[Any]:
        """The types of a C function: the type of its result (None if arrays or several results are written through
        pointers, which are its last parameters), and those of its parameters."""
        return _c_types(self.declared)

    def _compare(self, found: Declaration) -> None:
        """Compare the argument and result types of a ctypes function with those declared."""
        f = getattr(self.target, "ctypes", self.target)
        if getattr(f, "argtypes", None) is None:
            return
        name, (result, *params) = self.plain.__name__, _c_types(found)
        said = [("its result", f.restype, result)]
        said += [(f"argument {k} of the C function", t, p) for k, (t, p) in enumerate(zip(f.argtypes, params))]
        if len(f.argtypes) != len(params):
            told = f"takes {len(f.argtypes)} arguments, where the C function of `{name}` is to take {len(params)}"
            raise refusal("bad-rule", f"{described(self.target)} {told}", help="arrays that it returns come last")
        for what, t, wanted in said:
            if not _same_c_type(t, wanted):
                of = getattr(t, "__name__", str(t))
                is_ = getattr(wanted, "__name__", "None")
                raise refusal("bad-rule", f"`{name}` declares {what} as {is_}, and the function has {of}")

    # -- calls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = inspect.signature(self.plain).bind(*args, **kwargs)
        bound.apply_defaults()
        name, declared = self.plain.__name__, self.declared
        sizes: dict[str, int] = {}
        values = [self._taken(v, p, sizes) for v, p in zip(bound.arguments.values(), declared.params, strict=True)]
        for v, p in zip(values, declared.params, strict=True):
            for axis, size in enumerate(p.dims or ()):
                if size is not None and v.shape[axis] != (wanted := _size(size, sizes)):
                    told = f"of size {wanted} along axis {axis}, not {v.shape[axis]}"
                    raise ValueError(f"`{name}` takes an array `{p.name}` {told}")
        outs = [np.zeros([_size(d, sizes) for d in r.dims or () if d is not None], _dtype(r)) for r in declared.results]
        self._run(outs, values)
        results = [_number(o[()], r) if r.dims is None else o for o, r in zip(outs, declared.results, strict=True)]
        return tuple(results) if declared.several else results[0]

    def _taken(self, value: Any, p: Declared, sizes: dict[str, int]) -> Any:
        """Convert an argument to the declared type, and record the sizes that it determines."""
        wanted = _dtype(p)
        if p.dims is None:
            number = np.asarray(value)
            if number.ndim or (wanted.kind != "f" and number.dtype.kind == "f") or number.dtype.kind not in "fiub":
                raise TypeError(f"`{self.plain.__name__}` takes {wanted} as `{p.name}`, not {described(value)}")
            if p.dtype == "i64":
                sizes.setdefault(p.name, int(value))
            return _number(number.astype(wanted)[()], p)
        if not isinstance(value, np.ndarray) or value.dtype != wanted or value.ndim != len(p.dims):
            told = f"an array of {wanted} of rank {len(p.dims)} as `{p.name}`, not {described(value)}"
            raise TypeError(f"`{self.plain.__name__}` takes {told}")
        for n, size in zip(value.shape, p.dims, strict=True):
            if size is not None and size.const == 0 and [k for _, k in size.terms] == [1]:
                sizes.setdefault(size.atoms[0], n)
        return np.ascontiguousarray(value)

    def into(self, status: np.ndarray, outs: Sequence[np.ndarray], args: Sequence[np.ndarray]) -> None:
        """Call the function as programs do, with numbers in arrays of one cell."""
        params, results = self.declared.params, self.declared.results
        values = [a if p.dims is not None else _number(a[0], p) for a, p in zip(args, params, strict=True)]
        made = [o if r.dims is not None else o.reshape(()) for o, r in zip(outs, results, strict=True)]
        try:
            self._run(made, values)
        except Exception:  # noqa: BLE001 - whatever it raises, the program reports it
            status[0] = 1
            return
        if _testing.get() and self.linear:
            self._test(made, values)

    def _run(self, outs: Sequence[np.ndarray], values: Sequence[Any]) -> None:
        name, declared = self.plain.__name__, self.declared
        before = [v.copy() if isinstance(v, np.ndarray) else v for v in values]
        if self.is_numba:
            found = self.target(*values)  # type: ignore[operator]
            parts = found if declared.several else (found,)
            if not isinstance(parts, tuple) or len(parts) != len(outs):
                raise TypeError(f"`{name}` is declared to return {len(outs)} results, and returned {described(found)}")
            for part, out in zip(parts, outs, strict=True):
                got = np.asarray(part)
                if (got.shape, got.dtype) != (out.shape, out.dtype):
                    wanted, is_ = (f"{a.dtype} of shape {a.shape}" for a in (out, got))
                    raise ValueError(f"`{name}` is declared to return {wanted}, and returned {is_}")
                out[...] = part
        else:
            by_value, *given = self.c_types
            call = ctypes.CFUNCTYPE(by_value, *given)(self.address)
            places = [*values, *(outs if by_value is None else ())]
            found = call(*(p.ctypes.data if isinstance(p, np.ndarray) else p for p in places))
            if by_value is not None:
                outs[0][...] = found
        for p, was, v in zip(declared.params, before, values, strict=True):
            if isinstance(v, np.ndarray) and not np.array_equal(was, v, equal_nan=v.dtype.kind == "f"):
                raise ValueError(f"`{name}` changes its argument `{p.name}`: let it work on a copy")

    def _test(self, outs: Sequence[np.ndarray], values: Sequence[Any]) -> None:
        """Test whether a function is linear in its declared parameters, by two more calls."""
        random = np.random.default_rng(0)
        where = [p.name in self.linear for p in self.declared.params]

        def at(change: Callable[[Any], Any]) -> list[np.ndarray]:
            moved = [_like(v, change(v)) if w else v for v, w in zip(values, where, strict=True)]
            found = [np.zeros_like(o) for o in outs]
            self._run(found, moved)
            return found

        steps = [random.standard_normal(np.shape(v)) for v in values]
        step = iter([s for s, w in zip(steps, where, strict=True) if w])
        along = at(lambda v: next(step))
        step = iter([s for s, w in zip(steps, where, strict=True) if w])
        both = at(lambda v: 2.0 * v + next(step))
        for base, one, sum_ in zip(outs, along, both, strict=True):
            rough = 1e-3 if base.dtype == np.float32 else 1e-9
            scale = np.max(np.abs(2.0 * base) + np.abs(one), initial=0.0)
            if base.dtype.kind == "f" and not np.allclose(2.0 * base + one, sum_, rtol=rough, atol=rough * scale):
                names = " and ".join(f"`{n}`" for n in self.linear)
                raise AssertionError(f"`{self.plain.__name__}` is declared to be linear in {names}, and is not")


def _like(v: Any, moved: Any) -> Any:
    return np.ascontiguousarray(moved, v.dtype) if isinstance(v, np.ndarray) else type(v)(moved)


def _size(size: Affine, known: dict[str, int]) -> int:
    return size.const + sum(k * known[n] for n, k in size.terms)


def _dtype(d: Declared) -> np.dtype:
    return np.dtype(NUMPY_NAMES[d.dtype])


def _number(value: Any, d: Declared) -> Any:
    """A number as a Python or NumPy scalar, as declared."""
    return value.item() if d.weak else value


# --------------------------------------------------------------------------------------------------------- C functions


def _c_types(d: Declaration) -> list[Any]:
    by_value = not d.several and d.results[0].dims is None
    written = () if by_value else d.results
    params = [ctypes.c_void_p if p.dims is not None else _c_type(p) for p in d.params]
    return [_c_type(d.results[0]) if by_value else None, *params, *(ctypes.c_void_p for _ in written)]


def _c_type(d: Declared) -> Any:
    return np.ctypeslib.as_ctypes_type(_dtype(d))


def _same_c_type(said: Any, wanted: Any) -> bool:
    if said is None or wanted is None:
        return said is wanted
    if wanted is ctypes.c_void_p:  # ctypes has many pointer types
        return not hasattr(said, "_type_") or not isinstance(said._type_, str) or said is ctypes.c_void_p
    try:
        return np.dtype(said) == np.dtype(wanted)
    except TypeError:
        return False


def _is_numba(target: object) -> bool:
    of_numba = type(target).__module__.startswith("numba.")
    return of_numba and hasattr(target, "py_func") and not hasattr(target, "address")


def _address(target: object) -> int:
    """The address of a C function.

    Raises
    ------
    LinadError
        If the object has no address; the error says what to write instead.
    """
    if type(target) is int and target > 0:
        return target
    if isinstance(given := getattr(target, "address", None), int):  # from `numba.cfunc`
        return given
    if isinstance(target, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        return ctypes.cast(target, ctypes.c_void_p).value or 0
    if type(target).__module__ == "_cffi_backend":
        import cffi

        return int(cffi.FFI().cast("uintptr_t", target))
    told = f"`linad.rule` takes a function of Numba or the address of a C function, got {described(target)}"
    instead = "plain Python needs no rule: call it in a checked function, or compile it by `@numba.njit`"
    raise refusal("bad-rule", told, help=instead)
