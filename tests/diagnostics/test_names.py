"""Names outside a function, in every way that Python has to bring them there: the checker and the call have to agree."""

import importlib
from types import FunctionType, MethodType

import numpy as np
import pytest
from linad_typecheck.advice.unsupported_functions import ELSEWHERE
from linad_typecheck.engine.rulebook import CONSTANTS
from linad_typecheck.registry import has_rule, registry
from linad_typecheck.names.scope import Constant, External, Module

from linad.boundary.entities import entity
from tests.two_roads import agree, checked, imported, program

X = np.array([0.5, 1.0, 2.0])

IMPORTS = {
    "from scipy.special import logsumexp": "return logsumexp(x)",
    "from scipy.special import softmax, comb, factorial, multigammaln": "return softmax(x)[0] + comb(5.0, x[0]) * factorial(3) + multigammaln(x[2], 2)",
    "from scipy.special import erf as e": "return e(x[0])",
    "import scipy.special": "return scipy.special.erf(x[0]) + scipy.special.logsumexp(x)",
    "import scipy.special as sp": "return sp.logsumexp(x)",
    "from scipy import special": "return special.logsumexp(x)",
    "import scipy\nimport scipy.special as _": "return scipy.special.logsumexp(x)",
    "from scipy.special import *": "return logsumexp(x)",
    "from numpy.linalg import norm": "return norm(x)",
    "from numpy import linalg as la": "return la.norm(x)",
    "import numpy.linalg": "return numpy.linalg.norm(x)",
    "import numpy.linalg as la": "return la.norm(x)",
    "from numpy import newaxis": "return (x[:, newaxis] * x).sum()",
    "AX = None": "return (x[:, AX] * x).sum()",
    "from math import *": "return sin(x[0]) * pi",
    "from numpy import *": "return sin(x[0]) * pi",
    "from numpy import c_, r_, mgrid, ndindex": "return c_[x, x].sum() + r_[x, 1.0].sum() + mgrid[0:3][1] * x[0]",
    "total = np.add.reduce": "return total(x * x)",
    "MODE = 'max'": "return np.max(x) if MODE == 'max' else np.min(x)",
    "WHERE = ('left', None)": "return np.searchsorted(x, 0.7, side=WHERE[0]) * x[0]",
    "try:\n    from scipy.special import erf\nexcept ImportError:\n    erf = None": "return erf(x[0])",
    "try:\n    import numpy as xp\nexcept ImportError:\n    xp = None": "return xp.sin(x[0])",
    "": "from math import sin\nreturn sin(x[0])",
    "pass": "import numpy.linalg as la\nfrom scipy.special import logsumexp as lse\nreturn la.norm(x) + lse(x)",
    "import numba": "from numba import prange\ns = 0.0\nfor i in prange(len(x)):\n    s += x[i] * x[i]\nreturn s",
    "import math": "s = math.sin\nm = np.linalg\nr = range\nt = 0.0\nfor i in r(3):\n    t += s(x[i])\nreturn t * m.norm(x)",
}


@pytest.mark.parametrize("text", IMPORTS)
def test_names_of_libraries(tmp_path, text):
    agree(tmp_path, program(text, IMPORTS[text]), X)


