"""The command: exit codes, formats, selection, and what is read."""

import io
import json
import sys

import pytest
from linad_typecheck.cli import main

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
    assert capsys.readouterr().out == "no findings (1 file checked)\n"
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

    monkeypatch.setattr(linad_typecheck.check, "check", fails)
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
    monkeypatch.setattr(sys, "stdin", io.StringIO(UNKNOWN))
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
