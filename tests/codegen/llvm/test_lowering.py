"""Generated text has a way of its own to LLVM: on it everything gives the bits that Numba's way gives, and no error loses memory."""

import ast
import importlib.util
import os
import random
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from llvmlite import ir
from numba import njit

from linad.codegen import compile
from linad.codegen.llvm import pipeline
from linad.codegen.llvm.lowering import Lowering, loop_metadata

HEAD = """\
import math
import numpy as np
from linad.codegen.compile import driver, kernel
from linad.runtime.scalars import float32, float64, int32, int64, uint64


@kernel(fastmath=False, noalias=False)
def helper(x, a, n):
    s = a
    for i in range(n & 3):
        s += x[uint64(i)] * 0.5
        x[uint64(i)] -= s
    return s, n - 1


@kernel(fastmath=False, noalias=False)
def inner(x, q, k, c, t, m, a, b, i, j, p):
    h = np.zeros(4)
    n = x.shape[0]
    g = n + 3
    e = n - 7
"""
TAIL = """\
    return a, b, i, j, p, h


@driver("(float64[::1], float32[::1], int64[::1], int32[::1], bool_[::1], float64[:, ::1], float64, int64)", fastmath=False, cache=False)
def entry(x, q, k, c, t, m, a, i):
    a, b, i, j, p, h = inner(x, q, k, c, t, m, a, 0.5, i, 3, False)
    return a, b, i, j, p, h.copy()
"""


