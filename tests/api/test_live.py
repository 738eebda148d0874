"""Names around live functions: what they stand for, and whether that is still so."""

import cProfile
import math
from functools import partial

import numpy as np
import pytest
from jaxtyping import Float64
from linad_typecheck.diagnostics import LinadError
from linad_typecheck.names.scope import LIST as LISTS
from linad_typecheck.names.scope import Annotation, Applied, Constant, ErrorClass, External, GlobalArray, Helper, Module, Opaque, RecordConstant
from linad_typecheck.types import Array
from numba import njit
from numpy import sin as sine

from linad import linear_grad
from linad.boundary.entities import REAL_PARTS
from linad.boundary.live import NotYet, Record
from linad.boundary.locate import locate

Vec = Float64[np.ndarray, "n d+1"]
SCALE, PAIR, STRONG = 2.5, (1, (2.0, True)), np.float64(3.0)
TABLE = np.arange(6.0).reshape(2, 3)
STRANGE, LIST = np.zeros(2, complex), [1.0]
half = partial(math.pow, 2.0)


def helper(x):
    return x + SCALE


@njit
def jitted(x):
    return x


def uses(x):
    return helper(x)


def scope_of(f):
    return Record(f).entry().scope


@pytest.mark.parametrize(
    ("name", "entity"),
    [
        ("np", Module("numpy")),
        ("math", Module("math")),
        ("sine", External("numpy.sin")),
        ("range", External("builtins.range")),
        ("float", External("builtins.float")),
        ("Float64", External("jaxtyping.Float64")),
        ("SCALE", Constant(2.5)),
        ("PAIR", Constant((1, (2.0, True)))),
        ("STRONG", Constant(np.float64(3.0))),
        ("TABLE", GlobalArray(Array("f64", 2), "/TABLE")),
        ("STRANGE", Opaque("an array of dtype complex128 and rank 1", REAL_PARTS)),
        ("LIST", Constant(RecordConstant(LISTS, (1.0,)))),
        ("half", Applied(External("math.pow"), (Constant(2.0),))),
        ("LinadError", ErrorClass("linad_typecheck.diagnostics.LinadError", ("linad_typecheck.diagnostics.LinadError", "TypeError"))),
        ("nothing_of_the_kind", None),
    ],
)
def test_entities(name, entity):
    assert scope_of(uses).lookup(name) == entity


def test_an_alias_is_read_as_its_annotation():
    import ast

    found = scope_of(uses).lookup("Vec")
    assert isinstance(found, Annotation)
    assert ast.unparse(found.node) == "jaxtyping.Float64[numpy.ndarray, 'n d+1']"
    assert found.scope.lookup("jaxtyping") == Module("jaxtyping")


def test_helpers_plain_jitted_and_self():
    scope = scope_of(uses)
    found = scope.lookup("helper")
    assert isinstance(found, Helper) and found.function.node.name == "helper"
    assert scope.lookup("helper").function is found.function
    assert found.function.scope.lookup("SCALE") == Constant(2.5)
    assert scope.lookup("jitted").function.name == "jitted"
    record = Record(uses)
    assert record.entry().scope.lookup("uses").function is record.entry()


def test_dotted_names_reach_into_user_modules():
    import sys

    scope = Record(test_dotted_names_reach_into_user_modules).entry().scope
    globals()["this_module"] = sys.modules[__name__]
    try:
        assert scope.lookup("this_module.SCALE") == Constant(2.5)
    finally:
        del globals()["this_module"]


def test_closures_have_their_own_constants():
    def make(k):
        def f(x):
            return k * x

        return f

    one, two = make(1.0), make(2.0)
    assert scope_of(one).lookup("k") == Constant(1.0)
    assert scope_of(two).lookup("k") == Constant(2.0)


def test_two_closures_of_one_text_are_two_functions():
    def make(k):
        def f(x):
            return k * x

        return f

    one, two = make(1.0), make(2.0)

    def both(x):
        return one(x) + two(x)

    scope = scope_of(both)
    assert scope.lookup("one").function.key != scope.lookup("two").function.key


def test_lambdas_in_one_line_are_told_apart():
    import ast

    first, second = (lambda x: x + 1.0), (lambda x: x + 2.0)
    assert ast.unparse(locate(first)[1]) == "lambda x: x + 1.0"
    assert ast.unparse(locate(second)[1]) == "lambda x: x + 2.0"
    one, two = (lambda x: x if x > 0.0 else -x), (lambda x: 1.0 if x > 0.0 else (2.0 if x > -1.0 else 3.0))
    assert ast.unparse(locate(one)[1].body) == "x if x > 0.0 else -x"
    assert ast.unparse(locate(two)[1].body) == "1.0 if x > 0.0 else 2.0 if x > -1.0 else 3.0"


