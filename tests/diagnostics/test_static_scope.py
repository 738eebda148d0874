"""Names of a module from its text: what each means, which functions are decorated, what stays unknown."""

import ast

import pytest
from linad_typecheck import check_source
from linad_typecheck.checking.fixes import edited
from linad_typecheck.names.scope import Annotation, Constant, External, GlobalArray, Helper, Module, Opaque, resolve
from linad_typecheck.source import SourceFile
from linad_typecheck.names.records import MAKE_RECORD
from linad_typecheck.names.modules import StaticModule
from linad_typecheck.names.uses import decorated_functions
from linad_typecheck.types import Array

TEXT = '''\
import numpy as np, math
import os.path
import linad as ln
from linad import linear_grad as lg
from math import sin as s, pi
from jaxtyping import Float64
from numpy import linalg
try:
    import numba
except ImportError:
    numba = None
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from numpy import int64 as I
N = 3
M = (N * 2, -1.5, np.pi)
HUGE = 9 ** 9 ** 9
Vec = Float64[np.ndarray, "n"]
W = np.zeros(3)
LOADED = np.load("w.npy")
SET = 1
if N:
    K = 1
    L = 7
else:
    K = 2
    L = 7
TWICE = 1
TWICE = 2
COUNT = 0
COUNT += 1
for LAST in range(3):
    pass
f2 = np.sin
a, (b, c) = 1, (2, 3)
UPDATED = ("u",)
SELF = SELF
TEXT = "x"
square = lambda x: x * x


def helper(x, p=N + 1, q=W, *, r=None):
    return x


def wraps(g):
    global SET, LATE
    SET = LATE = 2
    return g


@wraps
def hidden(x):
    return x


@numba.njit
def jitted(x):
    return x


@lg
def f(x: Vec):
    return helper(x)


class C:
    N = 5

    @ln.linear_grad(updates=UPDATED, wrt=["x", 1])
    def g(self, u):
        local = 4

        @lg
        def inner(z):
            return z + local + u + N

        return inner


h = lg(helper, wrt="x")
'''
SOURCE = SourceFile("nowhere/x.py", TEXT)
SCOPE = StaticModule(SOURCE).scope


@pytest.mark.parametrize(
    ("name", "entity"),
    [
        ("np", Module("numpy")),
        ("os", Module("os")),
        ("s", External("math.sin")),
        ("pi", External("math.pi")),
        ("I", External("numpy.int64")),
        ("linalg", External("numpy.linalg")),
        ("numba", Module("numba")),
        ("N", Constant(3)),
        ("M", Constant((6, -1.5, 3.141592653589793))),
        ("L", Constant(7)),
        ("TWICE", Constant(2)),
        ("b", Constant(2)),
        ("f2", External("numpy.sin")),
        ("range", External("builtins.range")),
        ("C", Opaque("the class `C`", MAKE_RECORD)),
        ("hidden", Opaque("the function `hidden` under `@wraps`", "call a function without this decorator")),
        ("TEXT", Constant("x")),
        ("nothing", None),
    ],
)
def test_entities(name, entity):
    assert SCOPE.lookup(name) == entity


@pytest.mark.parametrize("name", ["LOADED", "K", "COUNT", "LAST", "SELF", "HUGE", "SET", "LATE"])
def test_what_the_text_does_not_tell_is_unknown(name):
    assert SCOPE.lookup(name) == GlobalArray(None, name)


def test_aliases_and_helpers():
    assert isinstance(SCOPE.lookup("Vec"), Annotation)
    assert all(isinstance(SCOPE.lookup(n), Helper) for n in ("helper", "f", "jitted", "square", "h"))
    assert SCOPE.lookup("helper").function is SCOPE.lookup("helper").function
    assert SCOPE.lookup("helper").function.defaults == (("p", 4), ("q", GlobalArray(None, "q")), ("r", None))


def test_dotted_names():
    node = ast.parse("np.linalg.norm", mode="eval").body
    assert resolve(node, SCOPE) == External("numpy.linalg.norm")


def test_decorated_functions_and_their_options():
    found = {f.name: f for f in decorated_functions(SOURCE)}
    assert list(found) == ["helper", "f", "g", "inner"]
    assert found["g"].updates == ("u",) and found["g"].wrt == ("x", 1)
    assert found["helper"].wrt == ("x",)


def test_nested_functions_see_locals_and_not_the_class():
    inner = next(f for f in decorated_functions(SOURCE) if f.name == "inner")
    assert inner.scope.lookup("local") == Constant(4)
    assert inner.scope.lookup("u") == GlobalArray(None, "u")
    assert inner.scope.lookup("N") == Constant(3)


def test_sibling_files_are_read_and_not_run(tmp_path):
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("from .low import SCALE\n")
    (package / "low.py").write_text("raise SystemExit\nSCALE = 2.5\nfrom .top import f\ndef low(x):\n    return x\n")
    top = "from . import low as lo, SCALE\nfrom .low import low, missing\nimport pack.low\ndef f(x):\n    return x\n"
    (package / "top.py").write_text(top)
    scope = StaticModule(SourceFile(str(package / "top.py"), top)).scope
    assert scope.lookup("SCALE") == Constant(2.5)
    assert scope.lookup("low").function.source.name == str(package / "low.py")
    assert scope.lookup("lo.SCALE") == Constant(2.5)
    assert scope.lookup("missing") == GlobalArray(None, "missing")
    assert scope.lookup("pack") == Module("pack", str(package / "__init__.py"))