class Text:
    """Random statements of the language that is printed: every type of cell, loops that end in every way, ints that wrap."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.loops = 0

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def real(self, depth: int = 3) -> str:
        if depth == 0:
            return self.pick("a", "b", "0.75", "-1.5", "a", "b")
        x, y = (lambda: self.real(depth - 1)), (lambda: self.real(depth - 1))
        match self.random.randrange(14):
            case 0 | 1 | 2:
                return f"({x()} {self.pick('+', '-', '*', '/')} {y()})"
            case 3:
                return f"x[{self.cell()}]"
            case 4:
                return f"float64(q[{self.cell()}])"
            case 5:
                return f"m[{self.cell()}, {self.cell()}]"
            case 6:
                return f"{self.pick('min', 'max')}({x()}, {y()})"
            case 7:
                return f"({x()} if {self.truth(depth - 1)} else {y()})"
            case 8:
                return f"math.{self.pick('sin', 'tanh', 'cos', 'exp')}({x()})"
            case 9:
                return f"float64({self.whole(depth - 1)})"
            case 10:
                return f"-{x()}"
            case 11:
                return f"({x()} {self.pick('//', '%')} {y()})"
            case 12:
                return f"{x()} ** {self.random.randrange(6)}"
            case _:
                return f"abs({x()})"

    def whole(self, depth: int = 3) -> str:
        if depth == 0:
            return self.pick("i", "j", "n", "g", "e", "j")
        x, y = (lambda: self.whole(depth - 1)), (lambda: self.whole(depth - 1))
        match self.random.randrange(11):
            case 0 | 1 | 2:
                return f"({x()} {self.pick('+', '-', '*', '&', '|', '^')} {y()})"
            case 3:
                return f"({x()} {self.pick('//', '%')} {y()})"
            case 4:
                return f"({x()} {self.pick('<<', '>>')} ({y()} & 63))"
            case 5:
                return f"k[{self.cell()}]"
            case 6:
                return f"int64(c[{self.cell()}])"
            case 7:
                return f"{self.pick('min', 'max')}({x()}, {y()})"
            case 8:
                return f"({x()} if {self.truth(depth - 1)} else {y()})"
            case 9:
                return f"{self.pick('-', '~')}{x()}"
            case _:
                return f"int64({self.truth(depth - 1)})"

    def truth(self, depth: int = 2) -> str:
        if depth <= 0:
            return self.pick("p", "i < j", "a <= b", "True")
        match self.random.randrange(6):
            case 0:
                return f"({self.real(depth - 1)} {self.pick('<', '>=', '==', '!=')} {self.real(depth - 1)})"
            case 1:
                return f"({self.whole(depth - 1)} < {self.whole(depth - 1)} <= {self.whole(depth - 1)})"
            case 2 | 3:
                return f"({self.truth(depth - 1)} {self.pick('and', 'or')} {self.truth(depth - 1)})"
            case 4:
                return f"(not {self.truth(depth - 1)})"
            case _:
                return f"t[{self.cell()}]"

    def cell(self) -> str:
        return self.pick("0", "1", "2", "3", "i & 3", "uint64(j & 3)", "(i + j) & 3")

    def add(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def block(self, depth: int, inside: bool, size: int) -> None:
        self.add(depth, "pass")
        for _ in range(size):
            self.one(depth, inside)

    def one(self, depth: int, inside: bool) -> None:
        match self.random.randrange(16 if depth < 4 else 10):
            case 0 | 1:
                self.add(depth, f"{self.pick('a', 'b')} {self.pick('=', '+=', '*=')} {self.real()}")
            case 2:
                self.add(depth, f"{self.pick('i', 'j')} {self.pick('=', '+=', '-=')} {self.whole()}")
            case 3:
                self.add(depth, f"p = {self.truth()}")
            case 4:
                self.add(depth, f"x[{self.cell()}] {self.pick('=', '+=', '/=')} {self.real()}")
            case 5:
                array, value = self.random.choice([("q", f"float32({self.real()})"), ("k", self.whole()), ("t", self.truth())])
                self.add(depth, f"{array}[{self.cell()}] = {value}")
            case 6:
                self.add(depth, f"m[{self.cell()}, {self.cell()}] -= {self.real()}")
            case 7:
                self.add(depth, self.pick("a, b = b, a", "i, j = j, i + 1", "a, j = helper(x, b, j)", f"c[{self.cell()}] = int32(i & 127)"))
            case 8:
                self.add(depth, self.pick("h = x.copy()", "h = np.empty(4)\n" + "    " * depth + "h.fill(a)", "h = np.full(n, b)", "h[i & 3] = a"))
            case 9:
                self.add(depth, self.pick("b = helper(h, a, i)[0]", "a = h[j & 3] + b"))
            case 10 | 11:
                self.add(depth, f"if {self.truth()}:")
                self.block(depth + 1, inside, 2)
                if self.random.random() < 0.5:
                    self.add(depth, "else:")
                    self.block(depth + 1, inside, 1)
            case 12 | 13:
                step = self.pick("", "", ", 2", ", -1", ", -3", ", (j & 3) + 1")
                index = f"l{self.loops}"
                self.add(depth, f"for {index} in range({self.pick('0', 'i & 7', '-2')}, {self.pick('4', 'j & 7', '-5')}{step}):")
                self.loops += 1
                self.block(depth + 1, True, 2)
                self.add(depth + 1, f"i += {index}")
            case 14:
                self.add(depth, f"w{self.loops} = 0")
                self.add(depth, f"while w{self.loops} < 5:")
                self.add(depth + 1, f"w{self.loops} += 1")
                self.loops += 1
                self.block(depth + 1, True, 2)
            case _:
                if inside:
                    self.add(depth, f"if {self.truth()}:")
                    self.add(depth + 1, self.pick("break", "continue"))


def load(text: str, folder, name: str):
    return compile.load(name, text, folder)


def usual(text: str, folder, name: str):
    """The same text through Numba's own pipeline."""
    path = folder / f"{name}.py"
    path.write_text(text.replace("from linad.codegen.compile import driver, kernel", "from ways import driver, kernel"))
    ways = type(sys)("ways")
    ways.kernel = lambda **_: njit(error_model="numpy")
    ways.driver = lambda signature, **_: njit(signature, error_model="numpy")
    sys.modules["ways"] = ways
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arguments(seed: int) -> tuple:
    r = np.random.default_rng(seed)
    return (
        r.normal(size=4), r.normal(size=4).astype(np.float32), r.integers(-(2**63), 2**63 - 1, 4), r.integers(-128, 128, 4).astype(np.int32),
        r.random(4) < 0.5, r.normal(size=(4, 4)), float(r.normal()), int(r.integers(-9, 9)),
    )  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(2))
def test_both_ways_give_the_same_bits(seed, tmp_path, monkeypatch):
    made = Text(seed)
    made.block(1, False, (15, 45)[seed])
    text = HEAD + "\n".join(made.lines) + "\n" + TAIL
    monkeypatch.setattr(pipeline, "USUAL", [])
    direct = load(text, tmp_path, f"direct{seed}").entry
    assert pipeline.USUAL == []
    other = usual(text, tmp_path, f"usual{seed}").entry
    for k in range(6):
        ours, theirs = arguments(k), arguments(k)
        results, expected = direct(*ours), other(*theirs)
        for a, b in zip((*results, *ours), (*expected, *theirs), strict=True):
            np.testing.assert_array_equal(a, b)


