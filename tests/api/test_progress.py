"""The line that says what is compiled: on a terminal, after a while, once, and not for ever."""

import io
import os
import subprocess
import sys
import threading
import time
from contextlib import redirect_stderr

import pytest

from linad import linear_grad, progress, specialise


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Notebook(io.StringIO):
    pass


Notebook.__module__ = "ipykernel.iostream"


@pytest.fixture(params=[Terminal, Notebook])
def screen(request, monkeypatch):
    """A stream that shows lines, in surroundings where they are wanted."""
    for name in ("CI", "PYTEST_VERSION", "LINAD_PROGRESS", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(progress, "UNWATCHED", {"CI", "PYTEST_VERSION"})  # pytest sets the third one before each test
    monkeypatch.setattr(progress, "AFTER", 0.0)
    return request.param()


def shown(stream, seconds=0.3):
    with redirect_stderr(stream), progress.compiling("the gradient of f", True):
        deadline = time.monotonic() + seconds
        while not stream.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    return stream.getvalue()


def test_it_is_shown_and_taken_back(screen):
    text = "linad: compiling the gradient of f (once; cached for later runs) ..."
    if isinstance(screen, Terminal):
        assert shown(screen, 5.0) == f"\0337{text[:79]}\0338\033[J"
    else:
        assert shown(screen, 5.0) == f"{text}\r{' ' * len(text)}\r"


def test_what_is_quick_is_not_told(screen, monkeypatch):
    monkeypatch.setattr(progress, "AFTER", 60.0)
    assert shown(screen, 0.02) == ""
    assert not [t for t in threading.enumerate() if isinstance(t, threading.Timer) and not t.finished.is_set()]


@pytest.mark.parametrize(
    ("name", "value"), [("LINAD_PROGRESS", "0"), ("CI", "true"), ("PYTEST_VERSION", "9"), ("TERM", "dumb")]
)
def test_where_it_is_not_wanted(screen, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert shown(screen, 0.05) == "" or (name == "TERM" and isinstance(screen, Notebook))


def test_not_in_pipes_nor_without_a_stream(screen, monkeypatch):
    for stream in (io.StringIO(), None):
        with redirect_stderr(stream), progress.compiling("f", False):
            time.sleep(0.02)
        assert stream is None or stream.getvalue() == ""
    closed = Terminal()
    closed.close()
    with redirect_stderr(closed), progress.compiling("f", False):
        time.sleep(0.02)


def test_not_in_workers(screen, monkeypatch):
    import multiprocessing

    monkeypatch.setattr(multiprocessing.current_process(), "_name", "LokyProcess-1")
    assert shown(screen, 0.05) == ""
    monkeypatch.setattr(multiprocessing.current_process(), "_name", "MainProcess")
    monkeypatch.setattr(progress, "_PROCESS", os.getpid() + 1)
    assert shown(screen, 0.05) == ""


def test_an_error_inside_takes_it_back_too(screen):
    with pytest.raises(ValueError), redirect_stderr(screen), progress.compiling("f", False):
        time.sleep(0.2)
        raise ValueError
    assert screen.getvalue().endswith(("\0338\033[J", " \r"))


def test_compiling_says_what(screen, monkeypatch):
    told = []
    monkeypatch.setattr(specialise, "_loaded", {})
    monkeypatch.setattr(progress._Line, "show", lambda line: told.append(line._written.strip("\0337")))

    @linear_grad(cache=False)
    def loss(x: float) -> float:
        return x * x * x

    with redirect_stderr(screen):
        assert loss.grad(2.0) == 12.0
    assert told and told[0].startswith(f"linad: compiling the gradient of {loss.__qualname__}"[:70])


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_a_real_terminal():
    import pty

    code = (
        "import sys, time; from linad import progress; progress.AFTER = 0.0\n"
        "print('x = ', end='', flush=True)\n"
        "with progress.compiling('f', True): time.sleep(0.3)\n"
        "print(1)"
    )
    environment = {k: v for k, v in os.environ.items() if k not in progress.UNWATCHED}
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", code]
    watched = {**environment, "TERM": "xterm"}
    subprocess.run(command, stdin=theirs, stdout=theirs, stderr=theirs, env=watched, timeout=60)
    assert os.read(ours, 1000).startswith(b"x = \0337linad: compiling f (once;")
    done = subprocess.run(command, env=environment, capture_output=True, timeout=60)
    assert done.stdout == b"x = 1\n" and done.stderr == b""
    os.close(ours), os.close(theirs)
