"""Checked functions called from code that Numba compiles."""

import threading
import warnings
from dataclasses import dataclass
from typing import NamedTuple

import linad
import numba
import numpy as np
import pytest
from jaxtyping import Float32, Float64
from linad import LinadError, linear_grad

TABLE = np.array([1.0, 2.0, 3.0])


class Line(NamedTuple):
    slope: np.ndarray
    shift: float
    kind: int


@dataclass(frozen=True)
class Frozen:
    x: float


@linear_grad
def gathered(x, idx, w: float = 2.0):
    total = 0.0
    for k in range(len(idx)):
        total += w * x[idx[k]] ** 2
    return total


@linear_grad
def halvings(x: float, least: float):
    while x > least:
        x = x * x * 0.5
    return x


@linear_grad
def scaled(x, c: float):
    return c * np.exp(x), np.sum(x), len(x)


@linear_grad
def line(p, x):
    return Line(p.slope * x, p.shift**2, p.kind)


@linear_grad
def nested(pair, x):
    (a, b), c = pair
    return (a * x, (b + c,))


@linear_grad(updates="x")
def doubled(x, k: int):
    for i in range(len(x)):
        x[i] = 2.0 * x[i] + x[k]


@linear_grad(updates="x")
def doubled_and_given_back(x):
    x *= 2.0
    return x


@linear_grad
def alike(x: Float64[np.ndarray, "n"], y: Float64[np.ndarray, "n+1"], z: Float64[np.ndarray, "3"]):
    return np.sum(x * y[1:]) + z[0]


@linear_grad
def looked_up(x):
    return np.sum(TABLE[: len(x)] * x)


@linear_grad
def infinite(x, y):
    return np.sum(np.where(y > 0.0, x / y, x))


@linear_grad
def depth(x: float, n: int) -> float:
    return x if n == 0 else x * depth(x, n - 1)


@linear_grad
def single(x: Float32[np.ndarray, "n"], s: np.float32):
    return x * s


@linear_grad(parallel=True)
def on_threads(x):
    return np.sum(np.sin(x))


@linear_grad
def optional(x, squared=False):
    return np.sum(x**2) if squared else np.sum(x)


def same(a: object, b: object) -> None:
    assert type(a) is type(b) or not isinstance(a, tuple)
    if isinstance(a, tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            same(x, y)
    elif b is None:
        assert a is None
    else:
        assert np.asarray(a).dtype == np.asarray(b).dtype or not isinstance(a, np.ndarray)
        np.testing.assert_array_equal(a, b)


X = np.array([0.5, 1.5, -1.0])
CALLS = {
    "gathered": (gathered, (X, np.array([0, 2, 2]), 3.0), 2.0),
    "default": (gathered, (X, np.array([0, 2, 2])), 1.0),
    "a log that grows": (halvings, (1.9, 1e-6), 1.0),
    "tuple": (scaled, (X, 2.0), (np.ones(3), 0.5, None)),
    "named tuple": (line, (Line(X, 3.0, 1), X), (X, 2.0, None)),
    "nested": (nested, (((2.0, 1.0), 3.0), X), (X, (2.0,))),
    "annotated sizes": (alike, (X, np.arange(4.0), X), 1.0),
    "array of the module": (looked_up, (X,), 1.0),
    "nan": (infinite, (X, np.array([1.0, 0.0, 2.0])), 1.0),
    "recursion": (depth, (1.1, 20), 1.0),
    "float32": (single, (X.astype(np.float32), np.float32(2.0)), np.ones(3, np.float32)),
    "threads": (on_threads, (X,), 1.0),
    "column": (gathered, (np.asfortranarray(np.ones((3, 2)))[:, 1], np.array([0, 2])), 1.0),
    "an int for a float": (gathered, (X, np.array([0, 2, 2]), 3), 2),
}


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", CALLS)
def test_the_value_and_the_gradients_are_those_of_python(name: str) -> None:
    f, args, cotangent = CALLS[name]
    value, pullback = f.vjp(*args)
    for _ in range(2):  # the first call of a kernel says how much scratch memory it wants
        same(f.njit(*args), f(*args))
        same(f.vjp_njit(cotangent, *args), (value, pullback(cotangent)))


def test_readonly_arrays_are_copied() -> None:
    x = X.copy()
    x.flags.writeable = False
    same(gathered.njit(x, np.array([0, 1])), gathered(x, np.array([0, 1])))


def test_from_a_compiled_loop() -> None:
    f, g = gathered.njit, gathered.vjp_njit

    @numba.njit
    def descent(x, idx):
        for _ in range(50):
            _, (x_bar, _) = g(1.0, x, idx, 0.5)
            x = x - 0.1 * x_bar
        return f(x, idx, 0.5), x

    value, x = descent(X, np.array([0, 1]))
    assert value < 1e-3 and x[2] == X[2]


def test_from_loops_on_threads() -> None:
    f = halvings.njit

    @numba.njit(parallel=True)
    def several(out):
        for i in numba.prange(len(out)):
            out[i] = f(1.0 + 0.9 * i / len(out), 1e-3)
        return out

    found = several(np.zeros(100))
    np.testing.assert_array_equal(found, [halvings(1.0 + 0.9 * i / 100, 1e-3) for i in range(100)])


def test_updates_reach_the_caller() -> None:
    x, y = X.copy(), X.copy()
    assert doubled.njit(x, 1) is None
    doubled(y, 1)
    np.testing.assert_array_equal(x, y)
    assert doubled_and_given_back.njit(x) is not None
    np.testing.assert_array_equal(x, 2.0 * y)


def test_updates_before_an_error_stay() -> None:
    @linear_grad(updates="x")
    def until(x, stop: int):
        for i in range(stop):
            x[i] = 7.0
            if x[i + 1] < 0.0:
                raise ValueError("negative")

    x, y = np.array([1.0, 2.0, -1.0, 3.0]), np.array([1.0, 2.0, -1.0, 3.0])
    with pytest.raises(ValueError, match="negative"):
        until.njit(x, 3)
    with pytest.raises(ValueError, match="negative"):
        until(y, 3)
    np.testing.assert_array_equal(x, y)


def test_updates_of_shared_cells_are_refused() -> None:
    @linear_grad(updates="x")
    def added(x, y):
        x += y

    with pytest.raises(ValueError, match="shares memory"):
        added.njit(X[:2], X[1:])
    with pytest.raises(LinadError, match="updates `x`"):
        added.njit(np.ones((2, 2))[:, 1], X[:2])
    with pytest.raises(LinadError, match="leaves the caller's arrays alone"):
        added.vjp_njit(None, X[:2], X[:2])


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("f", "args", "error"),
    [
        (gathered, (X, np.array([0, 9]), 1.0), IndexError),
        (alike, (X, X, X), ValueError),
        (alike, (X, np.arange(4.0), np.arange(4.0)), ValueError),
        (gathered, (X, X, 1.0), TypeError),
        (gathered, (X, "text", 1.0), TypeError),
    ],
)
def test_errors_are_those_of_python(f, args, error) -> None:
    with pytest.raises(error) as wanted:
        f(*args)
    with pytest.raises(error) as found:
        f.njit(*args)
    assert isinstance(found.value, error)
    if error is not TypeError:
        assert str(found.value) == str(wanted.value)


