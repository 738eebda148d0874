"""What is made of a function is made once, found again, and goes with the function."""

import functools
import gc
import threading
import weakref

import numpy as np
import pytest
from jaxtyping import Float64
from numba import njit

import linad
from linad import LinadError, linear_grad, specialise
from linad.codegen import compile as compiling

SCALE = 2.0


@linear_grad
def cube(x: float, w: float = 1.0) -> float:
    return SCALE * w * x * x * x


def plain(x: float) -> float:
    return SCALE * x * x * x


def helper(x: float) -> float:
    return x * x


def calling(x: float) -> float:
    return helper(x) * x


@pytest.fixture
def builds(monkeypatch):
    """What is checked and what is compiled or loaded, in order."""
    seen = []
    for module, name in ((specialise, "checked_or_error"), (compiling, "load")):

        def counted(*args, _made=getattr(module, name), _name=name, **options):
            seen.append(_name)
            return _made(*args, **options)

        monkeypatch.setattr(module, name, counted)
    return seen


def test_one_object_for_one_function_and_transform():
    assert linad.grad(cube) is linad.grad(cube) and linad.grad(plain) is linad.grad(plain)
    assert linad.grad(cube, argnums=[0, 1]) is linad.grad(cube, (0, 1)) is not linad.grad(cube)
    assert linad.value_and_grad(cube) is linad.value_and_grad(cube) is not linad.grad(cube)
    assert linad.grad(cube, has_aux=True) is not linad.grad(cube)
    assert linad.grad(linad.grad(plain)) is linad.grad(linad.grad(plain)) is not linad.grad(plain)
    assert linad.grad(njit(plain)) is linad.grad(plain) is not linad.grad(calling)
    assert linad.grad(linad.checkpoint(cube)) is linad.grad(cube)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("f", [cube, plain, calling, lambda x: SCALE * plain(x)])
def test_second_calls_build_nothing(builds, f):
    def everything():
        return (
            linad.grad(f)(3.0),
            linad.value_and_grad(f)(3.0),
            linad.grad(linad.grad(f))(3.0),
            linad.jvp(linad.grad(f), (3.0,), (1.0,)),
            linad.vjp(linad.grad(f), 3.0)[1](1.0),
            linad.vjp(f, 3.0)[1](1.0),
            linad.jvp(f, (3.0,), (1.0,)),
        )

    first = everything()
    assert "load" in builds
    builds.clear()
    assert [everything() for _ in range(3)] == [first] * 3 and builds == []


def test_functions_made_anew_of_one_text_share_machine_code(builds):
    def slope(w: float) -> float:
        return linad.grad(lambda x: w * helper(x))(3.0)

    assert slope(2.0) == 12.0 and builds.count("load") == 1
    builds.clear()
    assert [slope(2.0) for _ in range(3)] == [12.0] * 3 and "load" not in builds
    assert slope(5.0) == 30.0 and builds.count("load") == 1


def test_arrays_of_closures_are_those_of_the_function_at_hand():
    def slope(data):
        return linad.grad(lambda x: x * data[0])(1.0)

    assert [slope(np.array([float(k)])) for k in range(4)] == [0.0, 1.0, 2.0, 3.0]


def test_what_changes_is_seen_through_the_shared_object(monkeypatch):
    shared = linad.grad(plain)
    moved = functools.partial(linad.jvp, shared, (1.0,), (1.0,))
    assert shared(1.0) == 6.0 and moved() == (6.0, 12.0)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert linad.grad(plain) is shared and shared(1.0) == 9.0 and moved() == (9.0, 18.0)
    third = linad.grad(calling)
    assert third(2.0) == 12.0
    monkeypatch.setitem(globals(), "helper", lambda x: x)
    assert linad.grad(calling) is third and third(2.0) == 4.0
    monkeypatch.undo()
    assert shared(1.0) == 6.0 and third(2.0) == 12.0 and moved() == (6.0, 12.0)


