"""Damaged texts never crash the checker, nor hang it, and what it says lies within the text."""

from __future__ import annotations

import io
import random
import subprocess
import sys
import time
import tokenize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linad_typecheck import check_source
from linad_typecheck.checking.fixes import fix
from linad_typecheck.render import FORMATS

from ..examples_of import quick
from .corpus import HEAD, texts

SECONDS = 20.0  # for a text of some hundred lines; a hundred times what it takes


def small(text: str, rng: random.Random) -> str:
    """A text of at most 150 lines or so: the imports, and some of the statements behind them."""
    parts = text.split("\n\n\n")
    if len(text) < 4000:
        return text
    return "\n\n\n".join([parts[0], *rng.sample(parts[1:], min(len(parts) - 1, 6))])


def survives(text: str) -> None:
    started = time.process_time()
    found = check_source(text, "damaged.py")
    assert time.process_time() - started < SECONDS
    assert not [d for d in found if d.slug == "internal-error"], (found, text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for d in found:
        for span in (d.span, *(x.span for x in d.labels), *(e.span for f in d.fixes for e in f.edits)):
            if span.file == "damaged.py":
                assert 1 <= span.line <= len(lines) + 1 and (span.line, span.column) <= (span.end_line, span.end_column)
    for render in FORMATS.values():
        render(found, {"damaged.py": text})


def tokens(text: str) -> list[tuple[int, int]]:
    """Start and end of each token; what the tokenizer does not get through is left out."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    found = []
    try:
        for t in tokenize.generate_tokens(io.StringIO(text).readline):
            if t.string.strip():
                found.append((starts[t.start[0] - 1] + t.start[1], starts[t.end[0] - 1] + t.end[1]))
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


def delete_tokens(text: str, rng: random.Random) -> str:
    found = tokens(text)
    for start, end in sorted(rng.sample(found, min(len(found), rng.randint(1, 4))), reverse=True):
        text = text[:start] + text[end:]
    return text


def exchange_tokens(text: str, rng: random.Random) -> str:
    found = tokens(text)
    for start, end in sorted(rng.sample(found, min(len(found), rng.randint(1, 3))), reverse=True):
        a, b = rng.choice(found)
        text = text[:start] + text[a:b] + text[end:]
    return text


def truncate(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text))]


def swap_lines(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    for _ in range(rng.randint(1, 4)):
        a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[a], lines[b] = lines[b], lines[a]
    return "\n".join(lines)


def indent_lines(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    for _ in range(rng.randint(1, 3)):
        k = rng.randrange(len(lines))
        lines[k] = rng.choice(["    ", " ", "\t"]) + lines[k] if rng.random() < 0.5 else lines[k][rng.randint(1, 4) :]
    return "\n".join(lines)


STRANGE = [
    "é",
    "名前",
    "𝐱",
    "\u202e",
    "\0",
    "\f",
    "\r",
    "\x1b[31m",
    "“",
    "’",
    "\u2028",
    "🦀",
    "ﬁ",
    "\ud800",
    '"""',
    "'''",
    "\\",
    "((",
    "#",
    "\ufeff",
]


def insert_strange(text: str, rng: random.Random) -> str:
    for _ in range(rng.randint(1, 4)):
        k = rng.randrange(len(text) + 1)
        text = text[:k] + rng.choice(STRANGE) + text[k:]
    return text


def nest(text: str, rng: random.Random) -> str:
    """An expression somewhere becomes a deep one."""
    start, end = rng.choice(tokens(text) or [(0, 0)])
    depth = rng.choice([30, 150, 400])
    before, after = rng.choice([("(", ")"), ("-", ""), ("not ", ""), ("abs(", ")"), ("[", "]"), ("x if x else ", "")])
    return text[:start] + before * depth + text[start:end] + after * depth + text[end:]


DAMAGES = [delete_tokens, exchange_tokens, truncate, swap_lines, indent_lines, insert_strange, nest]


@quick(70)
@given(st.randoms(use_true_random=False), st.sampled_from(DAMAGES))
def test_damaged_texts(rng, damage):
    text = damage(small(rng.choice(texts()), rng), rng)
    survives(text)


@quick(25)
@given(st.randoms(use_true_random=False))
def test_damaged_again_and_again(rng):
    text = small(rng.choice(texts()), rng)
    for _ in range(4):
        text = rng.choice(DAMAGES)(text, rng) or HEAD
    survives(text)


