"""The page of a function, read back by a parser."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from jaxtyping import Float64
from linad_typecheck.cli import main
from linad_typecheck.ir.core import Drop, Dup, walk

from linad import linear_grad, show
from linad.pipeline import linear, prepare
from linad.show import explain
from linad.show.html import numbered
from linad.show.reading import reading_of

VOID = {"meta", "br", "hr", "img", "input", "link"}


@linear_grad
def loss(x: Float64[np.ndarray, "n"], w: float) -> float:
    u = x.copy()
    for i in range(1, len(u)):
        if u[i] < 1.0 and u[i - 1] > 0.0:  # <b>&amp;
            u[i] += w * u[i - 1]
    s = 0.0
    for i in range(len(u)):
        s += u[i] * np.sin(u[i])
    return s


class Reader(HTMLParser):
    """Rows of tables as lists of cells, lines of the core with their numbers, and whether every tag is closed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.rows: list[tuple[str, list[str]]] = []
        self.pre: list[tuple[str, str]] = []
        self.summaries: list[str] = []
        self.style = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.add(tag)
        self.attributes |= set(given)
        if tag in VOID:
            return
        self.open.append(tag)
        match tag:
            case "tr":
                self.rows.append((given.get("data-l", ""), []))
            case "td" | "th":
                self.rows[-1][1].append("")
            case "pre":
                self.pre.append((given.get("data-l", ""), ""))
            case "summary":
                self.summaries.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" in self.open:
            self.style += data
        if "td" in self.open or "th" in self.open:
            self.rows[-1][1][-1] += data
        if "pre" in self.open:
            self.pre[-1] = (self.pre[-1][0], self.pre[-1][1] + data)
        if "summary" in self.open:
            self.summaries[-1] += data


@pytest.fixture(scope="module")
def text() -> str:
    return show(loss)._repr_html_()


def test_the_table_is_read_back(text):
    table = show(loss)
    primal = {r.primal for r in table.rows}
    rows = [(number, cells) for number, cells in Reader(text).rows if number and len(cells) == 3 and cells[1] in primal]
    assert [(int(n), primal, adjoint) for n, (_, primal, adjoint) in rows] == [
        (r.number, r.primal, "\n".join(r.adjoint)) for r in table.rows
    ]
    assert "<b>" in "".join(primal for _, (_, primal, _) in rows)  # as text


def test_every_fact_is_there(text):
    remarks = [r for r in explain(loss).remarks if r.line in explain(loss).lines]
    rows = [cells for number, cells in Reader(text).rows if number]
    assert remarks
    for r in remarks:
        assert [str(r.line), r.kind, r.text] in rows


def test_the_linear_core_has_its_dups_and_drops(text):
    lines = Reader(text).pre
    r = reading_of(loss)
    core = [s for s in walk(linear(prepare(r.program)).main.body)]
    for kind, word in ((Dup, "= dup "), (Drop, "drop ")):
        wanted = sorted(str(s.span.line) for s in core if isinstance(s, kind))
        assert wanted and sorted(n for n, line in lines if word in line and n) == wanted
    assert text.count("<em>dup</em>") == sum(isinstance(s, Dup) for s in core)


def test_lines_of_the_core_belong_to_statements():
    main_ = linear(prepare(reading_of(loss).program)).main
    lines = numbered(main_, entry=True)
    assert [n for n, _ in lines if n] == [s.span.line for s in walk(main_.body)]
    assert lines[0][0] == 0 and lines[-1] == (0, "}")


def test_the_generated_source_is_there(text):
    source = str(show(loss, "numba"))
    assert (source.strip() in [t.strip() for _, t in Reader(text).pre]) and "def " in source


def test_what_belongs_together_lights_up(text):
    style = Reader(text).style
    (name,) = set(re.findall(r"<div id=\"([\w-]+)\">", text))
    for r in show(loss).rows:
        assert f"#{name}:has([data-l='{r.number}']:is(:hover, :focus)) [data-l='{r.number}']" in style
    rules = [line for line in style.splitlines() if "{" in line]
    assert rules and all(line.startswith(f"#{name}") for line in rules)  # nothing else on the page changes


def self_contained(text: str) -> None:
    found = Reader(text)
    assert found.tags.isdisjoint({"script", "link", "img", "iframe", "object", "a", "base", "form"})
    assert found.attributes <= {"id", "class", "title", "data-l", "tabindex", "charset", "name", "content", "lang"}
    assert "url(" not in found.style and "@import" not in found.style


def test_nothing_comes_from_elsewhere(text):
    self_contained(text)


def test_colours_are_laid_over_those_of_the_page(text):
    style = Reader(text).style
    assert "color: inherit" in style
    values = [v.strip() for v in re.findall(r"(?:color|background)\s*:([^;}]+)", style)]
    assert all(v.startswith(("inherit", "none", "transparent", "rgba(")) for v in values)


PROGRAM = '''
import numpy as np
from jaxtyping import Float64
from linad import linear_grad


@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    return x[0] * x[1]  # </pre><script>alert(1)</script>
'''


def test_the_command_writes_a_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file, out = tmp_path / "p.py", tmp_path / "p.html"
    file.write_text(PROGRAM)
    assert main(["show", f"{file}::f", "--format", "html", "-o", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert f"wrote {out}" in capsys.readouterr().out
    assert text.startswith("<!DOCTYPE html>") and "color-scheme: light dark" in text
    self_contained(text)
    assert "</pre><script>" in "".join(cell for _, cells in Reader(text).rows for cell in cells)
    assert len(Reader(text).summaries) == 2  # there are no facts to tell
    assert main(["show", f"{file}::f", "--format", "html"]) == 0
    assert capsys.readouterr().out.strip() == text.strip()


def test_the_command_writes_one_stage(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.py"
    file.write_text(PROGRAM)
    assert main(["show", f"{file}::f", "--format", "html", "--stage", "linear"]) == 0
    text = capsys.readouterr().out
    self_contained(text)
    assert "entry fn f" in text and "adjoint" not in text
    assert main(["show", f"{file}::f", "-o", str(tmp_path / "no" / "such" / "folder")]) == 2
