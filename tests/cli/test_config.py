"""``[tool.linad]`` of the nearest ``pyproject.toml``."""

import pytest
from linad_typecheck.checking import config
from linad_typecheck.cli import main

UNKNOWN = "from linad import linear_grad\n\n\n@linear_grad\ndef f(x: float) -> float:\n    return x * nothing\n"


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config.nearest.cache_clear()

    def write(name: str, text: str) -> str:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        return name

    yield write
    config.nearest.cache_clear()


def test_select_and_ignore(write, capsys):
    write("pyproject.toml", '[tool.linad]\nignore = ["LIN2"]\n')
    assert main(["check", write("a.py", UNKNOWN)]) == 0
    assert main(["check", "a.py", "--select", "LIN2"]) == 1, "the command line comes last"
    write("sub/pyproject.toml", '[tool.linad]\nselect = ["unknown-name"]\n')
    assert main(["check", write("sub/b.py", UNKNOWN)]) == 1, "the nearest counts"


def test_a_file_without_the_table_is_passed_over(write):
    write("pyproject.toml", '[tool.linad]\nignore = ["LIN2"]\n')
    write("sub/pyproject.toml", '[project]\nname = "x"\n')
    assert main(["check", write("sub/b.py", UNKNOWN)]) == 0


def test_files_are_left_out(write, capsys):
    write("pyproject.toml", '[tool.linad]\nexclude = ["generated", "*_pb.py"]\noutput-format = "concise"\n')
    for name in ("generated/a.py", "x_pb.py", "b.py"):
        write(name, UNKNOWN)
    assert main(["check", "."]) == 1
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == ["b.py"]
    assert main(["check", "x_pb.py"]) == 1
    assert main(["check", "--force-exclude", "x_pb.py"]) == 0


def test_per_file(write):
    write("pyproject.toml", '[tool.linad.per-file-ignores]\n"tests/*" = ["unknown-name"]\n')
    assert main(["check", write("tests/a.py", UNKNOWN)]) == 0
    assert main(["check", write("a.py", UNKNOWN)]) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[tool.linad]\nignroe = []\n", "did you mean `ignore`"),
        ('[tool.linad]\nignore = ["use-after-mov"]\n', "did you mean `use-after-move`"),
        ('[tool.linad]\nignore = "LIN1"\n', "`ignore` is a list of strings"),
        ('[tool.linad]\noutput-format = "xml"\n', "is one of full, concise, json, github, sarif"),
        ("[tool.linad\n", "pyproject.toml"),
    ],
)
def test_mistakes_are_wrong_usage(write, capsys, text, told):
    write("pyproject.toml", text)
    assert main(["check", write("a.py", UNKNOWN)]) == 2
    assert told in capsys.readouterr().err


def test_another_file(write):
    write("other.toml", '[tool.linad]\nignore = ["LIN2"]\n')
    assert main(["check", "--config", "other.toml", write("a.py", UNKNOWN)]) == 0


def test_strict_makes_errors_of_updates_under_a_second_name(write, capsys):
    text = (
        'import numpy as np\nfrom jaxtyping import Float64\nfrom linad import linear_grad\n\n\n@linear_grad\n'
        'def f(x: Float64[np.ndarray, "n"]) -> float:\n    u = x.copy()\n    v = u\n    v[0] = 1.0\n    return u[0] + x[1]\n'
    )
    write("f.py", text)
    main(["check", "f.py", "--output-format", "concise"])
    assert "warning[LIN111]" in capsys.readouterr().out
    write("pyproject.toml", "[tool.linad]\nstrict = true\n")
    config.nearest.cache_clear()
    assert main(["check", "f.py", "--output-format", "concise"]) == 1
    assert "error[LIN111]" in capsys.readouterr().out
