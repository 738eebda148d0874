"""The functions of the prelude three ways: CPython runs them against NumPy and SciPy, the sweep lowers them against
CPython, and their gradients are held against differences."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import itertools
import math
import warnings
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from linad_typecheck.library.definitions import LIBRARIES, definitions

from linad import linear_grad, oracle
from linad.testing import check_grads

from ..examples_of import MANY
from ..kit import load
from .allowed import ALLOWED
from .edges import arguments, letters
from .sweep import HEAD, Mismatch, mismatches
from .table import ELSEWHERE, SHORT, TABLE
from .test_sweep import dtypes

SHORTER = (  # modules of functions that are alike
    "bessel", "counts", "cylinder", "distributions", "elliptic", "faddeeva", "filter_design", "fourier",
    "further_distributions", "harmonics", "hypergeometric", "measurements", "multivariate", "orthogonal", "polynomials",
    "polynomial_objects", "quadrature", "reals", "riccati", "rotations", "samples", "special", "special_integrals",
    "spectra", "tails", "transforms", "waveforms", "windows",
)  # fmt: skip
PUBLIC = {name: d for name, d in definitions().items() if name[0] != "%"}
MODULES = sorted({d.module for d in definitions().values()})
FLOATS = set("efguvxyASTBbC")  # letters of a table's expressions that stand for floats here


def module(name: str) -> Any:
    return importlib.import_module(f"linad_typecheck.prelude.{name}")


def plain(dotted: str) -> Any:
    """The function of the prelude as CPython has it."""
    d = PUBLIC[dotted]
    return getattr(module(d.module), d.name)


@cache
def patched() -> dict[str, Any]:
    """NumPy and SciPy with the functions of the prelude in place of their own."""
    originals = {home: importlib.import_module(home) for home in SHORT if home}
    roots = {name: SimpleNamespace(**vars(original)) for name, original in originals.items()}
    for dotted in PUBLIC:
        home, _, name = dotted.rpartition(".")
        if home not in roots:
            parent, _, part = home.rpartition(".")
            if parent not in roots:
                continue
            own = getattr(roots[parent], part)
            roots[home] = SimpleNamespace(**{n: getattr(own, n, None) for n in dir(own) if n[:2] != "__"})
            setattr(roots[parent], part, roots[home])
        setattr(roots[home], name, plain(dotted))
    return {name: roots[home] for home, name in SHORT.items() if name}


def outcome(text: str, args: tuple[Any, ...], libraries: dict[str, Any]) -> oracle.Ended:
    names = letters(text)
    body = "\n".join(f"    {line}" for line in (text.split("; ") if "return " in text else [f"return {text}"]))
    scope = dict(libraries)
    exec(f"def f({', '.join(names)}):\n{body}", scope)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return oracle.attempt(lambda: scope["f"](*(a.copy() if isinstance(a, np.ndarray) else a for a in args)))


LIBRARIES_OF_CPYTHON = {name: importlib.import_module(home) for home, name in SHORT.items() if name}


@pytest.mark.parametrize("name", [n for n in PUBLIC if n in TABLE])
@pytest.mark.parametrize("turn", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_cpython_runs_it_as_numpy_does(name, turn, monkeypatch):
    """But where the page on deviations says otherwise, and where it refuses arguments with a TypeError."""
    home = module(PUBLIC[name].module)
    if hasattr(home, "math"):  # whose functions are IEEE's by the page
        monkeypatch.setattr(home, "math", SimpleNamespace(**{**vars(math), "lgamma": _lgamma}))
    told = []
    for text in TABLE[name]:
        for dtype in dtypes(text)[turn : turn + 1]:
            run = lambda *args, text=text: _value(outcome(text, args, patched()))
            for args in arguments(text, dtype, "", False):
                theirs, ours = outcome(text, args, LIBRARIES_OF_CPYTHON), outcome(text, args, patched())
                found = mismatches(Mismatch(name, text, dtype, args, theirs, ours), run)
                taken = (m for m in found if not isinstance(m.linad.error, TypeError))
                told += [str(m) for m in taken if not any(a.covers(m) for a in ALLOWED)]
    assert not told, "\n".join(told[:10])


def _lgamma(x: float) -> float:
    return math.inf if x <= 0.0 and x == math.floor(x) else math.lgamma(x)


def _value(ended: oracle.Ended) -> Any:
    if ended.error is not None:
        raise ended.error
    return ended.value


R = np.random.default_rng(11)
POINTS = {
    **{n: 0.4 * R.random(5) + 0.5 for n in "efgxyb"}, **{n: R.random((5, 5)) + 0.5 + 3.0 * np.eye(5) for n in "ABC"},
    "S": (lambda a: a @ a.T + np.eye(5))(R.random((5, 5))), "T": R.random((2, 5, 5)) + 0.5, "u": 1.5, "v": 2.5,
    "h": np.array([1, 0, 2, 1, 3]), "k": np.array([1, 0, 2]), "m": 3, "n": 2, "p": 4,
}  # fmt: skip


def differentiable(text: str) -> bool:
    if "return" in text or not set(letters(text)) & FLOATS:
        return False
    value = outcome(text, tuple(POINTS[n] for n in letters(text)), patched())
    if value.error is not None or isinstance(value.value, tuple | list):
        return False
    return np.asarray(value.value).dtype.kind == "f"


CALLS = [(name, text) for name in PUBLIC for text in TABLE.get(name, ())]


@pytest.mark.one_in(30)
@pytest.mark.parametrize(("name", "text"), CALLS)
def test_its_gradient_is_that_of_differences(name, text):
    if differentiable(text):
        names = letters(text)
        f = load(f"{HEAD}def f({', '.join(names)}):\n    z = {text}\n    return np.sum(np.sin(z) * (z + 0.5))\n")
        check_grads(linear_grad(f, backend="interpret"), tuple(POINTS[n] for n in names))


def test_every_function_is_in_the_table():
    assert PUBLIC.keys() <= TABLE.keys() | ELSEWHERE.keys()


@pytest.mark.parametrize("name", MODULES)
def test_modules_keep_to_the_conventions(name):
    """The checker reads the imports by heart, and names of comprehensions are no names of the function around them."""
    tree = ast.parse(inspect.getsource(module(name)))
    imports = {}
    for s in tree.body:
        if isinstance(s, ast.Import):
            imports |= {a.asname or a.name: a.name for a in s.names}
    assert imports.items() <= LIBRARIES.items()
    for f in (s for s in tree.body if isinstance(s, ast.FunctionDef)):
        targets = [c.target for c in ast.walk(f) if isinstance(c, ast.comprehension)]
        bound = [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
        others = {a.arg for a in ast.walk(f.args) if isinstance(a, ast.arg)}
        assigned = [t for s in ast.walk(f) if isinstance(s, ast.Assign) for t in s.targets]
        others |= {n.id for t in assigned for n in ast.walk(t) if isinstance(n, ast.Name)}
        assert not set(bound) & others, f.name


@pytest.mark.parametrize("name", MODULES)
def test_public_functions_have_docstrings_whose_examples_run(name):
    """Those of `SHORTER` take and give what the module says at its top."""
    found = module(name)
    for f in (getattr(found, d.name) for d in PUBLIC.values() if d.module == name):
        gives = "Yields\n" if inspect.isgeneratorfunction(f) else "Returns\n"
        for part in (">>> ",) if name in SHORTER else ("Parameters\n", gives, "Examples\n"):
            assert part in f.__doc__, f"{f.__name__} has no {part}"
    assert not doctest.testmod(found, extraglobs={"np": np}).failed


# What a sweep over points and edges does not meet: arguments at which steps of a function end early or meet, though it
# goes on smoothly.


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("text", "args"),
    
        [
            ("sp.betaln(u, v)", (12.0, 12.0)),  # the smaller and the larger argument are equal
            ("sp.gammainc(u, v)", (1.0, 2.5)),  # a continued fraction ends, but not its derivative
            ("sp.gammaincc(u, v)", (2.0, 3.5)),
            ("sp.betainc(u, v, 0.3)", (2.0, 1.0)),
            ("sp.betainc(u, v, 0.8)", (1.0, 7.0)),
            ("np.log(sp.poch(u, v) * 1e217)", (-100.4, -100.3)),  # gamma functions under- and overflow
        ],
)
def test_numbers_at_which_steps_end_early(text, args):
    f = load(f"{HEAD}def f(u: float, v: float) -> float:\n    return {text}\n")
    check_grads(linear_grad(f, backend="interpret"), args, order=2)


TRIANGLE = np.array([[2.0, 1.0, -1.0], [0.0, 3.0, 0.5], [0.0, 0.0, -4.0]])


DECOMPOSED = [
    "sl.solve_triangular(np.linalg.qr(A)[1], np.linalg.qr(A)[0].T @ A[0])",  # signs of Q and R cancel
    "np.linalg.pinv(A)",
]
DEGENERATE = [np.eye(3), TRIANGLE, TRIANGLE.T, np.diag([1.0, -2.0, 2.0]), np.eye(4, 3), np.array([[2.0]])]


@pytest.mark.one_in(12)
@pytest.mark.parametrize(("A", "text"), [*itertools.product(DEGENERATE, DECOMPOSED)])
def test_matrices_that_are_triangular_or_have_equal_singular_values(A, text):
    if "A[0]" in text and A.shape[0] != A.shape[1]:
        text = text.replace("A[0]", "A[:, 0]")
    f = load(f"{HEAD}def f(A):\n    z = {text}\n    return np.sum(np.sin(z) * (z + 0.5))\n")
    check_grads(linear_grad(f, backend="interpret"), (A,), order=2 if MANY > 1 else 1)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("trans", [0, 1, 2, "N", "T", "C"])
@pytest.mark.parametrize("types", [("float32", "float64"), ("float64", "float32"), ("int64", "float32")])
def test_triangles_of_mixed_types(trans, types):
    f = load(f"{HEAD}def f(A, b):\n    return sl.solve_triangular(A, b, {trans!r}), sl.cho_solve((A, True), b)\n")
    args = np.rint(TRIANGLE + np.tril(np.ones((3, 3)))).astype(types[0]), np.array([1.0, 2.0, 4.0], dtype=types[1])
    for ours, theirs in zip(linear_grad(f, backend="interpret")(*args), f(*args), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)
