"""`linad check --facts`: what derivatives cost, at the lines that cost it; never a reason to fail."""

import re

import pytest
from linad_typecheck import check_source
from linad_typecheck.cli import main
from linad_typecheck.codes import CODES
from linad_typecheck.explain import page
from linad_typecheck.findings import facts

FACTS = [slug for slug, row in CODES.items() if row.severity == "information"]
FENCE = re.compile(r"^```python (fact|ok)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LOOP = """import numpy as np
from jaxtyping import Float64
from linad import linear_grad


@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    u = x.copy()
    for i in range(1, len(u)):
        u[i] = u[i] * u[i - 1]
    return u[len(u) - 1]
"""


@pytest.mark.parametrize("slug", FACTS)
def test_programs_of_the_pages(slug):
    for kind, program in FENCE.findall(page(CODES[slug])):
        assert not check_source(program), "facts are told on request"
        told = {d.slug for d in facts(program, "f.py")}
        assert slug in told if kind == "fact" else not told, program


def test_facts_are_told_on_request_and_fail_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.py").write_text(LOOP)
    assert main(["check", "f.py"]) == 0
    assert capsys.readouterr().out == "no findings (1 file, 1 function)\n"
    assert main(["check", "--facts", "f.py", "--output-format", "concise"]) == 0
    shown = capsys.readouterr().out
    assert "f.py:9:5: information[LIN503]: this loop logs" in shown and "f.py:9:5: information[LIN504]" in shown
    assert main(["check", "--facts", "f.py", "--select", "LIN504", "--output-format", "concise"]) == 0
    assert capsys.readouterr().out == "f.py:9:5: information[LIN504]: the iterations of this loop run in order: an iteration uses cells of u (line 10) that another one may write (line 10)\n"


def test_a_comment_silences_a_fact_and_is_not_unused_without_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.py").write_text(LOOP.replace("len(u)):", "len(u)):  # linad: ignore[loop-in-order, log-size]"))
    assert main(["check", "f.py"]) == 0
    assert main(["check", "--facts", "f.py", "--output-format", "concise"]) == 0
    assert not [line for line in capsys.readouterr().out.splitlines() if "LIN504" in line or "LIN503" in line]


def test_a_program_with_an_error_has_none():
    assert not facts(LOOP.replace("u = x.copy()", "u = x"), "f.py")
