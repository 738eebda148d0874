"""Checked functions in code that the user compiles by `numba.njit`.

``f.njit`` and ``f.vjp_njit`` are functions of Numba. For each set of argument types one calls the compiled kernel
directly, with no step in Python. Whatever is rare (a kernel that reports an error, or that wants more scratch memory;
sizes that contradict annotations; a gradient with a nan; loops on threads; recursion) goes through an
`objmode` block to the checked function itself, which then does and says what it does in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from inspect import Parameter
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from linad_typecheck.signature import Leaf, RecordStructure, Structure
from linad_typecheck.types import Array, is_float
from linad_typecheck.words import with_article
from numba import types
from numba.extending import intrinsic, overload, register_jitable

from .boundary.arguments import contiguous
from .boundary.dims import parsed
from .boundary.entities import NUMPY_NAMES
from .boundary.errors import refusal
from .boundary.kernel import DONE, FAILED, FLOOR, HINTS, SHORT, Loaded, fail
from .boundary.results import float_leaves, leaf_types
from .boundary.workspace import HINTED
from .codegen.compile import FASTMATH
from .codegen.llvm.arrays import array_value
from .codegen.numba_compat import as_dtype, cgutils
from .derive import asked
from .requests import Request
from .runtime.stack import stack_address
from .specialise import Specialisation

if TYPE_CHECKING:
    from .function import CheckedFunction

ARGUMENT = "argument_"  # what generated texts call arguments, with their numbers
_BY_POSITION = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_CASTS = {"f64": "float", "i64": "np.int64", "bool": "bool"}  # of other scalars: what NumPy calls them
STACK = 2**19  # bytes that a recursive function may take here; where it takes more, Python knows how much there is


def njit(f: CheckedFunction) -> Callable[..., Any]:
    """The function of Numba that gives what ``f`` gives."""
    return _made(f, partial(_value, f))


def derivative_njit(d: Callable[..., Any], f: CheckedFunction) -> Callable[..., Any]:
    """The function of Numba that gives what ``d`` gives, a derivative that the checked function ``f`` is where it gives
    no nan."""
    return _made(f, partial(_value, d))


def vjp_njit(f: CheckedFunction) -> Callable[..., Any]:
    """The function of Numba that takes a cotangent and the arguments, and gives the value and the gradients."""
    return _made(f, _gradients, "cotangent")


def _made(f: CheckedFunction, write: Callable[..., Callable], *first: str) -> Callable[..., Any]:
    """A function of Numba, whose text for types of arguments ``write`` gives when they are known."""
    parameters = f._parameters.parameters
    if odd := next((p.name for p in parameters.values() if p.kind not in _BY_POSITION), None):
        raise refusal("bad-option", f"`{f.__name__}` takes `{odd}` not by position, and Numba gives it nothing else")
    given = {n if n not in parameters else f"{n}_": Parameter.empty for n in first}
    given |= {n: p.default for n, p in parameters.items()}
    scope: dict[str, Any] = {f"_default_{n}": d for n, d in given.items() if d is not Parameter.empty}
    listed = ", ".join(n if d is Parameter.empty else f"{n}=_default_{n}" for n, d in given.items())
    inside = ", ".join(f"{ARGUMENT}{k}" for k in range(len(given)))
    scope["_for_types"] = lambda *types: write(f, types)
    text = f"""
