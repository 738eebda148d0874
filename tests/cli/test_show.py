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
