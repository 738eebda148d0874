"""Half-written programs, as an editor sees them: a report, never a crash and never a defect of the checker itself."""

from __future__ import annotations

import ast
import io
import random
import tokenize
from pathlib import Path

import pytest
from linad_typecheck import check_source

HEAD = "import math\nimport numpy as np\nfrom linad import linear_grad\nfrom jaxtyping import Float64\nVec = Float64[np.ndarray, 'n']\n"
FOLDER = Path(__file__).parents[1] / "lower"
FILES = ("programs.py", "programs_calls.py", "programs_comprehensions.py")


def functions() -> list[str]:
    """The test programs of lowering, with annotations so that all of each is checked."""
    found = []
    for name in FILES:
        text = (FOLDER / name).read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef):
                for a in node.args.args:
                    a.annotation = ast.Name({"n": "int", "k": "int", "i": "int", "x": "Vec", "y": "Vec"}.get(a.arg, "float"), ast.Load())
                found.append("@linear_grad\n" + ast.unparse(node) + "\n")
    return found


FUNCTIONS = functions()


def tokens(text: str) -> list[tuple[int, str, int]]:
    """The tokens of a text that are not white space: where, what, and of which kind."""
    starts = [0]
    for line in text.splitlines(True):
        starts.append(starts[-1] + len(line))
    found = tokenize.generate_tokens(io.StringIO(text).readline)
    return [(starts[t.start[0] - 1] + t.start[1], t.string, t.type) for t in found if t.string.strip()]


def accepted_by_the_checker(text: str) -> bool:
    return all(d.slug != "internal-error" for d in check_source(text, "broken.py"))


def test_truncated_at_every_fiftieth_token():
    text = "".join(FUNCTIONS)
    places = [where for where, _, _ in tokens(text)][::50]
    functions = text.split("@linear_grad\n")
    lengths = [0]
    for f in functions[1:]:
        lengths.append(lengths[-1] + len(f) + len("@linear_grad\n"))
    for place in places:  # the function that the cut is in, cut; the earlier ones are whole
        first = max(n for n in lengths if n <= place)
        assert accepted_by_the_checker(HEAD + text[first:place]), text[first:place]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(120))
def test_tokens_deleted_or_exchanged(seed):
    rng = random.Random(seed)
    text = "".join(rng.sample(FUNCTIONS, 2))
    found = tokens(text)
    for where, what, kind in sorted(rng.sample(found, 2), reverse=True):
        other = "" if rng.random() < 0.4 else rng.choice([w for _, w, k in found if k == kind])
        text = text[:where] + other + text[where + len(what) :]
    assert accepted_by_the_checker(HEAD + text), text


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(120))
def test_statements_deleted_or_repeated(seed):
    rng = random.Random(seed)
    tree = ast.parse("".join(rng.sample(FUNCTIONS, 2)))
    for _ in range(3):
        holders = [n for n in ast.walk(tree) if n is not tree and isinstance(getattr(n, "body", None), list) and len(n.body) > 1]
        if not holders:
            break
        body = rng.choice(holders).body
        if rng.random() < 0.6:
            del body[rng.randrange(len(body))]
        else:
            body.insert(rng.randrange(len(body)), rng.choice(body))
    text = ast.unparse(tree)
    assert accepted_by_the_checker(HEAD + text), text


@pytest.mark.parametrize("deep", ["(" * 3000 + "x" + ")" * 3000, "-" * 40_000 + "x", "{" * 150 + "x" + "}" * 150])
def test_a_statement_too_deep_for_the_parser_hides_no_other(deep):
    text = (
        "from linad import linear_grad\n\n\n@linear_grad\ndef deep(x: float) -> float:\n    y = x\n"
        f"    return {deep}\n\n\n@linear_grad\ndef other(x: float) -> float:\n    return deep(x) * nothing\n"
    )
    found = check_source(text)
    assert [d.span.line for d in found] == [7, 12], found
    assert [d.slug for d in found][1:] == ["unknown-name"]