def _typed({inside}): ...
def _implementation({inside}): return _for_types({inside})
def _function({listed}): return _typed({", ".join(given)})
"""
    exec(text, scope)  # noqa: S102 - names of parameters only
    overload(scope["_typed"], strict=False)(scope["_implementation"])
    made = scope["_function"]
    made.__doc__, made.__module__, made.__name__, made.__qualname__ = f.__doc__, f.__module__, f.__name__, f.__name__
    return numba.njit(made)


# ------------------------------------------------------------------------------------------------ types of arguments


def _example(t: types.Type, where: str) -> object:
    """A value of a type: what a checked function is specialised by."""
    if isinstance(t, types.NoneType):
        return None
    if isinstance(t, types.Array):
        return np.zeros((1,) * t.ndim, as_dtype(t.dtype))
    if isinstance(t, types.Boolean):
        return False
    if t in (types.float64, types.int64, types.intp):
        return 1.0 if t == types.float64 else 1
    if isinstance(t, types.Number):
        return as_dtype(t).type(1)
    if isinstance(t, types.BaseTuple):
        parts = [_example(part, where) for part in t.types]
        return t.instance_class(*parts) if isinstance(t, types.BaseNamedTuple) else tuple(parts)
    what = "a number, an array, a tuple or a named tuple"
    raise TypeError(f"{where}: expected {what}, got Numba's {t}")


def _specialised(f: CheckedFunction, given: Sequence[types.Type]) -> Specialisation:
    names = tuple(f._parameters.parameters)
    values = [_example(t, f"{f.__name__}(): argument `{n}`") for n, t in zip(names, given)]
    s = f.specialisation(f._arguments(values, {}))
    for n, t in zip(names, given):
        if n in s.front.fixed or isinstance(t, types.Boolean) and n in (f._missing or ()):
            told = f"`{f.__name__}` is compiled for each value of `{n}`, which Numba knows only when its code runs"
            how = f"use the `njit` of a checked function that calls `{f.__name__}` with one value of `{n}`"
            raise refusal("bad-option", told, help=how)
    return s


def _type(structure: Structure) -> types.Type:
    """Numba's type of a result or gradient; None stands for an int in a gradient."""
    if structure is None:
        return types.none
    if isinstance(structure, Leaf):
        scalar = numba.from_dtype(np.dtype(NUMPY_NAMES[structure.type.dtype]))
        return types.Array(scalar, structure.type.rank, "C") if isinstance(structure.type, Array) else scalar
    parts = [_type(part) for part in structure]
    if not isinstance(structure, RecordStructure):
        return types.Tuple(parts)
    if not structure.tag.named_tuple:
        told = f"Numba has no type for {with_article(f'`{structure.tag.name}`')}, which the function returns"
        raise refusal("bad-option", told, help="return a named tuple or a tuple")
    return types.BaseTuple.from_types(parts, structure.tag.handle)


# ---------------------------------------------------------------------------------------------------- the texts


