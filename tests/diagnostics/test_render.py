"""The rendered forms, character by character."""

import json

from linad_typecheck.diagnostics import Diagnostic, Edit, Fix, Label
from linad_typecheck.render import render_concise, render_github, render_json, render_text
from linad_typecheck.span import NOWHERE, Span

HEAT = "\n" * 11 + "    v = u\n    v[0] = 1.0\n    return u[0] + v[1]\n"


def at(line: int, start: int, end: int, file: str = "heat.py") -> Span:
    return Span(file, line, start, line, end)


MOVED = Diagnostic(
    "LIN101",
    "use-after-move",
    "error",
    "`u` is read after its buffer was moved into `v`",
    at(14, 12, 13),
    "read here: plain Python would see the update",
    (Label(at(12, 9, 10), "moved here: from now on the array is called `v`"), Label(at(13, 5, 9), "updated here")),
    fixes=(Fix("keep the old values with a copy", (Edit(at(12, 10, 10), ".copy()"),)),),
)


def show(text: str, primary: Span, label: str = "", *labels: Label, notes=(), fixes=()) -> str:
    d = Diagnostic("LIN000", "slug", "warning", "message", primary, label, labels, notes, fixes)
    return render_text([d], {"heat.py": text})


def body(rendered: str) -> list[str]:
    """The snippet alone."""
    return rendered.split("\n")[3:-2]


def test_full():
    assert render_text([MOVED], {"heat.py": HEAT}) == """\
error[LIN101]: `u` is read after its buffer was moved into `v`
  --> heat.py:14:12
   |
12 |     v = u
   |         - moved here: from now on the array is called `v`
13 |     v[0] = 1.0
   |     ---- updated here
14 |     return u[0] + v[1]
   |            ^ read here: plain Python would see the update
   |
help: keep the old values with a copy
12 |     v = u.copy()
   |          +++++++
   = more: linad explain use-after-move"""


def test_several_labels_in_a_line():
    found = show("f(u, v, u)", at(1, 9, 10), "again", Label(at(1, 3, 4), "first"), Label(at(1, 6, 7), "between"))
    assert body(found) == [
        "1 | f(u, v, u)",
        "  |   -  -  ^ again",
        "  |   |  |",
        "  |   |  between",
        "  |   first",
    ]


def test_a_place_inside_another():
    found = show("total = f(u)", at(1, 11, 12), "inner", Label(at(1, 9, 13), "outer"))
    assert body(found) == [
        "1 | total = f(u)",
        "  |         --^-",
        "  |         | |",
        "  |         | inner",
        "  |         outer",
    ]


def test_two_labels_at_one_place():
    found = show("f(u)", at(1, 3, 4), "one", Label(at(1, 3, 4), "two"))
    assert body(found) == ["1 | f(u)", "  |   ^ one", "  |   |", "  |   two"]


def test_lines_between():
    text = "a\nb\nc\nd\ne\nf\n"
    near = show(text, at(1, 1, 2), "x", Label(at(3, 1, 2), "y"))
    assert body(near) == ["1 | a", "  | ^ x", "2 | b", "3 | c", "  | - y"]
    far = show(text, at(1, 1, 2), "x", Label(at(6, 1, 2), "y"))
    assert body(far) == ["1 | a", "  | ^ x", "...", "6 | f", "  | - y"]


def test_wide_characters_tabs_and_controls():
    assert body(show("\tlänge = '日本' + x", at(1, 17, 18))) == ["1 |     länge = '日本' + x", "  |                      ^"]
    assert "\x1b" not in show("x = '\x1b[2J'", at(1, 1, 2))


def test_many_lines_are_marked_on_the_first():
    found = show("f(a,\n  b)", Span("heat.py", 1, 1, 2, 5), "call")
    assert body(found) == ["1 | f(a,", "  | ^^^^ call"]


def test_other_files():
    d = Diagnostic("LIN000", "slug", "error", "m", at(1, 1, 2), "here", (Label(at(2, 1, 2, "b.py"), "there"),))
    assert render_text([d], {"heat.py": "a\n", "b.py": "x\ny\n"}) == """\
error[LIN000]: m
 --> heat.py:1:1
  |
1 | a
  | ^ here
 ::: b.py:2:1
  |
2 | y
  | - there
  |
  = more: linad explain slug"""


def test_without_text_or_place():
    assert show("", at(3, 1, 2)).split("\n")[1] == " --> heat.py:3:1"
    assert render_text([Diagnostic("LIN000", "slug", "error", "m", NOWHERE)]).startswith("error[LIN000]: m\n  |\n")


def test_previews():
    replaced = Fix("swap", (Edit(at(1, 1, 2), "yy"), Edit(at(1, 5, 6), "")))
    assert show("x = 1", at(1, 1, 2), fixes=(replaced,)).split("\n")[-4:-1] == ["help: swap", "1 | yy = ", "  | ~~"]
    inserted = Fix("copy", (Edit(at(1, 1, 1), "x = x.copy()\n"),))
    assert show("x[0] = 1", at(1, 1, 2), fixes=(inserted,)).split("\n")[-3:-1] == ["1 + x = x.copy()", "2 | x[0] = 1"]
    assert "help: just words\n  = note" not in show("x", at(1, 1, 2), notes=("n",), fixes=(Fix("just words"),))


def test_colour_changes_nothing_else():
    import re

    painted = render_text([MOVED], {"heat.py": HEAT}, colour=True)
    assert "\x1b[1;31m" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == render_text([MOVED], {"heat.py": HEAT})


def test_concise():
    assert render_concise([MOVED]) == "heat.py:14:12: error[LIN101]: `u` is read after its buffer was moved into `v`"


def test_json_can_be_read_back():
    (found,) = json.loads(render_json([MOVED]))
    assert found["slug"] == "use-after-move" and found["span"]["line"] == 14
    assert found["fixes"][0]["edits"][0]["text"] == ".copy()"


def test_github_escapes():
    d = Diagnostic("LIN000", "slug", "warning", "100% sure,\nreally", at(1, 2, 3, "a,b.py"))
    assert render_github([d]) == (
        "::warning file=a%2Cb.py,line=1,col=2,endLine=1,endColumn=3,title=LIN000 slug::100%25 sure,%0Areally"
    )