LEAVING = """\
import numpy as np
from linad.codegen.compile import driver, kernel

@kernel(fastmath=True, noalias=False)
def inner(a, n):
    b = np.zeros(3)
    if n > 5:
        c = np.empty(n * 1000000000000)
        b[0] = c[0]
    if n < -5:
        d = np.empty((2, n))
        b[0] = d[0, 0]
    return b[0] + a[0]

@kernel(fastmath=True, noalias=True)
def middle(a, n):
    t = np.zeros(4)
    s = 0.0
    for i in range(3):
        u = np.zeros(2)
        s += inner(t, n) + inner(a, i) + u[1]
    return s, t

@driver("(float64[::1], int64)", fastmath=True, cache=False)
def entry(x, n):
    y = np.zeros(10)
    s, z = middle(y, n)
    return s + z[0]
"""
WATCHED = """\
import numpy as np
from numba.core.runtime import rtsys
from linad.codegen import compile
from linad.codegen.llvm import pipeline

def held():
    stats = rtsys.get_allocation_stats()
    return stats.mi_alloc - stats.mi_free

entry = compile.load("watched", {text!r}).entry
assert pipeline.USUAL == [], pipeline.USUAL
x = np.ones(3)
entry(x, 1)
before = held()
for n, error in ((1, None), (8, MemoryError), (-8, ValueError)) * 3:
    try:
        entry(x, n)
        assert error is None
    except (MemoryError, ValueError) as raised:
        assert type(raised) is error, raised
print(held() - before)
"""


def test_errors_lose_no_memory(tmp_path):
    script = textwrap.dedent(WATCHED).format(text=LEAVING)
    out = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "NUMBA_NRT_STATS": "1"}, capture_output=True, text=True
    )
    assert out.stdout == "0\n", out.stderr


SMALL = """\
from linad.codegen.compile import driver, kernel

@kernel(fastmath=False, noalias=True)
def inner(x):
    return {value}

@driver("(float64,)", fastmath=False, cache=False)
def entry(x):
    return inner(x)
"""


@pytest.fixture
def left(monkeypatch):
    """What is left to Numba, which is no error here."""
    monkeypatch.setenv(pipeline.SWITCH, "log")
    monkeypatch.setattr(pipeline, "USUAL", [])
    monkeypatch.setattr(pipeline, "_told", set())
    return pipeline.USUAL


@pytest.mark.parametrize("value, reason", [("[x, x + 1.0][1]", "[x, x + 1.0]"), ("sum([x, x])", "[x, x]")])
def test_what_is_of_another_language_is_left_to_numba(value, reason, tmp_path, left, caplog):
    """And is said once, with the reason."""
    for k in range(2):
        made = load(SMALL.format(value=value), tmp_path, f"other{k}")
        assert made.entry(2.0) == eval(value, {"x": 2.0})  # noqa: S307
    assert [name for name, _ in left] == ["inner", "inner"] and reason in left[0][1]
    (said,) = (r for r in caplog.records if r.name == "linad")
    assert said.levelname == "WARNING" and "inner is left to Numba" in said.message and reason in said.message


def test_where_it_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv(pipeline.SWITCH, "error")
    with pytest.raises(pipeline.LeftToNumba, match=r"inner is left to Numba.*\[x, x\]"):
        load(SMALL.format(value="sum([x, x])"), tmp_path, "error")


def test_an_error_of_the_way_itself_is_none_of_the_program(tmp_path, monkeypatch, left):
    def broken(self, body):
        raise RuntimeError("LLVM IR parsing error")

    monkeypatch.setattr(Lowering, "lower", broken)
    assert load(SMALL.format(value="x * 2.0"), tmp_path, "broken").entry(2.0) == 4.0
    assert [name for name, _ in left] == ["inner", "entry"]


