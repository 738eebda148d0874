"""The fast path of a call, generated as one Python function per specialisation and request.

The function checks that the arguments are plain values of the types and sizes of the specialisation and that every name
still has the same meaning, runs the kernel, and returns its results in the form that the caller expects. Interpreting
descriptions of the parameters instead would take three times as long. If in doubt it returns `MISSED`; the general path
then decides, and words the errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from linad_typecheck.signature import Leaf, ParamInfo, Structure
from linad_typecheck.types import F64, I64, Array, is_float

from ..requests import EXACT, FRESH
from .arguments import WANTED
from .kernel import DONE
from .objects import MISSING
from .results import class_of, float_leaves, leaf_types, restore
from .fast_checks import dim_rows, no_overlap
from .workspace import LARGE, Refilled

if TYPE_CHECKING:
    from ..specialise import Request, Specialisation

MISSED = object()  # the general path is taken
NAN = object()  # a gradient contains a nan; it is recomputed with exact zeros

# Largest size of a dot product. For more cells, BLAS waits for other threads, which takes milliseconds on a busy
# machine.
BY_ONE_THREAD = 4096

FastCall = Callable[..., Any]
MOST_TURNS = 31


class Turns:
    """The fast path of a derivative that has been nan: its exact kernel begins while the plain one would give a nan.

    After each nan of the plain kernel, the exact one answers more calls, up to `MOST_TURNS`, before the plain one is
    tried again. So a derivative that is always nan at first, such as that of the root of a number truncated at zero, is
    not computed twice in each call.
    """

    __slots__ = "exact", "left", "plain", "turns"

    def __init__(self, plain: FastCall, exact: FastCall) -> None:
        self.plain, self.exact = plain, exact
        self.turns = self.left = 1

    def __call__(self, *given: Any) -> Any:
        if self.left:
            self.left -= 1
        else:
            out = self.plain(*given)
            if out is not NAN:
                return out
            self.turns = self.left = min(2 * self.turns + 1, MOST_TURNS)
        return self.exact(*given)


def in_turns(plain: FastCall | None, exact: FastCall | None) -> FastCall | None:
    """The fast path that uses both, if there are both."""
    return plain if plain is None or exact is None else Turns(plain, exact)


def fast_value(s: Specialisation, tested: bool = False, exact: bool = False) -> FastCall | None:
    """The fast path of a function call; None if the function does not qualify. ``tested``: `NAN` for a result that
    contains a nan. ``exact``: by the kernel with exact zeros."""
    signature = s.signature
    if signature.updates or signature.copied or signature.given_back or signature.result is None:
        return None
    text = _Text(s, (EXACT,) if exact else ())
    if not text.arguments():
        return None
    text.run("arguments")
    for k, leaf in enumerate(leaf_types(signature.result), start=1):
        if tested and is_float(leaf.type):
            text.tested(f"out[{k}]", leaf)
    if isinstance(signature.result, Leaf):
        return text.made(text.typed("out[1]", signature.result))
    return text.made(f"{text.name(restore)}({text.name(signature.result)}, out[1:])")


def fast_gradient(
    s: Specialisation,
    request: Request,
    params: Sequence[ParamInfo],
    active: Sequence[Leaf],
    value: bool,
    bare: bool = True,
) -> FastCall | None:
    """The fast path of a gradient with respect to some parameters, preceded by the value if requested; None if the
    function does not qualify. ``bare``: a single gradient is no tuple.

    ``active`` are the leaves that the derivative carries, in the order of the kernel's parameters.
    """
    signature, result = s.signature, s.signature.result
    plain = isinstance(result, Leaf) and result.type == F64
    if signature.updates or not plain or not all(isinstance(p.structure, Leaf) for p in params):
        return None
    text = _Text(s, request)
    if not text.arguments():
        return None
    grads, given, scalars = {}, [], 1 + value
    for leaf in active:
        if isinstance(leaf.type, Array):
            grads[leaf.index] = f"z{leaf.index}"
            text.add(f"z{leaf.index} = {text.buffer(f'a{leaf.index}', leaf.index, WANTED[leaf.type.dtype])}")
            given.append(f"z{leaf.index}")
        else:
            grads[leaf.index] = f"out[{scalars}]"
            scalars += 1
    text.run(f"({', '.join(('*arguments', '1.0', *given))})")
    stored = request[0] == FRESH
    if stored and given and EXACT not in request:
        text.unless("err[0]", otherwise="NAN")
    for leaf in active:
        if not (stored and isinstance(leaf.type, Array)):
            text.tested(grads[leaf.index], leaf)
    found = [grads[p.structure.index] for p in params]  # type: ignore[union-attr]
    gradient = found[0] if bare and len(found) == 1 else f"({''.join(f'{g}, ' for g in found)})"
    return text.made(f"{text.typed('out[1]', result)}, {gradient}" if value else gradient)


def fast_tangent(s: Specialisation, request: Request, given: Sequence[bool], value: bool) -> FastCall | None:
    """The fast path of a forward derivative, as a function of the arguments and their tangents; None if the function
    does not qualify.

    ``given``: for each parameter, whether it has a tangent; the others are None. The result is the value, if requested,
    and the tangent.
    """
    signature = s.signature
    if signature.updates or signature.copied or signature.given_back or signature.result is None:
        return None
    text = _Text(s, request)
    if len(given) != len(signature.params) or not text.arguments():
        return None
    text.add(f"{''.join(f't{k}, ' for k in range(len(given)))}= tangents")
    active = [k for k, has in enumerate(given) if has]
    for k in active:
        leaf = signature.params[k].structure
        if not is_float(leaf.type):
            return None
        text.unless(*text.moved(f"t{k}", leaf))
        if isinstance(leaf.type, Array):
            text.unless(f"t{k}.shape != a{k}.shape")
    text.run(f"(*arguments, {', '.join(f't{k}' for k in active)})")
    places = float_leaves(signature.result)
    first = 1 + (sum(1 for _ in leaf_types(signature.result)) if value else 0)
    moved = {leaf.index: f"out[{first + k}]" for k, leaf in enumerate(places)}
    for leaf in places:
        text.tested(moved[leaf.index], leaf)
    tangent = text.structured(signature.result, moved)
    if tangent is None:
        return None
    if not value:
        return text.made(tangent, "arguments, tangents")
    found = f"{text.name(restore)}({text.name(signature.result)}, out[1:{first}])"
    return text.made(f"{found}, {tangent}", "arguments, tangents")


def fast_into(
    s: Specialisation, wrt: tuple[int, ...], params: Sequence[ParamInfo], active: Sequence[Leaf]
) -> FastCall | None:
    """The fast path of `vjp_into`, as a function of the arguments, the cotangent and the buffers; None if the function
    does not qualify. Buffers are restored before it returns `MISSED`. An array result is computed first, because the
    cotangent must have its shape."""
    signature, result = s.signature, s.signature.result
    if signature.updates or not isinstance(result, Leaf) or not all(isinstance(p.structure, Leaf) for p in params):
        return None
    if signature.copied or signature.given_back or not (result.type == F64 or _is_float_array(result)):
        return None
    separate = isinstance(result.type, Array)
    text = _Text(s, ((wrt, not separate),))
    if not text.arguments():
        return None
    text.unless(*text.moved("cotangent", result))
    text.add("parts = into if into.__class__ is tuple else (into,)")
    text.unless(f"len(parts) != {len(params)}")
    text.add(f"{''.join(f'b{p.structure.index}, ' for p in params)}= parts")
    for leaf in (p.structure for p in params):
        b, dtype = f"b{leaf.index}", text.name(WANTED[leaf.type.dtype])
        shape = f"a{leaf.index}.shape" if isinstance(leaf.type, Array) else "()"
        text.unless(f"{b}.__class__ is not ndarray or {b}.dtype is not {dtype}")
        text.unless(f"{b}.shape != {shape}", f"not {b}.flags.carray")
    read = [f"a{p.structure.index}, " for p in signature.params if isinstance(p.structure.type, Array)]
    text.unless(f"not {text.name(no_overlap)}(parts, ({''.join(read)}))")
    arrays = [leaf for leaf in active if isinstance(leaf.type, Array)]
    scalars = [leaf for leaf in active if leaf not in arrays]
    if separate:
        text.run("arguments", ())
        text.add("value = out[1]")
        text.unless("cotangent.shape != value.shape")
    copy = text.name(text.returned.copy)
    for leaf in arrays:
        text.add(f"c{leaf.index} = {copy}({leaf.index}, b{leaf.index})")
        text.undo += f"b{leaf.index}[...] = c{leaf.index}; "
    seed = "cotangent.copy()" if separate else "cotangent"
    text.run(f"({', '.join(('*arguments', seed, *(f'b{leaf.index}' for leaf in arrays)))})")
    for leaf in arrays:
        text.tested(f"b{leaf.index}", leaf)
    for k, leaf in enumerate(scalars, start=2 - separate):
        text.tested(f"out[{k}]", leaf)
    for k, leaf in enumerate(scalars, start=2 - separate):
        text.add(f"b{leaf.index}[()] += out[{k}]")
    return text.made("value" if separate else text.typed("out[1]", result), "arguments, cotangent, into")


class _Text:
    """The text of a fast path, and the objects that it refers to."""

    def __init__(self, s: Specialisation, request: Request) -> None:
        self.s, self.request = s, request
        self.returned = Refilled()
        self.lines: list[str] = []
        self.objects: list[object] = []
        self.undo = ""  # what to do before returning once the kernel has run, if it has written to the caller's arrays

    def name(self, value: object) -> str:
        """Register an object and return its name in the text."""
        self.objects.append(value)
        return f"o{len(self.objects) - 1}"

    def add(self, line: str) -> None:
        self.lines.append(line)

    def unless(self, *conditions: str, otherwise: str = "MISSED") -> None:
        self.add(f"if {' or '.join(conditions)}: return {otherwise}")

    def failed(self, condition: str, otherwise: str = "MISSED") -> None:
        """Return if a condition holds after the kernel has run."""
        self.add(f"if {condition}: {self.undo}return {'MISSED' if self.undo else otherwise}")

    def arguments(self) -> bool:
        """Add the checks of arguments and names; return whether they are sufficient."""
        s = self.s
        rows = dim_rows(s.signature)
        if s.record.early or rows is None or s.signature.hidden:
            return False
        if not all(_is_plain(p.structure) for p in s.signature.params):
            return False
        leaves = [p.structure for p in s.signature.params]
        if [leaf.index for leaf in leaves] != list(range(len(leaves))):
            return False
        if leaves:
            self.add(f"{''.join(f'a{k}, ' for k in range(len(leaves)))}= arguments")
        for k, leaf in enumerate(leaves):
            self.unless(*self.kind(f"a{k}", leaf))
        bound = {"": "0"}
        for k, axis, factor, name, shift in rows:
            size = f"a{k}.shape[{axis}]" + (f" - {shift}" if shift else "")
            if name in bound:
                self.unless(f"{size} != {bound[name]}" + (f" * {factor}" if factor != 1 else ""))
                continue
            bound[name] = n = f"n{len(bound)}"
            self.add(f"{n} = {size}")
            if factor != 1:
                self.add(f"{n}, rest = divmod({n}, {factor})")
                self.unless("rest")
            if shift > 0:
                self.unless(f"{n} < 0")
        self.names()
        return True

    def kind(self, value: str, leaf: Leaf) -> tuple[str, ...]:
        """The conditions under which an argument does not qualify."""
        if isinstance(leaf.type, Array):
            dtype = self.name(WANTED[leaf.type.dtype])
            is_array = f"{value}.__class__ is not ndarray or {value}.dtype is not {dtype}"
            return is_array, f"{value}.ndim != {leaf.type.rank}", f"not {value}.flags.carray"
        if leaf.type == F64:
            return (f"{value}.__class__ is not float",)
        return f"{value}.__class__ is not int", f"not -{2**63} <= {value} < {2**63}"

    def moved(self, value: str, leaf: Leaf) -> tuple[str, ...]:
        """As `kind`, for a tangent or a cotangent: floats of NumPy qualify, as the type of a number does not matter."""
        return (f"not isinstance({value}, float)",) if leaf.type == F64 else self.kind(value, leaf)

    def names(self) -> None:
        """Add the checks that every name still has the same meaning."""
        record = self.s.record
        same = record.identities()
        self.unless(f"len({self.name(record.lookups)}) != {len(record.lookups)}")
        for d, name, value in {(id(d), name): (d, name, value) for d, name, value in same.bound}.values():
            self.unless(f"{self.name(d)}.get({name!r}, MISSING) is not {self.name(value)}")
        for cell, value in same.cells:
            self.unless(f"{self.name(cell)}.cell_contents is not {self.name(value)}")
        for f, code, defaults in same.functions:
            now = self.name(f)
            self.unless(f"{now}.__code__ is not {self.name(code)}", f"{now}.__kwdefaults__ is not None")
            self.unless(f"{now}.__defaults__ is not {self.name(defaults)}")
        for d, name in same.unbound:
            self.unless(f"{name!r} in {self.name(d)}")
        for lookup in same.others:
            self.unless(f"not {self.name(lookup)}.holds()")

    def run(self, values: str, request: Request | None = None) -> None:
        """Add the kernel call for arguments of these sizes; the kernel must already be loaded. ``request``: another
        than that of the text."""
        s, among = self.s, self.s.matrices
        if among:
            self.add(f"version = {self.name(s)}.latest")
            shapes = ", ".join(f"a{k}.shape" for k in among)
            self.add(f"if [{shapes}] != version.shapes: version = {self.name(s)}.version(arguments)")
        else:
            self.add(f"version = {self.name(s.latest)}")
        self.add(f"kernel = version.kernels.get({self.name(self.request if request is None else request)})")
        self.unless("kernel is None")
        self.add("loaded = kernel.builds.get('hoisted')")
        self.unless("loaded is None", *(("loaded.again",) if self.undo else ()))
        self.add("err = loaded.errors()")
        self.add(f"out = loaded.call({values}, err)")
        self.failed(f"out[0] != {DONE}")

    def buffer(self, like: str, place: int, dtype: np.dtype) -> str:
        """An array of the shape of an argument: a new one, or a large one that the caller has dropped. It is zero if
        the kernel adds to it."""
        shape, kind = f"{like}.shape", self.name(dtype)
        new, again = ("empty", self.returned.empty) if self.request[0] == FRESH else ("zeros", self.returned.zeros)
        return f"{new}({shape}, {kind}) if {like}.size < {LARGE} else {self.name(again)}({place}, {shape}, {kind})"

    def tested(self, gradient: str, leaf: Leaf) -> None:
        """Add the test for nan, equivalent to `has_nan`, unless the kernel has exact zeros."""
        if EXACT in self.request:
            return
        if not isinstance(leaf.type, Array):
            self.failed(f"{gradient} != {gradient}", "NAN")
            return
        reduced = f"largest({gradient}, axis=None, initial=0.0)"
        if leaf.type.dtype == "f64":  # the sum of squares is nan if a cell is; squares of other values never sum to nan
            flat = gradient if leaf.type.rank == 1 else f"{gradient}.ravel()"
            self.add(f"flat = {flat}")
            reduced = f"dot(flat, flat) if flat.size <= {BY_ONE_THREAD} else {reduced}"
        self.add(f"nan = {reduced}")
        self.failed("nan != nan", "NAN")

    def typed(self, value: str, leaf: Leaf) -> str:
        """Convert a result to the class that Python would return, like `results.typed`. The kernel returns Python's own
        floats and ints."""
        if isinstance(leaf.type, Array) or leaf.weak and leaf.type in (F64, I64):
            return value
        return f"{self.name(class_of(leaf))}({value})"

    def structured(self, structure: Structure, found: Mapping[int, str]) -> str | None:
        """The expression of values, by leaf, in a structure of tuples, with None for other leaves; None for records."""
        if isinstance(structure, Leaf):
            return self.typed(found[structure.index], structure) if structure.index in found else "None"
        if type(structure) is not tuple:
            return None
        parts = [self.structured(part, found) for part in structure]
        return None if None in parts else f"({''.join(f'{part}, ' for part in parts)})"

    def made(self, result: str, given: str = "arguments") -> FastCall:
        """Compile the function that returns this result."""
        lines = [f"        {line}" for line in (*self.lines, f"return {result}")]
        caught = ["    except Exception: return MISSED"]  # the general path raises it again, with the user's position
        text = "\n".join([f"def fast_call({given}):", "    try:", *lines, *caught])
        names: dict[str, object] = {
            "MISSED": MISSED,
            "NAN": NAN,
            "MISSING": MISSING,
            "ndarray": np.ndarray,
            "zeros": np.zeros,
            "empty": np.empty,
            "largest": np.maximum.reduce,
            "dot": np.vdot,  # unlike `ndarray.dot` it does not warn of squares that overflow
            **{f"o{k}": value for k, value in enumerate(self.objects)},
        }
        exec(compile(text, f"<linad: the fast call of {self.s.signature.name}>", "exec"), names)
        return names["fast_call"]  # type: ignore[return-value]


def _is_float_array(leaf: Leaf) -> bool:
    return isinstance(leaf.type, Array) and is_float(leaf.type)


def _is_plain(structure: object) -> bool:
    """Whether a parameter is an array, or a weak float or int."""
    if not isinstance(structure, Leaf):
        return False
    return isinstance(structure.type, Array) or structure.weak and structure.type in (F64, I64)
