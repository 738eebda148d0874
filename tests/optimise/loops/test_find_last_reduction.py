"""Chosen values: where only the iteration that they were chosen in is differentiated, and what that saves."""

import textwrap

import numpy as np
import pytest
from linad_typecheck.ir.core import If, Loop, Program, walk
from linad_typecheck.ir.verify import verify

from linad.cost import cost_of
from linad.interpret import run
from linad.optimise.loops.find_last_reduction import find_last
from linad.pipeline import prepare

from ...kit import load
from ...prelude import HEADER
from ...properties.roads import Whole

PARAMS = 'x: Float64[np.ndarray, "n"], A: Float64[np.ndarray, "n m"], k: Int64[np.ndarray, "n"], w: float'
PASS = "find_last_reduction"


def arguments(n: int = 6, m: int = 3) -> tuple:
    rng = np.random.default_rng(n)
    return rng.normal(size=n), rng.normal(size=(n, m)), rng.integers(0, n, n), 0.7


def program(body: str, args: tuple = arguments()) -> Whole:
    text = f"{HEADER}\n\ndef f({PARAMS}):\n    n, m = A.shape\n    s = 0.0\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n    return s\n"
    return Whole(load(text), args)


def alone(whole: Whole) -> tuple[Program, Program]:
    """A program as the pass finds it, and as it leaves it."""
    before = prepare(whole.lowered)
    return before, before.with_main(find_last(before.main))


