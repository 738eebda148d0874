"""What helps say to write is itself accepted: each has a program here that does what it says."""

import ast
import importlib
import re

import numpy as np
import pytest
import scipy
from linad_typecheck.advice import unsupported_functions
from linad_typecheck.advice.library_names import NAMES
from linad_typecheck.advice.unsupported import REWRITES
from linad_typecheck.findings import check_source
from linad_typecheck.messages.language import CapturedGlobal
from linad_typecheck.registry import has_rule, is_known, near

HEAD = """\
import cmath
import math
import numpy as np
import linad
from jaxtyping import Bool, Float64, Int64
from linad import linear_grad
{module}
def f(v):
    return v * v
def two(u, v):
    return u * v
def rhs(t, y):
    return t * y
@linear_grad
def g(x: Float64[np.ndarray, "n"], a: Float64[np.ndarray, "n n"], idx: Int64[np.ndarray, "m"],
      mask: Bool[np.ndarray, "n"], n: int, k: int, first: float):
"""


def refused(body: str, module: str = "") -> list[str]:
    text = HEAD.format(module=module) + "".join(f"    {line}\n" for line in body.split("\n"))
    return [f"{d.message}: {[f.message for f in d.fixes]}" for d in check_source(text, "program.py") if d.severity == "error"]


_TESTED = 'if isinstance(x, (int, float)):\n    return x * x\nreturn x.sum() if hasattr(x, "ndim") else 0.0'
_SLICES = "return (x[:-2] + x[1:-1] + x[2:]).sum()"
_WAVES = "return np.abs(np.fft.fft(x)).sum() + np.fft.irfft(np.fft.rfft(x)).sum()"
_PASSED = "return x.sum()"  # computed outside, and passed
_LOOP = "s = 0.0\nfor v in x:\n    if v > 0.0:\n        s += v\nreturn s"
_MATRICES = "return np.linalg.norm(a) + np.linalg.det(a) + np.linalg.cond(a)"
WAYS: dict[str, str] = {
    "cmath": "return abs(cmath.exp(first) + cmath.log(first) + cmath.sqrt(first))",
    **dict.fromkeys(("numpy.random", "random", "builtins.open", "builtins.input", "builtins.print"), _PASSED),
    **dict.fromkeys(("numpy.nextafter", "math.nextafter", "numpy.spacing", "math.ulp", "math.frexp", "numpy.frexp"), _PASSED),
    **dict.fromkeys(("builtins.isinstance", "builtins.issubclass", "builtins.callable", "builtins.hasattr", "builtins.type"), _TESTED),
    "builtins.range": "for i in range(n):\n    first += x[i]\nreturn first + np.arange(n)[0]",
    "builtins.enumerate": "for i, v in enumerate(x):\n    first += v * i\nreturn first",
    "builtins.zip": "for u, v in zip(x, x):\n    first += u * v\nreturn first",
    "builtins.reversed": "for v in reversed(x):\n    first += v\nreturn first + x[::-1][0]",
    "builtins.map": "for v in map(f, x):\n    first += v\nreturn first + np.array([f(v) for v in x]).sum()",
    "builtins.list": "return np.array([first, x[0]]).sum() + np.arange(n)[0]",
    "builtins.dict": "weight, bias = x[0], x[1]\nreturn weight * first + bias",
    "builtins.tuple": "p = (x[0], x[1])\nreturn p[0]",
    **dict.fromkeys(("builtins.str", "builtins.repr"), 'if n < 2:\n    raise ValueError(f"too few: {n}")\nassert n > 1, f"{n}"\nreturn first'),
    "builtins.getattr": "return x.shape[0] * first",
    "builtins.object": "return np.array([first, 1.0]).sum()",
    "builtins.id": "return x[0] if first == x[0] else first",
    "builtins.sorted": "return np.sort(x)[0]",
    "builtins.eval": "return first + 1.0",
    "builtins.exec": "first = first + 1.0\nreturn first",
    "numpy.vectorize": "return np.array([f(v) for v in x]).sum()",
    **dict.fromkeys(("numpy.linalg.eig", "numpy.linalg.eigvals"), "w, v = np.linalg.eigh(a)\nreturn w.sum()"),
    "numpy.apply_along_axis": "return np.array([f(row) for row in a]).sum()",
    "numpy.unstack": "return (a[0] * a[1]).sum()",
    "numpy.fft": _WAVES,
    "numpy.lib": _SLICES,
    "numba.prange": "for i in range(n):\n    first += x[i]\nreturn first",
    "linad.checkpoint": "for i in linad.checkpoint(range(n)):\n    first = np.sin(first * x[i])\nreturn linad.checkpoint(f)(first)",
    **dict.fromkeys(unsupported_functions.OF_ARRAYS, "return np.sin(x).sum()"),
    **dict.fromkeys(("pandas", "polars", "xarray", "sklearn", "matplotlib", "json", "re"), _PASSED),
    "scipy.optimize": "y = first\nfor _ in range(n):\n    y -= (y * y - first) / (2.0 * y)\nreturn y",
    "scipy.integrate": "t, y, h = 0.0, first, 0.1\nfor _ in range(n):\n    y = y + h * rhs(t, y)\n    t += h\nreturn y",
    "scipy.sparse": "data, indices, indptr = x, idx, idx\nfor i in range(n):\n    for j in range(indptr[i], indptr[i + 1]):\n"
    "        first += data[j] * x[indices[j]]\nreturn first",
    "numpy.ndarray": "shape = (2, n)\ny = np.empty(shape)\ny[:] = x\nreturn y.sum()",
    **dict.fromkeys(
        ("numpy.matrix", "numpy.asmatrix", "numpy.bmat"),
        "b = np.block([[a, a], [a, a]])\nreturn (b @ b.T)[0, 0] + (np.array([[1.0, first]]) @ a[:2])[0, 0]",
    ),
    "scipy.interpolate": "return np.interp(first, np.arange(3.0), np.array([x[0], x[1], x[2]]))",
    "scipy.ndimage": _SLICES,
    "scipy.signal": "return np.convolve(x, x)[0]",
    "scipy.fft": _WAVES,
    "scipy.stats": "return np.sum(np.exp(-x * x / 2.0) / np.sqrt(2.0 * np.pi)) + np.log(first)",
    "scipy.spatial.transform": "r = a * 1.0\nreturn (r @ x)[0]",
    "numpy.ma": "mask = x > 1.0\nreturn np.sum(np.where(mask, 0.0, x)) + x[~mask].sum()",
    **dict.fromkeys(("numpy.roots", "numpy.poly1d.r", "numpy.poly1d.roots", "numpy.polynomial.Polynomial.roots", "numpy.polynomial"), "n, y = 2, x * 2.0\np = np.polyfit(x, y, n)\nreturn np.polyval(p, first) + np.polyder(p)[0]"),
    "builtins.globals": _PASSED,
    **{f"scipy.signal.{n}": _PASSED for n in "cheby1 cheby2 ellip bessel firwin2 iirfilter sosfreqz zpk2tf".split()},
    "scipy.spatial": "b = a * 2.0\nreturn np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=-1)).sum()",
    **dict.fromkeys(("numpy.linalg", "scipy.linalg"), _MATRICES),
    "tqdm": "for i in range(n):\n    first += x[i]\nreturn first",
    "collections": "p = (x[0], x[1])\ncounts = np.zeros(n)\ncounts[k] += 1.0\nreturn p[0] * counts[0]",
    "itertools": "for i in range(n):\n    for j in range(n):\n        first += a[i, j]\nreturn first",
    "functools": _LOOP,
    "functools.partial": "def g(v):\n    return two(first, v)\nreturn g(x[0])",
    "copy": "b = a.copy()\nb[0, 0] = 1.0\nreturn b.sum()",
    "statistics": "return np.mean(x) + np.median(x) + np.std(x)",
    **dict.fromkeys(("decimal", "fractions"), "return first * 0.1"),
    "enum": "if k == 1:\n    return x[0]\nreturn x[1]",
    "operator": "return first + x[0]",
}


