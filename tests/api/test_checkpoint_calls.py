"""Checkpointed loops through the decorator: errors at run time, what is said about them, compiled code."""

import numpy as np
import pytest
from jaxtyping import Float64

import linad
from linad import linear_grad
from linad.baseline import tape

pytestmark = pytest.mark.interpreted

X = np.array([0.3, 0.8, 0.5, 1.1])


def stepped(x: Float64[np.ndarray, "n"], steps: int, slots: int) -> float:
    u = x.copy()
    s = 0.0
    for _ in linad.checkpoint(range(steps), slots=slots):
        for i in range(len(u)):
            u[i] = np.sin(u[i] + u[i - 1])
        s += u[0]
    return s


def taped(x: Float64[np.ndarray, "n"], steps: int, slots: int) -> float:
    u = x.copy()
    s = 0.0
    for _ in range(steps + 0 * slots):
        for i in range(len(u)):
            u[i] = np.sin(u[i] + u[i - 1])
        s += u[0]
    return s


def growing(x: Float64[np.ndarray, "n"], steps: int) -> float:
    u = x.copy()
    for _ in linad.checkpoint(range(steps), slots=2):
        v = np.zeros(len(u) + 1)
        for i in range(len(u)):
            v[i + 1] = u[i] * u[i]
        u = v
    return u[len(u) - 1]


@pytest.mark.compiled
def test_compiled_gradients_are_the_tapes():
    f, g = linear_grad(stepped), linear_grad(taped)
    for steps, slots in ((0, 3), (1, 1), (17, 1), (17, 4), (17, 100)):
        np.testing.assert_array_equal(f.grad(X, steps, slots), g.grad(X, steps, slots))
        assert f(X, steps, slots) == stepped(X, steps, slots)


@pytest.mark.parametrize("slots", [0, -4])
def test_slots_are_checked_when_the_loop_begins(slots):
    f = linear_grad(backend="interpret")(stepped)
    with pytest.raises(ValueError, match="`slots`") as told:
        stepped(X, 5, slots)
    for call in (f, f.grad):
        with pytest.raises(ValueError, match="`slots`") as error:
            call(X, 5, slots)
        assert str(error.value).startswith(str(told.value))


def test_the_size_of_the_state_may_change():
    f = linear_grad(growing)
    for steps in (0, 1, 3, 9):
        assert f(X, steps) == growing(X, steps)
        np.testing.assert_allclose(f.grad(X, steps), tape.gradient(growing, (X, steps)), rtol=1e-12, atol=1e-12)


def test_explain_says_what_is_kept():
    (loop,) = [r.text for r in linad.explain(linear_grad(stepped)).remarks if "checkpointed" in r.text]
    assert "revolve: at most slots snapshots, each of which holds the cells of u" in loop
    assert "s, 1 word" not in loop


def test_cost_counts_snapshots_and_steps_run_again():
    few, many = (linad.cost(linear_grad(stepped), X, 40, slots) for slots in (2, 12))
    assert many.log_words - few.log_words == 10 * len(X)
    assert many.peak_words - few.peak_words == 10 * (len(X) + 1)
    assert few.gradient > many.gradient
    assert few.gradient <= few.bound


def test_forward_mode_needs_no_snapshots():
    _, dot = linear_grad(backend="interpret")(stepped).jvp((X, 9, 2), (np.ones(4), None, None))
    _, expected = linear_grad(backend="interpret")(taped).jvp((X, 9, 2), (np.ones(4), None, None))
    assert dot == expected
