"""Each call of the system that the cache makes fails once, in turn and in each way: what the cache cannot do, nobody
notices."""

import errno
import fcntl
import os
import pathlib
import signal
import tempfile
import threading
import warnings

import pytest
from linad_typecheck.diagnostics import LinadWarning

from linad import linear_grad
from linad.codegen import cache

ERRORS = (errno.ENOSPC, errno.EACCES, errno.EIO, errno.ENOENT, errno.ESTALE, errno.EMFILE)
CALLS = (
    *(
        (os, name)
        for name in (
            "open", "fstat", "stat", "lstat", "fdopen", "replace", "mkdir", "unlink", "rmdir", "scandir", "utime",
            "fchmod", "chmod",
        )  # fmt: skip
    ),
    (fcntl, "flock"),
    (tempfile, "mkstemp"),
    (pathlib.Path, "touch"),
)
KEY, FRONT, TEXT, FACTS = "k" * 8, ("front", 1), "def f():\n    return 1\n", ("facts", 2)
NEVER = 10**9


class Faults:
    """Counts the calls, and lets number ``nth`` of them fail; those of a child count from where its parent was."""

    def __init__(self, monkeypatch, nth: int, error: int) -> None:
        self.seen, self.names = 0, []
        for owner, name in CALLS:
            real = getattr(owner, name)
            monkeypatch.setattr(owner, name, self.failing(real, f"{owner.__name__}.{name}", nth, error))

    def failing(self, real, name, nth, error):
        def call(*args, **options):
            self.seen += 1
            self.names.append(name)
            if self.seen == nth + 1:
                raise OSError(error, os.strerror(error))
            return real(*args, **options)

        return call


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("LINAD_CACHE", raising=False)
    monkeypatch.setattr(cache, "_said", threading.Lock())
    monkeypatch.setattr(cache, "PATIENCE", 0.05)
    return tmp_path / "cache"


def session(monkeypatch) -> list:
    """What one process does with an entry, and another one after it: what they find."""
    found = []
    for _ in range(2):
        monkeypatch.setattr(cache, "_memory", {})
        entry = cache.entry("f", "0" * 32)
        with entry.locked():
            entry.store_front(KEY, FRONT)
            entry.store_module(KEY, TEXT, FACTS)
        found += [dict(entry.fronts()).get(KEY), entry.module(KEY)]
    entry.discard("other")
    cache.stored()
    cache.shrink()
    return found


WHOLE = [FRONT, (TEXT, FACTS)] * 2


@pytest.mark.filterwarnings("ignore::linad.LinadWarning")
@pytest.mark.parametrize("ways", [1, pytest.param(len(ERRORS), marks=pytest.mark.thorough)])
def test_each_call_fails_in_turn(monkeypatch, tmp_path, ways):
    with monkeypatch.context() as m:
        clean = Faults(m, NEVER, 0)
        assert session(monkeypatch) == WHOLE
    assert clean.seen > 40 and {"fcntl.flock", "os.replace", "os.mkdir", "os.open"} <= set(clean.names)
    missed = 0
    for nth in range(clean.seen):
        for error in (ERRORS[(nth + k) % len(ERRORS)] for k in range(ways)):
            monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path / f"{nth}_{error}"))
            with monkeypatch.context() as m:
                Faults(m, nth, error)
                found = session(monkeypatch)
            told = f"call {nth}, {clean.names[nth]}: {os.strerror(error)}"
            assert all(got in (None, whole) for got, whole in zip(found, WHOLE, strict=True)), told
            missed += None in found
            assert not cache._locks, f"{told}: a lock is left"
            assert not list((tmp_path / f"{nth}_{error}").rglob(f".*{cache.HALF}")) or "unlink" in told, (
                f"{told}: half a file is left"
            )
            assert session(monkeypatch) == WHOLE, f"{told}: the next process finds no cache"
    assert missed, "no fault has cost anything: they were not seen"


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::linad.LinadWarning")
@pytest.mark.parametrize("error", ERRORS[:4], ids=errno.errorcode.get)
def test_calls_of_a_function_while_one_call_of_the_system_fails(monkeypatch, error):
    """As above, with a function that is compiled, from an empty cache and from a full one."""

    def value_and_gradient():
        monkeypatch.setattr("linad.specialise._loaded", {})
        return linear_grad(lambda x: x * x).value_and_grad(3.0)

    def sessions(seen):
        for _ in range(2):
            monkeypatch.setattr(cache, "_memory", {})
            assert value_and_gradient() == (9.0, 6.0), seen

    with monkeypatch.context() as m:
        clean = Faults(m, NEVER, 0)
        sessions("clean")
    for nth in range(0, clean.seen, 5):
        cache.shrink(bytes_allowed=-1)
        with monkeypatch.context() as m:
            Faults(m, nth, error)
            sessions((nth, clean.names[nth]))


@pytest.mark.parametrize("written", [0, 10, 10**6])
def test_a_writer_that_is_killed(monkeypatch, place, written):
    """The next process finds nothing, or what the one before has finished, and writes its own."""
    assert session(monkeypatch) == WHOLE
    cache.entry("f", "0" * 32).discard(KEY)
    child = os.fork()
    if child == 0:
        real = os.fdopen

        def fdopen(handle, *args, **options):
            file = real(handle, *args, **options)
            write = file.write
            file_like = type("Killed", (), {"__enter__": lambda s: s, "__exit__": lambda s, *e: None})()
            file_like.write = lambda content: (
                write(content[:written]),
                file.flush(),
                os.kill(os.getpid(), signal.SIGKILL),
            )
            return file_like

        os.fdopen = fdopen
        entry = cache.entry("f", "0" * 32)
        with entry.locked():
            entry.store_module(KEY, TEXT, FACTS)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    entry = cache.entry("f", "0" * 32)
    assert entry.module(KEY) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error", LinadWarning)
        assert session(monkeypatch) == WHOLE
