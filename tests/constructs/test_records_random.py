"""Random nested structures: through a checked function and back, down to leaves, and through gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from linad import linear_grad
from linad.boundary.arguments import argument_type, leaves
from linad.boundary.results import restore
from linad.boundary.records import attached, tags
from linad.structures import leaves as plain_leaves
from linad.structures import map_leaves, parts
from linad_typecheck.lower.parameters import bound_type, structure
from linad_typecheck.signature import ParamInfo, Signature

from ..examples_of import quick
from ..kit import load

HEADER = '''\
from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple
import numpy as np
from typing import Any
from jaxtyping import Float64
'''


class Writer:
    """Draws classes, the text of an instance of them, and the expressions that read its float leaves."""

    def __init__(self, draw: Any) -> None:
        self.draw, self.classes = draw, []

    def value(self, depth: int, path: str) -> tuple[str, str, list[str]]:
        """The text of a value, its annotation, and the scalar floats in it, where it is called ``path``."""
        kinds = ["float", "int", "array", "single"] + (["tuple", "named", "call", "frozen", "slots"] if depth else [])
        kind = self.draw(st.sampled_from(kinds[::-1] if depth > 1 else kinds))
        number = self.draw(st.integers(-8, 8)) / 4
        match kind:
            case "float":
                return f"{number!r}", "float", [path]
            case "single":
                return f"np.float32({number!r})", "np.float32", [path]
            case "int":
                return f"{int(number)!r}", "int", []
            case "array":
                n = self.draw(st.integers(0, 3))
                note = self.draw(st.sampled_from(["np.ndarray", "Any", "Float64[np.ndarray, '_']"]))
                return f"np.arange({n}.0) + {number!r}", note, [f"{path}[{i}]" for i in range(n)]
        count = self.draw(st.integers(1, 3))
        name, fields = f"C{len(self.classes)}", [f"f{k}" for k in range(count)]
        dotted = kind in ("frozen", "slots") or (kind != "tuple" and self.draw(st.booleans()))
        slot = len(self.classes)
        self.classes.append("")
        inner = [self.value(depth - 1, f"{path}.{f}" if dotted else f"{path}[{k}]") for k, f in enumerate(fields)]
        reads = [e for _, _, es in inner for e in es]
        texts = ", ".join(t for t, _, _ in inner)
        if kind == "tuple":
            return f"({texts},)", f"tuple[{', '.join(n for _, n, _ in inner)}]", reads
        body = "\n".join(f"    {f}: {n}" for f, (_, n, _) in zip(fields, inner)) + "\n"
        self.classes[slot] = {
            "named": f"class {name}(NamedTuple):\n{body}",
            "call": f"{name} = namedtuple('{name}', '{' '.join(fields)}')\n",
            "frozen": f"@dataclass(frozen=True)\nclass {name}:\n{body}",
            "slots": f"@dataclass(frozen=True, slots=True)\nclass {name}:\n{body}",
        }[kind]
        return f"{name}({texts})", name, reads


@st.composite
def programs(draw):
    """A module with ``f(p, c)``, which combines the float leaves of a structure, and such a structure."""
    writer = Writer(draw)
    text, note, reads = writer.value(3, "p")
    reads = draw(st.permutations(reads))[:6]
    pairs = zip(reads, reads[1:] + reads)
    terms = [f"{draw(st.integers(1, 4))}.0 * {r}" + (f" * {s}" if draw(st.booleans()) else "") for r, s in pairs]
    annotation = f": {note}" if draw(st.booleans()) else ""
    body = f"def f(p{annotation}, c):\n    q = p\n    total = {' + '.join(['c', *terms])}\n    return total\n"
    return f"{HEADER}{''.join(reversed(writer.classes))}{body.replace('* p', '* q', 1)}P = {text}\n"


def load_program(text):
    f = load(text)
    return f, f.__globals__["P"]


@given(programs())
@quick(60)
def test_flattened_and_back(text):
    _, value = load_program(text)
    numbers = iter(range(1000))
    shape = structure(bound_type(argument_type(value, "p")), numbers)
    found = leaves(shape, value, "argument `p`")
    assert [x is y for (_, x, _), y in zip(found, plain_leaves(value), strict=True)] == [True] * len(found)
    assert [leaf.index for leaf, _, _ in found] == list(range(len(found)))
    again = restore(shape, [x for _, x, _ in found])
    assert same(value, again)
    loosened = leaves(shape, as_tuples(value), "p", loose=True)
    assert [where for _, _, where in loosened] == [where.removeprefix('argument `').rstrip('`') for _, _, where in found]
    signature = Signature("f", (ParamInfo("p", shape),), None)
    live = {t.key: t.handle for t in tags(signature)}
    assert attached(signature, live) == signature
    assert not live or attached(signature, dict.fromkeys(live)) is None


def as_tuples(value):
    items = parts(value)
    return value if items is None else tuple(map(as_tuples, items))


def same(a, b):
    if type(a) is not type(b):
        return False
    items = parts(a)
    if items is not None:
        return all(map(same, items, parts(b)))
    return np.array_equal(a, b)


@given(programs())
@quick(40)
def test_gradients_have_the_structure_of_the_argument(text):
    f, value = load_program(text)
    checked = linear_grad(f, backend="interpret", cache=False)
    expected = f(value, 0.5)
    np.testing.assert_allclose(checked(value, 0.5), expected, rtol=1e-5)
    floats = [x for x in plain_leaves(value) if not isinstance(x, int)]
    bars = checked.grad(value, 0.5)
    if not floats:
        assert bars == 1.0
        return
    p_bar, c_bar = bars
    assert c_bar == 1.0
    for x, g in zip(plain_leaves(value), plain_leaves(p_bar), strict=True):
        assert g is None if isinstance(x, int) else np.shape(g) == np.shape(x) and np.asarray(g).dtype == np.asarray(x).dtype
    assert same(map_leaves(lambda _: 0, value), map_leaves(lambda _: 0, p_bar))
    along = sum(float(np.sum(g * np.asarray(x))) for x, g in zip(plain_leaves(value), plain_leaves(p_bar), strict=True) if g is not None)
    up, down = (f(map_leaves(lambda x: x if isinstance(x, int) else x * s, value), 0.5) for s in (1 + 1e-3, 1 - 1e-3))
    np.testing.assert_allclose(along, (up - down) / 2e-3, rtol=1e-2, atol=1e-2)
