"""The one solver: heads of loops, recursive functions and scans settle however long that takes."""

from __future__ import annotations

import ast
import random
from itertools import product

import numpy as np
import pytest
from linad_typecheck import check_source
from linad_typecheck.engine import specialise
from linad_typecheck.engine.evaluation import EXPRESSIONS
from linad_typecheck.engine.fixpoint import fixpoint
from linad_typecheck.engine.function import lower_function
from linad_typecheck.engine.loop_head import TOP, Head
from linad_typecheck.engine.spec import Contract
from linad_typecheck.engine.values import ArrayType, Bottom, OtherType, Poison, ScalarType, TupleType, join_types
from linad_typecheck.frozen import frozen

from linad import LinadError, linear_grad
from tests.properties.roads import Whole
from tests.kit import load


KINDS = [(d, True) for d in ("bool", "i64", "f64")] + [(d, False) for d in ("bool", "i64", "f64", "i32", "f32")]
SCALARS = [ScalarType(d, weak) for d, weak in KINDS]
INT, FLOAT = ScalarType("i64", True), ScalarType("f64", True)
TYPES = [
    OtherType(Bottom()), TOP, *SCALARS, ArrayType("f64", 1), ArrayType("f64", 2), ArrayType("i64", 1),
    TupleType((INT, FLOAT)), TupleType((FLOAT, INT)), TupleType((INT,)),
]  # fmt: skip


def join(a, b):
    return join_types(a, b) or TOP


def test_types_are_a_lattice_of_finite_height():
    for a, b, c in product(TYPES, repeat=3):
        assert join(a, b) == join(b, a) and join(a, a) == a
        assert join(join(a, b), c) == join(a, join(b, c)), (a, b, c)
    assert all(join(a, TYPES[0]) == a and join(a, TOP) == TOP for a in TYPES)
    above = {a: [b for b in TYPES if b != a and join(a, b) == b] for a in SCALARS}
    height = lambda a: 1 + max((height(b) for b in above.get(a, ())), default=0)
    assert max(map(height, SCALARS)) <= 6


def both_ways(function, *args):
    """The value is Python's, and the gradient that of dual numbers."""
    whole = Whole(function, args)
    assert whole.primal().error is None
    whole.gradients(thorough=False)


@frozen
class Steps:
    seen: frozenset[int] = frozenset()

    def join(self, other: Steps) -> Steps:
        return Steps(self.seen | other.seen)


def test_the_solver_stops_at_the_least_state_that_stays():
    asked = []

    def run(known: Steps) -> tuple[Steps, int]:
        asked.append(known)
        return Steps(frozenset(k + 1 for k in known.seen if k < 50)), len(known.seen)

    assert fixpoint(run, Steps(frozenset({0}))) == 51
    assert len(asked) == 51 and asked[-1] == Steps(frozenset(range(51)))


def test_heads_and_settled_functions_only_grow():
    one, other = Head(types={"a": INT}, flagged={"a"}), Head(types={"b": FLOAT, "a": FLOAT}, unbound={"c"})
    both = one.join(other)
    assert both == Head(types={"a": FLOAT, "b": FLOAT}, flagged={"a"}, unbound={"c"})
    assert list(both.types) == ["b", "a"] and both.join(one) == both == both.join(other) == both.join(both)
    assert Head(types={"a": ArrayType("f64", 1)}).join(Head(types={"a": INT})).types == {"a": OtherType(Poison())}
    f, g = Contract(INT, ("read", "mut")), Contract(FLOAT, ("acc", "read"), frozenset({1}), recursive=True)
    assert f.join(g) == g.join(f) == Contract(FLOAT, ("acc", "mut"), frozenset({1}), recursive=True)


def chain(n: int) -> str:
    """Names that become floats one after the other, one for each attempt."""
    moves = "".join(f"        a{k} = a{k + 1}\n" for k in range(n))
    return (
        "def f(x):\n"
        + "".join(f"    a{k} = 0\n" for k in range(n + 1))
        + f"    for i in range(len(x)):\n{moves}        a{n} = x[i] * x[i]\n    return a0 + a{n}\n"
    )


@pytest.mark.parametrize("n", [1, 29, 60])
def test_types_that_settle_one_after_the_other(n):
    x = np.linspace(0.5, 1.5, n + 3)
    both_ways(load(chain(n)), x)


RECURSIVE = """def climb(n, x):
    if n == 0:
        return 0, 0
    a, b = climb(n - 1, x)
    return b, b + x[n - 1] * x[n - 1]


def f(x):
    a, b = climb(len(x), x)
    return a * 2.0 + b
"""


def test_results_of_a_recursive_function_that_settle_one_after_the_other():
    both_ways(load(RECURSIVE), np.array([0.7, 1.3, -0.4]))


# ------------------------------------------------------------------------------------------- how often that is

MARK = 7.25  # in the innermost expression of a nest: how often it is met is counted


