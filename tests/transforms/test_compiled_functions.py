"""`linad.rule`: what is declared, what is refused, and what of a compiled function is noticed. That its derivatives are
those of its rule, in all modes and orders, is in `test_custom_rules`."""

import ctypes
import math
import pickle

import numba
import numpy as np
import pytest
from jaxtyping import Float64
from linad_typecheck import check_source

import linad
from linad import LinadError, linear_grad
from linad.codegen import cache
from linad.testing import check_grads

X = np.array([1.0, 2.0, 3.0])


@numba.njit
def _power(x, k):
    if k < 0:
        raise ValueError("k")
    return x**k


@linad.rule(_power)
def power(x: float, k: int = 2) -> float: ...


power.defvjp(lambda x, k: (power(x, k), (x, k)), lambda xk, g: (g * xk[1] * power(xk[0], xk[1] - 1), None))


@numba.njit
def _changes(x):
    x[0] = 2.0
    return x


@linad.rule(_changes)
def changes(x: Float64[np.ndarray, "n"]) -> Float64[np.ndarray, "n"]: ...


def cut(x):
    return x[1:]


cut_declared = linad.rule(numba.njit(cut))


@cut_declared
def cut_wrongly(x: Float64[np.ndarray, "n"]) -> Float64[np.ndarray, "n"]: ...


def refused(f, *args) -> str:
    with pytest.raises(LinadError) as error:
        f(*args)
    return str(error.value)


def test_in_plain_python_it_is_the_function():
    assert power(3, k=2) == 9.0 and type(power(3)) is float and power.__name__ == "power"
    assert repr(power).startswith("linad.rule(CPUDispatcher(")
    assert pickle.loads(pickle.dumps(power)) is power
    with pytest.raises(TypeError, match="`changes` takes an array of float64 of rank 1 as `x`, not a list"):
        changes([1.0])
    with pytest.raises(TypeError, match="`power` takes int64 as `k`, not a float"):
        power(2.0, 2.5)
    with pytest.raises(ValueError, match="`changes` changes its argument `x`: let it work on a copy"):
        changes(X.copy())
    with pytest.raises(ValueError, match=r"is declared to return float64 of shape \(3,\), and returned .*\(2,\)"):
        cut_wrongly(X)


@pytest.mark.parametrize("backend", ["interpret", "numba"])
def test_what_goes_wrong_in_a_call(backend):
    @linear_grad(backend=backend)
    def f(x, k):
        return power(x, k) + np.sum(cut_wrongly(np.ones(k)) if k > 5 else np.ones(1))

    assert f(2.0, 3) == 9.0
    for k in (-1, 6):
        with pytest.raises(RuntimeError, match="raised an exception or returned what it does not declare"):
            f(2.0, k)


def test_a_function_that_changes_its_argument_is_not_compiled():
    x = X.copy()
    assert "changes an array that it is given" in refused(linear_grad(lambda x: np.sum(changes(x))), x)
    np.testing.assert_array_equal(x, X)


def test_nothing_is_kept_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path))
    assert linear_grad(lambda x: power(x, 3), cache=True).grad(2.0) == 12.0
    assert not list(tmp_path.rglob("*.py")) and cache.enabled()


def test_another_function_under_the_name_is_noticed():
    def of(c):
        @linad.rule(numba.njit(lambda x: c * x))
        def scaled(x: float) -> float: ...

        scaled.defjvps(lambda t, y, x: t)
        return scaled

    global scaled
    scaled = of(2.0)
    f = linear_grad(lambda x: scaled(x), backend="interpret")
    assert f(1.0) == 2.0
    scaled = of(3.0)
    assert f(1.0) == 3.0


@numba.njit
def _square_bwd(x, g):
    return 2.0 * x * g + 1e-3 * g * g


@linad.rule(_square_bwd, linear="g")
def square_bwd(x: float, g: float) -> float: ...


@linad.rule(numba.njit(lambda x: x * x))
def square(x: float) -> float: ...


square.defvjp(lambda x: (square(x), x), lambda x, g: (square_bwd(x, g),))


@numba.njit
def _sine(x):
    return np.sin(x)


@numba.njit
def _times_cosine(x, t):
    return np.cos(x) * t


@linad.rule(_sine)
def sine(x: float) -> float: ...


@linad.rule(_times_cosine, linear="t")
def times_cosine(x: float, t: float) -> float: ...


sine.defvjp(lambda x: (sine(x), x), lambda x, g: (times_cosine(x, g),))
sine.defjvps(lambda t, y, x: times_cosine(x, t))