class _Text:
    """The text of a function of Numba that calls kernels, and the values that it uses."""

    def __init__(self, s: Specialisation, given: Sequence[types.Type]) -> None:
        self.s = s
        self.kept = s.known.setdefault("njit", [])  # what the text has the addresses of
        self.scope: dict[str, Any] = {
            "np": np, "objmode": numba.objmode, "has_nan": _has_nan, "overlap": _overlap, "here": stack_address,
        }  # fmt: skip
        self.lines: list[str] = []
        self.flat: dict[int, str] = {}
        self.updated: list[str] = []
        self.rare: list[str] = []  # conditions under which the checked function itself is called
        self.names = [f"{ARGUMENT}{k}" for k in range(len(given))]
        sizes: dict[str, str] = {}
        first = len(given) - len(s.signature.params)  # what comes before the arguments: the cotangent
        for p, text, t in zip(s.signature.params, self.names[first:], given[first:]):
            dims = iter(p.dims)
            for leaf, part, kind in _parts(p.structure, text, t):
                self._argument(leaf, part, kind, p.name if p.name in s.signature.updates else "")
                if isinstance(leaf.type, Array) and p.dims:
                    self._dimensions(next(dims, None), part, sizes)
        for key in s.signature.hidden:
            self.flat[len(self.flat)] = self._outside(contiguous(s.record.array(key)))
        self.rare += [f"overlap({a}, {b})" for a in self.updated for b in self._arrays() if a != b]

    def _arrays(self) -> list[str]:
        leaves = (leaf for p in self.s.signature.params for leaf in leaf_types(p.structure))
        return [self.flat[leaf.index] for leaf in leaves if isinstance(leaf.type, Array)]

    def _constant(self, value: object) -> str:
        name = f"constant_{len(self.scope)}"
        self.scope[name] = value
        return name

    def _outside(self, array: np.ndarray) -> str:
        """The text for an array that lives outside."""
        self.kept.append(array)
        return f"{self._constant(_at(array))}()"

    def _argument(self, leaf: Leaf, text: str, kind: types.Type, updated: str) -> None:
        name = self.flat[leaf.index] = f"flat_{leaf.index}"
        if not isinstance(leaf.type, Array):
            cast = _CASTS.get(leaf.type.dtype, f"np.{NUMPY_NAMES[leaf.type.dtype]}")
            self.lines.append(f"{name} = {cast}({text}{'[()]' if isinstance(kind, types.Array) else ''})")
            return
        usual = isinstance(kind, types.Array) and kind.layout == "C" and kind.mutable and kind.aligned
        if updated and not usual:
            function = self.s.signature.name
            told = f"`{function}` updates `{updated}`, which Numba does not know to be writable and contiguous"
            raise refusal("bad-option", told, help="pass a C-contiguous array")
        if updated:
            self.updated.append(name)
        self.lines.append(f"{name} = {text if usual else f'np.ascontiguousarray({text}.copy())'}")

    def _dimensions(self, dims: tuple[str, ...] | None, array: str, known: dict[str, str]) -> None:
        """Compare sizes with annotations, as `check_dims` does."""
        for axis, text in enumerate(dims or ()):
            factor, name, shift = parsed(text)
            size = f"{array}.shape[{axis}]"
            if name in known:
                self.rare.append(f"{size} != {factor} * {known[name]} + {shift}")
            elif name:
                known[name] = f"(({size} - {shift}) // {factor})"
                self.rare += [f"{size} < {shift}", f"({size} - {shift}) % {factor} != 0"] if text != name else []
            elif factor:
                self.rare.append(f"{size} != {shift}")

    def call(self, request: Request, values: Sequence[str], written: bool, tag: str) -> Loaded | None:
        """Call a kernel: ``code`` says how it went, and ``out`` has it with the results. None where that is left to
        Python."""
        kernel = self.s.any_size(request)
        built = kernel.build("hoisted")
        if built.again and written:
            built = kernel.build("every")
        if built.parallel or not hasattr(built.driver, "overloads"):
            self.lines.append("break")
            return None
        out = f"out{tag}"
        spaces, grow = [], []
        if built.workspace:
            room = self._outside(np.zeros(len(built.workspace), np.int64))
            spaces = [f"np.empty({room}[{k}], np.{NUMPY_NAMES[d]})" for k, d in enumerate(built.workspace)]
            grow = [f"    for k in range({len(spaces)}):", f"        {room}[k] = err[k] + err[k] // 8"]
        logs = built.error_words - HINTS
        ends = self._outside(np.zeros(logs, np.int64)) if logs > 0 else ""
        kept = [f"for k in range({logs}):", f"    {ends}[k] = min(max({ends}[k], err[{HINTS} + k]), {HINTED})"]
        native = self._constant(_native(built.driver, self.kept))
        self.lines += [
            "for attempt in range(2):",
            f"    err = np.zeros({built.error_words}, np.int64)",
            *([f"    err[{FLOOR}] = here() - {STACK}"] if built.error_words > FLOOR else []),
            *([f"    err[{HINTS}:] = {ends}"] if ends else []),
            f"    {out} = {native}(({', '.join((*values, *spaces, 'err'))},))",
            f"    code = {out}[0]",
            f"    if code != {SHORT}:",
            "        break",
            *grow,
            *(kept if ends else []),
        ]  # fmt: skip
        return built

    def rarely(self, *conditions: str) -> None:
        """Leave the call to Python under any of these conditions."""
        if conditions:
            self.lines += [f"if {' or '.join(conditions)}:", "    break"]

    def made(self, called: Callable[..., object], arguments: str, result: types.Type) -> Callable:
        """The function: what it does natively, left by ``break`` for what Python is called for. There is one `objmode`
        block, as what Numba writes for the first one is reused in others that it does not dominate."""
        native = "\n        ".join(self.lines)
        text = f"""def called({", ".join(self.names)}):
    {f"code, err = {DONE}, np.zeros(0, np.int64)" if self.updated else ""}
    while True:
        {native}
    with objmode(found={self._constant(result)}):
        found = {self._constant(called)}({arguments})
    return found
"""
        exec(text, self.scope)  # noqa: S102 - generated above
        return self.scope["called"]

    def structured(self, structure: Structure, leaf: Callable[[Leaf], str]) -> str:
        """The text that makes a value of its leaves."""
        if structure is None:
            return "None"
        if isinstance(structure, Leaf):
            return leaf(structure)
        parts = ", ".join(self.structured(part, leaf) for part in structure)
        if isinstance(structure, RecordStructure):
            return f"{self._constant(structure.tag.handle)}({parts})"
        return f"({parts},)"


