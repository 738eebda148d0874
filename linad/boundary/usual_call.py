"""The usual call, written out: one Python function for each specialisation and for what is asked of it.

It tests that the arguments are plain ones of the types and sizes that the specialisation is for and that every name
still means what it meant, runs the kernel, and gives its results as the caller expects them. Loops over descriptions of
parameters would take three times as long. In doubt it gives `MISSED`, and the general path decides, which also words the
errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from linad_typecheck.signature import Leaf, ParamInfo, Signature
from linad_typecheck.types import F64, I64, Array

from .arguments import WANTED
from .kernel import DONE
from .objects import MISSING
from .results import class_of, restore
from .usual import dim_rows

if TYPE_CHECKING:
    from ..specialise import Request, Specialisation

MISSED = object()  # the general path decides
NAN = object()  # a gradient has a nan: it is computed again with exact zeros

# cells of a dot product; of more, BLAS waits for other threads, on a busy machine for milliseconds
BY_ONE_THREAD = 4096

Usual = Callable[[Sequence[object]], Any]


def usual_value(s: Specialisation) -> Usual | None:
    """The usual call of a function; None if none is."""
    signature = s.signature
    if signature.updates or signature.copied or signature.given_back or signature.result is None:
        return None
    text = _Text(s, ())
    if not text.arguments():
        return None
    text.run("arguments")
    if isinstance(signature.result, Leaf):
        return text.made(text.typed("out[1]", signature.result))
    return text.made(f"{text.name(restore)}({text.name(signature.result)}, out[1:])")


def usual_gradient(
    s: Specialisation, request: Request, params: Sequence[ParamInfo], active: Sequence[Leaf], value: bool
) -> Usual | None:
    """The usual gradient by some parameters, after the value if that is asked for; None if none is.

    ``active`` are the leaves that the derivative carries, in the order in which the kernel takes them.
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
            text.add(f"z{leaf.index} = zeros(a{leaf.index}.shape, {text.name(WANTED[leaf.type.dtype])})")
            given.append(f"z{leaf.index}")
        else:
            grads[leaf.index] = f"out[{scalars}]"
            scalars += 1
    text.run(f"({', '.join(('*arguments', '1.0', *given))})")
    for leaf in active:
        text.tested(grads[leaf.index], leaf)
    found = [grads[p.structure.index] for p in params]  # type: ignore[union-attr]
    bare = found[0] if len(found) == 1 else f"({', '.join(found)})"
    return text.made(f"{text.typed('out[1]', result)}, {bare}" if value else bare)


class _Text:
    """The text of such a function, and the objects that it refers to."""

    def __init__(self, s: Specialisation, request: Request) -> None:
        self.s, self.request = s, request
        self.lines: list[str] = []
        self.objects: list[object] = []

    def name(self, value: object) -> str:
        """The name of an object in the text."""
        self.objects.append(value)
        return f"o{len(self.objects) - 1}"

    def add(self, line: str) -> None:
        self.lines.append(line)

    def unless(self, *conditions: str, otherwise: str = "MISSED") -> None:
        self.add(f"if {' or '.join(conditions)}: return {otherwise}")

    def arguments(self) -> bool:
        """Add the tests of arguments and names; whether these suffice."""
        s = self.s
        rows = dim_rows(s.signature)
        if s.record.early or rows is None or s.signature.hidden or not all(_is_plain(p.structure) for p in s.signature.params):
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
        """The conditions under which an argument is not as usual."""
        if isinstance(leaf.type, Array):
            dtype = self.name(WANTED[leaf.type.dtype])
            is_array = f"{value}.__class__ is not ndarray or {value}.dtype is not {dtype}"
            return is_array, f"{value}.ndim != {leaf.type.rank}", f"not {value}.flags.carray"
        if leaf.type == F64:
            return (f"{value}.__class__ is not float",)
        return f"{value}.__class__ is not int", f"not -{2**63} <= {value} < {2**63}"

    def names(self) -> None:
        """Add the tests that each name still means the same."""
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

    def run(self, values: str) -> None:
        """Add the call of the kernel for arguments of these sizes, which must have been loaded."""
        s, among = self.s, self.s.matrices
        if among:
            self.add(f"version = {self.name(s)}.latest")
            shapes = ", ".join(f"a{k}.shape" for k in among)
            self.add(f"if [{shapes}] != version.shapes: version = {self.name(s)}.version(arguments)")
        else:
            self.add(f"version = {self.name(s.latest)}")
        self.add(f"kernel = version.kernels.get({self.name(self.request)})")
        self.unless("kernel is None")
        self.add("loaded = kernel.builds.get('hoisted')")
        self.unless("loaded is None")
        self.add(f"out = loaded.call({values}, loaded.errors())")
        self.unless(f"out[0] != {DONE}")

    def tested(self, gradient: str, leaf: Leaf) -> None:
        """Add the test for nan, as in `has_nan`."""
        if not isinstance(leaf.type, Array):
            self.unless(f"{gradient} != {gradient}", otherwise="NAN")
            return
        reduced = f"largest({gradient}, axis=None, initial=0.0)"
        if leaf.type.dtype == "f64":  # the squares add up to nan where a cell is; those of others add up to no nan
            flat = gradient if leaf.type.rank == 1 else f"{gradient}.ravel()"
            self.add(f"flat = {flat}")
            reduced = f"flat.dot(flat) if flat.size <= {BY_ONE_THREAD} else {reduced}"
        self.add(f"nan = {reduced}")
        self.unless("nan != nan", otherwise="NAN")

    def typed(self, value: str, leaf: Leaf) -> str:
        """A result as Python would return it, as in `results.typed`: the kernel gives Python's own numbers."""
        if isinstance(leaf.type, Array) or leaf.weak and leaf.type in (F64, I64):
            return value
        return f"{self.name(class_of(leaf))}({value})"

    def made(self, result: str) -> Usual:
        """The function that gives this result."""
        lines = [f"        {line}" for line in (*self.lines, f"return {result}")]
        caught = ["    except Exception: return MISSED"]  # the general path raises it again, at the user's line
        text = "\n".join(["def usual(arguments):", "    try:", *lines, *caught])
        names: dict[str, object] = {
            "MISSED": MISSED,
            "NAN": NAN,
            "MISSING": MISSING,
            "ndarray": np.ndarray,
            "zeros": np.zeros,
            "largest": np.maximum.reduce,
            **{f"o{k}": value for k, value in enumerate(self.objects)},
        }
        exec(compile(text, f"<linad: the usual call of {self.s.signature.name}>", "exec"), names)
        return names["usual"]  # type: ignore[return-value]


def _is_plain(structure: object) -> bool:
    """Whether a parameter is an array, or a number that is a float or an int of Python's."""
    if not isinstance(structure, Leaf):
        return False
    return isinstance(structure.type, Array) or structure.weak and structure.type in (F64, I64)
