"""Generated programs of arrays: what the front end accepts gives CPython's values and the gradients of other ways."""

from hypothesis import given

from linad.baseline import tape

from ..examples_of import quick
from ..properties.roads import Whole, close
from ..strategies_arrays import array_programs
from ..strategies_loops import loop_programs


def accepted(program, sized: bool = False) -> Whole | None:
    whole = Whole(program.load(), program.args, program.updates, program.single, sized)
    return None if whole.errors else whole


@given(array_programs(size=10))
@quick(3)
def test_programs_of_arrays(program):
    whole = accepted(program)
    if whole is not None:
        whole.holds(thorough=False)


@given(array_programs(size=16))
@quick(3)
def test_long_programs_of_arrays_have_cpython_s_value(program):
    for sized in (False, True):
        whole = accepted(program, sized)
        if whole is not None:
            whole.primal()


@given(loop_programs())
@quick(3)
def test_chains_of_loops(program):
    whole = accepted(program)
    assert whole is not None
    ended = whole.primal()
    if ended.error is not None:
        whole.raises(ended.error)
        return
    wrt = whole.active()
    wanted = whole.expected(tape)
    for log_everything in (False, True):
        g = whole.derivative(wrt, True, log_everything)
        for name, stage in (("stored", g.stored), ("simplified", g.simplified)):
            _, found = whole.gradient(stage, wrt, True)
            close([found[n] for n in wrt], wanted, whole.tolerance, name)


@given(array_programs(size=6))
@quick(2)
def test_second_derivatives(program):
    whole = accepted(program, sized=True)
    if whole is not None and whole.primal().error is None:
        whole.second_order(step=None)