OWN = {
    "tools.py": "import numpy as np\nfrom numpy import sin as sine\nfrom scipy.special import logsumexp\nSCALE = 2.0\ndef square(v):\n    return v * v\n",
    "pack/__init__.py": "from . import inner\nfrom .inner import square\nfrom .star import *\n",
    "pack/inner.py": "import math as m\ndef square(v):\n    return m.sin(v) * v\n",
    "pack/star.py": "def cube(v):\n    return v * v * v\n",
    "bare/part.py": "def square(v):\n    return v * v\n",
}
THROUGH_OWN = {
    "from tools import sine, logsumexp, square": "return sine(x[0]) + logsumexp(x) * square(x[1])",
    "import tools": "return tools.sine(x[0]) + tools.np.cos(x[1]) * tools.SCALE + tools.np.linalg.norm(x)",
    "import tools as t": "return t.square(x[0]) + t.logsumexp(x)",
    "from tools import np as xp": "return xp.linalg.norm(x)",
    "from tools import *": "return square(x[0]) * SCALE",
    "import pack": "return pack.inner.square(x[0]) + pack.square(x[1]) + pack.cube(x[2])",
    "import pack.inner": "return pack.inner.square(x[0])",
    "import pack.inner as q": "return q.square(x[0]) + q.m.cos(x[1])",
    "from pack import inner, square, cube": "return inner.square(x[0]) + square(x[1]) + cube(x[2])",
    "import bare.part": "return bare.part.square(x[0])",
    "from bare import part": "return part.square(x[0])",
}


@pytest.mark.parametrize("text", THROUGH_OWN)
def test_names_through_the_users_own_modules(tmp_path, text):
    agree(tmp_path, program(text, THROUGH_OWN[text]), X, files=OWN)


@pytest.mark.parametrize("body", ["import tools\nreturn tools.square(x[0])", "from tools import square as s\nreturn s(x[0])"])
def test_an_import_of_an_own_module_inside_a_function(tmp_path, body):
    (tmp_path / "tools.py").write_text(OWN["tools.py"])
    assert not checked(tmp_path, program("", body)).diagnostics


def known_names():
    return sorted(n for n in {*registry(), *ELSEWHERE} if " " not in n)


@pytest.mark.parametrize("home", ["numpy", "scipy.special", "math", "builtins", "linad", "numba", "operator", "functools", "itertools"])
def test_every_known_name_is_found_by_its_object(home):
    """What ``from home import name`` binds has the meaning of ``home.name``: some objects go by several names."""
    names = [n for n in known_names() if n.startswith(f"{home}.")]
    assert names
    for name in names:
        value = importlib.import_module(home)
        if name in ("itertools.chain.from_iterable", "builtins.object.__setattr__"):  # methods: not to be imported
            continue
        for part in name.removeprefix(f"{home}.").split("."):
            value, parent = getattr(value, part, None), value
        method = isinstance(parent, type) and isinstance(value, FunctionType | MethodType | property)
        if value is None or method:  # None: of another version of the library
            continue
        match entity(value, ""):
            case External(dotted=dotted) | Module(dotted=dotted):
                assert has_rule(dotted) == has_rule(name), name
            case Constant():
                assert name in CONSTANTS, name
            case other:
                raise AssertionError((name, other))


DEAD = {
    "DEBUG = False": "if DEBUG:\n    print(x)\nreturn x.sum()",
    "DEBUG = 0": "if DEBUG > 1:\n    print(x)\nreturn x.sum()",
    "LEVEL, LIMIT = 1, 2.5": "if LEVEL >= LIMIT or LEVEL == 3:\n    print(x)\nreturn x.sum()",
    "MODE = 'fast'": "if MODE == 'slow' or MODE in ('test', 'debug'):\n    print(x)\nreturn x.sum()",
    "LOG = ''": "if LOG:\n    print(x)\nreturn x.sum()",
    "W = None": "y = x if W is None else print(x)\nreturn y.sum()",
    "V = None": "if V is not None:\n    return x @ V\nelse:\n    return x.sum()",
    "from typing import TYPE_CHECKING": "if TYPE_CHECKING:\n    print(x)\nreturn x.sum()",
    "import typing": "if typing.TYPE_CHECKING:\n    print(x)\nreturn x.sum()",
    "": "if False:\n    print(x)\nif 0:\n    open('x')\nreturn x.sum()",
    "D = False": "if x[0] > 3.0 and D:\n    print(x)\nD and print(x)\nreturn x.sum()",
    "E = False": "while E:\n    print(x)\nreturn x.sum()",
    "F = True": "if not F:\n    print(x)\nelif F:\n    return x.sum()\nelse:\n    print(x)",
    "pass": "if not __debug__:\n    print(x)\nreturn x.sum()",
    "pass\n": "if x.ndim == 2:\n    print(x)\nreturn x.sum()",
    "def g(v, verbose=False):\n    if verbose:\n        print(v)\n    return v * v": "return g(x).sum() + g(x, False)[0] + g(x, verbose=False)[1]",
    "def h(v, loud):\n    def inner(w):\n        if loud:\n            print(w)\n        return w\n    return inner(v)": "return h(x, False)[0]",
}