def test_a_cotangent_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected shape \(3,\)"):
        scaled.vjp_njit((np.ones(2), 0.5, None), X, 2.0)
    with pytest.raises(TypeError, match="expected a float64 array of rank 1"):
        scaled.vjp_njit((np.ones((3, 1)), 0.5, None), X, 2.0)
    with pytest.raises(TypeError, match="a tuple of 3"):
        scaled.vjp_njit(1.0, X, 2.0)


def test_what_numba_has_no_type_for() -> None:
    @linear_grad
    def frozen(x: float):
        return Frozen(2.0 * x)

    with pytest.raises(LinadError, match="no type for a `Frozen`"):
        frozen.njit(1.0)
    with pytest.raises(LinadError, match="compiled for each value of `squared`"):
        optional.njit(X)

    @linear_grad
    def by_keyword(x: float, *, c: float = 1.0):
        return c * x

    with pytest.raises(LinadError, match="`c` not by position"):
        _ = by_keyword.njit


def test_derivatives_are_functions_of_numba_too() -> None:
    idx = np.array([0, 1])
    same(linad.grad(gathered).njit(X, idx, 2.0), linad.grad(gathered)(X, idx, 2.0))
    same(linad.value_and_grad(gathered, "w").njit(X, idx, 2.0), linad.value_and_grad(gathered, "w")(X, idx, 2.0))
    hessian = linad.hessian(gathered)
    np.testing.assert_array_equal(hessian.njit(X, idx, 2.0), hessian(X, idx, 2.0))


def test_numba_keeps_no_machine_code_of_callers(tmp_path, monkeypatch) -> None:
    """It has addresses of this process, and Numba would not see that the function has changed."""
    f = gathered.njit

    @numba.njit(cache=True)
    def cached(x, idx):
        return f(x, idx, 1.0)

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        cached(X, np.array([0]))
    assert any("dynamic globals" in str(w.message) for w in found)


def test_the_interpreter_is_called_from_numba() -> None:
    f = linear_grad(backend="interpret")(gathered.py_func)
    same(f.njit(X, np.array([0, 1]), 2.0), gathered(X, np.array([0, 1]), 2.0))


def test_two_threads_that_compile_do_not_wait_for_each_other() -> None:
    def compiled(k: int) -> None:
        f = linear_grad(lambda x: x * k)
        assert (f.njit(2.0) if k % 2 else f(2.0)) == 2.0 * k

    threads = [threading.Thread(target=compiled, args=(k,), daemon=True) for k in range(1, 7)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(120.0)
        assert not t.is_alive()