def test_every_help_of_a_function_has_a_way():
    known = unsupported_functions.ELSEWHERE.keys() | unsupported_functions._WITHOUT.keys()
    assert known == WAYS.keys()
    assert not [name for name in known if has_rule(name)], "these exist"


@pytest.mark.parametrize("body", sorted(set(WAYS.values())))
def test_the_way_is_accepted(body):
    assert refused(body) == []


class _Unnamed(ast.NodeTransformer):
    def visit_Name(self, node):
        return node if node.id in ("np", "linad") else ast.Name("_", ast.Load())

    def visit_arg(self, node):
        return ast.arg("_")


def shapes(text: str) -> set[str]:
    """The expressions and assignments of a text, with names of variables left out."""
    tree = _Unnamed().visit(ast.parse(text))
    return {ast.unparse(n) for n in ast.walk(tree) if isinstance(n, (ast.expr, ast.Assign))}


@pytest.mark.parametrize("name", WAYS)
def test_the_way_is_what_the_help_shows(name):
    """Each expression in the help occurs in the program, whatever its variables are called."""
    shown = re.findall(r"`([^`]+)`", unsupported_functions.ELSEWHERE.get(name) or unsupported_functions._WITHOUT[name])
    body = shapes("def g():\n" + "".join(f"    {line}\n" for line in WAYS[name].split("\n")))
    for code in shown:
        if "..." in code or not re.search(r"[(\[]| = ", code) or "df[" in code:  # a name, or to be written outside
            continue
        assert ast.unparse(_Unnamed().visit(ast.parse(code))) in body, code


