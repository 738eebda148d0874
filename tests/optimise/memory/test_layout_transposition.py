"""Arrays whose innermost loops go from row to row are stored by columns, and nobody can tell."""

from __future__ import annotations

import numpy as np
import pytest
from jaxtyping import Float64, Int64
from linad_typecheck.ir.core import AddArray, Copy, Dim, Store, using, walk
from linad_typecheck.ir.verify import verify

import linad
from linad import linear_grad
from linad.optimise.loops.loop_unrolling import unroll
from linad.optimise.memory.layout_transposition import choose_layouts
from linad.programs import stored
from tests.properties.roads import Whole, close, emitted

Points = Float64[np.ndarray, "n 3"]
Square = Float64[np.ndarray, "n n"]


def pairs(p: Points) -> float:
    e = 0.0
    for i in range(len(p)):
        for j in range(i + 1, len(p)):
            x, y, z = p[i, 0] - p[j, 0], p[i, 1] - p[j, 1], p[i, 2] - p[j, 2]
            e += 1.0 / (x * x + y * y + z * z + 0.1)
    return e


def moving(p: Points, v0: Points) -> float:
    q = p.copy()
    v = v0.copy()
    for _ in range(3):
        for i in range(len(q)):
            for j in range(len(q)):
                if i != j:
                    d = q[j] - q[i]
                    v[i] += 0.01 * d / (d @ d + 0.1)
        q += 0.1 * v
    return np.sum(q * v)


def changing_places(p: Points) -> float:
    q = p.copy()
    r = np.zeros((len(p), 3))
    for _ in range(3):
        for i in range(len(p)):
            for j in range(len(p)):
                r[j, 0] += q[j, 1] * 0.1
                r[j, 2] += q[j, 0] * q[i, 2]
        q, r = r, q
    return np.sum(q[:, 0] ** 2) + r[0, 1]


def returned(p: Points) -> Points:
    f = np.zeros((len(p), 3))
    for i in range(len(p)):
        for j in range(len(p)):
            f[j, 0] += p[i, 1] * p[j, 0]
            f[j, 1] -= p[j, 2] ** 2
    return f


def down_the_columns(a0: Square) -> float:
    a = a0.copy()
    s = 0.0
    for k in range(len(a)):
        for i in range(k + 1, len(a)):
            a[i, k] /= a[k, k]
        for j in range(k + 1, len(a)):
            for i in range(k + 1, len(a)):
                a[i, j] -= a[i, k] * a[k, j]
        s += np.log(abs(a[k, k]))
    return s


def levels(a: Float64[np.ndarray, "n 2 m"]) -> float:
    b = a.copy()
    for _ in range(9):
        for c in range(2):
            for k in range(b.shape[2]):
                for i in range(1, len(b)):
                    b[i, c, k] += 0.1 * b[i - 1, c, k] * b[i, 1 - c, k]
    return np.sum(b)


RNG = np.random.default_rng(5)
BY_COLUMNS = [
    (pairs, (RNG.random((5, 3)),), {"p"}),
    (moving, (RNG.random((4, 3)), RNG.random((4, 3))), {"q", "v"}),
    (changing_places, (RNG.random((4, 3)),), {"q", "r"}),
    (returned, (RNG.random((4, 3)),), {"p", "f"}),
    (down_the_columns, (RNG.random((5, 5)) + 5.0 * np.eye(5),), {"a"}),
    (levels, (RNG.random((4, 2, 3)),), {"b"}),
]


def chosen(whole: Whole) -> set[str]:
    _, remarks = choose_layouts(unroll(whole.prepared.main)[0])
    return {r.text.partition(" by columns")[0] for r in remarks}


def alike(whole: Whole) -> None:
    """The value and the gradient are the same before and after all that is done before printing."""
    after = emitted(whole.prepared)
    assert not verify(after)
    value, updated = whole.run(whole.prepared)
    again, changed = whole.run(after)
    close([np.asarray(again), *changed.values()], [np.asarray(value), *updated.values()], 1e-12, "value")
    wrt = whole.active()
    program = whole.derivative(wrt, True).simplified
    _, expected = whole.gradient(program, wrt, True)
    _, found = whole.gradient(emitted(program), wrt, True)
    close([found[n] for n in wrt], [expected[n] for n in wrt], 1e-12, "gradient")


