"""Values, gradients and pullbacks of decorated functions, against plain Python and finite differences."""

import numpy as np
import pytest
from jaxtyping import Float32, Float64, Int64

import linad
from linad import LinadError, linear_grad

Vec = Float64[np.ndarray, "n"]


@linear_grad
def loss(x: Float64[np.ndarray, "n"], idx: Int64[np.ndarray, "m"], w: float) -> float:
    total = 0.0
    for k in range(len(idx)):
        total += w * x[idx[k]] ** 2
    return total


@linear_grad(updates=("y",))
def squares(y: Vec, w: float) -> float:
    total = 0.0
    for i in range(len(y)):
        y[i] = w * y[i] * y[i]
        total += y[i]
    return total


@linear_grad(updates=("y",))
def advance(y: Vec, w: float) -> None:
    for i in range(1, len(y)):
        y[i] = y[i] + w * y[i - 1]


@linear_grad
def prefix(x: Vec, w: float) -> tuple[Vec, float]:
    out = np.zeros(len(x))
    total = 0.0
    for i in range(len(x)):
        total += w * x[i]
        out[i] = total
    return out, total * total


X, IDX = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 1, 1, -1])


def differences(f, x, h=1e-6):
    grad = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i] += h
        down[i] -= h
        grad[i] = (f(up) - f(down)) / (2 * h)
    return grad


def test_value_and_gradient():
    assert loss(X, IDX, 3.0) == loss.py_func(X, IDX, 3.0) == 75.0
    x_bar, w_bar = loss.grad(X, IDX, 3.0)
    assert x_bar.tolist() == [6.0, 24.0, 0.0, 24.0] and w_bar == 25.0
    value, (again, _) = loss.value_and_grad(X, IDX, w=3)
    assert value == 75.0 and again.tolist() == x_bar.tolist()
    np.testing.assert_allclose(x_bar, differences(lambda x: loss.py_func(x, IDX, 3.0), X), rtol=1e-6)


def test_classes_of_results_are_those_of_python():
    assert type(loss(X, IDX, 3.0)) is type(loss.py_func(X, IDX, 3.0))
    assert type(loss.grad(X, IDX, 3.0)[1]) is float


@pytest.mark.one_in(3)
@pytest.mark.parametrize("backend", ["numba", "interpret"])
@pytest.mark.parametrize("update", ["in-place", "pure"])
@pytest.mark.parametrize("options", [{}, {"fastmath": False}, {"boundscheck": False}, {"cache": False}])
def test_options_do_not_change_the_numbers(backend, update, options):
    if backend == "interpret" and options:
        pytest.skip("options of compiled code")
    f = linear_grad(loss.py_func, backend=backend, update=update, **options)
    assert f(X, IDX, 3.0) == 75.0
    x_bar, w_bar = f.grad(X, IDX, 3.0)
    assert x_bar.tolist() == [6.0, 24.0, 0.0, 24.0] and w_bar == 25.0


@pytest.mark.parametrize(
    ("wrt", "expected"), [("w", 25.0), (("w",), 25.0), (2, 25.0), (-1, 25.0), (("w", "x"), (25.0, [6.0, 24.0, 0.0, 24.0]))]
)
def test_wrt(wrt, expected):
    got = linear_grad(loss.py_func, wrt=wrt).grad(X, IDX, 3.0)
    assert got == expected if isinstance(expected, float) else (got[0], got[1].tolist()) == expected


@pytest.mark.parametrize(("wrt", "message"), [("idx", "which is an array of ints"), ("z", "no parameter `z`"), (7, "number 7")])
def test_wrt_nonsense_is_refused_at_decoration(wrt, message):
    with pytest.raises(LinadError, match=message):
        linear_grad(loss.py_func, wrt=wrt)


def test_gradients_are_fresh_and_contiguous():
    first, second = loss.grad(X[::-1], IDX, 1.0)[0], loss.grad(X[::-1], IDX, 1.0)[0]
    assert first is not second and first.flags.c_contiguous and first.tolist() == [8.0, 12.0, 0.0, 2.0]


