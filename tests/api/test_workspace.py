"""Scratch memory is kept between calls, is never shared by two, and is seen by nobody."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from jaxtyping import Float64

import linad
from linad import linear_grad
from linad.boundary import workspace
from linad.boundary.kernel import DONE, SHORT, Loaded

Vec = Float64[np.ndarray, "n"]


@linear_grad
def loss(x: Vec) -> float:
    u = x.copy()
    z = np.zeros(len(x))
    for i in range(1, len(u)):
        z[i] += u[i] * u[i - 1]
        u[i] = u[i] * u[i] + z[i]
    s = 0.0
    for i in range(len(u)):
        s += u[i] * z[i]
    return s


@linear_grad
def cumulative(x: Vec) -> Vec:
    u = x.copy()
    for i in range(1, len(u)):
        u[i] += u[i - 1] * u[i]
    return u


def by_hand(x):
    """The gradient by central differences."""
    g = np.empty_like(x)
    for i in range(len(x)):
        h = np.zeros_like(x)
        h[i] = 1e-6
        g[i] = (loss.py_func(x + h) - loss.py_func(x - h)) / 2e-6
    return g


def test_scratch_is_as_new_in_every_call():
    rng = np.random.default_rng(0)
    for n in (5, 3, 40, 2, 40, 0):
        x = rng.normal(size=n) * 0.5
        np.testing.assert_allclose(loss.grad(x), by_hand(x), rtol=1e-6, atol=1e-7)
        assert np.isclose(loss(x), loss.py_func(x))


def test_results_are_nobody_elses():
    x = np.linspace(0.1, 1.0, 9)
    first = cumulative(x)
    kept = first.copy()
    second = cumulative(x + 1.0)
    assert np.array_equal(first, kept) and not np.shares_memory(first, second)
    value, pull = cumulative.vjp(x)
    bar = pull(np.ones(9))
    cumulative.vjp(x + 1.0)[1](np.ones(9))
    np.testing.assert_array_equal(pull(np.ones(9)), bar)
    np.testing.assert_array_equal(value, kept)


def test_threads_do_not_share():
    xs = [np.linspace(0.0, 1.0, 3000) + k for k in range(4)]
    expected = [loss.grad(x) for x in xs]
    with ThreadPoolExecutor(4) as threads:
        for k, got in enumerate(threads.map(lambda k: loss.grad(xs[k % 4]), range(200))):
            np.testing.assert_array_equal(got, expected[k % 4])


def fake(taken):
    """A driver that needs as many cells as its argument says, and notes which workspace it had."""

    def driver(n, ws, err):
        if len(ws) < n:
            err[0] = n
            return (SHORT,)
        taken.append(ws)
        return (DONE,)

    return Loaded(driver, (), 1, workspace=("f64",))


def test_memory_is_used_again_and_released():
    taken = []
    build, err = fake(taken), np.zeros(1, np.int64)
    for n in (100, 50, 100):
        build.call((n,), err)
    assert taken[0] is taken[1] is taken[2]
    assert len(build.pool) >= 800
    workspace.release_memory()
    assert len(build.pool) == 0
    build.call((10,), err)
    assert taken[3] is not taken[0]


def test_what_is_kept_is_bounded(monkeypatch):
    workspace.release_memory()
    monkeypatch.setattr(workspace, "LIMIT", 10_000)
    taken = []
    first, second, err = fake(taken), fake(taken), np.zeros(1, np.int64)
    first.call((1000,), err)
    assert 0 < workspace.kept() <= 10_000
    second.call((1000,), err)
    assert 0 < workspace.kept() <= 10_000
    second.call((100_000,), err)
    assert workspace.kept() <= 10_000 and len(taken[-1]) >= 100_000


def give_larger(pool):
    held = pool.take()
    pool.enlarge(held, [800])
    pool.give(held, True)


def test_a_set_whose_room_another_has_taken_is_let_go(monkeypatch):
    linad.release_memory()
    monkeypatch.setattr(workspace, "LIMIT", 10_000)
    first, second = workspace.Pool(("f64",)), workspace.Pool(("f64",))
    give_larger(first)
    held = first.take()
    give_larger(second)
    first.give(held, False)
    assert workspace.kept() <= 10_000 and len(first) == 0
    assert linad.release_memory() > 0 and workspace.kept() == 0


def test_what_does_not_fit_says_how_much_it_is(monkeypatch):
    def empty(n, dtype):
        raise MemoryError

    pool = workspace.Pool(("f64",))
    held = pool.take()
    monkeypatch.setattr(np, "empty", empty)
    with pytest.raises(MemoryError, match=r"take 8\.0 GiB"):
        pool.enlarge(held, [2**30])


def test_more_than_there_can_be():
    with pytest.raises(MemoryError):
        fake([]).call((2**50,), np.zeros(1, np.int64))


@linear_grad
def while_inside(x: Vec) -> float:
    s = 0.0
    for i in range(len(x)):
        y, k = x[i], 0
        while y < 100.0:
            y = y * y + 1.1
            k += 1
        s += y * k
    return s


@linear_grad
def grow_to(a: float, n: int) -> float:
    k = 0.0  # a loop over ints would be a range, and its log be of known length
    while k < n:
        a = np.sin(a) + 1.1
        k += 1.0
    return a


@linear_grad
def grow_two(a: float, n: int) -> float:
    k = 0.0
    while k < n:
        a = np.cos(a * a)
        j = 0.0
        while j < 50:
            a = np.sin(a) + 1.1
            j += 1.0
        k += 1.0
    return a


def test_each_log_that_grows_begins_as_long_as_it_became_itself():
    expected = grow_two.grad(0.5, 200)
    assert grow_two.grad(0.5, 200) == expected == grow_two.grad(0.5, 200)
    build = next(k.builds["hoisted"] for k in specialised(grow_two).kernels[()].values() if "hoisted" in k.builds and k.builds["hoisted"].pool)
    lengths = sorted(n for n in build.pool.hints if n)
    assert lengths[0] < 1024 < 10_000 <= lengths[-1]
    assert len(build.pool) < 2 * 8 * lengths[-1]


def test_logs_that_grow_begin_as_long_as_they_became(monkeypatch):
    """Twice the same, whatever was there before; a log is not copied in the second call, as it begins with room for all."""
    linad.release_memory()
    first = [grow_to.grad(0.5, n) for n in (1000, 3, 1000, 0)]
    assert first == [grow_to.grad(0.5, n) for n in (1000, 3, 1000, 0)] and first[0] == first[2]
    build = next(k.builds["hoisted"] for k in specialised(grow_to).kernels[()].values() if "hoisted" in k.builds and k.builds["hoisted"].pool)
    assert 1000 <= max(build.pool.hints) <= 2048
    linad.release_memory()
    assert not build.pool.hints.any()
    x = np.linspace(-2.0, 3.0, 50)
    np.testing.assert_array_equal(while_inside.grad(x), while_inside.grad(x))


def specialised(f):
    (found,) = f._specialisations.values() if hasattr(f, "_specialisations") else [f.specialisation((0.5, 3))]
    return found


def test_a_log_that_does_not_fit_is_named_and_nothing_else_is_run(monkeypatch):
    """A log of unknown length, asked for while the kernel runs; and one whose size is known before."""
    from linad.runtime import logs as runtime_logs

    grow_to.grad(0.5, 10)
    monkeypatch.setattr(runtime_logs, "there_is", lambda n: False)
    line = grow_to.py_func.__code__.co_firstlineno + 3
    linad.release_memory()
    with pytest.raises(MemoryError, match=rf"what the derivative saves of `\w+` in each iteration: [\d,]+ bytes.*while k < n: at .*:{line}$"):
        grow_to.grad(0.5, 20_000_000)
    monkeypatch.setattr(workspace, "there_is", lambda n: n < 2**20)
    u = np.linspace(0.0, 1.0, 400_000)
    with pytest.raises(MemoryError, match=r"there is no memory for `\w+`: [\d,]+ bytes; .* take .*: for i in .* at .*test_workspace.py:\d+$"):
        loss.grad(u)
    monkeypatch.undo()
    assert np.isfinite(loss.grad(u)).all()


@linear_grad(updates="u")
def in_place(u: Vec, n: int) -> float:
    s, k, t = 0.0, 0, 0.0
    while t < n:
        u[k % 3] = np.sin(u[k % 3]) + 1.0
        s += u[k % 3] * u[k % 3]
        k += 1
        t += 1.0
    return s


def test_what_the_caller_has_is_as_it_was(monkeypatch):
    from linad.runtime import logs as runtime_logs

    u, bar = np.array([0.1, 0.2, 0.3]), np.array([1.0, 2.0, 3.0])
    in_place.vjp_into(1.0, u.copy(), 5, into=bar)
    bar = np.array([1.0, 2.0, 3.0])
    linad.release_memory()
    monkeypatch.setattr(runtime_logs, "there_is", lambda n: False)
    for call in (lambda: in_place.grad(u, 20_000_000), lambda: in_place.vjp_into(1.0, u, 20_000_000, into=bar)):
        with pytest.raises(MemoryError, match="while t < n"):
            call()
        assert u.tolist() == [0.1, 0.2, 0.3] and bar.tolist() == [1.0, 2.0, 3.0]


def test_pullbacks_are_copied():
    import copy

    _, pull = loss.vjp(np.ones(3))
    np.testing.assert_array_equal(copy.deepcopy(pull)(1.0)[0], pull(1.0)[0])


@linear_grad
def squares(x: Vec, w: Vec) -> float:
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i] * w[i]
    return s


LONG = workspace.LARGE


def test_a_large_gradient_is_its_callers_as_long_as_anyone_has_it():
    x, w = np.linspace(0.0, 1.0, LONG), np.ones(LONG)
    squares.grad(x, w)
    held, _ = squares.grad(x, w)
    view = squares.grad(x, w)[1][2:5]
    exported = memoryview(squares.grad(x, w)[0])
    many = [squares.grad(x, w)[0] for _ in range(3)]
    for _ in range(3):
        squares.grad(2.0 * x, w)
    for g in (held, *many, np.asarray(exported)):
        np.testing.assert_array_equal(g, 2.0 * x)
    np.testing.assert_array_equal(view, x[2:5] ** 2)


def test_a_large_gradient_that_nobody_has_is_filled_again():
    x, w = np.linspace(0.0, 1.0, LONG), np.ones(LONG)
    g, _ = squares.grad(x, w)
    place = g.ctypes.data
    assert place % workspace.LINE == 0
    g[:] = np.nan
    del g
    again, _ = squares.grad(x, w)
    assert again.ctypes.data == place
    np.testing.assert_array_equal(again, 2.0 * x)
    for change in (lambda g: g.setflags(write=False), lambda g: setattr(g, "shape", (2, LONG // 2))):
        change(again)
        del again
        again, _ = squares.grad(x, w)
        assert again.flags.carray and again.shape == x.shape
        np.testing.assert_array_equal(again, 2.0 * x)
    longer, _ = squares.grad(np.ones(2 * LONG), np.ones(2 * LONG))
    assert longer.shape == (2 * LONG,)


def test_large_gradients_are_released():
    linad.release_memory()
    squares.grad(np.ones(LONG), np.ones(LONG))
    for _ in range(2):  # the second call takes the fast path
        squares.vjp_into(1.0, np.ones(LONG), np.ones(LONG), into=(np.zeros(LONG), np.zeros(LONG)))
    assert linad.release_memory() >= 4 * 8 * LONG
    assert linad.release_memory() == 0


def test_threads_do_not_share_a_large_gradient():
    w = np.ones(LONG)

    def one(k):
        x = np.full(LONG, float(k))
        return all(np.array_equal(squares.grad(x, w)[0], 2.0 * x) for _ in range(20))

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(one, range(8)))


def test_a_buffer_with_a_nan_is_put_back_also_when_it_is_large():
    """The copy that is put back is kept memory, too."""
    x, w = np.zeros(LONG), np.ones(LONG)
    for k in range(3):
        into = (np.full(LONG, float(k)), np.zeros(LONG))
        roots.vjp_into(1.0, x, w, into=into)
        np.testing.assert_array_equal(into[0], float(k))


@linear_grad
def roots(x: Vec, w: Vec) -> float:
    s = 0.0
    for i in range(len(x)):
        s += np.sqrt(x[i]) * (w[i] - 1.0)
    return s
