"""The command: exit codes, formats, selection, and what is read."""

import io
import json
import os
import pathlib
import sys

import pytest
from linad_typecheck.cli import main
from linad_typecheck.ownership.rules import RULES

BROKEN = "from linad import linear_grad\n@linear_grad\ndef f(:\n"
UNKNOWN = "from linad import linear_grad\n\n\n@linear_grad\ndef f(x: float) -> float:\n    return x * nothing\n"
CLEAN = UNKNOWN.replace("nothing", "2.0")


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name: str, text: str) -> str:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        return name

    return write


def test_exit_codes(write, capsys):
    assert main(["check", write("clean.py", CLEAN)]) == 0
    assert capsys.readouterr().out == "no findings (1 file, 1 function)\n"
    assert main(["check", write("bad.py", UNKNOWN)]) == 1
    assert main(["check", "--exit-zero", "bad.py"]) == 0
    assert main(["check", "absent.py"]) == 2
    assert main(["check", "--select", "LIN777", "bad.py"]) == 2
    assert main(["check", "--output-format", "xml", "bad.py"]) == 2
    assert main([]) == 2


def test_a_defect_is_told_from_a_finding(write, monkeypatch, capsys):
    import linad_typecheck.check

    def fails(function, binding):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(linad_typecheck.check, "examine", fails)
    assert main(["check", write("clean.py", CLEAN), "--output-format", "concise"]) == 101
    assert "clean.py:4:1: error[LIN901]" in capsys.readouterr().out


def test_syntax(write, capsys):
    assert main(["check", write("broken.py", BROKEN), "--output-format", "concise"]) == 1
    assert capsys.readouterr().out.startswith("broken.py:3:7: error[LIN209]: this is not Python")


def test_folders_leave_out_what_is_not_the_users(write, capsys):
    for name in ("a/bad.py", ".hidden/bad.py", "env/lib/bad.py", "__pycache__/bad.py"):
        write(name, UNKNOWN)
    write("env/pyvenv.cfg", "")
    write("a/notes.txt", UNKNOWN)
    assert main(["check", "--output-format", "concise"]) == 1
    assert capsys.readouterr().out.splitlines() == ["a/bad.py:6:16: error[LIN202]: there is no name `nothing` here"]