OF_CONSTRUCTS = {
    "ClassDef": "p = (x[0], x[1])\nreturn f(p[0]) * p[1]",
    "AsyncFunctionDef": "def inner(v):\n    return v\nreturn inner(first)",
    "AsyncFor": _LOOP,
    "AsyncWith": _PASSED,
    "Await": _PASSED,
    "With": _PASSED,
    "Try": "if first != 0.0:\n    return x[0] / first\nreturn 0.0",
    "Global": "first = first + 1.0\nreturn first",
    "Nonlocal": "def inner(v):\n    return v + 1.0\nfirst = inner(first)\nreturn first",
    "Match": "if k == 1:\n    return x[0]\nelif k == 2:\n    return x[1]\nreturn 0.0",
    "Dict": "weight, bias = x[0], x[1]\nrates = np.array([weight, bias])\nreturn rates[k]",
    "ListComp": "return np.array([f(v) for v in x]).sum()",
    "DictComp": "out = np.zeros(n)\nfor i in range(n):\n    out[i] = x[i]\nreturn out.sum()",
    "GeneratorExp": _LOOP,
    "Yield": "out = np.zeros(n)\nfor i in range(n):\n    out[i] = x[i]\nreturn out",
    "YieldFrom": "out = np.zeros(n)\nfor i in range(n):\n    out[i] = x[i]\nreturn out",
    "JoinedStr": _PASSED,
    "FormattedValue": _PASSED,
    "Starred": "return np.array([x[0], x[1]]).sum()",
    "Slice": "for i in range(1, n):\n    first += x[i]\nreturn first",
    "Constant": "return first * 2.0 * k * True",
}


def test_every_refused_construct_has_a_way():
    assert {kind.__name__ for kind in REWRITES} == OF_CONSTRUCTS.keys()
    assert not [r for body in OF_CONSTRUCTS.values() for r in refused(body)]


# a value of the module, what it holds bound as the help says, and how that is used
HELD = {
    "a list": ("W = [1.0, 2.0]", "W = np.array([1.0, 2.0])", "return W[0] * first"),
    "a tuple": ("W = (np.zeros(3), 'a', [1])", "ROW = np.zeros(3)", "return ROW[0] * first"),
    "a dict": ("W = {'up': 0.5}", "UP = 0.5", "return UP * first"),
    "a bytes": ("W = b'ab'", "W = np.array([97, 98])", "return W[0] * first"),
}


def test_what_a_module_holds_has_a_way():
    assert HELD.keys() == CapturedGlobal.WAYS.keys()
    assert not [r for _, module, body in HELD.values() for r in refused(body, module)]


@pytest.mark.parametrize("home", NAMES)
def test_names_that_libraries_have_are_not_taken_for_others(home):
    """`pinv` is no mistyped `inv`."""
    assert all(near(f"{home}.{name}") == () for name in NAMES[home] if home != "numpy.ndarray")
    module = np.ndarray if home == "numpy.ndarray" else importlib.import_module(home)
    missing = [
        n for n in dir(module)
        if n[0] != "_" and callable(getattr(module, n)) and n != "test" and near(f"{home}.{n}") and not is_known(f"{home}.{n}")
    ]  # fmt: skip
    if home != "numpy.ndarray" and (np.__version__[:3], scipy.__version__[:4]) == ("2.4", "1.17"):
        assert missing == []


@pytest.mark.parametrize("call", ["np.linalg.tensorinv(a)[0, 0]", "np.unstack(x)[0]", "x.put(0, 1.0)", "math.nextafter(first, 1.0)", "x.byteswap()[0]"])
def test_no_edit_makes_another_function_of_one_that_exists(call):
    text = HEAD.format(module="") + f"    return {call}\n"
    (found,) = [d for d in check_source(text, "program.py") if d.severity == "error"]
    assert found.fixes and not any(f.edits for f in found.fixes)


@pytest.mark.parametrize("function", "nansum nanprod max min".split())
def test_reductions_of_part_of_the_cells(function):
    x, mask = np.array([2.0, -1.0, 0.0, 5.0, -3.0, 0.5]), np.array([True, False, True, False, True, True])
    first = {"max": ", initial=-np.inf", "min": ", initial=np.inf"}.get(function, "")
    [told] = refused(f"return np.{function}(x, where=mask) * 1.0")
    instead = re.search("`(np[^`]*)`'", told)[1].replace("mask, a", "mask, x").replace("a[", "x[")
    assert not refused(f"return {instead} * 1.0")
    for y in (x, -x):
        np.testing.assert_allclose(eval(instead, {"np": np, "x": y, "mask": mask}), eval(f"np.{function}(x, where=mask{first})", {"np": np, "x": y, "mask": mask}), rtol=1e-15)