def test_a_file_that_changed_is_not_believed(tmp_path, left):
    path = tmp_path / "changing.py"
    path.write_text(SMALL.format(value="x * 2.0").replace("@driver", "rewritten()\n@driver").replace(
        "from linad", f"from pathlib import Path\ndef rewritten():\n    p = Path({str(path)!r})\n"
        "    p.write_text(p.read_text().replace('x * 2.0', 'x * 3.0'))\nfrom linad", 1))  # fmt: skip
    spec = importlib.util.spec_from_file_location("changing", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.entry(2.0) == 4.0
    assert left[0][0] == "inner"


CIRCLE = """\
from linad.codegen.compile import driver, kernel


@kernel(fastmath=False, noalias=False)
def below(x, n):
    if n <= 0:
        return 0, x
    code, y = above(x * 0.5, n - 1)
    return code, y + 1.0


@kernel(fastmath=False, noalias=False)
def above(x, n):
    if n <= 0:
        return 1, -x
    code, y = below(x, n - 2)
    other, z = itself(y, n)
    return code + other, z + {extra}


@kernel(fastmath=False, noalias=False)
def itself(x, n):
    if n <= 0:
        return 0, x
    return itself(x * 1.25, n - 1)


@kernel(fastmath=False, noalias=True)
def entry_kernel(x, n):
    code, y = above(x, n)
    other, z = {first}(x, n)
    return code, y - z, other


@driver("(float64, int64)", fastmath=False, cache=False)
def entry(x, n):
    return entry_kernel(x, n)
"""


@pytest.mark.parametrize("first", ["above", "below"])
@pytest.mark.parametrize("extra, usual", [("0.0", set()), ("sum([x, x])", {"above", "below"})])
def test_functions_that_call_each_other(first, extra, usual, tmp_path, left):
    """Also where one of them is left to Numba after the other has been compiled, and where the circle is entered at two places."""
    text = CIRCLE.format(first=first, extra=extra)
    plain: dict = {}
    exec(re.sub("(?m)^@.*$|^from.*$", "", text), plain)  # noqa: S102
    found = load(text, tmp_path, f"circle_{first}_{len(usual)}")
    for n in (0, 1, 2, 7, 30):
        assert found.entry(0.75, n) == plain["entry"](0.75, n)
    assert usual <= {name for name, _ in left} <= {*usual, "entry_kernel"}


MODULES = """
import numpy as np
from linad import linear_grad

@linear_grad(cache=False)
def allocates(x):
    return x.copy()

@linear_grad(cache=False)
def multiplies(A):
    return np.sum(A @ A) + np.sum(np.linalg.inv(A))

A = np.eye(3) * 4.0
print(allocates(A[0])[0], multiplies(A), multiplies.grad(A)[0, 0])
"""


def test_modules_of_one_process_share_functions_of_the_runtime(tmp_path):
    """Where the first module keeps such a function to itself, the second one may call another address."""
    program = tmp_path / "program.py"
    program.write_text(MODULES, encoding="utf-8")
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["4.0", "48.75", "7.9375"], done.stderr


@pytest.mark.parametrize(
    ("body", "vectorised"),
    [
        ("s += vector_exp(x)", True),
        ("s += vector_exp(x) if c else 0.0", True),
        ("if c:\n    s += x", True),
        ("if c:\n    s += math.sqrt(x)", True),
        ("if c:\n    s += vector_exp(x)", True),
        ("if c:\n    s = x\nelse:\n    s = vector_pow(x, y)", True),
        ("if c:\n    s = x\nelif d:\n    pass\nelse:\n    s = vector_pow(x, y)", False),
        ("if c:\n    t = x\n    if d:\n        s += vector_exp(t)", False),
        ("if c:\n    s += vector_exp(x)\n    if d:\n        s += x", True),
    ],
)
def test_loops_with_library_calls_in_inner_branches_are_not_vectorised(body: str, vectorised: bool) -> None:
    module = ir.Module()
    loop_metadata(module, ast.parse(body).body)
    assert any("vectorize.enable" in str(v) for v in module.metadata) is not vectorised


@pytest.mark.parametrize(
    ("body", "trips", "kept"),
    [
        ("s += vector_exp(x)", 8, True),
        ("s += vector_exp(x)", 6, False),
        ("s += vector_exp(x)", 0, False),
        ("s += x", 8, False),
        ("s += even_exp(x)", 8, False),
    ],
)
def test_short_loops_with_library_calls_are_left_to_the_vectoriser(body: str, trips: int, kept: bool) -> None:
    module = ir.Module()
    loop_metadata(module, ast.parse(body).body, trips)
    assert any("unroll.disable" in str(v) for v in module.metadata) is kept
