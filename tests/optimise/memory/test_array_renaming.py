"""Arrays that become other ones where nothing that was written before is read: what that saves, and what it leaves."""

import textwrap

import numpy as np
import pytest
from linad_typecheck.ir.core import Alloc, Copy, Loop, walk

from linad.cost import cost_of
from linad.interpret import run
from linad.optimise.memory.array_renaming import rename_arrays
from linad.optimise.pass_manager import check
from linad.pipeline import prepare

from ...examples_of import seeds
from ...prelude import HEADER
from ...properties.roads import Whole, close, fresh
from ...sources import Seeded
from ...kit import load
from ...strategies_scratch import scratch_nests

PARAMS = 'x: Float64[np.ndarray, "n"], A: Float64[np.ndarray, "n n"], w: float'
RNG = np.random.default_rng(0)
ARGS = (RNG.normal(size=5), 0.4 * RNG.normal(size=(5, 5)), 0.7)


def program(body: str) -> Whole:
    body = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return Whole(load(f"{HEADER}\n\ndef f({PARAMS}):\n    n = len(x)\n    s = 0.0\n{body}\n    return s\n"), ARGS)


def recurrent(step: str, made: str = "h = np.ones(n)\nhn = np.zeros(n)", new: str = "") -> str:
    body = new + "for i in range(n):\n    a = x[i]\n    for j in range(n):\n        a += A[i, j] * h[j]\n    hn[i] = math.tanh(a)\n" + step
    return made + "\nfor t in range(6):\n" + textwrap.indent(body, "    ") + "\ns = h[0] * h[1]"


STAGES = """
y = x.copy()
k1 = np.zeros(n)
k2 = np.zeros(n)
{made}
for t in range(6):
    for i in range(n):
        {first}[i] = y[i] * w
    for i in range(n):
        k1[i] = math.sin({first}[i]) * {first}[n - 1 - i]
    for i in range(n):
        {second}[i] = y[i] + 0.5 * k1[i]
    for i in range(n):
        k2[i] = {second}[i] * {second}[n - 1 - i]
    for i in range(n):
        y[i] += 0.1 * (k1[i] + k2[i])
s = np.sum(y * y)
"""

PAIRS = {
    "swapped": (recurrent("h, hn = hn, h"), recurrent("h = hn", "h = np.ones(n)", "hn = np.zeros(n)\n")),
    "one scratch array for two stages": (
        STAGES.format(made="u = np.zeros(n)", first="u", second="u"),
        STAGES.format(made="u = np.zeros(n)\nv = np.zeros(n)", first="u", second="v"),
    ),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", PAIRS)
def test_costs_what_separate_arrays_cost(name) -> None:
    together, apart = map(program, PAIRS[name])
    together.primal()
    together.gradients(thorough=False)
    found, wanted, without = (
        cost_of(p.lowered, p.values, off=off) for p, off in ((together, ()), (apart, ()), (together, ("array_renaming",)))
    )
    assert found.log_words <= wanted.log_words and found.log_words <= without.log_words
    assert found.gradient <= 1.05 * wanted.gradient and found.gradient <= 1.02 * without.gradient
    assert found.primal == without.primal  # what is called keeps its arrays


COPIED = {
    "partly written": recurrent("hn[0] += h[0]\nh, hn = hn, h").replace("for i in range(n)", "for i in range(1, n)"),
    "but for the ends": recurrent("h, hn = hn, h").replace("for i in range(n)", "for i in range(1, n - 1)"),
    "used after the loop": recurrent("h, hn = hn, h") + "\ns += hn[2]",
    "read before it is written": recurrent("h, hn = hn, h").replace("a = x[i]", "a = x[i] + hn[i]"),
}


@pytest.mark.parametrize("name", COPIED)
def test_an_array_with_cells_that_are_read_before_they_are_written_is_copied(name) -> None:
    whole = program(COPIED[name])
    whole.primal()
    whole.gradients(thorough=False)
    f = rename_arrays(prepare(whole.lowered).main)
    loops = [s for s in f.body.stmts if isinstance(s, Loop) and len(s.carried) > 1]
    assert [sum(isinstance(t, Copy) for t in s.body.stmts) for s in loops] == [1]
    found, without = (cost_of(whole.lowered, whole.values, off=off) for off in ((), ("array_renaming",)))
    assert found.log_words <= without.log_words and found.gradient <= 1.05 * without.gradient


def test_an_array_that_each_iteration_renames_at_once_is_not_copied() -> None:
    body = """
    m = np.zeros(n)
    for k in range(3):
        u = A * w
        if u[0, 0] > 0.5:
            m = u[0]
        else:
            m = u[1] * x[k]
    s = np.sum(m * x)
    """
    whole = program(body)
    whole.primal()
    whole.gradients(thorough=False)


def test_a_carried_array_is_made_anew() -> None:
    f = prepare(program(PAIRS["swapped"][0]).lowered).main
    loops = [next(s for s in g.body.stmts if isinstance(s, Loop) and s.carried) for g in (f, rename_arrays(f))]
    assert [len(s.carried) for s in loops] == [2, 1]
    assert [sum(isinstance(t, Alloc) for t in walk(s.body)) for s in loops] == [0, 1]


@pytest.mark.one_in(3)
@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(10))
def test_random_nests(seed) -> None:
    drawn = scratch_nests(Seeded(seed))
    whole = Whole(drawn.load(), drawn.args)
    for off in ((), ("array_privatisation",)):
        ready = prepare(whole.lowered, off=off)
        renamed = ready.with_main(rename_arrays(ready.main))
        check("array_renaming", renamed)
        before, after = (run(p, fresh(whole.values)).results for p in (ready, renamed))
        close(after, before, 1e-12, "renamed")


CHOLESKY = """
def f(A: Float64[np.ndarray, "T n n"], b: Float64[np.ndarray, "T n"]) -> float:
    T, n = b.shape
    L = np.zeros((n, n))
    s = 0.0
    for t in range(T):
        for j in range(n):
            d = A[t, j, j]
            for k in range(j):
                d -= L[j, k] * L[j, k]
            L[j, j] = math.sqrt(d)
            for i in range(j + 1, n):
                d = A[t, i, j]
                for k in range(j):
                    d -= L[i, k] * L[j, k]
                L[i, j] = d / L[j, j]
        for i in range(n):
            s += math.log(L[i, i]) * b[t, i]
    return s
"""


def test_cells_of_a_private_array_that_are_written_once_are_not_logged() -> None:
    B = RNG.normal(size=(3, 4, 4))
    whole = Whole(load(f"{HEADER}\n\n{CHOLESKY}"), (B @ B.transpose(0, 2, 1) + 4 * np.eye(4), RNG.normal(size=(3, 4))))
    whole.primal()
    whole.gradients(thorough=False)
    assert cost_of(whole.lowered, whole.values).log_words == 0
