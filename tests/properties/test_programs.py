"""Programs written by hand through every road; each case is one set of arguments, so that each path is taken."""

from dataclasses import replace

import pytest

from linad.derivatives import table

from . import programs_logs, programs_order, programs_replaced, programs_science, programs_traps, programs_types
from .roads import Whole

SINGLE = {"single_precision", "single_and_double"}
HELPERS = {"lotka", "sigmoid", "normal_cdf", "above", "push_value", "two_updated", "dot_of", "power_tree", "fill_in"}
HELPERS |= {"bump", "inner", "step", "halved"}
MODULES = (programs_science, programs_traps, programs_types, programs_order, programs_logs, programs_replaced)
TWICE = (
    "horner", "csr_matvec", "thomas", "histogram", "index_overwritten_while_used", "swap_in_one_arm",
    "sizes_that_change", "triangular", "helper_updates_two", "updated_with_none", "accumulate_only", "old_and_new",
    "rank_zero", "nested_while", "unused_parameters", "depends_on_nothing", "recursion_reads", "recursion_updates",
    "recursion_updates_for_nobody", "updates_that_nobody_reads",
)


def cases(modules):
    for m in modules:
        for name, given in m.CASES.items():
            for k, (args, updates) in enumerate(given):
                yield pytest.param(getattr(m, name), args, updates, id=f"{name}-{k}")


@pytest.mark.one_in(20)
@pytest.mark.parametrize("f,args,updates", [*cases(MODULES)])
def test_every_way_gives_the_same_gradient(f, args, updates):
    whole = Whole(f, args, updates, f.__name__ in SINGLE)
    whole.holds(thorough=False)


def first_cases():
    for m in MODULES:
        for name in TWICE:
            if name in m.CASES:
                args, updates = m.CASES[name][0]
                yield pytest.param(getattr(m, name), args, updates, id=name)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("f,args,updates", list(first_cases()))
def test_the_adjoint_of_the_adjoint(f, args, updates):
    Whole(f, args, updates).second_order(step=1e-5)


def test_a_wrong_gradient_is_seen(monkeypatch):
    """The comparison itself: with one sign of the rule of a product broken, a program that multiplies fails."""
    right = table.RULES["mul"]
    f, (args, _) = programs_traps.fibonacci_of_floats, programs_traps.CASES["fibonacci_of_floats"][0]
    monkeypatch.setitem(table.RULES, "mul", replace(right, slopes=(table.minus(right.slopes[0]), right.slopes[1])))
    with pytest.raises(AssertionError, match="stored"):
        Whole(f, args).holds(thorough=False)


def test_every_program_has_arguments():
    for m in MODULES:
        functions = {n for n, f in vars(m).items() if getattr(f, "__module__", "") == m.__name__ and n != "U"}
        assert functions - HELPERS == set(m.CASES)
