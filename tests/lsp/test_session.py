"""Answers of a session: hover, hints, repairs, moved places, notebooks, settings, and whatever an editor may send."""

import ast

import pytest
from linad_typecheck.lsp import remarks
from linad_typecheck.lsp.convert import Client, client_of
from linad_typecheck.lsp.positions import Lines
from linad_typecheck.lsp.session import Session
from linad_typecheck.lsp.settings import Settings, settings_of

from .programs import GOOD, MOVED

URI = "file:///somewhere/program.py"
CLIENT = Client(related=True, markdown=True, literal_actions=True, tags=True)
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}


def session(text: str, client: Client = CLIENT, settings: Settings = Settings()) -> Session:
    s = Session(client, settings)
    s.open(URI, text, 1)
    return s


def at(text: str, line: str, name: str) -> dict:
    """The position of a name in the line that contains a text."""
    lines = text.splitlines()
    number = next(k for k, t in enumerate(lines) if line in t)
    return {"line": number, "character": lines[number].index(name)}


def hover(text: str, line: str, name: str, **given) -> str:
    found = session(text, **given).hover(URI, at(text, line, name))
    return found["contents"]["value"] if found else ""


def test_hover_says_type_and_state():
    assert "`u`: array of float64 of rank 1" in hover(GOOD, "s += u[i]", "u[")
    assert "`w`: float" in hover(GOOD, "v[i] = u[i] + w * d", "w *")
    assert "lent, and only read" in hover(GOOD, "u = x.copy()", "x.copy")
    assert "lent, and updated in place" in hover(GOOD, "a[i] = a[i] * w + 1.0", "a[i]")
    assert "used 2 times: its adjoints are added in place" in hover(GOOD, "if d > 0.0", "d >")
    assert "lent on line" in hover(GOOD, "s += u[i]", "u[")


def test_hover_says_the_facts_of_a_line():
    text = hover(GOOD, "for i in range(len(x)):", "for")
    assert "loop: sum" in text
    assert "loop" not in hover(GOOD, "for i in range(len(x)):", "for", settings=Settings(derivative=False))


def test_hover_in_a_function_with_errors():
    text = hover(MOVED, "return u[0] + v[1]", "u[")
    assert "`u`: array of float64 of rank 1" in text
    assert "`u` and `v` are one array, which was updated under the name `v`" in text


def test_hover_where_there_is_nothing():
    assert hover(GOOD, "import math", "import") == ""
    assert hover(GOOD, "x.copy()", "copy") == "" or "`copy`" not in hover(GOOD, "x.copy()", "copy")


def test_hover_in_plain_text():
    assert "---" not in hover(GOOD, "s += u[i]", "u[", client=Client())


def labels(text: str, settings: Settings = Settings()) -> dict[int, str]:
    found = session(text, settings=settings).hints(URI, WHOLE)
    assert all(h["position"]["character"] == len(text.splitlines()[h["position"]["line"]]) for h in found)
    return {h["position"]["line"]: h["label"] for h in found}


def test_hints():
    found = labels(GOOD)
    assert "dup d" in found[at(GOOD, "if d > 0.0", "if")["line"]]
    assert "drop v" in found[at(GOOD, "u, v = v, u", "u")["line"]]
    assert "sum" in found[at(GOOD, "for i in range(len(x)):", "for")["line"]]
    assert any("log" in label for label in found.values())


@pytest.mark.parametrize(("kind", "word"), [("dup", "dup"), ("drop", "drop"), ("loops", "sequential"), ("logged", "log")])
def test_hints_can_be_chosen(kind, word):
    only = settings_of({"inlayHints": {k: k == kind for k in ("dup", "drop", "copies", "loops", "logged")}})
    found = labels(GOOD, only)
    assert found and all(word in label or kind == "loops" for label in found.values())
    without = labels(GOOD, settings_of({"linad": {"inlayHints": {kind: False}}}))
    assert not any(word in label for label in without.values())
    assert labels(GOOD, settings_of({"inlayHints": False})) == {}


def test_large_programs_are_not_differentiated(monkeypatch):
    monkeypatch.setattr(remarks, "LARGE", 10)
    found = labels(GOOD)
    assert any("dup" in label for label in found.values())
    assert not any("log" in label or "sum" in label for label in found.values())


