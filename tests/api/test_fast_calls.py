"""What decides quickly that a call is as usual says yes only where the slower way has nothing to say."""

import numpy as np
import pytest
from jaxtyping import Float32, Float64
from linad_typecheck.signature import Leaf, ParamInfo, Signature
from linad_typecheck.types import F64, Array

import linad
from linad import linear_grad, push
from linad.boundary.dims import check_dims
from linad.boundary.overlap import overlap
from linad.boundary.fast_checks import dim_rows, dims_hold, no_overlap
from linad.boundary.fast_call import MISSED, NAN
from linad.derive import has_nan

Vec = Float64[np.ndarray, "n"]


def test_apart_is_never_true_of_arrays_that_share_memory():
    rng = np.random.default_rng(0)
    base, foreign = np.zeros(40), bytearray(320)
    owners = (base, base, np.zeros(40), *(np.frombuffer(foreign) for _ in range(2)), np.lib.stride_tricks.as_strided(base))
    seen = set()
    for k in range(4000):
        ends = np.sort(rng.integers(0, 41, (5, 2)), axis=1)
        arrays = [(base if k % 2 else owners[rng.integers(len(owners))])[a:b] for a, b in ends]
        arrays = [a.base if a.base is not foreign and rng.integers(9) == 0 else a for a in arrays]
        written, read = arrays[:2], arrays[2:]
        pairs = [(written[0], written[1]), *((w, r) for w in written for r in read)]
        shares = any(overlap(a, b) for a, b in pairs)
        assert no_overlap(written, read) == (not shares)
        seen.add(shares)
    assert seen == {True, False}
    assert no_overlap([base], [np.zeros(3)[:0], np.zeros(3)]) and no_overlap([np.zeros(4)], [np.zeros(8)[::2]]) and not no_overlap([base[:4]], [base[4::2]])


def test_sizes_hold_exactly_where_nothing_is_said():
    texts = ("n", "m", "n+1", "2*n", "2*m+1", "3", "_")
    rng = np.random.default_rng(1)
    outcomes = set()
    for _ in range(4000):
        dims = [tuple(texts[k] for k in rng.integers(0, len(texts), rng.integers(1, 3))) for _ in range(3)]
        params = tuple(ParamInfo(f"p{k}", Leaf(k, Array("f64", len(d))), (d,)) for k, d in enumerate(dims))
        signature = Signature("f", params, Leaf(0, F64))
        arguments = [np.zeros(tuple(rng.integers(0, 6, len(d)))) for d in dims]
        try:
            check_dims(signature, arguments)
            said = False
        except ValueError:
            said = True
        assert dims_hold(dim_rows(signature), arguments) == (not said), (dims, [a.shape for a in arguments])
        outcomes.add(said)
    assert outcomes == {True, False}


@linear_grad
def dot(x: Vec, y: Vec, c: float) -> float:
    s = 0.0
    for i in range(len(x)):
        s += c * x[i] * y[i]
    return s


@linear_grad
def single(x: Float32[np.ndarray, "n"]) -> np.float32:
    s = np.float32(0.0)
    for i in range(len(x)):
        s += x[i] * x[i]
    return s


@linear_grad(wrt=("c", "x"))
def powers(x: Vec, k: int, c: float) -> float:
    return c * np.sum(x) * k


def test_ints_and_another_order_of_buffers():
    x = np.arange(3.0)
    for k in (3, np.int64(3), np.int32(3)):
        bars = np.zeros(()), np.ones(3)
        assert powers.vjp_into(2.0, x, k, 0.5, into=bars) == 4.5
        assert bars[0] == 18.0 and bars[1].tolist() == [4.0] * 3
    with pytest.raises(OverflowError):
        powers.vjp_into(1.0, x, 2**63, 0.5, into=(np.zeros(()), np.zeros(3)))
    with pytest.raises(TypeError):
        powers.vjp_into(1.0, x, 3.0, 0.5, into=(np.zeros(()), np.zeros(3)))


