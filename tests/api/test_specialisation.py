"""Never a stale number: whatever a compiled function depends on may change under its feet."""

import importlib
import linecache

import numpy as np
import pytest
from jaxtyping import Float, Float64

from linad import LinadError, linear_grad, pipeline
from linad.boundary.arguments import argument_type

SCALE = 2.0
TABLE = np.arange(4.0)


def helper(x):
    return SCALE * x


@linear_grad
def scaled(x: float) -> float:
    return SCALE * x * x


@linear_grad
def through_helper(x: float) -> float:
    return helper(x) * x


@linear_grad
def looked_up(x: float) -> float:
    total = 0.0
    for i in range(len(TABLE)):
        total += TABLE[i] * x
    return total


def test_module_constants(monkeypatch):
    assert scaled(3.0) == 18.0 and scaled.grad(3.0) == 12.0
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert scaled(3.0) == 45.0 and scaled.grad(3.0) == 30.0
    assert through_helper(3.0) == 45.0
    monkeypatch.undo()
    assert scaled(3.0) == 18.0 and through_helper.grad(3.0) == 12.0


def test_module_arrays_are_live(monkeypatch):
    assert looked_up(1.0) == 6.0
    TABLE[3] += 10.0
    try:
        assert looked_up(1.0) == 16.0 and looked_up.grad(1.0) == 16.0
    finally:
        TABLE[3] -= 10.0
    monkeypatch.setitem(globals(), "TABLE", np.array([1.0, 1.0]))
    assert looked_up(1.0) == 2.0
    monkeypatch.setitem(globals(), "TABLE", np.array([1, 2]))
    assert looked_up(1.0) == 3.0


def test_a_helper_is_replaced(monkeypatch):
    def other(x):
        return 7.0 * x

    assert through_helper(3.0) == 18.0
    monkeypatch.setitem(globals(), "helper", other)
    assert through_helper(3.0) == 63.0 and through_helper.grad(3.0) == 42.0


def test_one_text_two_closures():
    def make(k):
        @linear_grad
        def f(x: float) -> float:
            return k * x

        return f

    two, three = make(2.0), make(3.0)
    assert (two(1.0), three(1.0), two.grad(1.0), three.grad(1.0)) == (2.0, 3.0, 2.0, 3.0)


def test_a_closure_variable_is_rebound():
    k = 2.0

    @linear_grad
    def f(x: float) -> float:
        return k * x

    assert f(1.0) == 2.0
    k = 3.0
    assert f(1.0) == 3.0 and f.grad(1.0) == 3.0


def test_constants_of_other_types(monkeypatch):
    monkeypatch.setitem(globals(), "SCALE", 3)
    assert scaled(3.0) == 27.0
    monkeypatch.setitem(globals(), "SCALE", np.float64(3.5))
    assert scaled(2.0) == 14.0
    monkeypatch.setitem(globals(), "SCALE", "two")
    with pytest.raises(LinadError):
        scaled(3.0)


def test_a_callee_in_another_file(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "callee_file.py").write_text("def g(x):\n    return 2.0 * x\n")
    (tmp_path / "caller_file.py").write_text(
        "from callee_file import g\nfrom linad import linear_grad\n"
        "@linear_grad\ndef f(x: float) -> float:\n    return g(x)\n"
    )
    caller = importlib.import_module("caller_file")
    assert caller.f(1.0) == 2.0
    (tmp_path / "callee_file.py").write_text("def g(x):\n    return 30.0 * x\n")
    importlib.invalidate_caches()
    importlib.reload(importlib.import_module("callee_file"))
    caller = importlib.reload(caller)
    assert caller.f(1.0) == 30.0 and caller.f.grad(1.0) == 30.0


def cell(number, text, space):
    name = f"<ipython-input-{number}-x>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), space)


def test_redefinition_in_a_notebook():
    space = {}
    cell(1, "from linad import linear_grad\ndef g(x):\n    return 2.0 * x\n", space)
    cell(2, "@linear_grad\ndef f(x: float) -> float:\n    return g(x)\n", space)
    assert space["f"](1.0) == 2.0
    cell(3, "def g(x):\n    return 5.0 * x\n", space)
    assert space["f"](1.0) == 5.0
    cell(2, "@linear_grad\ndef f(x: float) -> float:\n    return g(x) + 1.0\n", space)
    assert space["f"](1.0) == 6.0


def test_helpers_defined_further_down():
    space = {}
    cell(
        10,
        "from linad import linear_grad\n@linear_grad\ndef f(x: float) -> float:\n    return later(x)\n"
        "def later(x):\n    return 4.0 * x\n",
        space,
    )
    assert space["f"](1.0) == 4.0


def test_recursion():
    @linear_grad
    def power(x: float, n: int) -> float:
        if n == 0:
            return 1.0
        return x * power(x, n - 1)

    assert power(2.0, 5) == 32.0 and power.grad(2.0, 5) == 80.0


