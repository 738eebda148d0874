"""The log of a derivative of a derivative: the primal's words once, and the adjoints that it multiplies by.

What the first reverse puts back, the second one exchanges with the log: that adds no word. What it does add are words of
the first reverse sweep: of each adjoint that is lost and that something is multiplied by.
"""

import numpy as np
import pytest
from linad_typecheck.ir.core import Alloc, Store, walk
from linad_typecheck.types import Array, is_float

from linad.cost import seeds_and_buffers
from linad.interpret import run
from linad.pipeline import differentiate, prepare
from tests.adjoint.gradients import arguments
from tests.adjoint.random_programs import random_program

from . import programs as p


def orders(program, values, n=2):
    """The outcomes of the first ``n`` derivatives, and their programs."""
    found = []
    for _ in range(n):
        wrt = tuple(q.var.name for q in program.main.params if is_float(q.var.type))
        seeds = seeds_and_buffers(program, wrt, values, run(program, values))
        program, values = differentiate(program, wrt, False).simplified, [*values, *seeds]
        found.append((run(program, values), program))
    return found


X = np.random.default_rng(0).uniform(0.2, 0.5, 20)
S = np.random.default_rng(0).uniform(0.1, 0.3, (6, 6))
S = S @ S.T + np.eye(6)
NEWTON = 5  # iterations from 2.0, the one that ends it included
CELLS = 4 * 18

# the words that the first derivative logs; those that the second adds
WORDS = {
    "prefix sums": (p.prefix_sums, (X,), 20, 0),
    "squares": (p.squares, (X,), 20, 20),
    "Gauss-Seidel": (p.gauss_seidel, (X, X), CELLS, CELLS),
}


@pytest.mark.parametrize("name", WORDS)
def test_a_second_reverse_adds_adjoints_only(name):
    f, args, first, more = WORDS[name]
    one, two = (o.log_words for o, _ in orders(*p.core_of(f, *args)))
    assert (one, two) == (first, first + more)


def of_int(program):
    """Logs of ints: sizes, and where the log stands at the beginning of a loop of unknown length."""
    return [s for s in walk(program.main.body) if isinstance(s, Alloc) and s.log != "no" and not is_float(s.out.type)]


def float_logs(program):
    return [s for s in walk(program.main.body) if isinstance(s, Alloc) and s.log != "no" and is_float(s.out.type)]


@pytest.mark.parametrize("f, args", [(p.time_stepping, (X,)), (p.newton, (2.0,)), (p.cholesky, (S,))])
def test_each_log_of_the_first_derivative_is_in_the_second_and_none_twice(f, args):
    (one, first), (two, second) = orders(*p.core_of(f, *args))
    logs = {s.out.name for s in walk(second.main.body) if isinstance(s, Alloc) and s.log != "no"}
    stored = [s.value.name for s in walk(second.main.body) if isinstance(s, Store) and s.array.name in logs]
    assert len(stored) == len(set(stored))  # no value goes into two logs
    assert len(of_int(first)) <= len(of_int(second))
    assert one.log_words < two.log_words


def test_what_is_put_back_is_exchanged_with_the_log():
    (one, first), (two, second) = orders(*p.core_of(p.mixing, X))
    updates = 3 * len(X)
    assert one.log_words == updates  # each overwritten cell
    assert two.log_words == updates + updates  # and each adjoint that the sums are multiplied by
    assert [s.log for s in float_logs(second)].count("stack") == 1  # the words that are exchanged
    assert all(s.log == "cells" for s in float_logs(first))


def test_columns_that_no_later_iteration_touches_are_read_again():
    (one, _), (two, _) = orders(*p.core_of(p.cholesky, S))
    n = len(S)
    assert one.log_words == n  # the roots
    assert two.log_words <= one.log_words + n + sum(range(n + 1)) + n  # adjoints of roots and of quotients; where the log stands


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(200, 215))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_plan_of_second_order_gives_what_logging_everything_gives(seed):
    program = prepare(random_program(seed, 20))
    values = arguments(program, np.random.default_rng(seed), 3)
    wrt = tuple(q.var.name for q in program.main.params if is_float(q.var.type) and q.mode != "acc")
    first = differentiate(program, wrt, False).simplified
    values = [*values, *seeds_and_buffers(program, wrt, values, run(program, values))]
    rng = np.random.default_rng(seed)
    given = [rng.uniform(-1, 1, np.shape(r)) for r, a in zip(run(first, values).results, first.main.body.results) if is_float(a.type)]
    for q, v in zip(first.main.params, values):
        if isinstance(q.var.type, Array) and is_float(q.var.type) and (q.var.name in wrt or q.mode in ("mut", "acc")):
            given.append(rng.uniform(-1, 1, np.shape(v)) if q.mode in ("mut", "acc") else np.zeros(np.shape(v)))
    plan, everything = (
        run(differentiate(first, wrt, False, log_everything=le).simplified, [*values, *given]) for le in (False, True)
    )
    for a, b in zip((*plan.results, *plan.params.values()), (*everything.results, *everything.params.values()), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
    assert plan.log_words <= everything.log_words
