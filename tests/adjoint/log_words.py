"""How many words a derivative logs, with its numbers held against those of the derivative that logs everything."""

from __future__ import annotations

import numpy as np
from linad_typecheck.types import is_float

from linad.cost import seeds_and_buffers
from linad.interpret import run
from linad.pipeline import differentiate, prepare
from tests.cost.programs import core_of

# reads so many cells that its writes are logged in place of what is read, and puts back what it writes over
MIXED = """\
def mixed(v):
    for i in range(len(v)):
        e = 0.0
        for k in range(len(v)): e += v[i] * v[k]
        v[i] = e / len(v)
"""


def words(f, *args) -> int:
    """The words that the gradient logs; it is that of the derivative in which everything is."""
    return words_of(*core_of(f, *args))


def words_twice(f, *args) -> int:
    """The same of the derivative of the derivative."""
    program, values = core_of(f, *args)
    wrt = tuple(q.var.name for q in program.main.params if is_float(q.var.type))
    seeds = seeds_and_buffers(program, wrt, values, run(program, values))
    return words_of(prepare(differentiate(program, wrt, False).simplified), [*values, *seeds], (False,))


def words_of(program, values, kept=(True, False)) -> int:
    wrt = tuple(q.var.name for q in program.main.params if is_float(q.var.type) and q.mode != "acc")
    seeds = seeds_and_buffers(program, wrt, values, run(program, values))
    for value in kept:
        plan, tape = (
            run(differentiate(program, wrt, value, log_everything=le).simplified, [*values, *seeds]) for le in (False, True)
        )
        for a, b in zip((*plan.results, *plan.params.values()), (*tape.results, *tape.params.values()), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)
    return plan.log_words