def test_a_closure_cell_that_changes():
    k = 2.0

    def scaled(x: float) -> float:
        return k * x

    assert linad.grad(scaled)(1.0) == 2.0
    k = 5.0
    assert linad.grad(scaled)(1.0) == 5.0


def test_a_body_that_is_replaced():
    def f(x: float) -> float:
        return x * x

    def other(x: float, w: float = 3.0) -> float:
        return w * x

    checked = linear_grad(f)
    assert checked(2.0) == 4.0 and linad.grad(f)(2.0) == 4.0 and linad.jvp(linad.grad(f), (2.0,), (1.0,)) == (4.0, 2.0)
    f.__code__, f.__defaults__ = other.__code__, other.__defaults__
    assert checked(2.0) == 6.0 and checked(2.0, 5.0) == 10.0 and checked.grad(2.0) == (3.0, 2.0)
    assert linad.grad(f)(2.0) == 3.0 and linad.jvp(linad.grad(f), (2.0,), (1.0,)) == (3.0, 0.0)


@pytest.mark.parametrize("decorated", [False, True])
def test_nothing_outlives_the_function(decorated):
    def made():
        def f(x: float) -> float:
            return x * x if x > 0.0 else f(x + 1.0)

        g = linear_grad(f) if decorated else f
        assert linad.grad(g)(2.0) == 4.0 and linad.jvp(linad.grad(linad.grad(helper)), (2.0,), (1.0,)) == (2.0, 0.0)
        assert linad.jvp(linad.grad(lambda x: x * x), (2.0,), (1.0,)) == (4.0, 2.0)
        return weakref.ref(f), weakref.ref(linad.grad(g))

    references = made()
    gc.collect()
    assert [r() for r in references] == [None, None]


def test_a_copied_namespace_is_not_taken_for_the_functions_own():
    @functools.wraps(plain)
    def wrapped(x: float) -> float:
        return 10.0 * x

    assert linad.grad(plain)(1.0) == 6.0

    @functools.wraps(plain)
    def later(x: float) -> float:
        return 20.0 * x

    assert linad.grad(wrapped)(1.0) == 10.0 and linad.grad(later)(1.0) == 20.0 and linad.grad(plain)(1.0) == 6.0
    assert not [name for name in vars(linear_grad(plain)) if "transforms__" in name]


def test_a_copied_name_is_not_that_of_the_function():
    @linear_grad
    @functools.wraps(plain)
    def thrice(x: float) -> float:
        return 3.0 * plain(x)

    assert thrice(1.0) == 3.0 * plain(1.0) and thrice.grad(1.0) == 18.0


def test_threads_share_one(builds):
    def f(x: float) -> float:
        return x * x * x

    start, found = threading.Barrier(8), []

    def work():
        start.wait()
        derivative = linad.grad(f)
        found.append((derivative, derivative(2.0), linad.jvp(linad.grad(f), (2.0,), (1.0,))))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [(linad.grad(f), 12.0, (12.0, 12.0))] * 8 and builds.count("load") == 2


def test_local_names_of_annotations_are_those_of_the_definition():
    def nested():
        Vector = Float64[np.ndarray, "n"]

        def first(x: Vector, pair: tuple[Vector, float]) -> float:
            return x[0] * pair[0][0]

        return first

    ones = np.ones(2)
    assert linad.grad(nested())(ones, (ones, 1.0)).tolist() == [1.0, 0.0]
    assert linear_grad(nested()).grad(ones, (ones, 1.0))[0].tolist() == [1.0, 0.0]

    class Holder:
        Vector = Float64[np.ndarray, "n"]

        @staticmethod
        @linear_grad
        def first(x: Vector) -> float:
            return x[0]

    assert Holder.first.grad(ones).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: None, "takes a function, got None"),
        (lambda: cube.grad, r"write `linad.grad\(cube\)`"),
        (lambda: cube.vjp, "write a function that calls `cube`"),
        (lambda: 3.0, "takes a function, got a float"),
    ],
)
def test_what_is_no_function_is_refused_with_what_to_write(given, message):
    with pytest.raises(LinadError, match=message):
        linad.grad(given())
