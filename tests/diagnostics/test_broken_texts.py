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


@pytest.mark.parametrize("seed", range(120))
def test_tokens_deleted_or_exchanged(seed):
    rng = random.Random(seed)
    text = "".join(rng.sample(FUNCTIONS, 2))
    found = tokens(text)
    for where, what, kind in sorted(rng.sample(found, 2), reverse=True):
        other = "" if rng.random() < 0.4 else rng.choice([w for _, w, k in found if k == kind])
        text = text[:where] + other + text[where + len(what) :]
    assert accepted_by_the_checker(HEAD + text), text


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