def _parts(structure: Structure, text: str, t: types.Type, where: str = "") -> Iterator[tuple[Leaf, str, types.Type]]:
    """The leaves of an argument: each with the text that reads it, and its type."""
    if isinstance(structure, Leaf):
        yield structure, text, t
    elif structure is not None:
        if not isinstance(t, types.BaseTuple) or len(t) != len(structure):
            wanted = f"a tuple of {len(structure)}"
            if isinstance(getattr(t, "dtype", t), types.Complex):
                wanted = "the real and the imaginary part, as a tuple"
            raise TypeError(f"{where}: expected {wanted}, got Numba's {t}")
        for k, part in enumerate(structure):
            yield from _parts(part, f"{text}[{k}]", t.types[k], f"{where}[{k}]")


def _value(python: Callable[..., Any], f: CheckedFunction, given: Sequence[types.Type]) -> Callable:
    """A call of the function itself, and of ``python`` where that is called for."""
    s = _specialised(f, given)
    signature, text = s.signature, _Text(s, given)
    arguments = ", ".join(text.names)
    place = next((k for k, p in enumerate(signature.params) if p.name == signature.given_back), None)
    result = _type(signature.result) if place is None else given[place]
    text.rarely(*text.rare)
    built = text.call((), list(text.flat.values()), bool(text.updated), "")
    if built is not None:
        text.rarely(f"code != {DONE}")
        if python is not f:
            text.rarely(*(_is_nan(leaf, f"out[{leaf.index + 1}]") for leaf in float_leaves(signature.result)))
        mine = dict(signature.copied)

        def leaf(of):
            return text.flat[mine[of.index]] if of.index in mine else f"out[{of.index + 1}]"

        text.lines.append(f"return {text.structured(signature.result, leaf) if place is None else text.names[place]}")
    if built is None or not text.updated:
        return text.made(python, arguments, result)

    def again(code: int, err: np.ndarray, *arguments: object) -> object:
        if code == FAILED:  # what has been written stays, as in Python
            fail(built.sites[err[0]], err[1:])
        return python(*arguments)

    return text.made(again, f"code, err, {arguments}", result)


def _gradients(f: CheckedFunction, given: Sequence[types.Type]) -> Callable:
    """A call of the function and of its pullback."""
    s = _specialised(f, given[1:])
    signature, want = s.signature, asked(s, f.options.wrt)
    if signature.updates:
        told = f"`{f.__name__}` updates `{signature.updates[0]}`, and `vjp_njit` leaves the caller's arrays alone"
        raise refusal("bad-option", told, help="let it update a copy and return that")

    def python(cotangent: object, *arguments: object) -> object:
        value, pullback = f.vjp(*arguments)
        return value, pullback(cotangent)

    text = _Text(s, given)
    value = _type(signature.result)
    result = types.Tuple([value, types.Tuple([_type(_floats(p.structure)) for p in want.params])])
    text.rarely(*text.rare)
    flat = list(text.flat.values())
    arrays = any(isinstance(leaf.type, Array) for leaf in float_leaves(signature.result))
    if arrays:  # their shapes are those of cotangents
        if text.call((), flat, False, "_value") is None:
            return text.made(python, ", ".join(text.names), result)
        text.rarely(f"code != {DONE}")
    seeds = _seeds(text, given[0])
    bars = {leaf.index: f"bar_{leaf.index}" for leaf in want.arrays}
    text.lines += [f"{bar} = np.zeros_like({text.flat[k]})" for k, bar in bars.items()]
    if text.call(((want.leaves, not arrays),), [*flat, *seeds, *bars.values()], False, "") is not None:
        text.rarely(f"code != {DONE}")
        results = 0 if arrays else sum(1 for _ in leaf_types(signature.result))
        grads = bars | {k: f"out[{results + j + 1}]" for j, k in enumerate(want.scalars)}
        text.rarely(*(_is_nan(leaf, grads[leaf.index]) for leaf in want.active))
        value = text.structured(signature.result, lambda leaf: f"out{'_value' if arrays else ''}[{leaf.index + 1}]")
        by = [text.structured(_floats(p.structure), lambda leaf: grads[leaf.index]) for p in want.params]
        text.lines.append(f"return {value}, ({', '.join(by)},)")
    return text.made(python, ", ".join(text.names), result)


