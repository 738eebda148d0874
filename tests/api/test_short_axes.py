"""Programs are made for the sizes of short last axes and for arrays of one shape: results are the same, and there are few versions."""

from __future__ import annotations

import numpy as np
import pytest
from jaxtyping import Float64, Int64

import linad
from linad import linear_grad, specialise
from linad_typecheck.signature import Alike

RNG = np.random.default_rng(7)
TABLE = RNG.random((5, 2))


def squares(q):
    s = 0.0
    for i in range(len(q)):
        for c in range(q.shape[1]):
            s += (c + 1) * q[i, c] ** 2
    return s


def by_size(q):
    s = 0.0
    for i in range(len(q)):
        if q.shape[1] == 2:
            s += q[i, 0] * q[i, 1]
        elif q.shape[1] == 3:
            s += q[i, 0] * q[i, 2]
        elif q.shape[1] == 4:
            s += q[i, 3] ** 2
        else:
            s += q[i, q.shape[1] - 1]
    return s


def always_three(q):
    p = q.copy()
    for i in range(len(q)):
        for c in range(3):
            p[i, c] += 2.0 * q[i, 2]
    return np.sum(p * q)


def two_less(q):
    t = np.zeros(q.shape[1] - 2)
    for i in range(len(q)):
        for k in range(len(t)):
            t[k] += q[i, k + 2] ** 2 * (i // (q.shape[1] - 3))
    return np.sum(t)


def in_threes(q):
    s = 0.0
    for x, y, z in q.reshape(-1, 3):
        s += x * y + z
    return s + np.sum(q[:, 1:] * q[:, :-1])


SHAPES = [(6, 3), (6, 5), (6, 2), (6, 1), (6, 4), (3, 3), (2, 3), (0, 3), (6, 0), (6, 7)]


def outcomes(f, args):
    """The value, its gradient, its pullback and its derivative in a direction, or the error, each."""
    roads = [
        lambda: f(*args),
        lambda: f.grad(*args),
        lambda: f.vjp(*args)[1](1.5),
        lambda: f.jvp(args, tuple(np.ones_like(a) for a in args)),
    ]
    found = []
    for road in roads:
        try:
            found.append(road())
        except Exception as error:  # noqa: BLE001 - compared
            found.append(error)
    return found


def flat(x) -> np.ndarray:
    return np.concatenate([np.ravel(part) for part in (x if isinstance(x, tuple) else (x,))])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("f", [squares, by_size, always_three, two_less, in_threes], ids=lambda f: f.__name__)
def test_the_same_with_and_without(f, monkeypatch) -> None:
    """Values, derivatives, errors and their texts: also of what another size makes an error."""
    arrays = [RNG.random(shape) for shape in SHAPES]
    arrays += [RNG.random((6, 6))[:, ::2], RNG.random((3, 6)).T, RNG.random((4, 6, 3))[2]]
    made = linear_grad(f, backend="interpret")
    found = [outcomes(made, (a,)) for a in arrays]
    assert set(versions(made)) == {(), *(((0, k),) for k in (1, 2, 3, 4))}
    monkeypatch.setattr(specialise, "VERSIONS", -1)
    general = linear_grad(f, backend="interpret")
    for a, ours in zip(arrays, found, strict=True):
        for one, other in zip(ours, outcomes(general, (a,)), strict=True):
            if isinstance(other, Exception):
                assert repr(one) == repr(other)
            else:
                np.testing.assert_allclose(flat(one), flat(other), rtol=1e-12)
    assert set(versions(general)) == {()}


def versions(f) -> dict:
    (kept,) = f._known.values()
    return kept[0].kernels


def test_which_arrays() -> None:
    """Those with two axes or more, in structures and of modules too; not where the annotation says the size."""

    @linear_grad(backend="interpret")
    def f(a: Float64[np.ndarray, "n 3"], pair, cells, x: float) -> float:
        b, w = pair
        return x * (np.sum(a * b) + np.sum(w) + np.sum(cells) + np.sum(TABLE) + np.sum(cells[:, :, 0]))

    args = (RNG.random((4, 3)), (RNG.random((4, 3)), RNG.random(3)), RNG.random((2, 3, 2)), 2.0)
    assert f(*args) == pytest.approx(f.py_func(*args))
    assert list(versions(f)) == [(), ((1, 3), (3, 2), (5, 2))]


def test_there_are_few(monkeypatch) -> None:
    f = linear_grad(lambda a, b: np.sum(a) * np.sum(b), backend="interpret")
    for k in range(1, 6):
        for m in range(1, 6):
            a, b = RNG.random((7, k)), RNG.random((7, m))
            assert f(a, b) == pytest.approx(np.sum(a) * np.sum(b))
    assert len(versions(f)) == 1 + specialise.VERSIONS


def test_a_function_that_calls_itself_may_do_so_with_another_size() -> None:
    @linear_grad(backend="interpret")
    def total(q: Float64[np.ndarray, "n d"], k: int) -> float:
        if q.shape[1] <= 1:
            return np.sum(q)
        return np.sum(q[:, -1]) * k + total(q[:, :-1], k + 1)

    q = RNG.random((5, 3))
    assert total(q, 1) == pytest.approx(np.sum(q * [1.0, 2.0, 1.0]))
    np.testing.assert_allclose(total.grad(q, 1), np.tile([1.0, 2.0, 1.0], (5, 1)))


def pairs(p):
    e = 0.0
    for i in range(len(p)):
        for j in range(i + 1, len(p)):
            d = p[i] - p[j]
            e += 1.0 / (d @ d + 0.1)
    return e


def pairs_noted(p: Float64[np.ndarray, "n 3"]) -> float:
    e = 0.0
    for i in range(len(p)):
        for j in range(i + 1, len(p)):
            d = p[i] - p[j]
            e += 1.0 / (d @ d + 0.1)
    return e


def test_as_if_annotated() -> None:
    """The program is that of the annotation, and `explain` and `cost` look at the one that runs."""
    p = RNG.random((6, 3))
    f, noted = linear_grad(pairs), linear_grad(pairs_noted)
    ours, theirs = linad.cost(f, p), linad.cost(noted, p)
    assert (ours.primal, ours.gradient) == (theirs.primal, theirs.gradient)
    f.specialisation((p,)).version((p,))  # as a call does
    told = str(linad.explain(f))
    assert "sizes: p: 3 along axis 1 in the last call" in told
    assert "stored: p by columns" in told and "written out, 3 iterations" in told
    f.specialisation((p,)).version((RNG.random((6, 7)),))
    assert "axis 1" not in str(linad.explain(f))


@linear_grad
def compiled(q, near: Int64[np.ndarray, "m k"]):
    s = 0.0
    for i in range(len(near)):
        for c in range(near.shape[1]):
            d = q[near[i, c]] - q[i]
            s += d @ d
    return s


def test_compiled() -> None:
    near = np.array([[1, 2], [0, 3], [4, 1], [2, 0]])
    for q in (RNG.random((5, 3)), RNG.random((5, 5)), RNG.random((5, 3))):
        d = q[near] - q[:4, None]
        g = np.zeros_like(q)
        np.add.at(g, near, 2.0 * d)
        g[:4] -= 2.0 * d.sum(1)
        for f in (compiled, linear_grad(compiled.py_func)):  # the second from the cache
            value, gradient = f.value_and_grad(q, near)
            assert value == pytest.approx(np.sum(d * d), rel=1e-12)
            np.testing.assert_allclose(gradient, g, rtol=1e-11, atol=1e-13)


def mixed(u, v, k: Float64[np.ndarray, "m n"], w: Float64[np.ndarray, "m n"]):
    new = u.copy()
    for i in range(1, u.shape[0]):
        for j in range(1, u.shape[1]):
            new[i, j] += v[i - 1, j] * u[i, j - 1] * k[i, j] * w[i, j]
    return np.sum(new * v)


def mixed_noted(
    u: Float64[np.ndarray, "m n"], v: Float64[np.ndarray, "m n"], k: Float64[np.ndarray, "m n"], w: Float64[np.ndarray, "m n"]
) -> float:
    new = u.copy()
    for i in range(1, u.shape[0]):
        for j in range(1, u.shape[1]):
            new[i, j] += v[i - 1, j] * u[i, j - 1] * k[i, j] * w[i, j]
    return np.sum(new * v)


def test_arrays_of_one_shape() -> None:
    """The program is made for them, as if annotated; others have that for any shapes, and Python's errors."""
    args = [RNG.random((6, 7)) for _ in range(4)]
    f, noted = linear_grad(mixed, backend="interpret"), linear_grad(mixed_noted, backend="interpret")
    for one, other in zip(outcomes(f, args), outcomes(noted, args), strict=True):
        np.testing.assert_allclose(flat(one), flat(other), rtol=1e-12)
    assert set(versions(f)) == {(), (Alike(1, 0), Alike(2, 0))}  # `w` has the shape of `k` by their annotations
    ours, theirs = linad.cost(f, *args), linad.cost(noted, *args)
    assert (ours.gradient, ours.log_words) == (theirs.gradient, theirs.log_words)
    assert "sizes: v: the shape of u in the last call" in str(linad.explain(f))
    bigger = (args[0], RNG.random((8, 7)), *args[2:])
    with pytest.raises(ValueError, match="broadcast"):
        f(*bigger)
    smaller = (args[0], RNG.random((6, 3)), *args[2:])
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 1 with size 3"):
        f(*smaller)
