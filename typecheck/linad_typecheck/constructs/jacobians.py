"""Jacobians, and derivatives of functions with auxiliary results: program texts in the language itself.

A forward-mode Jacobian has one direction per cell of the arguments, a reverse-mode one per cell of the results. One
sweep computes a block of directions. The leaves of tuples and records are written out one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..engine.values import CHEAPER, ArrayType, ScalarType, TupleType, ValueType
from ..frozen import frozen
from ..types import FLOATS

JACOBIANS = ("jacfwd", "jacrev", "jacobian", "value_and_jacobian")
MODES = ("auto", "fwd", "rev")


@frozen(slots=True)
class Part:
    """A float leaf of an argument or a result, given by its access path in the whole."""

    path: str
    dtype: str
    rank: int

    @property
    def zeros(self) -> str:
        """The dtype of an array, as the second argument of `numpy.zeros`."""
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
    if record is not None and record.key == "builtins.dict":
        return f"[{record.names[k]!r}]"
    return f"[{k}]" if record is None or record.named_tuple else f".{record.names[k]}"


def _like(t: ValueType, leaf: Iterator[str]) -> str:
    """An expression with the structure of a type, whose float leaves are taken from ``leaf`` in order."""
    match t:
        case TupleType(items=items):
            return f"({''.join(_like(x, leaf) + ', ' for x in items)})"
    return next(leaf) if parts(t) else "0"


@frozen(slots=True)
class Signature:
    """The parameter types of a function, with how each argument is written in a call, and the result type.
    ``chosen``: the parameters to differentiate with respect to."""

    params: tuple[ValueType, ...]
    forms: tuple[str, ...]
    result: ValueType
    chosen: tuple[int, ...]
    aux: bool

    def call(self, *free: int) -> str:
        """A call of ``f``, in which the arguments ``free`` are parameters of a lambda."""
        given = [form.format(f"c{k}" if k in free else f"a{k}") for k, form in enumerate(self.forms)]
        call = f"f({', '.join(given)}){'[0]' if self.aux else ''}"
        return f"(lambda {', '.join(f'c{k}' for k in free)}: {call})" if free else call

    @property
    def value(self) -> str:
        """The line that computes the value of the function and its auxiliary results."""
        return f"    value, aux = {self.call().removesuffix('[0]')}" if self.aux else f"    value = {self.call()}"

    @property
    def arguments(self) -> str:
        return ", ".join(["f", *(f"a{k}" for k in range(len(self.params)))])

    @property
    def inputs(self) -> list[tuple[int, Part]]:
        """The float leaves to differentiate with respect to, each with its parameter."""
        return [(k, p) for k in self.chosen for p in parts(self.params[k])]

    @property
    def outputs(self) -> list[Part]:
        return parts(self.result)


def jacobian(s: Signature, kind: str, mode: str) -> str:
    """The text of a function of ``f`` and its arguments. It returns a tuple of the value of ``f`` and the Jacobian
    of each part of the results with respect to each argument."""
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
        f"    if 2 * ({inputs}) <= {2 * CHEAPER:.0f} * ({outputs}):",
        f"        return forward({s.arguments})",
        f"    return reverse({s.arguments})",
    ]
    return "\n".join([_forward(s, "forward", wide), _reverse(s, "reverse", wide), *choice])


def _evident(s: Signature) -> str:
    """The cheaper mode, if that does not depend on sizes."""
    arrays_in, arrays_out = (sum(p.rank > 0 for p in of) for of in ([p for _, p in s.inputs], s.outputs))
    if not arrays_in and (arrays_out or len(s.inputs) <= CHEAPER * len(s.outputs)):
        return "fwd"
    return "rev" if not arrays_out else "auto"


MOST = 64  # directions per sweep: an array of a thousand cells then fits the second-level cache
VECTOR = 4  # floats in a vector register: loops over a multiple of it leave no remainder


@frozen(slots=True)
class Cells:
    """The float cells of an argument or a result, one direction each: ``count`` of them, starting at ``first``."""

    part: Part
    of: str  # an expression for the argument or result
    ones: str  # the name of the array with its directions

    @property
    def shape(self) -> list[str]:
        return [f"{self.of}.shape[{n}]" for n in range(self.part.rank)]

    @property
    def count(self) -> str:
        return f"{self.of}.size" if self.part.rank else "1"

    def mark(self, value: str) -> list[str]:
        """The lines that seed the directions from ``start`` on, in an array of cells by directions."""
        lines, at, left = [], [], "q"
        for size in reversed(self.shape[1:]):
            at.append(f"{left} % {size}")
            left = f"{left} // {size}" if left == "q" else f"({left}) // {size}"
        cell = ", ".join([*([left] if self.part.rank else []), *reversed(at)])
        lines.append(f"for q in range(low_{self.ones}, high_{self.ones}):")
        lines.append(f"    {self.ones}[{cell + ', ' if cell else ''}q + first_{self.ones} - start] = {value}")
        return lines


def _directions(every: Sequence[Cells]) -> Iterator[str]:
    """Lines that compute the number of directions and the block size, and allocate the blocks."""
    for before, c in zip(("0", *every[:-1]), every, strict=False):
        yield f"first_{c.ones} = " + ("0" if isinstance(before, str) else f"first_{before.ones} + {before.count}")
    yield f"count = first_{every[-1].ones} + {every[-1].count}"
    yield f"width = -(-count // max(-(-count // {MOST}), 1))"
    yield f"width += -width % {VECTOR} if width > {VECTOR} else 0"
    for c in every:
        yield f"{c.ones} = np.zeros(({', '.join([*c.shape, 'width'])},){c.part.zeros})"


def _blocks(every: Sequence[Cells], body: Sequence[str]) -> Iterator[str]:
    """The loop over blocks of directions."""
    yield "for start in range(0, count, max(width, 1)):"
    for c in every:
        yield f"    low_{c.ones} = min(max(start - first_{c.ones}, 0), {c.count})"
        yield f"    high_{c.ones} = max(min(start + width - first_{c.ones}, {c.count}), 0)"
    for lines in (*(c.mark("1.0") for c in every), body, *(c.mark("0.0") for c in every)):
        yield from ("    " + line for line in lines)


def _text(name: str, s: Signature, lines: Iterator[str]) -> str:
    every = "".join(f"j{o}_{i}, " for o in range(len(s.outputs)) for i in range(len(s.inputs)))
    result = f"return {'(value, aux)' if s.aux else 'value'}, ({every})"
    return "\n".join([f"def {name}({s.arguments}):", s.value, *(f"    {line}" for line in (*lines, result))])


def _forward(s: Signature, name: str, wide: bool) -> str:
    """Forward mode, by columns: the tangents of the results in the direction of each cell of the arguments."""
    every = [Cells(p, f"a{k}{p.path}", f"d{i}") for i, (k, p) in enumerate(s.inputs)]

    def lines() -> Iterator[str]:
        yield from _directions(every)
        for o, i, out, c in _pairs(s.outputs, every):
            sizes = [f"value{out.path}.shape[{n}]" for n in range(out.rank)]
            yield f"j{o}_{i} = np.zeros(({', '.join([*sizes, c.count])},){(out if wide else c.part).zeros})"
        leaf = iter(every)
        ones = "".join(f"{_like(s.params[k], (next(leaf).ones for _ in parts(s.params[k])))}, " for k in s.chosen)
        given = "".join(f"a{k}, " for k in s.chosen)
        body = [f"t = pushforwards({s.call(*s.chosen)}, ({given}), ({ones}))[1]"]
        for o, i, out, c in _pairs(s.outputs, every):
            low, high, shift = f"low_{c.ones}", f"high_{c.ones}", f"first_{c.ones} - start"
            rows = ":, " * out.rank
            body.append(f"j{o}_{i}[{rows}{low}:{high}] = t{out.path}[{rows}{low} + {shift}:{high} + {shift}]")
        yield from _blocks(every, body)
        for o, i, out, c in _pairs(s.outputs, every):
            yield from _shaped(
                f"j{o}_{i}", ":, " * out.rank, [f"value{out.path}.shape[{n}]" for n in range(out.rank)], c
            )

    return _text(name, s, lines())


def _pairs(outputs: Sequence[Part], every: Sequence[Cells]) -> Iterator[tuple[int, int, Part, Cells]]:
    return ((o, i, out, c) for o, out in enumerate(outputs) for i, c in enumerate(every))


def _shaped(j: str, rows: str, sizes: list[str], c: Cells) -> Iterator[str]:
    """The lines that reshape a Jacobian with respect to an argument of a rank other than 1."""
    if c.part.rank == 0:
        yield f"{j} = {j}[{rows}0]"
    elif c.part.rank > 1:
        yield f"{j} = {j}.reshape(({', '.join([*sizes, *c.shape])}))"


def _reverse(s: Signature, name: str, wide: bool) -> str:
    """Reverse mode, by rows: the adjoints of the arguments for each cell of the results."""
    every = [Cells(p, f"value{p.path}", f"e{o}") for o, p in enumerate(s.outputs)]

    def lines() -> Iterator[str]:
        yield from _directions(every)
        for o, i, (k, part), out in _transposed(s.inputs, every):
            sizes = [f"a{k}{part.path}.shape[{n}]" for n in range(part.rank)]
            yield f"j{o}_{i} = np.zeros(({', '.join([out.count, *sizes])},){(out.part if wide else part).zeros})"
        given = "".join(f"a{k}, " for k in s.chosen)
        body = [f"t = pullbacks({s.call(*s.chosen)}, ({given}), {_like(s.result, (c.ones for c in every))})"]
        place = {k: c for c, k in enumerate(s.chosen)}
        for o, i, (k, part), out in _transposed(s.inputs, every):
            found = f"t[{place[k]}]{part.path}[{':, ' * part.rank}q + first_{out.ones} - start]"
            body.append(f"for q in range(low_{out.ones}, high_{out.ones}):")
            body.append(f"    j{o}_{i}[{', '.join(['q', *[':'] * part.rank])}] = {found}")
        yield from _blocks(every, body)
        for o, i, (k, part), out in _transposed(s.inputs, every):
            sizes = [f"a{k}{part.path}.shape[{n}]" for n in range(part.rank)]
            if out.part.rank == 0:
                yield f"j{o}_{i} = j{o}_{i}[0]"
            elif out.part.rank > 1:
                yield f"j{o}_{i} = j{o}_{i}.reshape(({', '.join([*out.shape, *sizes])}))"

    return _text(name, s, lines())


def _transposed(
    inputs: Sequence[tuple[int, Part]], every: Sequence[Cells]
) -> Iterator[tuple[int, int, tuple[int, Part], Cells]]:
    return ((o, i, part, c) for o, c in enumerate(every) for i, part in enumerate(inputs))


def beside(s: Signature, kind: str, argnums: int | str | tuple[int | str, ...]) -> str:
    """The text for ``has_aux``: the gradient of the first result of a pair, together with the second result."""
    every = range(len(s.params))
    given = ", ".join(f"a{k}" for k in every)
    lines = [f"def gradient({s.arguments}):", s.value, f"    g = linad.grad({s.call(*every)}, {argnums!r})({given})"]
    return "\n".join([*lines, f"    return {'(value, aux), g' if kind == 'value_and_grad' else 'g, aux'}"])


def holomorphic(s: Signature, kind: str, bare: bool) -> str:
    """The text for ``holomorphic``: the derivative of ``f(z + dz)`` by a real step ``dz`` at zero."""
    steps = ", ".join(f"d{k}" for k in s.chosen)
    given = [form.format(f"a{k} + d{k}" if k in s.chosen else f"a{k}") for k, form in enumerate(s.forms)]
    parts_of = {k: part for k, part in s.inputs}
    zeros = [f"np.zeros(a{k}.shape{p.zeros})" if p.rank else "0.0" for k, p in parts_of.items()]
    by = 0 if bare else tuple(range(len(s.chosen)))
    kind = {"grad": "jacrev", "value_and_grad": "value_and_jacobian"}.get(kind, kind)
    made = f"linad.{kind}(lambda {steps}: f({', '.join(given)}), {by}, has_aux={s.aux})({', '.join(zeros)})"
    return f"def holomorphic({s.arguments}):\n    return {made}"


def batch(s: Signature, kind: str, axes: Sequence[tuple[Part, int | None]]) -> str:
    """The text of a function of ``f``, its arguments, tangents or cotangents, and the size of a batch of these. It
    returns a tuple of the float parts of the derivatives, stacked along a first axis.

    ``kind``: pushforwards or pullbacks. ``axes``: for each float part, the batch axis, or None for one that all share.
    """
    given = [
        f"c{k} + np.zeros(stop - start{p.zeros})" if axis is None and p.rank == 0
        else f"c{k}[..., None] + np.zeros(stop - start{p.zeros})" if axis is None
        else f"np.moveaxis(c{k}, {axis}, -1)[..., start:stop]"
        for k, (p, axis) in enumerate(axes)
    ]  # fmt: skip
    lines = []
    if kind == "pullbacks":
        wide = _like(s.result, iter(given))
        place = {k: n for n, k in enumerate(s.chosen)}
        out = [(p, f"a{k}{p.path}", f"t[{place[k]}]{p.path}") for k, p in s.inputs]
    else:
        leaf = iter(given)
        wide = f"({''.join(_like(t, leaf) + ', ' for t in s.params)})"
        out = [(p, f"value{p.path}", f"t[1]{p.path}") for p in s.outputs]
        lines.append(s.value)
    for k, (p, of, _) in enumerate(out):
        sizes = "".join(f", {of}.shape[{n}]" for n in range(p.rank))
        lines.append(
            f"    y{k} = np.zeros((count{sizes}){p.zeros})" if sizes else f"    y{k} = np.zeros(count{p.zeros})"
        )
    arguments = f"({''.join(f'a{k}, ' for k in range(len(s.params)))})"
    lines += [
        f"    width = max(-(-count // max(-(-count // {MOST}), 1)), 1)",
        "    for start in range(0, count, width):",
        "        stop = min(start + width, count)",
        f"        t = {kind}(f, {arguments}, {wide})",
        *(f"        y{k}[start:stop] = np.moveaxis({found}, -1, 0)" for k, (_, _, found) in enumerate(out)),
        f"    return ({''.join(f'y{k}, ' for k in range(len(out)))})",
    ]
    return "\n".join([f"def batch({s.arguments}, {''.join(f'c{k}, ' for k in range(len(axes)))}count):", *lines])