def test_empty_and_read_only_arrays():
    empty = np.zeros(0)
    value, (x_bar, w_bar) = loss.value_and_grad(empty, np.zeros(0, int), 1.0)
    assert value == 0.0 and x_bar.shape == (0,) and w_bar == 0.0
    fixed = X.copy()
    fixed.flags.writeable = False
    assert loss(fixed, IDX, 3.0) == 75.0


def test_float32_stays_float32():
    @linear_grad
    def f(x: Float32[np.ndarray, "n"], w: float) -> np.float32:
        total = np.float32(0.0)
        for i in range(len(x)):
            total += x[i] * x[i]
        return total

    x = np.array([1.0, 2.0], np.float32)
    assert f(x, 1.0) == 5.0 and type(f(x, 1.0)) is np.float32
    assert f.grad(x, 1.0)[0].dtype == np.float32 and f.grad(x, 1.0)[0].tolist() == [2.0, 4.0]


def test_index_errors_have_the_users_line():
    with pytest.raises(IndexError) as caught:
        loss(X, np.array([0, 4]), 1.0)
    message = str(caught.value)
    assert "index 4 is out of bounds for axis 0" in message and "size 4" in message
    assert "x[idx[k]]" in message and __file__ in message
    with pytest.raises(IndexError, match="index -5 is out of bounds"):
        loss.grad(X, np.array([-5]), 1.0)


# ------------------------------------------------------------------------------------------------------------ updates


def test_updates_reach_the_caller():
    y = X.copy()
    assert squares(y, 2.0) == 60.0 and y.tolist() == [2.0, 8.0, 18.0, 32.0]
    wide = np.zeros(8)
    wide[::2] = X
    squares(wide[::2], 2.0)
    assert wide.tolist() == [2, 0, 8, 0, 18, 0, 32, 0]


def test_updates_reach_the_caller_also_when_an_error_leaves():
    @linear_grad(updates="y")
    def breaks(y: Vec, k: int) -> None:
        y[0] = 7.0
        y[k] = 1.0

    for y in (np.zeros(3), np.zeros(6)[::2]):
        with pytest.raises(IndexError):
            breaks(y, 3)
        assert y[0] == 7.0


def test_derivatives_leave_updated_arrays_alone():
    y = X.copy()
    y_bar, w_bar = squares.grad(y, 2.0)
    assert y.tolist() == X.tolist() and y_bar.tolist() == (4 * X).tolist() and w_bar == 30.0
    (value, final), pullback = squares.vjp(y, 2.0)
    assert value == 60.0 and final.tolist() == [2.0, 8.0, 18.0, 32.0] and y.tolist() == X.tolist()
    y_bar, w_bar = pullback((0.0, np.array([1.0, 0.0, 0.0, 0.0])))
    assert y_bar.tolist() == [4.0, 0.0, 0.0, 0.0] and w_bar == 1.0


def test_a_function_that_only_updates():
    (final,), pullback = advance.vjp(X, 0.5)
    expected = X.copy()
    advance.py_func(expected, 0.5)
    assert final.tolist() == expected.tolist()

    def weighed(x):
        y = x.copy()
        advance.py_func(y, 0.5)
        return y @ np.arange(4.0)

    np.testing.assert_allclose(pullback((np.arange(4.0),))[0], differences(weighed, X), rtol=1e-6)
    with pytest.raises(LinadError, match="returns nothing"):
        advance.grad(X, 0.5)


def test_a_parameter_named_twice_is_refused():
    with pytest.raises(LinadError, match="`advance` is to be differentiated by `w` twice"):
        linear_grad(wrt=("w", -1), updates="y")(advance.py_func)


def test_an_undeclared_update_is_refused():
    with pytest.raises(LinadError) as caught:
        linear_grad(advance.py_func)
    assert caught.value.diagnostics[0].slug == "argument-updated"


