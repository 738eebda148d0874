"""Arguments that are no numbers: a function is compiled for them, as other people's functions want it."""

import enum
import pickle
from typing import Literal, Optional, Union

import linad
import numpy as np
import pytest
from jaxtyping import Float64
from linad import LinadError, linear_grad

from tests.two_roads import differences

pytestmark = pytest.mark.interpreted

X = np.array([0.5, 1.5, -2.0])


def reduced(x, w=None, mode: Literal["sum", "mean"] = "sum", *, scale: float | None = None, squared: bool = False):
    if w is None:
        w = np.ones_like(x)
    y = x * w
    if scale is not None:
        y = y * scale
    if squared:
        y = y**2
    if mode == "sum":
        return y.sum()
    elif mode == "mean":
        return y.mean()
    raise ValueError(f"no such mode: {mode}")


CALLS = [
    {},
    {"w": X + 3.0},
    {"mode": "mean"},
    {"scale": 2.5},
    {"squared": True},
    {"w": X + 3.0, "mode": "mean", "scale": 2.0, "squared": True},
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("given", CALLS, ids=str)
def test_options_through_the_whole_object(given):
    f = linear_grad(reduced, backend="interpret")
    wanted, slope = reduced(X, **given), differences(lambda x: reduced(x, **given), X)
    first = lambda found: found[0] if isinstance(found, tuple) else found
    assert f(X, **given) == pytest.approx(wanted, rel=1e-14)
    np.testing.assert_allclose(first(f.grad(X, **given)), slope, rtol=1e-6)
    value, grads = f.value_and_grad(X, **given)
    assert value == pytest.approx(wanted) and np.allclose(first(grads), slope)
    assert np.allclose(f.vjp(X, **given)[1](1.0)[0], slope)
    assert np.allclose(first(f.jacobian(X, **given)), slope)
    assert np.allclose(linad.grad(f)(X, **given), slope)
    for transform in (linad.jacobian, linad.jacfwd, linad.jacrev):
        assert np.allclose(transform(f)(X, **given), slope)
    curvature = linad.hessian(f)(X, **given)
    rows = [differences(lambda x, k=k: f.grad(x, **given)[k] if not isinstance(f.grad(x, **given), tuple) else f.grad(x, **given)[0][k], X) for k in range(3)]
    assert np.allclose(curvature, rows, atol=1e-5)


def test_by_position_keyword_only_parameters_come_last():
    f = linear_grad(reduced, backend="interpret")
    every = (X, None, "mean", 2.0, True)
    value, tangent = f.jvp(every, (X, None, None, 1.0, None))
    wanted = reduced(X, mode="mean", scale=2.0, squared=True)
    slope = differences(lambda x: reduced(x, mode="mean", scale=2.0, squared=True), X)
    assert value == pytest.approx(wanted) and tangent == pytest.approx(slope @ X + wanted)  # of scale**2 the derivative at 2 is 2 * scale
    assert np.allclose(f.hvp((X, None, "sum", None, True), (X, None, None, None, None)), 2.0 * X)
    value, push = linad.linearize(f, *every)
    assert value == pytest.approx(wanted) and push(X, None, None, 0.0, None) == pytest.approx(slope @ X)
    assert linad.cost(f, X).primal > 0
    with pytest.raises(TypeError, match="too many positional"):
        f.jvp((*every, 1.0), (X, None, None, None, None, None))


def test_an_unknown_option_raises_as_in_python():
    f = linear_grad(reduced, backend="interpret")
    with pytest.raises(ValueError, match="no such mode"):
        f(X, mode="median")
    with pytest.raises(TypeError, match="tangent of `mode`: expected None"):
        f.jvp((X, None, "mean"), (X, None, 1.0))
    with pytest.raises(LinadError, match="`mode` .* is not a float"):
        linear_grad(reduced, wrt="mode", backend="interpret").grad(X)


def test_each_value_has_a_program_of_its_own_and_one_alone():
    f = linear_grad(reduced, backend="interpret")
    one = f.specialisation(f._arguments((X,), {}))
    assert f.specialisation(f._arguments((X + 1.0,), {"mode": "sum"})) is one
    assert f.specialisation(f._arguments((X,), {"mode": "mean"})) is not one
    assert f.specialisation(f._arguments((X,), {"squared": True})) is not f.specialisation(f._arguments((X,), {"squared": False}))


def test_pullbacks_with_options_travel():
    f = linear_grad(reduced_here, backend="interpret")
    _, pull = f.vjp(X, "mean")
    assert np.allclose(pickle.loads(pickle.dumps(pull))(1.0)[0], pull(1.0)[0])


@linear_grad
def reduced_here(x, mode="sum"):
    return x.sum() if mode == "sum" else (x * x).mean()


def test_an_int_stands_for_a_float_where_only_floats_are_meant():
    @linear_grad(backend="interpret")
    def scaled(x: np.ndarray, k: Optional[float] = None, n: Union[int, float] = 1) -> float:
        return x.sum() if k is None else k * x.sum() * n

    assert np.allclose(scaled.grad(X, 2)[1], X.sum())  # k is a float, n an int
    assert len(scaled.grad(X, 2)) == 2 and len(scaled.grad(X, 2, 1.0)) == 3


def test_a_default_of_none_beside_an_annotation_of_one_type():
    @linear_grad(backend="interpret")
    def scaled(x: np.ndarray, k: float = None) -> float:  # as people write it
        if k is None:
            return x.sum()
        return k * x.sum()

    assert scaled(X) == X.sum() and scaled(X, 3) == 3 * X.sum()
    assert np.allclose(scaled.grad(X, 3)[1], X.sum())


def test_an_array_as_a_default():
    weights = np.array([1.0, 2.0, 3.0])

    @linear_grad(backend="interpret")
    def weighted(x, w=weights):
        return (x * w).sum()

    assert weighted(X) == pytest.approx(X @ weights)
    x_bar, w_bar = weighted.grad(X)
    assert np.allclose(x_bar, weights) and np.allclose(w_bar, X)


def test_options_reach_helpers_and_the_functions_in_them():
    def inner(x, power=None, flip=False):
        y = x if power is None else x**power
        return -y if flip else y

    @linear_grad(backend="interpret")
    def outer(x, power=None, flip=False):
        return inner(x, power=power, flip=flip).sum()

    assert outer(X) == X.sum() and outer(X, flip=True) == -X.sum() and outer(X, 3) == pytest.approx((X**3).sum())
    assert np.allclose(outer.grad(X, 3), 3 * X**2)


def test_options_in_a_structure():
    @linear_grad(backend="interpret")
    def f(x, how):
        mode, k = how
        return k * x.sum() if mode == "sum" else k * x.prod()

    assert f(X, ("sum", 2.0)) == 2 * X.sum() and f(X, ("prod", 2.0)) == pytest.approx(2 * X.prod())
    x_bar, how_bar = f.grad(X, ("prod", 2.0))
    assert how_bar == (None, pytest.approx(X.prod())) and np.allclose(x_bar, differences(lambda x: 2 * x.prod(), X))


def test_annotated_truth_values_without_a_default_stay_arguments():
    @linear_grad(backend="interpret")
    def f(x: float, on: bool) -> float:
        return x if on else -x

    assert f(2.0, True) == 2.0 and f(2.0, False) == -2.0
    assert f.specialisation((2.0, True)) is f.specialisation((2.0, False))


class Mode(enum.Enum):
    SUM = "sum"
    MEAN = "mean"


def test_what_is_no_option_is_refused_by_name():
    @linear_grad(backend="interpret")
    def f(x, how):
        return x.sum()

    with pytest.raises(TypeError, match="argument `how`: expected"):
        f(X, b"")
    with pytest.raises(TypeError, match="argument `how`: expected"):
        f(X, {1: 1.0})


class Level(enum.IntEnum):
    LOW = 1


DEFAULT = Mode.SUM


def by_member(x, mode=DEFAULT):
    if mode is Mode.SUM:
        return x.sum()
    if mode == Mode.MEAN and mode in (Mode.MEAN,) and mode.name == "MEAN":
        return x.mean()
    return x[0] if mode.value == "first" else x[1]


def test_members_of_enumerations():
    f = linear_grad(by_member, backend="interpret")
    for given in ((), (Mode.SUM,), (Mode.MEAN,)):
        assert f(X, *given) == pytest.approx(by_member(X, *given))
        assert np.allclose(f.grad(X, *given), differences(by_member, X, *given))
        assert np.allclose(linad.jacobian(f)(X, *given), f.grad(X, *given))

    @linear_grad(backend="interpret")
    def g(x: float, level) -> float:
        return x if level == Level.LOW else -x

    assert g(2.0, Level.LOW) == 2.0 and g(2.0, Mode.SUM) == -2.0


def test_dtypes_as_arguments():
    def ones(x, dtype=None, kind=float):
        y = np.ones(3, dtype=dtype)
        return (x * y).astype(kind).sum()

    f = linear_grad(ones, backend="interpret")
    for given in ((), (np.float32,), (np.dtype("float64"),), (None, np.float32)):
        assert f(X, *given) == ones(X, *given) and type(f(X, *given)) is type(ones(X, *given))


def test_ints_are_literals_where_they_have_to_be():
    def spread(x, axis=-1, keep=False):
        return np.std(x, axis, keepdims=keep)

    def f(x, axis=0, n: int = 2, scale: int = 3):
        t = (0.0,) * n
        return spread(x, axis).sum() * scale + sum([x[i].sum() * i for i in range(n)]) + len(t)

    x = np.arange(6.0).reshape(2, 3) ** 2
    g = linear_grad(f, backend="interpret")
    for given in ({}, {"axis": 1}, {"axis": -1, "n": 1}, {"scale": 4}):
        assert g(x, **given) == pytest.approx(f(x, **given))
        slope = differences(lambda x: f(x, **given), x)
        assert np.allclose(g.grad(x, **given), slope, atol=1e-6)
        assert np.allclose(linad.jacobian(g)(x, **given), slope, atol=1e-6)
        assert np.allclose(linad.jacrev(g)(x, **given), slope, atol=1e-6)
    one, other = ((g.specialisation(g._arguments((x,), {"scale": k}))) for k in (5, 6))
    assert one is other  # an int that has not to be known compiles nothing again

    @linear_grad(backend="interpret")
    def total(x: Float64[np.ndarray, "m n"], axis: int) -> float:
        return np.sum(x, axis=axis)[0]

    assert total(x, 0) == x[:, 0].sum() and total(x, 1) == x[0].sum()
    with pytest.raises(LinadError, match="has no axis 2|axis 2"):
        total(x, 2)
