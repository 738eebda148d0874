"""`linad doctor --timings`: the stages of a first gradient."""

import re

from linad.doctor import command

TEXT = """import numpy as np
from jaxtyping import Float64

open("touched", "w")


def f(x: Float64[np.ndarray, "n"]) -> float:
    return np.sum(x * x)


def wrong(x: Float64[np.ndarray, "n"]) -> float:
    return np.sum(x @@ 1)
"""


def test_every_stage_is_timed_and_nothing_of_the_file_runs(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.py").write_text(TEXT.replace("@@", "*"))
    assert command(["--timings", "program.py::f"]) == 0
    heading, *stages, total = capsys.readouterr().out.splitlines()
    assert heading.split() == ["stage", "CPU", "clock"]
    names = [re.split(r"  +", line)[0] for line in stages]
    assert names[0] == "check and lower" and names[-1] == "machine code" and "differentiate" in names
    seconds = [float(re.search(r"([\d.]+) s", line)[1]) for line in (*stages, total)]
    assert abs(sum(seconds[:-1]) - seconds[-1]) < 0.05 and seconds[-1] > 0.0
    assert re.search(r"\d+ statements$", stages[0]) and re.search(r"\d+ lines$", stages[-2])
    assert not (tmp_path / "touched").exists()


def test_what_is_not_there_is_told(tmp_path, capsys) -> None:
    file = tmp_path / "program.py"
    file.write_text(TEXT.replace("x @@ 1", "undefined"))
    assert command(["--timings", f"{file}::g"]) == 2
    assert "there is no function `g`" in capsys.readouterr().err
    assert command(["--timings", f"{file}::wrong"]) == 1
    found = capsys.readouterr()
    assert "undefined" in found.err and not found.out
    assert command(["--timings"]) == 2
