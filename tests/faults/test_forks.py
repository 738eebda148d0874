"""Children that are forked while something is compiled."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from linad import linear_grad
from linad.codegen import cache
from linad.codegen.llvm.lowering import Lowering

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
LIMIT = 30  # seconds, after which a child counts as hanging


def compiled(k: float) -> bool:
    return linear_grad(lambda x: x * x * k).grad(3.0) == 6.0 * k


@pytest.fixture(autouse=True)
def in_memory(monkeypatch):
    monkeypatch.setenv("LINAD_CACHE", "0")


def fork(run) -> int:
    """What a child comes to: 0 if what it runs is true."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(LIMIT)
        os._exit(0 if run() else 1)
    return os.waitpid(child, 0)[1]


def test_while_another_thread_compiles(monkeypatch):
    inside, real, main = threading.Event(), Lowering.lower, threading.get_ident()

    def slow(*args):
        if threading.get_ident() != main:
            inside.set()
            time.sleep(0.2)
        return real(*args)

    assert compiled(1.0)  # all is imported
    monkeypatch.setattr(Lowering, "lower", slow)
    found = []
    thread = threading.Thread(target=lambda: found.append(compiled(2.0)))
    thread.start()
    assert inside.wait(LIMIT)
    assert fork(lambda: compiled(3.0)) == 0
    thread.join()
    assert found == [True] and compiled(4.0)


def test_inside_a_compilation(monkeypatch):
    real, found = Lowering.lower, []

    def forking(*args):
        monkeypatch.undo()
        found.append(fork(lambda: compiled(5.0)))
        return real(*args)

    monkeypatch.setattr(Lowering, "lower", forking)
    assert compiled(6.0) and found == [0] and compiled(7.0)


def test_a_child_does_not_keep_the_lock_of_a_file(monkeypatch, tmp_path):
    monkeypatch.delenv("LINAD_CACHE")
    monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "PATIENCE", 5)
    entry = cache.entry("f", "0" * 32)
    read, write = os.pipe()
    with entry.locked():
        (handle,) = cache._locks
        child = os.fork()
        if child == 0:
            os.close(write)
            os.read(read, 1)  # until the parent has ended
            os._exit(0)
        os.close(handle)  # as where the parent is killed
        cache._locks.clear()
    started = time.monotonic()
    with entry.locked():
        assert len(cache._locks) == 1 and time.monotonic() - started < 2
    os.close(write)
    os.waitpid(child, 0)


def test_a_lock_that_is_not_given_back_is_waited_for_no_longer_than_that(monkeypatch, tmp_path):
    monkeypatch.delenv("LINAD_CACHE")
    monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "PATIENCE", 0.1)
    entry = cache.entry("f", "0" * 32)
    with entry.locked(), entry.locked():
        assert len(cache._locks) == 1
    assert not cache._locks


DURING_IMPORT = """
import os, signal, sys, threading
from linad import linear_grad

@linear_grad
def f(x: float) -> float:
    return x * x

reached, go = threading.Event(), threading.Event()

class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            reached.set()
            go.wait(1.0)  # the fork comes in this time, or waits, as it should, for the import to end

sys.meta_path.insert(0, Stop())
found = []
thread = threading.Thread(target=lambda: found.append(f.grad(3.0)))
thread.start()
assert reached.wait(60)
child = os.fork()
if child == 0:
    signal.alarm(30)
    os._exit(0 if f.grad(4.0) == 8.0 else 1)
assert os.waitpid(child, 0)[1] == 0
go.set()
thread.join()
assert found == [6.0]
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("module", ["numba", "numba.core.entrypoints", "numpy.ma.core", "linad.codegen.compile"])
def test_while_another_thread_imports_numba(module, tmp_path):
    env = {**os.environ, "LINAD_CACHE_DIR": str(tmp_path)}
    env.pop("LINAD_CACHE")
    program = tmp_path / "program.py"
    program.write_text(DURING_IMPORT)
    subprocess.run([sys.executable, program, module], env=env, check=True, timeout=4 * LIMIT)
