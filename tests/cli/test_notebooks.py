"""Notebooks on the command line: one program of cells, findings at their cells, repairs that leave the rest as it was."""

import json
from pathlib import Path

import jsonschema
import pytest
from linad_typecheck.checking.notebooks import notebook
from linad_typecheck.cli import main
from linad_typecheck.render.schema import json_schema

HEAD = ["%matplotlib inline\n", "import numpy as np\n", "from jaxtyping import Float64\n", "from linad import linear_grad"]
SHELL = ["%%bash\n", "ls -l | wc"]
BAD = (
    '@linear_grad(strict=True)\ndef f(x: Float64[np.ndarray, "n"]) -> float:\n    u = x.copy()\n    v = u\n    v[0] = 1.0\n    return u[0] + v[1]'
).splitlines(keepends=True)
UNUSED = ["files = !ls\n", "k = 3  # linad: ignore[float-truncated]\n", "%time k\n"]


def cell(source, kind="code"):
    found = {"cell_type": kind, "metadata": {}, "source": source}
    return found | ({"execution_count": None, "outputs": [{"é": "“"}]} if kind == "code" else {})


def book(*sources, language="python") -> dict:
    cells = [cell(["# a title\n", "linear_grad"], "markdown"), *map(cell, sources)]
    return {"cells": cells, "metadata": {"language_info": {"name": language}}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(found, name="book.ipynb", **options) -> Path:
        text = found if isinstance(found, str) else json.dumps(found, **{"indent": 1, "ensure_ascii": False, **options}) + "\n"
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


def checked(capsys, *arguments: str) -> tuple[int, str]:
    code = main(["check", *arguments])
    return code, capsys.readouterr().out


def test_findings_lie_in_their_cell(write, capsys):
    write(book(HEAD, SHELL, BAD))
    code, out = checked(capsys, "book.ipynb")
    assert code == 1 and "--> book.ipynb:cell 4:6:12" in out and "4 |     v = u.copy()" in out
    assert "1 error (1 file, 1 function)" in out
    assert checked(capsys, ".")[1] == out  # below folders, too


def test_json_tells_the_cell_and_meets_the_schema(write, capsys):
    write(book(HEAD, BAD))
    (found,) = json.loads(checked(capsys, "book.ipynb", "--output-format", "json")[1])
    jsonschema.validate([found], json_schema())
    assert (found["span"]["file"], found["span"]["cell"], found["span"]["line"]) == ("book.ipynb", 3, 6)
    assert {x["span"]["cell"] for x in found["labels"]} == {3}


@pytest.mark.parametrize("options", [{}, {"ensure_ascii": True}, {"indent": 4}])
def test_code_hosts_get_lines_of_the_file(write, capsys, options):
    file = write(book(HEAD, BAD[:-1] + ["    é = 1.0\n", BAD[-1]]), **options)
    lines = file.read_text(encoding="utf-8").split("\n")
    out = checked(capsys, "book.ipynb", "--output-format", "github")[1]
    line = int(out.partition("line=")[2].partition(",")[0])
    assert "return u[0]" in lines[line - 1]
    (run,) = json.loads(checked(capsys, "book.ipynb", "--output-format", "sarif")[1])["runs"]
    (place,) = run["results"][0]["locations"]
    assert place["physicalLocation"]["region"]["startLine"] == line
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "book.ipynb"


@pytest.mark.parametrize("options", [{}, {"indent": None}, {"indent": 2, "ensure_ascii": True}, {"indent": "\t"}])
def test_repairs_change_the_lines_that_they_are_about(write, capsys, options):
    before = book(HEAD, UNUSED, BAD, "".join(SHELL))
    file = write(before, **options)
    old = file.read_text(encoding="utf-8")
    assert "+    v = u.copy()\n" in checked(capsys, "book.ipynb", "--diff", "--unsafe-fixes")[1]
    assert file.read_text(encoding="utf-8") == old
    assert checked(capsys, "book.ipynb", "--fix", "--unsafe-fixes")[0] == 0
    wanted = book(HEAD, [UNUSED[0], "k = 3\n", UNUSED[2]], [s.replace("v = u\n", "v = u.copy()\n") for s in BAD], "".join(SHELL))
    assert json.loads(file.read_text(encoding="utf-8")) == wanted
    write(wanted, "wanted.ipynb", **options)
    assert file.read_bytes() == Path("wanted.ipynb").read_bytes()
    assert checked(capsys, "book.ipynb", "--fix", "--unsafe-fixes")[1] == "no findings (1 file, 1 function)\n"
    assert file.read_bytes() == Path("wanted.ipynb").read_bytes()


def test_nothing_to_repair_leaves_the_file_alone(write, capsys):
    file = write(book(HEAD, BAD), separators=(" ,", " :"))
    old = file.read_bytes()
    assert checked(capsys, "book.ipynb", "--fix")[0] == 1
    assert file.read_bytes() == old


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": 3}', '{"cells": [1]}', "[" * 100_000])
def test_what_is_no_notebook_is_told(write, capsys, text):
    write(text)
    assert main(["check", "book.ipynb"]) == 0  # it cannot be about linad
    write(text + " linear_grad")
    assert main(["check", "book.ipynb"]) == 2
    assert "book.ipynb: not a notebook" in capsys.readouterr().err


def test_notebooks_of_other_languages_and_no_cells(write, capsys):
    write(book(["linear_grad <- 1"], language="R"))
    assert main(["check", "book.ipynb"]) == 2
    assert "a notebook of R" in capsys.readouterr().err
    write(book())
    assert main(["check", "book.ipynb"]) == 0


def test_a_broken_cell_hides_no_other(write, capsys):
    write(book(HEAD, ["def g(:"], BAD))
    out = checked(capsys, "book.ipynb", "--output-format", "concise")[1]
    assert [line.partition(": ")[0] for line in out.splitlines()] == ["book.ipynb:cell 3:1:7", "book.ipynb:cell 4:6:12"]


def test_standard_input(write, capsys, monkeypatch):
    import io
    import sys

    raw = write(book(HEAD, BAD)).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    code, out = checked(capsys, "-", "--stdin-filename", "x.ipynb", "--output-format", "concise")
    assert code == 1 and out.startswith("x.ipynb:cell 3:6:12: ")


def test_cells_come_back_as_they_were():
    found = notebook(json.dumps(book(HEAD, SHELL, BAD, "x = !ls\n?x\nif 1:\n  %time 3\n")), "b.ipynb")
    assert found.with_text(found.text) is found
    assert found.with_text(found.text.replace("v = u\n", "v = u\n\n")).cells[-1] == found.cells[-1]
