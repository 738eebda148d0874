"""The soak itself: what it would find, how it makes it smaller, and the programs that it has found."""

import ast
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest

from linad.derivatives import table

from ..examples_of import seeds
from ..strategies import Program
from . import run as soak
from .branches import Branches
from .corpus import FOUND, program_of, text_of
from .judge import judge
from .shrink import shrunk
from .sources import WRITERS, drawn


@pytest.mark.parametrize("file", sorted(FOUND.glob("*.py")), ids=lambda f: f.stem)
def test_what_was_found_stays_repaired(file):
    judge(program_of(file.read_text(encoding="utf-8")))


@pytest.mark.drawn
@pytest.mark.one_in(len(WRITERS))
@pytest.mark.parametrize("writer", WRITERS)
def test_programs(writer):
    for seed in seeds(2):
        name, program = drawn(seed, writer)
        told = soak.outcome(soak.Task(seed, name, program, ()))
        assert not told.startswith(soak.FINDING), f"{told}\n{program.text}"


@pytest.mark.drawn
@pytest.mark.one_in(3)
@pytest.mark.parametrize("writer", [name for name, w in WRITERS.items() if w.brief])
def test_brief_programs(writer):
    for seed in seeds(3):
        t = soak.task(seed, writer, 0.0, brief=True)
        told = soak.outcome(t)
        assert not told.startswith(soak.FINDING), f"{told}\n{t.program.text}"


def test_branches_have_places():
    followed = Branches()
    tree = followed.mark(ast.parse("def f(x):\n    if x:\n        return 1\n    return 2 if x is None else 3\n"), "a.py")
    names = {"_branches_taken": followed.marks}
    exec(compile(tree, "a.py", "exec"), names)  # noqa: S102 - the text is ours
    assert names["f"](0) == 3
    assert followed.count == 5 and followed.taken() == 3
    assert followed.untaken() == ["a.py:3", "a.py:4"]


PRODUCT = Program(
    "import numpy as np\n\ndef g(y):\n    return y * y\n\ndef f(x, c: float):\n    s = 0.0\n    t = 1.0\n    for i in range(len(x)):\n"
    "        if i < 5:\n            t = t + 1.0\n            s += g(x[i]) * c\n    return s + t\n",
    (np.array([0.5, -1.5]), 2.0),
)


def test_a_wrong_rule_is_found_and_made_small(monkeypatch):
    assert judge(PRODUCT) == "agrees"
    right = table.RULES["mul"]
    monkeypatch.setitem(table.RULES, "mul", replace(right, slopes=(table.minus(right.slopes[0]), right.slopes[1])))
    task = soak.Task(0, "plain", PRODUCT, ())
    told = soak.outcome(task)
    assert told.startswith(soak.FINDING)
    small = shrunk(
        PRODUCT.text, lambda text: soak.outcome(replace(task, program=replace(PRODUCT, text=text))) == told, 20.0
    )
    assert "*" in small and "def g" not in small and "if" not in small, small


def test_a_refusal_that_the_language_does_not_promise_is_found():
    refused = replace(PRODUCT, text="def f(x, c: float):\n    return x[0] if (lambda: c)() > 0 else open('x')\n")
    assert judge(refused).startswith("refused: LIN")
    assert soak.outcome(soak.Task(0, "plain", refused, ())).startswith(soak.FINDING)
    assert soak.outcome(soak.Task(0, "unbound", refused, ())) == "refused"


def test_what_rounding_decides_is_no_evidence(monkeypatch):
    singular = "import numpy as np\n\ndef f(x):\n    return np.linalg.solve(1.5 + 0.1 * np.outer(np.sin(x), x), x)\n"
    program = Program(singular, (np.array([0.6, -1.2, 0.4]),))
    monkeypatch.setattr(soak, "judge", Mock(side_effect=np.linalg.LinAlgError("Singular matrix")))
    assert soak.outcome(soak.Task(0, "edited", program, ())) == "unknown"
    assert soak.outcome(soak.Task(0, "edited", PRODUCT, ())).startswith(soak.FINDING)


def test_a_found_program_is_kept_with_its_arguments():
    args = (np.arange(3, dtype=np.float32), (np.int64(2), True), np.zeros((0, 2)))
    again = program_of(text_of(replace(PRODUCT, args=args, updates=("x",), single=True)))
    assert again.text == PRODUCT.text and again.updates == ("x",) and again.single
    assert again.args[0].dtype == np.float32 and again.args[1] == (2, True) and again.args[2].shape == (0, 2)
