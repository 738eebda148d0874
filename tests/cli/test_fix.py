"""`--fix` and `--diff`: safe edits alone unless asked for more, the rest of the file to the last byte as it was."""

import io
import sys

import pytest
from linad_typecheck import check_source
from linad_typecheck.checking.fixes import edited, fix
from linad_typecheck.cli import main
from linad_typecheck.diagnostics import Edit
from linad_typecheck.span import Span

HEAD = "import numpy as np\nfrom jaxtyping import Float64\nfrom linad import linear_grad\n\n\n"
LENT = HEAD + '@linear_grad\ndef f(x: Float64[np.ndarray, "n"]):\n    x[0] = 1.0\n    return x[0] * x[1]\n'
AS_IT_IS, DECLARED = "@linear_grad", '@linear_grad(updates=("x",))'
MOVED = (
    HEAD
    + '@linear_grad(strict=True)\ndef f(x: Float64[np.ndarray, "n"]) -> float:\n    u = x.copy()\n    v = u\n    v[0] = 1.0\n    return u[0] + v[0]\n'
)
UNUSED = (
    HEAD + "@linear_grad\ndef f(x: float) -> float:\n    y = x  # linad: ignore[maybe-undefined]\n    return y * y\n"
)


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name: str, text: str, encoding: str = "utf-8") -> str:
        (tmp_path / name).write_bytes(text.encode(encoding))
        return name

    return write


def test_safe_fixes_are_applied(write, tmp_path, capsys):
    assert main(["check", "--fix", write("lent.py", LENT), write("unused.py", UNUSED)]) == 0
    assert (tmp_path / "lent.py").read_text() == LENT.replace(AS_IT_IS, DECLARED)
    assert (tmp_path / "unused.py").read_text() == UNUSED.replace("  # linad: ignore[maybe-undefined]", "")
    assert capsys.readouterr().out == "no findings (2 files, 2 functions); 2 fixed\n"


def test_a_fix_that_changes_the_meaning_is_asked_for(write, tmp_path):
    name = write("moved.py", MOVED)
    assert main(["check", "--fix", name]) == 1
    assert (tmp_path / name).read_text() == MOVED
    assert main(["check", "--fix", "--unsafe-fixes", name]) == 0
    assert (tmp_path / name).read_text() == MOVED.replace("v = u\n", "v = u.copy()\n")


def test_a_diff_writes_nothing(write, tmp_path, capsys):
    name = write("lent.py", LENT)
    assert main(["check", "--diff", name]) == 1
    assert (tmp_path / name).read_text() == LENT
    lines = capsys.readouterr().out.splitlines()
    assert f"-{AS_IT_IS}" in lines and f"+{DECLARED}" in lines
    assert main(["check", "--diff", write("clean.py", LENT.replace(AS_IT_IS, DECLARED))]) == 0
    assert capsys.readouterr().out == ""


def test_standard_input_is_fixed_to_standard_output(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LENT.encode())))
    assert main(["check", "--fix", "-"]) == 0
    seen = capsys.readouterr()
    assert seen.out == LENT.replace(AS_IT_IS, DECLARED) and "1 fixed" in seen.err


@pytest.mark.parametrize(("newline", "encoding"), [("\r\n", "utf-8"), ("\n", "utf-8-sig"), ("\n", "latin-1")])
def test_line_ends_and_encodings_stay(write, tmp_path, newline, encoding):
    text = ("# -*- coding: latin-1 -*-\n" if encoding == "latin-1" else "") + LENT + "# ä\n"
    text = text.replace("\n", newline)
    name = write("lent.py", text, encoding)
    assert main(["check", "--fix", name]) == 0
    assert (tmp_path / name).read_bytes() == text.replace(AS_IT_IS, DECLARED).encode(encoding)


def test_only_selected_findings_are_fixed(write, tmp_path):
    name = write("lent.py", LENT + UNUSED[len(HEAD) :].replace("def f", "def g"))
    assert main(["check", "--fix", "--select", "unused-suppression", name]) == 0
    text = (tmp_path / name).read_text()
    assert DECLARED not in text and "linad: ignore" not in text


def test_edits_at_several_places():
    text = "ab\ncd\n"

    def at(line: int, start: int, end: int, new: str) -> Edit:
        return Edit(Span("f", line, start, line, end), new)

    assert edited(text, [at(1, 2, 2, "x"), at(2, 1, 3, ""), at(1, 1, 2, "y\n")]) == "y\nxb\n\n"


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("  # linad: ignore[maybe-undefined]", ""),
        ("  # linad: ignore[maybe-undefined]  # noqa", "  # noqa"),
        ("  # linad: ignore[maybe-undefined] it is there", "  # it is there"),
        ("  # noqa # linad: ignore[maybe-undefined]", "  # noqa"),
        ("  # linad: ignore", ""),
        ("  # linad: ignore[nonsense]", ""),
    ],
)
def test_comments_that_silence_nothing_go(comment, left):
    text = UNUSED.replace("  # linad: ignore[maybe-undefined]", comment)
    assert [d.slug for d in check_source(text, "f.py")] == ["unused-suppression"]
    fixed = fix(text, "f.py")
    assert fixed.text == UNUSED.replace("  # linad: ignore[maybe-undefined]", left) and not fixed.left


def test_a_repair_that_brings_a_warning_to_light_is_kept():
    text = HEAD + """
@linear_grad(strict=True)
def f(x: Float64[np.ndarray, "n"]) -> float:
    u = x.copy()
    v = u
    v[0] = 1.0
    return u[0]
"""
    fixed = fix(text, "t.py", unsafe=True)
    assert "v = u.copy()" in fixed.text and [d.slug for d in fixed.left] == ["update-lost"]


ALTERNATIVES = {
    # the copy alone: not the update declared, too
    "u = x\n    u[0] = 1.0\n    return x.sum() + u.sum()": "u = x.copy()\n    u[0] = 1.0\n    return x.sum() + u.sum()",
    "u = x.copy()\n    v = u\n    v[0] = 1.0\n    u[1] = 2.0\n    return u.sum() + v.sum()": "u = x.copy()\n    v = u.copy()\n    v[0] = 1.0\n"
    "    u[1] = 2.0\n    return u.sum() + v.sum()",
    # both are needed
    "u = x.copy()\n    v = u\n    w = u\n    v[0] = 1.0\n    w[0] = 2.0\n    return u[0] + v[0] + w[0]": "u = x.copy()\n    v = u.copy()\n"
    "    w = u.copy()\n    v[0] = 1.0\n    w[0] = 2.0\n    return u[0] + v[0] + w[0]",
}


@pytest.mark.parametrize("body", ALTERNATIVES)
def test_of_alternatives_one_is_applied(body):
    start = HEAD + '@linear_grad(strict=True)\ndef f(x: Float64[np.ndarray, "n"]) -> float:\n    '
    second = start.replace("def f", "\n\ndef g").replace(HEAD, "\n\n")
    found = fix(f"{start}{body}\n{second}{body}\n", "program.py", unsafe=True)
    assert found.text == f"{start}{ALTERNATIVES[body]}\n{second}{ALTERNATIVES[body]}\n" and not found.left