def inside_out(form: str):
    """An expression in itself: ``{}`` is the inner one, ``{k}`` its level."""

    def nest(depth: int) -> str:
        e = f"x[0] * {MARK}"
        for k in range(depth):
            e = form.format(e, k=k)
        return f"    return 1.0 * ({e})\n"

    return nest


def loops(head: str, start: str, step: str):
    """Loops in each other, each with a sum of its own, which becomes a float where the innermost one does."""

    def nest(depth: int) -> str:
        out, indent = [], "    "
        for k in range(depth):
            out += [indent + start.format(k=k), indent + head.format(k=k)]
            indent += "    "
        out.append(f"{indent}s{depth - 1} += {step.format(MARK=MARK)}")
        for k in range(depth - 2, -1, -1):
            indent = indent[4:]
            out.append(f"{indent}s{k} += s{k + 1} + 1")
        return "\n".join(out) + "\n    return 1.0 * s0\n"

    return nest


NESTS = {
    "sum": inside_out("sum({} for i{k} in range(2))"),
    "sum of two": inside_out("sum({} for i{k} in range(2) for j{k} in range(i{k} + 1))"),
    "sum over an array": inside_out("sum({} * v{k} for v{k} in x)"),
    "max": inside_out("max({} for i{k} in range(2))"),
    "any": inside_out("x[0] * float(any({} > i{k} for i{k} in range(2)))"),
    "array": inside_out("np.sum(np.array([{} for i{k} in range(2)]))"),
    "array of arrays": inside_out("np.sum(np.array([[{} * j{k} for j{k} in range(2)] for i{k} in range(2)]))"),
    "some": inside_out("np.array([{} for i{k} in range(3) if i{k} > 0]).sum()"),
    "build": inside_out("np.sum(linad.build(2, lambda i{k}: {}))"),
    "scan": inside_out("linad.scanl(lambda s{k}, v{k}: s{k} + {}, 0, x)[1]"),
    "for": loops("for i{k} in range(2):", "s{k} = 0", "x[0] * {MARK}"),
    "while": loops("while s{k} < 3:", "s{k} = 0", "1 + abs(x[0] * {MARK})"),
}
HEADER = """import numpy as np
from jaxtyping import Float64
import linad
from linad import linear_grad


@linear_grad
def f(x: Float64[np.ndarray, "n"]):
"""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", NESTS)
def test_a_nest_is_lowered_as_often_as_it_is_deep(kind, monkeypatch):
    constant, count = EXPRESSIONS[ast.Constant], [0]

    def counted(ctx, node, hint):
        count[0] += node.value == MARK
        return constant(ctx, node, hint)

    monkeypatch.setitem(EXPRESSIONS, ast.Constant, counted)
    counts = []
    for depth in range(1, 9):
        count[0] = 0
        assert check_source(HEADER + NESTS[kind](depth), "program.py") == []
        counts.append(count[0])
    steps = [b - a for a, b in zip(counts, counts[1:], strict=False)]
    assert 0 < counts[0] <= 4 and max(steps) <= 4 and max(steps[1:]) == min(steps[1:]), counts


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", NESTS)
def test_a_nest_means_what_it_means_to_python(kind):
    text = "import numpy as np\nimport linad\n\n\ndef f(x):\n" + NESTS[kind](3)
    both_ways(load(text), np.array([0.75, -1.25]))


# --------------------------------------------------------------------------------------------------- order of memory

ROUND = """import numpy as np


def f(a):
    w = np.zeros((3, 3))
    s = 0.0
    for i in range(3):
        v = w.ravel()
        v[1] = a[0, i]
        s += (w * a).sum() + v[i] * a[i, 1]
        w = {}
    v = w.ravel()
    v[2] = 3.0 * s
    return s + (w * a).sum()
"""
SQUARE = np.arange(9.0).reshape(3, 3) / 4 - 0.5


ORDERED = ["(a.T * 2.0).copy()", "np.ones((3, 3)) if i > 0 else (a.T * 2.0).copy()", "np.full((3, 3), a.T[1, 0])"]


@pytest.mark.parametrize("again", ORDERED)
def test_arrays_made_in_order_on_every_path_are_looked_at_in_one_piece(again):
    both_ways(load(ROUND.format(again)), SQUARE)


@pytest.mark.parametrize("again", ["a.T * 2.0", "np.ones((3, 3)) if i > 0 else a.T * 2.0"])
def test_arrays_that_may_lie_in_another_order_are_not(again):
    found = Whole(load(ROUND.format(again)), (SQUARE,)).checked.diagnostics
    assert {d.code for d in found} == {"LIN103"} and all("may be a view or a copy" in d.message for d in found)


# ------------------------------------------------------------------------------------------- weak numbers in loops

STEPS = (
    "s += a[i]", "s += b[i]", "s += w", "s = s * 2.0", "t += s", "t = s", "t = a[i] * t", "s = t", "u = s + 1.0",
    "t -= u", "if b[i] < 5.0:\n{0}    s += b[i]", "if a[i] < 5.0:\n{0}    t = t + a[i]",
    "t = add(s, t)", "s += add(w, 1.0)", "s = s / 3", "s, t = t, s", "p = (s, 2.0)\n{0}t += p[0]",
    "c = lambda v: v + s\n{0}t = c(t)", "s = abs(s) + k\n{0}k += 1",
    "for m in range(2):\n{0}    t += w\n{0}    s += a[m]",
)  # fmt: skip


