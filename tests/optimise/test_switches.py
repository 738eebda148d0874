"""Passes are switched off one at a time, by an option or by the environment: the values and gradients stay the same."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from jaxtyping import Float64
from linad_typecheck.diagnostics import LinadError

import linad
from benchmarks import everyday
from linad import linear_grad
from linad.codegen import EmitOptions
from linad.codegen.passes import prepare
from linad.interpret import run
from linad.optimise import pass_manager
from linad.optimise.environment import BrokenByPass
from linad.codegen.passes import all_passes
from linad.switches import switched_off

from ..parallel.roads import without_logs
from ..properties.roads import Whole, close
from ..properties.test_programs import MODULES, SINGLE, cases

PASSES = [name for name, p in all_passes().items() if not p.required]
EVERYDAY = everyday.arguments(0.001)
FUNCTIONS = ("wave1d", "heat_np", "kalman", "thomas", "lu_ikj", "dtw", "histo", "redblack", "springs")


def row_sums(a: Float64[np.ndarray, "n m"], x: Float64[np.ndarray, "m"]) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        y = 0.0
        for j in range(a.shape[1]):
            y += a[i, j] * x[j]
        total += y * y
    return total


@cache
def expected(function) -> list[np.ndarray]:
    """The value and the gradient of an everyday program with all passes."""
    whole = Whole(everyday.function(function), EVERYDAY[function])
    program = whole.derivative(whole.active(), True, after=False).simplified
    return results(program, whole.derivative_arguments(whole.active()))


def results(program, args) -> list[np.ndarray]:
    out = run(program, args, in_place=True)
    return [*map(np.asarray, out.results), *(a for a in args if isinstance(a, np.ndarray))]


@pytest.mark.one_in(96)
@pytest.mark.parametrize(("function", "name"), [(f, n) for f in FUNCTIONS for n in PASSES])
def test_an_everyday_program_without_a_pass(function, name) -> None:
    whole = Whole(everyday.function(function), EVERYDAY[function], off=frozenset({name}))
    wrt = whole.active()
    program = whole.derivative(wrt, True).simplified  # well formed and linear after each of the other passes
    args = whole.derivative_arguments(wrt)
    close(results(program, args), expected(function), whole.tolerance, "simplified")
    done: list[str] = []
    for options in (EmitOptions(off=(name,)), EmitOptions(off=(name,), checked="every", parallel=True)):
        made, _ = prepare(program, options, lambda p, _: done.append(p))
        args = whole.derivative_arguments(wrt)
        threads = [2] * (len(made.main.params) - len(args))
        made = made.with_main(replace(made.main, body=without_logs(made.main.body)))
        close(results(made, [*args, *threads]), expected(function), whole.tolerance, "emitted")
    assert done and name not in done


@pytest.mark.one_in(30)
@pytest.mark.parametrize(("f", "args", "updates"), [*cases(MODULES)])
def test_a_program_without_any(f, args, updates) -> None:
    """All that can be switched off is: what is left is what correctness needs."""
    Whole(f, args, updates, f.__name__ in SINGLE, off=frozenset(PASSES)).holds(thorough=False)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["unroll_and_jam", "index_set_splitting", "loop_fusion", "allocation_hoisting"])
def test_compiled(name) -> None:
    function, args = everyday.function("wave2d"), EVERYDAY["wave2d"]
    value, gradients = linear_grad(function).value_and_grad(*args)
    again, others = linear_grad(function, passes={name: False}).value_and_grad(*args)
    np.testing.assert_allclose(again, value, rtol=1e-12)
    for a, b in zip(others, gradients, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def source_of(f) -> str:
    return str(linad.show(f, "numba"))


def test_the_option_the_environment_and_what_shows_them(monkeypatch) -> None:
    plain, other = linear_grad(row_sums), linear_grad(row_sums, passes={"unroll_and_jam": False, "loop_fusion": True})
    assert source_of(plain) != source_of(other)
    assert "four iterations at once" in str(linad.explain(plain)) and "four iterations" not in str(linad.explain(other))
    keys = {f.specialisation((np.ones((2, 3)), np.ones(3))).key for f in (plain, other)}
    stores = {f.specialisation((np.ones((2, 3)), np.ones(3))).store.folder for f in (plain, other)}
    assert len(stores) == 2 and keys
    monkeypatch.setenv("LINAD_DISABLE", "unroll_and_jam, loop_fusion")
    assert linear_grad(row_sums).options.off == ("loop_fusion", "unroll_and_jam")
    more = linear_grad(row_sums, passes={"unroll_and_jam": True, "copy_sinking": False})
    assert more.options.off == ("copy_sinking", "loop_fusion", "unroll_and_jam")
    assert source_of(linear_grad(row_sums, passes={"loop_fusion": True})) == source_of(linear_grad(row_sums))


def test_derivatives_have_the_switches_of_their_function() -> None:
    f = linear_grad(passes={"loop_fusion": False})(row_sums)
    g = linad.grad(f)
    assert g.function.options.off == g.composed.options.off == ("loop_fusion",)
    args = np.arange(6.0).reshape(2, 3), np.ones(3)
    np.testing.assert_allclose(g(*args), linad.grad(row_sums)(*args))


def test_steps_are_counted_without_the_pass() -> None:
    a = np.linspace(0.0, 1.0, 20)

    def chain(x: Float64[np.ndarray, "n"]) -> float:
        y = np.sin(x)
        z = y * x
        return np.sum(z) + z[0]

    without = linear_grad(chain, passes={"loop_fusion": False})
    assert linad.cost(without, a).primal > linad.cost(linear_grad(chain), a).primal


@pytest.mark.parametrize(
    ("passes", "why"),
    [
        ({"unrol_and_jam": False}, "no optimisation pass `unrol_and_jam`.*\n.*`unroll_and_jam`"),
        ({"fusion": True}, "no optimisation pass `fusion`.*\n.*`loop_fusion`"),
        ({"zzz": False}, "no optimisation pass `zzz`.*\n.*there are size_naming, constant_folding"),
        ({"index_checks": False}, "`index_checks` cannot be switched off: it writes out"),
        ({"select_sinking": False}, "`select_sinking` cannot be switched off: it keeps nan"),
        (["loop_fusion"], "a dictionary"),
        ({"loop_fusion": "no"}, "from names of passes to bools"),
    ],
)
def test_names_that_are_wrong(passes, why) -> None:
    with pytest.raises(LinadError, match=why):
        linear_grad(row_sums, passes=passes)


def test_the_environment_is_read_when_functions_are_decorated(monkeypatch, capsys) -> None:
    monkeypatch.setenv("LINAD_DISABLE", "lop_fusion")
    with pytest.raises(LinadError, match="`LINAD_DISABLE`: there is no .*pass `lop_fusion`.*\n.*`loop_fusion`"):
        linear_grad(row_sums)
    monkeypatch.setenv("LINAD_DISABLE", " ,")
    assert switched_off() == switched_off({}) == switched_off({"loop_fusion": True}) == ()


def test_what_must_not_be_left_out_says_why() -> None:
    required = {name: p.required for name, p in all_passes().items() if p.required}
    assert set(required) == {"index_checks", "select_sinking"}


def test_a_user_who_verifies_is_told_which_pass_to_switch_off(monkeypatch) -> None:
    monkeypatch.setenv("LINAD_VERIFY", "1")
    monkeypatch.setattr(pass_manager, "check", broken)
    with pytest.raises(LinadError, match="`unroll_and_jam`.*defect of linad.*\n.*LINAD_DISABLE=unroll_and_jam") as told:
        linear_grad(row_sums, cache=False)(np.ones((2, 3)), np.ones(3))
    assert told.value.diagnostics[0].slug == "internal-error"


def test_gradients_pass_the_verification(monkeypatch) -> None:
    monkeypatch.setenv("LINAD_VERIFY", "1")
    gradients = linear_grad(row_sums, cache=False).grad(np.ones((2, 3)), np.ones(3))
    assert [g.tolist() for g in gradients] == [[[6.0] * 3] * 2, [12.0] * 3]


def broken(name: str, program, linear: bool = True) -> None:
    if name == "unroll_and_jam":
        raise BrokenByPass(name, "is not well formed")