def test_defaults():
    def f(x, y=2.0, *, z=3):
        return x

    assert Record(f).entry().defaults == (("y", 2.0), ("z", 3))


def test_no_source():
    space = {}
    exec("def f(x):\n    return x", space)
    with pytest.raises(LinadError, match="source text of `f` is not available") as caught:
        locate(space["f"])
    assert caught.value.diagnostics[0].slug == "no-source"


def test_an_edited_file_is_noticed(tmp_path, monkeypatch):
    import importlib

    (tmp_path / "edited_module.py").write_text("def f(x):\n    return x + 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("edited_module")
    assert locate(module.f)[1].name == "f"
    (tmp_path / "edited_module.py").write_text("def f(x):\n    return x + 22.0\n")
    with pytest.raises(LinadError, match="edited after it was imported"):
        locate(module.f)
    importlib.invalidate_caches()
    module = importlib.reload(module)
    assert locate(module.f)[1].name == "f"


def test_a_notebook_cell_has_source():
    import linecache

    text = "def cell_f(x):\n    return x\n"
    name = "<ipython-input-7-abc>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    exec(compile(text, name, "exec"), space)
    assert locate(space["cell_f"])[1].name == "cell_f"


def test_a_cell_after_a_future_import_has_source():
    import __future__
    import linecache

    text = "def cell_g(x: float):\n    return x\n"
    name = "<ipython-input-8-abc>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    exec(compile(text, name, "exec", flags=__future__.annotations.compiler_flag), space)
    assert locate(space["cell_g"])[1].name == "cell_g"


def test_record_notices_changes(monkeypatch):
    record = Record(uses)
    scope = record.entry().scope
    for name in ("SCALE", "TABLE", "np"):
        scope.lookup(name)
    scope.lookup("helper").function.scope.lookup("SCALE")
    assert record.holds()
    monkeypatch.setitem(globals(), "TABLE", np.ones((4, 4)))
    assert record.holds(), "arrays are live; only dtype and rank are part of the program"
    monkeypatch.setitem(globals(), "TABLE", np.ones(4))
    assert not record.holds()
    monkeypatch.undo()
    monkeypatch.setitem(globals(), "SCALE", 2.5)
    assert record.holds()
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    assert not record.holds()
    monkeypatch.setitem(globals(), "SCALE", np.float64(2.5))
    assert not record.holds(), "strong and weak scalars differ"


def test_record_notices_a_helper_replaced_or_patched(monkeypatch):
    record = Record(uses)
    record.entry().scope.lookup("helper")
    assert record.holds()

    def other(x):
        return x

    monkeypatch.setattr(helper, "__code__", other.__code__)
    assert not record.holds()
    monkeypatch.undo()
    assert record.holds()
    monkeypatch.setitem(globals(), "helper", other)
    assert not record.holds()


def test_replay():
    record = Record(uses)
    record.entry().scope.lookup("helper").function.scope.lookup("SCALE")
    assert [(p, n) for p, n, _ in record.marks()] == [("", "helper"), ("/helper", "SCALE")]
    again = Record(uses)
    assert again.replay(record.marks())
    changed = tuple((p, n, m.replace("2.5", "2.0")) for p, n, m in record.marks())
    assert not Record(uses).replay(changed)


def test_names_bound_further_down_wait():
    with pytest.raises(NotYet):
        Record(early_user, early=True).entry().scope.lookup("never_called_before_it_is_bound")
    assert Record(early_user).entry().scope.lookup("never_called_before_it_is_bound") is None


def early_user(x):
    return never_called_before_it_is_bound(x)


if not early_user:
    never_called_before_it_is_bound = None


def test_under_a_profiler():
    """Called there, what Numba compiled clears a flag of the code of its function."""

    def scaled(x: float) -> float:
        return 2.0 * x

    f, profile = linear_grad(scaled, backend="interpret"), cProfile.Profile()
    profile.runcall(njit(scaled), 3.0)
    assert f.grad(3.0) == linear_grad(scaled, backend="interpret").grad(3.0) == 2.0


def test_long_lists_are_constants_and_their_changes_are_seen():
    table, nested = [0.5 * k for k in range(100)], {"a": [1.0, 2.0], "b": ([3.0], 4.0)}

    @linear_grad(backend="interpret")
    def f(x, k: int):
        return x * table[k] + nested["b"][0][0]

    assert f(2.0, 7) == 10.0
    table[7] = -1.0
    assert f(2.0, 7) == 1.0
    nested["b"][0][0] = 0.5
    assert f(2.0, 7) == -1.5
    nested["c"] = 1.0
    table.append(8.0)
    assert (f(2.0, 100), f(2.0, -1)) == (16.5, 16.5)
    assert isinstance(scope_of(f.py_func).lookup("table"), Constant)