def test_buffers_of_every_kind_get_the_same_gradient():
    x, y = np.arange(4.0), np.arange(4.0) + 1.0
    expected = (2.0 * y, 2.0 * x, x @ y)

    def into(*buffers):
        dot.vjp_into(1.0, x, y, 2.0, into=buffers)
        return buffers

    plain = into(np.zeros(4), np.zeros(4), np.zeros(()))
    strided = into(np.zeros(8)[::2], np.zeros(4)[::-1], np.zeros(()))
    for found in (plain, strided):
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b)
    both = np.zeros(4)
    into(both, both, np.zeros(()))
    np.testing.assert_array_equal(both, expected[0] + expected[1])
    part = np.zeros(6)
    into(part[:4], part[2:], np.zeros(()))
    np.testing.assert_array_equal(part, np.concatenate([expected[0], [0, 0]]) + np.concatenate([[0, 0], expected[1]]))


def test_buffers_are_restored_when_the_fast_path_gives_up():
    """Later calls take it: a gradient that contains a nan is computed again, and an index fails again."""

    @linear_grad
    def f(x, k: int) -> float:
        return np.sqrt(x[0]) * x[k] if x[0] > 0.0 else np.sqrt(x[0]) * 0.0 + x[k]

    for _ in range(3):
        buffer = np.ones(2)
        assert f.vjp_into(1.0, np.array([0.0, 4.0]), 1, into=buffer) == 4.0
        np.testing.assert_array_equal(buffer, 1.0 + f.grad(np.array([0.0, 4.0]), 1))
        with pytest.raises(IndexError, match="index 5 is out of bounds"):
            f.vjp_into(1.0, np.array([0.0, 4.0]), 5, into=buffer)
    assert f._fast["into"] is not None


def test_buffers_of_a_function_with_an_array_result():
    """The second call takes the fast path, and so does the first after a call that failed."""

    @linear_grad
    def f(x: Vec, c: float) -> Vec:
        return c * x * x

    x, cotangent = np.arange(3.0), np.array([1.0, 0.0, 2.0])
    assert f(x, 2.0).tolist() == [0.0, 2.0, 8.0] and "value" in f._fast
    for k in range(1, 4):
        buffers = np.ones(3), np.zeros(())
        assert f.vjp_into(cotangent, x, 2.0, into=buffers).tolist() == [0.0, 2.0, 8.0]
        assert buffers[0].tolist() == [1.0, 1.0, 17.0] and buffers[1] == 8.0 and cotangent.tolist() == [1.0, 0.0, 2.0]
        assert f._fast["into"]((x, 2.0), cotangent, buffers) is not MISSED
        for wrong in (np.ones(2), np.ones((3, 1)), np.ones(3, np.float32), [1.0] * 3, 1.0):
            buffers = np.ones(3), np.zeros(())
            with pytest.raises((TypeError, ValueError), match="cotangent"):
                f.vjp_into(wrong, x, 2.0, into=buffers)
            assert buffers[0].tolist() == [1.0] * 3 and buffers[1] == 0.0
    aliased = cotangent.copy()
    f.vjp_into(aliased, x, 2.0, into=(aliased, np.zeros(())))  # the cotangent is copied
    assert aliased.tolist() == [1.0, 0.0, 18.0]


@pytest.mark.parametrize(
    ("buffers", "error"),
    [
        (lambda x: (x, np.zeros(4), np.zeros(())), "shares memory"),
        (lambda x: (np.zeros(5), np.zeros(4), np.zeros(())), "expected shape"),
        (lambda x: (np.zeros(4, np.float32), np.zeros(4), np.zeros(())), "float64"),
        (lambda x: (np.zeros(4), np.zeros(4), np.zeros(1)), "rank 0"),
        (lambda x: (np.zeros(4), np.zeros(4)), "expected 3 buffers"),
    ],
)
def test_buffers_that_do_not_fit_are_refused_as_ever(buffers, error):
    x, y = np.arange(4.0), np.arange(4.0) + 1.0
    with pytest.raises((TypeError, ValueError), match=error):
        dot.vjp_into(1.0, x, y, 2.0, into=buffers(x))
    readonly = np.zeros(4)
    readonly.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        dot.vjp_into(1.0, x, y, 2.0, into=(readonly, np.zeros(4), np.zeros(())))