DAMAGED = '''\
import numpy as np
from jaxtyping import Float64
from linad import linear_grad

F1 = Float64[np.ndarray, "n"]


def helper(v: F1) -> float:
    return v.sum()


@linear_grad
def first(x: F1) -> float:
    return unknown_1 * x[0]


@linear_grad
def f(x: F1, k: int) -> float:
    total = 0.0
    y = unknown_2 + 1.0
    for i in range(len(x)):
        if i > k:
            total += x[i] * helper(x)
        total += helper(x[i:])
    z = 2.0 * y
    w = unknown_3 * z
    return total + z + w


@linear_grad
def last(x: F1) -> float:
    y = f(x, 2)
    return unknown_4 * x[0] + y
'''
LINE = "    z = 2.0 * y"
DAMAGE = {
    "an unclosed bracket": ("        total += helper(x[i:])", "        total += helper(x[i:"),
    "a half-typed call": ("        total += helper(x[i:])", "        total += helper("),
    "a call of several lines": (LINE, "    z = np.array(\n        [1.0,\n         2.0"),
    "a missing colon": ("    for i in range(len(x)):", "    for i in range(len(x))"),
    "a missing colon, deeper": ("        if i > k:", "        if i > k  # later"),
    "half a condition": ("        if i > k:", "        if i >"),
    "half a loop": ("    for i in range(len(x)):", "    for i in range(len(x):"),
    "a missing block": ("            total += x[i] * helper(x)\n", ""),
    "a missing colon of a definition": ("def f(x: F1, k: int) -> float:", "def f(x: F1, k: int) -> float"),
    "a stray indent": (LINE, "      z = 2.0 * y"),
    "a stray dedent": (LINE, "  z = 2.0 * y"),
    "a tab": (LINE, "\tz = 2.0 * y"),
    "half an expression": (LINE, "    z = 2.0 *"),
    "half an attribute": (LINE, "    z = x."),
    "half an assignment": (LINE, "    z ="),
    "half an annotation": (LINE, "    z: float = ("),
    "an open string": (LINE, "    z = 'abc"),
    "an open long string": (LINE, "    z = \'\'\'abc"),
    "a bracket too many": (LINE, "    z = 2.0 * y)"),
    "an unfinished choice": (LINE, "    z = 2.0 if"),
    "two places": (LINE, "    z = (2.0\n    q = x["),
    "no `except`": (LINE, "    z = 1.0\n    try:\n        z = 2.0 * y"),
    "a half-typed nested function": (LINE, "    def inner(a, b\n        return a\n    z = 2.0 * y"),
    "an older Python": (LINE, "    print 'z'\n    z = 2.0 * y"),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("inside", [False, True], ids=["", "inside another function"])
def test_damage_in_a_function_hides_nothing_else(kind, inside):
    """Neither in the function nor in others; and nothing is found because of it."""
    whole, broken = DAMAGE[kind]
    assert DAMAGED.count(whole) == 1
    text = DAMAGED.replace(whole, broken)
    if inside:
        text = "def make():\n" + "".join(f"    {line}" if line.strip() else line for line in text.splitlines(True))
    found = check_source(text, "program.py")
    assert {d.slug for d in found} == {"syntax-error", "unknown-name"}
    assert [d.message.split("`")[1] for d in found if d.slug == "unknown-name"] == [f"unknown_{k}" for k in (1, 2, 3, 4)]
    first = text.split("\n").index(("    " if inside else "") + broken.split("\n")[0]) if broken else text.split("\n").index(
        ("    " if inside else "") + "        if i > k:"
    )
    errors = [d.span.line - 1 for d in found if d.slug == "syntax-error"]
    assert len(errors) == 1 + (kind == "two places") and first <= errors[0] <= first + 3


def test_a_definition_that_is_half_typed_is_left_out():
    text = DAMAGED.replace("def f(x: F1, k: int) -> float:", "def f(x: F1, k: in")
    found = check_source(text, "program.py")
    assert [(d.slug, d.span.line) for d in found] == [("unknown-name", 14), ("syntax-error", 18), ("unknown-name", 33)]


def test_lines_keep_their_places_in_a_mended_text():
    from linad_typecheck.checking.recover import recovered

    for whole, broken in DAMAGE.values():
        text = DAMAGED.replace(whole, broken)
        lines = text.split("\n")
        new = recovered(text).text.split("\n")
        assert len(new) == len(lines)
        changed = [k for k, (a, b) in enumerate(zip(lines, new, strict=True)) if a != b]
        assert 1 <= len(changed) <= 4 and changed[-1] - changed[0] < 8