def test_overlapping_updates_are_refused():
    @linear_grad(updates="y")
    def add(y: Vec, x: Vec) -> None:
        for i in range(len(x)):
            y[i] += x[i]

    base = np.arange(6.0)
    with pytest.raises(ValueError, match="`y` is updated and shares memory with `x`"):
        add(base[:4], base[2:])
    with pytest.raises(ValueError, match="`y` is updated and shares memory with `x`"):
        add.vjp(base[:4], base[2:])
    add(base[:3], base[3:])
    assert base.tolist() == [3, 5, 7, 3, 4, 5]
    with pytest.raises(ValueError, match="`x` has size 2 along axis 0 where `n` is 3"):
        add(np.zeros(3), np.zeros(2))


# ---------------------------------------------------------------------------------------------------------- pullbacks


def test_pullbacks_of_structures():
    (out, total), pullback = prefix.vjp(X, 2.0)
    assert out.tolist() == [2.0, 6.0, 12.0, 20.0] and total == 400.0
    x_bar, w_bar = pullback((np.array([1.0, 0.0, 0.0, 1.0]), 0.0))
    assert x_bar.tolist() == [4.0, 2.0, 2.0, 2.0] and w_bar == 11.0
    x_bar, w_bar = pullback((np.zeros(4), 1.0))
    assert x_bar.tolist() == [80.0] * 4 and w_bar == 400.0


def test_a_pullback_owns_its_arguments_and_leaves_the_cotangent_alone():
    x, seed = X.copy(), np.ones(4)
    (out, _), pullback = prefix.vjp(x, 2.0)
    first = pullback((seed, 1.0))
    x[:] = 100.0
    out[:] = -1.0
    second = pullback((seed, 1.0))
    assert first[0].tolist() == second[0].tolist() and seed.tolist() == [1.0] * 4


def test_results_and_buffers_that_the_pullback_hands_out_are_the_callers():
    """The value's arrays and the gradients may be written by the caller without any effect on the next call."""
    (out, _), pullback = prefix.vjp(X, 2.0)
    first, _ = pullback((np.ones(4), 0.0))
    first[:], out[:] = -1.0, -1.0
    assert pullback((np.ones(4), 0.0))[0].tolist() == [8.0, 6.0, 4.0, 2.0]
    assert repr(pullback) == "<pullback of prefix to x, w>"


@pytest.mark.parametrize(
    ("cotangent", "kind", "message"),
    [
        (1.0, TypeError, "expected a tuple of 2"),
        ((np.ones(4),), TypeError, "tuple of 2, got one of 1"),
        ((np.ones(3), 1.0), ValueError, r"expected shape \(4,\), that of the result, got \(3,\)"),
        ((np.ones(4, np.float32), 1.0), TypeError, "expected a float64 array"),
        ((np.ones(4), "a"), TypeError, "expected a float, got a str"),
    ],
)
def test_cotangents_have_the_structure_of_the_result(cotangent, kind, message):
    with pytest.raises(kind, match=message):
        prefix.vjp(X, 2.0)[1](cotangent)


def test_buffers_are_added_to():
    x_bar, w_bar = np.ones(4), np.array(10.0)
    assert loss.vjp_into(2.0, X, IDX, 3.0, into=(x_bar, w_bar)) == 75.0
    assert x_bar.tolist() == [13.0, 49.0, 1.0, 49.0] and w_bar == 60.0


def test_buffers_in_any_layout_and_twice_the_same():
    wide = np.zeros(8)
    loss.vjp_into(1.0, X, IDX, 3.0, into=(wide[::2], np.array(0.0)))
    assert wide.tolist() == [6, 0, 24, 0, 0, 0, 24, 0]

    @linear_grad
    def dot(x: Vec, y: Vec) -> float:
        total = 0.0
        for i in range(len(x)):
            total += x[i] * y[i]
        return total

    both = np.zeros(4)
    dot.vjp_into(1.0, X, X, into=(both, both))
    assert both.tolist() == (2 * X).tolist()