def test_arguments_that_only_look_usual_are_looked_at():
    x = np.arange(4.0)
    assert dot(x[::-1], x, 1.0) == x[::-1] @ x
    assert dot(x, x, 1) == x @ x  # a number of another class
    with pytest.raises(TypeError, match="argument `x`"):
        dot(x.astype(np.float32), x, 1.0)
    with pytest.raises(TypeError, match="argument `x`"):
        dot(1.0, x, 1.0)
    with pytest.raises(ValueError, match="size 3 along axis 0"):
        dot(x, x[:3], 1.0)
    swapped = x.astype(">f8")
    with pytest.raises(TypeError, match="argument `x`"):
        dot(swapped, x, 1.0)
    assert single.grad(x.astype(np.float32)).dtype == np.float32


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1, 4096, 4097, 20_000])
def test_nan_is_found_in_gradients_of_any_size(size):
    for dtype in (np.float64, np.float32):
        v = np.full(size, -1e30 if dtype is np.float32 else -1e200, dtype)  # whose squares overflow without a warning
        v[size // 2] = np.inf
        assert not has_nan([1.0, v, np.zeros(0)])
        for at in (0, size // 2, size - 1):
            w = v.copy()
            w[at] = np.nan
            assert has_nan([v, w]) and has_nan([w[:, None].T])
    assert has_nan([float("nan")])


def test_large_gradients_do_not_wait_for_the_threads_of_blas():
    class NoProduct(np.ndarray):
        def __array_function__(self, function, *rest):
            raise AssertionError("by BLAS")

    assert not has_nan([np.zeros(10_000).view(NoProduct)])


# ------------------------------------------------------------------------------------------- calls, written out

FACTOR = 2.0


def twice(x: float) -> float:
    return x + x


@linear_grad
def scaled(a: Float64[np.ndarray, "n d"], b: Float64[np.ndarray, "n"], k: int, c: float) -> float:
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s += FACTOR * twice(a[i, j]) * b[i] * k * c
    return s


def given(n=5, d=3):
    rng = np.random.default_rng(n * d)
    return rng.random((n, d)), rng.random(n), 2, 0.5


def expected(a, b, k, c, factor=2.0, times=2.0):
    g = factor * times * k * c
    value = float(np.sum(a * b[:, None])) * g
    return value, (np.broadcast_to(g * b[:, None], a.shape), g * a.sum(axis=1), value / c)


def check(f, args, **more):
    value, grads = expected(*args, **more)
    for found in (f.value_and_grad(*args), (f(*args), f.grad(*args))):
        np.testing.assert_allclose(found[0], value, rtol=1e-13)
        for one, other in zip(found[1], grads, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13)


def usual(f, asked, args):
    return f._fast[asked](args)


def test_the_second_call_is_the_usual_one():
    args = given()
    check(scaled, args)
    for asked in ("value", "gradient", "both"):
        assert usual(scaled, asked, args) is not MISSED
    check(scaled, args)
    assert type(usual(scaled, "gradient", args)[2]) is float
    first, second = scaled.grad(*args), scaled.grad(*args)
    assert not any(np.shares_memory(x, y) for x, y in zip(first[:2], second[:2], strict=True))


@pytest.mark.parametrize("argnums, bare", [((0, 1, 3), False), ((3,), False), (3, True)])
def test_functions_of_functions_are_as_fast_as_methods(argnums, bare):
    args, by = given(), (argnums,) if bare else argnums
    value, grads = expected(*args)
    grads = dict(zip((0, 1, 3), grads, strict=True))
    both, only = linad.value_and_grad(scaled, argnums), linad.grad(scaled, argnums)
    for _ in range(2):
        for found in (both(*args)[1], only(*args)):
            for k, one in zip(by, (found,) if bare else found, strict=True):
                np.testing.assert_allclose(one, grads[k], rtol=1e-13)
        for asked in ("gradient", "both"):
            assert usual(scaled, (asked, (by, bare)), args) is not MISSED


def test_sizes_that_come_in_turns_are_usual():
    for _ in range(3):
        for args in (given(5, 3), given(3, 3), given(2, 7), given(0, 3), given(5, 1)):
            check(scaled, args)
            assert usual(scaled, "both", args) is not MISSED


def test_what_is_not_usual_is_left_to_the_general_path():
    args = given()
    check(scaled, args)
    a, b, k, c = args
    readonly = b.copy()
    readonly.flags.writeable = False
    for other in (
        (np.asfortranarray(a), b, k, c),
        (np.repeat(a, 2, axis=1)[:, ::2], b, k, c),
        (a, readonly, k, c),
        (a, b, True, c),
        (a, b, np.int64(2), c),
        (a, b, k, np.float64(0.5)),
        (a, b, k, 1),
    ):
        for asked in ("value", "gradient", "both"):
            assert usual(scaled, asked, other) is MISSED
        check(scaled, other)
    for wrong, error in (
        ((a, b[1:], k, c), ValueError),
        ((a, b[:, None], k, c), TypeError),
        ((a, b.astype(np.float32), k, c), TypeError),
        ((a, b, 2**63, c), OverflowError),
        ((a, b, k, "c"), TypeError),
        ((a, b, k), TypeError),
    ):
        for call in (scaled, scaled.grad, scaled.value_and_grad):
            with pytest.raises(error):
                call(*wrong)
    check(scaled, args)
    np.testing.assert_allclose(scaled(a, c=c, b=b, k=k), expected(*args)[0])


def test_numbers_of_numpy_are_usual_tangents_and_cotangents():
    args = given()
    along, into = (*args[:2], None, np.float64(1.5)), (np.zeros((5, 3)), np.zeros(5), np.zeros(()))
    for _ in range(2):
        scaled.vjp_into(np.float64(2.0), *args, into=into)
        product = scaled.hvp(args, along)
    assert scaled._fast["into"](args, np.float64(2.0), into) is not MISSED
    fast = scaled._fast["hvp", (True, True, False, True)](args, along)
    np.testing.assert_allclose(np.sum(fast[0]), np.sum(product[0]))
    wanted = scaled.jvp(args, along)[1]
    np.testing.assert_allclose(sum(np.sum(x * y) for x, y in zip(fast, (*args[:2], 0.5), strict=True)), 2 * wanted)


def test_fast_calls_see_what_names_mean_now(monkeypatch):
    args = given()
    check(scaled, args)
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert usual(scaled, "value", args) is MISSED
    check(scaled, args, factor=3.0)
    check(scaled, args, factor=3.0)

    def thrice(x: float) -> float:
        return x + x + x

    before = twice.__code__
    try:
        twice.__code__ = thrice.__code__
        assert usual(scaled, "gradient", args) is MISSED
        check(scaled, args, factor=3.0, times=3.0)
        check(scaled, args, factor=3.0, times=3.0)
    finally:
        twice.__code__ = before
    monkeypatch.undo()
    check(scaled, args)
    monkeypatch.delitem(globals(), "FACTOR")
    assert usual(scaled, "both", args) is MISSED
    monkeypatch.undo()
    monkeypatch.setitem(globals(), "range", lambda n: [])  # what was a builtin is a name of the module
    assert usual(scaled, "value", args) is MISSED
    monkeypatch.undo()
    check(scaled, args)


def test_fast_calls_see_what_closures_hold():
    factor = 2.0

    def helper(x: float, by: float = 3.0) -> float:
        return factor * by * x

    @linear_grad
    def f(x: float) -> float:
        return helper(x) * factor

    def change(to):
        nonlocal factor
        factor = to

    assert (f(1.0), f(1.0), f.grad(1.0), f.grad(1.0)) == (12.0, 12.0, 12.0, 12.0)
    assert usual(f, "value", (1.0,)) == 12.0
    change(3.0)
    assert usual(f, "value", (1.0,)) is MISSED
    assert (f(1.0), f.grad(1.0)) == (27.0, 27.0)
    helper.__defaults__ = (1.0,)
    assert usual(f, "gradient", (1.0,)) is MISSED
    assert (f(1.0), f.grad(1.0)) == (9.0, 9.0)


def test_fast_calls_see_that_the_code_was_replaced():
    @linear_grad
    def f(x: float) -> float:
        return 2.0 * x

    def g(x: float) -> float:
        return 3.0 * x

    assert [f(1.0) for _ in range(2)] == [2.0] * 2
    f.py_func.__code__ = g.__code__
    assert [f(1.0) for _ in range(2)] == [3.0] * 2


def test_a_nan_is_computed_again():
    @linear_grad
    def roots(x: Vec, c: float) -> float:
        s = 0.0
        for i in range(len(x)):
            s += c * np.sqrt(x[i]) * x[i]
        return s

    roots.grad(np.ones(3), 1.0)
    x = np.array([1.0, 0.0, 4.0])
    assert usual(roots, "gradient", (x, 1.0)) is NAN
    np.testing.assert_allclose(roots.grad(x, 1.0)[0], [1.5, 0.0, 3.0])
    value, (by_x, by_c) = roots.value_and_grad(x, 1.0)
    assert (value, by_c) == (9.0, 9.0) and by_x.tolist() == [1.5, 0.0, 3.0]
    assert np.isnan(roots.grad(np.array([np.nan]), 1.0)[0][0])


def test_results_of_every_class():
    @linear_grad
    def several(x: Vec, k: int):
        return x * 2.0, k + 1, x[0] > 0.0

    @linear_grad
    def updated(x: Vec):
        y = x * 2.0
        y[0] = 7.0
        return y

    x = np.array([1.0, 2.0])
    for _ in range(3):
        y, k, positive = several(x, 3)
        assert y.tolist() == [2.0, 4.0] and (k, type(k)) == (4, int) and positive is np.True_ or positive is True
        assert updated(x).tolist() == [7.0, 4.0] and x.tolist() == [1.0, 2.0]
    assert usual(several, "value", (x, 3)) is not MISSED


def test_errors_of_fast_calls_are_told_at_the_line():
    @linear_grad
    def at(x: Vec, k: int) -> float:
        return x[k] * x[k]

    x = np.arange(4.0)
    for _ in range(2):
        assert at.grad(x, 3).tolist() == [0.0, 0.0, 0.0, 6.0]
        for call in (at, at.grad, at.value_and_grad):
            with pytest.raises(IndexError, match=r"x\[k\] at .*test_fast_calls"):
                call(x, 4)


@pytest.mark.parametrize("backend", ["numba", "interpret"])
def test_the_interpreter_is_called_as_usual(backend):
    @linear_grad(backend=backend)
    def cube(x: float) -> float:
        return x * x * x

    assert [cube(2.0) for _ in range(3)] == [8.0] * 3 and [cube.grad(2.0) for _ in range(3)] == [12.0] * 3


def test_functions_made_by_transforms_are_called_as_usual():
    @linear_grad
    def cube(x: float) -> float:
        return x * x * x

    second = linad.grad(linad.grad(cube))
    assert [second(2.0) for _ in range(3)] == [12.0] * 3


# ------------------------------------------------------------------------------------------------- tangents


@linear_grad
def of_each_kind(x: Vec, k: int, c: float):
    return c * x[k] ** 2, k, c * x**3


def general(f, *call):
    """What a function without a table of fast calls answers."""
    return call[0](linear_grad(f.py_func), *call[1:])


def hvp(f, primals, tangents):
    return f.hvp(primals, tangents)


def jvp(f, primals, tangents):
    return f.jvp(primals, tangents)


X, Y = np.arange(1.0, 4.0), np.ones(3)
PUSHED = {
    "a product with the Hessian": (hvp, dot, (X, Y, 2.0), (Y, X, 0.5)),
    "no vector for some": (hvp, dot, (X, Y, 2.0), (None, X, None)),
    "a tangent": (jvp, dot, (X, Y, 2.0), (Y, X, 0.5)),
    "of a tuple with ints": (jvp, of_each_kind, (X, 1, 2.0), (Y, None, 0.5)),
    "of some": (jvp, of_each_kind, (X, 1, 2.0), (None, None, 0.5)),
    "single precision": (jvp, single, (X.astype(np.float32),), (Y.astype(np.float32),)),
}


@pytest.mark.parametrize("name", PUSHED)
def test_the_second_tangent_is_the_usual_one(name, monkeypatch):
    ask, f, primals, tangents = PUSHED[name]
    wanted = general(f, ask, primals, tangents)
    ask(f, primals, tangents)
    with monkeypatch.context() as m:
        m.setattr(push, "jvp", None)
        m.setattr(linad.transforms.hessian, "jvp", None)
        found = ask(f, primals, tangents)
    for a, b in zip(_flat(found), _flat(wanted), strict=True):
        assert type(a) is type(b)
        np.testing.assert_array_equal(a, b)


def _flat(value):
    return [x for v in value for x in _flat(v)] if isinstance(value, tuple) else [value]


NOT_USUAL = {
    "another shape": ((X, Y, 2.0), (np.ones(2), None, None), "expected shape \\(3,\\)"),
    "another dtype": ((X, Y, 2.0), (Y.astype(np.float32), None, None), "float64"),
    "a number": ((X, Y, 2.0), (1.0, None, None), "expected"),
    "one too few": ((X, Y, 2.0), (Y, None), "expected a tuple of 3 tangents"),
}


@pytest.mark.parametrize("ask", [hvp, jvp])
@pytest.mark.parametrize("name", NOT_USUAL)
def test_tangents_that_do_not_fit_are_refused_as_ever(ask, name):
    primals, tangents, told = NOT_USUAL[name]
    ask(dot, (X, Y, 2.0), (Y, None, None))
    with pytest.raises((TypeError, ValueError), match=told):
        ask(dot, primals, tangents)


def test_tangents_that_only_look_usual():
    for ask in (hvp, jvp):
        wanted = ask(dot, (X, Y, 2.0), (Y, None, None))
        for other in (np.repeat(Y, 2)[::2], Y.astype(int), np.array([1, 1, 1])):
            for a, b in zip(_flat(ask(dot, (X, Y, 2.0), (other, None, None))), _flat(wanted), strict=True):
                np.testing.assert_array_equal(a, b)


def test_a_nan_of_a_tangent_is_computed_again():
    @linear_grad
    def root(x: Vec) -> float:
        return np.sum(np.sqrt(x))

    for _ in range(3):
        value, moved = root.jvp((np.array([0.0, 4.0]),), (np.array([0.0, 1.0]),))
        assert (value, moved) == (2.0, 0.25)


STEEPNESS = 2.0


@linear_grad
def of_squares(x: Vec) -> float:
    return STEEPNESS * np.sum(x**2)


def test_usual_tangents_see_what_names_mean_now(monkeypatch):
    for scale in (2.0, 3.0, 2.0):
        monkeypatch.setitem(globals(), "STEEPNESS", scale)
        for _ in range(2):
            np.testing.assert_array_equal(of_squares.hvp((X,), (Y,)), 2.0 * scale * Y)
            assert of_squares.jvp((X,), (Y,))[1] == 2.0 * scale * X.sum()


def test_the_second_jacobian_is_the_usual_one(monkeypatch):
    jacobian = linad.jacfwd(of_each_kind.py_func, argnums=("x", "c"))
    wanted = jacobian(X, 1, 2.0)
    with monkeypatch.context() as m:
        m.setattr(linad.derive, "call", None)
        found = jacobian(X, 1, 2.0)
    for a, b in zip(_flat(found), _flat(wanted), strict=True):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(IndexError):
        jacobian(X, 3, 2.0)


def test_a_nan_of_a_jacobian_is_computed_again():
    def root(x: Vec):
        return np.sqrt(x)

    for _ in range(3):
        slopes = linad.jacfwd(root)(np.array([0.0, 4.0]))
        np.testing.assert_array_equal(slopes[1], [0.0, 0.25])
        assert slopes[0, 1] == 0.0
