"""`linear_transpose`, from plain Python and inside checked functions."""

import numpy as np
import pytest

import linad
from linad import LinadError, linear_grad

pytestmark = pytest.mark.interpreted

X = np.array([1.0, 2.0, -1.5])
A = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])


def smoothed(x, times: int):
    y = x.copy()
    for _ in range(times):
        for i in range(1, len(y)):
            y[i] += 0.5 * y[i - 1]
    return y


def of_two(x, s: float):
    return A @ x + s, (2.0 * s, len(x))


@linear_grad(wrt="x")
def scaled(x, m):
    return np.linalg.solve(m @ m.T + np.eye(2), m @ x)


LINEAR = {
    "recurrence": (smoothed, (X, 3)),
    "two": (of_two, (X, 2.0)),
    "by one": (scaled, (X, A)),
    "derivative": (linad.grad(lambda x: 0.5 * np.sum((A @ x) ** 2)), (X,)),
    "batch": (linad.vmap(lambda x: A @ x), (np.outer(X, X),)),
}


@pytest.mark.parametrize("case", LINEAR)
def test_it_is_the_pullback_anywhere(case: str) -> None:
    f, args = LINEAR[case]
    if case == "derivative":  # at a point that depends on the argument
        with pytest.raises(LinadError, match="not linear"):
            linad.linear_transpose(f, *args)
        return
    transposed = linad.linear_transpose(f, *args)
    value, pullback = linad.vjp(f, *args)
    bar = (np.ones(2), (0.5, None)) if case == "two" else np.random.default_rng(0).normal(size=np.shape(value))
    for found, wanted in zip(transposed(bar), pullback(bar), strict=True):
        np.testing.assert_allclose(found, wanted)
    again = linad.linear_transpose(f, *(a * 0 if isinstance(a, np.ndarray) and a is X else a for a in args))
    np.testing.assert_allclose(again(bar)[0], transposed(bar)[0])


REFUSED = {
    "product": (lambda x: x * x, "a product of two parts of it"),
    "added": (lambda x: x + 1.0, "adds what does not depend on it"),
    "branch": (lambda x: x if x[0] > 0.0 else -x, "decides something by its value"),
    "sine": (lambda x: np.sin(x), "`sin` is not linear"),
    "constant": (lambda x: np.ones(3), "does not depend on it"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_linear(case: str) -> None:
    f, why = REFUSED[case]
    with pytest.raises(LinadError, match="is not linear in its float arguments") as caught:
        linad.linear_transpose(f, X)
    (d,) = caught.value.diagnostics
    assert d.slug == "not-linear" and why in str(caught.value)
    assert d.span.line == f.__code__.co_firstlineno


def test_updates_are_refused() -> None:
    @linear_grad(updates="x")
    def doubled(x):
        x *= 2.0

    with pytest.raises(LinadError, match="updates an argument, and is not transposed"):
        linad.linear_transpose(doubled, X)


def test_inside_checked_functions() -> None:
    @linear_grad
    def normal(m, x):
        apply = lambda v: m @ v
        back = linad.linear_transpose(apply, x)
        return np.sum(back(apply(x))[0] ** 2)

    np.testing.assert_allclose(normal(A, X), np.sum((A.T @ A @ X) ** 2))
    m_bar, x_bar = normal.grad(A, X)
    np.testing.assert_allclose(x_bar, 2.0 * (A.T @ A) @ (A.T @ A @ X))
    step = np.random.default_rng(0).normal(size=A.shape)
    ends = [np.sum(((A + h * step).T @ (A + h * step) @ X) ** 2) for h in (1e-6, -1e-6)]
    assert np.isclose(np.sum(m_bar * step), (ends[0] - ends[1]) / 2e-6, rtol=1e-6)


def test_refused_inside() -> None:
    with pytest.raises(LinadError, match="is not linear in its float arguments"):

        @linear_grad
        def wrong(x):
            return np.sum(linad.linear_transpose(lambda v: v * v, x)(x)[0])

        wrong(X)
