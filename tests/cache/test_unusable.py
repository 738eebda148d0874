"""A cache folder that cannot be used is said once, and everything works without it."""

import errno
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import platformdirs
import pytest
from linad_typecheck.diagnostics import LinadWarning

import linad
from linad import linear_grad, specialise
from linad.codegen import cache

KEY = "0123456789abcdef0123456789abcdef"


@pytest.fixture(autouse=True)
def nothing_said_yet(monkeypatch):
    monkeypatch.setattr(cache, "_said", threading.Lock())
    monkeypatch.setattr(cache, "_memory", {})
    monkeypatch.setattr(specialise, "_loaded", {})


def made_and_called(k: float):
    @linear_grad
    def f(x: float) -> float:
        return k * x * x

    return f(3.0), f.grad(3.0), linad.jvp(linad.grad(f), (3.0,), (1.0,))


def file_in_its_place(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path / "file"))
    return "Not a directory|File exists"


def no_home(tmp_path, monkeypatch):
    monkeypatch.delenv("LINAD_CACHE_DIR", raising=False)
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: Path("~/.cache") / name)
    monkeypatch.chdir(tmp_path)
    return "no home folder"


def no_home_of_that_name(tmp_path, monkeypatch):
    monkeypatch.setenv("LINAD_CACHE_DIR", "~nobody_of_that_name/cache")
    return "no home folder"


def read_only(tmp_path, monkeypatch):
    """No folder can be made and no file written: who runs tests as root may write in a read-only folder."""
    monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path))

    def refuse(*args, **options):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(cache.Path, "mkdir", refuse)
    return "Read-only"


def full(tmp_path, monkeypatch):
    monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path))

    def refuse(*args, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(cache.tempfile, "mkstemp", refuse)
    return "No space left"


@pytest.mark.parametrize("broken", [file_in_its_place, no_home, no_home_of_that_name, read_only, full])
def test_it_is_said_once_and_everything_works(tmp_path, monkeypatch, broken):
    monkeypatch.delenv("LINAD_CACHE", raising=False)
    why = broken(tmp_path, monkeypatch)
    with pytest.warns(LinadWarning, match=f"(?i)({why}).*: it stays in memory.*LINAD_CACHE_DIR") as seen:
        assert made_and_called(2.0) == (18.0, 12.0, (12.0, 4.0))
    assert [w.filename for w in seen] == [__file__]
    monkeypatch.setattr(specialise, "checked_or_error", None)  # what is in memory is found there
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made_and_called(2.0) == (18.0, 12.0, (12.0, 4.0))
        monkeypatch.undo()
        assert made_and_called(3.0)[:2] == (27.0, 18.0)
    assert not (tmp_path / "~").exists()


def test_switched_off_is_not_unusable(monkeypatch):
    monkeypatch.setenv("LINAD_CACHE", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made_and_called(5.0)[:2] == (45.0, 30.0)


def test_a_warning_that_is_an_error_leaves_things_whole(tmp_path, monkeypatch):
    file_in_its_place(tmp_path, monkeypatch)
    monkeypatch.delenv("LINAD_CACHE", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(LinadWarning):
            made_and_called(7.0)
        assert made_and_called(7.0)[:2] == (63.0, 42.0)


def test_a_folder_that_another_process_has_just_removed_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path))
    entry = cache.entry("f", KEY)
    assert entry.ready()
    entry.folder.rmdir()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.write(entry.folder / "m.py", b"text") and cache.read(entry.folder / "m.py") == b"text"


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setenv("LINAD_CACHE", "0")
    monkeypatch.setattr(cache, "IN_MEMORY", 3)
    monkeypatch.setattr(cache, "FRONTS", 2)
    for name in "abcd":
        for k in range(4):
            cache.entry(name, KEY).store_front(f"{k}", k)
    assert [list(cache.entry(name, KEY).fronts()) for name in "da"] == [[("3", 3), ("2", 2)], []]
    assert len(cache._memory) == 3


def test_the_commands_work_without_a_home(monkeypatch, capsys):
    monkeypatch.setenv("LINAD_CACHE_DIR", "~nobody_of_that_name/cache")
    for arguments in (["dir"], ["list"], ["purge"]):
        assert cache.command(arguments) == 0
    assert capsys.readouterr().out.count("there is no home") == 2


FULL = """\
import resource, signal, sys
import numpy as np
from jaxtyping import Float64
from linad import linear_grad
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))  # front and text have room, machine code has not

@linear_grad
def f(A: Float64[np.ndarray, "n n"]) -> float:
    return np.linalg.cholesky(A)[1, 0]

print(f(np.array([[4.0, 2.0], [2.0, 5.0]])))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of file sizes here")
def test_machine_code_that_finds_no_room(tmp_path):
    """Numba writes that one itself, of linad's own functions too."""
    (tmp_path / "program.py").write_text(FULL)
    environment = {**os.environ, "LINAD_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(tmp_path / "program.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() == "1.0", done.stderr
    assert done.stderr.count("LinadWarning") == 1 and "program.py:12: " in done.stderr