LEAST = "best = 1e9\nfor i in range(n):\n    d = (x[i] - w) ** 2\n    if d < best:\n        best = d\ns += best"
FOUND = {
    "the least": LEAST,
    "in a helper of Python": "best = 1e9\nfor i in range(n):\n    best = min(best, math.exp(x[i] * w))\ns += best",
    "the other way round": "best = -1e9\nfor i in range(n):\n    best = max(math.exp(x[i] * w), best)\ns += best",
    "by a conditional expression": "best = 1e9\nfor i in range(n):\n    best = x[i] * w if x[i] * w < best else best\ns += best",
    "with its place": "best = 1e9\nat = 0\nfor i in range(n):\n    if x[i] * w < best:\n        best = x[i] * w\n        at = i\ns += best * A[at, 0]",
    "in an arm": "best = 1e9\nfor i in range(n):\n    if i != 2:\n        d = x[i] * w\n        if d < best:\n            best = d\ns += best",
    "kept where it holds": "best = 1e9\nfor i in range(n):\n    d = x[i] * w\n    if d >= best:\n        pass\n    else:\n        best = d\ns += best",
    "downwards": "best = 1e9\nfor i in range(n - 1, 0, -2):\n    best = min(best, x[i] * w)\ns += best",
    "never": "best = w\nfor i in range(n):\n    if x[i] * w < -1e9:\n        best = x[i]\ns += best",
    "not run": "best = w\nfor i in range(n, 2):\n    best = min(best, x[i] * x[i])\ns += best",
    "a tie": "best = 9.0\nfor i in range(n):\n    best = min(best, 2.0 * w)\ns += best",
    "of loaded indices": "best = 1e9\nfor i in range(n):\n    d = x[k[i]] * w\n    if d < best:\n        best = d\ns += best",
    "of a sum inside": "best = 1e9\nfor i in range(n):\n    d = 0.0\n    for j in range(m):\n        d += (A[i, j] - w) ** 2\n    if d < best:\n        best = d\ns += math.sqrt(best)",
    "over two loops": "best = 1e9\nfor i in range(n):\n    for j in range(m):\n        if A[i, j] * x[i] < best:\n            best = A[i, j] * x[i]\ns += best * best",
    "of a counter": "best = 1e9\nc = 0\nfor i in range(n):\n    c = (3 * c + 1) % n\n    if x[c] * w < best:\n        best = x[c] * w\ns += best",
    "the last that passes a test": "last = 0.0\nfor i in range(n):\n    if x[i] > 0:\n        last = x[i] * A[i, 1]\ns += last * last",
    "compared and counted": "best = 1e9\nfor i in range(n):\n    best = min(best, x[i] * x[i])\nfor i in range(n):\n    if x[i] * x[i] <= best:\n        s += A[i, 0]\ns += best",
}  # fmt: skip
STAYS = {
    "used in the loop": "best = 1e9\nfor i in range(n):\n    best = min(best, x[i] * w)\n    s += best\ns += best",
    "of a running sum": "best = 1e9\nq = 0.0\nfor i in range(n):\n    q += x[i] * w\n    best = min(best, q)\ns += best",
    "of what the loop writes": "best = 1e9\nu = x.copy()\nfor i in range(n):\n    u[i] *= w\n    best = min(best, u[i])\ns += best + u[0]",
    "of two values": "best = 1e9\nfor i in range(n):\n    best = min(best, x[i] * w)\n    best = min(best, A[i, 0] * w)\ns += best",
    "ended by a break": "best = 1e9\nfor i in range(n):\n    if x[i] * w < best:\n        best = x[i] * w\n    if best < -1.0:\n        break\ns += best",
    "beside a sum, by another test": "d = 1.0\nfor i in range(n):\n    if k[i] == 2:\n        d = x[i]\n    else:\n        s += x[i] * w\ns /= d",
    "only its place": "best = 1e9\nat = 0\nfor i in range(n):\n    if x[i] < best:\n        best = x[i]\n        at = i\ns += A[at, 0]",
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_found(name) -> None:
    whole = program(FOUND[name])
    before, after = alone(whole)
    assert before != after and not verify(after)
    was, now = (run(p, whole.values) for p in (before, after))
    assert was.results == now.results
    whole.primal()
    whole.gradients(thorough=False)


@pytest.mark.parametrize("name", STAYS)
def test_stays(name) -> None:
    whole = program(STAYS[name])
    before, after = alone(whole)
    assert before == after
    whole.gradients(thorough=False)


@pytest.mark.parametrize("name", ["the least", "in a helper of Python", "of a sum inside", "over two loops", "with its place"])
def test_the_reverse_is_that_of_one_iteration(name) -> None:
    """What the gradient takes beyond the value is the same for any length, but for the zeros of the gradients."""
    more = []
    for n in (20, 40):
        whole = program(FOUND[name], arguments(n))
        cost = cost_of(whole.lowered, whole.values)
        loops = [t for t in walk(alone(whole)[1].main.body) if isinstance(t, Loop)]
        zeros = n * 4  # of x and A
        tracked = 2 * n * 3 * len(loops)  # the select or branch of the place, at most
        more.append(cost.gradient - cost.primal - zeros - tracked)
        assert cost.log_words <= 3
    assert more[1] <= more[0]


def test_an_outer_loop_logs_one_int_for_each() -> None:
    body = "for t in range(n):\n    best = 1e9\n    for i in range(n):\n        best = min(best, math.exp(x[i] * A[t, 0]) * w)\n    s = math.sin(s * best)"
    whole = program(body, arguments(12))
    cost, without = (cost_of(whole.lowered, whole.values, off=off) for off in ((), (PASS,)))
    assert cost.log_words < without.log_words / 4 and cost.gradient < without.gradient
    whole.gradients(thorough=False)


def test_decisions_are_those_of_the_value() -> None:
    """A comparison with the chosen value is one with what the loop itself carried."""
    whole = program(FOUND["compared and counted"])
    [f] = [alone(whole)[1].main]
    outs = {v.name for t in walk(f.body) if isinstance(t, Loop) for v in t.outs}
    compared = {a.name for t in walk(f.body) if getattr(t, "op", "") == "le" for a in t.ins}
    assert compared & outs


def test_what_is_compared_is_what_was_carried() -> None:
    """Also in the loops around: what is computed again may round differently, and ties are those of the value."""
    whole = program(FOUND["over two loops"])
    [f] = [alone(whole)[1].main]
    [outer] = [s for s in f.body.stmts if isinstance(s, Loop) and any(v.type.dtype == "f64" for v in s.carried)]
    [inner] = [s for s in outer.body.stmts if isinstance(s, Loop)]
    assert not any(isinstance(s, If) and any(v.type.dtype == "f64" for v in s.outs) for s in outer.body.stmts)
    assert outer.body.results[0] in inner.outs