def _seeds(text: _Text, given: types.Type) -> list[str]:
    """The cotangents of the float results, of the shapes that these have."""
    seeds = []
    where = f"{text.s.signature.name}(): cotangent"
    for leaf, part, kind in _parts(text.s.signature.result, text.names[0], given, where):
        if not is_float(leaf.type):
            continue
        seeds.append(f"seed_{leaf.index}")
        wanted = _type(leaf)
        if not isinstance(leaf.type, Array):
            number = f"{part}[()]" if isinstance(kind, types.Array) else part
            text.lines.append(f"{seeds[-1]} = {_CASTS.get(leaf.type.dtype, 'np.float32')}({number})")
        elif isinstance(kind, types.Array) and (kind.dtype, kind.ndim) == (wanted.dtype, wanted.ndim):
            text.rarely(f"{part}.shape != out_value[{leaf.index + 1}].shape")
            text.lines.append(f"{seeds[-1]} = np.ascontiguousarray({part}.copy())")
        else:
            expected = f"{with_article(NUMPY_NAMES[leaf.type.dtype])} array of rank {leaf.type.rank}"
            raise TypeError(f"{where}: expected {expected}, got Numba's {kind}")
    return seeds


def _is_nan(leaf: Leaf, text: str) -> str:
    return f"has_nan({text})" if isinstance(leaf.type, Array) else f"{text} != {text}"


def _floats(structure: Structure) -> Structure:
    """The structure of a gradient, in which None stands for what is no float."""
    if isinstance(structure, Leaf):
        return structure if is_float(structure.type) else None
    if isinstance(structure, RecordStructure):
        return replace(structure, items=tuple(map(_floats, structure)))
    return structure and tuple(map(_floats, structure))


# --------------------------------------------------------------------------------------------- what the texts call


def _at(array: np.ndarray) -> Callable[[], np.ndarray]:
    """A function of Numba that gives an array of this process, not a copy of it."""
    kind = types.Array(numba.from_dtype(array.dtype), array.ndim, "C")

    @intrinsic
    def cells(typing: Any) -> Any:
        def written(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.add_dynamic_addr(builder, array.ctypes.data, "cells of a checked function")
            sizes = [context.get_constant(types.intp, n) for n in array.shape]
            data = builder.bitcast(data, context.get_data_type(types.CPointer(kind.dtype)))
            return array_value(context, builder, kind, data, sizes)

        return kind(), written

    return cells


def _native(driver: Any, kept: list[object]) -> Callable[..., tuple]:
    """A function of Numba that calls a kernel where its machine code is: the instructions are gone."""
    kept.append(driver)
    (made,) = driver.overloads.values()
    address = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
    result, wanted = made.signature.return_type, made.signature.args

    @intrinsic
    def kernel(typing: Any, given: types.Type) -> Any:
        def written(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            values = cgutils.unpack_tuple(builder, arguments[0])
            values = [context.cast(builder, v, a, b) for v, a, b in zip(values, given.types, wanted, strict=True)]
            pointer = context.add_dynamic_addr(builder, address, "a checked function")
            kind = context.call_conv.get_function_type(result, wanted)
            callee = builder.bitcast(pointer, kind.as_pointer())
            status, found = context.call_conv.call_function(builder, callee, result, wanted, values)
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return found

        return result(given), written

    return kernel


@register_jitable
def _overlap(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two contiguous arrays have a cell in common."""
    start, other = a.ctypes.data, b.ctypes.data
    return start < other + b.nbytes and other < start + a.nbytes


@register_jitable(fastmath=FASTMATH)
def _has_nan(a: np.ndarray) -> bool:
    """Whether a cell of an array is nan."""
    total = 0.0
    for x in a.flat:
        total += x * x
    return total != total
