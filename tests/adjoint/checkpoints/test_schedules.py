"""How many snapshots are held and how many steps are run: as the formulas say, exactly, by the interpreter's counts."""

from functools import cache
from math import ceil, comb, isqrt, log2

import numpy as np
import pytest
from linad_typecheck.ir.core import base_name

from linad.adjoint.checkpoints import schedules
from linad.codegen.driver_allocation import lift

from .marked import gradient, pull, with_options

# One `exp` in each step, and none in its derivative: exponentials count steps.
STEP = """
    a = w
    for t in CK(range(T)):
        a = np.exp(0.1 * a) - x[0]
    return a
"""
ARRAY = """
    u = x.copy()
    for t in CK(range(T)):
        for i in range(len(u)):
            u[i] = np.sin(u[i] * w + u[i - 1])
    return u[0]
"""
LOOP = """
    a = w
    k = 0
    while CK(k < T):
        a = np.exp(0.1 * a) - x[0]
        k += 1
    return a
"""


LEFT = """
    u = x.copy()
    for t in CK(range(T)):
        for i in range(len(u)):
            u[i] = np.sin(u[i] * w + u[i - 1])
        if u[0] > 2.0:
            break
    return u[0] * u[1]
"""


def advanced(T, options, body=STEP):
    """Steps run beside the first time and beside the run that is reversed at once."""
    out, _ = pull(gradient(with_options(body, options)).simplified, np.array([0.4, 0.7]), T, 0.3)
    return out.counts["unary"] - 2 * T


def formula(T, s):
    """Griewank and Walther's number of advances, those of the first sweep to the last step included."""
    r = 0
    while comb(s + r, s) < T:
        r += 1
    return r * T - comb(s + r, s + 1)


@cache
def fewest(steps, s):
    """The same by dynamic programming."""
    if steps <= 1:
        return 0
    if s == 1:
        return steps * (steps - 1) // 2
    return min(m + fewest(steps - m, s - 1) + fewest(m, s) for m in range(1, steps))


def held(scheme, T, slots):
    """Advances and snapshots of a schedule run in Python."""
    slots = max(1, min(slots, T))
    stack, most, steps = [0], 1, 0
    for t in reversed(range(T)):
        p = 0 if t == T - 1 else stack[-1]
        while p < t:
            q = schedules.SCHEDULES[scheme](p, t, len(stack), slots, T)
            assert p < q <= t
            steps, p = steps + q - p, q
            if q < t:
                assert len(stack) < slots
                stack.append(q)
        most = max(most, len(stack))
        if stack[-1] == t:
            stack.pop()
    return steps, most


def test_revolve_is_optimal():
    for T in range(1, 60):
        for s in range(1, 13):
            steps, most = held("revolve", T, s)
            assert steps == fewest(T, min(s, T)) == formula(T, min(s, T))
            assert most <= s


def test_revolve_is_that_of_checkpoint_schedules():
    other = pytest.importorskip("checkpoint_schedules")
    for T, s in ((5, 2), (17, 3), (40, 4), (100, 5)):
        steps, t = 0, None
        for action in other.Revolve(T, s):
            if isinstance(action, other.Forward) and not action.write_adj_deps:
                steps += action.n1 - action.n0
            t = action
        assert isinstance(t, other.EndReverse)
        assert held("revolve", T, s)[0] == steps


@pytest.mark.parametrize("slots", [1, 2, 3, 5, 40])
@pytest.mark.parametrize("T", [1, 2, 3, 10, 33])
def test_revolve_runs_as_many_steps_as_the_formula_says(T, slots):
    """The first sweep's advances to the last step are among those that the primal does anyway."""
    assert advanced(T, f", slots={slots}") == formula(T, min(slots, T)) - (T - 1)


def test_more_slots_than_representable_products_leave_room_for():
    steps, most = held("revolve", 100_000, 40)
    assert (steps, most) == (formula(100_000, 40), 40)


@pytest.mark.parametrize("T", [1, 2, 7, 32])
def test_recompute_starts_from_the_first_state_each_time(T):
    assert advanced(T, ', scheme="recompute"') == (T - 1) * (T - 2) // 2


