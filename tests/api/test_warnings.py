"""What the checker only warns of reaches a program as Python warnings of linad's own categories, once."""

import warnings

import numpy as np
import pytest

import linad
from linad import linear_grad


def steps(x: float) -> float:
    return float(round(x))


def test_a_gradient_that_is_zero_is_told_at_decoration():
    with pytest.warns(linad.ZeroGradientWarning, match="the gradient by `x` is zero") as seen:
        f = linear_grad(steps, backend="interpret", cache=False)
    (warning,) = seen
    assert warning.filename == __file__ and warning.lineno == steps.__code__.co_firstlineno
    assert issubclass(linad.ZeroGradientWarning, linad.LinadWarning)
    assert f.grad(1.7) == 0.0


def test_a_warning_is_shown_once():
    def floored(x: float) -> float:
        return np.floor(x)

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            linear_grad(floored, backend="interpret", cache=False)
    assert [w.category for w in seen] == [linad.ZeroGradientWarning]


def test_a_gradient_that_is_not_zero_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert linear_grad(lambda x: x * x, backend="interpret", cache=False).grad(3.0) == 6.0


def lagged(x: float) -> float:
    """What reaches the result only in the third iteration, beside a test."""
    before = last = 0.0
    for _ in range(3):
        before += last
        last += x
        if x > 0.0:
            before += 1.0
    return before


def test_loops_of_a_helper_are_followed_to_their_end_inside_a_loop():
    def repeated(x: float) -> float:
        s = 0.0
        for _ in range(2):
            s += lagged(x)
        return s

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = linad.linear_grad(repeated)
    assert f.grad(0.5) == 6.0


def test_the_cache_does_not_silence_a_warning(tmp_path, monkeypatch):
    monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path))

    def ceiled(x: float) -> float:
        return np.ceil(x)

    for _ in range(2):
        with pytest.warns(linad.ZeroGradientWarning):
            linear_grad(ceiled, backend="interpret")


def test_a_comment_silences_it_here_too():
    def floored(x: float) -> float:  # linad: ignore[zero-gradient]
        return np.floor(x)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linear_grad(floored, backend="interpret", cache=False)


def shared(x):
    y = x.copy()
    z = y
    z[0] = 5.0
    return y[0] * x[1]


def test_an_update_that_shows_under_a_second_name_is_told_or_refused():
    x = np.array([2.0, 3.0])
    f = linad.linear_grad(shared, cache=False)
    with pytest.warns(linad.LinadWarning, match="LIN111"):
        assert f(x) == 15.0
    assert f.grad(x).tolist() == [0.0, 5.0]
    strict = linad.linear_grad(shared, strict=True, cache=False)
    with pytest.raises(linad.LinadError, match="LIN111"):
        strict(x)


def test_strict_holds_of_what_the_cache_knows(tmp_path, monkeypatch):
    monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert linad.linear_grad(shared)(np.ones(2)) == 5.0
    with pytest.raises(linad.LinadError, match="LIN111"):
        linad.linear_grad(shared, strict=True)(np.ones(2))
