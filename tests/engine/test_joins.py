"""Names that have one rank on one path and another one, or a number, on another: the rest of a block in each arm, loops with their first
iteration apart."""

from typing import NamedTuple

import numpy as np
import pytest
from linad import LinadError, linear_grad
from linad_typecheck import check_source
from linad_typecheck.engine.state import Lowering

from tests.two_roads import differences

A = np.array([[1.5, -2.0, 3.0], [0.5, 4.0, -1.0]])


def total(x):
    t = 0
    for row in x:
        t = t + row * row
    return (t * t).sum()


def total_in_place(x):
    t = 0.0
    for i in range(x.shape[0]):
        t += x[i] * x[i, 0]
    return (t * x[0]).sum()


def powers(x):
    y, k = 1.0, 0
    while k < 3:
        y = y * x
        k += 1
    return (y + x).sum()


def downwards(x):
    t = 0
    for i in range(x.shape[0] - 1, -1, -1):
        t = t * 0.5 + x[i]
    return (t**2).sum()


def nested(x):
    s = 0
    for i in range(x.shape[0]):
        t = 0
        for j in range(x.shape[1]):
            t = t + x[i, j] * x[:, 0]
        s = s + t * i
    return (s * s).sum()


def two_arms(x):
    c = x[0, 0]
    if x.shape[0] > 2:
        c, d = x[0], x[1] * 2.0
    elif x.shape[0] > 1:
        c = x[0]
        d = x[1, 1]
    else:
        d = 0
    y = (c + d * x) * 2.0
    return (y * y).sum()


def either(x):
    t = x[:, None, :] if x.shape[0] > 2 else x
    return (t * t).sum() * t.ndim


def updates_after(x):
    y = x.copy()
    v = y[0] if x[0, 0] > 1.0 else 2.0
    y[0, 1] = 5.0
    return np.sum(v * y)


def inside_a_loop(x):
    s = 0.0
    for i in range(x.shape[0]):
        if i % 2 == 0:
            w = x[i]
        else:
            w = x[i, 0]
        s += np.sum(w * x)
    return s


class Pair(NamedTuple):
    a: float
    b: float


class One(NamedTuple):
    a: float


def of_two_classes(x):
    p = One(x[0, 0])
    if x.shape[0] > 1:
        p = Pair(x[1, 1], x[0, 0])
    q = One(0.5)
    for row in x:
        q = Pair(q.a + row[1], row[0])
    return p.a * q.a


def functions_of_a_loop(x):
    g = None
    for i in range(3):

        def g(y):
            return y * i * x[0, 0]

    return g(x[0, 1]) + g(1.0)


CASES = [total, total_in_place, powers, downwards, nested, two_arms, either, updates_after, inside_a_loop, of_two_classes, functions_of_a_loop]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [A, A[:1], np.vstack((A, A[::-1] * 0.75)), A[:, :2] * 0.5], ids=["2 rows", "1 row", "4 rows", "square"])
def test_ranks_that_differ(f, x):
    g = linear_grad(f, backend="interpret")
    assert g(x) == pytest.approx(f(x))
    assert np.allclose(g.grad(x), differences(f, x), atol=1e-5)


def test_a_loop_that_runs_no_iteration():
    with pytest.raises(ValueError, match="the loop runs no iteration, and `t` would be int"):
        linear_grad(total, backend="interpret")(A[:0])

    def not_used_after(x):
        s, t = 1.0, 0
        for row in x:
            t = t + row
            s += (t * row).sum()
        return s

    g = linear_grad(not_used_after, backend="interpret")
    assert g(A[:0]) == not_used_after(A[:0]) == 1.0
    assert np.allclose(g.grad(A), differences(not_used_after, A), atol=1e-5)


def test_results_of_several_ranks_are_refused():
    def f(x):
        return x[0] if x[0, 0] > 1.0 else 1.0

    with pytest.raises(LinadError):
        linear_grad(f)(A)

    def grows(x):
        t = 0.0
        for row in x:
            t = row[None] if np.ndim(t) == 0 else t[None]
        return np.sum(t)

    assert linear_grad(grows, backend="interpret")(A) == grows(A)  # compiled for this shape


# Names that hold values of two kinds by a branch: tail duplication may be tried, but not 2**n times.

CHOSEN = {
    "arrays or numbers": (
        "    if w > {k}.0:\n        a{k} = x\n    else:\n        a{k} = 1.0\n",
        "    s += np.sum(a{k} * x)\n",
    ),
    "texts": (
        "    m{k} = 'a' if w > {k}.0 else 'b'\n",
        "    if m{k} == 'a':\n        s += 1.0\n    else:\n        s *= 2.0\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", CHOSEN)
def test_many_choices_take_a_number_of_steps_linear_in_them(kind, monkeypatch):
    steps, counts = [0], []
    attempt = Lowering.attempt

    def counted(ctx, run):
        steps[0] += 1
        return attempt(ctx, run)

    monkeypatch.setattr(Lowering, "attempt", counted)
    for n in (4, 8, 12):
        steps[0] = 0
        first, then = ("".join(part.format(k=k) for k in range(n)) for part in CHOSEN[kind])
        text = f'@linear_grad\ndef f(x: Float64[np.ndarray, "n"], w: float):\n    s = w\n{first}{then}    return s\n'
        imports = "import numpy as np\nfrom jaxtyping import Float64\nfrom linad import linear_grad\n"
        check_source(imports + text, "p.py")
        counts.append(steps[0])
    assert counts[2] - counts[1] <= counts[1] - counts[0] + 2, counts