def test_files_that_import_each_other(tmp_path):
    (tmp_path / "one.py").write_text("from two import x\n")
    (tmp_path / "two.py").write_text("from one import x\n")
    scope = StaticModule(SourceFile(str(tmp_path / "one.py"), "from two import x\n")).scope
    assert scope.lookup("x") == GlobalArray(None, "x")


def test_star_imports():
    scope = StaticModule(SourceFile("x.py", "from math import *\n")).scope
    assert scope.lookup("sin") == External("math.sin") and scope.lookup("nope") is None
    both = StaticModule(SourceFile("x.py", "from math import *\nfrom numpy import *\n")).scope
    assert [both.lookup(n) for n in ("sin", "erf", "sum")] == [External("numpy.sin"), External("math.erf"), GlobalArray(None, "sum")]
    unknown = StaticModule(SourceFile("x.py", "from somewhere import *\n")).scope
    assert unknown.lookup("sin") == GlobalArray(None, "sin") and unknown.lookup("len") == External("builtins.len")


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("np.zeros(3)", Array("f64", 1)),
        ("np.ones((n, 4))", Array("f64", 2)),
        ("np.empty(3, np.float32)", Array("f32", 1)),
        ("np.zeros(N, dtype=bool)", Array("bool", 1)),
        ("np.array([1, 2])", Array("i64", 1)),
        ("np.array([[1, 2.5], [3, 4]])", Array("f64", 2)),
        ("np.array([True])", Array("bool", 1)),
        ("np.array(2.0)", Array("f64", 0)),
        ("np.linspace(0, 1, 5)", Array("f64", 1)),
        ("np.array([1, [2]])", None),
        ("np.array([])", None),
        ("np.zeros(n)", None),
        ("np.zeros(3, order='F')", None),
        ("np.zeros(3, dtype='f4')", None),
        ("make(3)", None),
    ],
)
def test_arrays_of_the_module(text, type):
    head = "import numpy as np\nfrom a import n, make\nN = 3\n"
    scope = StaticModule(SourceFile("x.py", f"{head}W = {text}\n")).scope
    assert scope.lookup("W") == GlobalArray(type, "W" if type is None else "x.py:W")


@pytest.mark.parametrize(
    "marked",
    [
        "opts = linear_grad(wrt=('x',))\n@opts\ndef f(x: float, z: float) -> float:\n    return x * nothing",
        "import functools\nopts = functools.partial(linear_grad, wrt='x')\n@opts\ndef f(x: float) -> float:\n    return x * nothing",
        "import functools\n@functools.partial(linear_grad, wrt='x')\ndef f(x: float) -> float:\n    return x * nothing",
        "def f(x: float) -> float:\n    return x * nothing\nf = linear_grad(f)",
        "def f(x: float) -> float:\n    return x * nothing\nf = linear_grad(f, wrt='x')",
    ],
)
def test_the_decorator_through_a_name_for_its_call_and_over_the_name_itself(marked):
    (d,) = check_source(f"from linad import linear_grad\n{marked}\n")
    assert d.slug == "unknown-name"


def test_options_given_through_a_name_count():
    text = "from linad import linear_grad\nopts = linear_grad(wrt='n')\n@opts\ndef f(x: float, n: int) -> float:\n    return x * n\n"
    assert [d.slug for d in check_source(text)] == ["no-gradient"]


def test_imported_files_are_decoded_as_python_does(tmp_path):
    helper = "def twice(x):\n    return 2.0 * nothing\n"
    (tmp_path / "marked.py").write_bytes(b"\xef\xbb\xbf" + helper.encode())
    (tmp_path / "latin.py").write_bytes(f"# coding: latin-1\n# \xe9\n{helper}".encode("latin-1"))
    for name in ("marked", "latin"):
        text = f"from linad import linear_grad\nfrom {name} import twice\n@linear_grad\ndef f(x: float) -> float:\n    return twice(x)\n"
        (d,) = check_source(text, str(tmp_path / "main.py"))
        assert d.slug == "unknown-name" and d.span.file.endswith(f"{name}.py")


@pytest.mark.parametrize(
    ("options", "place", "fix"),
    [
        ("upates='x'", "upates", "updates='x'"),
        ("wrt=('x', 'zz')", "'zz'", "wrt=('x', 'z')"),
        ("update=('x',)", "('x',)", "updates=('x',)"),
        ("update='outside'", "'outside'", "updates='outside'"),
        ("backend='numpy'", "'numpy'", None),
        ("wrt=7", "7", None),
    ],
)
def test_options_that_the_decorator_does_not_have(options, place, fix):
    line = f"@linear_grad({options})"
    text = f"from linad import linear_grad\n{line}\ndef f(x: float, z: float) -> float:\n    return x * z\n"
    first = next(d for d in check_source(text) if d.slug == "bad-option")
    assert (first.span.line, line[first.span.column - 1 : first.span.end_column - 1]) == (2, place)
    assert [f"@linear_grad({fix})" in edited(text, f.edits) for f in first.fixes] == ([True] if fix else [])


def test_the_options_are_those_of_the_decorator():
    from inspect import signature

    from linad_typecheck.findings import OPTIONS

    from linad import linear_grad

    assert OPTIONS == tuple(signature(linear_grad).parameters)[1:]


def test_a_mistyped_annotation_names_what_is_near():
    text = (
        "import numpy as np\nfrom jaxtyping import Float64\nfrom linad import linear_grad\n"
        "@linear_grad\ndef f(x: Flaot64[np.ndarray, 'n'], y: flota) -> float:\n    return x[0] * y\n"
    )
    first, second = check_source(text)
    assert first.notes == ("`Float64` is near",) and second.notes == ("`float` is near",)