def test_buffers_are_checked():
    for into, kind, message in [
        ((np.ones(4),), TypeError, "expected 2 buffers, got 1"),
        ([np.ones(4)] * 3, TypeError, "expected 2 buffers, got 3"),
        ((np.ones(3), np.array(0.0)), ValueError, "expected shape"),
        ((np.ones(4, np.float32), np.array(0.0)), TypeError, "expected a float64 array"),
        ((X, np.array(0.0)), ValueError, r"`into\[x\]` is updated and shares memory with `x`"),
        ((np.ones(4), 0.0), TypeError, "NumPy array"),
    ]:
        with pytest.raises(kind, match=message):
            loss.vjp_into(1.0, X, IDX, 3.0, into=into)


def test_buffers_of_updated_arrays_hold_final_then_initial_cotangents():
    y_bar, w_bar = np.array([1.0, 0.0, 0.0, 0.0]), np.array(0.0)
    y = X.copy()
    value = squares.vjp_into(0.0, y, 2.0, into=(y_bar, w_bar))
    assert value[0] == 60.0 and value[1].tolist() == [2.0, 8.0, 18.0, 32.0] and y.tolist() == X.tolist()
    assert y_bar.tolist() == [4.0, 0.0, 0.0, 0.0] and w_bar == 1.0


def test_array_cotangents_are_checked_before_anything_runs():
    x_bar = np.zeros(4)
    with pytest.raises(ValueError, match="expected shape"):
        prefix.vjp_into((np.ones(400), 1.0), X, 2.0, into=(x_bar, np.array(0.0)))
    assert not x_bar.any()
    prefix.vjp_into((np.ones(4), 0.0), X, 2.0, into=(x_bar, np.array(0.0)))
    assert x_bar.tolist() == [8.0, 6.0, 4.0, 2.0]


# ------------------------------------------------------------------------------------------------ functions of functions


def cubic(x: float, y: float) -> float:
    return x * x * x * y


def test_grad_composes():
    f = linear_grad(cubic)
    assert linad.grad(f)(2.0, 3.0) == 36.0
    assert linad.grad(linad.grad(f))(2.0, 3.0) == 36.0
    assert linad.grad(linad.grad(linad.grad(f)))(2.0, 3.0) == 18.0
    assert linad.grad(linad.grad(f), argnums=1)(2.0, 3.0) == 12.0
    assert linad.grad(linad.grad(cubic, 1), (0, 1))(2.0, 3.0) == (12.0, 0.0)
    assert linad.value_and_grad(linad.grad(cubic))(2.0, 3.0) == (36.0, 36.0)
    assert linad.value_and_grad(cubic, (0, 1))(2.0, 3.0) == (24.0, (36.0, 8.0))


def test_derivative_of_a_derivative_by_an_array():
    def f(w: float, x: Vec) -> float:
        total = 0.0
        for i in range(len(x)):
            total += w * w * x[i]
        return total

    assert linad.grad(linad.grad(f), 1)(3.0, X).tolist() == [6.0] * 4
    with pytest.raises(LinadError, match="not a scalar"):
        linad.grad(linad.grad(f, 1))(3.0, X)


def test_has_aux_and_updates():
    @linad.linear_grad(updates="y")
    def f(y: Vec, x: Vec):
        y[:] = y * x
        return np.sum(y * y), x

    y = X.copy()
    for transform, shown in ((linad.grad, lambda g, aux: (g, aux)), (linad.value_and_grad, lambda p, g: (g, p[1]))):
        gradient, aux = shown(*transform(f, "x", has_aux=True)(y, X + 1.0))
        assert np.allclose(gradient, 2.0 * X * X * (X + 1.0)) and np.array_equal(aux, X + 1.0)


def test_has_aux():
    def f(x: Vec, w: float) -> tuple[float, tuple[Vec, int]]:
        out = np.zeros(len(x))
        total = 0.0
        for i in range(len(x)):
            out[i] = w * x[i]
            total += out[i] * out[i]
        return total, (out, len(x))

    gradient, (out, n) = linad.grad(f, has_aux=True)(X, 2.0)
    assert gradient.tolist() == (8 * X).tolist() and out.tolist() == (2 * X).tolist() and n == 4
    (value, aux), gradient = linad.value_and_grad(f, has_aux=True)(X, 2.0)
    assert value == 120.0 and aux[1] == 4 and gradient.tolist() == (8 * X).tolist()
    with pytest.raises(LinadError, match="returns a tuple of 2"):
        linad.grad(f)(X, 2.0)