@pytest.mark.parametrize(("f", "args", "names"), BY_COLUMNS, ids=[f.__name__ for f, *_ in BY_COLUMNS])
def test_stored_by_columns(f, args, names) -> None:
    whole = Whole(f, args)
    assert names <= chosen(whole)
    alike(whole)
    alike(Whole(f, tuple(a[:1].copy() if f is not down_the_columns else a[:1, :1].copy() for a in args)))


def test_a_gradient_that_is_stored_is_copied_once_it_is_known() -> None:
    whole = Whole(pairs, (RNG.random((5, 3)),))
    program = whole.derivative(("p",), True).simplified
    made = emitted(stored(program))
    (bar,) = (p.var for p in made.main.params if p.mode == "out")
    assert [type(t) for t in using(made.main.body, bar) if not isinstance(t, Dim)] == [Store]
    _, expected = whole.gradient(program, ("p",), True)
    _, found = whole.gradient(made, ("p",), True)
    close([found["p"]], [expected["p"]], 1e-12, "gradient")


def once_through(p: Points) -> float:
    s = 0.0
    for j in range(len(p)):
        s += p[j, 0] * p[j, 1]
    return s


def along_rows(p: Float64[np.ndarray, "n m"]) -> float:
    q, s = p.copy(), 0.0
    for i in range(len(q)):
        for k in range(len(q)):
            for j in range(q.shape[1]):
                s += q[i, j] * q[k, j]
    return s


def by_list(p: Points, near: Int64[np.ndarray, "k"]) -> float:
    q, s = p.copy(), 0.0
    for i in range(len(q)):
        for k in range(len(near)):
            s += q[near[k], 0] * q[i, 1] + q[near[k], 2]
    return s


def parts_of_rows(p: Points, ends: Int64[np.ndarray, "k"]) -> float:
    s = 0.0
    for k in range(len(ends) - 1):
        for j in range(ends[k], ends[k + 1]):
            s += p[j, 0] * p[j, 2]
    return s


def both_ways(a: Square) -> float:
    b, s = a.copy(), 0.0
    for i in range(len(b)):
        for j in range(len(b)):
            s += b[i, j] * b[j, i]
    return s


def a_window(p: Points, low: int, high: int) -> float:
    s = 0.0
    for i in range(9):
        for j in range(low, high):
            s += p[j, 0] * p[j, 1] * i
    return s


def near_the_end(p: Points) -> float:
    s = 0.0
    for i in range(9):
        for j in range(len(p) - 2, len(p)):
            s += p[j, 0] * p[j, 1] * i
    return s


def before_the_first_few(p: Points) -> float:
    s = 0.0
    for i in range(9):
        for j in range(min(i, len(p))):
            s += p[j, 0] * p[j, 1] * i
    return s


def a_few_before(p: Points) -> float:
    s = 0.0
    for i in range(2, len(p)):
        for j in range(i - 2, i):
            s += p[j, 0] * p[j, 1] * p[i, 2]
    return s


def sections(x: Float64[np.ndarray, "m"], c: Points) -> float:
    z, s = np.zeros((len(c), 2)), 0.0
    for t in range(len(x)):
        v = x[t]
        for j in range(len(c)):
            y = c[j, 0] * v + z[j, 0]
            z[j, 0] = c[j, 1] * v - c[j, 2] * y + z[j, 1]
            z[j, 1] = v * y
            v = y
        s += v * v
    return s


def under_a_condition(p: Points, full: bool) -> float:
    s = 0.0
    if full:
        for i in range(len(p)):
            for j in range(len(p)):
                s += p[i, 0] * p[j, 1]
    return s


def two_columns(a: Float64[np.ndarray, "n m"]) -> float:
    s = 0.0
    for i in range(len(a)):
        for j in range(len(a)):
            s += a[i, 0] * a[j, 1]
    return s


