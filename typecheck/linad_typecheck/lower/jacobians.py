"""Jacobians, and derivatives of functions that return something beside: texts of the language itself.

A Jacobian is a loop over the cells of the arguments, each of which is given the tangent 1 in turn, or over those of the
results and their cotangents. What is nested in tuples and records is spelt out, leaf by leaf.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from ..frozen import frozen
from ..types import FLOATS
from .values import ArrayType, ScalarType, TupleType, ValueType

JACOBIANS = ("jacfwd", "jacrev", "jacobian", "value_and_jacobian")
MODES = ("auto", "fwd", "rev")


@frozen(slots=True)
class Part:
    """A float leaf of an argument or a result: where it is in the expression of the whole."""

    path: str
    dtype: str
    rank: int

    @property
    def zeros(self) -> str:
        """The dtype of an array as the second argument of `numpy.zeros`."""
        return ", np.float32" if self.dtype == "f32" else ""


def parts(t: ValueType, path: str = "") -> list[Part]:
    """The float leaves of a type, in order."""
    match t:
        case TupleType(items=items):
            return [p for k, x in enumerate(items) for p in parts(x, path + _step(t, k))]
        case ScalarType(dtype=d) if d in FLOATS:
            return [Part(path, d, 0)]
        case ArrayType(dtype=d, rank=r) if d in FLOATS:
            return [Part(path, d, r)]
    return []


def _step(t: TupleType, k: int) -> str:
    record = t.record
    return f"[{k}]" if record is None or record.named_tuple else f".{record.names[k]}"


def _like(t: ValueType, leaf: Iterator[str]) -> str:
    """An expression of the structure of a type with ``leaf`` for its float leaves, in order."""
    match t:
        case TupleType(items=items):
            return f"({''.join(_like(x, leaf) + ', ' for x in items)})"
    return next(leaf) if parts(t) else "0"


@frozen(slots=True)
class Signature:
    """The types of a function's parameters, with the names of those that are given by name, and of its result;
    ``chosen`` are the parameters that are differentiated by."""

    params: tuple[ValueType, ...]
    named: tuple[str, ...]
    result: ValueType
    chosen: tuple[int, ...]
    aux: bool

    def call(self, *free: int) -> str:
        """The call of ``f``, in which the arguments ``free`` are those of a lambda."""
        first = len(self.params) - len(self.named)
        given = [f"c{k}" if k in free else f"a{k}" for k in range(len(self.params))]
        given[first:] = [f"{n}={v}" for n, v in zip(self.named, given[first:], strict=True)]
        call = f"f({', '.join(given)}){'[0]' if self.aux else ''}"
        return f"(lambda {', '.join(f'c{k}' for k in free)}: {call})" if free else call

    @property
    def value(self) -> str:
        """The line that has the value of the function, and what it returns beside."""
        return f"    value, aux = {self.call().removesuffix('[0]')}" if self.aux else f"    value = {self.call()}"

    @property
    def arguments(self) -> str:
        return ", ".join(["f", *(f"a{k}" for k in range(len(self.params)))])

    @property
    def inputs(self) -> list[tuple[int, Part]]:
        """The parameter and the leaf of each float leaf that is differentiated by."""
        return [(k, p) for k in self.chosen for p in parts(self.params[k])]

    @property
    def outputs(self) -> list[Part]:
        return parts(self.result)


def jacobian(s: Signature, kind: str, mode: str) -> str:
    """The text of a function of ``f`` and its arguments: the value of ``f``, and the Jacobian by each part of the
    results and each of the arguments, in one tuple."""
    mode = {"jacfwd": "fwd", "jacrev": "rev"}.get(kind, mode)
    if mode == "auto":
        mode = _evident(s)
    body = {"fwd": _forward, "rev": _reverse}
    wide = kind == "jacfwd"
    if mode != "auto":
        return body[mode](s, "jacobian", wide)
    inputs, outputs = (
        " + ".join(["0", *(f"{e}.size" if p.rank else "1" for e, p in of)])
        for of in ([(f"a{k}{p.path}", p) for k, p in s.inputs], [(f"value{p.path}", p) for p in s.outputs])
    )
    choice = [
        f"def jacobian({s.arguments}):",
        s.value,
        f"    if {inputs} <= {outputs}:",
        f"        return forward({s.arguments})",
        f"    return reverse({s.arguments})",
    ]
    return "\n".join([_forward(s, "forward", wide), _reverse(s, "reverse", wide), *choice])


def _evident(s: Signature) -> str:
    """The mode with fewer sweeps where it does not depend on sizes."""
    arrays_in, arrays_out = (sum(p.rank > 0 for p in of) for of in ([p for _, p in s.inputs], s.outputs))
    if not arrays_in and (arrays_out or len(s.inputs) <= len(s.outputs)):
        return "fwd"
    return "rev" if not arrays_out else "auto"


def _allocated(s: Signature, wide: bool) -> Iterator[str]:
    """The Jacobian of each part of the results by each of the arguments."""
    for o, out in enumerate(s.outputs):
        for i, (k, part) in enumerate(s.inputs):
            sizes = [f"value{out.path}.shape[{n}]" for n in range(out.rank)]
            sizes += [f"a{k}{part.path}.shape[{n}]" for n in range(part.rank)]
            if sizes:
                yield f"    j{o}_{i} = np.zeros(({', '.join(sizes)},){(out if wide else part).zeros})"


def _returned(s: Signature) -> str:
    every = "".join(f"j{o}_{i}, " for o in range(len(s.outputs)) for i in range(len(s.inputs)))
    return f"    return {'(value, aux)' if s.aux else 'value'}, ({every})"


def _over(whole: str, rank: int, body: Sequence[str]) -> Iterator[str]:
    """The loops over the cells of an array of ones, one at a time; ``body`` has the indices as ``{at}``."""
    at = ", ".join(f"i{n}" for n in range(rank))
    for n in range(rank):
        yield f"{'    ' * (n + 1)}for i{n} in range({whole}.shape[{n}]):"
    for line in (f"{whole}[{at}] = 1.0", *body, f"{whole}[{at}] = 0.0") if rank else body:
        yield "    " * (rank + 1) + line.replace("{at}", at)


def _stored(o: int, i: int, out: Part, part: Part, found: str, before: str, after: str) -> str:
    """A row or column of a Jacobian takes its place."""
    at = ", ".join(x for x in (before, after) if x)
    if not out.rank + part.rank:
        return f"j{o}_{i} = {found}"
    return f"j{o}_{i}[{at}] = {found}"


def _forward(s: Signature, name: str, wide: bool) -> str:
    lines = [f"def {name}({s.arguments}):", s.value, *_allocated(s, wide)]
    places = iter(range(len(s.inputs)))
    for k in s.chosen:
        own = parts(s.params[k])
        arrays = [n for n, p in enumerate(own) if p.rank]
        lines += [f"    d{k}_{n} = np.zeros_like(a{k}{own[n].path})" for n in arrays]
        for n, part in enumerate(own):
            i = next(places)
            ones = (f"d{k}_{m}" if p.rank else "1.0" if m == n else "0.0" for m, p in enumerate(own))
            body = [f"t = linad.jvp({s.call(k)}, (a{k},), ({_like(s.params[k], ones)},))[1]"]
            for o, out in enumerate(s.outputs):
                rows = ", ".join([":"] * out.rank)
                body.append(_stored(o, i, out, part, f"t{out.path}", rows, "{at}" if part.rank else ""))
            lines += _over(f"d{k}_{n}", part.rank, body)
    return "\n".join([*lines, _returned(s)])


def _reverse(s: Signature, name: str, wide: bool) -> str:
    given = ", ".join(f"a{k}" for k in s.chosen)
    lines = [f"def {name}({s.arguments}):", *([s.value] if s.aux else ())]
    lines += [f"    value, pull = linad.vjp({s.call(*s.chosen)}, {given})", *_allocated(s, wide)]
    outputs = s.outputs
    lines += [f"    e{o} = np.zeros_like(value{p.path})" for o, p in enumerate(outputs) if p.rank]
    place = {k: c for c, k in enumerate(s.chosen)}
    for o, out in enumerate(outputs):
        ones = (f"e{m}" if p.rank else "1.0" if m == o else "0.0" for m, p in enumerate(outputs))
        body = [f"t = pull({_like(s.result, ones)})"]
        leaf = count()
        for k, part in s.inputs:
            columns = ", ".join([":"] * part.rank)
            found = f"t[{place[k]}]{part.path}"
            body.append(_stored(o, next(leaf), out, part, found, "{at}" if out.rank else "", columns))
        lines += _over(f"e{o}", out.rank, body)
    return "\n".join([*lines, _returned(s)])


def beside(s: Signature, kind: str, argnums: int | tuple[int, ...]) -> str:
    """The text of the gradient of the first of a pair, with the second."""
    every = range(len(s.params))
    given = ", ".join(f"a{k}" for k in every)
    lines = [f"def gradient({s.arguments}):", s.value, f"    g = linad.grad({s.call(*every)}, {argnums!r})({given})"]
    return "\n".join([*lines, f"    return {'(value, aux), g' if kind == 'value_and_grad' else 'g, aux'}"])