def test_a_rule_for_each_mode():
    f = linear_grad(lambda x: sine(x) * x, backend="interpret")
    check_grads(f, (0.5,))
    assert linad.jacfwd(f)(0.5) == pytest.approx(f.grad(0.5))
    assert "`times_cosine` by `x`, which is compiled elsewhere and has no rule" in refused(linad.hessian(f), 0.5)
    again = pickle.loads(pickle.dumps(linad.checkpoint(sine).__wrapped__))
    assert again is sine and linad.grad(linad.checkpoint(sine))(0.5) == pytest.approx(math.cos(0.5))
    only = linad.rule(_sine)(sine.__wrapped__)
    only.defjvps(lambda t, y, x: times_cosine(x, t))
    assert linad.jvp(only, (0.5,), (1.0,))[1] == pytest.approx(math.cos(0.5))
    assert "has no rule" in refused(linad.grad(only), 0.5)
    only.defvjp(lambda x: (only(x), x), lambda x, g: (2.0 * times_cosine(x, g),))
    assert linad.grad(only)(0.5) == pytest.approx(2.0 * math.cos(0.5))
    assert linad.jvp(only, (0.5,), (1.0,))[1] == pytest.approx(math.cos(0.5))


def test_rules_for_both_modes_are_read_from_the_text():
    text = TEXT.replace("def g({})", f'def g({VECTOR}) -> Float64[np.ndarray, "n"]').replace("*x", "x")
    second = "@g.defjvp\ndef tangent(primals, tangents):\n    return g(primals[0]), {}\n"
    assert check_source(text + second.format("tangents[0]")) == []
    assert [d.slug for d in check_source(text + second.format("tangents[0] + 1.0"))] == ["not-linear"]


def test_a_function_declared_linear_is_tested():
    with pytest.raises(AssertionError, match="`square_bwd` is declared to be linear in `g`, and is not"):
        check_grads(linear_grad(square, backend="interpret"), (2.0,), modes=("rev",))


def test_no_derivative_without_a_rule():
    assert linear_grad(lambda x: x * square_bwd(2.0, 1.0), backend="interpret").grad(2.0) == pytest.approx(4.001)
    told = refused(linad.grad(lambda x: square_bwd(x, 1.0)), 2.0)
    assert "`square_bwd` by `x`, which is compiled elsewhere and has no rule: write `square_bwd.defvjp(" in told


def test_functions_of_c():
    address = numba.cfunc("float64(float64, int32)")(lambda x, k: x * k)
    declared = linad.rule(address.ctypes)

    @declared
    def wide(x: float, k: int) -> float: ...

    @declared
    def one(x: float) -> float: ...

    @declared
    def right(x: float, k: np.int32) -> float: ...

    assert right(2.0, np.int32(3)) == 6.0 and linad.rule(address.address)(lambda: None) is not None
    assert "declares argument 1 of the C function as c_long" in refused(wide, 2.0, 3)
    assert "takes 2 arguments, where the C function of `one` is to take 1" in refused(one, 2.0)
    assert "stands for an address in this process" in refused(pickle.dumps, right)
    for other in (math.sin, lambda x: x, -1):
        assert "takes a function of Numba or the address of a C function" in refused(linad.rule(other), lambda x: x)
    assert isinstance(ctypes.cast(address.ctypes, ctypes.c_void_p).value, int)


TEXT = """
import numba
import numpy as np
import linad
from jaxtyping import Float64
from linad import linear_grad

@linad.rule(numba.njit(lambda x: x), linear="x")
def g({}): ...
g.defvjp(lambda *x: (g(*x), None), lambda _, y: (y,))

@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    return np.sum(g(x))
"""
VECTOR = 'x: Float64[np.ndarray, "n"]'


@pytest.mark.parametrize(
    "header,told",
    [
        (f'{VECTOR}) -> Float64[np.ndarray, "n"]', ""),
        (f"{VECTOR}) -> float", ""),
        ("x) -> float", "`g` is declared without the type of `x`"),
        (f"{VECTOR})", "`g` is declared without the type of its result"),
        (f"{VECTOR}) -> list", "`g` declares its result as something else than a number, or an array"),
        (f'{VECTOR}) -> Float64[np.ndarray, "m"]', "`g` declares a size `m` that is that of no argument"),
        (f'{VECTOR}) -> Float64[np.ndarray, "_"]', "`g` declares a size `_` that is that of no argument"),
        ("x: float) -> float", "`g` takes a number of type float64 as `x`, and is given array of float64 of rank 1"),
        ('x: Float64[np.ndarray, "n n"]) -> float', "takes an array of float64 of rank 2 as `x`"),
        ("*y: float) -> float", "takes any number of arguments as `y`"),
    ],
)
def test_declarations_are_read_from_the_text(header, told):
    text = TEXT.replace("def g({}): ...", f"def g({header}: ...").replace("*x", "x")
    text = text.replace("(y,))", "(np.full(3, y),))") if header.endswith("-> float") else text
    found = check_source(text)
    assert [d.message for d in found if told and told in d.message] or (not told and found == []), found