def test_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(UNKNOWN.encode())))
    assert main(["check", "-", "--output-format", "json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["slug"], found["span"]["file"]) == ("unknown-name", "<stdin>")


def test_select_and_ignore(write, capsys):
    write("bad.py", UNKNOWN)
    assert main(["check", "bad.py", "--ignore", "unknown-name"]) == 0
    assert main(["check", "bad.py", "--select", "LIN1,syntax-error"]) == 0
    assert main(["check", "bad.py", "--select", "LIN2"]) == 1


def test_encodings(write, tmp_path, capsys):
    (tmp_path / "latin.py").write_bytes(b"# -*- coding: latin-1 -*-\n" + CLEAN.encode() + "# ä\n".encode("latin-1"))
    (tmp_path / "wrong.py").write_bytes(CLEAN.encode() + b"# \xe4\n")
    assert main(["check", "latin.py"]) == 0
    assert main(["check", "wrong.py"]) == 1


def test_explain(capsys):
    assert main(["explain", "use-after-move"]) == 0
    by_slug = capsys.readouterr().out
    assert main(["explain", "lin101"]) == 0
    assert capsys.readouterr().out == by_slug and "LIN101" in by_slug
    assert main(["explain", "r2"]) == 0
    assert RULES["R2"].statement[1:] in capsys.readouterr().out
    assert main(["explain", "use-after-mov"]) == 2
    assert "did you mean `use-after-move`" in capsys.readouterr().err


def test_other_commands_are_found_when_needed(monkeypatch, capsys):
    from types import ModuleType

    module = ModuleType("linad.doctor")
    module.command = lambda arguments: len(arguments)
    monkeypatch.setitem(sys.modules, "linad.doctor", module)
    assert main(["doctor", "--x", "y"]) == 2
    assert main(["doctor"]) == 0
    monkeypatch.setitem(sys.modules, "linad.doctor", None)
    assert main(["doctor"]) == 2


def test_the_summary_tells_what_was_checked(write, capsys):
    write("none.py", "def f(x):\n    return x\n")
    write("part.py", CLEAN.replace("x: float", "x"))
    write("empty/notes.txt", "")

    def summary(*arguments):
        main(["check", *arguments])
        return capsys.readouterr().out.splitlines()[-1]

    assert summary("none.py") == "no findings (1 file, 0 functions: nothing is decorated with @linear_grad)"
    assert summary("part.py") == (
        "no findings (1 file, 1 function, 1 checked in part: a call gives the types that annotations do not)"
    )
    assert summary("empty") == "no findings (0 files, 0 functions: there is no Python file)"
    assert summary(write("bad.py", UNKNOWN)) == "1 error (1 file, 1 function)"
    assert summary("bad.py", "--ignore", "LIN2") == "no findings (1 file, 1 function); 1 not selected"


def test_the_decorator_by_any_name(write, capsys):
    write("names.py", "from linad import linear_grad as lg\n")
    body = UNKNOWN.replace("nothing", 'b"2"').partition("@linear_grad\n")[2]
    for k, (head, decorator) in enumerate(
        {
            "import linad": "linad.linear_grad",
            "import linad as la": "la.linear_grad(wrt='x')",
            "from linad import *": "linear_grad",
            "try:\n    from linad import linear_grad as g\nexcept ImportError:\n    g = None": "g",
            "from names import lg": "lg",
            "import names": "names.lg",
        }.items()
    ):
        write(f"program{k}.py", f"{head}\n@{decorator}\n{body}")
        assert main(["check", f"program{k}.py", "--output-format", "concise"]) == 1, head
        assert "LIN201" in capsys.readouterr().out, head


def test_helpers_of_other_modules_are_checked_where_they_are(write, capsys):
    write("pkg/__init__.py", "")
    write("pkg/inner.py", "def twice(x):\n    return x * nothing\n")
    write(
        "pkg/main.py",
        "from linad import linear_grad\nfrom .inner import twice\n@linear_grad\ndef f(x: float) -> float:\n    return twice(x)\n",
    )
    assert main(["check", "pkg", "--output-format", "concise"]) == 1
    assert (
        capsys.readouterr()
        .out.splitlines()[0]
        .endswith("inner.py:2:16: error[LIN202]: there is no name `nothing` here")
    )


def test_what_is_no_function_is_refused(write, capsys):
    text = "from linad import linear_grad\nclass A:\n    @linear_grad\n    def m(self, x: float) -> float:\n        return x\n"
    text += "    @staticmethod\n    @linear_grad\n    def s(x: float) -> float:\n        return x\n"
    text += "@linear_grad\nasync def g(x: float) -> float:\n    return x\n@linear_grad\nclass B:\n    pass\n"
    assert main(["check", write("odd.py", text), "--output-format", "concise"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[2] for line in lines] == [
        f"error[LIN201]: {what} cannot be used in a differentiated function"
        for what in ("the method `A.m`", "the coroutine function `g`", "the class `B`")
    ]


def test_the_rest_of_a_half_typed_file_is_checked(write, capsys):
    text = UNKNOWN + "\n\ndef half(x:\n    return (x +\n\n\n" + UNKNOWN.partition("\n\n\n")[2].replace("def f", "def g")
    assert main(["check", write("half.py", text), "--output-format", "concise"]) == 1
    codes = [line.split(": ")[1] for line in capsys.readouterr().out.splitlines()]
    assert codes == ["error[LIN202]", "error[LIN209]", "error[LIN202]"]


def test_nothing_is_run_and_no_numeric_library_is_imported(write):
    import subprocess

    write("loud.py", f"{CLEAN}\nraise SystemExit('run')\n")
    code = (
        "import sys; from linad_typecheck.cli import main; code = main(['check', 'loud.py']); "
        "assert not {'numpy', 'numba', 'linad', 'jaxtyping'} & set(sys.modules); sys.exit(code)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_explain_lists_the_codes_where_nothing_is_near(capsys):
    assert main(["explain", "zzzzzzz"]) == 2
    told = capsys.readouterr().err
    assert "LIN101  use-after-move" in told and "did you mean" not in told


def test_the_hooks_are_commands(write):
    from pathlib import Path

    hooks = (Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text()
    entries = [line.partition(": ")[2].split() for line in hooks.splitlines() if line.strip().startswith("entry:")]
    assert len(entries) == 2
    for program, *arguments in entries:
        assert program == "linad" and main([*arguments, write("clean.py", CLEAN)]) == 0


def test_standard_input_is_read_as_a_file_is(monkeypatch, capsys):
    """A byte order mark is no character of the text, and an encoding may be declared in it."""
    for data in (b"\xef\xbb\xbf" + UNKNOWN.encode(), f"# coding: latin-1\n# \xe9\n{UNKNOWN}".encode("latin-1")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert main(["check", "-", "--output-format", "concise"]) == 1
        (line,) = capsys.readouterr().out.splitlines()
        assert line.endswith("there is no name `nothing` here")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"# \xe9\n" + UNKNOWN.encode())))
    assert main(["check", "-", "--output-format", "concise"]) == 1
    assert "error[LIN209]" in capsys.readouterr().out


def test_what_is_no_file_does_not_hide_the_findings_of_others(write, tmp_path, capsys):
    write("bad.py", UNKNOWN)
    (tmp_path / ".#bad.py").symlink_to("me@host.1234")
    (tmp_path / "gone.py").symlink_to("nowhere")
    (tmp_path / "a.py").symlink_to("a.py")
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "folder.py").mkdir()
    assert main(["check", "--output-format", "concise"]) == 1
    assert capsys.readouterr().out.splitlines() == ["bad.py:6:16: error[LIN202]: there is no name `nothing` here"]


def test_an_unreadable_file_is_told_and_the_rest_is_checked(write, monkeypatch, capsys):
    write("bad.py", UNKNOWN)
    write("secret.py", UNKNOWN)
    opened = pathlib.Path.read_bytes

    def refuses(path):
        if path.name == "secret.py":
            raise PermissionError(13, "Permission denied")
        return opened(path)

    monkeypatch.setattr(pathlib.Path, "read_bytes", refuses)
    assert main(["check", "--output-format", "concise"]) == 2
    shown = capsys.readouterr()
    assert shown.err == "linad check: secret.py: Permission denied\n"
    assert shown.out == "bad.py:6:16: error[LIN202]: there is no name `nothing` here\n"


def test_a_path_that_is_nothing():
    assert main(["check", ""]) == 2


WARNED = "import numpy as np\ndef cut(x):\n    k = np.zeros(3, dtype=np.int64)\n    k[0] = x\n    return k[0] * x\n"
USES = "from linad import linear_grad\nfrom {} import cut\n\n\n@linear_grad\ndef f(x: float) -> float:\n    return cut(x)\n"


def test_a_warning_of_a_helper_is_silenced_where_it_stands(write, capsys):
    write("a.py", USES.format("helpers"))
    write("helpers.py", WARNED)
    assert main(["check", "--output-format", "concise"]) == 1
    assert capsys.readouterr().out.startswith("helpers.py:4:5: warning[LIN304]")
    write("helpers.py", WARNED.replace("= x\n", "= x  # linad: ignore[float-truncated]\n"))
    assert main(["check"]) == 0, "nor is the comment unused: nothing in its own file calls the function"


def test_comments_in_functions_that_nothing_here_calls_are_let_be(write, capsys):
    comment = "  # linad: ignore[float-truncated]\n"
    text = UNKNOWN.replace("nothing", "inner(x)") + "def inner(x):\n    return x{0}def outer(x):\n    return x{0}y = 1{0}{0}"
    write("a.py", text.format(comment))
    assert main(["check", "--output-format", "concise"]) == 1
    found = capsys.readouterr().out.splitlines()
    assert [line.split(":")[1] for line in found] == ["8", "11", "12"] and all("LIN210" in line for line in found)


def test_a_file_has_one_name_also_where_an_import_leads_to_it(write, tmp_path, capsys):
    write("pkg/helper.py", UNKNOWN)
    write("pkg/main.py", USES.format("helper").replace("import cut", "import f as cut"))
    for paths, name in (([], "pkg/helper.py"), (["./pkg/helper.py", "pkg/main.py"], "./pkg/helper.py"), ([str(tmp_path)], str(tmp_path / "pkg/helper.py"))):
        assert main(["check", *paths, "--output-format", "concise"]) == 1
        assert capsys.readouterr().out.splitlines() == [f"{name}:6:16: error[LIN202]: there is no name `nothing` here"]


def test_a_file_of_a_million_lines_is_not_checked_and_that_is_told(write, capsys):
    write("generated.py", UNKNOWN + "x = 1\n" * 1_000_000)
    write("bad.py", UNKNOWN)
    assert main(["check", "--output-format", "concise"]) == 2
    shown = capsys.readouterr()
    assert "generated.py: not checked, it has more than 200,000 lines" in shown.err and shown.out.startswith("bad.py:6")
