"""Whatever the system refuses the cache, calls give what they give without it, and it is said at most once."""

import errno
import os
import pathlib
import tempfile
import threading
import warnings

import pytest
from linad_typecheck.diagnostics import LinadWarning

import linad
from linad import linear_grad, specialise
from linad.codegen import cache, compile

CALLS = [
    (os, "open"), (os, "fstat"), (os, "fdopen"), (os, "replace"), (tempfile, "mkstemp"), (tempfile, "gettempdir"),
    *((pathlib.Path, name) for name in ("mkdir", "stat", "touch", "unlink", "glob", "lstat", "rmdir")),
]  # fmt: skip


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("LINAD_CACHE", raising=False)
    monkeypatch.setattr(cache, "_memory", {})
    fresh(monkeypatch)
    return tmp_path / "cache"


def fresh(monkeypatch):
    """As in a new process."""
    monkeypatch.setattr(cache, "_said", threading.Lock())
    monkeypatch.setattr(specialise, "_loaded", {})


def value_and_gradient():
    @linear_grad
    def f(x: float) -> float:
        return x * x

    return f.value_and_grad(3.0)


def refuse(*args, **options):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("owner", "name"), CALLS, ids=lambda x: x if isinstance(x, str) else x.__name__)
@pytest.mark.parametrize("filled", [False, True])
def test_a_call_that_always_fails(place, monkeypatch, owner, name, filled):
    if filled:
        assert value_and_gradient() == (9.0, 6.0)
        fresh(monkeypatch)
    monkeypatch.setattr(owner, name, refuse)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", LinadWarning)
        assert value_and_gradient() == (9.0, 6.0)
        assert value_and_gradient() == (9.0, 6.0)
    monkeypatch.undo()
    assert len(told) <= 1
    assert name == "unlink" or not list(place.rglob(f"*{cache.HALF}")), "half a file is left"


@pytest.mark.parametrize("nth", range(1, 9))
def test_a_disk_that_fills_up_in_the_middle(place, monkeypatch, nth):
    """The ``nth`` file that is written stops after some bytes, and all later ones."""
    opened, seen = os.fdopen, []

    class Full:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *error):
            self.file.close()

        def write(self, content):
            self.file.write(content[:10])
            refuse()

    def fdopen(handle, *args, **options):
        seen.append(handle)
        file = opened(handle, *args, **options)
        return file if len(seen) < nth else Full(file)

    monkeypatch.setattr(os, "fdopen", fdopen)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", LinadWarning)
        assert value_and_gradient() == (9.0, 6.0)
    assert len(told) == (len(seen) >= nth) and all(w.filename == __file__ for w in told)
    assert not list(place.rglob(f"*{cache.HALF}"))
    monkeypatch.undo()
    assert value_and_gradient() == (9.0, 6.0)


def test_a_purge_while_something_is_compiled(monkeypatch):
    load = compile.load

    def purged(*args):
        assert cache.shrink(bytes_allowed=-1)
        return load(*args)

    monkeypatch.setattr(compile, "load", purged)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert value_and_gradient() == (9.0, 6.0)
        assert linad.grad(lambda x: x * x * x)(2.0) == 12.0


def test_what_an_ended_process_left_is_swept_up(place):
    assert value_and_gradient() == (9.0, 6.0)
    (folder,) = place.glob("f-*")
    for name in (".old.new", ".young.new"):
        (folder / name).touch()
    os.utime(folder / ".old.new", (1_000, 1_000))
    cache.shrink()
    assert [p.name for p in folder.glob(".*")] == [".young.new"]