def test_vjp_as_a_function():
    value, pullback = linad.vjp(cubic, 2.0, 3.0)
    assert value == 24.0 and pullback(2.0) == (72.0, 16.0)


def test_what_has_no_gradient():
    def counts(n: int) -> int:
        return n + 1

    with pytest.raises(LinadError, match="returns an int"):
        linear_grad(counts).grad(1)
    assert issubclass(LinadError, TypeError)


def fail(x: float) -> float:
    if x < 0.0:
        raise ValueError("negative")
    return x * x


def wrap(x: float, n: int) -> float:
    if n == 0:
        return x
    return x * wrap(x, n - 1)


@pytest.mark.parametrize("f", [fail, lambda x: x * x])
def test_functions_named_like_generated_code(f):
    assert linad.grad(f)(3.0) == 6.0


def test_a_recursive_function_named_like_generated_code():
    assert linear_grad(wrap)(2.0, 3) == 16.0
    with pytest.raises(ValueError, match="negative"):
        linear_grad(fail)(-1.0)


def test_a_check_after_an_update_does_not_update_twice():
    @linear_grad(updates="y")
    def scatter(y: Vec, idx: Int64[np.ndarray, "m"]) -> None:
        for i in range(len(y)):
            y[i] += 1.0
        for k in range(len(idx)):
            y[idx[k]] += 10.0

    compiled, plain = np.zeros(4), np.zeros(4)
    for f, y in ((scatter, compiled), (scatter.py_func, plain)):
        with pytest.raises(IndexError):
            f(y, np.array([0, 9, 2]))
    assert compiled.tolist() == plain.tolist() == [11.0, 1.0, 1.0, 1.0]


def test_the_first_error_of_two_loops_is_pythons() -> None:
    @linear_grad
    def two(x: Float64[np.ndarray, "n"], i: Int64[np.ndarray, "a"], j: Int64[np.ndarray, "b"]) -> float:
        a = 0.0
        for k in range(len(i)):
            a += x[i[k]] ** 2
        b = 0.0
        for k in range(len(j)):
            b += x[j[k]] ** 2
        return a + b

    with pytest.raises(IndexError, match="index 9 "):
        two.grad(np.ones(3), np.array([9]), np.array([8]))


def test_the_first_error_is_pythons_in_every_derivative() -> None:
    def f(x: Vec, y: Float64[np.ndarray, "m"]) -> float:
        s = 0.0
        for j in range(len(x)):
            s += y[j] * y[j]
        x[0] = 1.0
        return s + ((y - x) ** 2).sum()

    x, y = np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.2])
    updating, reading = linear_grad(f, updates=("x",)), linear_grad(lambda x, y: f(x.copy(), y))
    for g in (updating, reading):
        for run in (
            lambda g=g: g.grad(x, y),
            lambda g=g: g.value_and_grad(x, y),
            lambda g=g: g.vjp_into(1.0, x, y, into=(np.zeros(3), np.zeros(2))),
            lambda g=g: g.jvp((x, y), (x, y)),
        ):
            with pytest.raises(IndexError):
                run()
    for run in (
        lambda: reading.hvp((x, y), (x, y)),
        lambda: linad.hessian(reading)(x, y),
        lambda: linad.grad(reading)(x, y),
        lambda: linad.jacobian(reading)(x, y),
    ):
        with pytest.raises(IndexError):
            run()
    assert x[0] == 0.1


def test_nothing_returned_has_no_cotangent():
    def twice(y):
        for i in range(len(y)):
            y[i] *= 2.0

    f, y_bar = linear_grad(twice, updates="y", backend="interpret"), np.ones(2)
    with pytest.raises(TypeError, match="expected None, as it returns nothing; those of updated arrays are in the buffers"):
        f.vjp_into((np.ones(2),), np.ones(2), into=y_bar)
    f.vjp_into(None, np.ones(2), into=y_bar)
    assert np.array_equal(y_bar, [2.0, 2.0])