@quick(25)
@given(st.randoms(use_true_random=False))
def test_fixes_of_damaged_texts_end(rng):
    text = small(rng.choice(texts()), rng)
    fixed = fix(rng.choice(DAMAGES)(text, rng), "damaged.py", unsafe=True)
    assert fixed.applied < 200
    assert fix(fixed.text, "damaged.py", unsafe=True).applied == 0


@quick(60)
@given(st.text(max_size=200))
def test_any_text(text):
    survives("@linear_grad\n" + text)


DEEP = {
    "parentheses": "return " + "(" * 5000 + "x" + ")" * 5000,
    "sum": "return " + " + ".join(["x"] * 5000),
    "minus": "return " + "-" * 5000 + "x",
    "calls": "return " + "abs(" * 900 + "x" + ")" * 900,
    "ifs": "\n    ".join("    " * k + "if x > 0.0:" for k in range(95)) + "\n" + "    " * 97 + "return x",
    "else ifs": "if x > 0.0:\n        y = 1.0\n"
    + "".join(f"    elif x > {k}.0:\n        y = {k}.0\n" for k in range(700))
    + "    return x",
    "attributes": "return x" + ".a" * 5000,
    "subscripts": "return x" + "[0]" * 3000,
    "comparison": "return x if " + " < ".join(["x"] * 3000) + " else x",
    "tuple": "return " + "(" * 150 + "x" + ",)" * 150,
    "lambda": "return " + "(lambda: " * 90 + "x" + ")()" * 90,
    "statements": "y = x\n" + "    y = y + x\n" * 3000 + "    return y",
    "branches": "y = x\n" + "    if x > 1.0:\n        y = y + 1.0\n" * 400 + "    return y",
    "returns": "".join(f"if x > {k}.0:\n        return x\n    " for k in range(400)) + "return x",
    "strings": 'return x + "' + "a" * 1_000_000,
    "digits": "return x + " + "9" * 100_000,
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", DEEP)
def test_deep_and_long_functions(name, tmp_path):
    """In a process of its own with half a gigabyte: no crash of the interpreter, no swallowing of the machine."""
    (tmp_path / "deep.py").write_text(
        f"from linad import linear_grad\n\n\n@linear_grad\ndef f(x: float) -> float:\n    {DEEP[name]}\n"
    )
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))\n"
        "from linad_typecheck.cli import main\n"
        "sys.exit(main(['check', 'deep.py', '--output-format', 'concise']))"
    )
    ran = subprocess.run(  # noqa: PLW1510 - the code is looked at below
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode in (0, 1), f"{ran.returncode} {ran.stdout[:500]} {ran.stderr[-500:]}"
    assert "LIN901" not in ran.stdout


@pytest.mark.parametrize("functions", [180, pytest.param(720, marks=pytest.mark.thorough)])
def test_thousands_of_lines(functions):
    function = """
def helper_{k}(a, w):
    for i in range(len(a)):
        a[i] = a[i] * w + missing_{k}


@linear_grad
def kernel_{k}(x: Float64[np.ndarray, "n"], w: float) -> float:
    u = x.copy()
    helper_{k}(u, w)
    s = 0.0
    for i in range(len(x)):
        s += u[i] ** 2 / (1.0 + x[i] ** 2)
    return math.sqrt(s)
"""
    plain = function.replace("@linear_grad", "@plain")
    text = HEAD + "".join((plain if k % 3 else function).format(k=k) for k in range(functions))
    assert text.count("\n") > 14 * functions
    started = time.process_time()
    found = check_source(text, "long.py")
    assert time.process_time() - started < functions / 120 * SECONDS
    assert [d.slug for d in found] == ["unknown-name"] * (functions // 3)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("every", [7, 40])
def test_a_long_file_with_many_syntax_errors(every):
    text = HEAD + "".join(
        f"def broken_{k}(:\n    pass\n"
        if k % every == 0
        else f"@linear_grad\ndef f{k}(x: float) -> float:\n    return x * y{k}\n"
        for k in range(400)
    )
    started = time.process_time()
    found = check_source(text, "long.py")
    assert time.process_time() - started < SECONDS
    assert {d.slug for d in found} == {"syntax-error", "unknown-name"}
    assert sum(d.slug == "unknown-name" for d in found) == sum(1 for k in range(400) if k % every)