@pytest.mark.parametrize("T", [1, 2, 4, 8, 16, 32])
def test_bisect_runs_half_of_the_steps_on_each_level(T):
    levels = int(log2(T))
    assert advanced(T, ', scheme="bisect"') == T // 2 * levels - (T - 1)
    assert held("bisect", T, schedules.binary_slots(T)) == (T // 2 * levels, max(levels, 1))


@pytest.mark.parametrize("T", [1, 4, 9, 25, 100])
def test_periodic_runs_no_step_more_than_once_more(T):
    root = isqrt(T)
    assert advanced(T, ', scheme="periodic"') <= T
    assert held("periodic", T, schedules.root_slots(T))[1] <= 2 * root


@pytest.mark.one_in(3)
@pytest.mark.parametrize("scheme", ["periodic", "bisect", "revolve"])
@pytest.mark.parametrize("slots", [1, 2, 3, 4, 7])
def test_any_number_of_slots_is_kept_to(scheme, slots):
    for T in (1, 2, 3, 5, 16, 37):
        steps, _ = held(scheme, T, slots)
        assert advanced(T, f', scheme="{scheme}", slots={slots}') == steps - (T - 1)


def test_every_step_has_a_slot():
    assert advanced(9, ", slots=9") == advanced(9, ", slots=1000") == 0


def test_a_loop_of_unknown_length_keeps_states_at_equal_distances():
    """With `slots` for all turns, the last and empty one included, nothing is run again."""
    assert advanced(9, ", slots=10", LOOP) == 0
    assert 0 < advanced(40, ", slots=10", LOOP) <= 40
    assert advanced(40, ", slots=1", LOOP) == 40 * 41 // 2  # the turn that ends the loop comes to the end once more


def test_a_loop_that_may_end_early_has_no_more_slots_than_its_range_has_steps():
    words = set()
    for options in (", slots=9", ", slots=1000000000", ", memory='900GB'"):
        program = gradient(with_options(LEFT, options)).simplified
        out, _ = pull(program, np.array([0.4, 0.7]), 9, 0.3)
        words.add(out.log_words)
        assert "snap_u" in {base_name(s.out.name) for s in lift(program.main, copies=True).arrays}  # sized before the kernel runs
    assert len(words) == 1


@pytest.mark.parametrize("options", [", slots={}", ', scheme="periodic", slots={}', ', scheme="bisect", slots={}'])
def test_words_are_those_of_the_snapshots(options):
    """The state is u. There is a row more, for the last step, and a number for each row; besides, whatever the slots, the
    head, u, its copy and its adjoint, and the log of one step."""
    n, T = 6, 50
    x = np.linspace(0.2, 0.9, n)
    peaks, logs = {}, {}
    for slots in (1, 2, 5, 20):
        out, _ = pull(gradient(with_options(ARRAY, options.format(slots))).simplified, x, T, 0.7)
        peaks[slots] = out.peak_words - (slots + 1) * (n + 1)
        logs[slots] = out.log_words - (slots + 1) * n
    assert len(set(peaks.values())) == len(set(logs.values())) == 1
    tape, _ = pull(gradient(with_options(ARRAY, None)).simplified, x, T, 0.7)
    assert peaks[1] < 8 * n + 3 and n * T < tape.peak_words


def test_memory_is_kept_to():
    """Eight bytes a word, and one row for the state that is worked on."""
    n, x = 6, np.linspace(0.2, 0.9, 6)
    one, _ = pull(gradient(with_options(ARRAY, ", slots=1")).simplified, x, 50, 0.7)
    for memory, rows in ((1, 2), (2 * 48, 2), (5 * 48, 5), (5 * 48 + 47, 5), (10**9, 51)):
        out, _ = pull(gradient(with_options(ARRAY, f", memory={memory}")).simplified, x, 50, 0.7)
        assert out.log_words - one.log_words == (rows - 2) * n


def test_default_slots():
    assert [schedules.pair_slots(T) for T in (0, 1, 3, 4, 10**6)] == [1, 1, 1, 2, 1413]
    assert [schedules.root_slots(T) for T in (0, 1, 4, 5)] == [2, 2, 4, 6]
    for T in (1, 2, 3, 5, 100):
        assert schedules.binary_slots(T) == 1 + ceil(log2(T))


CELLS = """
    v = x.copy()
    for t in CK(range(T)):
        for i in range(1, len(v)):
            v[i] = 0.5 * v[i - 1] + 0.25 * v[i]
    return v[-1] * w
"""
ROWS = """
    v = np.zeros((T + 1, len(x)))
    for i in range(len(x)):
        v[0, i] = x[i]
    for t in CK(range(T)):
        for i in range(1, len(x)):
            v[t + 1, i] = v[t, i] * v[t, i - 1] * w
    return np.sum(v)
"""
NESTED = """
    v = x.copy()
    for t in range(T):
        for i in CK(range(1, len(v))):
            v[i] = v[i - 1] * v[i - 1] * w
    return v[-1]
"""


@pytest.mark.parametrize("body", [ROWS, CELLS, NESTED], ids=["rows", "linear", "nested"])
def test_a_loop_that_logs_nothing_takes_no_snapshots(body):
    """The marked loop of the last program would log in each iteration of the one around it."""
    x = np.linspace(0.2, 0.9, 6)
    out, found = pull(gradient(with_options(body, ", slots=2")).simplified, x, 4, 0.7)
    tape, expected = pull(gradient(with_options(body, None)).simplified, x, 4, 0.7)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)
    assert (out.log_words == 0) == (body is not NESTED) == (tape.log_words == 0)