def test_hints_of_a_range_alone():
    line = at(GOOD, "if d > 0.0", "if")["line"]
    part = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 4}}
    assert {h["position"]["line"] for h in session(GOOD).hints(URI, part)} == {line}


def test_moved_place_of_an_error():
    found = session(MOVED).definition(URI, at(MOVED, "return u[0]", "u["))
    lines = {x["range"]["start"]["line"] for x in found}
    assert lines == {at(MOVED, "v = u", "v")["line"], at(MOVED, "v[0] = 1.0", "v")["line"]}


def test_moved_place_without_an_error():
    text = MOVED.replace("return u[0] + v[1]", "return v[0] + v[1]")
    found = session(text).definition(URI, at(text, "return v[0]", "v["))
    assert [x["range"]["start"]["line"] for x in found] == [at(text, "v = u", "v")["line"]]


def errors(found: list[dict]) -> list[dict]:
    return [d for d in found if d["severity"] == 1]


def apply(text: str, action: dict) -> str:
    (edits,) = action["edit"]["changes"].values()
    lines = Lines(text)
    for e in sorted(edits, key=lambda e: -e["range"]["start"]["line"]):
        a, b = (lines.offset(e["range"][k]["line"], e["range"][k]["character"], "utf-16") for k in ("start", "end"))
        text = text[:a] + e["newText"] + text[b:]
    return text


def test_quick_fix_repairs():
    s = session(MOVED)
    place = at(MOVED, "return u[0]", "u[")
    actions = s.actions(URI, {"start": place, "end": place})
    copy = next(a for a in actions if a["title"] == "keep the old values with a copy")
    assert copy["diagnostics"][0]["code"] == "LIN111"
    repaired = apply(MOVED, copy)
    assert "v = u.copy()" in repaired
    assert not errors(session(repaired).diagnostics(URI)[0][URI])


def test_actions_elsewhere_and_of_other_kinds():
    s = session(MOVED)
    nowhere = {"line": 0, "character": 0}
    assert not [a for a in s.actions(URI, {"start": nowhere, "end": nowhere}) if a["kind"] == "quickfix"]
    place = at(MOVED, "return u[0]", "u[")
    assert s.actions(URI, {"start": place, "end": place}, ["refactor"]) == []
    assert s.actions(URI, {"start": place, "end": place}, ["quickfix"])
    assert session(MOVED, Client()).actions(URI, {"start": place, "end": place}) == []


WARNED = "import math\nfrom linad import linear_grad\n\n\n@linear_grad\ndef f(a: float) -> float:\n    return math.floor(a) * 2.0\n"


def test_warnings_can_be_silenced():
    (d,) = session(WARNED).diagnostics(URI)[0][URI]
    assert d["severity"] == 2 and d["data"] == {"slug": "zero-gradient"}
    actions = session(WARNED).actions(URI, d["range"])
    silence = next(a for a in actions if "silence" in a["title"])
    assert session(apply(WARNED, silence)).diagnostics(URI)[0][URI] == []


def test_versioned_edits():
    client = Client(literal_actions=True, versioned_edits=True)
    place = at(MOVED, "return u[0]", "u[")
    action = session(MOVED, client).actions(URI, {"start": place, "end": place})[0]
    assert action["edit"]["documentChanges"][0]["textDocument"] == {"uri": URI, "version": 1}


def test_related_places_are_folded_into_the_message():
    shown = session(MOVED).diagnostics(URI)[0][URI][0]
    folded = session(MOVED, Client()).diagnostics(URI)[0][URI][0]
    assert len(shown["relatedInformation"]) == 2 and "relatedInformation" not in folded
    assert f"line {at(MOVED, 'v[0] = 1.0', 'v')['line'] + 1}: updated here" in folded["message"]
    assert "help: keep the old values with a copy" in folded["message"]