def test_types_come_from_the_call():
    @linear_grad
    def total(x, w=2):
        t = 0.0
        for i in range(len(x)):
            t += w * x[i]
        return t

    x = np.arange(3.0)
    assert total(x) == 6.0 and total.grad(x).tolist() == [2.0, 2.0, 2.0]
    assert total(x.astype(np.float32), 2.0) == 6.0
    x_bar, w_bar = total.grad(x.astype(np.float32), 2.0)
    assert x_bar.dtype == np.float32 and w_bar == 3.0
    assert total(np.arange(3)) == 6.0
    with pytest.raises(TypeError, match=r"total\(\): argument `x`: expected a float, an int"):
        total(b"")
    assert total(x[None]).tolist() == total.py_func(x[None]).tolist()
    with pytest.raises(LinadError, match="returns an array"):
        total.grad(x[None])


def test_types_of_arguments_are_looked_up_once(monkeypatch):
    f = linear_grad(lambda x, c: c * np.sum(x), backend="interpret")
    looked_up = []

    def counted(value, where):
        looked_up.append(where)
        return argument_type(value, where)

    monkeypatch.setattr("linad.function.argument_type", counted)
    calls = [(np.ones(2), 2.0), (np.ones(2), 2), (np.ones((2, 2)), 2.0), (np.ones(2, np.float32), np.float32(2.0))]
    assert [f(*a) for a in calls] == [4.0, 4.0, 8.0, 4.0]
    assert [f(*a) for a in calls] == [4.0, 4.0, 8.0, 4.0] and looked_up  # noted after the first
    looked_up.clear()
    assert [f(*a) for a in calls] == [4.0, 4.0, 8.0, 4.0] and not looked_up
    assert f.grad(np.ones((2, 2)), 3.0)[0].tolist() == [[3.0, 3.0], [3.0, 3.0]] and not looked_up
    with pytest.raises(TypeError, match="argument `x`"):
        f(np.ones(2).astype(">f8"), 2.0)
    looked_up.clear()
    assert [f(np.ones(2), c) for c in (True, 2.0, False)] == [2.0, 4.0, 0.0]  # compiled for the value of a bool
    assert f(np.ones(2).view(Cells), 2.0) == 4.0 and looked_up


class Cells(np.ndarray):
    """A class of its own decides nothing."""


@pytest.mark.parametrize("first, second", [(2, 3), (3, 2)])
def test_an_int_that_turns_out_to_be_fixed_is_looked_up_by_value(first, second):
    @linear_grad(backend="interpret")
    def f(x, n):
        total = 0.0
        for k in (1.0,) * n:
            total += k * x
        return total

    assert [f(2.0, n) for n in (first, second, first)] == [2.0 * n for n in (first, second, first)]


def test_a_number_that_turns_out_to_be_an_array_is_looked_up_by_each_call():
    @linear_grad(backend="interpret")
    def f(x, c: float):
        return np.sum(c * x)

    pair = np.array([1.0, 2.0])
    for c, expected in [(2.0, 6.0), (pair, 9.0), (2.0, 6.0), (np.array(2.0), 6.0), (pair, 9.0)]:
        assert f(3.0, c) == expected


def test_open_dtypes_specialise():
    @linear_grad
    def first(x: Float[np.ndarray, "n"]) -> float:
        return x[0] * x[0]

    assert first.grad(np.array([3.0])).dtype == np.float64
    assert first.grad(np.array([3.0], np.float32)).dtype == np.float32


def test_errors_at_decoration_leave_nothing_behind():
    for _ in range(2):
        with pytest.raises(LinadError) as caught:

            @linear_grad
            def f(x: Float64[np.ndarray, "n"]) -> float:
                return undefined_name_1 + x[0]  # noqa: F821

        assert caught.value.diagnostics[0].slug == "unknown-name"
        assert "undefined_name_1" in str(caught.value)


def test_errors_at_the_first_call_come_again():
    @linear_grad
    def f(x):
        return x.nonsense

    for _ in range(2):
        with pytest.raises(LinadError):
            f(np.zeros(3))


def test_what_requests_have_in_common_is_made_once(monkeypatch):
    made = []
    prepare, differentiate = pipeline.prepare, pipeline.differentiate
    monkeypatch.setattr(pipeline, "prepare", lambda p, **kw: made.append("prepared") or prepare(p, **kw))
    monkeypatch.setattr(pipeline, "differentiate", lambda p, *a, **kw: made.append("reversed") or differentiate(p, *a, **kw))
    f = linear_grad(lambda x: x[0] ** 3 * x[1], backend="interpret")
    x, v = np.array([2.0, 3.0]), np.array([1.0, 0.0])
    assert f(x) == 24.0 and f.jvp((x,), (v,)) == (24.0, 36.0) and f.grad(x).tolist() == [36.0, 8.0]
    assert made == ["prepared", "reversed"]
    g = linear_grad(lambda x: x[0] ** 3 * x[1], backend="interpret", passes={"constant_folding": False})
    assert g.grad(x).tolist() == [36.0, 8.0] and made.count("prepared") == 2


def test_threads_compile_once(monkeypatch):
    import threading

    from linad import specialise

    calls = []
    original = specialise.checked_or_error

    def counted(record, binding, options):
        calls.append(threading.get_ident())
        return original(record, binding, options)

    monkeypatch.setattr(specialise, "checked_or_error", counted)
    f = linear_grad(lambda x: x * x * 3.25, cache=False)
    results = []
    threads = [threading.Thread(target=lambda: results.append(f.grad(2.0))) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [13.0] * 4 and len(calls) <= 2
