"""`linad show FILE::FUNCTION` and `linad explain FILE::FUNCTION`: from the text alone."""

import pytest
from linad_typecheck.cli import main

from linad.show import STAGES

PROGRAM = """\
import numpy as np
from jaxtyping import Float64
from linad import linear_grad


@linear_grad(wrt="x")
def loss(x: Float64[np.ndarray, "n"], w: float) -> float:
    s = 0.0
    for i in range(len(x)):
        s += w * x[i] ** 2
    return s


def plain(a: float) -> float:
    return a * a


def untyped(a):
    return a * a


def wrong(a: float) -> float:
    return a * nothing


def outer():
    def inner(a: float) -> float:
        return a + a

    return inner


raise SystemExit("run")
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(PROGRAM)
    return "model.py"


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage(file, stage, capsys):
    assert main(["show", f"{file}::loss", "--stage", stage]) == 0
    assert "loss" in capsys.readouterr().out


def test_the_table_differentiates_by_what_is_asked_for(file, capsys):
    assert main(["show", f"{file}::loss"]) == 0
    table = capsys.readouterr().out
    assert "x_bar[i] +=" in table and "w_bar" not in table


def test_explain(file, capsys):
    assert main(["explain", f"{file}::loss"]) == 0
    assert "loop: sum" in capsys.readouterr().out


def test_functions_by_path_decorated_or_not(file):
    assert main(["show", f"{file}::plain"]) == 0
    assert main(["show", f"{file}::outer.inner"]) == 0


@pytest.mark.parametrize(
    ("place", "code", "told"),
    [
        ("model.py::los", 2, "did you mean `loss`"),
        ("absent.py::loss", 2, "there is no file `absent.py`"),
        ("loss", 2, "is not of the form FILE::FUNCTION"),
        ("model.py::untyped", 1, "the type of `a` does not follow"),
        ("model.py::wrong", 1, "error[LIN202]"),
    ],
)
def test_what_cannot_be_shown(file, place, code, told, capsys):
    assert main(["show", place]) == code
    assert told in capsys.readouterr().err


def test_a_stage_that_does_not_exist(file):
    assert main(["show", f"{file}::loss", "--stage", "nonsense"]) == 2


def test_explain_as_a_page(file, tmp_path, capsys):
    assert main(["explain", f"{file}::loss", "--format", "html", "-o", "loss.html"]) == 0
    text = (tmp_path / "loss.html").read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>") and "loop: sum" in text and capsys.readouterr().out == "wrote loss.html\n"


def test_what_happens_in_a_helper_of_another_file_is_told_at_its_call(file, tmp_path, capsys):
    """Lines of the other file have numbers too, and they are not those of this one."""
    (tmp_path / "helpers.py").write_text("\n" * 8 + "def cum(u):\n    for i in range(1, len(u)):\n        u[i] = u[i] * u[i - 1]\n")
    (tmp_path / "main.py").write_text(
        "import numpy as np\nfrom jaxtyping import Float64\nfrom linad import linear_grad\nfrom helpers import cum\n"
        '@linear_grad\ndef f(x: Float64[np.ndarray, "n"]) -> float:\n    u = x.copy()\n    cum(u)\n'
        "    # no\n    # code\n    # here\n    return u[0] + u[1]\n"
    )
    assert main(["explain", "main.py::f"]) == 0
    lines = capsys.readouterr().out.splitlines()
    at = {text: k for k, text in enumerate(lines)}
    loop = next(k for k, text in enumerate(lines) if "loop: sequential" in text)
    assert at[" 8 │     cum(u)"] < loop < at[" 9 │     # no"]
    assert main(["show", "main.py::f"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if "# code" in line or "# here" in line]
    assert all(row.split("│")[3].strip() == "" for row in rows)
    assert main(["check", "--facts", "--output-format", "concise", "main.py"]) == 0
    assert {line.split(":")[1] for line in capsys.readouterr().out.splitlines()} == {"8"}