def test_pulled_reports_are_short_when_nothing_changed():
    s = session(MOVED)
    full = s.pulled(URI, None)
    assert full["kind"] == "full" and len(full["items"]) == 1
    assert s.pulled(URI, full["resultId"]) == {"kind": "unchanged", "resultId": full["resultId"]}
    s.change(URI, [{"text": GOOD}], 2)
    assert s.pulled(URI, full["resultId"])["items"] == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_places_in_every_encoding(encoding):
    text = MOVED.replace("return u[0] + v[1]", 'assert v[0] > 0.0, "\u00e9\U0001f600"; return u[1]')
    width = {"utf-8": 6, "utf-16": 3, "utf-32": 2}[encoding]
    s = session(text, Client(encoding=encoding))
    found = s.diagnostics(URI)[0][URI]
    line = next(t for t in text.splitlines() if "assert" in t)
    last = max(d["range"]["start"]["character"] for d in found if d["code"] == "LIN111")
    assert last == line.rindex("u[1]") - 2 + width
    number = text.splitlines().index(line)
    end = {"line": number, "character": last + 4}
    s.change(URI, [{"range": {"start": {"line": number, "character": last}, "end": end}, "text": "v[1]"}], 2)
    assert s.documents[URI].text == text.replace("u[1]", "v[1]")


# ----------------------------------------------------------------------------------------------------------- notebooks

CELLS = {
    "cell:1": "%matplotlib inline\nimport numpy as np\nfrom jaxtyping import Float64\nfrom linad import linear_grad",
    "cell:2": "%%bash\nls",
    "cell:3": "files = !ls\ndef first(a):\n    return a[0]",
    "cell:4": '@linear_grad(strict=True)\ndef f(x: Float64[np.ndarray, "n"]) -> float:\n    u = x.copy()\n    v = u\n    v[0] = 1.0\n'
    "    return first(u)",
}


def notebook(cells: dict[str, str], **given) -> Session:
    s = Session(CLIENT, **given)
    for uri, text in cells.items():
        s.open(uri, text, 1)
    s.notebooks["file:///somewhere/book.ipynb"] = list(cells)
    return s


def test_cells_see_each_other_and_findings_lie_in_their_cell():
    found, _ = notebook(CELLS).diagnostics("file:///somewhere/book.ipynb")
    assert {uri: [(d["code"], d["range"]["start"]) for d in ds] for uri, ds in found.items()} == {
        "cell:1": [],
        "cell:2": [],
        "cell:3": [],
        "cell:4": [("LIN111", {"line": 5, "character": 17})],
    }
    related = found["cell:4"][0]["relatedInformation"]
    assert {r["location"]["uri"] for r in related} == {"cell:4"}
    assert {r["location"]["range"]["start"]["line"] for r in related} == {3, 4}


def test_questions_about_a_cell():
    s = notebook(CELLS)
    assert "array of float64" in s.hover("cell:4", {"line": 2, "character": 4})["contents"]["value"]
    place = {"line": 5, "character": 17}
    (fix,) = [a for a in s.actions("cell:4", {"start": place, "end": place}) if a["kind"] == "quickfix"]
    assert list(fix["edit"]["changes"]) == ["cell:4"]
    s.change("cell:4", [{"text": CELLS["cell:4"].replace("v = u", "v = u.copy()")}], 2)
    assert not errors(s.diagnostics(s.home("cell:4"))[0]["cell:4"])
    assert {h["position"]["line"] for h in s.hints("cell:4", WHOLE)} <= set(range(6))
    assert s.hints("cell:1", WHOLE) == []


def test_a_broken_cell_leaves_the_others():
    cells = {**CELLS, "cell:3": CELLS["cell:3"] + "\nx = (", "cell:5": "y = = 1"}
    found, _ = notebook(cells).diagnostics("file:///somewhere/book.ipynb")
    assert [d["code"] for d in found["cell:3"]] == ["LIN209"]
    assert [d["code"] for d in found["cell:5"]] == ["LIN209"]
    assert all(d["range"]["start"]["line"] < 6 for d in found["cell:4"])


def test_magics_that_hold_python():
    cells = {"cell:1": CELLS["cell:1"], "cell:2": "%%time\n" + CELLS["cell:4"].replace("first(u)", "u[0]")}
    found, _ = notebook(cells).diagnostics("file:///somewhere/book.ipynb")
    assert [d["range"]["start"]["line"] for d in found["cell:2"]] == [6]