def weak_program(seed: int) -> str:
    """Loops that change numbers, which are Python's until one of NumPy is added, of either precision.

    Every branch is taken, and loops run often enough for types to settle: otherwise the types in Python differ."""
    draw = random.Random(seed)
    lines, inside = ["    s, t, u, k = 0.0, 1.0, 0.25, 1"], "    "
    for var in ("j", "i")[draw.randrange(2) :]:
        lines.append(f"{inside}for {var} in range({draw.randint(3, 4)}):")
        inside += "    "
        chosen = [step.replace("[i]", f"[{var}]") for step in draw.sample(STEPS, draw.randint(1, 3))]
        lines += [inside + step.format(inside) for step in chosen]
        lines.append(f"{inside}t = t + 0.25")
    tail = [f"    {step}".format("    ").replace("[i]", "[1]") for step in draw.sample(STEPS, draw.randint(0, 2))]
    text = "\n".join([*lines, *tail])
    return f"def add(x, y):\n    return x + y\n\n\ndef f(a, b, w):\n{text}\n    return s * a, t * a, u * a, k * a\n"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(120))
def test_numbers_are_weak_until_they_are_not(seed):
    plain = load(weak_program(seed))
    args = np.array([0.5, 0.25, 0.75, 0.5], np.float32), np.array([0.75, 0.125, 0.25, 0.5]), 0.625
    expected = plain(*args)
    found = linear_grad(plain, backend="interpret")(*args)
    for e, f in zip(expected, found, strict=True):
        assert f.dtype == e.dtype and np.allclose(f, e, rtol=1e-6), plain


def test_a_sum_is_lowered_once(monkeypatch):
    constant, count = EXPRESSIONS[ast.Constant], [0]

    def counted(ctx, node, hint):
        count[0] += node.value == MARK
        return constant(ctx, node, hint)

    monkeypatch.setitem(EXPRESSIONS, ast.Constant, counted)
    loops = "    for i in range(len(x)):\n        for j in range(i):\n            s += x[i] * x[j] * 7.25\n"
    body = f"    s = 0.0\n{loops}    return s\n"
    assert check_source(HEADER + body, "program.py") == [] and count[0] == 1


# ---------------------------------------------------------------------------------------- types that would never settle

DEEPER = {
    "loop": "    n = Node(x[0])\n    while n.value < 9.0:\n        n = Node(n.value + 1.0, n)\n    return n.value\n",
    "both sides": (
        "    t = (x[0], None, None)\n    while t[0] < 9.0:\n        t = (t[0] + 1.0, t, t)\n    return t[0]\n"
    ),
    "recursion": (
        "    def chain(k):\n        if k == len(x):\n            return None\n        return (x[k], chain(k + 1))\n"
        "    return 0.0 if chain(0) is None else x[0]\n"
    ),
    "two calls": (
        "    def tree(i, j):\n"
        "        return (x[i], None, None) if j - i < 2 else (x[i], tree(i, j - 1), tree(i + 1, j))\n"
        "    return tree(0, len(x))[0]\n"
    ),
}  # fmt: skip
CLASS = "class Node:\n    def __init__(self, value, next=None):\n        self.value, self.next = value, next\n"
NODE = CLASS + "\n\ndef f(x):\n"


@pytest.mark.parametrize("kind", DEEPER)
def test_a_type_that_gets_deeper_for_ever_is_refused(kind):
    with pytest.raises(LinadError, match="any number of times"):
        linear_grad(load(NODE + DEEPER[kind]), backend="interpret")(np.array([0.75, -1.25]))


def test_a_chain_of_a_known_length_is_followed():
    body = "    head = None\n    for k in range(3):\n        head = Node(x[k], head)\n"
    text = NODE + body + "    return head.value * head.next.value + head.next.next.value\n"
    both_ways(load(text), np.array([0.75, -1.25, 0.5]))


def test_helpers_of_helpers_that_change_a_list_are_lowered_twice_each(monkeypatch):
    """Once to find what they change, and once as what takes that over: not again for each caller that does so too."""
    depth, lowered = 8, []
    helpers = "".join(f"def h{k}(c):\n    h{k - 1}(c)\n    c.append(c[0])\n\n" for k in range(1, depth))
    body = f"    c = []\n    for k in range(3):\n        c.append(x)\n    h{depth - 1}(c)\n    return sum(c)\n"
    monkeypatch.setattr(specialise, "lower_function", lambda *given: (lowered.append(given), lower_function(*given))[1])
    whole = Whole(load(f"def h0(c):\n    c.append(1.0)\n\n{helpers}def f(x):\n{body}"), (2.0,))
    assert whole.run(whole.lowered)[0] == 3 * 2.0 + 1.0 + (depth - 1) * 2.0
    assert len(lowered) == 2 * depth