AS_WRITTEN = [
    (a_window, (RNG.random((5, 3)), 1, 3)),
    (near_the_end, (RNG.random((5, 3)),)),
    (before_the_first_few, (RNG.random((5, 3)),)),
    (sections, (RNG.random(3), RNG.random((4, 3)))),
    (a_few_before, (RNG.random((5, 3)),)),
    (under_a_condition, (RNG.random((5, 3)), True)),
    (two_columns, (RNG.random((4, 4)),)),
    (once_through, (RNG.random((5, 3)),)),
    (along_rows, (RNG.random((4, 3)),)),
    (by_list, (RNG.random((5, 3)), np.array([3, 0, 0, 4]))),
    (parts_of_rows, (RNG.random((5, 3)), np.array([0, 2, 5]))),
    (both_ways, (RNG.random((4, 4)),)),
]


@pytest.mark.parametrize(("f", "args"), AS_WRITTEN, ids=[f.__name__ for f, *_ in AS_WRITTEN])
def test_stored_as_written(f, args) -> None:
    """Where copies may not pay, loops run along rows, cells are picked from anywhere, or loops do not agree."""
    whole = Whole(f, args)
    assert not chosen(whole)
    alike(whole)


def test_what_others_see_is_handed_over_once() -> None:
    whole = Whole(returned, (RNG.random((4, 3)),))
    before = whole.derivative(whole.active(), True).simplified.main
    after, _ = choose_layouts(before)
    handed = [s for s in walk(after.body) if isinstance(s, AddArray | Copy)]
    assert not [s for s in handed if s not in list(walk(before.body))]  # cell by cell, from one order to the other
    assert {p.var for p in after.params} == {p.var for p in before.params}


def mirrored(p: Points) -> float:
    s = 0.0
    for i in range(len(p) - 1, -1, -1):
        for j in range(len(p) - 1, i, -1):
            s += (p[i, 0] - p[j, 0]) ** 2
    return s


def those_before(p: Points) -> float:
    s = 0.0
    for i in range(len(p)):
        for j in range(i):
            s += (p[i, 0] - p[j, 0]) ** 2
    return s


def those_before_backwards(p: Points) -> float:
    s = 0.0
    for i in range(len(p)):
        for j in range(i - 1, -1, -1):
            s += (p[i, 0] - p[j, 0]) ** 2
    return s


def product(a: Square, b: Square) -> float:
    s = 0.0
    for i in range(len(a)):
        for j in range(len(a)):
            for k in range(len(a)):
                s += a[i, k] * b[k, j]
    return s


THAT_PAY = [(mirrored, 1, {"p"}), (those_before, 1, {"p"}), (those_before_backwards, 1, {"p"}), (product, 2, {"b"})]


@pytest.mark.parametrize(("f", "args", "names"), THAT_PAY, ids=[f.__name__ for f, *_ in THAT_PAY])
def test_copies_that_pay(f, args: int, names: set[str]) -> None:
    whole = Whole(f, tuple(RNG.random((4, 4 if f is product else 3)) for _ in range(args)))
    assert chosen(whole) == names
    alike(whole)


def test_explain_says_so() -> None:
    told = str(linad.explain(linear_grad(pairs)))
    assert "stored: p by columns: the innermost loops run along axis 0" in told


def test_machine_code() -> None:
    """Compiled: value and gradient of what is stored by columns, and the sizes that are tested before."""
    f = linear_grad(moving)
    p, v = RNG.random((7, 3)), RNG.random((7, 3))
    whole = Whole(moving, (p, v))
    _, expected = whole.gradient(whole.derivative(("p", "v0"), True).simplified, ("p", "v0"), True)
    value, gradient = f.value_and_grad(p, v)
    assert value == pytest.approx(moving(p, v), rel=1e-12)
    close([g * whole.cotangent for g in gradient], list(expected.values()), 1e-11, "gradient")
    with pytest.raises(ValueError, match="axis 1"):
        f(p[:, :2].copy(), v)