# ------------------------------------------------------------------------------------------------------------ settings


def test_the_project_and_the_editor_choose(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.linad]\nignore = ["zero-gradient"]\n')
    uri = (tmp_path / "p.py").as_uri()
    s = Session(CLIENT)
    s.open(uri, WARNED, 1)
    assert s.diagnostics(uri)[0][uri] == []
    s.settings = settings_of({"ignore": []})
    assert [d["code"] for d in s.diagnostics(uri)[0][uri]] == ["LIN403"]
    s.settings = settings_of({"select": ["LIN1"]})
    assert s.diagnostics(uri)[0][uri] == []
    s.settings = Settings()
    (tmp_path / "pyproject.toml").write_text('[tool.linad]\nignore = ["zero-gradients"]\n')
    s.forget()
    assert "zero-gradient" in s.wrong_settings(uri)
    assert [d["code"] for d in s.diagnostics(uri)[0][uri]] == ["LIN403"]


@pytest.mark.parametrize("given", [None, 3, [], {}, {"select": 3}, {"inlayHints": 3}, {"linad": {"unknown": {}}}])
def test_settings_that_mean_nothing_change_nothing(given):
    assert settings_of(given) == Settings()


# ----------------------------------------------------------------------------------------------------------- malformed

BROKEN = [
    "",
    "\0",
    "def",
    "(" * 300,
    "x = " + "-" * 5000 + "1",
    "\ufeff" + MOVED,
    MOVED.replace("\n", "\r\n"),
    MOVED.replace("\n", "\r"),
    MOVED.replace("    u = x", "\tu = x"),
    MOVED[:-7],
    MOVED + "\ud800",
    MOVED + "\f\n\u2028x = '''",
    "@linear_grad\n" * 3,
    MOVED * 2 + "class A:\n  def",
]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_anything_may_be_typed(text):
    s = session(text)
    found, complete = s.diagnostics(URI)
    assert complete and not [d for d in found[URI] if d["code"] == "LIN901"]
    for line in (0, 5, 19, 500):
        for character in (0, 7, 10_000):
            place = {"line": line, "character": character}
            s.hover(URI, place), s.definition(URI, place), s.actions(URI, {"start": place, "end": place})
    s.hints(URI, WHOLE)
    s.change(URI, [{"range": WHOLE, "text": MOVED}], 2)
    s.change(URI, [{"text": MOVED}], 3)
    assert [d["code"] for d in s.diagnostics(URI)[0][URI]] == ["LIN111"]


def test_every_prefix_of_a_program():
    s = session("")
    for k in range(0, len(MOVED), 3):
        s.change(URI, [{"text": MOVED[:k]}], k)
        assert not [d for d in s.diagnostics(URI)[0][URI] if d["code"] == "LIN901"]
    ast.parse(MOVED)


def test_documents_that_are_nowhere_and_no_python():
    s = Session(CLIENT)
    s.open("untitled:Untitled-1", MOVED, 1)
    assert [d["code"] for d in s.diagnostics("untitled:Untitled-1")[0]["untitled:Untitled-1"]] == ["LIN111"]
    s.open(URI, MOVED, 1, "markdown")
    assert s.diagnostics(URI)[0].get(URI) == []
    assert s.hover("file:///not/open.py", {"line": 0, "character": 0}) is None
    s.close(URI)
    s.close("file:///not/open.py")


@pytest.mark.parametrize("capabilities", [{}, {"general": None}, {"textDocument": 3}, {"workspace": {"diagnostics": []}}])
def test_any_capabilities(capabilities):
    assert client_of(capabilities).encoding == "utf-16"


def test_a_function_that_is_being_typed_keeps_its_types_and_others_their_hints():
    other = GOOD.replace("def ", "def other_").replace("@linear_grad", "\n\n@linear_grad", 1).partition("\n\n@linear_grad")[2]
    text = GOOD + "\n\n@linear_grad" + other
    broken = text.replace("        v[i] = u[i] + w * d", "        v[i] = np.sin(u[i]", 1)
    assert broken != text
    assert "`u`: array of float64 of rank 1" in hover(broken, "s += u[i]", "u[")
    assert len(labels(broken)) >= len(labels(text)) // 2 > 0
