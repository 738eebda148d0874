"""The worked errors of the page: each program gives the message below it, and the repaired one gives none and runs.

``LINAD_REGENERATE=1`` writes the messages of now into the page; ``python -m benchmarks.picture`` makes its picture again.
"""

import os
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from linad_typecheck import check_source
from linad_typecheck.render import render_text

from benchmarks import picture

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorial" / "reading-an-ownership-error.md"
PRELUDE = "import numpy as np\nfrom jaxtyping import Float64\nfrom linad import linear_grad\n\n\n"
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_MESSAGE = re.compile(r"^```text\n.*?^```\n", re.MULTILINE | re.DOTALL)


def sections() -> dict[str, str]:
    _, *parts = _HEADING.split(PAGE.read_text(encoding="utf-8"))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def block(section: str, kind: str) -> str:
    return re.search(rf"^```{kind}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)[1]


def message(program: str) -> str:
    text = PRELUDE + program
    return render_text(check_source(text, "program.py"), {"program.py": text}) + "\n"


@pytest.fixture(scope="module", autouse=True)
def rewritten() -> None:
    if os.environ.get("LINAD_REGENERATE"):
        text = PAGE.read_text(encoding="utf-8")
        for section in sections().values():
            told = f"```text\n{message(block(section, 'python fails'))}```\n"
            text = text.replace(section, _MESSAGE.sub(lambda _, told=told: told, section))
        PAGE.write_text(text, encoding="utf-8")


def test_there_are_five():
    assert len(sections()) == 5


@pytest.mark.parametrize("name", sections())
def test_the_program_gives_its_message(name: str):
    section = sections()[name]
    assert block(section, "text") == message(block(section, "python fails"))
    assert block(section, "text").startswith("warning[LIN111" if name == "One array, two names" else "error[LIN10")


@pytest.mark.parametrize("name", sections())
def test_the_repaired_program_gives_none_and_runs(name: str, tmp_path: Path):
    program = PRELUDE + block(sections()[name], "python repaired")
    assert check_source(program) == []
    file = tmp_path / "program.py"
    file.write_text(program, encoding="utf-8")
    module: dict[str, object] = {"__name__": "program", "__file__": str(file)}
    exec(compile(program, str(file), "exec"), module)
    f = [v for v in module.values() if hasattr(v, "py_func")][-1]
    arrays = [np.linspace(1.0, 2.0, 6) + k for k in range(2)]
    given = {"heat": (arrays[0], 0.1, 2), "smooth": (arrays[0], 0.1), "repeat": (arrays[0], 3), "pick": (*arrays, True)}
    before = [a.copy() for a in arrays]
    asked = given[f.__name__][: f.py_func.__code__.co_argcount]
    assert np.isfinite(f.py_func(*asked))
    assert all((a == b).all() for a, b in zip(arrays, before, strict=True))


def test_the_picture_is_that_of_the_first_error():
    text = block(next(iter(sections().values())), "text")
    svg = picture.FILE.read_text(encoding="utf-8")
    assert svg == picture.svg(picture.message())
    root = ElementTree.fromstring(svg)
    lines: dict[float, dict[int, str]] = {}
    for run in root.iter("{http://www.w3.org/2000/svg}text"):
        column = round((float(run.get("x")) - picture.MARGIN) / picture.WIDTH)
        lines.setdefault(float(run.get("y")), {})[column] = run.text
    shown = []
    for _, runs in sorted(lines.items()):
        line = ""
        for column, part in sorted(runs.items()):
            line += " " * (column - len(line)) + part
        shown.append(line)
    assert [line for line in shown if line.strip()] == [line for line in text.splitlines() if line.strip()]
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")