@pytest.mark.parametrize("text", DEAD)
def test_what_a_constant_keeps_from_running_is_not_checked(tmp_path, text):
    agree(tmp_path, program(text, DEAD[text]), X)


@pytest.mark.parametrize(
    "body",
    [
        "if DEBUG:\n    print(x)\nreturn x.sum()",
        "if DEBUG and x[0] > 0.0:\n    print(x)\nreturn x.sum()",
        "y = print(x) if DEBUG else x\nreturn y.sum()",
        "if DEBUG:\n    tell(x)\nreturn x.sum()",
        "y = x * 1.0\nif not DEBUG or tell(x):\n    y = x * 2.0\nreturn y.sum()",
        "s = x[0]\nwhile DEBUG:\n    s += missing(x)\nreturn s + (DEBUG and tell(x))",
    ],
)
def test_nothing_is_said_of_what_may_never_run(tmp_path, body):
    """The text does not tell the constant; the call knows it."""
    agree(tmp_path, program("import os\nDEBUG = 'LINAD_NO_SUCH' in os.environ\ndef tell(v):\n    print(v)\n", body), X, partly=1)


def test_what_may_never_run_there_is_reported_where_it_does_run(tmp_path):
    head = "import os\nDEBUG = 'LINAD_NO_SUCH' in os.environ\ndef tell(v):\n    print(v)\n    return v\n"
    found = checked(tmp_path, program(head, "if DEBUG:\n    tell(x)\nreturn tell(x).sum()")).diagnostics
    assert [d.slug for d in found] == ["not-printed"]


@pytest.mark.parametrize("called", ["True", "x[0] > 0.0"])
def test_what_does_run_is_checked(tmp_path, called):
    head = "def tell(v, verbose):\n    if verbose:\n        print(v)\n    return v\n"
    text = program(head, f"return tell(x, {called}).sum()")
    assert [d.slug for d in checked(tmp_path, text).diagnostics] == ["not-printed"]


def test_a_flag_that_a_recursive_function_changes(tmp_path):
    head = "def g(v: float, odd: bool, n: int) -> float:\n    if n == 0:\n        return v if odd else 2.0 * v\n    return g(v * v, not odd, n - 1)\n"
    agree(tmp_path, program(head, "return g(x[0], False, 3) + g(x[1], True, 2)"), X)


PRANGE = """
from numba import njit, prange
@njit(parallel=True)
def total(v):
    s = 0.0
    for i in prange(1, len(v)):
        s += v[i] * v[i - 1]
    return s
"""


@pytest.mark.parametrize(
    ("text", "body"),
    [
        (PRANGE, "return total(x)"),
        ("import numba", "s = 0.0\nfor i in numba.prange(len(x)):\n    s += x[i] ** 2\nreturn s"),
        ("import numba as nb", "return sum([x[i] ** 2 for i in nb.prange(3)])"),
    ],
)
def test_prange_is_a_range(tmp_path, text, body):
    agree(tmp_path, program(text, body), X)


def test_another_none_is_another_specialisation(tmp_path):
    with imported(tmp_path, program("W = None", "return x.sum() if W is None else W * x.sum()")) as module:
        assert module.f(X) == 3.5
        module.W = 2.0
        assert module.f(X) == 7.0
        module.W = None
        assert module.f(X) == 3.5
